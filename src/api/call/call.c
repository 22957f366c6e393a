/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Begins calls (body limits, namespace, rights) and sets their answers: JSON, errors, denials.
 */
#include "api/call/call.h"

#include <stdarg.h>
#include <stdio.h>

#include "api/access/roles.h"
#include "api/call/api_dialect.h"
#include "api/call/error_reply.h"
#include "api/call/operation.h"
#include "base/must.h"
#include "model/member.h"

#define JSON_TYPE "application/json"

enum call_step call_answer(struct call *call, int status, struct str json)
{
    call->status = status;
    call->content_type = JSON_TYPE;
    call->answer = json;
    return CALL_ANSWER;
}

void call_field(struct call *call, struct str name, struct str value)
{
    must(call->field_count < CALL_FIELDS_MAX);
    call->fields[call->field_count++] = (struct http1_field){name, value};
}

static enum call_step answer_problem(struct call *call, const struct problem *problem)
{
    struct problem complete = *problem;
    struct error_reply reply;

    complete.request_id = call->request_id;
    complete.node = call->context->node;
    reply = error_reply_of(call->dialect, &complete,
                           arena_take(call->arena, ERROR_REPLY_BYTES_MAX));
    call_answer(call, reply.status, reply.body);
    call->content_type = reply.content_type;
    call->field_count = 0;
    for (int i = 0; i < reply.field_count; i++)
        call_field(call, reply.fields[i].name, reply.fields[i].value);
    return CALL_ANSWER;
}

enum call_step call_deny(struct call *call, int status, const char *fmt, ...)
{
    char text[ERR_TEXT_MAX];
    va_list args;

    must(status == 401 || status == 403);
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    text[str_whole(str_of(text)).len] = '\0'; /* it may have been cut */
    call->denied = status == 401 ? AUDIT_UNAUTHORIZED : AUDIT_FORBIDDEN;
    return call_problem(call, status, status == 401 ? "unauthorized" : "forbidden", "%s", text);
}

enum call_step call_problem(struct call *call, int status, const char *code, const char *fmt,
                            ...)
{
    char text[ERR_TEXT_MAX];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    text[str_whole(str_of(text)).len] = '\0'; /* it may have been cut */
    return answer_problem(
        call, &(struct problem){.status = status, .code = code, .detail = text, .at = -1});
}

static bool is_below(const char *field, struct str top)
{
    struct str path = str_of(field);

    return str_starts(path, top) &&
           (path.len == top.len || path.ptr[top.len] == '.' || path.ptr[top.len] == '[');
}

static const char *code_of_invalid(const char *field)
{
    if (is_below(field, STR("spec")))
        return "invalid_spec";
    if (is_below(field, STR("action")))
        return "invalid_action";
    if (is_below(field, STR("policies")) || is_below(field, STR("governor")))
        return "invalid_policy";
    return "invalid_field";
}

const char *call_code(const struct err *err)
{
    switch (err->rc) {
    case RC_INVALID:
        return code_of_invalid(err->field);
    case RC_NOT_FOUND:
        return "not_found";
    case RC_CONFLICT:
        return "bad_state";
    case RC_LIMIT:
        return "limit";
    case RC_LOST:
    case RC_UNKNOWN:
        return "unknown_result";
    default:
        return "unavailable";
    }
}

int call_status(const struct err *err)
{
    switch (err->rc) {
    case RC_INVALID:
        return 400;
    case RC_NOT_FOUND:
        return 404;
    case RC_CONFLICT:
        return 409;
    case RC_LIMIT:
        return 422;
    case RC_BUSY:
    case RC_LOST:
    case RC_UNKNOWN:
        return 503;
    default:
        return 500;
    }
}

enum call_step call_refuse(struct call *call, const char *code, const struct err *err)
{
    return answer_problem(call, &(struct problem){.status = call_status(err),
                                                  .code = code ? code : call_code(err),
                                                  .detail = err->text,
                                                  .field = err->field,
                                                  .at = err->at});
}

/*
 * The engine reports a conflict in three cases: the name or the idempotency key is in use, the
 * schedule has another version, or its state does not allow the command.
 */
static const char *code_of_conflict(const struct command *command, const struct reply *reply)
{
    if (command->kind == COMMAND_CREATE || (command->request.len > 0 && reply->schedule == 0))
        return "exists";
    return command->version != 0 && command->version != reply->version ? "version_conflict"
                                                                       : "bad_state";
}

const char *call_refused_code(const struct command *command, const struct reply *reply)
{
    struct err err = {.rc = reply->rc};

    if (reply->is_quota)
        return "quota";
    return reply->rc == RC_CONFLICT ? code_of_conflict(command, reply) : call_code(&err);
}

enum call_step call_limit_budget(struct call *call)
{
    call->field_count = 0;
    return call_problem(call, 422, "limit",
                        "it takes too long to compute the times of this request; use shorter "
                        "ranges, a smaller limit, or a spec with fewer entries and exclusions");
}

enum call_step call_refused(struct call *call, const struct command *command,
                            const struct reply *reply)
{
    const char *code = call_refused_code(command, reply);
    struct err err;
    bool is_version;

    err_set(&err, reply->rc, -1, 0, "%.*s", STR_ARG(reply->text));
    is_version = str_eq(str_of(code), STR("version_conflict"));
    return answer_problem(call,
                          &(struct problem){.status = is_version ? 412 : call_status(&err),
                                            .code = code,
                                            .detail = err.text,
                                            .at = -1});
}

