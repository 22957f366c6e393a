/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The thread of the writer: receives messages, waits for work, reads the clock, and runs one
 * turn after another.
 */
#include "server/writer.h"

#include <stdlib.h>
#include <string.h>

#include "api/schedules/part_cache.h"
#include "base/must.h"
#include "io/clock.h"
#include "io/thread.h"
#include "server/writer_parts.h"

enum {
    ARENA_MAX = 64 << 20,
    NAMES_MAX = 128 << 20, /* QUEUES_CACHED_MAX of the longest names */
    ITEMS_FIRST = 1024,
    SMALL_REQUEST = 16, /* commands; larger requests wait in their own queue */
};

void writer_test_point(struct writer *w, enum serve_point point)
{
    const struct serve_seam *seam = w->options.seam;

    if (seam && seam->at)
        seam->at(seam->arg, point);
}

void writer_set_phase(struct writer *w, enum writer_phase phase, const char *text)
{
    struct buf out;
    bool changes;

    pthread_mutex_lock(&w->lock);
    changes = w->state.phase != phase || strcmp(w->state.text, text) != 0 ||
              w->state.is_full != w->is_full || w->state.is_held != w->is_held;
    w->state.phase = phase;
    w->state.is_full = w->is_full;
    w->state.is_held = w->is_held;
    out = (struct buf){.ptr = w->state.text, .cap = sizeof w->state.text};
    buf_text(&out, text);
    pthread_mutex_unlock(&w->lock);
    if (changes)
        writer_send(w, &(struct io_msg){.kind = IO_MSG_STATE});
}

struct writer_state writer_state(struct writer *w)
{
    struct writer_state state;

    pthread_mutex_lock(&w->lock);
    state = w->state;
    pthread_mutex_unlock(&w->lock);
    return state;
}

void writer_beat(struct writer *w)
{
    pthread_mutex_lock(&w->lock);
    w->state.beat_us = clock_boot_us();
    pthread_mutex_unlock(&w->lock);
}

/* The mailbox has room for every ticket, order and stop that can exist. */
void writer_send(struct writer *w, const struct io_msg *msg)
{
    must(mailbox_push(w->options.to_io, msg));
}

void writer_return(struct writer *w, struct ticket *ticket)
{
    writer_send(w, &(struct io_msg){.kind = IO_MSG_TICKET, .ticket = ticket});
}

void items_push(struct items *items, struct item item)
{
    if (items->count == items->cap) {
        size_t cap = items->cap == 0 ? ITEMS_FIRST : items->cap * 2;
        struct item *at = malloc(cap * sizeof *at);

        must(at);
        for (size_t i = 0; i < items->count; i++)
            at[i] = items->at[(items->first + i) % items->cap];
        free(items->at);
        *items = (struct items){.at = at, .count = items->count, .cap = cap};
    }
    items->at[(items->first + items->count++) % items->cap] = item;
}

bool items_pop(struct items *items, struct item *ret)
{
    if (items->count == 0)
        return false;
    *ret = items->at[items->first];
    items->first = (items->first + 1) % items->cap;
    items->count--;
    return true;
}

static void take_commands(struct writer *w, struct ticket *t)
{
    struct call *call = &t->call;

    t->replies = arena_array(call->arena, (size_t)call->command_count, sizeof *t->replies);
    call->replies = t->replies;
    t->pending = call->command_count;
    if (call->command_count > SMALL_REQUEST || (t->is_slow && call->command_count > 0)) {
        t->bulk_next = 0;
        fair_queue_add(w->bulk, &t->bulk_turn, call->namespace);
        return;
    }
    for (int i = 0; i < call->command_count; i++)
        items_push(&w->commands, (struct item){.ticket = t, .index = i});
}

static void take_reports(struct writer *w, struct ticket *t)
{
    struct call *call = &t->call;

    t->report_replies = arena_array(call->arena, (size_t)call->report_count,
                                    sizeof *t->report_replies);
    call->report_replies = t->report_replies;
    t->pending = call->report_count;
    for (int i = 0; i < call->report_count; i++)
        items_push(&w->reports, (struct item){.ticket = t, .index = i});
}

