/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks individual texts of an action before anything is sent or started.
 *
 * Used when an action is read, and again after its templates are filled in.  The checks do not
 * resolve names, open files or connect.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* A token of RFC 9110 in upper case; not CONNECT, which opens a tunnel. */
MUST_USE enum rc http_method_check(struct str s, struct err *reterr);

/*
 * http:// or https://, a host name or address, optionally a port, then visible ASCII.  User
 * information and backslashes are rejected: two parsers could see different hosts.
 */
MUST_USE enum rc http_url_check(struct str s, struct err *reterr);

MUST_USE enum rc http_field_check(struct str s, struct err *reterr); /* a token */

/* A token; not one of the fields that frame a message, which the sender sets. */
MUST_USE enum rc http_header_name_check(struct str s, struct err *reterr);

/* No control character except the tab. */
MUST_USE enum rc http_header_value_check(struct str s, struct err *reterr);

/* Letters, digits and `_`; does not begin with a digit, BELFRY_ or LD_. */
MUST_USE enum rc exec_env_name_check(struct str s, struct err *reterr);

MUST_USE enum rc exec_path_check(struct str s, struct err *reterr); /* absolute */
MUST_USE enum rc exec_user_check(struct str s, struct err *reterr);
