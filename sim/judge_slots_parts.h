/* SPDX-License-Identifier: Apache-2.0 */
/* A spec as judge_slots_read.c leaves it for judge_slots.c and judge_due.c. */
#pragma once

#include "oracle/oracle_cron.h"
#include "oracle/oracle_next.h"
#include "oracle/oracle_tz.h"
#include "sim/judge_slots.h"

enum { JUDGE_ZONES_MAX = 32 }; /* different zones of one record */

struct zone {
    char name[ORACLE_ZONE_MAX];
    struct oracle_tz *tz;
    struct oracle_clock clock;
};

struct judge_zones {
    struct zone zone[JUDGE_ZONES_MAX];
    int count;
};

enum kind { KIND_RULE, KIND_INTERVAL, KIND_AT };

struct candidate {
    enum kind kind;
    struct zone *zone;
    struct oracle_rule *rule; /* KIND_RULE */
    struct oracle_policy policy;
    struct interval_def interval; /* KIND_INTERVAL */
    bool in_seconds;              /* @every: its origin is a whole second */
    instant at;                   /* KIND_AT; INSTANT_NONE: creation */
    instant asked, answer;        /* nothing lies in (asked, answer) */
};

struct judge_spec {
    const struct spec_def *def;
    struct zone *zone;
    struct candidate *candidates;
    int count;
    struct oracle_rule **not_rules;
};

/* The first time of any entry after `after`: no rule is applied yet. */
instant judge_spec_raw_next(struct judge_spec *spec, const struct judge_origin *origin,
                            instant after);

/* The first instant at or after `t` whose local time is inside the window. */
instant judge_spec_window_open(const struct judge_spec *spec, instant t);
