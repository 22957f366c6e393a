/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test server: passes requests to the operations, the engine and a reader, and keeps the
 * last answer.
 */
#include "world.h"

#include <stdlib.h>

#include "api/access/audit_note.h"
#include "api/access/auth.h"
#include "api/call/answer.h"
#include "api/openapi/openapi.h"
#include "api/schedules/part_cache.h"
#include "base/must.h"
#include "record.h"
#include "world_store.h"
#include "zones.h"

enum {
    TURNS_MAX = 1000, /* of one pass_time() */
    STEPS_MAX = 8,    /* of one call */
    TEXT_MAX = 4 << 20,
    JS_TEXTS = 8, /* results of js() that are valid at the same time */
};

#define START INT64_C(1767607200000000) /* 2026-01-05T10:00:00Z */

struct world world;
static struct arena *openapi_arena; /* for the document, which is built once per program */
static struct openapi openapi;

static int64_t quota_schedules(void *arg, struct str namespace)
{
    (void)arg;
    (void)namespace;
    return world.quota;
}

static bool has_upstream(void *arg, struct str namespace, struct str upstream)
{
    (void)arg;
    (void)namespace;
    return world.upstream && (upstream.len == 0 || str_eq(upstream, str_of(world.upstream)));
}

static uint64_t next_random(void *arg)
{
    (void)arg;
    return world.random++;
}

static void halt(void *arg, bool is_halted)
{
    (void)arg;
    world.is_halted = is_halted;
}

static const char *why_not_ready(void *arg)
{
    (void)arg;
    return world.not_ready;
}

static int reasons(void *arg, struct context_reason list[static CONTEXT_REASONS_MAX])
{
    (void)arg;
    int count = 0;

    if (world.not_ready) {
        list[count++] = (struct context_reason){.code = "database", .text = world.not_ready};
        list[count++] = (struct context_reason){.code = "clock",
                                                .text = "the clock has jumped"};
    }
    if (world.has_late_reads)
        list[count++] = (struct context_reason){
            .code = "reads_queued", .text = "reads wait", .is_ready = true};
    return count;
}

static bool print_metrics(void *arg, struct answer *out,
                          struct context_latest latest[static CONTEXT_LATEST_MAX])
{
    (void)arg;
    answer_text(
        out,
        "# HELP x_total A counter of the test server.\n# TYPE x_total counter\nx_total 7\n");
    memcpy(latest, world.latest, sizeof world.latest);
    return !world.not_ready;
}

static enum rc check_settings(void *arg, struct str json, struct arena *arena,
                              struct err *reterr)
{
    (void)arg;
    (void)arena;
    if (!memmem(json.ptr, json.len, "wrong", 5))
        return RC_OK;
    err_set(reterr, RC_INVALID, -1, 0, "wrong is not known");
    err_in(reterr, "wrong");
    return RC_INVALID;
}

static void keep_dispatches(const struct turn_out *out)
{
    for (int i = 0; i < out->dispatch_count; i++) {
        const struct run *run = &out->dispatches[i].run;

        assert_true(world.dispatch_count < WORLD_DISPATCHES_MAX);
        world.dispatches[world.dispatch_count++] = (struct world_dispatch){
            {run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass}, run->fence};
    }
}

static struct turn_out take_turn(struct turn_in *in)
{
    struct err err = {.text = ""};
    struct turn_out out;

    in->now = world.now;
    in->rows = world.turn_rows > 0 ? world.turn_rows : TURN_ROWS_MAX;
    for (int i = LANE_HTTP; i < LANE_COUNT; i++)
        in->capacity[i] = 0;
    in->capacity[LANE_FLOW] = world.workflow_limit;
    world_must(engine_turn(world.engine, in, &out, &err), &err);
    keep_dispatches(&out);
    return out;
}

void report_dispatch(int dispatch, struct report report)
{
    struct turn_in in = {.reports = &report, .report_count = 1};

    assert_true(dispatch < world.dispatch_count);
    report.run = world.dispatches[dispatch].run;
    report.fence = world.dispatches[dispatch].fence;
    assert_int_equal(take_turn(&in).report_replies[0].rc, RC_OK);
}

static int64_t make_name(enum command_kind kind, int64_t namespace, struct str name)
{
    struct command command = {.kind = kind, .namespace = namespace, .name = name};
    struct turn_in in = {.commands = &command, .command_count = 1};

    return take_turn(&in).replies[0].schedule;
}

static void warn(void *arg, struct str namespace, struct str schedule, struct str text)
{
    (void)arg;
    snprintf(world.warned, sizeof world.warned, "%.*s/%.*s: %.*s", STR_ARG(namespace),
             STR_ARG(schedule), STR_ARG(text));
}

