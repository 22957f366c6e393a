/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dispatches of http actions: builds the request from the action and the run.
 * dispatch_http_end.c interprets the answer.
 */
#include <inttypes.h>

#include "base/must.h"
#include "core/time/text.h"
#include "model/action_check.h"
#include "model/template.h"
#include "model/trace.h"
#include "server/dispatch/dispatch_http.h"

enum { OWN_HEADERS_MAX = 8 }; /* see add_own_headers() */

/* A request under construction, in the arena of the dispatch. */
struct http_draft {
    struct dispatch *dispatch;
    struct payload payload;
    struct filling filling;
    struct webhook_header headers[HTTP_HEADERS_MAX], extra[OWN_HEADERS_MAX];
    struct address_policy policy;
    struct webhook_request request;
};

/* ---- texts of the action ---- */

static enum rc fill_url(struct http_draft *draft, struct err *reterr)
{
    struct template_place place = {.is_url = true, .max = HTTP_URL_MAX};
    struct webhook_request *r = &draft->request;
    enum rc rc = template_fill(&draft->filling, place, draft->dispatch->action.http.url,
                               draft->dispatch->arena, &r->url, reterr);

    if (rc == RC_OK)
        rc = http_url_check(r->url, reterr);
    if (rc != RC_OK)
        err_in(reterr, "url");
    return rc;
}

static enum rc fill_headers(struct http_draft *draft, struct err *reterr)
{
    static const struct template_place place = {.max = HTTP_HEADER_VALUE_MAX};
    const struct pairs *pairs = &draft->dispatch->action.http.headers;
    enum rc rc = RC_OK;

    for (int i = 0; i < pairs->count && rc == RC_OK; i++) {
        struct webhook_header *header = &draft->headers[i];

        header->name = pairs->list[i].name;
        rc = template_fill(&draft->filling, place, pairs->list[i].value, draft->dispatch->arena,
                           &header->value, reterr);
        if (rc == RC_OK)
            rc = http_header_value_check(header->value, reterr);
        if (rc != RC_OK)
            err_in(reterr, "headers.%.*s", STR_ARG(header->name));
    }
    draft->request.headers = draft->headers;
    draft->request.header_count = pairs->count;
    return rc;
}

static bool carries_body(struct str method)
{
    return str_eq(method, STR("POST")) || str_eq(method, STR("PUT")) ||
           str_eq(method, STR("PATCH"));
}

/* The body of the action, or the payload of the run. */
static enum rc fill_body(struct http_draft *draft, struct str *ret_type, struct err *reterr)
{
    const struct http_action *http = &draft->dispatch->action.http;
    struct webhook_request *r = &draft->request;
    struct template_body body;
    enum rc rc = RC_OK;

    *ret_type = STR("application/json");
    if (http->body.len > 0) {
        rc = template_fill_body(&draft->filling, http->body, draft->dispatch->arena, &body,
                                reterr);
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
        r->body = dispatch_payload_text(draft->dispatch, &draft->payload);
    }
    return RC_OK;
}

/* ---- headers of Belfry ---- */

/* The user's header takes precedence: receivers treat duplicate headers differently. */
static void add_header(struct http_draft *draft, struct str name, struct str value)
{
    for (int i = 0; i < draft->request.header_count; i++)
        if (str_eq_nocase(draft->headers[i].name, name))
            return;
    must(draft->request.extra_count < OWN_HEADERS_MAX);
    draft->extra[draft->request.extra_count++] = (struct webhook_header){name, value};
}

static struct str number_text(struct http_draft *draft, int64_t n)
{
    char text[24];
    struct buf out = BUF(text);

    buf_printf(&out, "%" PRId64, n);
    return arena_str(draft->dispatch->arena, buf_as_str(&out));
}

/* A header can contain only visible ASCII: percent-encodes everything else, and `%`. */
static struct str name_text(struct http_draft *draft, struct str name)
{
    size_t cap = 3 * name.len + 1;
    struct buf out = arena_buf(draft->dispatch->arena, cap);

    for (size_t i = 0; i < name.len; i++) {
        char c = name.ptr[i];

        if (c > ' ' && c <= '~' && c != '%')
            buf_char(&out, c);
        else
            buf_printf(&out, "%%%02X", (unsigned)(unsigned char)c);
    }
    return buf_as_str(&out);
}

static struct str trace_text(struct http_draft *draft)
{
    char text[TRACE_TEXT_MAX];

