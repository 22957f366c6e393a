/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether the daemon lives, may be used, and what it is.
 */
#include "api/answer.h"
#include "api/native.h"
#include "api/request.h"

enum call_step health_begin(struct call *call)
{
    return call_answer(call, 200, STR("{\"status\":\"ok\"}"));
}

enum call_step ready_begin(struct call *call)
{
    const char *why = call->context->not_ready(call->context->with);

    if (why)
        return call_problem(call, 503, "unavailable", "%s", why);
    return call_answer(call, 200, STR("{\"status\":\"ready\"}"));
}

enum call_step version_begin(struct call *call)
{
    struct answer out = answer_new(call->arena);

    answer_text(&out, "{\"name\":\"belfry\",\"version\":");
    answer_quoted(&out, str_of(call->context->version));
    answer_text(&out, "}");
    return call_answer(call, 200, answer_done(&out));
}

/*
 * After a jump of the clock nothing is started until someone looks: this says that the clock
 * is right, and what it jumped over is missed(clock).
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