int world_begin(void **state)
{
    (void)state;
    if (!openapi_arena) {
        openapi_arena = arena_new(2 << 20);
        openapi = openapi_make("1.2.3", openapi_arena);
    }
    world = (struct world){.now = START, .arena = arena_new(CALL_ARENA_MAX)};
    world.context = (struct api_context){
        .policies = policies_default(),
        .zones = {.find = zone_find},
        .default_timezone = STR("UTC"),
        .min_interval = SPAN_S,
        .future_ttl = 2 * SPAN_DAY,
        .plan_warn_per_day = 1440,
        .version = "1.2.3",
        .node = "a",
        .openapi = &openapi,
        .part_cache = part_cache_new(),
        .has_upstream = has_upstream,
        .quota_schedules = quota_schedules,
        .random = next_random,
        .not_ready = why_not_ready,
        .catalogue = world_query_catalogue,
        .visit_catalogue = world_visit_catalogue,
        .list_zones = world_list_zones,
        .ledger_balance = world_ledger_balance,
        .halt = halt,
        .warn = warn,
        .parts = {.commit = "abc", .sqlite = "3", .started_at = START},
        .reasons = reasons,
        .print_metrics = print_metrics,
        .check_settings = check_settings,
    };
    world_open();
    make_name(COMMAND_NAMESPACE, 0, STR("default"));
    return 0;
}

int world_end(void **state)
{
    (void)state;
    engine_free(world.engine);
    keyring_free(world.keys);
    json_decref(world.json);
    part_cache_free(world.context.part_cache);
    arena_free(world.arena);
    return world_close();
}

void pass_time(span time)
{
    instant until = world.now + time;
    struct turn_in in = {0};

    for (int i = 0; i < TURNS_MAX; i++) {
        struct turn_out out = take_turn(&in);

        if (out.wake_at <= world.now)
            continue;
        if (world.now >= until)
            return;
        world.now = out.wake_at < until ? out.wake_at : until;
    }
    fail_msg("the engine still has work after %d turns", TURNS_MAX);
}

/* ---- the steps of a call ---- */

static struct reply *keep_replies(struct call *call, const struct turn_out *out)
{
    struct reply *replies = arena_array(call->arena, (size_t)out->reply_count, sizeof *replies);

    for (int i = 0; i < out->reply_count; i++) {
        replies[i] = out->replies[i];
        replies[i].text = arena_str(call->arena, replies[i].text);
    }
    return replies;
}

static enum call_step command(struct call *call)
{
    struct turn_in in = {.commands = call->commands, .command_count = call->command_count};
    struct turn_out out;

    call_complete(call);
    out = take_turn(&in);
    call->replies = keep_replies(call, &out);
    return call->operation->settled(call);
}

static enum call_step report(struct call *call)
{
    struct turn_in in = {.reports = call->reports, .report_count = call->report_count};
    struct report_reply *replies;
    struct turn_out out;

    call_complete(call);
    out = take_turn(&in);
    replies = arena_array(call->arena, (size_t)out.report_count, sizeof *replies);
    memcpy(replies, out.report_replies, (size_t)out.report_count * sizeof *replies);
    call->report_replies = replies;
    return call->operation->settled(call);
}

static enum call_step poll(struct call *call)
{
    struct poll poll = {.queue_count = call->poll.queue_count,
                        .max = call->poll.max,
                        .worker = call->poll.worker,
                        .is_new = true};
    struct turn_in in = {.polls = &poll, .poll_count = 1};
    struct turn_out out = {0};
    struct str *queues;

    for (int i = 0; i < poll.queue_count; i++)
        poll.queues[i] = make_name(COMMAND_QUEUE, call->namespace, call->poll.queues[i]);
    for (int i = 0; i < 2 && out.grant_count == 0; i++)
        out = take_turn(&in);
    queues = arena_array(call->arena, (size_t)out.grant_count, sizeof *queues);
    for (int i = 0; i < out.grant_count; i++)
        for (int q = 0; q < poll.queue_count; q++)
            if (poll.queues[q] == out.grants[i].run.queue)
                queues[i] = call->poll.queues[q];
    call->grants = out.grants;
    call->grant_queues = queues;
    call->grant_count = out.grant_count;
    return call->operation->settled(call);
}

static bool find_namespace(struct call *call)
{
    struct db_result result = {0};
    struct err err = {.text = ""};

    namespaces_find(world.reader, call->namespace_name, &result);
    world_must(db_flush(world.reader, call->arena, &err), &err);
    if (result.rows == 1)
        call->namespace = db_int_at(&result, 0, 0);
    return result.rows == 1;
}

