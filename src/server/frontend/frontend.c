/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The path of a request: from the listener to a ticket, through the other threads, to the
 * answer.
 *
 * The list of open tickets holds every ticket from its creation to its end, also while another
 * thread owns it.  The exchange may end before its ticket comes back.
 */
#include "server/frontend/frontend_parts.h"

#include <stdlib.h>
#include <string.h>

#include "api/access/audit_note.h"
#include "api/call/api_dialect.h"
#include "api/schedules/part_cache.h"
#include "base/must.h"
#include "io/clock.h"
#include "wire/grpc/grpc.h"

#define ANSWER_WITHIN (10 * SPAN_S)   /* then 503: the writer or the database hangs */
#define SEED_RETRY    SPAN_S          /* pause after a temporary error              */
#define POLL_EVERY    (100 * SPAN_MS) /* interval of deadline checks and retries    */

/* ---- answers ---- */

/* Releases runs that were claimed for a client that never received them. */
static void release_grants(struct frontend *frontend, struct ticket *t)
{
    struct call *call = &t->call;

    call->reports = arena_array(call->arena, (size_t)call->grant_count, sizeof *call->reports);
    for (int i = 0; i < call->grant_count; i++) {
        const struct run *run = &call->grants[i].run;

        call->reports[i] = (struct report){
            .kind = REPORT_RELEASE,
            .run = {run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass},
            .fence = run->fence,
        };
    }
    call->report_count = call->grant_count;
    call->grant_count = 0;
    t->step = CALL_REPORTS;
    t->deadline_us = clock_boot_us() + ANSWER_WITHIN; /* that of the poll may be over */
    frontend_send_to_writer(frontend, t, WRITER_MSG_CALL);
}

struct watched_poll {
    struct frontend *frontend;
    struct ticket *ticket;
};

static void on_over(void *arg, bool is_sent)
{
    struct watched_poll *poll = arg;

    if (is_sent || poll->frontend->is_abandoned)
        frontend_ticket_end(poll->frontend, poll->ticket);
    else
        release_grants(poll->frontend, poll->ticket);
}

static void on_gone(void *arg, struct exchange *x)
{
    struct watched_poll *poll = arg;

    (void)x;
    if (!poll->ticket->is_away || poll->ticket->step != CALL_POLL)
        return;
    atomic_store(&poll->ticket->is_abandoned, true);
    frontend_post(poll->frontend, &(struct writer_msg){.kind = WRITER_MSG_WAKE});
}

/* Only for slow reads: a client that closed its sending side may still wait for a quick one. */
static void on_reader_gone(void *arg, struct exchange *x)
{
    struct ticket *t = arg;

    (void)x;
    if (t->is_slow)
        atomic_store(&t->is_abandoned, true);
}

static const struct exchange_watch read_watch = {.on_gone = on_reader_gone};
static const struct exchange_watch poll_watch = {.on_gone = on_gone, .on_over = on_over};

static void answer(struct frontend *frontend, struct ticket *t)
{
    struct exchange *x = t->x;
    bool has_grants = t->call.grant_count > 0;

    t->x = NULL;
    if (t->is_seed)
        frontend->is_applying_seed = false;
    if (t->is_seed && !seeds_finish(frontend->options.seeds, &t->call, frontend->options.log))
        frontend->seed_at_us = clock_boot_us() + SEED_RETRY;
    frontend_test_point(frontend, SERVE_BEFORE_ANSWER);
    if (!x || (has_grants && x->is_gone)) {
        if (x)
            exchange_cut(x);
        if (has_grants)
            release_grants(frontend, t);
        else
            frontend_ticket_end(frontend, t);
        return;
    }
    if (!has_grants)
        exchange_watch(x, NULL, NULL);
    frontend_write_answer(frontend, x, t);
    frontend_test_point(frontend, SERVE_AFTER_ANSWER);
    if (!has_grants)
        frontend_ticket_end(frontend, t); /* with grants: in on_over() */
}

/* ---- steps of a ticket ---- */

