/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What each role may do: the one place that knows.
 */
#pragma once

#include "api/call/operation.h"

const char *role_text(enum role role); /* "viewer" and so on */
MUST_USE enum rc role_parse(struct str word, void *to, struct err *reterr); /* enum role */

/* Whether the role has the right in a namespace that it is for. */
bool role_has(enum role role, bool is_everywhere, enum right right);

/* The roles that have it, for people: "editor or admin". */
const char *right_roles(enum right right);