enum rc call_check_namespace(const struct call *call, const char *field, struct err *reterr)
{
    if (call->namespace_name.len > CALL_NAME_MAX)
        err_set(reterr, RC_LIMIT, -1, 0, "is %zu bytes; the limit is %d",
                call->namespace_name.len, CALL_NAME_MAX);
    else if (name_check(call->namespace_name, reterr) == RC_OK)
        return RC_OK;
    return err_in(reterr, "%s", field);
}

static enum rc read_namespace(struct call *call, struct err *reterr)
{
    const struct api_dialect *api = &api_dialects[call->operation->dialect];
    const struct http1_request *request = call->request;

    if (api->namespace)
        return api->namespace(call, reterr);
    call->namespace_name = call->caller.namespace.len > 0 ? call->caller.namespace
                                                          : STR("default");
    for (int i = 0; i < request->pair_count; i++)
        if (str_eq(request->pairs[i].key, STR("namespace")))
            call->namespace_name = arena_str(call->arena, request->pairs[i].value);
    return call_check_namespace(call, "namespace", reterr);
}

/*
 * Returns false after it has set the error answer.  A caller without access to a namespace
 * must not learn whether it exists, so the answer is the one for a missing namespace.
 */
static bool check_rights(struct call *call)
{
    const struct caller *caller = &call->caller;
    enum right right = call->operation->right;

    if (right == RIGHT_NONE)
        return true;
    if (!caller->is_everywhere && !str_eq(caller->namespace, call->namespace_name)) {
        call->denied = AUDIT_FORBIDDEN;
        call_without_namespace(call);
        return false;
    }
    if (call->operation->is_global && !caller->is_everywhere) {
        call_deny(call, 403,
                  "this operation concerns all namespaces; the token is limited to "
                  "one");
        return false;
    }
    if (role_has(caller->role, caller->is_everywhere, right) ||
        (call->operation->other_right != RIGHT_NONE &&
         role_has(caller->role, caller->is_everywhere, call->operation->other_right)))
        return true;
    call_deny(call, 403, "this operation requires the role %s; the token has the role %s",
              right_roles(right), role_text(caller->role));
    return false;
}

enum call_step call_no_namespace(struct call *call)
{
    return call_problem(call, 404, "not_found", "namespace \"%.*s\" does not exist",
                        STR_ARG(call->namespace_name));
}

enum call_step call_without_namespace(struct call *call)
{
    const struct api_dialect *api = &api_dialects[call->dialect];

    return api->missing ? api->missing(call) : call_no_namespace(call);
}

/* RFC 9110, 12.5.3: the answer names the codings that the server accepts. */
static enum call_step reject_coding(struct call *call)
{
    answer_problem(call, &(struct problem){.status = 415,
                                           .code = "unsupported_encoding",
                                           .field = "Content-Encoding",
                                           .detail = "the body is compressed or encoded; send "
                                                     "it without a content coding",
                                           .at = -1});
    call_field(call, STR("Accept-Encoding"), STR("identity"));
    return CALL_ANSWER;
}

/* In gRPC each message has its own compression flag; what is forwarded is not read. */
static bool is_coded(const struct call *call)
{
    return call->body.len > 0 && !call->operation->is_forwarded &&
           !api_dialects[call->operation->dialect].is_grpc && http1_is_coded(call->request);
}

/* Returns false after it has set the error answer. */
static bool check_request(struct call *call)
{
    const struct operation *operation = call->operation;
    struct err err;

    if (call->body.len > 0 && operation_body_max(operation) == 0) {
        call_problem(call, 400, "invalid_json", "this operation takes no body");
        return false;
    }
    if (call->body.len > (size_t)operation_body_max(operation)) {
        call_problem(call, 413, "limit", "body is %zu bytes; the limit is %d", call->body.len,
                     operation_body_max(operation));
        return false;
    }
    if (operation->body_max == 0)
        call->body = (struct str){NULL, 0};
    if (is_coded(call)) {
        reject_coding(call);
        return false;
    }
    if (read_namespace(call, &err) != RC_OK) {
        call_refuse(call, NULL, &err);
        return false;
    }
    return check_rights(call);
}

static void forget_request(struct call *call)
{
    call->request = NULL;
    call->body = (struct str){NULL, 0};
    call->keys = NULL;
}

bool call_open(struct call *call, const struct http1_request *request, struct str body)
{
    call->request = request;
    call->body = body;
    if (check_request(call))
        return true;
    forget_request(call);
    return false;
}

/* Only what begin() reads: the parameters, the header fields and the body. */
void call_keep_request(struct call *call)
{
    const struct http1_request *from = call->request;
    struct http1_request *copy = arena_take(call->arena, sizeof *copy);

    for (int i = 0; i < from->pair_count; i++)
        copy->pairs[i] = (struct http1_pair){arena_str(call->arena, from->pairs[i].key),
                                             arena_str(call->arena, from->pairs[i].value)};
    for (int i = 0; i < from->field_count; i++)
        copy->fields[i] = (struct http1_field){arena_str(call->arena, from->fields[i].name),
                                               arena_str(call->arena, from->fields[i].value)};
    copy->pair_count = from->pair_count;
    copy->field_count = from->field_count;
    call->request = copy;
    call->body = arena_str(call->arena, call->body);
    call->keys = NULL; /* another thread may replace them */
}

enum call_step call_start(struct call *call)
{
    enum call_step step = call->operation->begin(call);

    if (step == CALL_ATTRIBUTES)
        return step; /* it begins again */
    forget_request(call);
    if (call->budget && call->budget->is_over && (step != CALL_ANSWER || call->status < 400))
        return call_limit_budget(call);
    return step;
}

enum call_step call_begin(struct call *call, const struct http1_request *request,
                          struct str body)
{
    return call_open(call, request, body) ? call_start(call) : CALL_ANSWER;
}
