/* SPDX-License-Identifier: Apache-2.0 */
/* Maps SQLSTATEs to the error codes of db.h. */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"

/* RC_LOST and RC_UNKNOWN: the connection is unusable.  Never RC_OK. */
enum rc postgres_rc(const char *state, bool readonly);

/* What the user can do; "" if the message already says it. */
const char *postgres_hint(const char *state, enum rc rc);

/*
 * Finds the SQLSTATE in a verbose message of libpq ("FATAL:  28P01: …"); libpq reports the
 * state of a failed connection nowhere else.  False if no server sent the message.
 */
bool postgres_state_in(struct str message, char ret_state[6]);
