/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A ticket is in the list of all from its making to its end, whoever has it; the exchange
 * that it answers may be over before it comes back.
 */
#include "server/frontend/frontend_parts.h"

#include <stdlib.h>
#include <string.h>

#include "api/access/audit_note.h"
#include "api/schedules/part_cache.h"
#include "base/must.h"
#include "io/clock.h"
#include "wire/grpc/grpc.h"

enum {
    BODY_OF_NOTHING = 64 * 1024, /* read so that a wrong path is told of as one */
    DETAIL_MAX = 160,            /* of a request that is given up               */
};

#define ANSWER_WITHIN (10 * SPAN_S)   /* then 503: the engine or the database stands still */
#define SEED_RETRY    SPAN_S          /* after the server could not: as clients are told     */
#define LOOK_EVERY    (100 * SPAN_MS) /* at deadlines, and at what found no room           */

/* ---- answers ---- */

/* Runs that were claimed for somebody who never got them go back at once. */
static void hand_back(struct frontend *frontend, struct ticket *t)
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
    t->deadline_us = clock_boot_us() + ANSWER_WITHIN; /* the poll's may be over */
    frontend_send_off(frontend, t, WRITER_MSG_CALL);
}

struct over {
    struct frontend *frontend;
    struct ticket *ticket;
};

static void on_over(void *arg, bool is_sent)
{
    struct over *over = arg;

    if (is_sent || over->frontend->is_abandoned)
        frontend_ticket_end(over->frontend, over->ticket);
    else
        hand_back(over->frontend, over->ticket);
}

static void on_gone(void *arg, struct exchange *x)
{
    struct over *over = arg;

    (void)x;
    if (!over->ticket->is_away || over->ticket->step != CALL_POLL)
        return;
    atomic_store(&over->ticket->is_left, true);
    frontend_post(over->frontend, &(struct writer_msg){.kind = WRITER_MSG_LOOK});
}

static const struct exchange_watch poll_watch = {.on_gone = on_gone, .on_over = on_over};

static void answer(struct frontend *frontend, struct ticket *t)
{
    struct exchange *x = t->x;
    bool has_grants = t->call.grant_count > 0;

    t->x = NULL;
    if (t->is_seed)
        frontend->is_applying_seed = false;
    if (t->is_seed && !seeds_told(frontend->options.seeds, &t->call, frontend->options.log))
        frontend->seed_at_us = clock_boot_us() + SEED_RETRY;
    frontend_at(frontend, SERVE_BEFORE_ANSWER);
    if (!x || (has_grants && x->is_gone)) {
        if (x)
            exchange_cut(x);
        if (has_grants)
            hand_back(frontend, t);
        else
            frontend_ticket_end(frontend, t);
        return;
    }
    if (!has_grants)
        exchange_watch(x, NULL, NULL);
    frontend_write_answer(frontend, x, t);
    frontend_at(frontend, SERVE_AFTER_ANSWER);
    if (!has_grants)
        frontend_ticket_end(frontend, t); /* with grants: at on_over */
}

/* ---- the way of a ticket ---- */

/* False when it has been sent to ask, or answered with a refusal. */
static bool find_space(struct frontend *frontend, struct ticket *t)
{
    struct call *call = &t->call;
    const struct space *space;

    if (call->namespace != 0)
        return true;
    space = namespace_cache_find(frontend->namespaces, call->namespace_name);
    if (space) {
        call->namespace = space->id;
        if (admission_allows(frontend->admission, call, space, &t->limit))
            return true;
        t->step = CALL_ANSWER;
        answer(frontend, t);
        return false;
    }
    if (!t->asked) {
        t->asked = t->is_asking = true;
        frontend_send_off(frontend, t, WRITER_MSG_NAMESPACES);
        return false;
    }
    t->step = call_without_namespace(call);
    if (t->step != CALL_ANSWER)
        return find_space(frontend, t); /* it is made, by a call to one that is there */
    answer(frontend, t);
    return false;
}

