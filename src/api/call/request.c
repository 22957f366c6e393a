/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses query parameters, header fields and bodies for begin() of operations.
 */
#include "api/call/request.h"

#include <inttypes.h>
#include <string.h>

#include "api/call/operation.h"
#include "base/hash.h"
#include "base/must.h"
#include "core/time/text.h"
#include "model/member.h"
#include "model/trace.h"

enum {
    QUERY_NAMES_MAX = 20, /* query parameters of one operation */
    KIND_MAX = 32,        /* bytes of a kind of object, with the final zero */
};

/* Returns true if the query has the parameter; the last one counts. */
static bool find_parameter(const struct call *call, const char *name, struct str *ret)
{
    const struct http1_request *request = call->request;
    bool is_there = false;

    for (int i = 0; i < request->pair_count; i++)
        if (str_eq(request->pairs[i].key, str_of(name))) {
            *ret = request->pairs[i].value;
            is_there = true;
        }
    return is_there;
}

/* The error lists all parameters of the operation, the most similar one first. */
static enum rc unknown_parameter(struct str key, const char *const *names, int count,
                                 struct err *reterr)
{
    int near = str_nearest(key, names, count);
    char text[ERR_TEXT_MAX];
    struct buf list = BUF(text);

    if (near >= 0)
        buf_printf(&list, "did you mean %s? valid: %s", names[near], names[near]);
    else
        buf_text(&list, "valid: ");
    for (int i = 0, listed = near >= 0; i < count; i++)
        if (i != near)
            buf_printf(&list, "%s%s", listed++ > 0 ? ", " : "", names[i]);
    return err_set(reterr, RC_INVALID, -1, 0, "unknown parameter \"%.*s\"; %s", STR_ARG(key),
                   text);
}

enum rc request_query_check(const struct call *call, const char *const *names, int count,
                            struct err *reterr)
{
    const struct http1_request *request = call->request;
    const char *all[QUERY_NAMES_MAX] = {"namespace"};

    must(count < QUERY_NAMES_MAX);
    for (int i = 0; i < count; i++)
        all[i + 1] = names[i];
    for (int i = 0; i < request->pair_count; i++) {
        bool is_known = false;

        for (int n = 0; n <= count && !is_known; n++)
            is_known = str_eq(request->pairs[i].key, str_of(all[n]));
        if (!is_known)
            return unknown_parameter(request->pairs[i].key, all, count + 1, reterr);
        for (int n = 0; n < i; n++)
            if (str_eq(request->pairs[n].key, request->pairs[i].key))
                return err_set(reterr, RC_INVALID, -1, 0, "the parameter %.*s is given twice",
                               STR_ARG(request->pairs[i].key));
    }
    return RC_OK;
}

struct str request_query(const struct call *call, const char *name)
{
    struct str value;

    return find_parameter(call, name, &value) ? arena_str(call->arena, value)
                                              : (struct str){NULL, 0};
}

enum rc request_query_int(const struct call *call, const char *name, int64_t low, int64_t high,
                          int64_t *ret, struct err *reterr)
{
    struct str text, rest;
    int64_t n = 0;

    if (!find_parameter(call, name, &text))
        return RC_OK;
    rest = text;
    if (str_take_number(&rest, high, &n) == 0 || rest.len > 0 || n < low || n > high) {
        err_set(reterr, RC_INVALID, 0, (int)text.len,
                "must be a whole number from %" PRId64 " to %" PRId64 ", not \"%.*s\"", low,
                high, STR_ARG(text));
        return err_in(reterr, "%s", name);
    }
    *ret = n;
    return RC_OK;
}

enum rc request_limit(const struct call *call, int *ret, struct err *reterr)
{
    int64_t limit = LIMIT_DEFAULT;
    enum rc rc = request_query_int(call, "limit", 1, LIMIT_MAX, &limit, reterr);

    if (rc == RC_OK)
        *ret = (int)limit;
    return rc;
}

enum rc request_query_instant(const struct call *call, const char *name, instant *ret,
                              struct err *reterr)
{
    struct str text;

    if (!find_parameter(call, name, &text))
        return RC_OK;
    return instant_parse(text, ret, reterr) == RC_OK ? RC_OK : err_in(reterr, "%s", name);
}

