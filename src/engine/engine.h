/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The engine: one writer that moves schedules and runs, one transaction at a time.
 *
 * It has no thread, socket, clock or log.  The caller hands in everything that the engine
 * knows and carries out everything that the engine wants done; the engine hands out nothing
 * before it is committed.  The same code runs in the server and in the simulator.
 * docs/decisions/0011 describes the shape of a turn.
 */
#pragma once

#include "core/spec/spec.h"
#include "engine/turn.h"

struct db;
struct engine; /* opaque */

/* A run that failed and pauses its schedule. */
struct pause_cause {
    struct str action; /* as stored: JSON           */
    instant slot;
    enum outcome outcome;
    struct str error, failure; /* may be empty */
};

enum { PAUSE_NOTE_MAX = 2000 }; /* bytes: the longest workflow id, and a short message */

struct engine_options {
    struct str node;             /* this node's name, unique in the cluster                */
    struct zone_source zones;    /* outlives the engine                                    */
    span node_lease;             /* 0: NODE_LEASE; when a node is silent for longer, the   */
                                 /* other nodes take over its runs                         */
    size_t plan_bytes;           /* 0: PLAN_CACHE_BYTES; memory for cached plans           */
    int committed;               /* 0: COMMITTED_MAX; maximum cached runs, and cursors     */
    span events_age;             /* 0: EVENTS_AGE; how long events are kept                */
    int backfill_portion;        /* maximum slots of a schedule's backfills that one turn  */
                                 /* starts; 0: no limit                                    */
    span dispatch_jitter;        /* for schedules without jitter; max DISPATCH_JITTER_MAX  */
    struct str version, address; /* of this node; shown to people                          */
    struct str zones_version;    /* of the zone files, max ZONES_VERSION_MAX; may be empty */
    /* Or NULL: called when a commit begins, to measure it.  The commit ends with the turn. */
    void (*committing)(void *arg);
    void *arg;
    /* Or NULL: appends the note of such a pause, below PAUSE_NOTE_MAX; nothing: the default. */
    void (*pause_note)(const struct pause_cause *cause, struct buf *out);
};

enum { ZONES_VERSION_MAX = 64 };

#define NODE_LEASE          (10 * SPAN_S)
#define DISPATCH_JITTER_MAX SPAN_MIN /* spreads simultaneous slots; a spec may have more     */
/* From a call's deadline until the engine ends its run: a program may ignore SIGTERM. */
#define CALL_GRACE   SPAN_MIN
#define EVENTS_AGE   (7 * SPAN_DAY)
#define REQUESTS_AGE SPAN_DAY
#define AUDIT_AGE    (400 * SPAN_DAY) /* a year, plus time for a yearly review */

struct engine *engine_new(const struct engine_options *options);
struct engine *engine_free(struct engine *engine); /* accepts NULL, returns NULL */

/*
 * Registers a new boot of this node in a database whose schema is up to date.  The next turns
 * take over the runs that an earlier boot of it held.  The caller keeps ownership of the
 * connection.  Also called after engine_turn() returned RC_CONFLICT.
 *
 * RC_BUSY: another node is starting; try again.  RC_LIMIT: too many nodes.
 */
MUST_USE enum rc engine_boot(struct engine *engine, struct db *db, instant now,
                             struct err *reterr);

/* Continues with a new connection after RC_LOST or RC_UNKNOWN. */
void engine_attach(struct engine *engine, struct db *db);

/*
 * One turn, one commit.  On RC_OK everything in *out is durable and may be sent; it is valid
 * until the next call.  On any other code nothing was committed, or it is unknown whether it
 * was: the caller opens a new connection if the old one is dead, calls engine_attach(), and
 * calls again with the same `in` (only `now` may differ).
 *
 * RC_BUSY: try again.  RC_LIMIT: the disk is full.  RC_LOST, RC_UNKNOWN: the connection is
 * dead.  RC_CONFLICT: other nodes have declared this node dead and own its runs; boot again.
 * RC_CORRUPT: end the process.
 */
MUST_USE enum rc engine_turn(struct engine *engine, const struct turn_in *in,
                             struct turn_out *out, struct err *reterr);

/* Zone files have changed: the next turns plan every schedule again, in batches. */
void engine_replan(struct engine *engine, struct str zones_version);
