/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The meaning of the end of an HTTP request: outcome, error, retry and result.
 *
 * Users configure several attempts because an answer may change: 404 while the receiver is
 * being deployed, 401 while a key changes.  So every unsuccessful status is retried, with two
 * exceptions: redirects, which stay the same, and 410, which means "gone".
 */
#include "io/clock.h"
#include "server/dispatch/dispatch_http.h"
#include "wire/base64.h"
#include "wire/json/json.h"
#include "wire/json/json_text.h"

/* ---- the result ---- */

/* Rejects control characters; the caller has removed an incomplete character. */
static bool is_text(struct str s)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];

        if ((c < 0x20 && c != '\t' && c != '\n' && c != '\r') || c == 0x7f)
            return false;
    }
    return str_is_utf8(s);
}

static struct str without_half_character(struct str s)
{
    enum { UTF8_MAX = 4 };
    size_t from = s.len > UTF8_MAX - 1 ? s.len - (UTF8_MAX - 1) : 0;

    for (size_t i = s.len; i > from; i--) {
        unsigned char c = (unsigned char)s.ptr[i - 1];

        if ((c & 0xc0) == 0x80)
            continue;
        if (str_utf8_length(str_from(s, i - 1)) == 0)
            s.len = i - 1;
        break;
    }
    return s;
}

static bool is_json(struct str s)
{
    json_auto_t *value = NULL;
    struct err err;

    return json_read(s, &value, &err) == RC_OK;
}

static void write_body(struct buf *out, const struct webhook_result *result)
{
    struct str body = result->body;

    buf_str(out, STR(",\"body\":"));
    if (result->is_cut)
        body = without_half_character(body);
    if (body.len == 0) {
        buf_str(out, STR("null"));
    } else if (!result->is_cut && is_json(body)) {
        buf_str(out, body);
    } else if (is_text(body)) {
        json_write_str(out, body);
    } else {
        buf_char(out, '"');
        base64_add(result->body, out);
        buf_str(out, STR("\",\"encoding\":\"base64\""));
    }
}

/* Replaces invalid bytes: header values may contain anything. */
static struct str utf8_of(struct str s, struct arena *arena)
{
    char *text = arena_take(arena, s.len + 1);

    for (size_t i = 0, n; i < s.len; i += n) {
        struct str rest = str_from(s, i);

        n = str_utf8_length(rest);
        if (n > 0)
            memcpy(text + i, rest.ptr, n);
        else
            text[i] = '?';
        n += n == 0;
    }
    return (struct str){text, s.len};
}

static json_t *headers_json(const struct webhook_result *result, struct arena *arena)
{
    json_t *json = json_new_object();

    for (int i = 0; i < result->header_count; i++) {
        struct str name = utf8_of(result->headers[i].name, arena);
        struct str value = utf8_of(result->headers[i].value, arena);
        char *lower = arena_take(arena, name.len + 1);
        const json_t *before;

        for (size_t k = 0; k < name.len; k++)
            lower[k] = char_lower(name.ptr[k]);
        before = json_object_get(json, lower);
        json_put(json, lower,
                 before ? json_sprintf("%s, %s", json_string_value(before), value.ptr)
                        : json_new_str(value));
    }
    return json;
}

struct str dispatch_http_result(const struct webhook_result *result, struct arena *arena)
{
    enum { FIXED_ROOM = 256 }; /* names and numbers */
    json_auto_t *headers = headers_json(result, arena);
    size_t header_bytes = json_length(headers);
    struct buf out = arena_buf(arena, FIXED_ROOM + header_bytes + 2 * result->body.len);

    buf_str(&out, STR("{\"status\":"));
    json_write_int(&out, result->status);
    buf_str(&out, STR(",\"headers\":"));
    json_print(headers, JSON_STYLE_LINE, &out);
    write_body(&out, result);
    buf_str(&out, result->is_cut ? STR(",\"truncated\":true") : STR(",\"truncated\":false"));
    buf_str(&out, STR(",\"durationMs\":"));
    json_write_int(&out, result->total_us / SPAN_MS);
    buf_char(&out, '}');
    return buf_whole(&out);
}

/* ---- the outcome ---- */

