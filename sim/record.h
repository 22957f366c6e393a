/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record that a simulated world leaves for the judge: plain data, in order of commit.
 *
 * The world writes it and the judge reads it; they share nothing else.  `order` numbers
 * everything that is durable or was sent: two entries of one turn have the turn's number.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "core/event.h"
#include "core/outcome.h"
#include "core/policy/policies.h"
#include "core/run.h"
#include "core/spec/spec_def.h"
#include "engine/command.h"
#include "engine/turn.h"
#include "store/exceptions_backfills.h"
#include "store/history.h"
#include "store/named_objects.h"
#include "store/nodes.h"

/*
 * A schedule as the operator wrote it.  Its excluded dates include the days of named calendars.
 * The judge derives slots from this only.
 */
struct rec_draft {
    struct spec_def def;
    struct policies policies;
    bool is_governed, governor_backoff;
    span governor_interval, governor_min, governor_max;
    enum lane lane;
    struct str queue, seed;
    bool is_disabled, is_paused, sets_pause, trigger; /* as in struct draft */
};

/* A command and its result. */
struct rec_command {
    int64_t order; /* of the turn that committed it; -1: it was never committed */
    int position;  /* among the commands of that turn */
    instant at;    /* `now` of that turn */
    int64_t node;
    struct command command; /* texts live as long as the record; draft is NULL */
    int draft;              /* index into record.drafts, -1: none */
    struct reply reply;     /* valid when order >= 0 */
    bool is_heard;          /* false: the answer was lost with the node */
};

/* A delivered run: a dispatch of a node or a grant to a worker. */
struct rec_delivery {
    int64_t order;
    instant at; /* `now` of the turn */
    int64_t node;
    struct run run; /* as delivered */
    bool is_grant;
    char id[RUN_ID_TEXT_MAX]; /* as delivered */
};

/* A report that was part of a turn. */
struct rec_report {
    int64_t order;
    instant at;
    int64_t node;
    enum report_kind kind;
    struct run_id run;
    int64_t fence;
    enum outcome outcome;
    enum rc rc; /* of its reply; RC_UNKNOWN: it is durable, the reply was lost with the node */
};

struct rec_turn {
    int64_t order;
    int64_t node, boot, turn;
    instant now;
    bool in_doubt;   /* the reply of its commit was lost */
    bool is_partial; /* it asked for another turn at once, or its reply was lost */
};

enum rec_fault_kind {
    FAULT_KILL,        /* a node's process, between turns */
    FAULT_KILL_INSIDE, /* in a transaction: before the commit */
    FAULT_KILL_AFTER,  /* after the commit, before anything is delivered */
    FAULT_LOST_REPLY_COMMITTED,
    FAULT_LOST_REPLY_NOT,
    FAULT_LOST_CONNECTION,
    FAULT_POWER, /* all nodes die, maybe during a commit */
    FAULT_CLOCK_FORWARD,
    FAULT_CLOCK_BACK,
    FAULT_PAUSE, /* a node stalls for longer than its lease */
    FAULT_WORKER_DIES,
    FAULT_DISK_FULL,
    FAULT_DISK_ERROR, /* a read, write or sync fails once: all processes end */
    FAULT_COUNT
};

struct rec_fault {
    int64_t order;
    instant at;
    enum rec_fault_kind kind;
    int64_t node; /* 0: the whole world */
    span by;      /* clocks and pauses */
};

/* A packed event in the store at the end. */
struct rec_event {
    int64_t node, number;
    instant at;
    struct event event;
};

struct record {
    uint64_t seed;
    instant begin, healed, end; /* faults stop at `healed`; the world stops at `end` */
    bool clock_stepped;         /* some node's clock was stepped */
    struct rec_draft *drafts;
    struct rec_command *commands;
    struct rec_delivery *deliveries;
    struct rec_report *reports;
    struct rec_turn *turns;
    struct rec_fault *faults;
    int draft_count, command_count, delivery_count, report_count, turn_count, fault_count;
    /* The store at the end, read back after a restart. */
    struct cursor *cursors;
    struct run *runs;
    struct history_row *history; /* ascending by id */
    struct ledger_entry *ledger; /* by schedule, pass, first */
    struct backfill *backfills;
    struct gate *gates;
    struct node *nodes;
    struct rec_event *events; /* by node, number */
    int cursor_count, run_count, history_count, ledger_count, backfill_count, gate_count,
        node_count, event_count;
    bool integrity_ok; /* PRAGMA integrity_check, and the schema is the expected one */
};