/* The poll takes part in turns as soon as the keys of its queues are known. */
static void take_poll(struct writer *w, struct ticket *t)
{
    const struct call_poll *poll = &t->call.poll;

    t->poll_until_us = clock_boot_us() + poll->wait;
    t->must_search = true;
    for (int i = 0; i < poll->queue_count; i++) {
        t->queues[i] = writer_find_queue(w, t->call.namespace, poll->queues[i]);
        if (t->queues[i] == 0)
            items_push(&w->commands,
                       (struct item){.ticket = t, .index = i, .finds_queue = true});
        else
            t->queues_resolved++;
    }
    t->next = NULL;
    *w->polls_end = t;
    w->polls_end = &t->next;
}

static void take_call(struct writer *w, struct ticket *t)
{
    switch (t->step) {
    case CALL_COMMANDS:
        take_commands(w, t);
        break;
    case CALL_REPORTS:
        take_reports(w, t);
        break;
    case CALL_POLL:
        take_poll(w, t);
        return;
    case CALL_ANSWER:
    case CALL_READ:
    case CALL_SETTLE:
    case CALL_FORWARD:
    case CALL_ATTRIBUTES:
    case CALL_STREAM:
    case CALL_BEGIN:
        must(!"a call that the writer has nothing to do with");
    }
    if (t->pending == 0)
        writer_return(w, t);
}

/*
 * While the database is unavailable, dispatches continue.  The writer keeps all of their
 * results, but limits the number of heartbeats.
 */
static void take_dispatch_report(struct writer *w, struct dispatch_report *reported)
{
    bool is_alive_report = reported->report.kind == REPORT_ALIVE;

    if (is_alive_report && w->alive_count == ALIVE_MAX) {
        arena_free(reported->arena);
        w->alive_dropped++;
        return;
    }
    w->alive_count += is_alive_report;
    items_push(&w->reports, (struct item){.reported = reported});
}

static void handle_msg(struct writer *w, const struct writer_msg *msg)
{
    switch (msg->kind) {
    case WRITER_MSG_CALL:
        take_call(w, msg->ticket);
        break;
    case WRITER_MSG_NAMESPACES:
        msg->ticket->next = NULL;
        *w->namespace_waiters_end = msg->ticket;
        w->namespace_waiters_end = &msg->ticket->next;
        w->wants_namespaces = true;
        break;
    case WRITER_MSG_REPORT:
        take_dispatch_report(w, msg->reported);
        break;
    case WRITER_MSG_WAKE:
        break;
    case WRITER_MSG_NOTIFIED:
        for (struct ticket *t = w->polls; t; t = t->next)
            t->must_search = true;
        if (commit_signal_other_nodes(w->options.signal))
            writer_send(w, &(struct io_msg){.kind = IO_MSG_COMMIT});
        break;
    case WRITER_MSG_CONFIG:
        w->options.config = msg->config;
        context_renew(&w->options.context, msg->context);
        w->guard.max_jump = msg->config->max_jump;
        break;
    case WRITER_MSG_ZONES:
        w->zones_changed = true;
        break;
    case WRITER_MSG_DRAIN:
        w->is_draining = true;
        break;
    case WRITER_MSG_STOP:
        w->is_stopping = true;
        w->end_by_us = clock_boot_us() + STOP_WAIT;
        break;
    }
}

void writer_receive(struct writer *w)
{
    struct writer_msg msgs[MSGS_AT_ONCE];
    size_t count;

    do {
        count = mailbox_take(w->options.to_writer, msgs, MSGS_AT_ONCE);
        for (size_t i = 0; i < count; i++)
            handle_msg(w, &msgs[i]);
    } while (count == MSGS_AT_ONCE);
}

bool writer_must_end(const struct writer *w)
{
    return w->is_stopping && clock_boot_us() >= w->end_by_us;
}

/* Shows what prevents work while the database is available. */
void writer_show_phase(struct writer *w)
{
    if (w->is_full)
        writer_set_phase(w, WRITER_FULL, WRITER_FULL_TEXT);
    else if (w->is_held)
        writer_set_phase(w, WRITER_HELD, WRITER_HELD_TEXT);
    else
        writer_set_phase(w, WRITER_READY, "");
}

static void handle_clock_step(struct writer *w, const struct clock_reading *reading)
{
    w->in.jump += reading->jump; /* reset by the next turn */
    if (reading->jump != 0)
        log_say(w->options.log, reading->now, LEVEL_WARN, "clock stepped",
                LOG_INT("step_ms", reading->jump / SPAN_MS),
                LOG_BOOL("held", reading->is_held));
    if (!reading->has_changed)
        return;
    if (!reading->is_held)
        log_say(w->options.log, reading->now, LEVEL_WARN, "clock trusted again");
    if (w->is_up)
        writer_show_phase(w);
}