/* Returns false if the ticket was sent to the writer or answered with an error. */
static bool find_namespace(struct frontend *frontend, struct ticket *t)
{
    struct call *call = &t->call;
    const struct namespace_entry *entry;

    if (call->namespace != 0)
        return true;
    entry = namespace_cache_find(frontend->namespaces, call->namespace_name);
    if (entry) {
        call->namespace = entry->id;
        if (admission_check_namespace(frontend->admission, call, entry, &t->limit))
            return true;
        t->step = CALL_ANSWER;
        answer(frontend, t);
        return false;
    }
    if (!t->has_asked_namespace) {
        t->has_asked_namespace = t->is_asking_namespace = true;
        frontend_send_to_writer(frontend, t, WRITER_MSG_NAMESPACES);
        return false;
    }
    if (t->step == CALL_BEGIN)
        return true; /* what to do without a namespace depends on the body */
    t->step = call_without_namespace(call);
    if (t->step != CALL_ANSWER)
        return find_namespace(frontend, t); /* a command of the call creates it */
    answer(frontend, t);
    return false;
}

static void advance_ticket(struct frontend *frontend, struct ticket *t)
{
    struct call *call = &t->call;

    if (t->step != CALL_ANSWER && !frontend->has_started) {
        call_problem(call, 503, "unavailable", "not ready: %s",
                     frontend_unready_reason(frontend));
        t->step = CALL_ANSWER;
    }
    if (t->step != CALL_ANSWER && frontend->items + frontend_items_of(t, t->step) > ITEMS_MAX) {
        call_problem(call, 503, "unavailable", "too many requests are waiting; retry later");
        t->step = CALL_ANSWER;
    }
    if (t->step == CALL_FORWARD &&
        (!find_namespace(frontend, t) || frontend_forward(frontend, t)))
        return;
    if (t->step == CALL_ATTRIBUTES &&
        (!find_namespace(frontend, t) || frontend_attributes_wait(frontend, t)))
        return;
    if (t->step == CALL_STREAM && frontend->closing)
        t->step = call_problem(call, 503, "unavailable", "%s", frontend->closing);
    if (t->step == CALL_STREAM && streams_is_full(frontend->streams))
        t->step = call_problem(call, 503, "unavailable",
                               "too many open streams; the limit is %d", STREAMS_MAX);
    if (t->step == CALL_ANSWER) {
        answer(frontend, t);
        return;
    }
    if (t->step == CALL_STREAM) {
        streams_adopt(frontend->streams, t);
        return;
    }
    if (!find_namespace(frontend, t))
        return;
    if (t->step == CALL_READ) {
        if (t->x)
            exchange_watch(t->x, &read_watch, t);
        frontend_send_to_reader(frontend, t, CALL_READ);
        return;
    }
    if (t->step == CALL_BEGIN) {
        frontend_send_to_reader(frontend, t, CALL_BEGIN);
        return;
    }
    call_complete(call);
    if (t->step == CALL_POLL) {
        struct watched_poll *poll = arena_take(call->arena, sizeof *poll);

        *poll = (struct watched_poll){frontend, t};
        t->deadline_us += call->poll.wait;
        exchange_watch(t->x, &poll_watch, poll);
    }
    frontend_send_to_writer(frontend, t, WRITER_MSG_CALL);
}

/* The writer leaves the next step to settled(); a reader sets it, sometimes to CALL_SETTLE. */
static bool must_settle(const struct ticket *t)
{
    return t->step == CALL_SETTLE || (t->sent_for != CALL_READ && t->sent_for != CALL_SETTLE);
}

/* The client of a slow read has gone; the reader may have skipped it. */
static void drop_read(struct frontend *frontend, struct ticket *t)
{
    struct exchange *x = t->x;

    t->x = NULL;
    exchange_watch(x, NULL, NULL);
    exchange_cut(x);
    frontend_ticket_end(frontend, t);
}

