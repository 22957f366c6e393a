/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The workflows that this node follows and that no request asks about at the moment: a compact
 * record each, found by run, ordered by upstream and by time.
 *
 * The table decides which workflow is next; it sends nothing and reads no clock.  All times are
 * those of clock_boot_us().  docs/decisions/0053 describes the shares; followers_lists.h is
 * about the lists that show many workflows at once.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/instant.h"
#include "base/str.h"
#include "core/run_id.h"

enum {
    FOLLOW_CALLS_MAX = 64,  /* requests of an upstream in progress, of each kind but waits */
    FOLLOW_BURST = 8,       /* requests that may come at once after a pause                */
    FOLLOW_TEXTS_MAX = 8192 /* bytes of all texts of a record                              */
};

/* Why a request is sent.  Each has its own limit. */
enum follow_reason {
    FOLLOW_END,  /* the workflow must end                               */
    FOLLOW_WAIT, /* wait in the upstream for its end: Temporal only     */
    FOLLOW_LOOK, /* has it ended?                                       */
    FOLLOW_LIST, /* read a list of the upstream: followers_lists.h      */
    FOLLOW_REASONS
};

enum follower_text {
    FOLLOWER_SCHEDULE, /* its name                                              */
    FOLLOWER_SPACE,    /* the name of the namespace                             */
    FOLLOWER_UPSTREAM, /* its name; empty: the default of the namespace         */
    FOLLOWER_LIST,     /* the list of the upstream that shows it; may be empty  */
    FOLLOWER_WORKFLOW,
    FOLLOWER_RUN_ID,  /* of the workflow, if the upstream has those    */
    FOLLOWER_FIRST,   /* the first workflow of the run                 */
    FOLLOWER_CURRENT, /* the run that the workflow has continued as    */
    FOLLOWER_TEXTS
};

struct follow_target; /* opaque: the upstream of a namespace */
struct follow_group;  /* opaque: the workflows of an upstream that one list shows */

struct follower {
    struct run_id run;
    int64_t fence;
    int64_t namespace;
    int32_t attempt, losses;
    int32_t workflows, clean; /* as in struct flow_progress */
    int64_t due_us;           /* of the next request                       */
    int64_t deadline_us;      /* of the attempt; INT64_MAX: none           */
    int64_t failing_us;       /* of the first consecutive failure; 0: none */
    span wait;                /* the last pause                            */
    bool is_young;            /* asked about often: it may end soon        */
    bool is_new;              /* the first pause is not over               */
    bool has_place;           /* of the lane, because there were too many  */
    bool is_inherited, is_stopped, is_terminated, wants_end, end_requested, is_late;
    bool has_hint;     /* a list says that it has ended                          */
    uint8_t bad_hints; /* consecutive wrong ones: see BAD_HINTS_MAX              */
    /* For the table. */
    uint32_t mark; /* the last reading of its list that showed it, or that is older than it */
    int32_t at_due, at_deadline; /* in heaps; -1: in none */
    struct follow_target *target;
    struct follow_group *group;
    struct follower *next;       /* in its bucket                */
    struct follower *next_named; /* in its bucket by workflow id */
    uint16_t ends[FOLLOWER_TEXTS];
    char text[];
};

struct followers; /* opaque */

struct followers *followers_new(void);
void followers_free(struct followers *all);

/* Adds a copy with copies of the texts. */
struct follower *followers_add(struct followers *all, const struct follower *record,
                               const struct str texts[static FOLLOWER_TEXTS]);

/* The upstream and the list are valid until the next request is chosen. */
struct str follower_text(const struct follower *record, enum follower_text which);

/* NULL: none. */
struct follower *followers_find(const struct followers *all, const struct run_id *run,
                                int64_t fence);

/* Sorts the record again after a change of its times or flags. */
void followers_moved(struct followers *all, struct follower *record);

/* The caller frees it with follower_free(). */
void followers_remove(struct followers *all, struct follower *record);
void follower_free(struct follower *record);

int followers_count(const struct followers *all);

/* Calls `visit` for each record; it may remove the record. */
void followers_each(struct followers *all, void (*visit)(void *arg, struct follower *record),
                    void *arg);

/* A record whose deadline has passed; NULL: none. */
struct follower *followers_late(const struct followers *all, int64_t now_us);

/* What an upstream permits. */
struct follow_limits {
    int rate;  /* FOLLOW_LOOK and FOLLOW_LIST requests per second */
    int waits; /* FOLLOW_WAIT requests at a time; 0: none wait    */
};

/* Returns the limits of an upstream of a namespace. */
typedef struct follow_limits follow_limits_of(void *arg, int64_t namespace,
                                              struct str upstream);

/*
 * Takes the next record that is due off the table, which the caller frees, and counts a request
 * of its upstream until followers_done().  NULL: none is due.
 */
struct follower *followers_next(struct followers *all, int64_t now_us, follow_limits_of *limits,
                                void *arg, enum follow_reason *ret_reason);

/* A request that followers_next() has counted has ended. */
void followers_done(struct follow_target *target, enum follow_reason reason);

/* Whether other records of the upstream are due, and would use a FOLLOW_WAIT. */
bool followers_has_due(const struct follow_target *target, int64_t now_us);

/* When a record or a list may be due, or a deadline passes; INT64_MAX: after a change. */
int64_t followers_wake_us(const struct followers *all, int64_t now_us);
