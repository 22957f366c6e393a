/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conductor's requests about the server itself: stop and continue, and exchange a key for a
 * token.  Workflow definitions are accepted and ignored: they belong to the server that runs
 * the workflows.
 */
#include "api/access/keyring.h"
#include "api/access/roles.h"
#include "api/call/request.h"
#include "api/conductor/conductor.h"
#include "base/must.h"

static enum call_step set_halted(struct call *call, bool is_halted)
{
    const struct api_context *context = call->context;

    context->halt(context->arg, is_halted);
    return call_answer(call, 200, STR("{\"status\":\"done\"}"));
}

/* Stops only this node, until it continues or restarts; schedules are unchanged. */
enum call_step conductor_halt_begin(struct call *call)
{
    return set_halted(call, true);
}

enum call_step conductor_go_on_begin(struct call *call)
{
    return set_halted(call, false);
}

/* Old clients send this to measure how long an answer takes. */
enum call_step conductor_nothing_begin(struct call *call)
{
    return call_answer(call, 200, STR("{}"));
}

/* Scripts register a workflow before they schedule it; this server accepts and ignores it. */
enum call_step conductor_definition_begin(struct call *call)
{
    json_auto_t *json = NULL;
    enum call_step step;

    if (!request_json(call, false, &json, &step))
        return step;
    return conductor_done(call);
}

/* ---- tokens ---- */

/* Builds the token from the id and the secret, unless the secret is the whole token. */
static struct str token_text(const struct call *call, struct str id, struct str secret)
{
    struct buf out = {.ptr = arena_take(call->arena, TOKEN_TEXT_MAX), .cap = TOKEN_TEXT_MAX};
    const struct token *token = NULL;
    int64_t key;

    if (str_starts(secret, STR("bf_")))
        return arena_str(call->arena, secret);
    if (token_id_parse(id, &key))
        token = keyring_get(call->keys, key);
    buf_text(&out, "bf_");
    buf_text(&out, role_text(token ? token->role : ROLE_VIEWER));
    buf_text(&out, "_");
    buf_str(&out, id);
    buf_text(&out, "_");
    buf_str(&out, secret);
    return buf_as_str(&out);
}

/* NULL: not a valid token, or that of another id. */
static const struct token *find_token(const struct call *call, struct str id, struct str text)
{
    const struct token *token = keyring_find(call->keys, text);
    int64_t key;

    if (!token || token->expires_at <= call->now || !token_id_parse(id, &key) ||
        token->id != key)
        return NULL;
    return token;
}

enum call_step conductor_token_begin(struct call *call)
{
    struct answer out = answer_new(call->arena);
    json_auto_t *json = NULL;
    struct str id, secret, text;
    enum call_step step;

    if (!call->keys)
        return call_problem(call, 503, "unavailable", "not ready: starting");
    if (keyring_count(call->keys) == 0)
        return call_problem(call, 404, "not_found",
                            "this server requires no token; omit keyId and keySecret");
    if (!request_json(call, false, &json, &step))
        return step;
    id = str_of(json_string_value(json_object_get(json, "keyId")));
    secret = str_of(json_string_value(json_object_get(json, "keySecret")));
    if (id.len == 0 || secret.len == 0)
        return call_problem(call, 400, "invalid_field", "keyId and keySecret are required");
    text = token_text(call, id, secret);
    if (!find_token(call, id, text))
        return call_deny(call, 401,
                         "keyId must be the id of a token and keySecret its secret, or the "
                         "whole token, bf_...");
    answer_text(&out, "{\"token\":");
    answer_quoted(&out, text);
    answer_text(&out, "}");
    return call_answer(call, 200, answer_done(&out));
}
