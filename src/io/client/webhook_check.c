/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks requests before they are sent: rejects those that a proxy and a server could parse
 * differently, and those above a limit.
 */
#include <curl/curl.h>

#include "base/hash.h"
#include "base/must.h"
#include "io/client/webhook_parts.h"

static bool is_token(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!char_is_alpha(s.ptr[i]) && !char_is_digit(s.ptr[i]) &&
            (s.ptr[i] == '\0' || !strchr("!#$%&'*+-.^_`|~", s.ptr[i])))
            return false;
    return s.len > 0;
}

static bool is_line(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (((unsigned char)s.ptr[i] < ' ' && s.ptr[i] != '\t') || s.ptr[i] == 0x7f)
            return false;
    return true;
}

static bool is_visible(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] <= ' ' || s.ptr[i] > '~')
            return false;
    return s.len > 0;
}

/* The sender sets the fields that frame a message. */
static bool is_framing(struct str name)
{
    static const char *const names[] = {
        "Connection", "Content-Length",    "Expect",  "Keep-Alive", "Proxy-Connection", "TE",
        "Trailer",    "Transfer-Encoding", "Upgrade",
    };

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (str_eq_nocase(name, str_of(names[i])))
            return true;
    return false;
}

static bool is_signature(struct str name)
{
    return str_eq_nocase(name, STR("webhook-id")) ||
           str_eq_nocase(name, STR("webhook-timestamp")) ||
           str_eq_nocase(name, STR("webhook-signature"));
}

static enum rc check_header(struct webhook_header header, bool is_signed, struct err *reterr)
{
    if (!is_token(header.name))
        return err_set(reterr, RC_INVALID, -1, 0, "`%.*s` is not the name of a header",
                       STR_ARG(header.name));
    if (is_framing(header.name) || (is_signed && is_signature(header.name)))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "Belfry sets the header `%.*s` itself; leave it out",
                       STR_ARG(header.name));
    if (!is_line(header.value))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "the value of the header `%.*s` is not one line of text",
                       STR_ARG(header.name));
    if (header.name.len + header.value.len > WEBHOOK_HEADER_MAX)
        return err_set(reterr, RC_INVALID, -1, 0, "the header `%.*s` exceeds %d bytes",
                       STR_ARG(header.name), WEBHOOK_HEADER_MAX);
    return RC_OK;
}

static enum rc check_headers(const struct webhook_request *r, struct err *reterr)
{
    enum rc rc = RC_OK;

    for (int i = 0; i < r->header_count && !rc; i++)
        rc = check_header(r->headers[i], r->key_count > 0, reterr);
    for (int i = 0; i < r->extra_count && !rc; i++)
        rc = check_header(r->extra[i], r->key_count > 0, reterr);
    for (int i = 0; i < r->keep_header_count && !rc; i++)
        if (!is_token(r->keep_headers[i]) || r->keep_headers[i].len > WEBHOOK_HEADER_MAX)
            rc = err_set(reterr, RC_INVALID, -1, 0, "`%.*s` is not the name of a header",
                         STR_ARG(r->keep_headers[i]));
    return rc;
}

static char *url_part(CURLU *parts, CURLUPart part)
{
    char *text = NULL;

    must(curl_url_get(parts, part, &text, CURLU_DEFAULT_PORT) == CURLUE_OK);
    return text;
}

/* libcurl would accept any number of slashes, and guess a scheme. */
static bool has_scheme(struct str url)
{
    struct str scheme, rest;

    if (!str_cut(url, ':', &scheme, &rest) ||
        (!str_eq_nocase(scheme, STR("http")) && !str_eq_nocase(scheme, STR("https"))))
        return false;
    return str_starts(rest, STR("//")) && !str_starts(rest, STR("///"));
}

static void read_origin(CURLU *parts, bool *ret_is_tls, int64_t *ret_origin)
{
    char *scheme = url_part(parts, CURLUPART_SCHEME), *host = url_part(parts, CURLUPART_HOST);
    char *port = url_part(parts, CURLUPART_PORT);
    struct digest digest = {0};

    for (char *c = host; *c != '\0'; c++)
        *c = char_lower(*c);
    digest_add(&digest, scheme, strlen(scheme));
    digest_add(&digest, host, strlen(host));
    digest_add(&digest, port, strlen(port));
    *ret_origin = (int64_t)digest.sum;
    *ret_is_tls = strcmp(scheme, "https") == 0;
    curl_free(scheme);
    curl_free(host);
    curl_free(port);
}

