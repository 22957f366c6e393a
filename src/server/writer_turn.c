/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The input and output of a turn.  No other thread touches a reply before the turn is durable.
 */
#include <stddef.h>
#include <string.h>

#include "base/hash.h"
#include "base/must.h"
#include "io/clock.h"
#include "server/writer_parts.h"

enum {
    GRANT_TEXTS_MAX = 48 << 20, /* bytes of all runs of a poll: six times the answer's limit */
    EARLY_TEXT_MAX = 2048,      /* user text in an answer of the writer: takes 100 us */
    EARLY_TURN_MAX = 64 << 10,  /* the same for all answers of a turn: 1 to 4 ms      */
    EARLY_COST = 128,           /* fixed cost of an answer, in bytes                  */
};

/* ---- queue cache ---- */

static size_t queue_bucket(int64_t namespace, struct str name)
{
    return (size_t)(hash_bytes(name.ptr, name.len, (uint64_t) namespace) % QUEUES_CACHED_MAX);
}

int64_t writer_find_queue(struct writer *w, int64_t namespace, struct str name)
{
    const struct cached_queue *q = w->queues[queue_bucket(namespace, name)];

    while (q && !(q->namespace == namespace && str_eq(q->name, name)))
        q = q->next;
    return q ? q->id : 0;
}

/* A full cache starts again empty; it only saves lookups. */
static void cache_queue(struct writer *w, int64_t namespace, struct str name, int64_t id)
{
    struct cached_queue **bucket = &w->queues[queue_bucket(namespace, name)], *q;

    if (writer_find_queue(w, namespace, name) != 0)
        return;
    if (w->queue_count++ == QUEUES_CACHED_MAX) {
        memset(w->queues, 0, QUEUES_CACHED_MAX * sizeof *w->queues);
        arena_reset(w->queue_names);
        w->queue_count = 1;
    }
    q = arena_take(w->queue_names, sizeof *q);
    *q = (struct cached_queue){namespace, id, arena_str(w->queue_names, name), *bucket};
    *bucket = q;
}

/* ---- input ---- */

/* The next command of a large or slow request; namespaces take turns. */
static bool pop_bulk(struct writer *w, struct item *ret)
{
    struct fair_item *turn = fair_queue_next(w->bulk);
    struct ticket *t;

    if (!turn)
        return false;
    t = (struct ticket *)((char *)turn - offsetof(struct ticket, bulk_turn));
    fair_queue_remove(w->bulk, turn);
    *ret = (struct item){.ticket = t, .index = t->bulk_next++};
    if (t->bulk_next < t->call.command_count)
        fair_queue_add(w->bulk, turn, t->call.namespace);
    return true;
}

/* Large requests must not delay the others. */
static bool pop_command(struct writer *w, struct item *ret)
{
    if (items_pop(&w->commands, ret))
        return true;
    if (w->turn_bulk == w->batch.bulk || !pop_bulk(w, ret))
        return false;
    w->turn_bulk++;
    return true;
}

static void fill_commands(struct writer *w)
{
    int n = 0;
    struct item item;

    w->turn_bulk = 0;
    while (n < TURN_COMMANDS_MAX && pop_command(w, &item)) {
        const struct call *call = &item.ticket->call;

        w->turn_commands[n] = item;
        if (item.finds_queue)
            w->in_commands[n] = (struct command){
                .kind = COMMAND_QUEUE,
                .namespace = call->namespace,
                .name = call->poll.queues[item.index],
                .by = call->by,
            };
        else
            w->in_commands[n] = call->commands[item.index];
        w->accepts_clock |= w->in_commands[n].kind == COMMAND_CLOCK && !w->is_full;
        n++;
    }
    w->in.commands = w->in_commands;
    w->in.command_count = n;
}

static bool is_alive_report(const struct item *item)
{
    return item->reported && item->reported->report.kind == REPORT_ALIVE;
}

