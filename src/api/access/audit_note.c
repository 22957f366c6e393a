/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds the audit entries of a call from its operation, caller and commands.
 */
#include "api/access/audit_note.h"

#include "api/access/keyring.h"
#include "api/call/operation.h"

/* Of the token or session that a command is about; NULL: none. */
static const int64_t *id_of(const struct command *command)
{
    switch (command->kind) {
    case COMMAND_TOKEN:
    case COMMAND_TOKEN_DELETE:
        return &command->token->id;
    case COMMAND_SESSION:
    case COMMAND_SESSION_END:
        return &command->session->id;
    default:
        return NULL;
    }
}

/* The name in the audit log of the object that a command changes. */
static struct str object_name(const struct call *call, const struct command *command)
{
    struct buf id = {.cap = TOKEN_ID_LETTERS + 1};

    if (command->name.len > 0)
        return command->name;
    if (!id_of(command))
        return call->params[0];
    id.ptr = arena_take(call->arena, id.cap);
    token_id_print(*id_of(command), &id);
    return buf_as_str(&id);
}

static struct str token_text(const struct call *call)
{
    struct buf id = {.cap = TOKEN_ID_LETTERS + 1};

    if (call->caller.token == 0)
        return (struct str){NULL, 0};
    id.ptr = arena_take(call->arena, id.cap);
    token_id_print(call->caller.token, &id);
    return buf_as_str(&id);
}

/* The token is valid, but for another namespace. */
static bool is_wrong_namespace(const struct call *call)
{
    return call->denied == AUDIT_FORBIDDEN && call->caller.token != 0 &&
           !call->caller.is_everywhere && !str_eq(call->caller.namespace, call->namespace_name);
}

struct audit_entry audit_note(const struct call *call)
{
    const struct operation *operation = call->operation;
    bool is_server_wide = !operation || operation->right == RIGHT_SERVER;
    struct audit_entry entry = {
        .result = call->denied,
        .count = 1,
        .by = call->by,
        .operation = str_of(operation ? operation->id : "unknown"),
        .object = call->params[0],
        .token = token_text(call),
        .namespace = is_server_wide ? (struct str){NULL, 0} : call->namespace_name,
        .from = call->from,
        .request = call->request_id,
    };

    /* Logged in the token's own namespace: readers of the other one must not see the token. */
    if (is_wrong_namespace(call)) {
        entry.object = call->namespace_name;
        entry.namespace = call->caller.namespace;
    }
    return entry;
}

void call_complete(struct call *call)
{
    const struct api_context *context = call->context;
    struct audit_entry *entries, entry = audit_note(call);
    int64_t quota = context->quota_schedules(context->arg, call->namespace_name);

    entries = arena_array(call->arena, (size_t)call->command_count, sizeof *entries);
    for (int i = 0; i < call->command_count; i++) {
        struct command *command = &call->commands[i];

        entries[i] = entry;
        entries[i].object = object_name(call, command);
        command->namespace = call->namespace;
        command->by = call->by;
        command->audit = &entries[i];
        command->quota = quota;
    }
    for (int i = 0; i < call->report_count; i++)
        call->reports[i].namespace = call->namespace;
}
