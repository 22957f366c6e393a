/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates, lists and revokes tokens.  The secret is only in the answer to the request that
 * creates the token.
 */
#include "api/access/keyring.h"
#include "api/access/roles.h"
#include "api/call/operation.h"
#include "api/native/native.h"
#include "api/schedules/page.h"
#include "api/schedules/view.h"
#include "model/member.h"

#define EXPIRES_MAX (36525 * SPAN_DAY) /* a hundred years; omit it for no expiry */
#define EVERYWHERE  STR("*")

/* ---- creating ---- */

struct token_body {
    struct str name, namespace;
    enum role role;
    span expires_in;
    instant expires_at;
};

static const char *show_role(const void *from)
{
    return role_text(*(const enum role *)from);
}

#define AT(field) .offset = offsetof(struct token_body, field)
static const struct member token_list[] = {
    {"name", MEMBER_TEXT, AT(name), .high = CALL_NAME_MAX, .check = name_check,
     .is_required = true},
    {"role", MEMBER_WORD, AT(role), .parse = role_parse, .text = show_role,
     .is_required = true},
    {"namespace", MEMBER_TEXT, AT(namespace), .high = CALL_NAME_MAX, .check = path_name_check},
    {"expiresIn", MEMBER_SPAN, AT(expires_in), .low = SPAN_S, .high = EXPIRES_MAX},
    {"expiresAt", MEMBER_INSTANT, AT(expires_at)},
};
#undef AT

static const struct members token_members = MEMBERS(token_list);

struct new_token {
    struct token token;
    uint8_t secret[SECRET_BYTES];
};

static enum rc read_expiry(const struct call *call, const struct token_body *body, instant *ret,
                           struct err *reterr)
{
    if (body->expires_in > 0 && body->expires_at != INSTANT_NEVER)
        return err_field(reterr, "expiresAt", "cannot be combined with expiresIn; use one");
    *ret = body->expires_in > 0 ? call->now + body->expires_in : body->expires_at;
    if (*ret > call->now)
        return RC_OK;
    return err_field(reterr, "expiresAt", "must be in the future");
}

/*
 * Returns false after it has set the error answer.  An admin of one namespace can create tokens
 * for that namespace only.
 */
static bool set_namespace(struct call *call, const struct token_body *body)
{
    const struct caller *caller = &call->caller;

    if (body->namespace.len == 0 || str_eq(body->namespace, call->namespace_name))
        return true;
    if (caller->is_everywhere) {
        if (!str_eq(body->namespace, EVERYWHERE))
            call->namespace_name = body->namespace;
        return true;
    }
    if (str_eq(body->namespace, EVERYWHERE)) {
        call_deny(call, 403, "a token for all namespaces requires an admin of all namespaces");
        return false;
    }
    call->namespace_name = body->namespace;
    call_no_namespace(call);
    call->denied = AUDIT_FORBIDDEN;
    return false;
}

/* The token can always create other tokens: it never expires and has full access. */
static bool is_root(const struct token *t)
{
    return t->role == ROLE_ADMIN && t->namespace == 0 && t->namespace_name.len == 0 &&
           t->expires_at == INSTANT_NEVER;
}

/* Once a token exists, every client needs one, so the first must be able to create others. */
static bool locks_out(const struct call *call, const struct new_token *new)
{
    return keyring_count(call->keys) == 0 && !is_root(&new->token);
}

static enum call_step create_token(struct call *call, const struct token_body *body)
{
    struct new_token *new = arena_take(call->arena, sizeof *new);
    struct command *command = arena_take(call->arena, sizeof *command);
    struct err err;