static void fill_reports(struct writer *w)
{
    int n = 0;
    struct item item;

    while (n < TURN_REPORTS_MAX && items_pop(&w->reports, &item)) {
        w->turn_reports[n] = item;
        w->alive_count -= is_alive_report(&item);
        w->in_reports[n++] = item.ticket ? item.ticket->call.reports[item.index]
                                         : item.reported->report;
    }
    w->in.reports = w->in_reports;
    w->in.report_count = n;
}

static void fill_polls(struct writer *w)
{
    int n = 0;

    for (struct ticket *t = w->polls; t && n < TURN_POLLS_MAX; t = t->next) {
        const struct call_poll *poll = &t->call.poll;
        struct poll *in = &w->in_polls[n];

        if (t->queues_resolved < poll->queue_count || atomic_load(&t->is_abandoned))
            continue;
        *in = (struct poll){
            .tag = (uint64_t)n,
            .queue_count = poll->queue_count,
            .max = poll->max,
            .worker = poll->worker,
            .is_new = t->must_search,
        };
        memcpy(in->queues, t->queues, (size_t)poll->queue_count * sizeof in->queues[0]);
        w->turn_polls[n++] = t;
    }
    w->in.polls = w->in_polls;
    w->in.poll_count = w->is_draining ? 0 : n;
}

static void fill_capacity(struct writer *w)
{
    const struct config *config = w->options.config;
    const int limits[LANE_COUNT] = {
        [LANE_HTTP] = config->http_concurrency,
        [LANE_EXEC] = config->exec_concurrency,
        [LANE_FLOW] = config->http_concurrency,
    };

    w->claims_nothing = w->is_draining;
    for (int lane = 0; lane < LANE_COUNT; lane++) {
        int64_t under_way = w->sent[lane] - atomic_load(&w->options.finished[lane]);

        w->in.capacity[lane] = w->is_draining || under_way >= limits[lane]
                                   ? 0
                                   : limits[lane] - (int)under_way;
    }
}

/* ---- output ---- */

/* Retries until another node releases the row or the client gives up. */
static bool must_repeat(const struct writer *w, const struct item *item, enum rc rc)
{
    return rc == RC_BUSY && !writer_must_end(w) &&
           (!item->ticket || w->boot_us < item->ticket->deadline_us);
}

static void repeat(struct writer *w, struct items *items, const struct item *item)
{
    items_push(items, *item);
    w->repeats++;
    w->alive_count += is_alive_report(item);
}

/* Ends the poll with an error: an empty answer would make the worker poll again at once. */
static void fail_poll(struct ticket *t, const struct reply *reply)
{
    struct reply *copy = arena_take(t->call.arena, sizeof *copy);

    *copy = *reply;
    copy->text = arena_str(t->call.arena, reply->text);
    t->refused = copy;
    atomic_store(&t->is_abandoned, true);
}

static void finish_queue(struct writer *w, const struct item *item, const struct reply *reply)
{
    struct ticket *t = item->ticket;

    t->queues_resolved++;
    if (reply->rc != RC_OK) {
        fail_poll(t, reply);
        return;
    }
    t->queues[item->index] = reply->schedule;
    cache_queue(w, t->call.namespace, t->call.poll.queues[item->index], reply->schedule);
    w->wake_at = w->now; /* the next turn can serve the poll */
}

/* The size of user text that the answer may have to contain. */
static size_t text_size(const struct call *call)
{
    const struct command *command = &call->commands[0];
    const struct draft *draft = command->save.draft;

    return !command_saves(command->kind)
               ? 0
               : draft->spec.len + draft->action.len + draft->policies.len +
                     draft->governor.len + draft->labels.len + draft->extra.len +
                     draft->description.len;
}

/*
 * The io thread does more than half of the work for clients, and the processor of the writer is
 * idle while it waits for the disk.  So the writer creates short answers itself.  Their number
 * and length are limited, because they delay the next turn and all clients that wait for it.
 */
static void finish_early(struct writer *w, struct ticket *t)
{
    struct call *call = &t->call;
    size_t text = text_size(call);

    if (!call->operation || !call->operation->settles_early || text > EARLY_TEXT_MAX ||
        text + EARLY_COST > w->early_left)
        return;
    w->early_left -= text + EARLY_COST;
    call->context = &w->options.context;
    t->step = call->operation->settled(call);
    t->is_settled = true;
}

