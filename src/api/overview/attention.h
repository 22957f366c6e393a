/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What needs attention in a namespace: the worst first, each with a reason in words.
 */
#pragma once

#include "api/call/answer.h"
#include "api/call/call.h"
#include "api/catalogue/catalogue_survey.h"
#include "core/time/tz.h"

struct attention {
    const struct call *call;
    const struct tz *tz; /* of the times in texts */
    const struct catalogue_survey *survey;
};

/* Prints a list as a member "attention", and "attentionTotal". */
MUST_USE enum rc attention_print(const struct attention *attention, struct db *db,
                                 struct answer *out, struct err *reterr);
