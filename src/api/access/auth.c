/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Authenticates requests: by token, by the session of a browser, or as local while no token
 * exists; and rejects requests that a browser may have sent for another site.
 */
#include "api/access/auth.h"

#include "api/access/session_cookie.h"
#include "api/call/api_dialect.h"
#include "api/call/operation.h"

#define USED_EVERY SPAN_MIN /* minimum time between two updates of a token's last use */

/* ---- the request id ---- */

static bool is_request_id(struct str text)
{
    if (text.len == 0 || text.len > CALL_REQUEST_MAX)
        return false;
    for (size_t i = 0; i < text.len; i++) {
        char c = text.ptr[i];

        if (!char_is_digit(c) && !char_is_alpha(c) && !memchr("-_.:/+=", c, 7))
            return false;
    }
    return true;
}

void auth_name_request(struct call *call, const struct http1_request *request)
{
    const struct api_context *context = call->context;
    struct buf made = {.cap = 33};
    struct str given;

    if (http1_find(request, STR("X-Request-Id"), &given) && is_request_id(given)) {
        call->request_id = arena_str(call->arena, given);
        return;
    }
    made.ptr = arena_take(call->arena, made.cap);
    for (int i = 0; i < 2; i++)
        buf_hex(&made, context->random(context->arg));
    call->request_id = buf_as_str(&made);
}

/* ---- the origin ---- */

/* Guards against DNS rebinding. */
static bool is_own_host(const struct auth *auth, struct str host)
{
    static const struct str local_hosts[] = {{"localhost", 9}, {"127.0.0.1", 9}, {"[::1]", 5}};

    for (size_t i = 0; i < sizeof local_hosts / sizeof local_hosts[0]; i++)
        if (str_eq_nocase(host, local_hosts[i]))
            return true;
    for (int i = 0; i < auth->host_count; i++)
        if (str_eq_nocase(host, auth->hosts[i]))
            return true;
    return false;
}

/* Load balancers check health by HTTP/1.0 without a Host, which no browser can send. */
static bool is_probe(const struct operation *operation, const struct http1_request *request)
{
    return operation->right == RIGHT_NONE && request->host.len == 0;
}

static bool is_change(const struct http1_request *request)
{
    return !str_eq(request->method, STR("GET")) && !str_eq(request->method, STR("HEAD"));
}

/* Some dialects have GET requests that change data; any page can make a browser send them. */
static bool is_changing_get(const struct operation *operation)
{
    return operation->dialect != DIALECTS_NATIVE && operation->right != RIGHT_NONE &&
           operation->right != RIGHT_VIEW;
}

/* A proxy forwarded the request; the client may be remote. */
static bool is_forwarded(const struct http1_request *request)
{
    static const struct str names[] = {
        {"Forwarded", 9}, {"X-Forwarded-For", 15}, {"X-Real-Ip", 9}, {"Via", 3}};
    struct str ignored;

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (http1_find(request, names[i], &ignored))
            return true;
    return false;
}

/* A proxy sends the scheme of the client in X-Forwarded-Proto; without it, both are valid. */
static bool is_own_scheme(const struct auth *auth, const struct http1_request *request,
                          struct str scheme)
{
    struct str forwarded;

    if (!str_eq(scheme, STR("http")) && !str_eq(scheme, STR("https")))
        return false;
    if (!is_forwarded(request))
        return str_eq(scheme, auth->is_tls ? STR("https") : STR("http"));
    return !http1_find(request, STR("X-Forwarded-Proto"), &forwarded) ||
           str_eq(scheme, forwarded);
}

static bool is_secure(const struct auth *auth, const struct http1_request *request)
{
    struct str forwarded;

    return auth->is_tls || (is_forwarded(request) &&
                            http1_find(request, STR("X-Forwarded-Proto"), &forwarded) &&
                            str_eq(forwarded, STR("https")));
}

/* Compares "http://host:port" of the page with the scheme, host and port of the request. */
static bool is_same_origin(const struct auth *auth, const struct http1_request *request,
                           struct str origin)
{
    static const struct str slashes = {"//", 2};
    struct str scheme, rest, host = request->host, port = request->port, default_port;

    if (!str_cut(origin, ':', &scheme, &rest) || !is_own_scheme(auth, request, scheme) ||
        !str_starts(rest, slashes))
        return false; /* "null": a page that hides its origin */
    rest = str_from(rest, slashes.len);
    if (rest.len < host.len || !str_eq_nocase((struct str){rest.ptr, host.len}, host))
        return false;
    rest = str_from(rest, host.len);
    if (rest.len > 0 && rest.ptr[0] != ':')
        return false;
    default_port = str_eq(scheme, STR("https")) ? STR("443") : STR("80");
    return str_eq(rest.len > 0 ? str_from(rest, 1) : default_port,
                  port.len > 0 ? port : default_port);
}

/* Pages of other sites may not change anything, even if the browser would permit it. */
static bool is_foreign_page(const struct auth *auth, const struct operation *operation,
                            const struct http1_request *request)
{
    struct str value;

    if (!is_change(request) && !is_changing_get(operation))
        return false;
    if (http1_find(request, STR("Sec-Fetch-Site"), &value))
        return !str_eq(value, STR("same-origin")) && !str_eq(value, STR("none"));
    return http1_find(request, STR("Origin"), &value) && !is_same_origin(auth, request, value);
}

/* ---- the caller ---- */

