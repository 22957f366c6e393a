/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The record in the order in which the judge reads it: schedules with their versions, pauses,
 * ledger and runs; each run with its attempts, deliveries and reports.  Internal to the judge.
 * Nothing is decided here, only sorted.
 */
#pragma once

#include <inttypes.h>

#include "sim/judge.h"
#include "sim/judge_parts.h"
#include "sim/judge_slots.h"

/* After the healing, due work is done within this: turns come at least once a second. */
#define JUDGE_SLACK (5 * SPAN_S)
/* With several nodes, their clocks are within a second of the true time. */
#define JUDGE_SKEW (2 * SPAN_S)
/* Time for leases of nodes and workers to expire and for retries. */
#define JUDGE_PATIENCE (60 * SPAN_S)

/* One run with all evidence about it, in order. */
struct run_facts {
    int64_t schedule;
    instant slot;
    int64_t pass;
    int64_t kind;                    /* enum run_kind, -1: no durable evidence */
    const struct history_row **rows; /* by fence: keys follow clocks that may be stepped */
    const struct rec_delivery **sent;
    const struct rec_report **reports;
    int row_count, sent_count, report_count;
    const struct run *open; /* its row in the table of runs; NULL: none */
    int open_count;         /* how many rows it has there */
    instant created_at, due;
    instant began; /* the first evidence of an attempt; INSTANT_NEVER: none */
    instant ended; /* INSTANT_NEVER: not yet */
    int stale_events, end_events;
    int64_t end_detail; /* of the last end event: outcome × 256 + reason */
};

/* A schedule from one edit to the next. */
struct version {
    instant from, until;               /* time of the command; INSTANT_NEVER: still in force */
    instant latest_from, latest_until; /* the latest clock of any turn up to then */
    int64_t from_order;
    const struct rec_draft *draft;
    struct judge_spec *spec;
};

struct pause {
    instant from, until; /* it was paused during all of this, if is_asked */
    instant latest;      /* it may have been paused until then */
    bool is_asked;       /* by an acknowledged command, not by the engine */
};

struct schedule {
    int64_t key;
    instant created, deleted; /* INSTANT_NEVER: not deleted */
    instant closed;           /* by a command, INSTANT_NEVER: not closed */
    struct version *versions;
    struct pause *pauses;
    const struct ledger_entry **ledger; /* by pass, first */
    struct run_facts *runs;             /* by slot, pass */
    int version_count, pause_count, ledger_count, run_count;
    const struct cursor *cursor; /* NULL: deleted */
    bool is_governed;            /* in some version */
    bool is_pruned;              /* part of its history may be pruned */
    bool is_edited;
};

struct facts {
    const struct record *record;
    struct arena *arena;
    struct judge_zones *zones;
    const struct rec_command **commands; /* committed, in the order of their effect */
    const struct rec_turn **turns;       /* by order */
    instant *latest;                     /* of turns: the latest clock so far */
    int command_count, turn_count;
    struct schedule *schedules; /* by key */
    struct run_facts *runs;     /* by schedule, slot, pass */
    int schedule_count, run_count;
    instant now, last; /* the clock of the last turn; the latest of any */
    span skew;         /* by which times of two nodes may differ */
    bool has_all_events;
};

MUST_USE enum rc facts_open(struct facts *facts, struct err *reterr);
void facts_read_pauses(struct facts *facts); /* a step of facts_open() */

/* The first turn whose clock showed `at`, from the turn `from` on; `from` if there is none. */
int64_t facts_order(const struct facts *facts, instant at, int64_t from);

/* NULL if there is none. */
struct schedule *facts_schedule(const struct facts *facts, int64_t key);
struct run_facts *facts_run(const struct facts *facts, int64_t schedule, instant slot,
                            int64_t pass);

/* The row of the ledger that begins with this slot; NULL if there is none. */
const struct ledger_entry *schedule_row(const struct schedule *s, instant slot, int64_t pass);

/* A command that was executed, not a repetition. */
static inline bool command_is_done(const struct rec_command *command)
{
    return command->reply.rc == RC_OK && !command->reply.is_repeated;
}

/* A command that writes a schedule: a new version. */
static inline bool command_is_edit(const struct rec_command *command)
{
    enum command_kind kind = command->command.kind;

    return command_is_done(command) && command->draft >= 0 &&
           (kind == COMMAND_CREATE || kind == COMMAND_UPDATE || kind == COMMAND_PUT);
}

static inline const struct history_row *run_facts_last(const struct run_facts *rf)
{
    const struct history_row *row = rf->row_count ? rf->rows[rf->row_count - 1] : NULL;

    return row && row->last ? row : NULL;
}

/* Created by its schedule, not manually. */
static inline bool run_facts_is_automatic(const struct run_facts *rf)
{
    return rf->pass == 0 && rf->kind == RUN_SLOT;
}

/* Held runs have not started. */
static inline bool run_facts_is_started(const struct run_facts *rf)
{
    return rf->row_count > 0 || (rf->open && rf->open->state != RUN_HELD);
}

/* The report that handed an attempt back unstarted, so that it does not count; or NULL. */
const struct rec_report *run_facts_release(const struct run_facts *rf, int64_t fence);

enum rc judge_fail(struct err *reterr, int number, const char *fmt, ...) PRINTF(3, 4);

#define RUN_FACTS_FMT     "run (%" PRId64 ", %" PRId64 " ms, pass %" PRId64 ")"
#define RUN_FACTS_ARG(rf) (rf)->schedule, (rf)->slot / SPAN_MS, (rf)->pass
#define MS(t)             ((t) / SPAN_MS)