void frontend_ticket_returned(struct frontend *frontend, struct ticket *t)
{
    if (t->x && t->x->is_gone && t->read_result == READ_TOO_SLOW)
        atomic_store(&t->is_abandoned, true);
    if (t->turn.state == FAIR_RUNNING && !read_queue_returned(frontend->reads, t))
        return;
    frontend_take_back(frontend, t);
    t->call.context = &frontend->options.context;
    if (t->stream) {
        streams_ticket_returned(frontend->streams, t);
        return;
    }
    if (!t->x && !t->is_seed && t->call.grant_count == 0) {
        frontend_ticket_end(frontend, t); /* no client waits, or it only released runs */
        return;
    }
    if (!t->x && !t->is_seed) {
        answer(frontend, t);
        return;
    }
    if (t->x && t->sent_for == CALL_READ && atomic_load(&t->is_abandoned)) {
        drop_read(frontend, t);
        return;
    }
    if (t->x && t->sent_for == CALL_READ)
        exchange_watch(t->x, NULL, NULL);
    if (t->is_asking_namespace) {
        t->is_asking_namespace = false;
        advance_ticket(frontend, t);
        return;
    }
    if (t->is_settled)
        t->is_settled = false;
    else if (t->refused)
        t->step = call_refused(&t->call, &(struct command){.kind = COMMAND_QUEUE}, t->refused);
    else if (t->sent_for == CALL_BEGIN)
        frontend_begun(frontend, t);
    else if (t->sent_for == CALL_ATTRIBUTES)
        frontend_begin(frontend, t);
    else if (must_settle(t) && !frontend_settle(frontend, t))
        return;
    advance_ticket(frontend, t);
}

/* ---- requests ---- */

/* Performs the first step of the call, or rejects it. */
static void begin_call(struct frontend *frontend, struct ticket *t, struct exchange *x)
{
    struct call *call = &t->call;
    struct str allow = {0}, body = x->body;
    int status = 0;

    frontend_find_operation(frontend, t, x->request, &status, &allow);
    call->dialect = operation_dialect(call->operation, x->request);
    if (!frontend_rpc_check(t, x, ANSWER_WITHIN))
        return;
    if (x->is_too_large) {
        t->step = call_problem(call, 413, "limit",
                               "request body is too large; the limit is %lld bytes",
                               (long long)frontend_body_max(frontend, x->request));
    } else if (frontend->count > TICKETS_MAX) {
        t->step = call_problem(call, 503, "unavailable",
                               "too many requests in progress; retry later");
    } else if (!call->operation && status == 405) {
        t->step = call_problem(call, 405, "not_found",
                               "method %.*s is not allowed for this path; use %.*s",
                               STR_ARG(x->request->method), STR_ARG(allow));
        call->fields[call->field_count++] = (struct http1_field){STR("Allow"), allow};
    } else if (!call->operation) {
        t->step = frontend_unknown_path(call, x->request);
    } else if (frontend_admit(frontend, t, x) && frontend_rpc_open(t, x, &body) &&
               call_open(call, x->request, body)) {
        t->message = body;
        frontend_begin(frontend, t);
        frontend_count_answered(frontend, t);
    }
}

static void on_request(void *arg, struct exchange *x)
{
    struct frontend *frontend = arg;
    struct ticket *t = frontend_ticket_new(frontend, x);

    frontend->begun++;
    t->call.now = clock_now();
    t->call.context = &frontend->options.context;
    admission_identify(&t->call, x);
    t->deadline_us = clock_boot_us() + ANSWER_WITHIN;
    begin_call(frontend, t, x);
    admission_note(frontend->admission, &t->call);
    advance_ticket(frontend, t);
}

struct listener_handler frontend_handler(struct frontend *frontend)
{
    return (struct listener_handler){.body_max = frontend_body_max,
                                     .streams = frontend_streams_body,
                                     .on_request = on_request,
                                     .arg = frontend,
                                     .print_problem = frontend_print_problem};
}

/* ---- deadlines ---- */

