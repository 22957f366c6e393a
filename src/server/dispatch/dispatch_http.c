/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The http action: the request that an action and a run make.  What its answer means is in
 * dispatch_http_end.c.
 */
#include <inttypes.h>

#include "base/must.h"
#include "core/time/text.h"
#include "model/action_check.h"
#include "model/template.h"
#include "model/trace.h"
#include "server/dispatch/dispatch_http.h"

enum { OWN_HEADERS_MAX = 8 }; /* those of add_own_headers() */

/* A request in the making; all of it in the errand's arena. */
struct letter {
    struct dispatch *dispatch;
    struct payload payload;
    struct filling filling;
    struct webhook_header headers[HTTP_HEADERS_MAX], extra[OWN_HEADERS_MAX];
    struct address_policy policy;
    struct webhook_request request;
};

/* ---- from the user's texts ---- */

static enum rc fill_url(struct letter *l, struct err *reterr)
{
    struct template_place place = {.is_url = true, .max = HTTP_URL_MAX};
    struct webhook_request *r = &l->request;
    enum rc rc = template_fill(&l->filling, place, l->dispatch->action.http.url,
                               l->dispatch->arena, &r->url, reterr);

    if (rc == RC_OK)
        rc = http_url_check(r->url, reterr);
    if (rc != RC_OK)
        err_in(reterr, "url");
    return rc;
}

static enum rc fill_headers(struct letter *l, struct err *reterr)
{
    static const struct template_place place = {.max = HTTP_HEADER_VALUE_MAX};
    const struct pairs *pairs = &l->dispatch->action.http.headers;
    enum rc rc = RC_OK;

    for (int i = 0; i < pairs->count && rc == RC_OK; i++) {
        struct webhook_header *header = &l->headers[i];

        header->name = pairs->list[i].name;
        rc = template_fill(&l->filling, place, pairs->list[i].value, l->dispatch->arena,
                           &header->value, reterr);
        if (rc == RC_OK)
            rc = http_header_value_check(header->value, reterr);
        if (rc != RC_OK)
            err_in(reterr, "headers.%.*s", STR_ARG(header->name));
    }
    l->request.headers = l->headers;
    l->request.header_count = pairs->count;
    return rc;
}

static bool carries_body(struct str method)
{
    return str_eq(method, STR("POST")) || str_eq(method, STR("PUT")) ||
           str_eq(method, STR("PATCH"));
}

/* The action's own body, else what there is to say about the run. */
static enum rc fill_body(struct letter *l, struct str *ret_type, struct err *reterr)
{
    const struct http_action *http = &l->dispatch->action.http;
    struct webhook_request *r = &l->request;
    struct template_body body;
    enum rc rc = RC_OK;

    *ret_type = STR("application/json");
    if (http->body.len > 0) {
        rc = template_fill_body(&l->filling, http->body, l->dispatch->arena, &body, reterr);
        if (rc != RC_OK) {
            err_in(reterr, "body");
            return rc;
        }
        r->has_body = true;
        r->body = body.bytes;
        if (body.is_text)
            *ret_type = STR("text/plain; charset=utf-8");
    } else if (carries_body(http->method)) {
        r->has_body = true;
        r->body = dispatch_payload_text(l->dispatch, &l->payload);
    }
    return RC_OK;
}

/* ---- headers of ours ---- */

/* Unless the user has one of this name: two would be read as one or the other. */
static void add_header(struct letter *l, struct str name, struct str value)
{
    for (int i = 0; i < l->request.header_count; i++)
        if (str_eq_nocase(l->headers[i].name, name))
            return;
    must(l->request.extra_count < OWN_HEADERS_MAX);
    l->extra[l->request.extra_count++] = (struct webhook_header){name, value};
}

static struct str number_text(struct letter *l, int64_t n)
{
    char text[24];
    struct buf out = BUF(text);

    buf_printf(&out, "%" PRId64, n);
    return arena_str(l->dispatch->arena, buf_as_str(&out));
}

/* Names may hold what a header may not: all but visible ASCII is percent-encoded, and `%`. */
static struct str name_text(struct letter *l, struct str name)
{
    size_t cap = 3 * name.len + 1;
    struct buf out = {.ptr = arena_take(l->dispatch->arena, cap), .cap = cap};

    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];

        if (c > ' ' && c <= '~' && c != '%')
            buf_char(&out, c);
        else
            buf_printf(&out, "%%%02X", (unsigned)(unsigned char)c);
    }
    return buf_as_str(&out);
}

