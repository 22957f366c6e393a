/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Conductor's clients ask of the server itself: to stop and go on, for a token, and to
 * take definitions that belong to whoever runs the workflows.
 */
#include "api/access/keyring.h"
#include "api/access/roles.h"
#include "api/call/request.h"
#include "api/conductor/conductor.h"
#include "base/must.h"

static enum call_step halt(struct call *call, bool is_halted)
{
    const struct api_context *context = call->context;

    context->halt(context->arg, is_halted);
    return call_answer(call, 200, STR("{\"status\":\"done\"}"));
}

/* This node only, until it is started again; schedules stay as they are. */
enum call_step conductor_halt_begin(struct call *call)
{
    return halt(call, true);
}

enum call_step conductor_go_on_begin(struct call *call)
{
    return halt(call, false);
}

/* What an old client asks to see how long an answer takes. */
enum call_step conductor_nothing_begin(struct call *call)
{
    return call_answer(call, 200, STR("{}"));
}

/* Scripts register a workflow before they schedule it; there is nothing to register here. */
enum call_step conductor_definition_begin(struct call *call)
{
    json_auto_t *json = NULL;
    enum call_step step;

    if (!request_json(call, false, &json, &step))
        return step;
    return conductor_done(call);
}

/* ---- tokens ---- */

/* The token that the id and its secret are parts of; or the secret is all of it. */
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

/* NULL: it is none, or that of another id. */
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
                            "this server asks for no token: leave out keyId and keySecret");
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
