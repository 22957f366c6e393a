/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine: one writer that moves schedules and runs, one transaction at a time.
 *
 * It has no thread, socket, clock or log: what it knows it is handed, what it wants done it
 * hands out, and nothing is handed out before it is committed.  The same code runs under
 * the daemon and under the simulator.  docs/decisions/0011 has the shape of a turn.
 */
#pragma once

#include "core/spec/spec.h"
#include "engine/turn.h"

struct db;
struct engine; /* opaque */

struct engine_options {
    struct str node;             /* this node's name, unique in the cluster          */
    struct zone_source zones;    /* outlives the engine                              */
    span node_lease;             /* 0: NODE_LEASE; calls of a node that is silent for
                                  longer belong to the others                      */
    size_t plan_bytes;           /* 0: PLAN_CACHE_BYTES; of memory for plans               */
    int committed;               /* 0: COMMITTED_MAX; runs and cursors that are remembered */
    span events_age;             /* 0: EVENTS_AGE                                    */
    int backfill_portion;        /* slots of a schedule's backfills a turn starts; 0: any  */
    span dispatch_jitter;        /* of schedules that have none; to DISPATCH_JITTER_MAX    */
    struct str version, address; /* for people: what this node is, and where         */
    struct str zones_version;    /* to ZONES_VERSION_MAX: of the zone files, may be empty  */
    /* May be NULL: a commit begins, for whoever measures; ends with the turn.        */
    void (*committing)(void *arg);
    void *arg;
};

enum { ZONES_VERSION_MAX = 64 };

#define NODE_LEASE          (10 * SPAN_S)
#define DISPATCH_JITTER_MAX SPAN_MIN /* a herd needs no more; who wants it says so himself */
#define CALL_GRACE \
    SPAN_MIN /* from a call's deadline until it is given up: a program may ignore SIGTERM */
#define EVENTS_AGE   (7 * SPAN_DAY)
#define REQUESTS_AGE SPAN_DAY
#define AUDIT_AGE    (400 * SPAN_DAY) /* a year, and the time to look at it */

struct engine *engine_new(const struct engine_options *options);
struct engine *engine_free(struct engine *engine); /* accepts NULL, returns NULL */

/*
 * Says hello to a database whose tables are up to date: a new boot of this node.  What an
 * earlier boot of it was doing is taken back in the next turns.  The connection stays the
 * caller's.  Also after engine_turn() said RC_CONFLICT.  RC_BUSY: another node is starting.
 */
MUST_USE enum rc engine_boot(struct engine *engine, struct db *db, instant now,
                             struct err *reterr);

/* Goes on with a new connection after RC_LOST or RC_UNKNOWN. */
void engine_attach(struct engine *engine, struct db *db);

/*
 * One turn, one commit.  On RC_OK everything in *out is durable and may be said and sent; it
 * lives until the next call.  On anything else nothing happened, or it is not known whether
 * it did: the caller makes a new connection where the old one is dead, calls
 * engine_attach(), and calls again with the same `in` (only now may differ).
 *
 * RC_BUSY: try again.  RC_LIMIT: the disk is full.  RC_LOST, RC_UNKNOWN: the connection is
 * dead.  RC_CONFLICT: others have declared this node dead; its calls are no longer its
 * own, boot again.  RC_CORRUPT: end the process.
 */
MUST_USE enum rc engine_turn(struct engine *engine, const struct turn_in *in,
                             struct turn_out *out, struct err *reterr);

/* Zones have changed: every schedule is planned anew, a portion a turn. */
void engine_replan(struct engine *engine, struct str zones_version);
