/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of check.  Other files do not include it.
 */
#pragma once

#include "server/check/check.h"

enum {
    CHECK_PAGE = 2000, /* rows per read */
    /*
     * The same for events and audit log, where a row holds a whole turn: even 8 rows of the
     * largest size fit into one result.
     */
    CHECK_EVENTS_PAGE = 8,
};

struct check {
    struct db *db;
    const struct check_options *options;
    struct arena *arena;   /* of a batch of schedules  */
    struct arena *page;    /* of one read in the batch */
    int rows_max;          /* rows of one kind that are read per schedule; 0: very many */
    struct budget *budget; /* of searches in specs; NULL: no limit                    */
    struct check_counts counts;
};

/* Reports a finding.  NO_PLACE gives schedule, key and slot: none of them. */
void check_found(struct check *check, struct str schedule, int64_t key, instant slot,
                 const char *fmt, ...) PRINTF(5, 6);
#define NO_PLACE (struct str){NULL, 0}, 0, INSTANT_NONE

void check_progress(const struct check *check, const char *what, int64_t done, int64_t all);

/* check_schedule.c: all schedules with their runs, attempts and ledger rows */
MUST_USE enum rc check_all_schedules(struct check *check, struct err *reterr);

/* check_events.c */
MUST_USE enum rc check_events(struct check *check, struct err *reterr);
MUST_USE enum rc check_audit(struct check *check, struct err *reterr);

/* check_attempts.c */
struct schedule_view;
struct check_attempt;
struct check_run;

/* The complete rows of a schedule. */
struct check_rows {
    const struct schedule_view *view;
    struct check_attempt *attempts; /* ordered by slot, pass and attempt */
    struct check_run *runs;         /* ordered by slot and pass          */
    int attempt_count, run_count;
    bool is_pruned; /* retention may have deleted attempts */
};
void check_attempts(struct check *check, const struct check_rows *rows);
/* check_recent.c: only for a schedule that has a cursor */
void check_recent(struct check *check, const struct check_rows *rows);