enum rc webhook_check_url(struct str url, bool *ret_is_tls, int64_t *ret_origin,
                          struct err *reterr)
{
    char text[WEBHOOK_URL_MAX + 1];
    CURLU *parts;
    CURLUcode code;
    enum rc rc = RC_OK;

    if (url.len > WEBHOOK_URL_MAX)
        return err_set(reterr, RC_INVALID, -1, 0, "the URL exceeds %d bytes", WEBHOOK_URL_MAX);
    if (!is_visible(url) || memchr(url.ptr, '\\', url.len))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "a URL has visible ASCII characters only, and no `\\`; encode others as "
                       "%%20");
    if (!has_scheme(url))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "`%.*s` does not begin with http:// or https:// and a host",
                       STR_ARG(url));
    memcpy(text, url.ptr, url.len);
    text[url.len] = '\0';
    parts = curl_url();
    must(parts != NULL);
    code = curl_url_set(parts, CURLUPART_URL, text, CURLU_DISALLOW_USER);
    if (code == CURLUE_USER_NOT_ALLOWED)
        rc = err_set(reterr, RC_INVALID, -1, 0,
                     "a URL must not contain a user name or password; use a header");
    else if (code != CURLUE_OK)
        rc = err_set(reterr, RC_INVALID, -1, 0, "`%.*s` is not a URL: %s", STR_ARG(url),
                     curl_url_strerror(code));
    else
        read_origin(parts, ret_is_tls, ret_origin);
    curl_url_cleanup(parts);
    return rc;
}

static enum rc check_bounds(const struct webhook_request *r, int32_t answer_max,
                            struct err *reterr)
{
    if (r->connect_us <= 0 || r->first_byte_us <= 0 || r->total_us <= 0 ||
        r->connect_us > WEBHOOK_TIME_MAX || r->first_byte_us > WEBHOOK_TIME_MAX ||
        r->total_us > WEBHOOK_TIME_MAX)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "the timeouts of a call must be above 0 and at most 24 hours");
    if (r->body.len > WEBHOOK_BODY_MAX)
        return err_set(reterr, RC_INVALID, -1, 0, "the body exceeds %d bytes",
                       WEBHOOK_BODY_MAX);
    if (r->keep_bytes < 0 || r->keep_bytes > answer_max)
        return err_set(reterr, RC_INVALID, -1, 0, "0 to %d bytes of an answer can be kept",
                       answer_max);
    if (r->redirects < 0 || r->redirects > WEBHOOK_REDIRECTS_MAX)
        return err_set(reterr, RC_INVALID, -1, 0, "0 to %d redirects can be followed",
                       WEBHOOK_REDIRECTS_MAX);
    if (r->header_count + r->extra_count > WEBHOOK_HEADERS_MAX ||
        r->keep_header_count > WEBHOOK_HEADERS_MAX)
        return err_set(reterr, RC_INVALID, -1, 0, "a call has at most %d headers",
                       WEBHOOK_HEADERS_MAX);
    must(r->send_by_us >= 0 && r->policy && r->policy->allow_count <= WEBHOOK_POLICY_MAX &&
         r->policy->deny_count <= WEBHOOK_POLICY_MAX && r->key_count <= SIGNATURE_KEYS_MAX);
    return RC_OK;
}

enum rc webhook_check(const struct webhook_request *r, int32_t answer_max, int64_t *ret_origin,
                      struct err *reterr)
{
    bool is_tls;
    enum rc rc = check_bounds(r, answer_max, reterr);

    if (!rc)
        rc = check_headers(r, reterr);
    if (rc)
        return rc;
    if (!is_token(r->method) || str_eq_nocase(r->method, STR("CONNECT")))
        return err_set(reterr, RC_INVALID, -1, 0, "`%.*s` is not a request method",
                       STR_ARG(r->method));
    if (r->key_count > 0 && (!is_visible(r->message_id) || r->message_id.len > WEBHOOK_ID_MAX ||
                             memchr(r->message_id.ptr, '.', r->message_id.len)))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "the id of a signed message has 1 to %d visible characters and no `.`",
                       WEBHOOK_ID_MAX);
    return webhook_check_url(r->url, &is_tls, ret_origin, reterr);
}
