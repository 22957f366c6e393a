/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of the writer.  Other files do not include it.
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
    MSGS_AT_ONCE = 256, /* messages per lock of the mailbox */
    QUEUES_CACHED_MAX = 65536,
    ALIVE_MAX = 4096, /* heartbeats kept while the database is unavailable */
};

#define WRITER_SLEEP     SPAN_S          /* maximum sleep, to notice clock steps */
#define NAMESPACES_EVERY (5 * SPAN_S)    /* other nodes may create namespaces    */
#define TOKENS_EVERY     (500 * SPAN_MS) /* other nodes may change tokens        */
#define REPEAT_AFTER     (10 * SPAN_MS)  /* retry a row that another node holds  */
#define RETRY_FIRST      (50 * SPAN_MS)  /* pauses before reconnecting           */
#define RETRY_LAST       (5 * SPAN_S)
/*
 * A stopping writer waits this long for rows that other nodes hold.  Without that commit the
 * results of finished dispatches would be lost, and the dispatches would be repeated.
 */
#define STOP_WAIT (2 * SPAN_S)

/* A command or report that waits for a turn or is part of one. */
struct item {
    struct ticket *ticket; /* NULL: `reported` is set */
    struct dispatch_report *reported;
    int index;        /* of the ticket's commands or reports            */
    bool finds_queue; /* looks up the key of the ticket's queue `index` */
};

struct items {
    struct item *at;
    size_t first, count, cap;
};

/* A queue with a known key, in a hash table by namespace and name. */
struct cached_queue {
    int64_t namespace, id;
    struct str name;
    struct cached_queue *next; /* with the same hash */
};

struct writer {
    struct writer_options options;
    pthread_t thread;
    pthread_mutex_t lock;
    struct writer_state state; /* protected by the lock */

    struct arena *arena;       /* reset between steps  */
    struct arena *queue_names; /* of the cached queues */
    struct cached_queue **queues;
    int queue_count;
    struct zoneinfo *zones;
    struct engine *engine;
    struct db *db;
    struct checkpointer *checkpointer; /* NULL: not SQLite */
    struct db_clock db_clock;
    struct clock_guard guard;
    /* clock_boot_us() of the next check of each kind. */
    int64_t sample_at_us, namespaces_at_us, ballast_at_us, tokens_at_us, file_at_us;
    int64_t end_by_us; /* deadline, if is_stopping */
    bool has_tokens, wants_tokens;
    struct ticket *token_waiters;         /* wait until the io thread has the tokens */
    int64_t namespaces_seen, tokens_seen; /* fingerprints of what the io thread has  */
    bool is_full, is_draining, is_stopping, is_over, wants_namespaces, accepts_clock,
        zones_changed;
    bool is_held;        /* the clock is not trusted  */
    bool is_up;          /* the database is available */
    bool claims_nothing; /* the current turn claims no runs */
    bool has_drained;    /* IO_MSG_DRAINED was sent   */

    struct items commands, reports;
    /* Tickets of large and slow requests: a turn has only some of their commands. */
    struct fair_queue *bulk;
    int turn_bulk;   /* how many of these commands the current turn has */
    int alive_count; /* heartbeats in `reports` */
    int64_t alive_dropped;
    struct ticket *namespace_waiters, **namespace_waiters_end; /* wait for namespaces        */
    struct ticket *polls, **polls_end;                         /* first come, first served   */
    int64_t sent[LANE_COUNT];                                  /* dispatches since the start */

    struct batch_size batch;
    instant now, wake_at;
    int64_t boot_us;            /* clock_boot_us() at `now`                        */
    int64_t turn_us, commit_us; /* at the start of the turn and of its commit      */
    int64_t turn_cpu_us;        /* clock_thread_us() at the start of the turn      */
    int64_t lease_from_us;      /* boot_us of the first try that may have committed */
    size_t repeats;             /* items of the last turn to retry                 */
    int losses;                 /* lost connections since the last successful turn */
    size_t early_left;          /* bytes of answers that the turn may still create */
    struct turn_in in;
    struct turn_out out;
    struct item turn_commands[TURN_COMMANDS_MAX], turn_reports[TURN_REPORTS_MAX];
    struct command in_commands[TURN_COMMANDS_MAX];
    struct report in_reports[TURN_REPORTS_MAX];
    struct ticket *turn_polls[TURN_POLLS_MAX];
    struct poll in_polls[TURN_POLLS_MAX];
};

/* writer.c */
void writer_test_point(struct writer *w, enum serve_point point);
void writer_set_phase(struct writer *w, enum writer_phase phase, const char *text);
void writer_show_phase(struct writer *w);
bool writer_must_end(const struct writer *w); /* stops waiting for other nodes */
void writer_send(struct writer *w, const struct io_msg *msg);
void writer_return(struct writer *w, struct ticket *ticket);
void items_push(struct items *items, struct item item);
bool items_pop(struct items *items, struct item *ret);
void writer_receive(struct writer *w); /* handles all messages          */
void writer_beat(struct writer *w);    /* sign of life for the watchdog */
instant writer_clock(struct writer *w);

/* writer_db.c.  The functions return false when the writer must end. */
bool writer_connect(struct writer *w);
bool writer_recover(struct writer *w, enum rc rc, const struct err *err);
bool writer_wait_checkpoint(struct writer *w);               /* until none runs   */
void writer_disk_full(struct writer *w, const char *reason); /* frees the ballast */
void writer_between_turns(struct writer *w);

/* writer_tokens.c */
enum rc writer_read_tokens(struct writer *w, struct err *reterr);
bool writer_delay_for_tokens(struct writer *w,
                             struct ticket *t); /* false: the ticket does not concern tokens */

/* writer_turn.c */
void writer_turn(struct writer *w);
/*
 * Counts the last turn and logs what an operator must know about it; called after its results
 * were sent, so that this delays no one.  Also for the first turn after the boot.
 */
void writer_count(struct writer *w, int64_t ended_us);
int64_t writer_next_poll(const struct writer *w); /* earliest end of a poll, clock_boot_us() */
int64_t writer_find_queue(struct writer *w, int64_t namespace,
                          struct str name); /* 0: not cached */
