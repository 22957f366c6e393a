/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Frames, timeouts, messages and statuses of gRPC.
 */
#include "wire/grpc/grpc.h"

bool grpc_is_type(struct str content_type)
{
    static const struct str type = {"application/grpc", 16};
    struct str rest;

    if (content_type.len < type.len ||
        !str_eq_nocase((struct str){content_type.ptr, type.len}, type))
        return false;
    rest = str_from(content_type, type.len);
    return rest.len == 0 || rest.ptr[0] == '+' || rest.ptr[0] == ';';
}

enum rc grpc_unframe(struct str body, bool *ret_is_compressed, struct str *ret,
                     struct err *reterr)
{
    const unsigned char *p = (const unsigned char *)body.ptr;
    size_t length;

    if (body.len < GRPC_PREFIX)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "a gRPC message begins with %d bytes; received %zu", GRPC_PREFIX,
                       body.len);
    length = (size_t)p[1] << 24 | (size_t)p[2] << 16 | (size_t)p[3] << 8 | p[4];
    if (p[0] > 1)
        return err_set(reterr, RC_INVALID, 0, 1,
                       "a gRPC message begins with 0, or 1 if it is compressed");
    if (length != body.len - GRPC_PREFIX)
        return err_set(reterr, RC_INVALID, 1, 4,
                       "one message of %zu bytes was announced; received %zu", length,
                       body.len - GRPC_PREFIX);
    *ret_is_compressed = p[0] == 1;
    *ret = str_from(body, GRPC_PREFIX);
    return RC_OK;
}

void grpc_prefix(size_t length, struct buf *out)
{
    const char prefix[GRPC_PREFIX] = {0, (char)(length >> 24 & 255), (char)(length >> 16 & 255),
                                      (char)(length >> 8 & 255), (char)(length & 255)};

    buf_add(out, prefix, sizeof prefix);
}

bool grpc_timeout(struct str text, span *ret)
{
    static const struct {
        char unit;
        span span;
    } units[] = {{'H', SPAN_H}, {'M', SPAN_MIN}, {'S', SPAN_S}, {'m', SPAN_MS}, {'u', 1}};
    struct str rest = text;
    int64_t n = 0;
    size_t digits = str_take_number(&rest, INT64_MAX - 2, &n);

    if (digits == 0 || digits > GRPC_TIMEOUT_DIGITS || rest.len != 1)
        return false;
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
        if (rest.ptr[0] == units[i].unit) {
            *ret = n * units[i].span;
            return true;
        }
    if (rest.ptr[0] != 'n')
        return false;
    *ret = n / 1000;
    return true;
}

void grpc_escape_message(struct str text, struct buf *out)
{
    static const char hex[] = "0123456789ABCDEF";

    for (size_t i = 0; i < text.len; i++) {
        unsigned char c = (unsigned char)text.ptr[i];

        if (c >= 0x20 && c <= 0x7e && c != '%')
            buf_char(out, (char)c);
        else
            buf_add(out, (char[]){'%', hex[c >> 4], hex[c & 15]}, 3);
    }
}

static int hex_of(char c)
{
    if (char_is_digit(c))
        return c - '0';
    c = char_lower(c);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

void grpc_unescape_message(struct str text, struct buf *out)
{
    for (size_t i = 0; i < text.len; i++) {
        bool is_escaped = text.ptr[i] == '%' && i + 2 < text.len &&
                          hex_of(text.ptr[i + 1]) >= 0 && hex_of(text.ptr[i + 2]) >= 0;

        if (!is_escaped) {
            buf_char(out, text.ptr[i]);
            continue;
        }
        buf_char(out, (char)(hex_of(text.ptr[i + 1]) << 4 | hex_of(text.ptr[i + 2])));
        i += 2;
    }
}

static const char *const status_texts[] = {
    [GRPC_OK] = "OK",
    [GRPC_CANCELLED] = "CANCELLED",
    [GRPC_UNKNOWN] = "UNKNOWN",
    [GRPC_INVALID_ARGUMENT] = "INVALID_ARGUMENT",
    [GRPC_DEADLINE_EXCEEDED] = "DEADLINE_EXCEEDED",
    [GRPC_NOT_FOUND] = "NOT_FOUND",
    [GRPC_ALREADY_EXISTS] = "ALREADY_EXISTS",
    [GRPC_PERMISSION_DENIED] = "PERMISSION_DENIED",
    [GRPC_RESOURCE_EXHAUSTED] = "RESOURCE_EXHAUSTED",
    [GRPC_FAILED_PRECONDITION] = "FAILED_PRECONDITION",
    [GRPC_ABORTED] = "ABORTED",
    [GRPC_OUT_OF_RANGE] = "OUT_OF_RANGE",
    [GRPC_UNIMPLEMENTED] = "UNIMPLEMENTED",
    [GRPC_INTERNAL] = "INTERNAL",
    [GRPC_UNAVAILABLE] = "UNAVAILABLE",
    [GRPC_DATA_LOSS] = "DATA_LOSS",
    [GRPC_UNAUTHENTICATED] = "UNAUTHENTICATED",
};

enum grpc_status grpc_status_read(struct str text)
{
    int64_t n;

    if (str_take_number(&text, GRPC_UNAUTHENTICATED, &n) == 0 || text.len > 0 ||
        n > GRPC_UNAUTHENTICATED)
        return GRPC_UNKNOWN;
    return (enum grpc_status)n;
}

const char *grpc_status_text(enum grpc_status status)
{
    return status_texts[status];
}

/* As in the specification's http-grpc-status-mapping.md. */
enum grpc_status grpc_status_of_http(int status)
{
    switch (status) {
    case 400:
        return GRPC_INTERNAL;
    case 401:
        return GRPC_UNAUTHENTICATED;
    case 403:
        return GRPC_PERMISSION_DENIED;
    case 404:
        return GRPC_UNIMPLEMENTED;
    case 429:
    case 502:
    case 503:
    case 504:
        return GRPC_UNAVAILABLE;
    default:
        return GRPC_UNKNOWN;
    }
}