enum rc request_query_range(const struct call *call, instant *ret_from, instant *ret_to,
                            struct err *reterr)
{
    instant from = *ret_from, to = *ret_to;
    enum rc rc = request_query_instant(call, "from", &from, reterr);
    char text[INSTANT_TEXT_MAX];
    struct buf other = BUF(text);
    struct str sent;

    if (rc == RC_OK)
        rc = request_query_instant(call, "to", &to, reterr);
    if (rc != RC_OK)
        return rc;
    if (from <= to) {
        *ret_from = from;
        *ret_to = to;
        return RC_OK;
    }
    if (!find_parameter(call, "from", &sent)) {
        instant_format(from, &other);
        err_set(reterr, RC_INVALID, -1, 0, "is before from, which is %s", text);
        return err_in(reterr, "to");
    }
    instant_format(to, &other);
    err_set(reterr, RC_INVALID, -1, 0, "is after to, which is %s", text);
    return err_in(reterr, "from");
}

enum rc request_fields(const struct call *call, const struct field_names *names, field_set *ret,
                       struct err *reterr)
{
    struct str text;

    if (!find_parameter(call, "fields", &text)) {
        *ret = FIELDS_ALL;
        return RC_OK;
    }
    return fields_from_text(text, names, ret, reterr) == RC_OK ? RC_OK
                                                               : err_in(reterr, "fields");
}

enum rc request_name(const struct call *call, int param, const char *what, struct err *reterr)
{
    struct str name = call->params[param];

    if (name.len <= CALL_NAME_MAX && name_check(name, reterr) == RC_OK)
        return RC_OK;
    return err_set(reterr, RC_NOT_FOUND, -1, 0, "no %s has this name", what);
}

/* The kind of object that the operation concerns, such as "gate" of "gate.put". */
static struct str request_kind(const struct call *call)
{
    struct str kind, rest;

    must(str_cut(str_of(call->operation->id), '.', &kind, &rest));
    return kind;
}

bool request_new_name(struct call *call, int max, enum call_step *ret_step)
{
    struct str kind = request_kind(call);
    struct err err;

    if (call->params[0].len <= (size_t)max && name_check(call->params[0], &err) == RC_OK)
        return true;
    *ret_step = call_problem(call, 400, "invalid_field",
                             "a %.*s's name must have 1 to %d bytes without control characters",
                             STR_ARG(kind), max);
    return false;
}

enum call_step request_named(struct call *call)
{
    char kind[KIND_MAX];
    struct buf text = BUF(kind);
    struct err err;