static void go_on(struct frontend *frontend, struct ticket *t)
{
    struct call *call = &t->call;

    if (t->step != CALL_ANSWER && !frontend->is_up) {
        call_problem(call, 503, "unavailable", "not ready: %s", frontend_not_ready(frontend));
        t->step = CALL_ANSWER;
    }
    if (t->step != CALL_ANSWER && frontend->items + frontend_items_of(t, t->step) > ITEMS_MAX) {
        call_problem(call, 503, "unavailable", "too much is waiting; try again in a moment");
        t->step = CALL_ANSWER;
    }
    if (t->step == CALL_STREAM && frontend->closing)
        t->step = call_problem(call, 503, "unavailable", "%s", frontend->closing);
    if (t->step == CALL_STREAM && streams_is_full(frontend->streams))
        t->step = call_problem(call, 503, "unavailable", "%d streams are open, the most",
                               STREAMS_MAX);
    if (t->step == CALL_ANSWER) {
        answer(frontend, t);
        return;
    }
    if (t->step == CALL_STREAM) {
        streams_adopt(frontend->streams, t);
        return;
    }
    if (!find_space(frontend, t))
        return;
    if (t->step == CALL_READ) {
        frontend_read(frontend, t);
        return;
    }
    call_complete(call);
    if (t->step == CALL_POLL) {
        struct over *over = arena_take(call->arena, sizeof *over);

        *over = (struct over){frontend, t};
        t->deadline_us += call->poll.wait;
        exchange_watch(t->x, &poll_watch, over);
    }
    frontend_send_off(frontend, t, WRITER_MSG_CALL);
}

void frontend_came_back(struct frontend *frontend, struct ticket *t)
{
    frontend_back(frontend, t);
    t->call.context = &frontend->options.context;
    if (t->stream) {
        streams_back(frontend->streams, t);
        return;
    }
    if (!t->x && !t->is_seed && t->call.grant_count == 0) {
        frontend_ticket_end(frontend, t); /* nobody waits for it, or it brought runs back */
        return;
    }
    if (!t->x && !t->is_seed) {
        answer(frontend, t);
        return;
    }
    if (t->is_asking) {
        t->is_asking = false;
        go_on(frontend, t);
        return;
    }
    if (t->is_settled)
        t->is_settled = false;
    else if (t->refused)
        t->step = call_refused(&t->call, &(struct command){.kind = COMMAND_QUEUE}, t->refused);
    else if (t->sent_for != CALL_READ || t->step == CALL_SETTLE)
        t->step = t->call.operation->settled(&t->call);
    go_on(frontend, t);
}

/* ---- requests ---- */

static int64_t body_max(void *arg, const struct http1_request *request)
{
    struct str params[CALL_PARAMS_MAX], allow;
    struct frontend *frontend = arg;
    const struct operation *op;
    int status;

    arena_reset(frontend->scratch);
    op = operation_find(request, frontend->scratch, params, &status, &allow);
    frontend->looked_up = request;
    frontend->found = op;
    if (!op)
        return BODY_OF_NOTHING;
    return op->body_max + (op->dialect == DIALECTS_TEMPORAL ? GRPC_PREFIX : 0);
}

/* What the listener has asked about last is not looked for again. */
static void find_operation(struct frontend *frontend, struct call *call,
                           const struct http1_request *request, int *ret_status,
                           struct str *ret_allow)
{
    if (frontend->looked_up == request && frontend->found) {
        call->operation = frontend->found;
        operation_params(call->operation, request, call->arena, call->params);
    } else {
        call->operation = operation_find(request, call->arena, call->params, ret_status,
                                         ret_allow);
    }
    frontend->looked_up = NULL;
}

