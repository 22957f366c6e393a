/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as the body of every operation that takes one, and as names of members.
 *
 * Every call either goes to the engine or a reader and keeps their contracts (texts are UTF-8
 * within their limits), or has an answer that is JSON.
 */
#include "api/call/operation.h"
#include "base/must.h"
#include "core/run_id.h"
#include "model/run_json.h"
#include "store/logs.h"
#include "wire/grpc/grpc.h"
#include "wire/json/json.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

/* Only zones with a fixed offset: core/time/tz.h has its own fuzz target. */
static const struct tz *find_zone(void *arena, struct str name, struct err *err)
{
    struct tz *tz = arena_take(arena, TZ_FIXED_BYTES);

    return tz_fixed(name, tz, TZ_FIXED_BYTES, err) == RC_OK ? tz : NULL;
}

static bool has_upstream(void *arg, struct str namespace, struct str upstream)
{
    (void)arg;
    (void)namespace;
    return upstream.len % 2 == 1;
}

static uint64_t no_random(void *arg)
{
    (void)arg;
    return 0;
}

static const char *reason_not_ready(void *arg)
{
    (void)arg;
    return NULL;
}

static enum rc accept_settings(void *arg, struct str json, struct arena *arena,
                               struct err *reterr)
{
    (void)arg;
    (void)json;
    (void)arena;
    (void)reterr;
    return RC_OK;
}

static void check_text(struct str text)
{
    must(str_is_utf8(text));
    must(text.len == 0 || !memchr(text.ptr, '\0', text.len));
}

/* A gRPC message, or empty if header fields carry the error. */
static void check_frame(struct str answer)
{
    bool is_compressed = false;
    struct str message;
    struct err err;

    must(answer.len == 0 || grpc_unframe(answer, &is_compressed, &message, &err) == RC_OK);
    must(!is_compressed);
}

static void check_json(struct str text)
{
    json_t *json = text.len > 0 ? json_loadb(text.ptr, text.len, JSON_DECODE_ANY, NULL) : NULL;

    must(text.len == 0 || json != NULL);
    json_decref(json);
}

/* Checks packed log lines. */
static void check_log(struct str log)
{
    struct log_line line;
    bool any = true;
    struct err err;

    must(log.len <= LOG_PART_MAX);
    while (any)
        must(log_line_unpack(&log, &line, &any, &err) == RC_OK);
}

static void check_start(const struct start_args *start)
{
    check_json(start->input);
    must(start->overlap <= OVERLAP_DEFAULT);
}

static void check_save(const struct save_args *save)
{
    check_json(save->draft->spec);
    check_json(save->draft->action);
    check_json(save->draft->policies);
    must(plan_is_valid(&save->draft->plan));
    check_text(save->reason);
    check_start(&save->start);
}

static void check_command(const struct command *command)
{
    check_text(command->name);
    switch (command->kind) {
    case COMMAND_CREATE:
    case COMMAND_UPDATE:
    case COMMAND_PUT:
    case COMMAND_DIRECT:
        must(command->name.len > 0 && command->name.len <= CALL_NAME_MAX);
        check_save(&command->save);
        break;
    case COMMAND_PAUSE:
    case COMMAND_RESUME:
    case COMMAND_CLOSE:
        check_text(command->pause.reason);
        break;
    case COMMAND_TRIGGER:
    case COMMAND_TEST:
        check_start(&command->start);
        break;
    case COMMAND_APPROVE:
        check_log(command->run.log);
        break;
    case COMMAND_REJECT:
        check_json(command->run.error);
        break;
    case COMMAND_HINT:
        check_text(command->hint.reason);
        break;
    case COMMAND_NAMESPACE:
        check_json(command->settings);
        break;
    case COMMAND_UNGATE:
        check_text(command->ungate.policy);
        break;
    default:
        break;
    }
}

static void check_report(const struct report *report)
{
    must(report->fence >= 0 && report->extend >= 0 && report->retry_after >= 0);
    check_text(report->error);
    check_json(report->result);
    check_text(report->progress);
    check_log(report->log);
}

static void check_poll(const struct call_poll *poll)
{
    must(poll->queue_count >= 1 && poll->queue_count <= POLL_QUEUES_MAX);
    must(poll->max >= 1 && poll->max <= POLL_RUNS_MAX && poll->wait >= 0);
    for (int i = 0; i < poll->queue_count; i++)
        check_text(poll->queues[i]);
    check_text(poll->worker);
}

static void check_step(const struct call *call, enum call_step step)
{
    if (step == CALL_ANSWER)
        must(call->status >= 200 && call->status < 600);
    if (step == CALL_ANSWER && call->dialect == DIALECTS_TEMPORAL) {
        check_frame(call->answer);
    } else if (step == CALL_ANSWER) {
        check_text(call->answer);
        check_json(call->answer);
    }
    if (step == CALL_COMMANDS)
        must(call->command_count >= 1 && call->command_count <= CALL_ITEMS_MAX);
    for (int i = 0; step == CALL_COMMANDS && i < call->command_count; i++)
        check_command(&call->commands[i]);
    if (step == CALL_REPORTS)
        must(call->report_count >= 1 && call->report_count <= CALL_ITEMS_MAX);
    for (int i = 0; step == CALL_REPORTS && i < call->report_count; i++)
        check_report(&call->reports[i]);
    if (step == CALL_POLL)
        check_poll(&call->poll);
    must(step != CALL_READ || call->operation->read);
    must(step == CALL_ANSWER || step == CALL_READ || call->operation->settled);
}

static void no_halt(void *arg, bool is_halted)
{
    (void)arg;
    (void)is_halted;
}

static void begin_call(const struct operation *operation, struct arena *arena, struct str body)
{
    static const struct http1_request request;
    const struct api_context context = {.zones = {find_zone, arena},
                                        .policies = policies_default(),
                                        .default_timezone = STR("UTC"),
                                        .min_interval = SPAN_S,
                                        .version = "0",
                                        .has_upstream = has_upstream,
                                        .random = no_random,
                                        .not_ready = reason_not_ready,
                                        .halt = no_halt,
                                        .check_settings = accept_settings};
    char id[RUN_ID_TEXT_MAX];
    struct call call = {.arena = arena,
                        .operation = operation,
                        .dialect = operation->dialect,
                        .context = &context,
                        .now = SPAN_DAY,
                        .caller = {.role = ROLE_ADMIN, .is_everywhere = true}};

    arena_reset(arena);
    run_id_format(&(struct run_id){1, 2, 3}, id);
    call.params[0] = str_starts(str_of(operation->id), STR("run.")) ? str_of(id) : STR("a");
    call.params[1] = STR("b");
    check_step(&call, call_begin(&call, &request, body));
}

/* The names of members in a query string. */
static void check_fields(struct str text)
{
    field_set fields;
    struct err err;

    if (fields_from_text(text, &run_fields, &fields, &err) == RC_OK)
        must(fields_have(fields, RUN_FIELD_ID) && fields < FIELD(RUN_FIELDS));
    else
        must(err.rc == RC_LIMIT ||
             (err.at >= 0 && (size_t)err.at + (size_t)err.len <= text.len));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    static struct arena *arena;
    struct str body = {(const char *)bytes, len};

    if (!arena)
        arena = arena_new(CALL_ARENA_MAX);
    check_fields(body);
    for (int i = 0; i < operation_count; i++)
        if (operations[i].body_max > 0)
            begin_call(&operations[i], arena, body);
    return 0;
}
