/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The parts of POST /what-if, for the files of this folder only: the question, what becomes of
 * each schedule, and the load.
 */
#pragma once

#include "api/call/call.h"
#include "api/schedules/schedule_filter.h"
#include "api/schedules/schedule_times.h"
#include "core/forecast.h"
#include "wire/json/json.h"

enum {
    WHAT_IF_SCHEDULES_MAX = 10000,
    WHAT_IF_SLOTS_MAX = 5 * 1000 *
                        1000,    /* of all schedules together, in the time of the load */
    WHAT_IF_IDS_MAX = 1000,      /* of `filter.schedule`                               */
    WHAT_IF_FATES_MAX = 20,      /* entries of `slots` of a schedule                   */
    WHAT_IF_PLAYED_MAX = 1100,   /* before consecutive ones are merged: of one turn    */
    WHAT_IF_LIMIT_DEFAULT = 100, /* schedules that the answer lists */
    WHAT_IF_LIMIT_MAX = 1000,
};

#define WHAT_IF_RANGE_MAX (7 * SPAN_DAY)
#define WHAT_IF_AFTER     SPAN_H /* the load after an outage: most of the catch-up has begun */

enum what_if_kind { WHAT_IF_DOWN, WHAT_IF_PATCH, WHAT_IF_NEW };

struct what_if_body {
    enum what_if_kind kind;
    instant from, to; /* the outage, or the range of the load */
    instant down_from, down_to;
    struct str schedule, patch; /* of WHAT_IF_PATCH: id, and JSON */
    struct str document;        /* of WHAT_IF_NEW: JSON           */
    struct str durations;       /* JSON of an object; or empty    */
    struct str label, queue;
    struct str *ids; /* filter.schedule */
    int id_count;
    int32_t limit;
};

/* Reads the body; false with *ret_step after an error. */
bool what_if_request(struct call *call, struct what_if_body *ret, enum call_step *ret_step);

/* Where the duration of a schedule's runs comes from. */
enum duration_source { DURATION_NONE, DURATION_P50, DURATION_GIVEN, DURATION_SOURCES };

/* What becomes of one slot, or of consecutive slots with the same outcome. */
struct what_if_fate {
    instant slot, last;
    int64_t count;
    enum outcome outcome; /* OUTCOME_NONE: it waits at the end of the play */
    enum reason reason;
    instant starts; /* when its run begins; INSTANT_NEVER: it does not */
};

struct what_if_counts {
    int64_t due, started, caught_up, skipped;
    int64_t window, coalesced; /* missed, by reason                              */
    int64_t dropped;           /* no room in the buffer                          */
    instant first, last;       /* nominal times of slots that are due; see count */
};

struct what_if_row {
    struct str id;
    struct what_if_counts counts;
    struct what_if_counts before; /* of an edit */
    struct what_if_fate *fates;
    int fate_count;
    enum catchup catchup;
    enum overlap overlap;
    span duration;
    enum duration_source source;
    bool depends_on_runs; /* the slots themselves are an estimate  */
    bool is_cut;          /* more waited than the play remembers   */
};

/* Starts per minute. */
struct what_if_load {
    instant from;
    int minutes;
    int32_t *before, *after;
};

struct what_if {
    struct call *call;
    const struct what_if_body *body;
    json_t *durations; /* NULL: none */
    struct what_if_load load;
    struct forecast_room *room;
    struct what_if_fate *fates; /* WHAT_IF_PLAYED_MAX, of the schedule that is played */
    struct what_if_row *rows;   /* affected schedules */
    int row_count, row_room;
    int schedules; /* that the filter selects     */
    int unknown;   /* whose time zone is missing  */
    int64_t slots; /* that the load counts        */
    bool has_too_many_slots;
    int sources[DURATION_SOURCES]; /* schedules whose overlap depends on durations */
};

/* One schedule as what_if_play() plays it. */
struct what_if_subject {
    struct str id;
    const struct plan *plan;
    const struct spec_ctx *ctx;
    const struct cursor *cursor;
    const instant *exceptions;
    int exception_count;
    span duration;
    enum duration_source source;
};

/*
 * Adds a schedule to the load and, if the outage affects it, to the rows.  `edited` is NULL
 * except for the schedule of an edit; `subject` is NULL for a new one.
 */
void what_if_play(struct what_if *w, const struct what_if_subject *subject,
                  const struct what_if_subject *edited);

enum call_step what_if_answer(struct what_if *w);
