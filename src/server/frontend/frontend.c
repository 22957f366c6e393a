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
#define SOW_AGAIN     SPAN_S          /* after the server could not: as clients are told     */
#define LOOK_EVERY    (100 * SPAN_MS) /* at deadlines, and at what found no room           */

/* ---- answers ---- */

/* Runs that were claimed for somebody who never got them go back at once. */
static void hand_back(struct door *door, struct ticket *t)
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
    door_send_off(door, t, MEMO_CALL);
}

struct over {
    struct door *door;
    struct ticket *ticket;
};

static void on_over(void *with, bool is_sent)
{
    struct over *over = with;

    if (is_sent || over->door->is_abandoned)
        door_ticket_end(over->door, over->ticket);
    else
        hand_back(over->door, over->ticket);
}

static void on_gone(void *with, struct exchange *x)
{
    struct over *over = with;

    (void)x;
    if (!over->ticket->is_away || over->ticket->step != CALL_POLL)
        return;
    atomic_store(&over->ticket->is_left, true);
    door_memo(over->door, &(struct memo){.kind = MEMO_LOOK});
}

static const struct exchange_watch poll_watch = {.on_gone = on_gone, .on_over = on_over};

static void answer(struct door *door, struct ticket *t)
{
    struct exchange *x = t->x;
    bool has_grants = t->call.grant_count > 0;

    t->x = NULL;
    if (t->is_seed)
        door->is_sowing = false;
    if (t->is_seed && !seeds_told(door->options.seeds, &t->call, door->options.log))
        door->sow_at_us = clock_boot_us() + SOW_AGAIN;
    door_at(door, SERVE_BEFORE_ANSWER);
    if (!x || (has_grants && x->is_gone)) {
        if (x)
            exchange_cut(x);
        if (has_grants)
            hand_back(door, t);
        else
            door_ticket_end(door, t);
        return;
    }
    if (!has_grants)
        exchange_watch(x, NULL, NULL);
    door_write_answer(door, x, t);
    door_at(door, SERVE_AFTER_ANSWER);
    if (!has_grants)
        door_ticket_end(door, t); /* with grants: at on_over */
}

/* ---- the way of a ticket ---- */

/* False when it has been sent to ask, or answered with a refusal. */
static bool find_space(struct door *door, struct ticket *t)
{
    struct call *call = &t->call;
    const struct space *space;

    if (call->namespace != 0)
        return true;
    space = spaces_find(door->spaces, call->namespace_name);
    if (space) {
        call->namespace = space->id;
        if (porter_allows(door->porter, call, space, &t->limit))
            return true;
        t->step = CALL_ANSWER;
        answer(door, t);
        return false;
    }
    if (!t->asked) {
        t->asked = t->is_asking = true;
        door_send_off(door, t, MEMO_SPACES);
        return false;
    }
    t->step = call_without_namespace(call);
    if (t->step != CALL_ANSWER)
        return find_space(door, t); /* it is made, by a call to one that is there */
    answer(door, t);
    return false;
}

static void go_on(struct door *door, struct ticket *t)
{
    struct call *call = &t->call;

    if (t->step != CALL_ANSWER && !door->is_up) {
        call_problem(call, 503, "unavailable", "not ready: %s", door_not_ready(door));
        t->step = CALL_ANSWER;
    }
    if (t->step != CALL_ANSWER && door->items + door_items_of(t, t->step) > ITEMS_MAX) {
        call_problem(call, 503, "unavailable", "too much is waiting; try again in a moment");
        t->step = CALL_ANSWER;
    }
    if (t->step == CALL_STREAM && door->closing)
        t->step = call_problem(call, 503, "unavailable", "%s", door->closing);
    if (t->step == CALL_STREAM && feed_is_full(door->feed))
        t->step = call_problem(call, 503, "unavailable", "%d streams are open, the most",
                               STREAMS_MAX);
    if (t->step == CALL_ANSWER) {
        answer(door, t);
        return;
    }
    if (t->step == CALL_STREAM) {
        feed_adopt(door->feed, t);
        return;
    }
    if (!find_space(door, t))
        return;
    if (t->step == CALL_READ) {
        door_read(door, t);
        return;
    }
    call_complete(call);
    if (t->step == CALL_POLL) {
        struct over *over = arena_take(call->arena, sizeof *over);

        *over = (struct over){door, t};
        t->deadline_us += call->poll.wait;
        exchange_watch(t->x, &poll_watch, over);
    }
    door_send_off(door, t, MEMO_CALL);
}

void door_came_back(struct door *door, struct ticket *t)
{
    door_back(door, t);
    t->call.context = &door->options.context;
    if (t->stream) {
        feed_back(door->feed, t);
        return;
    }
    if (!t->x && !t->is_seed && t->call.grant_count == 0) {
        door_ticket_end(door, t); /* nobody waits for it, or it brought runs back */
        return;
    }
    if (!t->x && !t->is_seed) {
        answer(door, t);
        return;
    }
    if (t->is_asking) {
        t->is_asking = false;
        go_on(door, t);
        return;
    }
    if (t->is_settled)
        t->is_settled = false;
    else if (t->refused)
        t->step = call_refused(&t->call, &(struct command){.kind = COMMAND_QUEUE}, t->refused);
    else if (t->sent_for != CALL_READ || t->step == CALL_SETTLE)
        t->step = t->call.operation->settled(&t->call);
    go_on(door, t);
}