static struct str trace_text(struct letter *l)
{
    char text[TRACE_TEXT_MAX];

    return arena_str(l->dispatch->arena, trace_print(l->payload.run, l->payload.id, text));
}

static void add_own_headers(struct letter *l, struct str content_type)
{
    const struct run *run = l->payload.run;
    char text[INSTANT_TEXT_MAX];
    struct buf slot = BUF(text);

    instant_format_ms(run->slot, &slot);
    l->request.extra = l->extra;
    if (l->request.has_body)
        add_header(l, STR("content-type"), content_type);
    add_header(l, STR("idempotency-key"), l->payload.id);
    add_header(l, STR("belfry-run"), l->payload.id);
    if (l->payload.schedule.len > 0)
        add_header(l, STR("belfry-schedule"), name_text(l, l->payload.schedule));
    add_header(l, STR("belfry-attempt"), number_text(l, run->attempt));
    add_header(l, STR("belfry-fence"), number_text(l, run->fence));
    add_header(l, STR("belfry-scheduled-time"),
               arena_str(l->dispatch->arena, buf_as_str(&slot)));
    add_header(l, STR("traceparent"), trace_text(l));
}

/* ---- the rest ---- */

static enum rc find_keys(struct letter *l, struct err *reterr)
{
    struct str name = l->dispatch->action.http.sign;
    const struct signing_keys *key;

    if (name.len == 0)
        return RC_OK;
    key = signing_keys(dispatch_settings(l->dispatch), name);
    if (!key) {
        err_set(reterr, RC_NOT_FOUND, -1, 0,
                "there is no key `%.*s` among the settings of namespace `%.*s`", STR_ARG(name),
                STR_ARG(l->payload.namespace));
        err_in(reterr, "sign");
        return RC_NOT_FOUND;
    }
    l->request.keys = key->keys;
    l->request.key_count = key->count;
    l->request.message_id = l->payload.id;
    return RC_OK;
}

static span least(span a, span b)
{
    return a < b ? a : b;
}

static void set_bounds(struct letter *l)
{
    const struct http_action *http = &l->dispatch->action.http;
    struct webhook_request *r = &l->request;

    r->total_us = r->first_byte_us = least(http->timeout, dispatch_left(l->dispatch));
    r->connect_us = least(http->connect_timeout, r->total_us);
    r->send_by_us = l->dispatch->order->send_by_us;
    r->redirects = http->redirects;
    r->is_once = l->dispatch->order->is_once;
    r->keep_bytes = http->keep_bytes;
    r->keep_headers = http->keep_headers.list;
    r->keep_header_count = http->keep_headers.count;
    l->policy = dispatch_address_policy(l->dispatch);
    r->policy = &l->policy;
}

static enum rc write_request(struct letter *l, struct err *reterr)
{
    struct str content_type;
    enum rc rc = fill_url(l, reterr);

    l->request.id = l->dispatch->id;
    l->request.method = l->dispatch->action.http.method;
    if (rc == RC_OK)
        rc = fill_headers(l, reterr);
    if (rc == RC_OK)
        rc = fill_body(l, &content_type, reterr);
    if (rc == RC_OK)
        rc = find_keys(l, reterr);
    if (rc != RC_OK)
        return rc;
    add_own_headers(l, content_type);
    set_bounds(l);
    return RC_OK;
}

static void on_done(void *arg, const struct webhook_result *result)
{
    struct dispatch *dispatch = arg;

    must(dispatch->id == result->id);
    dispatch_http_end(dispatch, result);
}

static void start(struct dispatch *dispatch)
{
    struct letter *l = arena_take(dispatch->arena, sizeof *l);
    struct err err;
    enum rc rc;

    l->dispatch = dispatch;
    l->payload = dispatch_payload(dispatch);
    l->filling.payload = &l->payload;
    if (dispatch_left(dispatch) == 0) {
        dispatch_http_too_slow(dispatch);
        return;
    }
    rc = write_request(l, &err);
    filling_end(&l->filling);
    if (rc == RC_OK)
        rc = webhook_start(dispatch->dispatcher->http, &l->request, on_done, dispatch, &err);
    if (rc == RC_BUSY)
        dispatch_release(dispatch);
    else if (rc != RC_OK)
        dispatch_refuse(dispatch, "http_request", &err);
}

/* Whether it had left already, and how it ended then, comes with its end. */
static void stop(struct dispatch *dispatch)
{
    webhook_cancel(dispatch->dispatcher->http, dispatch->id);
}

const struct dispatch_kind dispatch_http = {start, stop, stop};