instant writer_clock(struct writer *w)
{
    int64_t boot = clock_boot_us();
    instant wall = w->db_clock.is_known ? boot + w->db_clock.offset : clock_now();
    struct clock_reading reading;

    if (w->accepts_clock) {
        clock_guard_accept(&w->guard);
        w->accepts_clock = false;
    }
    reading = clock_guard_read(&w->guard, wall, boot);
    reading.now = instant_clamp(reading.now);
    w->boot_us = boot;
    w->is_held = reading.is_held;
    handle_clock_step(w, &reading);
    return reading.now;
}

/*
 * A node that made no turn for half its lease waits before it declares other nodes dead.  So it
 * must never sleep that long.
 */
static span max_sleep(const struct writer *w)
{
    span quarter = w->options.config->node_lease / 4;

    return quarter < WRITER_SLEEP ? quarter : WRITER_SLEEP;
}

static size_t count_waiting(const struct writer *w)
{
    return w->commands.count + w->reports.count + (size_t)fair_queue_waiting(w->bulk);
}

/* Waits until the engine wants a turn, a poll times out, or a message arrives. */
static void wait_for_work(struct writer *w)
{
    span pause = w->wake_at <= w->now ? 0 : w->wake_at - w->now;
    int64_t until = w->boot_us + (pause > max_sleep(w) ? max_sleep(w) : pause);
    int64_t poll = writer_next_poll(w);

    if (count_waiting(w) > w->repeats || w->wants_namespaces || w->wants_tokens || pause == 0)
        return;
    if (w->repeats > 0 && pause > REPEAT_AFTER)
        until = w->boot_us + REPEAT_AFTER;
    if (db_kind(w->db) == DB_POSTGRES && w->tokens_at_us < until)
        until = w->tokens_at_us;
    mailbox_wait(w->options.to_writer, poll < until ? poll : until);
}

static void *writer_main(void *arg)
{
    struct writer *w = arg;
    struct writer_state last;

    thread_set_name("writer");
    if (writer_connect(w)) {
        w->is_up = true;
        if (db_kind(w->db) == DB_SQLITE)
            w->checkpointer = checkpointer_start(w->options.config->db.ptr, w->options.log);
        writer_show_phase(w);
        while (!w->is_over) {
            writer_beat(w);
            wait_for_work(w);
            writer_receive(w);
            writer_turn(w);
            if (!w->is_over)
                writer_between_turns(w);
            if (w->is_stopping && count_waiting(w) == 0)
                w->is_over = true;
        }
    }
    w->engine = engine_free(w->engine);
    (void)!writer_wait_checkpoint(w); /* a damaged file keeps its WAL */
    w->checkpointer = checkpointer_stop(w->checkpointer);
    last = writer_state(w);
    writer_set_phase(w, WRITER_OVER, last.text);
    writer_send(w, &(struct io_msg){.kind = IO_MSG_OVER});
    return NULL;
}

struct writer *writer_start(const struct writer_options *options)
{
    struct writer *w = calloc(1, sizeof *w);

    must(w);
    w->options = *options;
    w->arena = arena_new(ARENA_MAX);
    w->queue_names = arena_new(NAMES_MAX);
    w->queues = calloc(QUEUES_CACHED_MAX, sizeof *w->queues);
    must(w->queues);
    w->bulk = fair_queue_new(1, 1);
    batch_size_begin(&w->batch, options->config->turn_rows);
    w->namespace_waiters_end = &w->namespace_waiters;
    w->polls_end = &w->polls;
    w->options.context.part_cache = part_cache_new();
    w->state.beat_us = clock_boot_us();
    must(pthread_mutex_init(&w->lock, NULL) == 0);
    must(pthread_create(&w->thread, NULL, writer_main, w) == 0);
    return w;
}

static void drop_reports(struct writer *w)
{
    struct item item;

    while (items_pop(&w->reports, &item))
        if (item.reported)
            arena_free(item.reported->arena);
}

struct writer *writer_join(struct writer *w)
{
    must(pthread_join(w->thread, NULL) == 0);
    w->db = db_close(w->db);
    drop_reports(w);
    must(pthread_mutex_destroy(&w->lock) == 0);
    zoneinfo_close(w->zones);
    part_cache_free(w->options.context.part_cache);
    arena_free(w->arena);
    arena_free(w->queue_names);
    free(w->queues);
    free(w->commands.at);
    fair_queue_free(w->bulk);
    free(w->reports.at);
    free(w);
    return NULL;
}
