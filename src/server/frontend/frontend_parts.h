/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the door share.
 */
#pragma once

#include "server/frontend/admission.h"
#include "server/frontend/frontend.h"
#include "server/frontend/streams.h"
#include "wire/problem.h"

struct door {
    struct door_options options;
    struct writer *writer;
    struct reader *readers[DOOR_READERS_MAX];
    int reader_count, reader_next;
    struct calls *calls;
    struct spaces *spaces;
    struct porter *porter;
    struct feed *feed;
    struct loop_timer *timer;

    struct arena *scratch;                 /* of one question of the listener */
    const struct http1_request *looked_up; /* that question: its request */
    const struct operation *found;         /* its answer                 */
    struct ticket all;                     /* head of the ring of those under way */
    int count, away, items;
    int begun; /* requests since notices were last taken */
    struct ticket *spare;
    int spares;

    bool knows_keys;     /* which tokens there are           */
    bool is_up;          /* the database has been up to date */
    bool is_away;        /* it cannot be used now            */
    bool is_drained;     /* the writer claims no more        */
    bool is_abandoned;   /* the other threads have ended     */
    bool is_sowing;      /* a seed is under way              */
    int64_t sow_at_us;   /* and none before this             */
    bool is_full, holds; /* see struct writer_state        */
    char why[ERR_TEXT_MAX];
    const char *closing;
    int64_t received[LANE_COUNT];
    struct told **late;
    size_t late_count, late_cap;
};

/* door.c */
void door_came_back(struct door *door, struct ticket *t); /* from another thread */
void door_sow(struct door *door);

/* door_tickets.c */
struct ticket *door_ticket_new(struct door *door, struct exchange *x);
void door_ticket_end(struct door *door, struct ticket *t);
int door_items_of(const struct ticket *t, enum call_step step);
void door_leave(struct door *door, struct ticket *t, enum call_step step);
void door_back(struct door *door, struct ticket *t);
void door_send_off(struct door *door, struct ticket *t, enum memo_kind kind);
void door_read(struct door *door, struct ticket *t); /* by one of the readers */

/* door_notices.c */
void door_learn_space(struct door *door, struct space_news *news); /* takes it over */

/* door_answer.c: and the end of the exchange */
void door_write_answer(struct door *door, struct exchange *x, const struct ticket *t);
/* The ticket stays with whoever has it; only the client is told. */
void door_give_up(struct door *door, struct ticket *t, const struct problem *problem);

/*
 * door_rpc.c: calls of gRPC; any other goes by as it is.  False: it was refused.  The client
 * waits no longer than it says, and `most` at most; its message is taken out of its frame.
 */
bool door_rpc_fits(struct ticket *t, const struct exchange *x, span most);
bool door_rpc_open(struct ticket *t, const struct exchange *x, struct str *ret);
/* Before an answer goes out. */
void door_rpc_end(struct exchange *x, int status);

/* door_keys.c */
void door_learn_keys(struct door *door, struct keyring *keys); /* takes them over */
void door_shut_out(struct door *door);

/* door_runs.c */
void door_at(const struct door *door, enum serve_point point);
void door_memo(struct door *door, const struct memo *memo);
void door_push_late(struct door *door);
/* True when more has ended than the writer knows. */
bool door_count_finished(struct door *door);
void door_start_task(struct door *door, struct task *task);
