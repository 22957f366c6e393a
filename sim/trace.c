/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints turns and the store for --verbose.
 */
#include "sim/trace.h"

#include <inttypes.h>
#include <stdio.h>

static const char *const kinds[COMMAND_COUNT] = {
    [COMMAND_CREATE] = "create",
    [COMMAND_UPDATE] = "update",
    [COMMAND_PUT] = "put",
    [COMMAND_DELETE] = "delete",
    [COMMAND_PAUSE] = "pause",
    [COMMAND_RESUME] = "resume",
    [COMMAND_TRIGGER] = "trigger",
    [COMMAND_TEST] = "test",
    [COMMAND_BACKFILL] = "backfill",
    [COMMAND_UNBACKFILL] = "stop-backfill",
    [COMMAND_SKIP] = "skip",
    [COMMAND_UNSKIP] = "unskip",
    [COMMAND_CANCEL] = "cancel",
    [COMMAND_TERMINATE] = "terminate",
    [COMMAND_APPROVE] = "approve",
    [COMMAND_REJECT] = "reject",
    [COMMAND_HINT] = "hint",
    [COMMAND_UNHINT] = "unhint",
    [COMMAND_RESET] = "reset",
    [COMMAND_RELEASE] = "release",
    [COMMAND_CLOSE] = "close",
    [COMMAND_DIRECT] = "direct",
    [COMMAND_NAMESPACE] = "namespace",
    [COMMAND_QUEUE] = "queue",
    [COMMAND_QUEUE_PAUSE] = "pause queue",
    [COMMAND_QUEUE_RESUME] = "resume queue",
    [COMMAND_QUEUE_LIMIT] = "limit queue",
    [COMMAND_GATE] = "gate",
    [COMMAND_UNGATE] = "ungate",
    [COMMAND_CALENDAR] = "calendar",
    [COMMAND_UNCALENDAR] = "uncalendar",
    [COMMAND_CLOCK] = "clock",
};

static void say_commands(const struct world *world, const struct sim_node *node,
                         const struct turn_out *out)
{
    for (int i = 0; i < out->reply_count; i++) {
        const struct command *c = &node->commands[i];
        const struct reply *r = &out->replies[i];
        bool has_run = c->kind >= COMMAND_SKIP && c->kind <= COMMAND_REJECT;
        struct run_id run = has_run ? c->run.id : (struct run_id){0};

        world_say(world,
                  "  command %" PRIu64 " %s %.*s %.*s run %" PRId64 "/%" PRId64 "/%" PRIu32
                  " -> %s key %" PRId64 " version %" PRId64 " run %" PRId64 "/%" PRIu32
                  " count %" PRId64 "%s %.*s",
                  c->tag, kinds[c->kind], STR_ARG(c->name), STR_ARG(c->request), run.schedule,
                  run.slot_ms, run.pass, rc_name(r->rc), r->schedule, r->version,
                  r->run.slot_ms, r->run.pass, r->count, r->is_repeated ? " repeated" : "",
                  STR_ARG(r->text));
    }
}

static void say_reports(const struct world *world, const struct sim_node *node,
                        const struct turn_out *out)
{
    static const char *const said[] = {
        [REPORT_ALIVE] = "alive", [REPORT_DONE] = "done", [REPORT_RELEASE] = "release"};

    for (int i = 0; i < out->report_count; i++) {
        const struct report *r = &node->reports[i];

        world_say(world,
                  "  report %s %s of %" PRId64 "/%" PRId64 "/%" PRIu32 " fence %" PRId64
                  " -> %s%s",
                  said[r->kind], r->kind == REPORT_DONE ? outcome_text(r->outcome) : "",
                  r->run.schedule, r->run.slot_ms, r->run.pass, r->fence,
                  rc_name(out->report_replies[i].rc),
                  out->report_replies[i].is_cancelled ? ", stop" : "");
    }
}

static void say_work(const struct world *world, const char *what,
                     const struct assignment *assignment, int count)
{
    for (int i = 0; i < count; i++) {
        const struct run *r = &assignment[i].run;

        world_say(world,
                  "  %s %" PRId64 "/%" PRId64 "/%" PRId64 " %s attempt %" PRId32
                  " fence %" PRId64 " due %" PRId64 " lease %" PRId64 " %.*s",
                  what, r->schedule, r->slot / SPAN_MS, r->pass, run_kind_text(r->kind),
                  r->attempt, r->fence, r->due, r->lease_until, STR_ARG(r->worker));
    }
}

static void say_events(const struct world *world, const struct turn_out *out)
{
    for (int i = 0; i < out->stop_count; i++)
        world_say(world, "  stop %" PRId64 "/%" PRId64 "/%" PRIu32 " fence %" PRId64 "%s",
                  out->stops[i].run.schedule, out->stops[i].run.slot_ms, out->stops[i].run.pass,
                  out->stops[i].fence, out->stops[i].is_terminated ? ", terminated" : "");
    for (int i = 0; i < out->event_count; i++) {
        const struct event *e = &out->events[i];
        enum outcome outcome = (enum outcome)(e->detail / 256);
        bool is_end = e->type == EVENT_RUN_ENDED ||
                      (e->type >= EVENT_SLOT_SKIPPED && e->type <= EVENT_SLOT_CANCELLED);

        world_say(world,
                  "  event %s %" PRId64 "/%" PRId64 "/%" PRId64 " attempt %" PRId64
                  " fence %" PRId64 " detail %" PRId64 " %s %s count %" PRId64,
                  event_text((enum event_type)e->type), e->schedule, e->slot / SPAN_MS, e->pass,
                  e->attempt, e->fence, e->detail, is_end ? outcome_text(outcome) : "",
                  is_end ? reason_text((enum reason)(e->detail % 256)) : "", e->count);
    }
}

