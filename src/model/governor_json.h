/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts between a governor and the "governor" object of the native JSON.
 *
 * The hint is not part of the schedule's definition: it is set while the schedule runs, and
 * expires.
 */
#pragma once

#include "model/member.h"

enum { HINT_REASON_MAX = 1000 }; /* bytes: a few sentences by the author of the hint */

#define GOVERNOR_INTERVAL_MIN SPAN_S            /* a shorter one is a loop, not a schedule */
#define GOVERNOR_INTERVAL_MAX (3660 * SPAN_DAY) /* ten years */

struct governor_def {
    bool is_set;
    bool has_backoff;
    span min, max;        /* 0: none */
    span hint_interval;   /* 0: none */
    instant hint_at;      /* INSTANT_NEVER: none */
    instant hint_expires; /* INSTANT_NONE: no hint */
    struct str hint_reason;
};

/* The fields of a hint, as members of struct governor_def. */
extern const struct members hint_members;

/* No governor. */
struct governor_def governor_def_empty(void);

MUST_USE enum rc governor_from_json(const json_t *json, struct arena *arena, bool is_lenient,
                                    struct governor_def *ret, struct err *reterr);

/* JSON null if it is not set.  The caller owns the result. */
json_t *governor_to_json(const struct governor_def *governor, enum spec_form form);

/* The brief form as text; is_set is ignored. */
struct str governor_keep(const struct governor_def *governor, struct arena *arena);