static bool deny_unauthorized(struct call *call, const char *why)
{
    call_deny(call, 401, "%s", why);
    call_field(call, STR("WWW-Authenticate"), STR("Bearer realm=\"belfry\""));
    return false;
}

static bool deny_forbidden(struct call *call, const char *why)
{
    call_deny(call, 403, "%s", why);
    return false;
}

/*
 * Finds the token in the header; false: it has none.  The parser has rejected requests with two
 * Authorization fields.  Conductor's clients send only the token, in a field of their own.
 */
static bool find_token_text(const struct call *call, const struct http1_request *request,
                            struct str *ret, bool *ret_is_valid)
{
    static const struct str scheme = {"Bearer ", 7};
    struct str value, field = api_dialects[call->dialect].token_field;

    if (!http1_find(request, STR("Authorization"), &value)) {
        *ret_is_valid = true;
        return field.len > 0 && http1_find(request, field, ret);
    }
    *ret_is_valid = value.len > scheme.len &&
                    str_eq_nocase((struct str){value.ptr, scheme.len}, scheme);
    if (*ret_is_valid)
        *ret = str_trim(str_from(value, scheme.len));
    return true;
}

static void set_caller(struct call *call, struct keyring *keys, const struct token *t,
                       int64_t session)
{
    if (t->used_at < call->now - USED_EVERY)
        keyring_use(keys, t, call->now);
    call->by = arena_str(call->arena, t->name);
    call->caller = (struct caller){
        .name = call->by,
        .role = t->role,
        .token = t->id,
        .session = session,
        .is_everywhere = t->namespace == 0,
        .namespace = arena_str(call->arena, t->namespace_name),
        .is_secure = call->caller.is_secure,
    };
}

static bool admit_token(struct call *call, struct keyring *keys, struct str text)
{
    const struct token *t = keyring_find(keys, text);

    if (!t)
        return deny_unauthorized(call, "unknown token; it may have been revoked");
    if (t->expires_at <= call->now)
        return deny_unauthorized(call, "the token has expired; an admin can create a new one");
    set_caller(call, keys, t, 0);
    return true;
}

/* The cookie of a session; while there are no tokens, cookies mean nothing. */
static bool find_session_text(const struct call *call, const struct auth *auth,
                              const struct http1_request *request, struct str *ret)
{
    return call->dialect == DIALECTS_NATIVE && keyring_count(auth->keys) > 0 &&
           session_cookie_find(request, ret);
}

/* Browsers add the cookie to any request, so a change must come from a page of the server. */
static bool admit_session(struct call *call, const struct auth *auth,
                          const struct http1_request *request, struct str text)
{
    const struct session *session = keyring_find_session(auth->keys, text);
    const struct token *t = session ? keyring_get(auth->keys, session->token) : NULL;
    struct str origin;

    if (!t || session->expires_at <= call->now || t->expires_at <= call->now)
        return deny_unauthorized(call, "the session has ended; log in again");
    if (is_change(request) && (!http1_find(request, STR("Origin"), &origin) ||
                               !is_same_origin(auth, request, origin)))
        return deny_forbidden(call, "Origin: a change with the cookie of a session must come "
                                    "from a page of this server");
    set_caller(call, auth->keys, t, session->id);
    return true;
}

static bool admit_local(struct call *call, const struct auth *auth,
                        const struct http1_request *request, bool is_local)
{
    if (keyring_count(auth->keys) > 0)
        return deny_unauthorized(call,
                                 "a token is required; send Authorization: Bearer bf_...");
    if (!is_local)
        return deny_unauthorized(call,
                                 "remote clients need a token; create one on the server itself "
                                 "with belfry token create");
    if (is_forwarded(request))
        return deny_unauthorized(call,
                                 "requests through a proxy need a token; create one on the "
                                 "server itself with belfry token create");
    call->by = STR("local");
    call->caller = (struct caller){.name = call->by,
                                   .role = ROLE_ADMIN,
                                   .is_everywhere = true,
                                   .is_secure = call->caller.is_secure};
    return true;
}

/* Without tokens, the credentials of a request for an upstream are the upstream's. */
static bool is_for_upstream(const struct call *call, const struct auth *auth, struct str text)
{
    return call->operation->is_forwarded && keyring_count(auth->keys) == 0 &&
           !str_starts(text, STR("bf_"));
}

bool auth_admit(struct call *call, const struct auth *auth, const struct http1_request *request,
                bool is_local)
{
    struct str text = {NULL, 0};
    bool is_valid;

    call->caller.is_secure = is_secure(auth, request);
    if (is_local && !is_own_host(auth, request->host) && !is_probe(call->operation, request))
        return deny_forbidden(call,
                              "Host: unknown name; use localhost on this machine, or add the "
                              "name to hosts in the server's configuration");
    if (is_foreign_page(auth, call->operation, request))
        return deny_forbidden(call,
                              "requests from pages of other sites may not change anything");
    if (call->operation->right == RIGHT_NONE)
        return true;
    if (!auth->keys) {
        call_problem(call, 503, "unavailable", "not ready: starting");
        return false;
    }
    if (!find_token_text(call, request, &text, &is_valid))
        return find_session_text(call, auth, request, &text)
                   ? admit_session(call, auth, request, text)
                   : admit_local(call, auth, request, is_local);
    if (is_for_upstream(call, auth, text))
        return admit_local(call, auth, request, is_local);
    if (!is_valid)
        return deny_unauthorized(call, "Authorization: must be Bearer bf_...");
    return admit_token(call, auth->keys, text);
}
