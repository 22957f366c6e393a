/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses targets: RFC 9112 section 3.2 over RFC 3986.
 *
 * Splits first, then decodes once.  Rejects bytes that RFC 3986 requires to be escaped, dot
 * segments (a proxy that resolves them sees another path), %00 and text that is not UTF-8.
 */
#include "base/must.h"
#include "wire/http1/http1_parts.h"

enum part { PART_PATH, PART_QUERY };

static bool is_allowed(char c, enum part part)
{
    static const char marks[] = "-._~!$&'()*+,;=:@";

    if (char_is_alpha(c) || char_is_digit(c) || memchr(marks, c, sizeof(marks) - 1))
        return true;
    return part == PART_QUERY && (c == '/' || c == '?');
}

static enum rc decode_escape(struct http1 *p, struct str rest, char *ret, struct err *reterr)
{
    int high = rest.len > 2 ? http1_hex(rest.ptr[1]) : -1;
    int low = rest.len > 2 ? http1_hex(rest.ptr[2]) : -1;

    if (high < 0 || low < 0)
        return HTTP1_REFUSE(p, 400, reterr,
                            "two hexadecimal digits must follow each %% in the target; write "
                            "%%25 for the sign itself");
    if (high == 0 && low == 0)
        return HTTP1_REFUSE(p, 400, reterr, "the target must not contain %%00");
    *ret = (char)(high << 4 | low);
    return RC_OK;
}

/*
 * Decodes into the buffer unless the text is plain; the result is never longer than the text.
 */
static enum rc decode_text(struct http1 *p, struct str text, enum part part, struct str *ret,
                           struct err *reterr)
{
    struct str out = {p->room + p->used, 0};
    enum rc rc = RC_OK;

    if (http1_plain_length(text) == text.len) {
        *ret = text;
        return RC_OK;
    }
    for (size_t i = 0; i < text.len && rc == RC_OK; i++) {
        char c = text.ptr[i];

        if (c == '%') {
            rc = decode_escape(p, str_from(text, i), &c, reterr);
            i += 2;
        } else if (c == '+' && part == PART_QUERY) {
            c = ' ';
        } else if (!is_allowed(c, part)) {
            rc = HTTP1_REFUSE(p, 400, reterr,
                              "byte 0x%02x in the target must be written as %%%02X",
                              (unsigned)(unsigned char)c, (unsigned)(unsigned char)c);
        }
        p->room[p->used + out.len++] = c;
    }
    if (rc != RC_OK)
        return rc;
    if (!str_is_utf8(out))
        return HTTP1_REFUSE(p, 400, reterr, "the decoded target is not UTF-8");
    p->used += out.len;
    must(p->used <= 2 * HTTP1_LINE_MAX);
    *ret = out;
    return RC_OK;
}

static enum rc read_segment(struct http1 *p, struct str text, struct err *reterr)
{
    struct http1_request *request = &p->request;
    struct str segment;
    enum rc rc;

    if (request->segment_count == HTTP1_SEGMENTS_MAX)
        return HTTP1_REFUSE(p, 414, reterr, "too many segments in the path; the limit is %d",
                            HTTP1_SEGMENTS_MAX);
    rc = decode_text(p, text, PART_PATH, &segment, reterr);
    if (rc != RC_OK)
        return rc;
    if (str_eq(segment, STR(".")) || str_eq(segment, STR("..")))
        return HTTP1_REFUSE(p, 400, reterr,
                            "the path must not contain the segment \"%.*s\"; resolve it before "
                            "sending",
                            STR_ARG(segment));
    request->segments[request->segment_count++] = segment;
    return RC_OK;
}

static enum rc read_path(struct http1 *p, struct str path, struct err *reterr)
{
    struct str rest = path.len > 0 ? str_from(path, 1) : path;
    struct str segment;

    if (rest.len == 0)
        return RC_OK;
    while (str_cut(rest, '/', &segment, &rest)) {
        enum rc rc = read_segment(p, segment, reterr);

        if (rc != RC_OK)
            return rc;
    }
    return read_segment(p, rest, reterr);
}

static enum rc read_pair(struct http1 *p, struct str text, struct err *reterr)
{
    struct http1_request *request = &p->request;
    struct str key = text, value = {text.ptr + text.len, 0};
    struct http1_pair pair;
    enum rc rc;