static void take_steps(struct call *call, enum call_step step)
{
    if (step != CALL_ANSWER && !find_namespace(call))
        step = call_without_namespace(call);
    for (int i = 0; step != CALL_ANSWER && step != CALL_STREAM; i++) {
        assert_true(i < STEPS_MAX);
        if (step == CALL_COMMANDS)
            step = command(call);
        else if (step == CALL_REPORTS)
            step = report(call);
        else if (step == CALL_POLL)
            step = poll(call);
        else if (step == CALL_SETTLE)
            step = call->operation->settled(call);
        else
            step = world_read_within_budget(call);
    }
}

bool read_stream(void)
{
    assert_non_null(world.call.stream);
    world.call.stream->line_count = 0;
    world.call.now = world.now;
    return world_read(&world.call) == CALL_STREAM;
}

const char *stream_names(void)
{
    static char text[TEXT_MAX];
    const struct call_stream *stream = world.call.stream;
    struct buf out = BUF(text);

    buf_text(&out, "");
    for (int i = 0; i < stream->line_count; i++)
        buf_printf(&out, "%s%.*s", i > 0 ? " " : "", STR_ARG(stream->lines[i].name));
    buf_char(&out, '\0');
    assert_false(out.cut);
    return text;
}

/* ---- requests ---- */

/* The head of a request; the body is passed separately. */
static char *request_text(const char *what, const char *fields, size_t length)
{
    size_t len = strlen(what) + strlen(fields) + 200;
    char *text = malloc(len);

    assert_non_null(text);
    snprintf(text, len, "%s HTTP/1.1\r\n%s%sContent-Length: %zu\r\n%s\r\n", what,
             strstr(fields, "Host:") ? "" : "Host: localhost\r\n",
             strstr(fields, "X-Request-Id:") ? "" : "X-Request-Id: r1\r\n", length, fields);
    return text;
}

static struct keyring *read_keys(void)
{
    struct arena *arena = arena_new(16 << 20);
    struct db_result rows = {0}, sessions = {0};
    struct err err = {.text = ""};
    struct keyring *keys;

    tokens_list(world.reader, 0, 0, TOKENS_MAX, &rows);
    sessions_list(world.reader, INSTANT_NONE, &sessions);
    world_must(db_flush(world.reader, arena, &err), &err);
    keys = keyring_new(STR("the key of the server"), &rows);
    keyring_add_sessions(keys, &sessions);
    arena_free(arena);
    return keys;
}

/* Admits a request as the server does, without its rate limits. */
static bool admit(struct call *call, const struct http1_request *request)
{
    static const struct str hosts[] = {{"belfry.test", 11}};
    struct auth auth = {world.keys, hosts, 1, false};

    call->from = world.is_remote ? STR("192.0.2.7") : STR("127.0.0.1");
    auth_name_request(call, request);
    keyring_free(world.keys);
    auth.keys = world.keys = read_keys();
    call->keys = world.keys;
    if (world.checks_tokens)
        return auth_admit(call, &auth, request, !world.is_remote);
    call->by = STR("test");
    call->caller = (struct caller){.name = call->by, .role = ROLE_ADMIN, .is_everywhere = true};
    return true;
}

static void find_and_begin(struct call *call, const struct http1_request *request,
                           struct str body)
{
    struct budget budget = {.left = world.steps};
    enum call_step step;
    struct str allow;
    int status;

    call->operation = operation_find(request, call->arena, call->params, &status, &allow);
    call->dialect = operation_dialect(call->operation, request);
    if (!call->operation) {
        call_problem(call, status, "not_found", "not found");
        call_field(call, STR("Allow"), allow);
        return;
    }
    if (!admit(call, request))
        return;
    call->budget = world.steps > 0 ? &budget : NULL;
    call->has_asked_attributes = world.is_asked;
    step = world.first_step = call_begin(call, request, body);
    if (step == CALL_ATTRIBUTES) /* there is no upstream here */
        step = call_problem(call, 503, "unavailable", "the upstream is not asked");
    call->budget = NULL;
    take_steps(call, step);
}

static const char *with_token(const char *fields)
{
    static char text[4096];

    if (!world.token)
        return fields;
    snprintf(text, sizeof text, "Authorization: Bearer %s\r\n%s", world.token, fields);
    return text;
}

/* The events of a stream as lines "NAME DATA". */
static struct str stream_text(const struct call_stream *stream, struct arena *arena)
{
    struct answer out = answer_new(arena);

    for (int i = 0; i < stream->line_count; i++) {
        answer_str(&out, stream->lines[i].name);
        answer_text(&out, " ");
        answer_str(&out, stream->lines[i].data);
        answer_text(&out, "\n");
    }
    return answer_done(&out);
}

