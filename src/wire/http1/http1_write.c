/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes heads and chunks of HTTP/1.1 answers.
 */
#include "wire/http1/http1_write.h"

#include "base/must.h"
#include "wire/http1/http1_date.h"
#include "wire/http1/http1_parts.h"

const char *http1_write_reason(int status)
{
    static const struct {
        int status;
        const char *reason;
    } reasons[] = {
        {100, "Continue"},
        {101, "Switching Protocols"},
        {200, "OK"},
        {201, "Created"},
        {202, "Accepted"},
        {204, "No Content"},
        {206, "Partial Content"},
        {207, "Multi-Status"},
        {301, "Moved Permanently"},
        {302, "Found"},
        {303, "See Other"},
        {304, "Not Modified"},
        {307, "Temporary Redirect"},
        {308, "Permanent Redirect"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {406, "Not Acceptable"},
        {408, "Request Timeout"},
        {409, "Conflict"},
        {410, "Gone"},
        {411, "Length Required"},
        {412, "Precondition Failed"},
        {413, "Content Too Large"},
        {414, "URI Too Long"},
        {415, "Unsupported Media Type"},
        {417, "Expectation Failed"},
        {421, "Misdirected Request"},
        {422, "Unprocessable Content"},
        {423, "Locked"},
        {426, "Upgrade Required"},
        {428, "Precondition Required"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {501, "Not Implemented"},
        {502, "Bad Gateway"},
        {503, "Service Unavailable"},
        {504, "Gateway Timeout"},
        {505, "HTTP Version Not Supported"},
        {507, "Insufficient Storage"},
    };

    for (size_t i = 0; i < sizeof(reasons) / sizeof(reasons[0]); i++)
        if (reasons[i].status == status)
            return reasons[i].reason;
    return "";
}

bool http1_write_keeps_open(const struct http1_answer *answer)
{
    return answer->to && answer->to->is_persistent && !answer->closes &&
           answer->framing != HTTP1_TO_CLOSE;
}

enum http1_framing http1_write_stream_framing(const struct http1_request *to)
{
    return to->minor == 1 ? HTTP1_CHUNKED : HTTP1_TO_CLOSE;
}

static enum rc check_field(const struct http1_field *field, bool may_be_date,
                           struct err *reterr)
{
    static const struct str reserved[] = {
        {"date", 4}, {"content-length", 14}, {"transfer-encoding", 17}, {"connection", 10}};

    if (!http1_is_token(field->name))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "\"%.*s\" is not a header field name; use letters, digits and -",
                       STR_ARG(field->name));
    for (size_t i = may_be_date; i < sizeof(reserved) / sizeof(reserved[0]); i++)
        if (str_eq_nocase(field->name, reserved[i]))
            return err_set(reterr, RC_INVALID, -1, 0,
                           "the answer must not set the header field %.*s",
                           STR_ARG(field->name));
    if (http1_text_length(field->value) < field->value.len)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "the value of the header field %.*s contains a control byte; remove it",
                       STR_ARG(field->name));
    return RC_OK;
}

static void write_status(const struct http1_answer *answer, struct buf *out)
{
    buf_text(out, "HTTP/1.1 ");
    buf_int(out, answer->status);
    buf_char(out, ' ');
    buf_text(out, http1_write_reason(answer->status));
    buf_text(out, "\r\nDate: ");
    http1_date_format(answer->now, out);
    buf_text(out, "\r\n");
}

static void write_framing(const struct http1_answer *answer, struct buf *out)
{
    if (answer->framing == HTTP1_SIZED) {
        buf_text(out, "Content-Length: ");
        buf_int(out, answer->length);
        buf_text(out, "\r\n");
    }
    if (answer->framing == HTTP1_CHUNKED)
        buf_text(out, "Transfer-Encoding: chunked\r\n");
    if (!http1_write_keeps_open(answer))
        buf_text(out, "Connection: close\r\n");
    else if (answer->to->minor == 0)
        buf_text(out, "Connection: keep-alive\r\n");
}

/* RFC 9110 section 6.4.1: these have no body, so they get no length either. */
static bool has_no_body(int status)
{
    return status == 204 || status == 304;
}

enum rc http1_write_check(const struct http1_answer *answer, bool may_have_date,
                          struct err *reterr)
{
    for (int i = 0; i < answer->field_count; i++) {
        enum rc rc = check_field(&answer->fields[i], may_have_date, reterr);

        if (rc != RC_OK)
            return rc;
    }
    return RC_OK;
}

enum rc http1_write_head(const struct http1_answer *answer, struct buf *out, struct err *reterr)
{
    struct buf draft = *out;
    enum rc rc;

    must(answer->status >= 200 && answer->status <= 599 && answer->length >= 0);
    must(has_no_body(answer->status) == (answer->framing == HTTP1_NO_BODY));
    must(answer->framing != HTTP1_CHUNKED || (answer->to && answer->to->minor == 1));
    rc = http1_write_check(answer, false, reterr);
    if (rc != RC_OK)
        return rc;
    draft.cut = false;
    write_status(answer, &draft);
    for (int i = 0; i < answer->field_count; i++) {
        buf_str(&draft, answer->fields[i].name);
        buf_text(&draft, ": ");
        buf_str(&draft, answer->fields[i].value);
        buf_text(&draft, "\r\n");
    }
    write_framing(answer, &draft);
    buf_text(&draft, "\r\n");
    if (draft.cut) {
        out->ptr[out->len] = '\0';
        return err_set(reterr, RC_LIMIT, -1, 0, "the head of the answer does not fit");
    }
    out->len = draft.len;
    return RC_OK;
}

bool http1_write_chunk(struct str data, struct buf *out)
{
    struct buf draft = *out;

    if (data.len == 0)
        return true; /* a chunk of size 0 would end the body */
    draft.cut = false;
    buf_printf(&draft, "%zx\r\n", data.len);
    buf_str(&draft, data);
    buf_text(&draft, "\r\n");
    if (draft.cut) {
        out->ptr[out->len] = '\0';
        return false;
    }
    out->len = draft.len;
    return true;
}