    return arena_str(draft->dispatch->arena,
                     trace_print(draft->payload.run, draft->payload.id, text));
}

static void add_own_headers(struct http_draft *draft, struct str content_type)
{
    const struct run *run = draft->payload.run;
    char text[INSTANT_TEXT_MAX];
    struct buf slot = BUF(text);

    instant_format_ms(run->slot, &slot);
    draft->request.extra = draft->extra;
    if (draft->request.has_body)
        add_header(draft, STR("content-type"), content_type);
    add_header(draft, STR("idempotency-key"), draft->payload.id);
    add_header(draft, STR("belfry-run"), draft->payload.id);
    if (draft->payload.schedule.len > 0)
        add_header(draft, STR("belfry-schedule"), name_text(draft, draft->payload.schedule));
    add_header(draft, STR("belfry-attempt"), number_text(draft, run->attempt));
    add_header(draft, STR("belfry-fence"), number_text(draft, run->fence));
    add_header(draft, STR("belfry-scheduled-time"),
               arena_str(draft->dispatch->arena, buf_as_str(&slot)));
    add_header(draft, STR("traceparent"), trace_text(draft));
}

/* ---- keys, limits, start ---- */

static enum rc find_keys(struct http_draft *draft, struct err *reterr)
{
    struct str name = draft->dispatch->action.http.sign;
    const struct signing_keys *key;

    if (name.len == 0)
        return RC_OK;
    key = signing_keys(dispatch_settings(draft->dispatch), name);
    if (!key) {
        err_set(reterr, RC_NOT_FOUND, -1, 0,
                "unknown key \"%.*s\"; the settings of namespace \"%.*s\" do not contain it",
                STR_ARG(name), STR_ARG(draft->payload.namespace));
        err_in(reterr, "sign");
        return RC_NOT_FOUND;
    }
    draft->request.keys = key->keys;
    draft->request.key_count = key->count;
    draft->request.message_id = draft->payload.id;
    return RC_OK;
}

static span shorter_of(span a, span b)
{
    return a < b ? a : b;
}

static void set_bounds(struct http_draft *draft)
{
    const struct http_action *http = &draft->dispatch->action.http;
    struct webhook_request *r = &draft->request;

    r->total_us = r->first_byte_us = shorter_of(http->timeout,
                                                dispatch_time_left(draft->dispatch));
    r->connect_us = shorter_of(http->connect_timeout, r->total_us);
    r->send_by_us = draft->dispatch->order->send_by_us;
    r->redirects = http->redirects;
    r->is_once = draft->dispatch->order->is_once;
    r->keep_bytes = http->keep_bytes;
    r->keep_headers = http->keep_headers.list;
    r->keep_header_count = http->keep_headers.count;
    draft->policy = dispatch_address_policy(draft->dispatch);
    r->policy = &draft->policy;
}

static enum rc write_request(struct http_draft *draft, struct err *reterr)
{
    struct str content_type;
    enum rc rc = fill_url(draft, reterr);

    draft->request.id = draft->dispatch->id;
    draft->request.method = draft->dispatch->action.http.method;
    if (rc == RC_OK)
        rc = fill_headers(draft, reterr);
    if (rc == RC_OK)
        rc = fill_body(draft, &content_type, reterr);
    if (rc == RC_OK)
        rc = find_keys(draft, reterr);
    if (rc != RC_OK)
        return rc;
    add_own_headers(draft, content_type);
    set_bounds(draft);
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
    struct http_draft *draft = arena_take(dispatch->arena, sizeof *draft);
    struct err err;
    enum rc rc;

    draft->dispatch = dispatch;
    draft->payload = dispatch_payload(dispatch);
    draft->filling.payload = &draft->payload;
    if (dispatch_time_left(dispatch) == 0) {
        dispatch_http_no_time_left(dispatch);
        return;
    }
    rc = write_request(draft, &err);
    filling_end(&draft->filling);
    if (rc == RC_OK)
        rc = webhook_start(dispatch->dispatcher->http, &draft->request, on_done, dispatch,
                           &err);
    if (rc == RC_BUSY)
        dispatch_release(dispatch);
    else if (rc != RC_OK)
        dispatch_fail(dispatch, "http_request", &err);
}

/* The result says whether the request was already sent and how it ended. */
static void stop(struct dispatch *dispatch)
{
    webhook_cancel(dispatch->dispatcher->http, dispatch->id);
}

const struct dispatch_kind dispatch_http = {start, stop, stop, NULL};