/* Up to the first step of the call, or its refusal. */
static void begin(struct frontend *frontend, struct ticket *t, struct exchange *x)
{
    struct call *call = &t->call;
    struct str allow, body = x->body;
    int status;

    find_operation(frontend, call, x->request, &status, &allow);
    call->dialect = operation_dialect(call->operation, x->request);
    if (!frontend_rpc_fits(t, x, ANSWER_WITHIN))
        return;
    if (x->is_too_large) {
        t->step = call_problem(call, 413, "limit", "the body is longer than this path takes");
    } else if (frontend->count > TICKETS_MAX) {
        t->step = call_problem(call, 503, "unavailable", "too many requests are under way");
    } else if (!call->operation && status == 405) {
        t->step = call_problem(call, 405, "not_found", "%.*s is not for this path; try %.*s",
                               STR_ARG(x->request->method), STR_ARG(allow));
        call->fields[call->field_count++] = (struct http1_field){STR("Allow"), allow};
    } else if (!call->operation) {
        t->step = call_problem(call, 404, "not_found", "there is nothing at %.*s",
                               STR_ARG(x->request->target));
    } else if (admission_admit(frontend->admission, call, x, frontend->options.config,
                               &t->limit) &&
               frontend_rpc_open(t, x, &body)) {
        t->step = call_begin(call, x->request, body);
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
    begin(frontend, t, x);
    admission_note(frontend->admission, &t->call);
    go_on(frontend, t);
}

struct listener_handler frontend_handler(struct frontend *frontend)
{
    return (struct listener_handler){
        .body_max = body_max, .on_request = on_request, .arg = frontend};
}

/* ---- deadlines ---- */

/* What is to be done where nobody knows whether it was: in words of whoever asked. */
static const char *way_out(const struct ticket *t)
{
    if (t->call.dialect != DIALECTS_TEMPORAL)
        return "look, or ask again with the same Idempotency-Key";
    /* Not every call of gRPC can have one. */
    return t->has_key ? "look, or ask again with the same request_id" : "look";
}

/* A client's own deadline, which calls of gRPC may have, is no sign of a standstill here. */
static void give_up(struct frontend *frontend, struct ticket *t)
{
    bool is_read = t->sent_for == CALL_READ || t->sent_for == CALL_POLL;
    char detail[DETAIL_MAX];
    struct buf out = BUF(detail);

    buf_text(&out, t->is_hurried ? "the deadline of the call has passed"
                                 : "the database does not answer in time");
    if (!is_read)
        buf_printf(&out, "; it may still be done: %s", way_out(t));
    frontend_give_up(frontend, t,
                     &(struct problem){
                         .request_id = t->call.request_id,
                         .status = t->is_hurried ? 504 : 503,
                         .code = is_read ? "unavailable" : "unknown_result",
                         .detail = detail,
                         .at = -1,
                     });
}

/* What the admission wants written down goes to the writer as a request of nobody. */
static void send_errand(struct frontend *frontend)
{
    struct ticket *t;

    if (frontend->is_abandoned || !frontend->is_up ||
        frontend->items + CALL_ITEMS_MAX > ITEMS_MAX || frontend->count >= TICKETS_MAX)
        return;
    t = frontend_ticket_new(frontend, NULL);
    t->call.now = clock_now();
    t->deadline_us = clock_boot_us() + ANSWER_WITHIN;
    t->step = CALL_COMMANDS;
    if (admission_report(frontend->admission, &t->call, frontend->options.log))
        frontend_send_off(frontend, t, WRITER_MSG_CALL);
    else
        frontend_ticket_end(frontend, t);
}

/* Seeds go one after the other; those that are refused at once do not come back. */
void frontend_apply_seeds(struct frontend *frontend)
{
    struct seeds *seeds = frontend->options.seeds;

    while (seeds && seeds_are_left(seeds) && !frontend->is_applying_seed &&
           frontend_has_database(frontend) && !frontend->closing && !frontend->is_abandoned &&
           clock_boot_us() >= frontend->seed_at_us) {
        struct ticket *t = frontend_ticket_new(frontend, NULL);

        frontend->is_applying_seed = t->is_seed = true;
        t->call.now = clock_now();
        t->call.context = &frontend->options.context;
        t->step = seeds_begin(seeds, &t->call);
        go_on(frontend, t);
    }
}

static void on_timer(void *arg)
{
    struct frontend *frontend = arg;
    int64_t boot = clock_boot_us();

    for (struct ticket *t = frontend->all.behind; t != &frontend->all; t = t->behind)
        if (t->x && t->is_away && t->deadline_us < boot)
            give_up(frontend, t);
    frontend_close_denied(frontend);
    frontend_push_late(frontend);
    if (frontend_count_finished(frontend)) /* such as programs that were killed: nobody tells */
        frontend_post(frontend, &(struct writer_msg){.kind = WRITER_MSG_LOOK});
    send_errand(frontend);
    frontend_apply_seeds(frontend);
    loop_timer_set(frontend->timer, LOOK_EVERY);
}

/* ---- from begin to end ---- */

const char *frontend_not_ready(const struct frontend *frontend)
{
    if (frontend->closing)
        return frontend->closing;
    return frontend->why[0] != '\0' ? frontend->why : NULL;
}

void frontend_closing(struct frontend *frontend, const char *why)
{
    frontend->closing = why;
    streams_close(frontend->streams);
}

void frontend_reload(struct frontend *frontend, const struct config *config,
                     const struct api_context *context)
{
    frontend->options.config = config;
    context_renew(&frontend->options.context, context);
}

void frontend_staff_left(struct frontend *frontend)
{
    for (int lane = 0; lane < LANE_COUNT; lane++)
        atomic_store(&frontend->options.finished[lane], frontend->received[lane]);
    frontend->dispatcher = NULL;
}

bool frontend_has_upstream(const struct frontend *frontend, struct str namespace,
                           struct str upstream)
{
    const struct space *space = namespace_cache_find(frontend->namespaces, namespace);

    return space && upstream_settings(&space->settings, upstream);
}

int64_t frontend_quota(const struct frontend *frontend, struct str namespace)
{
    const struct space *space = namespace_cache_find(frontend->namespaces, namespace);

    return space && space->settings.has_quota ? space->settings.quota_schedules
                                              : frontend->options.config->quota_schedules;
}

bool frontend_is_drained(const struct frontend *frontend)
{
    return frontend->is_drained || frontend->is_away;
}

int frontend_count(const struct frontend *frontend)
{
    return frontend->count;
}

bool frontend_has_database(const struct frontend *frontend)
{
    return frontend->is_up && !frontend->is_away;
}

int frontend_busy(const struct frontend *frontend)
{
    return frontend->away;
}

struct frontend *frontend_new(const struct frontend_options *options)
{
    struct frontend *frontend = calloc(1, sizeof *frontend);

    must(frontend);
    frontend->options = *options;
    frontend->options.context.part_cache = part_cache_new();
    frontend->all.before = frontend->all.behind = &frontend->all;
    frontend->namespaces = namespace_cache_new();
    frontend->admission = admission_new(options->context.random(options->context.arg));
    frontend->streams = streams_new(frontend, options->signal, options->loop,
                                    options->has_others);
    frontend->scratch = arena_new(CALL_ARENA_MAX);
    memcpy(frontend->why, "starting", sizeof "starting");
    frontend->is_away = true;
    frontend->timer = loop_timer_new(options->loop, on_timer, frontend);
    loop_timer_set(frontend->timer, LOOK_EVERY);
    return frontend;
}

void frontend_staff(struct frontend *frontend, struct writer *writer,
                    struct reader *const *readers, int count, struct dispatcher *dispatcher)
{
    must(count > 0 && count <= FRONTEND_READERS_MAX);
    frontend->writer = writer;
    for (int i = 0; i < count; i++)
        frontend->readers[i] = readers[i];
    frontend->reader_count = count;
    frontend->dispatcher = dispatcher;
}

static void abandon_notice(struct frontend *frontend, const struct io_msg *msg)
{
    if (msg->kind == IO_MSG_DISPATCH)
        arena_free(msg->order->arena);
    else if (msg->kind == IO_MSG_NAMESPACE)
        frontend_learn_namespace(frontend, msg->space);
    else if (msg->kind == IO_MSG_KEYS)
        admission_keys(frontend->admission, msg->keys);
}

static void drop_memos(struct frontend *frontend)
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
        abandon_notice(frontend, &msg);
    drop_memos(frontend);
    frontend->is_abandoned = true;
    streams_abandon(frontend->streams);
    for (struct ticket *t = frontend->all.behind, *next; t != &frontend->all; t = next) {
        struct exchange *x = t->x;

        next = t->behind;
        if (!x && !t->is_away)
            continue; /* its answer is being sent: it ends at on_over */
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
    drop_memos(frontend);
    for (size_t i = 0; i < frontend->late_count; i++)
        arena_free(frontend->late[i]->arena);
    loop_timer_free(frontend->timer);
    while (frontend->spare) {
        struct ticket *t = frontend->spare;

        frontend->spare = t->next;
        arena_free(t->call.arena);
        free(t);
    }
    namespace_cache_free(frontend->namespaces);
    admission_free(frontend->admission);
    streams_free(frontend->streams);
    arena_free(frontend->scratch);
    part_cache_free(frontend->options.context.part_cache);
    free(frontend->late);
    free(frontend);
    return NULL;
}