/* Sends the records of the admission to the writer as a call without a client. */
static void send_admission_report(struct frontend *frontend)
{
    struct ticket *t;

    if (frontend->is_abandoned || !frontend->has_started ||
        frontend->items + CALL_ITEMS_MAX > ITEMS_MAX || frontend->count >= TICKETS_MAX)
        return;
    t = frontend_ticket_new(frontend, NULL);
    t->call.now = clock_now();
    t->deadline_us = clock_boot_us() + ANSWER_WITHIN;
    t->step = CALL_COMMANDS;
    if (admission_report(frontend->admission, &t->call, frontend->options.log))
        frontend_send_to_writer(frontend, t, WRITER_MSG_CALL);
    else
        frontend_ticket_end(frontend, t);
}

/* Creates seeds one after the other; continues at once after one that needs no other thread. */
void frontend_apply_seeds(struct frontend *frontend)
{
    struct seeds *seeds = frontend->options.seeds;

    while (seeds && seeds_has_next(seeds) && !frontend->is_applying_seed &&
           frontend_has_database(frontend) && !frontend->closing && !frontend->is_abandoned &&
           clock_boot_us() >= frontend->seed_at_us) {
        struct ticket *t = frontend_ticket_new(frontend, NULL);

        frontend->is_applying_seed = t->is_seed = true;
        t->call.now = clock_now();
        t->call.context = &frontend->options.context;
        t->step = seeds_begin(seeds, &t->call);
        advance_ticket(frontend, t);
    }
}

static void on_timer(void *arg)
{
    struct frontend *frontend = arg;
    int64_t boot = clock_boot_us();

    frontend->has_late_reads = false;
    for (struct ticket *t = frontend->all.next_open; t != &frontend->all; t = t->next_open) {
        if (t->x && t->is_away && t->deadline_us < boot)
            frontend_give_up_late(frontend, t);
        else
            frontend->has_late_reads |= read_queue_is_late(t, boot);
    }
    frontend_close_denied(frontend);
    frontend_send_delayed(frontend);
    if (frontend_count_finished(frontend)) /* such as killed programs: no report */
        frontend_post(frontend, &(struct writer_msg){.kind = WRITER_MSG_WAKE});
    send_admission_report(frontend);
    frontend_apply_seeds(frontend);
    loop_timer_set(frontend->timer, POLL_EVERY);
}

/* ---- start and stop ---- */

/* Slow reads and large requests would delay the end of the server; their clients can retry. */
static void end_slow_reads(struct frontend *frontend)
{
    for (struct ticket *t = frontend->all.next_open; t != &frontend->all; t = t->next_open)
        if (t->x && t->is_slow && t->is_away &&
            (t->sent_for == CALL_READ || t->sent_for == CALL_BEGIN))
            frontend_give_up(frontend, t,
                             &(struct problem){.request_id = t->call.request_id,
                                               .status = 503,
                                               .code = "unavailable",
                                               .detail = frontend->closing,
                                               .at = -1});
}

void frontend_reject_requests(struct frontend *frontend, const char *why)
{
    frontend->closing = why;
    end_slow_reads(frontend);
    forwarder_end_polls(frontend->forwarder, why);
    streams_close(frontend->streams);
}

void frontend_reload(struct frontend *frontend, const struct config *config,
                     const struct api_context *context)
{
    frontend->options.config = config;
    context_renew(&frontend->options.context, context);
}

void frontend_dispatcher_closed(struct frontend *frontend)
{
    for (int lane = 0; lane < LANE_COUNT; lane++)
        atomic_store(&frontend->options.finished[lane], frontend->received[lane]);
    frontend->dispatcher = NULL;
}

struct namespace_cache *frontend_namespaces(const struct frontend *frontend)
{
    return frontend->namespaces;
}

bool frontend_has_upstream(const struct frontend *frontend, struct str namespace,
                           struct str upstream)
{
    const struct namespace_entry *entry;
    bool has_upstream;

    namespace_cache_lock(frontend->namespaces);
    entry = namespace_cache_find(frontend->namespaces, namespace);
    has_upstream = entry && upstream_settings(&entry->settings.plain, upstream);
    namespace_cache_unlock(frontend->namespaces);
    return has_upstream;
}

