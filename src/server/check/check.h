/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a database keeps the promise: that it is whole, that every slot has one account, that
 * what is counted is there, that nothing hangs on what is gone.
 *
 * It only reads, in transactions that are bounded, so that a server may be at work meanwhile;
 * what must agree is read in one of them.  docs/invariants.md numbers what is checked.
 */
#pragma once

#include "base/instant.h"
#include "core/spec/spec.h"
#include "db/db.h"

struct check_finding {
    struct str schedule;     /* its name; empty: of none                        */
    int64_t key;             /* of the schedule, when it has no name; 0: of none */
    instant slot;            /* INSTANT_NONE: of none                           */
    char text[ERR_TEXT_MAX]; /* "has two accounts"                              */
};

/* What was looked at. */
struct check_counts {
    int64_t tables, schedules, accounts, attempts, runs, events, audit;
    int64_t unproven; /* schedules whose slots hang on their runs, or another version's  */
    int64_t findings;
};

struct check_options {
    struct zone_source zones;
    instant now;
    void (*finding)(void *arg, const struct check_finding *finding);
    /* `all` 0: nobody knows how much there is. */
    void (*progress)(void *arg, const char *what, int64_t done, int64_t all);
    void *arg;
};

/* An error is that the check itself could not be made; what is wrong is a finding. */
MUST_USE enum rc check_database(struct db *db, const struct check_options *options,
                                struct check_counts *ret, struct err *reterr);