static void reply_command(struct writer *w, const struct item *item, const struct reply *reply)
{
    struct ticket *t = item->ticket;

    t->replies[item->index] = *reply;
    t->replies[item->index].text = arena_str(t->call.arena, reply->text);
    if (reply->cursor) {
        struct cursor *cursor = arena_take(t->call.arena, sizeof *cursor);

        *cursor = *reply->cursor;
        t->replies[item->index].cursor = cursor;
    }
    if (t->call.commands[item->index].kind == COMMAND_NAMESPACE)
        w->wants_namespaces = true;
    if (--t->pending == 0 && !writer_delay_for_tokens(w, t)) {
        finish_early(w, t);
        writer_return(w, t);
    }
}

static void finish_command(struct writer *w, const struct item *item, const struct reply *reply)
{
    if (must_repeat(w, item, reply->rc))
        repeat(w, &w->commands, item);
    else if (item->finds_queue)
        finish_queue(w, item, reply);
    else
        reply_command(w, item, reply);
}

static void finish_report(struct writer *w, const struct item *item,
                          const struct report_reply *reply)
{
    struct ticket *t = item->ticket;
    bool lacks_room = reply->rc == RC_LIMIT;

    /* Results are always written, if necessary into the ballast. */
    if (lacks_room)
        writer_disk_full(w, "no space for the result of a run");
    if (must_repeat(w, item, lacks_room ? RC_BUSY : reply->rc)) {
        repeat(w, &w->reports, item);
        return;
    }
    if (!t) {
        arena_free(item->reported->arena);
        return;
    }
    t->report_replies[item->index] = *reply;
    if (--t->pending == 0)
        writer_return(w, t);
}

static struct assignment assignment_copy(const struct assignment *assignment,
                                         struct arena *arena)
{
    struct assignment copy = *assignment;

    copy.run.worker = arena_str(arena, assignment->run.worker);
    copy.run.input = arena_str(arena, assignment->run.input);
    copy.run.progress = arena_str(arena, assignment->run.progress);
    copy.id = arena_str(arena, assignment->id);
    copy.name = arena_str(arena, assignment->name);
    copy.action = arena_str(arena, assignment->action);
    copy.last_result = arena_str(arena, assignment->last_result);
    copy.last_failure = arena_str(arena, assignment->last_failure);
    return copy;
}

static size_t texts_size(const struct assignment *assignment)
{
    return assignment->run.input.len + assignment->name.len + assignment->action.len +
           assignment->last_result.len + assignment->last_failure.len;
}

/* What remains of the memory for the runs of a poll; each has its own copy of the action. */
static size_t grants_room(const struct call *call)
{
    size_t used = arena_used(call->arena);

    return used < GRANT_TEXTS_MAX ? GRANT_TEXTS_MAX - used : 0;
}

/* Enough to release the run. */
static struct assignment assignment_without_texts(const struct assignment *assignment)
{
    struct assignment copy = {.run = assignment->run};

    copy.run.worker = copy.run.input = copy.run.progress = STR("");
    return copy;
}

static struct str queue_name(const struct ticket *t, int64_t queue)
{
    for (int i = 0; i < t->call.poll.queue_count; i++)
        if (t->queues[i] == queue)
            return t->call.poll.queues[i];
    return STR("");
}

static void add_grant(struct ticket *t, const struct assignment *assignment)
{
    struct call *call = &t->call;
    int n = call->grant_count;

    if (n == 0) {
        t->grants = arena_array_raw(call->arena, (size_t)call->poll.max, sizeof *t->grants);
        t->grant_queues = arena_array_raw(call->arena, (size_t)call->poll.max,
                                          sizeof *t->grant_queues);
        call->grants = t->grants;
        call->grant_queues = t->grant_queues;
    }
    must(n < call->poll.max);
    if (call->grants_cut > 0 || (n > 0 && texts_size(assignment) > grants_room(call))) {
        t->grants[n] = assignment_without_texts(assignment);
        call->grants_cut++;
    } else {
        t->grants[n] = assignment_copy(assignment, call->arena);
    }
    t->grant_queues[n] = queue_name(t, assignment->run.queue);
    call->grant_count++;
}

