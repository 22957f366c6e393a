/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Health, readiness and version of the server, and the command that accepts its clock.
 */
#include "api/call/answer.h"
#include "api/call/request.h"
#include "api/native/native.h"

enum call_step health_begin(struct call *call)
{
    return call_answer(call, 200, STR("{\"status\":\"ok\"}"));
}

static void put_reasons(struct answer *out, const struct context_reason *reasons, int count)
{
    answer_text(out, ",\"reasons\":[");
    for (int i = 0; i < count; i++) {
        answer_open(out);
        answer_put_word(out, "code", reasons[i].code);
        answer_put_word(out, "detail", reasons[i].text);
        answer_text(out, "}");
    }
    answer_text(out, "]}");
}

enum call_step ready_begin(struct call *call)
{
    struct context_reason reasons[CONTEXT_REASONS_MAX];
    int count = call->context->reasons(call->context->arg, reasons);
    struct answer out = answer_new(call->arena);
    char text[ERR_TEXT_MAX];
    struct buf all = BUF(text);

    for (int i = 0; i < count; i++)
        if (!reasons[i].is_ready)
            buf_printf(&all, "%s%s", all.len > 0 ? "; " : "", reasons[i].text);
    if (all.len > 0) {
        call_problem(call, 503, "unavailable", "%s", text);
        answer_str(&out, (struct str){call->answer.ptr, call->answer.len - 1});
        put_reasons(&out, reasons, count);
        call->answer = answer_done(&out);
        return CALL_ANSWER;
    }
    answer_text(&out, "{\"status\":\"ready\"");
    put_reasons(&out, reasons, count);
    return call_answer(call, 200, answer_done(&out));
}

static void put_part(struct answer *out, const char *name, const char *text)
{
    answer_put_some(out, name, str_of(text ? text : ""));
}

enum call_step version_begin(struct call *call)
{
    const struct context_parts *parts = &call->context->parts;
    struct answer out = answer_new(call->arena);

    answer_text(&out, "{\"name\":\"belfry\"");
    answer_put_word(&out, "version", call->context->version);
    put_part(&out, "commit", parts->commit);
    put_part(&out, "sqlite", parts->sqlite);
    put_part(&out, "libpq", parts->libpq);
    put_part(&out, "openssl", parts->openssl);
    answer_put_instant(&out, "startedAt", parts->started_at);
    answer_text(&out, "}");
    return call_answer(call, 200, answer_done(&out));
}

/*
 * After a clock jump the engine starts nothing until an operator confirms the clock.  This
 * confirms it; slots that the clock jumped over become missed, with the reason clock.
 */
enum call_step clock_accept_begin(struct call *call)
{
    enum call_step step;
    struct err err;

    if (request_query_check(call, NULL, 0, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (!request_empty(call, &step))
        return step;
    call->commands = arena_take(call->arena, sizeof *call->commands);
    *call->commands = (struct command){.kind = COMMAND_CLOCK};
    call->command_count = 1;
    return CALL_COMMANDS;
}

enum call_step clock_accept_settled(struct call *call)
{
    if (call->replies->rc != RC_OK)
        return call_refused(call, call->commands, call->replies);
    return call_answer(call, 200, STR("{\"status\":\"ok\"}"));
}
