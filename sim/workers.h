/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Those who carry out runs in a simulated world: targets of the nodes' calls, and workers.
 *
 * Each that holds a run has a manner (sim/world_profile.h), drawn when it gets it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/turn.h"
#include "sim/world_profile.h"

struct world;
struct sim_node;

enum { HOLDINGS_MAX = 4096 }; /* runs in someone's hands at once */

/* A run in someone's hands. */
struct holding {
    bool is_used;
    uint64_t serial;
    struct run_id run;
    int64_t fence;
    int node;   /* that made the call, or to which the worker talks                */
    int boot;   /* of that node; a call dies with it                               */
    int worker; /* -1: a call                                                      */
    enum manner manner;
    instant ends_at; /* INSTANT_NEVER: by itself never                            */
    span beat;       /* between signs of life; 0: none                            */
    bool is_cancelled, is_answered;
    bool is_waiting; /* a report is on its way                                    */
    bool is_idle;    /* the work is over, its report may not be                   */
    enum report_kind said;
};

struct sim_worker {
    char name[16];
    int node;
    bool is_polling, is_new;
    instant dead_until; /* INSTANT_NONE: it lives */
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

/* The queues are there: workers begin to ask. */
void workers_begin(struct world *world);
void workers_poll(struct world *world, int worker, uint64_t serial);
void workers_die(struct world *world, int worker);

/* Polls that wait at a node; how many. */
int workers_polls(const struct world *world, int node, struct poll *ret);
/* A turn saw them. */
void workers_seen(struct world *world, int node);
/* A hint of another node: whoever waits here looks again, as in the daemon. */
void workers_hear(struct world *world, int node);

/* Someone has got a run. */
void workers_take(struct world *world, const struct assignment *assignment, int node,
                  bool is_grant);
/* The node has got a run and may not begin it so late: it hands it back when it goes on. */
void workers_hand_back(struct world *world, const struct assignment *assignment, int node,
                       instant at);
/* A call should end. */
void workers_stop(struct world *world, const struct stop *stop);
/* What became of a report. */
void workers_heard(struct world *world, const struct report_reply *reply);
/* A report was lost with its node. */
void workers_unheard(struct world *world, uint64_t tag);
/* The time of a holding has come. */
void workers_step(struct world *world, int holding, uint64_t serial);
/* A node is gone, with its calls. */
void workers_node_died(struct world *world, int node);
