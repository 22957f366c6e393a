/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether programs can run as a user, as a question for io/lookup.h.
 */
#pragma once

#include "io/lookup.h"

/* A lookup_fn.  No answer if the users cannot be read now. */
bool user_lookup(void *arg, const char *user, struct lookup_answer *ret);