    if (text.len == 0)
        return RC_OK;
    if (request->pair_count == HTTP1_PAIRS_MAX)
        return HTTP1_REFUSE(p, 414, reterr, "too many query parameters; the limit is %d",
                            HTTP1_PAIRS_MAX);
    str_cut(text, '=', &key, &value);
    rc = decode_text(p, key, PART_QUERY, &pair.key, reterr);
    if (rc == RC_OK)
        rc = decode_text(p, value, PART_QUERY, &pair.value, reterr);
    if (rc == RC_OK)
        request->pairs[request->pair_count++] = pair;
    return rc;
}

static enum rc read_query(struct http1 *p, struct str query, struct err *reterr)
{
    struct str pair;

    while (str_cut(query, '&', &pair, &query)) {
        enum rc rc = read_pair(p, pair, reterr);

        if (rc != RC_OK)
            return rc;
    }
    return read_pair(p, query, reterr);
}

static enum rc read_path_and_query(struct http1 *p, struct str text, struct err *reterr)
{
    struct str path = text, query;
    bool has_query = str_cut(text, '?', &path, &query);
    enum rc rc = read_path(p, path, reterr);

    return rc == RC_OK && has_query ? read_query(p, query, reterr) : rc;
}

static bool starts_nocase(struct str s, struct str prefix)
{
    return s.len >= prefix.len && str_eq_nocase((struct str){s.ptr, prefix.len}, prefix);
}

static enum rc read_absolute(struct http1 *p, struct str rest, struct err *reterr)
{
    struct http1_request *request = &p->request;
    struct str authority = {rest.ptr, 0};

    while (authority.len < rest.len && rest.ptr[authority.len] != '/' &&
           rest.ptr[authority.len] != '?')
        authority.len++;
    if (!http1_host_parse(authority, &request->host, &request->port))
        return HTTP1_REFUSE(p, 400, reterr,
                            "the target must name a host with an optional port, not \"%.*s\"",
                            STR_ARG(authority));
    request->is_absolute = true;
    rest = str_from(rest, authority.len);
    request->is_server_wide = rest.len == 0 && str_eq(request->method, STR("OPTIONS"));
    return read_path_and_query(p, rest, reterr);
}

enum rc http1_target_parse(struct http1 *p, struct err *reterr)
{
    const struct str http = STR("http://"), https = STR("https://");
    struct str target = p->request.target;

    if (str_starts(target, STR("/")))
        return read_path_and_query(p, target, reterr);
    if (starts_nocase(target, http))
        return read_absolute(p, str_from(target, http.len), reterr);
    if (starts_nocase(target, https))
        return read_absolute(p, str_from(target, https.len), reterr);
    if (!str_eq(target, STR("*")))
        return HTTP1_REFUSE(p, 400, reterr,
                            "the target must begin with / or http:// or https://, not \"%.*s\"",
                            STR_ARG(target));
    if (!str_eq(p->request.method, STR("OPTIONS")))
        return HTTP1_REFUSE(p, 400, reterr, "the target * is for OPTIONS only");
    p->request.is_server_wide = true;
    return RC_OK;
}

static bool is_port(struct str s)
{
    int64_t number = 0;

    str_take_number(&s, HTTP1_PORT_MAX, &number);
    return s.len == 0 && number <= HTTP1_PORT_MAX;
}

/* The bytes of a name or bracketed address at the start of `s`; 0 for neither. */
static size_t host_length(struct str s)
{
    size_t n = 0;

    if (s.len > 0 && s.ptr[0] == '[') {
        for (n = 1;
             n < s.len && (http1_hex(s.ptr[n]) >= 0 || s.ptr[n] == ':' || s.ptr[n] == '.');)
            n++;
        return n > 2 && n < s.len && s.ptr[n] == ']' ? n + 1 : 0;
    }
    return http1_plain_length(s);
}

/*
 * Narrower than RFC 3986, which allows commas, quotes and escapes in a name: they occur in
 * lists of hosts, but in no name of a real host.
 */
bool http1_host_parse(struct str text, struct str *ret_host, struct str *ret_port)
{
    struct str host = {text.ptr, host_length(text)};
    struct str port = str_from(text, host.len);

    if (host.len == 0 || host.len > HTTP1_HOST_MAX)
        return false;
    if (port.len > 0) {
        if (port.ptr[0] != ':')
            return false;
        port = str_from(port, 1);
    }
    if (!is_port(port))
        return false;
    *ret_host = host;
    *ret_port = port;
    return true;
}