/* ---- requests ---- */

static int64_t body_max(void *with, const struct http1_request *request)
{
    struct str params[CALL_PARAMS_MAX], allow;
    struct door *door = with;
    const struct operation *op;
    int status;

    arena_reset(door->scratch);
    op = operation_find(request, door->scratch, params, &status, &allow);
    door->looked_up = request;
    door->found = op;
    if (!op)
        return BODY_OF_NOTHING;
    return op->body_max + (op->dialect == DIALECTS_TEMPORAL ? GRPC_PREFIX : 0);
}

/* What the listener has asked about last is not looked for again. */
static void find_operation(struct door *door, struct call *call,
                           const struct http1_request *request, int *ret_status,
                           struct str *ret_allow)
{
    if (door->looked_up == request && door->found) {
        call->operation = door->found;
        operation_params(call->operation, request, call->arena, call->params);
    } else {
        call->operation = operation_find(request, call->arena, call->params, ret_status,
                                         ret_allow);
    }
    door->looked_up = NULL;
}

/* Up to the first step of the call, or its refusal. */
static void begin(struct door *door, struct ticket *t, struct exchange *x)
{
    struct call *call = &t->call;
    struct str allow, body = x->body;
    int status;

    find_operation(door, call, x->request, &status, &allow);
    call->dialect = operation_dialect(call->operation, x->request);
    if (!door_rpc_fits(t, x, ANSWER_WITHIN))
        return;
    if (x->is_too_large) {
        t->step = call_problem(call, 413, "limit", "the body is longer than this path takes");
    } else if (door->count > TICKETS_MAX) {
        t->step = call_problem(call, 503, "unavailable", "too many requests are under way");
    } else if (!call->operation && status == 405) {
        t->step = call_problem(call, 405, "not_found", "%.*s is not for this path; try %.*s",
                               STR_ARG(x->request->method), STR_ARG(allow));
        call->fields[call->field_count++] = (struct http1_field){STR("Allow"), allow};
    } else if (!call->operation) {
        t->step = call_problem(call, 404, "not_found", "there is nothing at %.*s",
                               STR_ARG(x->request->target));
    } else if (porter_admit(door->porter, call, x, door->options.config, &t->limit) &&
               door_rpc_open(t, x, &body)) {
        t->step = call_begin(call, x->request, body);
    }
}

static void on_request(void *with, struct exchange *x)
{
    struct door *door = with;
    struct ticket *t = door_ticket_new(door, x);

    door->begun++;
    t->call.now = clock_now();
    t->call.context = &door->options.context;
    porter_greet(&t->call, x);
    t->deadline_us = clock_boot_us() + ANSWER_WITHIN;
    begin(door, t, x);
    porter_note(door->porter, &t->call);
    go_on(door, t);
}

