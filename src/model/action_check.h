/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What may be sent and started: the texts of an action, one by one.
 *
 * For the codec, and for whoever fills in templates and must look again.  Nothing is
 * resolved, opened or connected to.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* A token of RFC 9110 in capitals; not CONNECT, which is not a request. */
MUST_USE enum rc http_method_check(struct str s, struct err *reterr);

/*
 * http:// or https://, a host as name or address, perhaps a port, then visible ASCII.  No
 * user information, no backslash: two readers could take it for different hosts.
 */
MUST_USE enum rc http_url_check(struct str s, struct err *reterr);

MUST_USE enum rc http_field_check(struct str s, struct err *reterr); /* a token */

/* A token; not one of those that frame a message, which are the sender's own. */
MUST_USE enum rc http_header_name_check(struct str s, struct err *reterr);

/* No control character but the tab. */
MUST_USE enum rc http_header_value_check(struct str s, struct err *reterr);

/* Letters, digits and `_`, no digit first, not BELFRY_… and not LD_…. */
MUST_USE enum rc exec_env_name_check(struct str s, struct err *reterr);

MUST_USE enum rc exec_path_check(struct str s, struct err *reterr); /* absolute */
MUST_USE enum rc exec_user_check(struct str s, struct err *reterr);
