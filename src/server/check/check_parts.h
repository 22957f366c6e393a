/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of server/check/check.h share; nobody else includes it.
 */
#pragma once

#include "server/check/check.h"

enum {
    CHECK_PAGE = 2000,      /* rows that are read at once                                */
    CHECK_JOURNAL_PAGE = 8, /* of events and audit, which hold a whole turn each: the
                               largest fit into one answer of the database               */
};

struct check {
    struct db *db;
    const struct check_options *options;
    struct arena *arena; /* of a portion            */
    struct arena *page;  /* of one read within it   */
    struct check_counts counts;
};

/* One finding; `schedule` and `slot` may be empty and INSTANT_NONE. */
void check_found(struct check *check, struct str schedule, int64_t key, instant slot,
                 const char *fmt, ...) PRINTF(5, 6);

void check_progress(const struct check *check, const char *what, int64_t done, int64_t all);

/* check_schedule.c: all of them, with what hangs on them. */
MUST_USE enum rc check_all_schedules(struct check *check, struct err *reterr);

/* check_journal.c: events, audit. */
MUST_USE enum rc check_events(struct check *check, struct err *reterr);
MUST_USE enum rc check_audit(struct check *check, struct err *reterr);

/* check_attempts.c */
struct schedule_view;
struct check_attempt;
struct check_run;

/* What a schedule has, read whole. */
struct check_stock {
    const struct schedule_view *view;
    struct check_attempt *attempts; /* in the order of slot, pass and attempt */
    struct check_run *runs;         /* in the order of slot and pass          */
    int attempt_count, run_count;
    bool is_pruned; /* some attempts may be gone, by age or number */
};
void check_attempts(struct check *check, const struct check_stock *stock);
