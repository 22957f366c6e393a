/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The request line, and what the fields say about host, body and connection: RFC 9112,
 * sections 3, 6 and 9.
 */
#include "wire/http1/http1_parts.h"

/* RFC 9112 would read a 1.2 as 1.1; nobody has ever sent one but to confuse. */
static enum rc take_version(struct http1 *p, struct str version, struct err *reterr)
{
    if (str_eq(version, STR("HTTP/1.1"))) {
        p->request.minor = 1;
        return RC_OK;
    }
    if (str_eq(version, STR("HTTP/1.0"))) {
        p->request.minor = 0;
        return RC_OK;
    }
    if (str_starts(version, STR("HTTP/")) && version.len == STR("HTTP/1.1").len &&
        char_is_digit(version.ptr[5]) && version.ptr[6] == '.' && char_is_digit(version.ptr[7]))
        return HTTP1_REFUSE(p, 505, reterr, "The version %.*s is not served here; HTTP/1.1 is.",
                            STR_ARG(version));
    return HTTP1_REFUSE(p, 400, reterr,
                        "The request line must end with HTTP/1.1, not with \"%.*s\".",
                        STR_ARG(version));
}

enum rc http1_head_line(struct http1 *p, struct str line, struct err *reterr)
{
    struct http1_request *request = &p->request;
    struct str rest, version;
    enum rc rc;

    if (!str_cut(line, ' ', &request->method, &rest) ||
        !str_cut(rest, ' ', &request->target, &version))
        return HTTP1_REFUSE(p, 400, reterr,
                            "A request line is METHOD TARGET HTTP/1.1, "
                            "with a blank between each two.");
    if (!http1_is_token(request->method))
        return HTTP1_REFUSE(p, 400, reterr, "\"%.*s\" is not a method; GET and POST are.",
                            STR_ARG(request->method));
    rc = take_version(p, version, reterr);
    if (rc != RC_OK)
        return rc;
    if (str_eq(request->method, STR("CONNECT")))
        return HTTP1_REFUSE(p, 501, reterr, "CONNECT asks for a proxy; this is none.");
    return http1_target_parse(p, reterr);
}

static enum rc take_host(struct http1 *p, struct str value, struct err *reterr)
{
    struct str host, port;

    if (!http1_host_parse(value, &host, &port))
        return HTTP1_REFUSE(p, 400, reterr,
                            "The Host field must be a name or an address with an optional "
                            "port, not \"%.*s\".",
                            STR_ARG(value));
    if (!p->request.is_absolute) {
        p->request.host = host;
        p->request.port = port;
    }
    return RC_OK;
}

static enum rc take_length(struct http1 *p, struct str value, struct err *reterr)
{
    struct str rest = value;

    if (str_take_number(&rest, INT64_MAX - 1, &p->request.length) == 0 || rest.len > 0)
        return HTTP1_REFUSE(p, 400, reterr,
                            "Content-Length must be one number in digits, not \"%.*s\".",
                            STR_ARG(value));
    return RC_OK;
}

/* Without chunked at the end a length is not to be had, so 400; else we lack a coding: 501. */
static enum rc take_coding(struct http1 *p, struct str value, struct err *reterr)
{
    struct str member = {0}, list = value;
    int count = 0;

    while (http1_list_next(&list, &member))
        count++;
    if (str_eq_nocase(value, STR("chunked"))) {
        p->request.is_chunked = true;
        return RC_OK;
    }
    return HTTP1_REFUSE(p, count > 1 && str_eq_nocase(member, STR("chunked")) ? 501 : 400,
                        reterr, "Transfer-Encoding must be chunked alone, not \"%.*s\".",
                        STR_ARG(value));
}

/* HTTP/1.0 knows no expectations: RFC 9110 section 10.1.1. */
static enum rc take_expect(struct http1 *p, struct str value, struct err *reterr)
{
    if (p->request.minor == 0)
        return RC_OK;
    if (!str_eq_nocase(value, STR("100-continue")))
        return HTTP1_REFUSE(p, 417, reterr,
                            "The only expectation that can be met is 100-continue, "
                            "not \"%.*s\".",
                            STR_ARG(value));
    p->request.expects_continue = true;
    return RC_OK;
}

enum known_field {
    KNOWN_HOST,
    KNOWN_LENGTH,
    KNOWN_CODING,
    KNOWN_TYPE,
    KNOWN_AUTHORIZATION,
    KNOWN_EXPECT,
    KNOWN_COUNT
};

/* Twice the same single field is two answers to one question, even where they agree. */
static const struct known {
    struct str name;
    bool is_single;
    enum rc (*take)(struct http1 *p, struct str value, struct err *reterr);
} known[KNOWN_COUNT] = {
    [KNOWN_HOST] = {{"host", 4}, true, take_host},
    [KNOWN_LENGTH] = {{"content-length", 14}, true, take_length},
    [KNOWN_CODING] = {{"transfer-encoding", 17}, true, take_coding},
    [KNOWN_TYPE] = {{"content-type", 12}, true, NULL},
    [KNOWN_AUTHORIZATION] = {{"authorization", 13}, true, NULL},
    [KNOWN_EXPECT] = {{"expect", 6}, false, take_expect},
};

static int find_known(struct str name)
{
    int i = 0;

    while (i < KNOWN_COUNT && !str_eq_nocase(known[i].name, name))
        i++;
    return i;
}

static enum rc take_field(struct http1 *p, const struct http1_field *field, bool *has,
                          struct err *reterr)
{
    int i = find_known(field->name);

    if (i == KNOWN_COUNT)
        return RC_OK;
    if (known[i].is_single && has[i])
        return HTTP1_REFUSE(p, 400, reterr, "The field %.*s stands twice; it may stand once.",
                            STR_ARG(field->name));
    has[i] = true;
    return known[i].take ? known[i].take(p, field->value, reterr) : RC_OK;
}

static enum rc check_framing(struct http1 *p, const bool *has, struct err *reterr)
{
    if (has[KNOWN_CODING] && has[KNOWN_LENGTH])
        return HTTP1_REFUSE(p, 400, reterr,
                            "Content-Length and Transfer-Encoding may not "
                            "stand together: the body has one end.");
    if (has[KNOWN_CODING] && p->request.minor == 0)
        return HTTP1_REFUSE(p, 400, reterr,
                            "Transfer-Encoding is of HTTP/1.1; "
                            "the request says HTTP/1.0.");
    if (!has[KNOWN_HOST] && p->request.minor == 1)
        return HTTP1_REFUSE(p, 400, reterr, "A request of HTTP/1.1 must have a Host field.");
    return RC_OK;
}

enum rc http1_head_end(struct http1 *p, struct err *reterr)
{
    struct http1_request *request = &p->request;
    bool has[KNOWN_COUNT] = {false};
    const struct str connection = STR("connection");
    enum rc rc;

    for (int i = 0; i < request->field_count; i++) {
        rc = take_field(p, &request->fields[i], has, reterr);
        if (rc != RC_OK)
            return rc;
    }
    rc = check_framing(p, has, reterr);
    if (rc != RC_OK)
        return rc;
    request->expects_continue &= request->is_chunked || request->length > 0;
    request->is_persistent = !http1_list_has(request, connection, STR("close")) &&
                             (request->minor == 1 ||
                              http1_list_has(request, connection, STR("keep-alive")));
    return RC_OK;
}
