/* SPDX-License-Identifier: Apache-2.0 */
/* The user who creates schedules in a simulated world and keeps changing them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "engine/command.h"
#include "sim/drafts.h"
#include "sim/world_profile.h"

struct world;

enum {
    OPERATOR_SCHEDULES_MAX = 32, /* names; a deleted one may be created again */
    OPERATOR_SKIPPED_MAX = 4,    /* cancelled slots, to restore some of them */
    OPERATOR_TRIES_MAX = 200,    /* of a command whose node is busy or dead */
};

/* A name, and what the operator believes about it. */
struct sim_schedule {
    char name[16];
    bool is_there;
    int64_t key, version;
    instant created, lived_from;
    const struct checked_draft *checked; /* the last accepted draft */
};

/* A command until its answer: parallel to record.commands. */
struct operation {
    const struct checked_draft *checked; /* NULL: no draft */
    int schedule;                        /* -1: none */
    int tries;
    bool is_prompt; /* the node looks at it in the next millisecond */
    bool is_over;
};

struct operator
{
    bool has_begun; /* namespace, queues and calendar are there */
    int64_t namespace;
    int64_t queues[SIM_QUEUES];
    struct sim_schedule schedules[OPERATOR_SCHEDULES_MAX];
    int schedule_count;
    struct operation *operations;
    int operation_count;
    struct skipped {
        struct run_id id;
        int schedule;
    } skipped[OPERATOR_SKIPPED_MAX];
    int skipped_count;
    int keys;       /* idempotency keys so far */
    int last_keyed; /* command with such a key, or -1 */
    span lived;     /* of all schedules */
};

void operator_begin(struct world *world);
void operator_end(struct world *world);

/* Performs an action. */
void operator_act(struct world *world);

/*
 * Submits a new command; returns its index in the record.  `schedule` may be -1: none;
 * `checked` may be NULL.
 */
int operator_ask(struct world *world, const struct command *command, int schedule,
                 const struct checked_draft *checked);

/* The same, but a node looks at it a millisecond after `at`, a later time of the world. */
int operator_ask_at(struct world *world, const struct command *command, int schedule,
                    instant at);

/* Sends a command to a node, the first time or again. */
void operator_hand_in(struct world *world, int command);

/* The draft of a command, NULL if it has none. */
const struct draft *operator_draft(const struct world *world, int command);

/* A turn with the command was committed; `is_heard` false: the answer is lost. */
void operator_heard(struct world *world, int command, const struct reply *reply, bool is_heard);

/* A command was lost with its node. */
void operator_unheard(struct world *world, int command);
