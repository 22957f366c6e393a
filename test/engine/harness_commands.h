/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The input of a timeline: schedules, commands, reports, polls, and how runs end.  A part of
 * harness.h.
 */
#pragma once

#include "engine/engine.h"

struct call;

/* A schedule to create; its policies are in draft.plan.policies. */
struct test_schedule {
    struct spec_def def;
    struct draft draft;
};
struct test_schedule no_slots(void); /* an http call; native defaults */
struct test_schedule every(span length), governed(span interval);
struct test_schedule cron(const char *expr), once(const char *text);
struct test_schedule temporal(struct test_schedule w); /* with the defaults of that dialect  */
struct test_schedule pulled(struct test_schedule w);   /* for workers, in the queue "q"      */
struct test_schedule overlapping(struct test_schedule w, enum overlap overlap);
const struct draft *draft_of(struct test_schedule *w); /* compiles it */

/* Commands: one turn of the first node that is up, repeated while the reply is RC_BUSY. */
struct command command_for(enum command_kind kind, const char *name);
struct reply submit(const struct command *command);
void submit_together(const struct command *commands, int count, enum rc *ret); /* in one turn */
struct reply submit_ok(enum command_kind kind,
                       const char *name); /* without arguments; must succeed */
int64_t create(const char *name, struct test_schedule w);
struct reply update(const char *name, int64_t version, struct test_schedule w);
void pause_it(const char *name, const char *reason);
void resume(const char *name);
struct run_id trigger(const char *name, enum overlap overlap);
struct reply backfill(const char *name, const char *from, const char *until,
                      enum overlap overlap);
struct run_id run_of(const char *name, const char *slot); /* of pass 0 */
struct reply submit_run(enum command_kind kind, struct run_id run);

/* How attempts end: the next attempt of a slot, or one that is open. */
void ends(const char *slot, const char *at, enum outcome outcome);
void ends_with(const char *slot, const char *at, enum outcome outcome, const char *text);
struct call *call_of(
    const char *slot); /* the open one, else the last; fails when there is none */
void end_now(struct call *call, enum outcome outcome);
struct report make_report(const struct call *call, enum report_kind kind, enum outcome outcome);
enum rc send_report(const struct call *call, const struct report *report);
enum rc report(const struct call *call, enum report_kind kind, enum outcome outcome);
int calls_open(void);
void poll_for(const char *queue, int max, const char *worker); /* a poll that waits */
void poll_none(void);                                          /* no poll waits     */
int64_t queue_of(const char *name);