    new->token = (struct token){.role = body->role, .name = body->name};
    if (read_expiry(call, body, &new->token.expires_at, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (!set_namespace(call, body))
        return CALL_ANSWER;
    if (!str_eq(body->namespace, EVERYWHERE))
        new->token.namespace_name = call->namespace_name;
    if (!call->keys)
        return call_problem(call, 503, "unavailable", "not ready: starting");
    if (locks_out(call, new))
        return call_problem(call, 409, "bad_state",
                            "the first token must be able to create others: use role admin, "
                            "namespace \"*\" and no expiry; once it exists, every client needs "
                            "a token");
    secret_draw(call->context, &new->token.id, new->secret);
    keyring_hash(call->keys, new->secret, new->token.hash);
    *command = (struct command){.kind = COMMAND_TOKEN, .token = &new->token};
    call->commands = command;
    call->command_count = 1;
    call->arg = new;
    if (request_key(call, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return CALL_COMMANDS;
}

enum call_step token_create_begin(struct call *call)
{
    struct token_body body = {.expires_at = INSTANT_NEVER};
    enum call_step step;

    return request_body(call, false, &token_members, &body, &step) ? create_token(call, &body)
                                                                   : step;
}

static void print_id(int64_t id, struct answer *out)
{
    answer_reserve(out, TOKEN_ID_LETTERS + 2);
    buf_char(&out->buf, '"');
    token_id_print(id, &out->buf);
    buf_char(&out->buf, '"');
}

/* Without the closing brace. */
static void print_token(const struct token *t, struct answer *out)
{
    answer_open(out);
    answer_name(out, "id");
    print_id(t->id, out);
    answer_put_text(out, "name", t->name);
    answer_put_word(out, "role", role_text(t->role));
    answer_put_text(out, "namespace",
                    t->namespace_name.len > 0 ? t->namespace_name : EVERYWHERE);
    answer_put_instant(out, "createdAt", t->created_at);
    answer_put_text(out, "createdBy", t->created_by);
    answer_put_instant(out, "expiresAt", t->expires_at);
    answer_put_instant(out, "lastUsedAt", t->used_at);
}

enum call_step token_create_settled(struct call *call)
{
    struct new_token *new = call->arg;
    const struct reply *reply = call->replies;
    struct answer out = answer_new(call->arena);
    char text[TOKEN_TEXT_MAX];
    struct buf secret = BUF(text);

    if (reply->rc != RC_OK)
        return call_refused(call, call->commands, reply);
    if (reply->is_repeated)
        return call_problem(call, 409, "exists",
                            "an earlier request with this key created the token and showed its "
                            "secret; revoke it and create another");
    new->token.created_at = call->now;
    new->token.created_by = call->by;
    new->token.used_at = INSTANT_NONE;
    print_token(&new->token, &out);
    token_print(new->token.role, new->token.id, new->secret, &secret);
    answer_put_text(&out, "token", buf_as_str(&secret));
    answer_text(&out, "}");
    return call_answer(call, 201, answer_done(&out));
}

/* ---- listing ---- */

struct token_page {
    struct page page;
    int64_t after;
    bool is_all; /* tokens of all namespaces */
};

enum call_step token_list_begin(struct call *call)
{
    struct token_page *arg = arena_take(call->arena, sizeof *arg);
    struct err err;

    if (page_begin(call, NULL, 0, &arg->page, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (arg->page.after.len > 0 && !token_id_parse(arg->page.after, &arg->after))
        return call_problem(call, 400, "invalid_field", "invalid cursor; start without it");
    arg->is_all = call->caller.is_everywhere && request_query(call, "namespace").len == 0;
    call->arg = arg;
    return CALL_READ;
}

enum call_step token_list_read(struct call *call, struct db *db)
{
    const struct token_page *arg = call->arg;
    struct answer out = answer_new(call->arena);
    struct buf cursor = {.cap = TOKEN_ID_LETTERS + 1};
    struct db_result rows = {0};
    struct token token = {0};
    int count;
    struct err err;

    tokens_list(db, arg->is_all ? 0 : call->namespace, arg->after, arg->page.limit + 1, &rows);
    if (db_flush(db, call->arena, &err) != RC_OK)
        return view_failed(call, &err);
    count = rows.rows > arg->page.limit ? arg->page.limit : rows.rows;
    page_open(&out, "tokens");
    for (int i = 0; i < count; i++) {
        tokens_read(&rows, i, &token);
        print_token(&token, &out);
        answer_text(&out, "}");
    }
    cursor.ptr = arena_take(call->arena, cursor.cap);
    if (rows.rows > count)
        token_id_print(token.id, &cursor);
    page_close(&out, buf_as_str(&cursor));
    return call_answer(call, 200, answer_done(&out));
}

/* ---- revoking ---- */

enum call_step token_delete_begin(struct call *call)
{
    int64_t *id = arena_take(call->arena, sizeof *id);
    struct err err;

    if (request_query_check(call, NULL, 0, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (!token_id_parse(call->params[0], id))
        return call_problem(call, 404, "not_found", "the token does not exist");
    call->arg = id;
    return CALL_READ;
}

/*
 * The last root token can be revoked only as the very last token.  Without any token, local
 * clients have full access again; this is safe only if no other token still gives rights.
 */
static bool leaves_no_root(const struct db_result *rows, const struct token *token)
{
    int roots = 0;

    for (int i = 0; i < rows->rows; i++) {
        struct token other;

        tokens_read(rows, i, &other);
        roots += other.id != token->id && is_root(&other) ? 1 : 0;
    }
    return is_root(token) && roots == 0 && rows->rows > 1;
}

static const struct token *find_token(struct call *call, const struct db_result *rows)
{
    const int64_t *id = call->arg;
    struct token *token = arena_take(call->arena, sizeof *token);

    for (int i = 0; i < rows->rows; i++) {
        tokens_read(rows, i, token);
        if (token->id == *id &&
            (call->caller.is_everywhere || token->namespace == call->namespace))
            return token;
    }
    return NULL;
}

enum call_step token_delete_read(struct call *call, struct db *db)
{
    struct command *command = arena_take(call->arena, sizeof *command);
    struct db_result rows = {0};
    const struct token *token;
    struct err err;

    tokens_list(db, 0, 0, TOKENS_MAX, &rows);
    if (db_flush(db, call->arena, &err) != RC_OK)
        return view_failed(call, &err);
    token = find_token(call, &rows);
    if (!token)
        return call_problem(call, 404, "not_found", "the token does not exist");
    if (leaves_no_root(&rows, token))
        return call_problem(call, 409, "bad_state",
                            "this is the last token that can create others; create another "
                            "admin of all namespaces without expiry first, or revoke all other "
                            "tokens");
    *command = (struct command){.kind = COMMAND_TOKEN_DELETE, .token = token};
    call->commands = command;
    call->command_count = 1;
    return CALL_COMMANDS;
}
