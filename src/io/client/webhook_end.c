/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The end of a hop and of a call: decides whether another hop follows, and describes what
 * happened.
 */
#include "base/must.h"
#include "io/client/webhook_parts.h"
#include "io/clock.h"
#include "wire/http1/http1_date.h"

static bool is_redirect(int status)
{
    return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/* As browsers do: after 303, and after 301 or 302 in answer to POST, the next hop is a GET. */
static void change_method(struct webhook_call *call, int status)
{
    bool is_head = str_eq(call->method, STR("HEAD"));

    if ((status == 303 && !is_head) ||
        ((status == 301 || status == 302) && str_eq(call->method, STR("POST")))) {
        call->method = STR("GET");
        call->has_body = false;
    }
}

bool webhook_call_follow(struct webhook_call *call)
{
    int status = webhook_call_status(call);
    bool was_tls, is_tls;
    char *target = NULL;
    int64_t origin;
    struct err err;

    if (!is_redirect(status) || !call->is_past_head ||
        call->result.hops >= call->request.redirects)
        return false;
    must(curl_easy_getinfo(call->easy, CURLINFO_REDIRECT_URL, &target) == CURLE_OK);
    if (!target || webhook_check_url(str_of(target), &is_tls, &origin, &err))
        return false;
    must(!webhook_check_url(call->url, &was_tls, &(int64_t){0}, &err));
    if (was_tls && !is_tls) /* data meant for TLS is not sent without it */
        return false;
    call->url = arena_str(call->arena, str_of(target));
    call->is_other_origin = call->is_other_origin || origin != call->origin;
    change_method(call, status);
    call->result.hops++;
    return true;
}

static enum webhook_phase phase_of(const struct webhook_call *call)
{
    curl_off_t named = 0;
    char *peer = NULL;

    if (call->begun_us == 0)
        return WEBHOOK_IN_QUEUE;
    if (call->is_sent_now)
        return call->has_byte ? WEBHOOK_IN_ANSWER : WEBHOOK_IN_WAIT;
    must(curl_easy_getinfo(call->easy, CURLINFO_NAMELOOKUP_TIME_T, &named) == CURLE_OK);
    must(curl_easy_getinfo(call->easy, CURLINFO_PRIMARY_IP, &peer) == CURLE_OK);
    if (named == 0)
        return WEBHOOK_IN_RESOLVE;
    return peer && peer[0] != '\0' ? WEBHOOK_IN_TLS : WEBHOOK_IN_CONNECT;
}

void webhook_call_set_end(struct webhook_call *call, enum webhook_kind kind, const char *text)
{
    struct webhook_result *result = &call->result;
    enum rc rc = kind == WEBHOOK_REFUSED ? RC_INVALID : result->is_sent ? RC_UNKNOWN : RC_LOST;

    result->kind = kind;
    result->phase = phase_of(call);
    if (kind == WEBHOOK_ANSWERED)
        result->err = (struct err){.at = -1};
    else
        err_set(&result->err, rc, -1, 0, "%s", text);
}

void webhook_call_time_out(struct webhook_call *call)
{
    static const char *const texts[WEBHOOK_PHASE_COUNT] = {
        [WEBHOOK_IN_QUEUE] = "the call did not leave the queue in time",
        [WEBHOOK_IN_RESOLVE] = "the host's name was not resolved in time",
        [WEBHOOK_IN_CONNECT] = "the host did not accept the connection in time",
        [WEBHOOK_IN_TLS] = "the host did not agree on TLS in time",
        [WEBHOOK_IN_WAIT] = "the request was sent, and no answer began in time",
        [WEBHOOK_IN_ANSWER] = "the answer did not end in time",
    };

    webhook_call_set_end(call, WEBHOOK_TIMED_OUT, texts[phase_of(call)]);
}

static void end_refused(struct webhook_call *call)
{
    char text[ERR_TEXT_MAX];
    struct buf out = BUF(text);

    address_print(&call->refused, &out);
    buf_printf(&out, " is %s; calls to it are not allowed",
               address_class_text(address_class_of(&call->refused)));
    webhook_call_set_end(call, WEBHOOK_REFUSED, text);
}

static void end_failed(struct webhook_call *call, CURLcode code)
{
    char text[ERR_TEXT_MAX];
    struct buf out = BUF(text);

    buf_text(&out, call->is_sent_now ? "the connection broke after the request was sent: "
                                     : "no connection: ");
    if (code == CURLE_ABORTED_BY_CALLBACK && call->is_sent_now)
        buf_text(&out, "the host closed it or refused the request, without an answer");
    else if (call->is_too_long)
        buf_printf(&out, "the answer's head exceeds %d bytes", WEBHOOK_HEAD_MAX);
    else if (code == CURLE_OK)
        buf_text(&out, "the answer ended in the middle of its head");
    else
        buf_text(&out, call->curl_text[0] ? call->curl_text : curl_easy_strerror(code));
    webhook_call_set_end(call, call->is_sent_now ? WEBHOOK_UNKNOWN : WEBHOOK_UNCONNECTED, text);
}

/*
 * libcurl accepts an answer whose connection ends inside the head; this code does not.  If more
 * of the body has arrived than is kept, the call is answered, no matter how the body ends.
 */
void webhook_call_conclude(struct webhook_call *call, CURLcode code)
{
    bool is_stopped = code == CURLE_ABORTED_BY_CALLBACK;

    if (call->is_late)
        webhook_call_set_end(call, WEBHOOK_TOO_LATE,
                             "the deadline passed before the call could be sent");
    else if (call->is_refused && !call->is_sent_now && (is_stopped || !call->is_opened))
        end_refused(call);
    else if ((code == CURLE_OK && call->is_past_head) || call->result.is_cut)
        webhook_call_set_end(call, WEBHOOK_ANSWERED, "");
    else if (code == CURLE_OPERATION_TIMEDOUT)
        webhook_call_time_out(call);
    else
        end_failed(call, code);
}

static span time_of(const struct webhook_call *call, CURLINFO info)
{
    curl_off_t us = 0;

    must(curl_easy_getinfo(call->easy, info, &us) == CURLE_OK);
    return (span)us;
}

void webhook_call_fill_result(struct webhook_call *call)
{
    struct webhook_result *result = &call->result;
    int64_t now_us = clock_boot_us();
    struct err err;

    result->headers = call->kept;
    result->body.ptr = call->body;
    if (call->begun_us == 0) {
        result->waited_us = now_us - call->queued_us;
        return;
    }
    result->status = webhook_call_status(call);
    result->waited_us = call->begun_us - call->queued_us;
    result->total_us = now_us - call->begun_us;
    result->connect_us = time_of(call, CURLINFO_CONNECT_TIME_T);
    result->first_byte_us = time_of(call, CURLINFO_STARTTRANSFER_TIME_T);
    if (call->retry_after.len > 0 &&
        http1_date_retry_after(call->retry_after, clock_now(), &result->retry_at, &err))
        result->retry_at = INSTANT_NONE;
}