static void record_call(const char *what, const char *body)
{
    const struct call *call = &world.call;
    struct exchange_record record = {what, body ? body : "", call->status, call->content_type,
                                     call->answer};

    if (field("Content-Encoding")[0] != '\0')
        return; /* not text */
    if (call->stream && call->status == 0) {
        record.status = 200;
        record.content_type = "text/event-stream";
        record.answer = stream_text(call->stream, call->arena);
    }
    record_exchange(&record);
}

/* The body need not be text. */
static void ask_bytes(const char *what, const char *fields, struct str body)
{
    static char room[HTTP1_ROOM];
    static struct http1 parser;
    char *text = request_text(what, with_token(fields ? fields : ""), body.len);
    struct str bytes = str_of(text);
    enum http1_event event;
    struct err err;

    arena_reset(world.arena);
    json_decref(world.json);
    world.json = NULL;
    world.call = (struct call){
        .arena = world.arena, .context = &world.context, .now = world.now, .by = STR("nobody")};
    http1_begin(&parser, room, CALL_BODY_MAX);
    if (http1_feed(&parser, &bytes, &event, &err) != RC_OK)
        fail_msg("%s", err.text);
    assert_int_equal(event, HTTP1_HEAD);
    find_and_begin(&world.call, &parser.request, body);
    free(text);
}

int ask_rpc(const char *path, struct str message)
{
    ask_bytes(js("POST %s", path), "Content-Type: application/grpc\r\n", message);
    return world.call.status;
}

int ask(const char *what, const char *fields, const char *body)
{
    ask_bytes(what, fields, str_of(body ? body : ""));
    record_call(what, body);
    world.json = json_loadb(world.call.answer.ptr ? world.call.answer.ptr : "",
                            world.call.answer.len, JSON_DECODE_ANY, NULL);
    if (world.call.answer.len > 0 && !world.may_be_text && world.call.content_type &&
        strncmp(world.call.content_type, "text/", 5) != 0)
        assert_non_null(world.json);
    return world.call.status;
}

int get(const char *target)
{
    return ask(js("GET %s", target), NULL, NULL);
}

int post(const char *target, const char *body)
{
    return ask(js("POST %s", target), NULL, body);
}

/* ---- answers ---- */

static const json_t *find(const char *path)
{
    const json_t *value = world.json;
    struct str rest = str_of(path), name;
    char key[64];

    while (value && rest.len > 0) {
        if (!str_cut(rest, '.', &name, &rest)) {
            name = rest;
            rest.len = 0;
        }
        snprintf(key, sizeof key, "%.*s", (int)name.len, name.ptr);
        value = json_is_array(value) ? json_array_get(value, (size_t)atoi(key))
                                     : json_object_get(value, key);
    }
    return value;
}

const char *json_at(const char *path)
{
    static char text[TEXT_MAX];
    const json_t *value = find(path);
    struct buf out = BUF(text);

    if (!value)
        return "absent";
    json_print(value, JSON_STYLE_LINE, &out);
    assert_false(out.cut);
    for (size_t i = 0; i < out.len; i++)
        if (text[i] == '"')
            text[i] = '\'';
    return text;
}

struct str text_at(const char *path)
{
    const json_t *value = find(path);

    if (!json_is_string(value))
        fail_msg("%s is not a string in %s", path, json_at(""));
    return str_of(js("%s", json_string_value(value)));
}

const char *field(const char *name)
{
    static char text[1024];
    struct buf out = BUF(text);

    text[0] = '\0';
    for (int i = 0; i < world.call.field_count; i++)
        if (str_eq(world.call.fields[i].name, str_of(name)))
            buf_str(&out, world.call.fields[i].value);
    assert_false(out.cut);
    return text;
}

void assert_refusal(int got, int status, const char *code, const char *where, const char *file,
                    int line)
{
    const json_t *place = find("field");
    const char *field_text = place ? json_string_value(place) : "";
    const json_t *reason = find("code");

    if (got != status || !reason || strcmp(json_string_value(reason), code) != 0 ||
        strcmp(field_text, where) != 0 ||
        strcmp(world.call.content_type, "application/problem+json") != 0 ||
        json_integer_value(find("status")) != status) {
        print_error("%d %s\n", got, json_at(""));
        _fail(file, line);
    }
}

const char *js(const char *fmt, ...)
{
    static char texts[JS_TEXTS][TEXT_MAX];
    static int turn;
    char *text = texts[turn++ % JS_TEXTS];
    va_list args;

    va_start(args, fmt);
    assert_true(vsnprintf(text, TEXT_MAX, fmt, args) < TEXT_MAX);
    va_end(args);
    for (char *c = text; *c; c++)
        if (*c == '\'')
            *c = '"';
    return text;
}