    buf_str(&text, request_kind(call));
    if (request_name(call, 0, kind, &err) != RC_OK ||
        request_query_check(call, NULL, 0, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return CALL_READ;
}

enum rc request_run(const struct call *call, int param, struct run_id *ret, struct err *reterr)
{
    struct err err;

    if (run_id_parse(call->params[param], ret, &err) == RC_OK)
        return RC_OK;
    return err_set(reterr, RC_NOT_FOUND, -1, 0, "%s", err.text);
}

enum rc request_version(const struct call *call, int64_t *ret, struct err *reterr)
{
    struct str text, rest;
    int64_t n = 0;

    if (!http1_find(call->request, STR("If-Match"), &text) || str_eq(text, STR("*"))) {
        *ret = 0;
        return RC_OK;
    }
    rest = text.len > 0 ? str_from(text, 1) : text;
    if (text.len < 3 || text.ptr[0] != '"' || str_take_number(&rest, INT64_MAX - 2, &n) == 0 ||
        n == 0 || !str_eq(rest, STR("\""))) {
        err_set(reterr, RC_INVALID, -1, 0,
                "must be one ETag of an earlier answer, such as \"3\"");
        return err_in(reterr, "If-Match");
    }
    *ret = n;
    return RC_OK;
}

enum rc request_only_new(const struct call *call, bool *ret, struct err *reterr)
{
    struct str text;

    *ret = http1_find(call->request, STR("If-None-Match"), &text);
    if (!*ret || str_eq(text, STR("*")))
        return RC_OK;
    err_set(reterr, RC_INVALID, -1, 0,
            "must be *, which creates but never replaces; use If-Match for a version");
    return err_in(reterr, "If-None-Match");
}

bool request_has_etag(const struct call *call, struct str etag)
{
    struct str one, rest;
    bool is_more = http1_find(call->request, STR("If-None-Match"), &rest);

    while (is_more) {
        is_more = str_cut(rest, ',', &one, &rest);
        one = str_trim(is_more ? one : rest);
        if (str_eq(one, etag) || str_eq(one, STR("*")))
            return true;
    }
    return false;
}

/* Identifies the request: a client that uses one key for different requests gets an error. */
static int64_t fingerprint_request(const struct call *call)
{
    struct digest digest = {0};
    struct str id = str_of(call->operation->id);

    digest_add(&digest, id.ptr, id.len);
    for (int i = 0; i < CALL_PARAMS_MAX; i++)
        digest_add(&digest, call->params[i].ptr, call->params[i].len);
    digest_add(&digest, call->body.ptr, call->body.len);
    return (int64_t)digest.sum;
}

/* A single command gets the key itself, the commands of a batch the key and their number. */
static struct str command_key(struct call *call, struct str key, int i)
{
    struct buf text = {.cap = key.len + 16};

    if (call->command_count == 1)
        return arena_str(call->arena, key);
    text.ptr = arena_take(call->arena, text.cap);
    buf_str(&text, key);
    buf_printf(&text, "#%d", i);
    return buf_as_str(&text);
}

void request_trace(struct call *call)
{
    struct trace trace;
    struct str text;
    bool is_untraced;

    if (!http1_find(call->request, STR("traceparent"), &text) ||
        !trace_parse(text, &trace, &is_untraced))
        return;
    for (int i = 0; i < call->command_count; i++) {
        call->commands[i].trace = trace;
        call->commands[i].is_untraced = is_untraced;
    }
}

enum rc request_key(struct call *call, struct err *reterr)
{
    struct str key;
    int64_t fingerprint;

    if (!http1_find(call->request, STR("Idempotency-Key"), &key))
        return RC_OK;
    if (key.len > CALL_NAME_MAX)
        err_set(reterr, RC_LIMIT, -1, 0, "is %zu bytes; the limit is %d", key.len,
                CALL_NAME_MAX);
    else if (!str_is_utf8(key))
        err_set(reterr, RC_INVALID, -1, 0, "must be UTF-8");
    else if (name_check(key, reterr) == RC_OK) {
        fingerprint = fingerprint_request(call);
        for (int i = 0; i < call->command_count; i++) {
            call->commands[i].request = command_key(call, key, i);
            call->commands[i].fingerprint = fingerprint;
        }
        return RC_OK;
    }
    return err_in(reterr, "Idempotency-Key");
}

/* A body that does not even start like JSON: a line and column would not help the client. */
static bool is_other_format(struct str body)
{
    while (body.len > 0 && strchr(" \t\r\n", body.ptr[0]))
        body = str_from(body, 1);
    return body.len == 0 || (body.ptr[0] != '{' && body.ptr[0] != '[');
}

bool request_json(struct call *call, bool is_optional, json_t **ret, enum call_step *ret_step)
{
    struct err err;

    if (call->body.len == 0 && is_optional) {
        *ret = json_new_object();
        return true;
    }
    if (json_read(call->body, ret, &err) == RC_OK)
        return true;
    if (err.rc == RC_INVALID && is_other_format(call->body))
        err_set(&err, RC_INVALID, -1, 0,
                "the body is %s; send JSON, such as {\"name\":\"value\"}; /openapi.json has "
                "an example for %s %s",
                call->body.len == 0 ? "empty" : "not JSON", call->operation->method,
                call->operation->path);
    *ret_step = call_refuse(call, "invalid_json", &err);
    return false;
}

bool request_body(struct call *call, bool is_optional, const struct members *members, void *to,
                  enum call_step *ret_step)
{
    const struct reading reading = {call->arena, false, to};
    json_auto_t *json = NULL;
    struct err err;

    if (request_query_check(call, NULL, 0, &err) == RC_OK) {
        if (!request_json(call, is_optional, &json, ret_step))
            return false;
        if (members_read(members, json, &reading, &err) == RC_OK)
            return true;
    }
    *ret_step = call_refuse(call, NULL, &err);
    return false;
}

bool request_empty(struct call *call, enum call_step *ret_step)
{
    json_auto_t *json = NULL;
    struct err err;

    if (!request_json(call, true, &json, ret_step))
        return false;
    if (json_check_names(json, NULL, 0, &err) == RC_OK)
        return true;
    *ret_step = call_refuse(call, NULL, &err);
    return false;
}