static void send_order(struct writer *w, const struct assignment *assignment)
{
    struct arena *arena = arena_new(ORDER_ARENA_MAX);
    struct dispatch_order *order = arena_take(arena, sizeof *order);

    *order = (struct dispatch_order){
        .arena = arena,
        .assignment = assignment_copy(assignment, arena),
        .now = w->now,
        .send_by_us = w->lease_from_us + w->options.config->node_lease,
        .is_once = assignment->is_once,
    };
    w->sent[assignment->run.lane]++;
    writer_send(w, &(struct io_msg){.kind = IO_MSG_DISPATCH, .order = order});
}

/* Ends polls that got runs, timed out or were abandoned. */
static void finish_polls(struct writer *w)
{
    struct ticket **link = &w->polls;
    int64_t boot = clock_boot_us();

    while (*link) {
        struct ticket *t = *link;
        bool is_over = t->call.grant_count > 0 || atomic_load(&t->is_abandoned) ||
                       w->is_draining || (t->poll_until_us <= boot && !t->must_search);

        /* A pending name lookup still refers to the ticket. */
        if (!is_over || t->queues_resolved < t->call.poll.queue_count) {
            link = &t->next;
            continue;
        }
        *link = t->next;
        writer_return(w, t);
    }
    w->polls_end = link;
}

static void send_results(struct writer *w)
{
    const struct turn_out *out = &w->out;

    for (int i = 0; i < out->reply_count; i++)
        finish_command(w, &w->turn_commands[i], &out->replies[i]);
    for (int i = 0; i < out->report_count; i++)
        finish_report(w, &w->turn_reports[i], &out->report_replies[i]);
    for (int i = 0; i < w->in.poll_count; i++)
        w->turn_polls[i]->must_search = false;
    for (int i = 0; i < out->grant_count; i++)
        add_grant(w->turn_polls[out->grants[i].poll], &out->grants[i]);
    for (int i = 0; i < out->stop_count; i++)
        writer_send(w, &(struct io_msg){.kind = IO_MSG_STOP, .stop = out->stops[i]});
    for (int i = 0; i < out->dispatch_count; i++)
        send_order(w, &out->dispatches[i]);
    finish_polls(w);
    if (commit_signal_turn(w->options.signal, &w->in, out))
        writer_send(w, &(struct io_msg){.kind = IO_MSG_COMMIT});
    if (w->claims_nothing && !w->has_drained) {
        w->has_drained = true;
        writer_send(w, &(struct io_msg){.kind = IO_MSG_DRAINED});
    }
}

/* ---- the turn ---- */

/* The number of things of any kind that the turn has done. */
static int count_items(const struct turn_out *out)
{
    return out->reply_count + out->report_count + out->dispatch_count + out->grant_count +
           out->event_count;
}

static void adapt_batch(struct writer *w, span took)
{
    const struct batch_turn turn = {.items = count_items(&w->out),
                                    .rows = w->out.row_count + w->out.report_count,
                                    .commands = w->out.reply_count,
                                    .bulk = w->turn_bulk,
                                    .took = took,
                                    .computed = clock_thread_us() - w->turn_cpu_us,
                                    .target = w->options.config->turn_ms * SPAN_MS,
                                    .rows_max = w->options.config->turn_rows};

    batch_size_adapt(&w->batch, &turn);
}

/* The disk is full: the writer still records results of runs, but starts nothing new. */
static void refuse_commands(struct writer *w)
{
    const struct reply full = {.rc = RC_BUSY, .text = STR(WRITER_FULL_TEXT)};

    for (int i = 0; i < w->in.command_count; i++)
        if (w->turn_commands[i].finds_queue)
            finish_queue(w, &w->turn_commands[i], &full);
        else
            reply_command(w, &w->turn_commands[i], &full);
    w->in.command_count = 0;
}

