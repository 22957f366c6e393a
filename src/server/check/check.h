/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the consistency of a database: it is undamaged, every slot has exactly one recorded
 * outcome, counters match the rows, and no row refers to a missing one.
 *
 * It only reads, in short transactions, so a server may use the database meanwhile.
 * Values that must agree are read in one transaction.  docs/invariants.md numbers the checks.
 */
#pragma once

#include "base/instant.h"
#include "core/spec/spec.h"
#include "db/db.h"

struct check_finding {
    struct str schedule;     /* its name; empty: none                 */
    int64_t key;             /* of a schedule without a name; 0: none */
    instant slot;            /* INSTANT_NONE: none                    */
    char text[ERR_TEXT_MAX]; /* such as "has two accounts"            */
};

/* What was checked. */
struct check_counts {
    int64_t tables, schedules, accounts, attempts, runs, events, audit;
    int64_t unproven; /* schedules whose slots cannot be recomputed, see provable_from() */
    int64_t findings;
};

struct check_options {
    struct zone_source zones;
    instant now;
    void (*finding)(void *arg, const struct check_finding *finding);
    /* `all` is 0 if the total is unknown. */
    void (*progress)(void *arg, const char *what, int64_t done, int64_t all);
    void *arg;
};

/* An error means that the check itself failed; problems of the database are findings. */
MUST_USE enum rc check_database(struct db *db, const struct check_options *options,
                                struct check_counts *ret, struct err *reterr);
