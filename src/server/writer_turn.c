/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goes into a turn and what comes out of it.  Nothing of an answer is touched by
 * anybody else before the turn is durable.
 */
#include <string.h>

#include "base/hash.h"
#include "base/must.h"
#include "io/clock.h"
#include "server/writer_parts.h"

enum {
    EARLY_TEXT_MAX = 2048,     /* bytes of which an answer is made in the writer: some 100 us */
    EARLY_TURN_MAX = 64 << 10, /* of all answers of a turn: 1 to 4 ms                         */
    EARLY_COST = 128,          /* as so many bytes counts any answer                          */
};

/* ---- queues by name ---- */

static size_t queue_slot(int64_t namespace, struct str name)
{
    return (size_t)(hash_bytes(name.ptr, name.len, (uint64_t) namespace) % QUEUES_KNOWN_MAX);
}

int64_t writer_queue(struct writer *w, int64_t namespace, struct str name)
{
    const struct known_queue *q = w->queues[queue_slot(namespace, name)];

    while (q && !(q->namespace == namespace && str_eq(q->name, name)))
        q = q->next;
    return q ? q->id : 0;
}

/* Beyond the bound the table is begun anew: it only saves asking. */
static void learn_queue(struct writer *w, int64_t namespace, struct str name, int64_t id)
{
    struct known_queue **slot = &w->queues[queue_slot(namespace, name)], *q;

    if (writer_queue(w, namespace, name) != 0)
        return;
    if (w->queue_count++ == QUEUES_KNOWN_MAX) {
        memset(w->queues, 0, QUEUES_KNOWN_MAX * sizeof *w->queues);
        arena_reset(w->names);
        w->queue_count = 1;
    }
    q = arena_take(w->names, sizeof *q);
    *q = (struct known_queue){namespace, id, arena_str(w->names, name), *slot};
    *slot = q;
}

/* ---- in ---- */

