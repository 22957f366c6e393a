/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the database knows about the slots of many schedules in a window: open runs, attempts
 * that ended, and the ledger.
 */
#pragma once

#include "api/timeline/timeline_window.h"
#include "store/slots_many.h"

/*
 * History is in the order of ends, so a run is searched among those that ended after the window
 * began; and not later than this after the window ends.
 */
#define TIMELINE_END_AFTER SPAN_DAY

enum {
    TIMELINE_ATTEMPTS_MAX = 16000, /* of one schedule that are read */
    TIMELINE_OPEN_MAX = 2000,      /* likewise, open runs            */
    TIMELINE_RANGES_MAX = 4000,    /* likewise, ranges of the ledger */
};

/* A schedule, and after timeline_past_read() what is known about it. */
struct timeline_past {
    const struct cursor *cursor;
    int64_t expected; /* attempts, at a guess */
    struct slot_attempt *attempts;
    int attempt_count;
    struct account *ranges; /* ascending */
    int range_count;
    bool is_cut; /* there were more rows than the limits */
};

struct timeline_past_query {
    const struct timeline_window *window;
    instant now;
    span after;    /* TIMELINE_END_AFTER, or less              */
    bool has_open; /* read all open runs until the end of the window, however old */
    struct db *db;
    struct arena *arena;   /* for what is returned                     */
    struct budget *budget; /* a trial ends if there are many rows      */
    int64_t *rows;         /* increased by the number of rows read     */
};

MUST_USE enum rc timeline_past_read(const struct timeline_past_query *query,
                                    struct timeline_past *list, int count, struct err *reterr);