static void describe_status(const struct dispatch *dispatch, int status, struct err *ret)
{
    int redirects = dispatch->action.http.redirects;

    if (status == 410)
        err_set(ret, RC_INVALID, -1, 0, "the server answered 410: the resource is gone");
    else if (status >= 300 && status < 400 && redirects == 0)
        err_set(ret, RC_INVALID, -1, 0,
                "the server answered with redirect %d; the action does not follow redirects",
                status);
    else if (status >= 300 && status < 400)
        err_set(ret, RC_INVALID, -1, 0,
                "the server answered with redirect %d, which the action does not follow; its "
                "limit is %d redirects",
                status, redirects);
    else
        err_set(ret, RC_INVALID, -1, 0,
                "the server answered %d, which is not a success status of the action", status);
}

static span retry_after(const struct webhook_result *result)
{
    span wait = result->retry_at == INSTANT_NONE ? 0 : result->retry_at - clock_now();

    return wait > 0 ? wait : 0;
}

static void end_answered(struct dispatch *dispatch, const struct webhook_result *result)
{
    int status = result->status;
    bool is_success = http_action_succeeds(&dispatch->action.http, status);
    struct err err = {0};
    struct dispatch_end end = {
        .outcome = is_success ? OUTCOME_SUCCEEDED : OUTCOME_FAILED,
        .result = dispatch_http_result(result, dispatch->arena),
    };

    if (!is_success) {
        describe_status(dispatch, status, &err);
        end.code = "http_status";
        end.message = str_of(err.text);
        end.is_retryable = status != 410 && (status < 300 || status >= 400);
        end.retry_after = end.is_retryable ? retry_after(result) : 0;
    }
    dispatch_end(dispatch, &end);
}

static const char *unconnected_code(enum webhook_phase phase)
{
    switch (phase) {
    case WEBHOOK_IN_RESOLVE:
        return "http_resolve";
    case WEBHOOK_IN_TLS:
        return "http_tls";
    default:
        return "http_connect";
    }
}

/*
 * The request was sent, but its result is unknown.  A run with at-most-once delivery ends with
 * that outcome.
 */
static struct dispatch_end end_in_doubt(const struct dispatch *dispatch)
{
    return (struct dispatch_end){
        .outcome = dispatch->order->is_once ? OUTCOME_UNKNOWN : OUTCOME_FAILED,
        .code = "http_unknown",
        .is_retryable = !dispatch->order->is_once,
    };
}

static struct dispatch_end end_unanswered(const struct dispatch *dispatch,
                                          const struct webhook_result *result)
{
    struct dispatch_end failed = {.outcome = OUTCOME_FAILED, .is_retryable = true};

    switch (result->kind) {
    case WEBHOOK_TIMED_OUT:
        failed.outcome = OUTCOME_TIMED_OUT;
        failed.code = "http_timeout";
        return failed;
    case WEBHOOK_REFUSED:
        failed.code = "http_guard";
        failed.is_retryable = false;
        return failed;
    case WEBHOOK_CANCELLED:
        return (struct dispatch_end){.outcome = OUTCOME_CANCELLED, .code = "http_cancelled"};
    case WEBHOOK_UNCONNECTED:
        failed.code = unconnected_code(result->phase);
        return failed;
    default:
        break;
    }
    if (result->is_sent)
        return end_in_doubt(dispatch);
    failed.code = "http_reset";
    return failed;
}

void dispatch_http_end(struct dispatch *dispatch, const struct webhook_result *result)
{
    struct dispatch_end end;

    dispatch->is_begun = result->is_sent;
    if (result->kind == WEBHOOK_ANSWERED) {
        end_answered(dispatch, result);
        return;
    }
    if (result->kind == WEBHOOK_TOO_LATE && !result->is_sent) {
        dispatch_release(dispatch);
        return;
    }
    end = end_unanswered(dispatch, result);
    end.message = str_of(result->err.text);
    dispatch_end(dispatch, &end);
}

void dispatch_http_no_time_left(struct dispatch *dispatch)
{
    dispatch_end(dispatch,
                 &(struct dispatch_end){
                     .outcome = OUTCOME_TIMED_OUT,
                     .code = "http_timeout",
                     .message = STR("the time of the attempt was over before the request could "
                                    "start"),
                     .is_retryable = true,
                 });
}
