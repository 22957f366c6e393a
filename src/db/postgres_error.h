/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the five letters of an SQLSTATE mean to a caller of db.h.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

/* RC_LOST and RC_UNKNOWN: the connection is of no more use.  Never RC_OK. */
enum rc postgres_rc(const char *state, bool readonly);

/* What a person can do about it; "" when the message says it. */
const char *postgres_hint(const char *state, enum rc rc);

/*
 * The SQLSTATE in a verbose message of libpq about a failed connection ("FATAL:  28P01:
 * …"), the only place where it tells; false when it came from no server.
 */
bool postgres_state_in(struct str message, char ret_state[6]);
