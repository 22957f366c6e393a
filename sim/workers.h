/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The executors of runs in a simulated world: targets of the nodes' dispatches, and workers.
 * Each that holds a run has a manner (sim/world_profile.h), drawn when it gets the run.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/turn.h"
#include "sim/world_profile.h"

struct world;
struct sim_node;

enum { HOLDINGS_MAX = 4096 }; /* simultaneously held runs */

/* A held run. */
struct holding {
    bool is_used;
    uint64_t serial;
    struct run_id run;
    int64_t fence;
    int node;   /* the dispatching node, or the one that the worker uses */
    int boot;   /* of that node; a dispatch dies with it */
    int worker; /* -1: a dispatch */
    enum manner manner;
    instant ends_at; /* INSTANT_NEVER: never by itself */
    span beat;       /* between heartbeats; 0: none */
    bool is_cancelled, is_answered;
    bool is_waiting; /* a report is under way */
    bool is_idle;    /* the work has ended, its report may not have arrived */
    enum report_kind said;
};

struct sim_worker {
    char name[16];
    int node;
    bool is_polling, is_new;
    instant dead_until; /* INSTANT_NONE: it is alive */
    uint64_t serial;
    int holdings;
    int64_t queues[SIM_QUEUES];
    int queue_count, max;
};

struct workers {
    struct sim_worker list[SIM_WORKERS_MAX];
    struct holding holdings[HOLDINGS_MAX];
    int used; /* holdings beyond this were never used */
    uint64_t serial;
};

/* The queues exist: workers begin to poll. */
void workers_begin(struct world *world);
void workers_poll(struct world *world, int worker, uint64_t serial);
void workers_die(struct world *world, int worker);

/* Polls that wait at a node; returns their number. */
int workers_polls(const struct world *world, int node, struct poll *ret);
/* A turn included them. */
void workers_seen(struct world *world, int node);
/* A hint from another node: pollers that wait here poll again, as in the server. */
void workers_hear(struct world *world, int node);

/* An executor has received a run. */
void workers_take(struct world *world, const struct assignment *assignment, int node,
                  bool is_grant);
/*
 * The node stalled before it delivered a run.  It is then too late to start it: the node hands
 * the run back at `at`, when it continues.
 */
void workers_hand_back(struct world *world, const struct assignment *assignment, int node,
                       instant at);
/* A dispatch must end. */
void workers_stop(struct world *world, const struct stop *stop);
/* The reply to a report. */
void workers_heard(struct world *world, const struct report_reply *reply);
/* A report was lost with its node. */
void workers_unheard(struct world *world, uint64_t tag);
/* The planned event of a holding. */
void workers_step(struct world *world, int holding, uint64_t serial);
/* A node is dead, with its dispatches. */
void workers_node_died(struct world *world, int node);
