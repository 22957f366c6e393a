/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Optional rows of a schedule: exceptions (planned slots that were cancelled) and backfills.
 * Also stops: messages to another node, to end its dispatch of a run that has ended.
 * Statements are queued; the schedule's cursor is the lock of its exceptions and backfills.
 */
#pragma once

#include "base/instant.h"
#include "db/db.h"

/* changed is 0 if it already exists. */
void exceptions_insert(struct db *db, int64_t schedule, instant slot, instant now,
                       struct str by, struct db_result *ret);
void exceptions_delete(struct db *db, int64_t schedule, instant slot, struct db_result *ret);
/* (slot), ascending, after `after`. */
void exceptions_of(struct db *db, int64_t schedule, instant after, int limit,
                   struct db_result *ret);
/* Deletes exceptions at or before `until`: these slots are accounted for. */
void exceptions_forget(struct db *db, int64_t schedule, instant until);

/* The numbers are stored: never change one. */
enum backfill_stage {
    BACKFILL_FILLING = 0, /* it has slots left to request                 */
    BACKFILL_FILLED = 1,  /* its last runs wait, or are open              */
    BACKFILL_ENDED = 2,   /* kept to be shown, see backfills_forget()     */
};
enum backfill_flag {
    BACKFILL_MISSED = 1 << 0,    /* only slots that were not started                   */
    BACKFILL_CANCELLED = 1 << 1, /* with BACKFILL_MISSED: also cancelled(user)         */
    BACKFILL_GOVERNOR = 1 << 2,  /* with BACKFILL_MISSED: also skipped(governor)       */
    /* What a request may ask for. */
    BACKFILL_ASKED = BACKFILL_MISSED | BACKFILL_CANCELLED | BACKFILL_GOVERNOR,
    BACKFILL_STOPPED = 1 << 3, /* a user stopped it                                  */
    BACKFILL_EXPIRED = 1 << 4, /* slots expired from the ledger before their turn    */
};
enum {
    BACKFILLS_OPEN_MAX = 1000, /* of a schedule, that have not ended            */
    BACKFILLS_KEPT = 100,      /* of a schedule, that have ended; the newest    */
    BACKFILLS_READ_MAX = BACKFILLS_OPEN_MAX + BACKFILLS_KEPT,
};
#define BACKFILL_SLOTS_UNKNOWN INT64_C(-1)

struct backfill {
    int64_t id, schedule, pass;
    int64_t namespace;   /* of the schedule */
    instant from, until; /* inclusive, nominal times */
    instant mark;        /* the last slot that was processed */
    int64_t overlap;     /* enum overlap */
    int64_t requested;   /* starts; each is in one of the next three, or waits */
    int64_t begun;       /* runs that began                                    */
    int64_t skipped;     /* by the overlap policy                              */
    int64_t withdrawn;   /* cancelled or dropped while they waited             */
    int64_t cancelled;   /* runs that began and were cancelled or terminated   */
    int64_t succeeded, failed;
    int64_t stage; /* enum backfill_stage                                              */
    int64_t flags; /* enum backfill_flag                                               */
    int64_t slots; /* counted when it was requested; BACKFILL_SLOTS_UNKNOWN: too many   */
    instant created_at;
    instant ended_at; /* INSTANT_NEVER: it has not ended */
    struct str created_by;
};

/* Its starts that wait for an open run.  Nodes of an earlier version do not count all. */
static inline int64_t backfill_buffered(const struct backfill *b)
{
    int64_t left = b->requested - b->begun - b->skipped - b->withdrawn;

    return left > 0 ? left : 0;
}

/* Its runs that began and have not ended. */
static inline int64_t backfill_open(const struct backfill *b)
{
    int64_t left = b->begun - b->succeeded - b->failed - b->cancelled;

    return left > 0 ? left : 0;
}

void backfills_insert(struct db *db, const struct backfill *backfill);
void backfills_update(struct db *db, const struct backfill *backfill);
/* In order of creation; also those that have ended. */
void backfills_of(struct db *db, int64_t schedule, int limit, struct db_result *ret);
void backfills_find(struct db *db, int64_t schedule, int64_t pass, struct db_result *ret);
/*
 * Of a namespace, with keys below `before`, the newest first: those that are running, or those
 * that have ended.  backfills_read_name() reads the name of the schedule; empty: it is deleted.
 */
struct backfill_page {
    int64_t namespace, before;
    bool is_ended;
    int limit;
};
void backfills_list(struct db *db, const struct backfill_page *page, struct db_result *ret);
struct str backfills_read_name(const struct db_result *result, int row);
/* Deletes those that have ended, except the `count` newest. */
void backfills_forget(struct db *db, int64_t schedule, int count);
void backfills_read(const struct db_result *result, int row, struct backfill *ret);
void backfills_delete_all(struct db *db, int64_t schedule);

/* A message to the node that carries out a run: the run has ended. */
struct node_stop {
    int64_t id, node, schedule, pass, fence;
    instant slot;
};
void stops_insert(struct db *db, const struct node_stop *stop);
/* Deletes and returns a node's stops, oldest first. */
void stops_take(struct db *db, int64_t node, int limit, struct db_result *ret);
void stops_read(const struct db_result *result, int row, struct node_stop *ret);
