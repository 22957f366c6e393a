/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the messages of requests and frames those of answers.
 */
#include "api/call/operation.h"
#include "api/temporal/temporal.h"
#include "model/member.h"
#include "wire/grpc/grpc.h"
#include "wire/temporal.pb-c.h"

enum { NAMESPACE_FIELD = 1 };

/* Of a request without one: that of the token, or the one that the client named beside it. */
static void set_global_namespace(struct call *call)
{
    struct str name;
    struct err ignored;

    call->namespace_name = STR("default");
    if (call->caller.namespace.len > 0)
        call->namespace_name = call->caller.namespace;
    else if (call->operation->namespace_field < 0 &&
             http1_find(call->request, STR(TEMPORAL_NAMESPACE_HEADER), &name) &&
             name.len <= CALL_NAME_MAX && name_check(name, &ignored) == RC_OK)
        call->namespace_name = arena_str(call->arena, name);
}

enum rc temporal_namespace(struct call *call, struct err *reterr)
{
    const struct operation *operation = call->operation;
    uint32_t field = operation->namespace_field > 0 ? (uint32_t)operation->namespace_field
                                                    : NAMESPACE_FIELD;
    struct str name;

    if (operation->right == RIGHT_NONE || operation->namespace_field < 0) {
        set_global_namespace(call);
        return RC_OK;
    }
    if (!proto_find_text(call->body, field, &name) || name.len == 0)
        return err_set(reterr, RC_INVALID, -1, 0, "Namespace is empty.");
    if (name.len > CALL_NAME_MAX)
        return err_set(reterr, RC_INVALID, -1, 0, "Namespace length exceeds limit.");
    call->namespace_name = arena_str(call->arena, name);
    if (name_check(name, reterr) == RC_OK)
        return RC_OK;
    return err_in(reterr, "namespace");
}

bool temporal_read(struct call *call, const ProtobufCMessageDescriptor *type, void *ret,
                   enum call_step *ret_step)
{
    ProtobufCMessage *message;
    struct err err;

    if (proto_unpack(type, call->body, call->arena, &message, &err) == RC_OK) {
        *(ProtobufCMessage **)ret = message;
        return true;
    }
    *ret_step = call_refuse(call, "invalid_field", &err);
    return false;
}

enum call_step temporal_answer(struct call *call, const ProtobufCMessage *message)
{
    call_answer(call, 200, proto_frame(message, call->arena));
    call->content_type = "application/grpc";
    return CALL_ANSWER;
}

enum call_step temporal_answer_packed(struct call *call, struct str message)
{
    struct buf out = {.cap = GRPC_PREFIX + message.len + 1};

    out.ptr = arena_take(call->arena, out.cap);
    grpc_prefix(message.len, &out);
    buf_str(&out, message);
    call_answer(call, 200, buf_as_str(&out));
    call->content_type = "application/grpc";
    return CALL_ANSWER;
}

enum call_step temporal_answer_empty(struct call *call)
{
    call_answer(call, 200, (struct str){"\0\0\0\0", GRPC_PREFIX});
    call->content_type = "application/grpc";
    return CALL_ANSWER;
}
