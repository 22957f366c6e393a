/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Repeats a turn whose data the database has rejected: first a turn without reports and
 * commands, then each report and each command in a transaction of its own, so that only the
 * bad one fails.
 */
#include <string.h>

#include "base/must.h"
#include "engine/engine_internal.h"

/* The outputs of all transactions, in order. */
struct outputs {
    struct arena *arena;
    VEC(struct stop) stops;
    VEC(struct event) events;
    int64_t first_event;
    VEC(struct ended) ended;
    int64_t started[RUN_KINDS];
};

static void append_out(struct outputs *all, const struct turn_out *one)
{
    must(all->events.count == 0 || one->event_count == 0 ||
         one->first_event == all->first_event + all->events.count); /* without a gap */
    if (all->events.count == 0)
        all->first_event = one->first_event;
    for (int i = 0; i < one->stop_count; i++)
        *VEC_ADD(all, &all->stops) = one->stops[i];
    for (int i = 0; i < one->event_count; i++)
        *VEC_ADD(all, &all->events) = one->events[i];
    for (int i = 0; i < one->ended_count; i++)
        *VEC_ADD(all, &all->ended) = one->ended[i];
    for (int i = 0; i < RUN_KINDS; i++)
        all->started[i] += one->started[i];
}

/* One transaction.  `before` is the result of the one before: the connection may be dead. */
static enum rc run_single(struct engine *engine, const struct turn_in *part, enum rc before,
                          struct turn_out *one, struct outputs *all, struct str *ret_text)
{
    struct err err = {.text = ""};
    enum rc rc = before == RC_LOST || before == RC_UNKNOWN
                     ? RC_LOST
                     : engine_transaction(engine, part, one, &err);

    if (rc == RC_OK)
        append_out(all, one);
    else
        *ret_text = arena_str(all->arena, str_of(err.text));
    return rc;
}

/* What was not done because the connection is dead must be handed in again. */
static enum rc rc_of_reply(enum rc rc)
{
    return rc == RC_LOST ? RC_BUSY : rc;
}

static void run_singles(struct engine *engine, const struct turn_in *in, struct turn_out *out,
                        struct outputs *all)
{
    enum rc rc = RC_OK;

    for (int i = 0; i < in->report_count; i++) {
        struct turn_in part = {
            .now = in->now, .hold = true, .reports = &in->reports[i], .report_count = 1};
        struct turn_out one = {0};
        struct str text;

        rc = run_single(engine, &part, rc, &one, all, &text);
        must(rc != RC_OK || one.report_count == 1);
        must(one.dispatch_count + one.grant_count == 0); /* nothing would hand them out */
        out->report_replies[i] = rc == RC_OK ? one.report_replies[0]
                                             : (struct report_reply){.tag = in->reports[i].tag,
                                                                     .rc = rc_of_reply(rc)};
    }
    for (int i = 0; i < in->command_count; i++) {
        struct turn_in part = {
            .now = in->now, .hold = true, .commands = &in->commands[i], .command_count = 1};
        struct turn_out one = {0};
        struct str text;

        rc = run_single(engine, &part, rc, &one, all, &text);
        must(rc != RC_OK || one.reply_count == 1);
        must(one.dispatch_count + one.grant_count == 0);
        out->replies[i] = rc == RC_OK ? one.replies[0]
                                      : (struct reply){.tag = in->commands[i].tag,
                                                       .rc = rc_of_reply(rc),
                                                       .text = text};
    }
}

enum rc engine_retry_alone(struct engine *engine, const struct turn_in *in,
                           struct turn_out *out, struct err *reterr)
{
    struct outputs all = {.arena = engine->arenas[engine->arena]};
    struct turn_in part = *in;
    enum rc rc;

    part.command_count = part.report_count = 0;
    if (part.rows > engine->rows_limit)
        part.rows = engine->rows_limit;
    rc = engine_transaction(engine, &part, out, reterr);
    if (rc != RC_OK)
        return rc;
    append_out(&all, out);
    out->report_count = in->report_count;
    out->report_replies = arena_array(all.arena, (size_t)in->report_count,
                                      sizeof(*out->report_replies));
    out->reply_count = in->command_count;
    out->replies = arena_array(all.arena, (size_t)in->command_count, sizeof(*out->replies));
    run_singles(engine, in, out, &all);
    if (engine->in_doubt) {
        /* The command is answered with RC_UNKNOWN; a new boot reads the last turn number. */
        engine->in_doubt = false;
        engine->booted = false;
    }
    out->stops = all.stops.at;
    out->stop_count = all.stops.count;
    out->events = all.events.at;
    out->event_count = all.events.count;
    out->ended = all.ended.at;
    out->ended_count = all.ended.count;
    memcpy(out->started, all.started, sizeof(out->started));
    out->wake_at = in->now; /* the commands may have made schedules due */
    return RC_OK;
}
