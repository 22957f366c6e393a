/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dates in parameters and answers: "2026-11-18", as days since 1970-01-01.
 */
#pragma once

#include "api/call/answer.h"
#include "api/call/request.h"

/* A date; *ret is unchanged if the parameter is absent. */
MUST_USE enum rc day_date_query(const struct call *call, const char *name, int64_t *ret,
                                struct err *reterr);

/* A member of an object. */
void day_date_print(struct answer *out, const char *name, int64_t day);