void trace_turn(const struct world *world, const struct sim_node *node,
                const struct turn_out *out)
{
    if (!world->options.is_verbose)
        return;
    world_say(world,
              "%s turn %" PRId64 " now %" PRId64 "%s, %d calls, %d polls, next in %" PRId64
              " ms",
              node->name, out->turn, node->in.now, node->in_doubt ? " (was in doubt)" : "",
              node->dispatches, node->in.poll_count,
              out->wake_at == INSTANT_NEVER ? -1 : (out->wake_at - node->in.now) / SPAN_MS);
    say_commands(world, node, out);
    say_reports(world, node, out);
    say_work(world, "call", out->dispatches, out->dispatch_count);
    say_work(world, "grant", out->grants, out->grant_count);
    say_events(world, out);
}

static void print_draft(int index, const struct rec_draft *d)
{
    const struct policies *p = &d->policies;

    printf("draft %d: %.*s, overlap %s, catch-up %s within %" PRId64 " ms, buffer %" PRId32
           "%s, remaining %" PRId64 ", attempts %" PRId32 " after %" PRId64 " ms, lane %d, "
           "gate %.*s %" PRId32 ", keeps %" PRId32 ", jitter %" PRId64 " ms%s%s%s%s%s%s%s%s%s",
           index, STR_ARG(d->seed), overlap_text(p->overlap), catchup_text(p->catchup),
           p->catchup_window / SPAN_MS, p->buffer_limit, p->drop_when_full ? " or drop" : "",
           p->remaining_runs, p->retry.attempts, p->retry.delay / SPAN_MS, (int)d->lane,
           STR_ARG(p->gate), p->gate_limit, p->retention_count, d->def.jitter / SPAN_MS,
           d->is_governed ? ", governed" : "", p->at_most_once ? ", at most once" : "",
           p->approval ? ", approval" : "", p->catchup_paused ? ", while paused" : "",
           p->pause_on_failure ? ", pause on failure" : "", d->is_disabled ? ", disabled" : "",
           d->is_paused    ? ", paused"
           : d->sets_pause ? ", not paused"
                           : "",
           d->trigger ? ", trigger" : "", p->idle_close > 0 ? ", closes" : "");
    for (int i = 0; i < d->def.cron_count; i++)
        printf("; cron %.*s", STR_ARG(d->def.cron[i].expr));
    for (int i = 0; i < d->def.interval_count; i++)
        printf("; every %" PRId64 " s %s", d->def.intervals[i].every / SPAN_S,
               anchor_text(d->def.intervals[i].anchor));
    printf("; %d times, %d at; zone %.*s\n", d->def.time_count, d->def.at_count,
           STR_ARG(d->def.zone));
}

static void print_rows(const struct record *r)
{
    for (int i = 0; i < r->run_count; i++)
        printf("run %" PRId64 "/%" PRId64 "/%" PRId64 " %s attempt %" PRId32 " fence %" PRId64
               " due %" PRId64 " wake %" PRId64 "\n",
               r->runs[i].schedule, r->runs[i].slot / SPAN_MS, r->runs[i].pass,
               run_state_text(r->runs[i].state), r->runs[i].attempt, r->runs[i].fence,
               r->runs[i].due, r->runs[i].wake_at);
    for (int i = 0; i < r->history_count; i++)
        printf("history %" PRId64 "/%" PRId64 "/%" PRId64 " attempt %" PRId64 " fence %" PRId64
               " %s %s%s created %" PRId64 " ended %" PRId64 "\n",
               r->history[i].schedule, r->history[i].slot / SPAN_MS, r->history[i].pass,
               r->history[i].attempt, r->history[i].fence, outcome_text(r->history[i].outcome),
               reason_text(r->history[i].reason), r->history[i].last ? ", last," : "",
               r->history[i].created_at, r->history[i].ended_at);
    for (int i = 0; i < r->ledger_count; i++)
        printf("ledger %" PRId64 "/%" PRId64 "/%" PRId64 " to %" PRId64 " count %" PRId64
               " %s %s\n",
               r->ledger[i].schedule, r->ledger[i].account.first / SPAN_MS, r->ledger[i].pass,
               r->ledger[i].account.last / SPAN_MS, r->ledger[i].account.count,
               outcome_text(r->ledger[i].account.outcome),
               reason_text(r->ledger[i].account.reason));
}

void trace_store(const struct record *record)
{
    for (int i = 0; i < record->draft_count; i++)
        print_draft(i, &record->drafts[i]);
    for (int i = 0; i < record->command_count; i++)
        if (record->commands[i].draft >= 0)
            printf("command %d has draft %d\n", i, record->commands[i].draft);
    for (int i = 0; i < record->cursor_count; i++) {
        const struct cursor *c = &record->cursors[i];

        printf("cursor %" PRId64 " version %" PRId64 " flags %" PRId64 " mark %" PRId64
               " next %" PRId64 " wake %" PRId64 " open %" PRId64 " waiting %" PRId64
               " remaining %" PRId64 "\n",
               c->id, c->version, c->flags, c->mark, c->next_at, c->wake_at, c->open,
               c->waiting, c->remaining);
    }
    print_rows(record);
}
