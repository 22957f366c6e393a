/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sessions of browsers: begins one with a token, ends it, and shows who the caller is.
 *
 * The page keeps no token: the browser holds the session in a cookie that scripts cannot read.
 */
#include "api/session/session.h"

#include "api/access/keyring.h"
#include "api/access/roles.h"
#include "api/access/session_cookie.h"
#include "api/call/answer.h"
#include "api/call/request.h"

struct new_session {
    struct session row;
    struct buf cookie; /* the value of Set-Cookie */
};

/* Prints Set-Cookie while the request is there; an empty text deletes the cookie. */
static struct buf make_cookie(const struct call *call, struct str text)
{
    struct buf out = arena_buf(call->arena, SESSION_COOKIE_MAX);

    session_cookie_print(call->request,
                         &(struct session_cookie){.text = text,
                                                  .age_s = SESSION_AGE / SPAN_S,
                                                  .is_secure = call->caller.is_secure},
                         &out);
    return out;
}

static enum call_step send_command(struct call *call, enum command_kind kind,
                                   struct new_session *session)
{
    struct command *command = arena_take(call->arena, sizeof *command);

    *command = (struct command){.kind = kind, .session = &session->row};
    call->commands = command;
    call->command_count = 1;
    call->arg = session;
    return CALL_COMMANDS;
}

/* Of a token that the keys have: expires_at is the earlier end of both. */
static instant session_end(const struct call *call)
{
    const struct token *token = keyring_get(call->keys, call->caller.token);
    instant end = call->now + SESSION_AGE;

    return token && token->expires_at < end ? token->expires_at : end;
}

enum call_step session_create_begin(struct call *call)
{
    struct new_session *session = arena_take(call->arena, sizeof *session);
    uint8_t secret[SECRET_BYTES];
    char text[SESSION_TEXT_MAX];
    struct buf out = BUF(text);
    struct err err;

    if (request_query_check(call, NULL, 0, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (call->caller.token == 0)
        return call_problem(call, 409, "bad_state",
                            "local clients need no session while no token exists");
    if (call->caller.session != 0)
        return call_problem(call, 409, "bad_state",
                            "a session begins with a token; send Authorization: Bearer bf_...");
    *session = (struct new_session){
        .row = {.token = call->caller.token, .expires_at = session_end(call)}};
    secret_draw(call->context, &session->row.id, secret);
    keyring_hash(call->keys, secret, session->row.hash);
    session_print(session->row.id, secret, &out);
    session->cookie = make_cookie(call, buf_as_str(&out));
    return send_command(call, COMMAND_SESSION, session);
}

static struct str print_caller(const struct call *call, instant expires_at)
{
    const struct caller *caller = &call->caller;
    struct answer out = answer_new(call->arena);

    answer_open(&out);
    answer_put_text(&out, "name", caller->name);
    answer_put_word(&out, "role", role_text(caller->role));
    answer_put_text(&out, "namespace", caller->is_everywhere ? STR("*") : caller->namespace);
    answer_put_instant(&out, "expiresAt", expires_at);
    answer_text(&out, "}");
    return answer_done(&out);
}

enum call_step session_create_settled(struct call *call)
{
    const struct new_session *session = call->arg;

    if (call->replies->rc != RC_OK)
        return call_refused(call, call->commands, call->replies);
    call_field(call, STR("Set-Cookie"), buf_as_str(&session->cookie));
    return call_answer(call, 201, print_caller(call, session->row.expires_at));
}

enum call_step session_get_begin(struct call *call)
{
    const struct session *session;
    struct err err;

    if (request_query_check(call, NULL, 0, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    session = call->keys ? keyring_get_session(call->keys, call->caller.session) : NULL;
    return call_answer(call, 200,
                       print_caller(call, session ? session->expires_at : INSTANT_NEVER));
}

enum call_step session_delete_begin(struct call *call)
{
    struct new_session *session = arena_take(call->arena, sizeof *session);
    struct err err;

    if (request_query_check(call, NULL, 0, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (call->caller.session == 0)
        return call_problem(call, 404, "not_found", "the request has no session");
    session->row = (struct session){.id = call->caller.session};
    session->cookie = make_cookie(call, STR(""));
    return send_command(call, COMMAND_SESSION_END, session);
}

enum call_step session_delete_settled(struct call *call)
{
    const struct new_session *session = call->arg;

    if (call->replies->rc != RC_OK)
        return call_refused(call, call->commands, call->replies);
    call_field(call, STR("Set-Cookie"), buf_as_str(&session->cookie));
    return call_answer(call, 204, STR(""));
}
