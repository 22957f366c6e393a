/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the writer share.
 */
#pragma once

#include <pthread.h>
#include <stdatomic.h>

#include "db/db.h"
#include "engine/engine.h"
#include "io/zoneinfo.h"
#include "server/batch_size.h"
#include "server/checkpointer.h"
#include "server/clock_guard.h"
#include "server/db_clock.h"
#include "server/writer.h"

enum {
    MEMOS_AT_ONCE = 256, /* taken from the mailbox with one lock                    */
    QUEUES_KNOWN_MAX = 65536,
    SIGNS_MAX = 4096, /* signs of life of calls that wait for the database to come back */
};

#define WRITER_SLEEP     SPAN_S          /* at most, so that a step of the clock is seen  */
#define NAMESPACES_EVERY (5 * SPAN_S)    /* other nodes may have made namespaces          */
#define REPEAT_AFTER     (10 * SPAN_MS)  /* what another node holds is asked for again    */
#define RETRY_FIRST      (50 * SPAN_MS)  /* pause before a database is tried again        */
#define KEYS_EVERY       (500 * SPAN_MS) /* or changed tokens                            */
#define RETRY_LAST       (5 * SPAN_S)
/* At the end: how long to wait for rows that other nodes hold.  Without their commit the
   results of finished dispatches would be lost, and the dispatches be repeated. */
#define LAST_WORDS (2 * SPAN_S)

/* One command or report that waits for a turn, or is in it. */
struct item {
    struct ticket *ticket; /* NULL: told                                      */
    struct dispatch_report *reported;
    int index;    /* of the ticket's commands or reports                      */
    bool is_name; /* the key of the ticket's queue `index` is asked for       */
};

struct items {
    struct item *at;
    size_t first, count, cap;
};

/* A queue whose key is known, in a table by hash of namespace and name. */
struct known_queue {
    int64_t namespace, id;
    struct str name;
    struct known_queue *next; /* with the same hash */
};

struct writer {
    struct writer_options options;
    pthread_t thread;
    pthread_mutex_t lock;
    struct writer_state state; /* under the lock */

    struct arena *arena; /* of one step between turns */
    struct arena *names; /* of queues, kept           */
    struct known_queue **queues;
    int queue_count;
    struct zoneinfo *zones; /* in use                    */
    struct engine *engine;
    struct db *db;
    struct checkpointer *checkpointer; /* NULL: a server keeps its own log */
    struct db_clock db_clock;
    struct clock_guard guard;
    int64_t sample_at_us, namespaces_at_us, ballast_at_us;
    int64_t keys_at_us, keys_seen; /* the same of tokens */
    int64_t end_by_us;             /* of is_stopping     */
    bool knows_keys, looks_for_keys;
    struct ticket *keyed;    /* that wait until io knows the tokens */
    int64_t namespaces_seen; /* namespaces that io was told of: a print of the list */
    bool is_full, is_draining, is_stopping, is_over, looks_for_namespaces, accepts_clock,
        reads_zones;
    bool holds;                       /* the clock is not believed */
    bool is_up;                       /* the database can be used  */
    bool claims_nothing, has_drained; /* the turn in hand; io was told */

    struct items commands, reports;
    int signs; /* of reports */
    int64_t signs_lost;
    struct ticket *asking, **asking_end; /* that wait for namespaces          */
    struct ticket *polls, **polls_end;   /* first come, first served          */
    int64_t sent[LANE_COUNT];            /* tasks since the start             */

    struct batch_size batch;
    instant now, wake_at;
    int64_t boot_us;            /* clock_boot_us() at `now`                                */
    int64_t turn_us, commit_us; /* the same when the turn and its commit began        */
    int64_t lease_from_us;      /* the same of the try that may have been committed first  */
    size_t repeats;             /* items of the last turn that are handed in once more     */
    int losses;                 /* connections lost since a turn was made                  */
    size_t early_left;          /* bytes of answers that the turn may still make           */
    struct turn_in in;
    struct turn_out out;
    struct item turn_commands[TURN_COMMANDS_MAX], turn_reports[TURN_REPORTS_MAX];
    struct command in_commands[TURN_COMMANDS_MAX];
    struct report in_reports[TURN_REPORTS_MAX];
    struct ticket *turn_polls[TURN_POLLS_MAX];
    struct poll in_polls[TURN_POLLS_MAX];
};

/* writer.c */
void writer_at(struct writer *w, enum serve_point point);
void writer_set(struct writer *w, enum writer_phase phase, const char *text);
void writer_show(struct writer *w);
bool writer_must_end(const struct writer *w); /* and does not wait for others any more */
void writer_notice(struct writer *w, const struct io_msg *msg);
void writer_done(struct writer *w, struct ticket *ticket);
void items_put(struct items *items, struct item item);
bool items_take(struct items *items, struct item *ret);
void writer_take(struct writer *w); /* all to_writer that wait */
void writer_beat(struct writer *w); /* it goes on          */
instant writer_clock(struct writer *w);

/* writer_db.c: false when the writer is to end */
bool writer_connect(struct writer *w);
bool writer_recover(struct writer *w, enum rc rc, const struct err *err);
bool writer_take_log(struct writer *w);                    /* waits for who sweeps it */
void writer_fill_up(struct writer *w, const char *reason); /* there is no more room */
void writer_between(struct writer *w);

/* writer_keys.c */
enum rc writer_keys(struct writer *w, struct err *reterr);
bool writer_keeps_for_keys(struct writer *w,
                           struct ticket *t); /* false: it is not about them */

/* writer_turn.c */
void writer_turn(struct writer *w);
/* What the last turn did.  Once it is said: to count delays nobody. */
void writer_count(struct writer *w, int64_t ended_us);
int64_t writer_next_poll(const struct writer *w); /* when one is over, clock_boot_us() */
int64_t writer_queue(struct writer *w, int64_t namespace, struct str name); /* 0: unknown */