static void fill_commands(struct writer *w)
{
    int n = 0;
    struct item item;

    while (n < TURN_COMMANDS_MAX && items_take(&w->commands, &item)) {
        const struct call *call = &item.ticket->call;

        w->turn_commands[n] = item;
        if (item.is_name)
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

static bool is_sign(const struct item *item)
{
    return item->reported && item->reported->report.kind == REPORT_ALIVE;
}

static void fill_reports(struct writer *w)
{
    int n = 0;
    struct item item;

    while (n < TURN_REPORTS_MAX && items_take(&w->reports, &item)) {
        w->turn_reports[n] = item;
        w->signs -= is_sign(&item);
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

        if (t->queues_known < poll->queue_count || atomic_load(&t->is_left))
            continue;
        *in = (struct poll){
            .tag = (uint64_t)n,
            .queue_count = poll->queue_count,
            .max = poll->max,
            .worker = poll->worker,
            .is_new = t->is_new,
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
    const int most[LANE_COUNT] = {
        [LANE_HTTP] = config->http_concurrency,
        [LANE_EXEC] = config->exec_concurrency,
        [LANE_FLOW] = config->http_concurrency,
    };

    w->claims_nothing = w->is_draining;
    for (int lane = 0; lane < LANE_COUNT; lane++) {
        int64_t under_way = w->sent[lane] - atomic_load(&w->options.finished[lane]);

        w->in.capacity[lane] = w->is_draining || under_way >= most[lane]
                                   ? 0
                                   : most[lane] - (int)under_way;
    }
}

/* ---- out ---- */

/* Handed in again until somebody else has let go of the row, or the client gives up. */
static bool is_to_repeat(const struct writer *w, const struct item *item, enum rc rc)
{
    return rc == RC_BUSY && !writer_must_end(w) &&
           (!item->ticket || w->boot_us < item->ticket->deadline_us);
}

static void repeat(struct writer *w, struct items *items, const struct item *item)
{
    items_put(items, *item);
    w->repeats++;
    w->signs += is_sign(item);
}

/* Not as one that got nothing, which would come again at once. */
static void refuse_poll(struct ticket *t, const struct reply *reply)
{
    struct reply *copy = arena_take(t->call.arena, sizeof *copy);

    *copy = *reply;
    copy->text = arena_str(t->call.arena, reply->text);
    t->refused = copy;
    atomic_store(&t->is_left, true);
}

static void finish_name(struct writer *w, const struct item *item, const struct reply *reply)
{
    struct ticket *t = item->ticket;

    t->queues_known++;
    if (reply->rc != RC_OK) {
        refuse_poll(t, reply);
        return;
    }
    t->queues[item->index] = reply->schedule;
    learn_queue(w, t->call.namespace, t->call.poll.queues[item->index], reply->schedule);
    w->wake_at = w->now; /* the poll can join */
}

/* How much of people's text the answer may have to be made of. */
static size_t text_of(const struct call *call)
{
    const struct draft *draft = call->commands[0].draft;

    return !draft ? 0
                  : draft->spec.len + draft->action.len + draft->policies.len +
                        draft->governor.len + draft->labels.len + draft->extra.len +
                        draft->description.len;
}

/*
 * io has the clients' side of the work, which is more than half of it, and while the writer
 * waits for the disk nobody else uses its processor: so it makes the answer, too.  But not a
 * long one, nor many: the next turn waits for it, and with it everybody.
 */
static void finish_early(struct writer *w, struct ticket *t)
{
    struct call *call = &t->call;
    size_t text = text_of(call);

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
        w->looks_for_namespaces = true;
    if (--t->left == 0 && !writer_keeps_for_keys(w, t)) {
        finish_early(w, t);
        writer_done(w, t);
    }
}

static void finish_command(struct writer *w, const struct item *item, const struct reply *reply)
{
    if (is_to_repeat(w, item, reply->rc))
        repeat(w, &w->commands, item);
    else if (item->is_name)
        finish_name(w, item, reply);
    else
        reply_command(w, item, reply);
}

static void finish_report(struct writer *w, const struct item *item,
                          const struct report_reply *reply)
{
    struct ticket *t = item->ticket;
    bool lacks_room = reply->rc == RC_LIMIT;

    /* What has happened is written, if need be into the reserve. */
    if (lacks_room)
        writer_fill_up(w, "there is no room for what came of a run");
    if (is_to_repeat(w, item, lacks_room ? RC_BUSY : reply->rc)) {
        repeat(w, &w->reports, item);
        return;
    }
    if (!t) {
        arena_free(item->reported->arena);
        return;
    }
    t->heard[item->index] = *reply;
    if (--t->left == 0)
        writer_done(w, t);
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

static struct str queue_name(const struct ticket *t, int64_t queue)
{
    for (int i = 0; i < t->call.poll.queue_count; i++)
        if (t->queues[i] == queue)
            return t->call.poll.queues[i];
    return STR("");
}

static void grant(struct ticket *t, const struct assignment *assignment)
{
    struct call *call = &t->call;
    int n = call->grant_count;

    if (n == 0) {
        t->grants = arena_array_room(call->arena, (size_t)call->poll.max, sizeof *t->grants);
        t->names = arena_array_room(call->arena, (size_t)call->poll.max, sizeof *t->names);
        call->grants = t->grants;
        call->grant_queues = t->names;
    }
    must(n < call->poll.max);
    t->grants[n] = assignment_copy(assignment, call->arena);
    t->names[n] = queue_name(t, assignment->run.queue);
    call->grant_count++;
}

static void send_task(struct writer *w, const struct assignment *assignment)
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
    writer_notice(w, &(struct io_msg){.kind = IO_MSG_DISPATCH, .order = order});
}

/* Those that got something, whose time is over, or that nobody waits for. */
static void finish_polls(struct writer *w)
{
    struct ticket **link = &w->polls;
    int64_t boot = clock_boot_us();

    while (*link) {
        struct ticket *t = *link;
        bool is_over = t->call.grant_count > 0 || atomic_load(&t->is_left) || w->is_draining ||
                       (t->poll_until_us <= boot && !t->is_new);

        /* A name that is asked for comes back to its ticket. */
        if (!is_over || t->queues_known < t->call.poll.queue_count) {
            link = &t->next;
            continue;
        }
        *link = t->next;
        writer_done(w, t);
    }
    w->polls_end = link;
}

static void deliver(struct writer *w)
{
    const struct turn_out *out = &w->out;

    for (int i = 0; i < out->reply_count; i++)
        finish_command(w, &w->turn_commands[i], &out->replies[i]);
    for (int i = 0; i < out->report_count; i++)
        finish_report(w, &w->turn_reports[i], &out->report_replies[i]);
    for (int i = 0; i < w->in.poll_count; i++)
        w->turn_polls[i]->is_new = false;
    for (int i = 0; i < out->grant_count; i++)
        grant(w->turn_polls[out->grants[i].poll], &out->grants[i]);
    for (int i = 0; i < out->stop_count; i++)
        writer_notice(w, &(struct io_msg){.kind = IO_MSG_STOP, .stop = out->stops[i]});
    for (int i = 0; i < out->dispatch_count; i++)
        send_task(w, &out->dispatches[i]);
    finish_polls(w);
    if (commit_signal_of_turn(w->options.signal, &w->in, out))
        writer_notice(w, &(struct io_msg){.kind = IO_MSG_COMMIT});
    if (w->claims_nothing && !w->has_drained) {
        w->has_drained = true;
        writer_notice(w, &(struct io_msg){.kind = IO_MSG_DRAINED});
    }
}

/* ---- the turn ---- */

/* How much a turn has done, whatever it was. */
static int done(const struct turn_out *out)
{
    return out->reply_count + out->report_count + out->dispatch_count + out->grant_count +
           out->event_count;
}

static void adapt(struct writer *w, span spent)
{
    const struct batch_turn turn = {.done = done(&w->out),
                                    .rows = w->out.row_count + w->out.report_count,
                                    .commands = w->out.reply_count,
                                    .spent = spent,
                                    .goal = w->options.config->turn_ms * SPAN_MS,
                                    .most = w->options.config->turn_rows};

    batch_size_adapt(&w->batch, &turn);
}

/* The disk is full: what is running can still be written down, nothing new is begun. */
static void refuse_commands(struct writer *w)
{
    const struct reply full = {.rc = RC_BUSY, .text = STR("the disk of the database is full")};

    for (int i = 0; i < w->in.command_count; i++)
        if (w->turn_commands[i].is_name)
            finish_name(w, &w->turn_commands[i], &full);
        else
            reply_command(w, &w->turn_commands[i], &full);
    w->in.command_count = 0;
}

/* The turn will never be made; what its reports hold is freed with the rest. */
static void give_up(struct writer *w)
{
    for (int i = 0; i < w->in.report_count; i++)
        items_put(&w->reports, w->turn_reports[i]);
    if (w->reports.count > 0)
        log_say(w->options.log, clock_now(), LEVEL_WARN,
                "the end comes before the database; what calls came to is not written",
                LOG_INT("reports", (int64_t)w->reports.count));
    w->is_over = true;
}

/* This machine's clock beside that by which it works. */
static span skew(const struct writer *w)
{
    return w->db_clock.is_known ? clock_now() - (clock_boot_us() + w->db_clock.offset) : 0;
}

void writer_count(struct writer *w, int64_t ended_us)
{
    struct meter_turn turn = {
        .out = &w->out,
        .now = w->now,
        .took = ended_us - w->turn_us,
        .commit = ended_us - w->commit_us,
    };

    for (const struct ticket *t = w->polls; t; t = t->next)
        turn.polls++;
    counters_turn(w->options.counters, &turn);
}

static bool is_halted(const struct writer *w)
{
    return w->options.is_halted && atomic_load(w->options.is_halted);
}

void writer_turn(struct writer *w)
{
    bool in_doubt = false; /* it may have been committed as it was handed in */
    int64_t ended_us;
    struct err err;
    enum rc rc;

    w->early_left = EARLY_TURN_MAX;
    fill_commands(w); /* before the clock, which one of them may accept */
    w->now = w->in.now = writer_clock(w);
    w->wake_at = INSTANT_NEVER;
    fill_reports(w);
    fill_polls(w);
    fill_capacity(w);
    w->in.rows = w->batch.rows;
    w->in.skew = skew(w);
    for (;;) {
        w->in.hold = w->holds || w->is_full || !w->options.config->enabled || is_halted(w);
        if (w->is_full && !in_doubt)
            refuse_commands(w);
        if (!in_doubt)
            w->lease_from_us = w->boot_us;
        w->turn_us = clock_boot_us();
        writer_at(w, SERVE_BEFORE_TURN);
        rc = engine_turn(w->engine, &w->in, &w->out, &err);
        if (rc == RC_OK)
            break;
        in_doubt |= rc == RC_UNKNOWN;
        if (!writer_recover(w, rc, &err)) {
            give_up(w);
            return;
        }
        w->now = w->in.now = writer_clock(w);
    }
    ended_us = clock_boot_us();
    writer_at(w, SERVE_AFTER_TURN);
    w->in.jump = 0;
    w->wake_at = w->out.wake_at;
    w->repeats = 0;
    w->losses = 0;
    adapt(w, clock_boot_us() - w->boot_us);
    deliver(w);
    writer_count(w, ended_us);
}

int64_t writer_next_poll(const struct writer *w)
{
    int64_t next = INT64_MAX;

    for (const struct ticket *t = w->polls; t; t = t->next) {
        bool is_known = t->queues_known == t->call.poll.queue_count;

        if (is_known && (t->is_new || atomic_load(&t->is_left) || w->is_draining))
            return 0;
        if (is_known && t->poll_until_us < next)
            next = t->poll_until_us;
    }
    return next;
}