int64_t frontend_quota(const struct frontend *frontend, struct str namespace)
{
    const struct namespace_entry *entry = namespace_cache_find(frontend->namespaces, namespace);

    return entry && entry->settings.plain.has_quota ? entry->settings.plain.quota_schedules
                                                    : frontend->options.config->quota_schedules;
}

struct frontend *frontend_new(const struct frontend_options *options)
{
    struct frontend *frontend = calloc(1, sizeof *frontend);

    must(frontend);
    frontend->options = *options;
    frontend->options.context.part_cache = part_cache_new();
    frontend->all.prev_open = frontend->all.next_open = &frontend->all;
    frontend->namespaces = namespace_cache_new();
    frontend->admission = admission_new(options->context.random(options->context.arg));
    frontend->streams = streams_new(frontend, options->signal, options->loop,
                                    options->has_others);
    frontend->scratch = arena_new(CALL_ARENA_MAX);
    memcpy(frontend->why, "starting", sizeof "starting");
    frontend->is_db_away = true;
    frontend->timer = loop_timer_new(options->loop, on_timer, frontend);
    loop_timer_set(frontend->timer, POLL_EVERY);
    return frontend;
}

void frontend_connect(struct frontend *frontend, struct writer *writer,
                      struct reader *const *quick, int count, struct reader *slow,
                      struct dispatcher *dispatcher)
{
    frontend->writer = writer;
    frontend->reads = read_queue_new(quick, count, slow);
    frontend->dispatcher = dispatcher;
}

void frontend_set_forwarder(struct frontend *frontend, struct forwarder *forwarder)
{
    frontend->forwarder = forwarder;
}

static void drop_msg(struct frontend *frontend, const struct io_msg *msg)
{
    if (msg->kind == IO_MSG_DISPATCH)
        arena_free(msg->order->arena);
    else if (msg->kind == IO_MSG_NAMESPACE)
        frontend_add_namespace(frontend, msg->namespace_msg);
    else if (msg->kind == IO_MSG_KEYS)
        admission_set_keys(frontend->admission, msg->keys);
}

static void drop_writer_msgs(struct frontend *frontend)
{
    struct writer_msg msg;

    while (mailbox_take(frontend->options.to_writer, &msg, 1) > 0)
        if (msg.kind == WRITER_MSG_REPORT)
            arena_free(msg.reported->arena);
}

void frontend_abandon(struct frontend *frontend)
{
    struct io_msg msg;

    while (mailbox_take(frontend->options.to_io, &msg, 1) > 0)
        drop_msg(frontend, &msg);
    drop_writer_msgs(frontend);
    frontend->is_abandoned = true;
    streams_abandon(frontend->streams);
    frontend_attributes_abandon(frontend);
    if (frontend->forwarder)
        forwarder_abandon(frontend->forwarder);
    for (struct ticket *t = frontend->all.next_open, *next; t != &frontend->all; t = next) {
        struct exchange *x = t->x;

        next = t->next_open;
        if (!x && !t->is_away)
            continue; /* its answer is being sent; it ends in on_over() */
        t->x = NULL;
        t->is_away = false;
        if (x) {
            exchange_watch(x, NULL, NULL);
            exchange_cut(x);
        }
        frontend_ticket_end(frontend, t);
    }
}

struct frontend *frontend_free(struct frontend *frontend)
{
    if (!frontend)
        return NULL;
    must(frontend->count == 0);
    drop_writer_msgs(frontend);
    for (size_t i = 0; i < frontend->delayed_count; i++)
        arena_free(frontend->delayed[i]->arena);
    loop_timer_free(frontend->timer);
    while (frontend->spare) {
        struct ticket *t = frontend->spare;

        frontend->spare = t->next;
        arena_free(t->call.arena);
        free(t);
    }
    namespace_cache_free(frontend->namespaces);
    admission_free(frontend->admission);
    read_queue_free(frontend->reads);
    streams_free(frontend->streams);
    arena_free(frontend->scratch);
    part_cache_free(frontend->options.context.part_cache);
    free(frontend->delayed);
    free(frontend);
    return NULL;
}