struct listener_handler door_handler(struct door *door)
{
    return (struct listener_handler){
        .body_max = body_max, .on_request = on_request, .with = door};
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
static void give_up(struct door *door, struct ticket *t)
{
    bool is_read = t->sent_for == CALL_READ || t->sent_for == CALL_POLL;
    char detail[DETAIL_MAX];
    struct buf out = BUF(detail);

    buf_text(&out, t->is_hurried ? "the deadline of the call has passed"
                                 : "the database does not answer in time");
    if (!is_read)
        buf_printf(&out, "; it may still be done: %s", way_out(t));
    door_give_up(door, t,
                 &(struct problem){
                     .request_id = t->call.request_id,
                     .status = t->is_hurried ? 504 : 503,
                     .code = is_read ? "unavailable" : "unknown_result",
                     .detail = detail,
                     .at = -1,
                 });
}

/* What the porter wants written down goes to the writer as a request of nobody. */
static void send_errand(struct door *door)
{
    struct ticket *t;

    if (door->is_abandoned || !door->is_up || door->items + CALL_ITEMS_MAX > ITEMS_MAX ||
        door->count >= TICKETS_MAX)
        return;
    t = door_ticket_new(door, NULL);
    t->call.now = clock_now();
    t->deadline_us = clock_boot_us() + ANSWER_WITHIN;
    t->step = CALL_COMMANDS;
    if (porter_report(door->porter, &t->call, door->options.log))
        door_send_off(door, t, MEMO_CALL);
    else
        door_ticket_end(door, t);
}

/* Seeds go one after the other; those that are refused at once do not come back. */
void door_sow(struct door *door)
{
    struct seeds *seeds = door->options.seeds;

    while (seeds && seeds_are_left(seeds) && !door->is_sowing && door_has_database(door) &&
           !door->closing && !door->is_abandoned && clock_boot_us() >= door->sow_at_us) {
        struct ticket *t = door_ticket_new(door, NULL);

        door->is_sowing = t->is_seed = true;
        t->call.now = clock_now();
        t->call.context = &door->options.context;
        t->step = seeds_begin(seeds, &t->call);
        go_on(door, t);
    }
}

static void on_timer(void *with)
{
    struct door *door = with;
    int64_t boot = clock_boot_us();

    for (struct ticket *t = door->all.behind; t != &door->all; t = t->behind)
        if (t->x && t->is_away && t->deadline_us < boot)
            give_up(door, t);
    door_shut_out(door);
    door_push_late(door);
    if (door_count_finished(door)) /* such as programs that were killed: nobody tells */
        door_memo(door, &(struct memo){.kind = MEMO_LOOK});
    send_errand(door);
    door_sow(door);
    loop_timer_set(door->timer, LOOK_EVERY);
}

/* ---- from begin to end ---- */

const char *door_not_ready(const struct door *door)
{
    if (door->closing)
        return door->closing;
    return door->why[0] != '\0' ? door->why : NULL;
}

void door_closing(struct door *door, const char *why)
{
    door->closing = why;
    feed_close(door->feed);
}

void door_reload(struct door *door, const struct config *config,
                 const struct api_context *context)
{
    door->options.config = config;
    context_renew(&door->options.context, context);
}

void door_staff_left(struct door *door)
{
    for (int lane = 0; lane < LANE_COUNT; lane++)
        atomic_store(&door->options.finished[lane], door->received[lane]);
    door->calls = NULL;
}

bool door_has_upstream(const struct door *door, struct str namespace, struct str upstream)
{
    const struct space *space = spaces_find(door->spaces, namespace);

    return space && settings_upstream(&space->settings, upstream);
}

int64_t door_quota(const struct door *door, struct str namespace)
{
    const struct space *space = spaces_find(door->spaces, namespace);

    return space && space->settings.has_quota ? space->settings.quota_schedules
                                              : door->options.config->quota_schedules;
}

bool door_is_drained(const struct door *door)
{
    return door->is_drained || door->is_away;
}

int door_count(const struct door *door)
{
    return door->count;
}

bool door_has_database(const struct door *door)
{
    return door->is_up && !door->is_away;
}

int door_busy(const struct door *door)
{
    return door->away;
}

struct door *door_new(const struct door_options *options)
{
    struct door *door = calloc(1, sizeof *door);

    must(door);
    door->options = *options;
    door->options.context.looks = looks_new();
    door->all.before = door->all.behind = &door->all;
    door->spaces = spaces_new();
    door->porter = porter_new(options->context.random(options->context.with));
    door->feed = feed_new(door, options->news, options->loop, options->has_others);
    door->scratch = arena_new(CALL_ARENA_MAX);
    memcpy(door->why, "starting", sizeof "starting");
    door->is_away = true;
    door->timer = loop_timer_new(options->loop, on_timer, door);
    loop_timer_set(door->timer, LOOK_EVERY);
    return door;
}

void door_staff(struct door *door, struct writer *writer, struct reader *const *readers,
                int count, struct calls *calls)
{
    must(count > 0 && count <= DOOR_READERS_MAX);
    door->writer = writer;
    for (int i = 0; i < count; i++)
        door->readers[i] = readers[i];
    door->reader_count = count;
    door->calls = calls;
}

static void abandon_notice(struct door *door, const struct notice *notice)
{
    if (notice->kind == NOTICE_TASK)
        arena_free(notice->task->arena);
    else if (notice->kind == NOTICE_SPACE)
        door_learn_space(door, notice->space);
    else if (notice->kind == NOTICE_KEYS)
        porter_keys(door->porter, notice->keys);
}

static void drop_memos(struct door *door)
{
    struct memo memo;

    while (mailbox_take(door->options.memos, &memo, 1) > 0)
        if (memo.kind == MEMO_TOLD)
            arena_free(memo.told->arena);
}

void door_abandon(struct door *door)
{
    struct notice notice;

    while (mailbox_take(door->options.notices, &notice, 1) > 0)
        abandon_notice(door, &notice);
    drop_memos(door);
    door->is_abandoned = true;
    feed_abandon(door->feed);
    for (struct ticket *t = door->all.behind, *next; t != &door->all; t = next) {
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
        door_ticket_end(door, t);
    }
}

struct door *door_free(struct door *door)
{
    if (!door)
        return NULL;
    must(door->count == 0);
    drop_memos(door);
    for (size_t i = 0; i < door->late_count; i++)
        arena_free(door->late[i]->arena);
    loop_timer_free(door->timer);
    while (door->spare) {
        struct ticket *t = door->spare;

        door->spare = t->next;
        arena_free(t->call.arena);
        free(t);
    }
    spaces_free(door->spaces);
    porter_free(door->porter);
    feed_free(door->feed);
    arena_free(door->scratch);
    looks_free(door->options.context.looks);
    free(door->late);
    free(door);
    return NULL;
}
