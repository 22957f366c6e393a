/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A small world that kept every promise; the tests of the judge break it.
 *
 * Schedule 100 runs every minute, skips on overlap, makes three attempts, 10 s apart, with gate
 * 7 that admits one.  Created at 0:30.  Slot 1:00 succeeds; 2:00 fails and succeeds at its
 * second attempt; a trigger of 2:30 succeeds, and is requested twice with one request key; 3:00
 * lasts until 4:20, so 4:00 is skipped; 5:00 is running when the world ends at 5:30.
 */
#pragma once

#include "sim/judge.h"

enum { SCHEDULE = 100, GATE = 7, NODE = 1, ROOM = 64 };

enum { D_ONE, D_TWO, D_TWO_AGAIN, D_TRIGGER, D_THREE, D_FIVE, D_COUNT };
enum { H_ONE, H_TWO, H_TWO_AGAIN, H_TRIGGER, H_THREE, H_COUNT };
enum { R_ONE, R_ONE_STALE, R_TWO, R_TWO_AGAIN, R_TRIGGER, R_THREE, R_COUNT };
enum { C_CREATE, C_TRIGGER, C_TRIGGER_AGAIN, C_COUNT };

/* 2024-01-01T00:00:00Z and minutes, seconds after it. */
#define BEGIN    (INT64_C(1704067200) * SPAN_S)
#define AT(m, s) (BEGIN + (m)*SPAN_MIN + (s)*SPAN_S)

struct world {
    struct record record;
    struct interval_def interval;
    struct rec_draft drafts[4];
    struct rec_command commands[ROOM];
    struct rec_delivery deliveries[ROOM];
    struct rec_report reports[ROOM];
    struct rec_turn turns[ROOM];
    struct rec_fault faults[1];
    struct cursor cursors[2];
    struct run runs[4];
    struct history_row history[ROOM];
    struct ledger_entry ledger[8];
    struct backfill backfills[1];
    struct gate gates[1];
    struct node nodes[2];
    struct rec_event events[ROOM];
};

/* The world above. */
void world_make(struct world *w);

/* Additions: each takes its own turn, so call them in order of time. */
struct rec_command *world_command(struct world *w, instant at, enum command_kind kind);
struct rec_delivery *world_send(struct world *w, instant at, instant slot, int64_t pass);
/* Its report, history row and, if it is the last, event. */
struct history_row *world_end(struct world *w, instant at, const struct rec_delivery *sent,
                              enum outcome outcome, bool last);
/* A slot that was not started. */
struct ledger_entry *world_ledger(struct world *w, instant at, instant slot,
                                  enum outcome outcome, enum reason reason);
void world_event(struct world *w, instant at, enum event_type type, instant slot, int64_t pass);

/* Resets the world: nothing has happened except the creation of the schedule. */
void world_make_empty(struct world *w);
/* Sets mark, counters and clock as at the end of the world. */
void world_close(struct world *w, instant now, instant mark);

void assert_accepted(const struct world *w);
/* The judge must name this invariant; 0 never matches. */
void assert_rejected(const struct world *w, int invariant);