/* The turn will never run; writer_join() frees its reports. */
static void abandon_turn(struct writer *w)
{
    for (int i = 0; i < w->in.report_count; i++)
        items_push(&w->reports, w->turn_reports[i]);
    if (w->reports.count > 0)
        log_say(w->options.log, clock_now(), LEVEL_WARN,
                "stopped while the database was unavailable; results of dispatches are lost",
                LOG_INT("reports", (int64_t)w->reports.count));
    w->is_over = true;
}

/* Wall clock minus engine clock. */
static span skew(const struct writer *w)
{
    return w->db_clock.is_known ? clock_now() - (clock_boot_us() + w->db_clock.offset) : 0;
}

/* An operator must know: no user asked to stop this schedule. */
static void log_quarantines(const struct writer *w)
{
    for (int i = 0; i < w->out.event_count; i++)
        if (w->out.events[i].type == EVENT_SCHEDULE_QUARANTINED)
            log_say(w->options.log, w->now, LEVEL_ERROR, "schedule quarantined",
                    LOG_INT("schedule_key", w->out.events[i].schedule),
                    LOG_TEXT("reason", "its program was the only one that ran when its node "
                                       "died, three times"),
                    LOG_TEXT("hint", "belfry events --type schedule.quarantined names it; "
                                     "correct it, then belfry schedule release"));
}

void writer_count(struct writer *w, int64_t ended_us)
{
    struct counter_turn turn = {
        .out = &w->out,
        .now = w->now,
        .took = ended_us - w->turn_us,
        .commit = ended_us - w->commit_us,
    };

    for (const struct ticket *t = w->polls; t; t = t->next)
        turn.polls++;
    counters_turn(w->options.counters, &turn);
    log_quarantines(w);
}

static bool is_halted(const struct writer *w)
{
    return w->options.is_halted && atomic_load(w->options.is_halted);
}

void writer_turn(struct writer *w)
{
    bool in_doubt = false; /* an earlier attempt may have been committed */
    int64_t ended_us;
    struct err err;
    enum rc rc;

    w->early_left = EARLY_TURN_MAX;
    w->turn_cpu_us = clock_thread_us();
    fill_commands(w); /* before reading the clock, which a command may accept */
    w->now = w->in.now = writer_clock(w);
    w->wake_at = INSTANT_NEVER;
    fill_reports(w);
    fill_polls(w);
    fill_capacity(w);
    w->in.rows = w->batch.rows;
    w->in.skew = skew(w);
    for (;;) {
        w->in.hold = w->is_held || w->is_full || !w->options.config->enabled || is_halted(w);
        if (w->is_full && !in_doubt)
            refuse_commands(w);
        if (!in_doubt)
            w->lease_from_us = w->boot_us;
        w->turn_us = clock_boot_us();
        writer_test_point(w, SERVE_BEFORE_TURN);
        rc = engine_turn(w->engine, &w->in, &w->out, &err);
        if (rc == RC_OK)
            break;
        in_doubt |= rc == RC_UNKNOWN;
        if (!writer_recover(w, rc, &err)) {
            abandon_turn(w);
            return;
        }
        w->now = w->in.now = writer_clock(w);
    }
    ended_us = clock_boot_us();
    writer_test_point(w, SERVE_AFTER_TURN);
    w->in.jump = 0;
    w->wake_at = w->out.wake_at;
    w->repeats = 0;
    w->losses = 0;
    adapt_batch(w, clock_boot_us() - w->boot_us);
    send_results(w);
    writer_count(w, ended_us);
}

int64_t writer_next_poll(const struct writer *w)
{
    int64_t next = INT64_MAX;

    for (const struct ticket *t = w->polls; t; t = t->next) {
        bool is_known = t->queues_resolved == t->call.poll.queue_count;

        if (is_known && (t->must_search || atomic_load(&t->is_abandoned) || w->is_draining))
            return 0;
        if (is_known && t->poll_until_us < next)
            next = t->poll_until_us;
    }
    return next;
}
