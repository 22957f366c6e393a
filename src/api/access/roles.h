/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rights of each role.  No other code decides them.
 */
#pragma once

#include "api/call/operation.h"

const char *role_text(enum role role); /* "viewer" and so on */
MUST_USE enum rc role_parse(struct str word, void *to, struct err *reterr); /* enum role */

/* Whether the role has the right, in a namespace that its token may use. */
bool role_has(enum role role, bool is_everywhere, enum right right);

/* The roles that have the right, for messages: "editor or admin". */
const char *right_roles(enum right right);
