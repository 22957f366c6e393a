/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A spec as a user writes it: texts, lists and numbers, not yet compiled.
 *
 * Plain data without behaviour.  The caller owns the strings and arrays (usually in an arena).
 * model/spec_json.h reads and prints it; core/spec/spec.h compiles it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/instant.h"
#include "base/str.h"
#include "core/cron/cron_parse.h"
#include "core/cron/dialect.h"
#include "core/time/dst.h"

enum anchor {
    ANCHOR_EPOCH,      /* n × every + phase from 1970-01-01T00:00:00Z                   */
    ANCHOR_MIDNIGHT,   /* from the first instant of each local day, by elapsed time     */
    ANCHOR_START,      /* from the last slot with a run, or from creation               */
    ANCHOR_COMPLETION, /* from the last end, or from creation; none while a run is open */
};

/* Times outside the window: moved to the next opening, or dropped. */
enum window_rule { WINDOW_CLAMP, WINDOW_FILTER };

/* Times on excluded days: dropped, or moved to the next or previous free day. */
enum shift { SHIFT_NONE, SHIFT_NEXT, SHIFT_PREVIOUS };

struct cron_def {
    struct str expr;
    enum dialect dialect;
    struct str zone; /* len 0: that of the spec */
};

struct calendar_def {
    struct calendar_text text;
    struct str comment;
};

struct interval_def {
    span every, phase;
    enum anchor anchor;
};

struct window_def {
    bool is_set;
    int32_t from, to; /* seconds of the day, both inclusive; from > to wraps midnight */
    enum window_rule rule;
};

struct spec_def {
    struct cron_def *cron;
    struct calendar_def *calendars;
    struct interval_def *intervals;
    int32_t *times; /* seconds of the day                          */
    instant *at;    /* INSTANT_NONE: "now", the moment of creation */
    int cron_count, calendar_count, interval_count, time_count, at_count;

    struct calendar_def *not_calendars;
    int32_t *not_dates; /* day numbers */
    struct str *not_named;
    int not_calendar_count, not_date_count, not_named_count;
    enum shift shift;

    instant start, end; /* inclusive; INSTANT_NONE and INSTANT_NEVER: no bound */
    struct window_def window;
    struct str zone; /* len 0: UTC */
    struct dst_rule dst;
    span jitter;
    enum dialect calendar_dialect; /* grammar of calendars: belfry, or temporal */
};

/* An empty spec, without slots. */
static inline struct spec_def spec_def_empty(void)
{
    return (struct spec_def){
        .start = INSTANT_NONE, .end = INSTANT_NEVER, .calendar_dialect = DIALECT_BELFRY};
}

const char *anchor_text(enum anchor anchor);
const char *window_rule_text(enum window_rule rule);
const char *shift_text(enum shift shift);
MUST_USE enum rc anchor_parse(struct str text, enum anchor *ret, struct err *reterr);
MUST_USE enum rc window_rule_parse(struct str text, enum window_rule *ret, struct err *reterr);
MUST_USE enum rc shift_parse(struct str text, enum shift *ret, struct err *reterr);
