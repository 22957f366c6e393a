/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of the frontend share.
 */
#pragma once

#include "server/frontend/admission.h"
#include "server/frontend/frontend.h"
#include "server/frontend/streams.h"
#include "wire/problem.h"

struct frontend {
    struct frontend_options options;
    struct writer *writer;
    struct reader *readers[FRONTEND_READERS_MAX];
    int reader_count, reader_next;
    struct dispatcher *dispatcher;
    struct namespace_cache *namespaces;
    struct admission *admission;
    struct streams *streams;
    struct loop_timer *timer;

    struct arena *scratch;                 /* of one question of the listener */
    const struct http1_request *looked_up; /* that question: its request */
    const struct operation *found;         /* its answer                 */
    struct ticket all;                     /* head of the ring of those under way */
    int count, away, items;
    int begun; /* requests since notices were last taken */
    struct ticket *spare;
    int spares;

    bool knows_keys;       /* which tokens there are           */
    bool is_up;            /* the database has been up to date */
    bool is_away;          /* it cannot be used now            */
    bool is_drained;       /* the writer claims no more        */
    bool is_abandoned;     /* the other threads have ended     */
    bool is_applying_seed; /* a seed is under way              */
    int64_t seed_at_us;    /* and none before this             */
    bool is_full, holds;   /* see struct writer_state        */
    char why[ERR_TEXT_MAX];
    const char *closing;
    int64_t received[LANE_COUNT];
    struct dispatch_report **late;
    size_t late_count, late_cap;
};

/* frontend.c */
void frontend_came_back(struct frontend *frontend, struct ticket *t); /* from another thread */
void frontend_apply_seeds(struct frontend *frontend);

/* frontend_tickets.c */
struct ticket *frontend_ticket_new(struct frontend *frontend, struct exchange *x);
void frontend_ticket_end(struct frontend *frontend, struct ticket *t);
int frontend_items_of(const struct ticket *t, enum call_step step);
void frontend_leave(struct frontend *frontend, struct ticket *t, enum call_step step);
void frontend_back(struct frontend *frontend, struct ticket *t);
void frontend_send_off(struct frontend *frontend, struct ticket *t, enum writer_msg_kind kind);
void frontend_read(struct frontend *frontend, struct ticket *t); /* by one of the readers */

/* frontend_notices.c */
void frontend_learn_namespace(struct frontend *frontend,
                              struct namespace_msg *signal); /* takes it over */

/* frontend_answer.c: and the end of the exchange */
void frontend_write_answer(struct frontend *frontend, struct exchange *x,
                           const struct ticket *t);
/* The ticket stays with whoever has it; only the client is told. */
void frontend_give_up(struct frontend *frontend, struct ticket *t,
                      const struct problem *problem);

/*
 * frontend_rpc.c: calls of gRPC; any other goes by as it is.  False: it was refused.  The
 * client waits no longer than it says, and `most` at most; its message is taken out of its
 * frame.
 */
bool frontend_rpc_fits(struct ticket *t, const struct exchange *x, span most);
bool frontend_rpc_open(struct ticket *t, const struct exchange *x, struct str *ret);
/* Before an answer goes out. */
void frontend_rpc_end(struct exchange *x, int status);

/* frontend_keys.c */
void frontend_learn_keys(struct frontend *frontend, struct keyring *keys); /* takes them over */
void frontend_close_denied(struct frontend *frontend);

/* frontend_runs.c */
void frontend_at(const struct frontend *frontend, enum serve_point point);
void frontend_post(struct frontend *frontend, const struct writer_msg *msg);
void frontend_push_late(struct frontend *frontend);
/* True when more has ended than the writer knows. */
bool frontend_count_finished(struct frontend *frontend);
void frontend_start_dispatch(struct frontend *frontend, struct dispatch_order *order);
