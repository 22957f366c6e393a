/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses the request line, and the fields about host, body and connection: RFC 9112, sections
 * 3, 6 and 9.
 */
#include "wire/http1/http1_parts.h"

/* RFC 9112 would treat 1.2 as 1.1, but only attackers send it. */
enum rc http1_version_parse(struct http1 *p, struct str version, struct err *reterr)
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
        return HTTP1_REFUSE(p, 505, reterr, "version %.*s is not supported; use HTTP/1.1",
                            STR_ARG(version));
    return HTTP1_REFUSE(p, 400, reterr, "the request line must end with HTTP/1.1, not \"%.*s\"",
                        STR_ARG(version));
}

enum rc http1_head_line(struct http1 *p, struct str line, struct err *reterr)
{
    struct http1_request *request = &p->request;
    struct str rest, version;
    enum rc rc;

    if (!str_cut(line, ' ', &request->method, &rest) ||
        !str_cut(rest, ' ', &request->target, &version))
        return HTTP1_REFUSE(
            p, 400, reterr,
            "a request line must be METHOD TARGET HTTP/1.1, separated by blanks");
    if (!http1_is_token(request->method))
        return HTTP1_REFUSE(p, 400, reterr,
                            "\"%.*s\" is not a method; use one such as GET or POST",
                            STR_ARG(request->method));
    rc = http1_version_parse(p, version, reterr);
    if (rc != RC_OK)
        return rc;
    if (str_eq(request->method, STR("CONNECT")))
        return HTTP1_REFUSE(p, 501, reterr, "CONNECT is for proxies; this is not a proxy");
    return http1_target_parse(p, reterr);
}

static enum rc read_host(struct http1 *p, struct str value, struct err *reterr)
{
    struct str host, port;

    if (!http1_host_parse(value, &host, &port))
        return HTTP1_REFUSE(p, 400, reterr,
                            "the Host field must be a name or an address with an optional "
                            "port, not \"%.*s\"",
                            STR_ARG(value));
    if (!p->request.is_absolute) {
        p->request.host = host;
        p->request.port = port;
    }
    return RC_OK;
}

static enum rc read_length(struct http1 *p, struct str value, struct err *reterr)
{
    struct str rest = value;

    if (str_take_number(&rest, INT64_MAX - 1, &p->request.length) == 0 || rest.len > 0)
        return HTTP1_REFUSE(p, 400, reterr,
                            "Content-Length must be one number in digits, not \"%.*s\"",
                            STR_ARG(value));
    return RC_OK;
}

/*
 * Only "chunked" is supported.  400 if it is not the last coding, because then the length is
 * unknown; 501 if it is the last of several.
 */
static enum rc read_coding(struct http1 *p, struct str value, struct err *reterr)
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
                        reterr, "Transfer-Encoding must be chunked only, not \"%.*s\"",
                        STR_ARG(value));
}

/* HTTP/1.0 has no expectations: RFC 9110 section 10.1.1. */
static enum rc read_expect(struct http1 *p, struct str value, struct err *reterr)
{
    if (p->request.minor == 0)
        return RC_OK;
    if (!str_eq_nocase(value, STR("100-continue")))
        return HTTP1_REFUSE(p, 417, reterr,
                            "the only supported expectation is 100-continue, not \"%.*s\"",
                            STR_ARG(value));
    p->request.expects_continue = true;
    return RC_OK;
}

enum checked_field {
    FIELD_HOST,
    FIELD_LENGTH,
    FIELD_CODING,
    FIELD_TYPE,
    FIELD_AUTHORIZATION,
    FIELD_EXPECT,
    FIELD_COUNT
};

/*
 * Fields that frame the message, or say for whom it is, come once: programs on the way may
 * each take another one.  Of fields that only describe it, equal ones are accepted.
 */
enum repeats { REPEATS_NEVER, REPEATS_EQUAL, REPEATS_ANY };

static const struct rules {
    struct str name;
    enum repeats repeats;
    enum rc (*read)(struct http1 *p, struct str value, struct err *reterr);
} rules[FIELD_COUNT] = {
    [FIELD_HOST] = {{"host", 4}, REPEATS_NEVER, read_host},
    [FIELD_LENGTH] = {{"content-length", 14}, REPEATS_NEVER, read_length},
    [FIELD_CODING] = {{"transfer-encoding", 17}, REPEATS_NEVER, read_coding},
    [FIELD_TYPE] = {{"content-type", 12}, REPEATS_EQUAL, NULL},
    [FIELD_AUTHORIZATION] = {{"authorization", 13}, REPEATS_EQUAL, NULL},
    [FIELD_EXPECT] = {{"expect", 6}, REPEATS_ANY, read_expect},
};

static int find_rule(struct str name)
{
    int i = 0;

    while (i < FIELD_COUNT && !str_eq_nocase(rules[i].name, name))
        i++;
    return i;
}

static bool may_repeat(enum repeats repeats, struct str first, struct str value)
{
    return repeats == REPEATS_ANY || (repeats == REPEATS_EQUAL && str_eq(first, value));
}

/* `first`: for each rule its first field so far, or NULL. */
static enum rc read_field(struct http1 *p, const struct http1_field *field,
                          const struct http1_field **first, struct err *reterr)
{
    int i = find_rule(field->name);

    if (i == FIELD_COUNT)
        return RC_OK;
    if (first[i] && !may_repeat(rules[i].repeats, first[i]->value, field->value))
        return HTTP1_REFUSE(p, 400, reterr, "duplicate field %.*s; send it once",
                            STR_ARG(field->name));
    first[i] = field;
    return rules[i].read ? rules[i].read(p, field->value, reterr) : RC_OK;
}

static enum rc check_framing(struct http1 *p, const struct http1_field *const *has,
                             struct err *reterr)
{
    if (has[FIELD_CODING] && has[FIELD_LENGTH])
        return HTTP1_REFUSE(p, 400, reterr,
                            "Content-Length and Transfer-Encoding exclude each other; send one "
                            "of them");
    if (has[FIELD_CODING] && p->request.minor == 0)
        return HTTP1_REFUSE(p, 400, reterr,
                            "Transfer-Encoding needs HTTP/1.1; the request has HTTP/1.0");
    if (!has[FIELD_HOST] && p->request.minor == 1 && !p->is_answer)
        return HTTP1_REFUSE(p, 400, reterr, "an HTTP/1.1 request must have a Host field");
    return RC_OK;
}

enum rc http1_head_end(struct http1 *p, struct err *reterr)
{
    struct http1_request *request = &p->request;
    const struct http1_field *first[FIELD_COUNT] = {NULL};
    const struct str connection = STR("connection");
    enum rc rc;

    for (int i = 0; i < request->field_count; i++) {
        rc = read_field(p, &request->fields[i], first, reterr);
        if (rc != RC_OK)
            return rc;
    }
    rc = check_framing(p, first, reterr);
    if (rc != RC_OK)
        return rc;
    request->expects_continue &= request->is_chunked || request->length > 0;
    request->is_persistent = !http1_list_has(request, connection, STR("close")) &&
                             (request->minor == 1 ||
                              http1_list_has(request, connection, STR("keep-alive")));
    return RC_OK;
}
