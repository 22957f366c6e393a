/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the texts of an action: methods, URLs, headers, environment variables, paths, users.
 */
#include "model/action_check.h"

#include <stdbool.h>

static bool is_one_of(char c, const char *set)
{
    return c != '\0' && strchr(set, c) != NULL;
}

static bool is_word_char(char c)
{
    return char_is_alpha(c) || char_is_digit(c);
}

/* RFC 9110, 5.6.2. */
static bool is_token(struct str s)
{
    for (size_t i = 0; i < s.len; i++)
        if (!is_word_char(s.ptr[i]) && !is_one_of(s.ptr[i], "!#$%&'*+-.^_`|~"))
            return false;
    return s.len > 0;
}

enum rc http_method_check(struct str s, struct err *reterr)
{
    if (!is_token(s))
        return err_set(reterr, RC_INVALID, 0, (int)s.len,
                       "`%.*s` is not a method; use one such as `GET` or `POST`", STR_ARG(s));
    for (size_t i = 0; i < s.len; i++)
        if (s.ptr[i] >= 'a' && s.ptr[i] <= 'z')
            return err_set(reterr, RC_INVALID, (int)i, 1,
                           "`%.*s` is not in upper case; write it as in `POST`", STR_ARG(s));
    if (str_eq(s, STR("CONNECT")))
        return err_set(reterr, RC_INVALID, 0, (int)s.len,
                       "`CONNECT` asks for a tunnel; use a method that makes a request");
    return RC_OK;
}

/* Visible ASCII without the backslash, which some parsers treat as a slash. */
static enum rc check_url_bytes(struct str s, struct err *reterr)
{
    for (size_t i = 0; i < s.len; i++) {
        char c = s.ptr[i];

        if (c == '\\')
            return err_set(reterr, RC_INVALID, (int)i, 1,
                           "a URL must not contain a backslash; write / or %%5C");
        if (c <= ' ' || c > '~')
            return err_set(reterr, RC_INVALID, (int)i, 1,
                           "blanks, control characters and letters beyond ASCII must be "
                           "written as %%XX, in the host's name as xn--…");
    }
    return RC_OK;
}

static bool is_name_host(struct str host)
{
    for (size_t i = 0; i < host.len; i++)
        if (!is_word_char(host.ptr[i]) && !is_one_of(host.ptr[i], "-._"))
            return false;
    return host.len > 0;
}

static bool is_address_host(struct str host)
{
    for (size_t i = 1; i + 1 < host.len; i++) {
        char c = char_lower(host.ptr[i]);

        if (!char_is_digit(c) && !(c >= 'a' && c <= 'f') && c != ':' && c != '.')
            return false;
    }
    return host.len > 4 && host.ptr[0] == '[' && host.ptr[host.len - 1] == ']';
}

/* ":80" after the host, or empty. */
static bool is_port(struct str s)
{
    int64_t port = 0;

    if (s.len == 0)
        return true;
    if (s.ptr[0] != ':')
        return false;
    s = str_from(s, 1);
    return str_take_number(&s, 65535, &port) > 0 && s.len == 0 && port >= 1 && port <= 65535;
}

static enum rc check_authority(struct str s, size_t at, struct err *reterr)
{
    size_t host_len = 0;
    struct str host, port;

    if (memchr(s.ptr, '@', s.len))
        return err_set(reterr, RC_INVALID, (int)at, (int)s.len,
                       "a URL must not contain a user or a password; use a header");
    if (s.len > 0 && s.ptr[0] == '[')
        while (host_len < s.len && s.ptr[host_len++] != ']')
            continue;
    else
        while (host_len < s.len && s.ptr[host_len] != ':')
            host_len++;
    host = (struct str){s.ptr, host_len};
    port = str_from(s, host_len);
    if (!is_name_host(host) && !is_address_host(host))
        return err_set(reterr, RC_INVALID, (int)at, (int)host.len,
                       "`%.*s` is not a host; write a name, or an address such as 192.0.2.1 "
                       "or [2001:db8::1]",
                       STR_ARG(host));
    if (!is_port(port))
        return err_set(reterr, RC_INVALID, (int)(at + host_len), (int)port.len,
                       "`%.*s` is not a port; use 1 to 65535", STR_ARG(port));
    return RC_OK;
}

enum rc http_url_check(struct str s, struct err *reterr)
{
    static const struct str schemes[] = {{"http://", 7}, {"https://", 8}};
    size_t at = 0, end;
    enum rc rc;

    for (size_t i = 0; i < 2; i++)
        if (s.len >= schemes[i].len &&
            str_eq_nocase((struct str){s.ptr, schemes[i].len}, schemes[i]))
            at = schemes[i].len;
    if (at == 0)
        return err_set(reterr, RC_INVALID, 0, (int)s.len,
                       "must begin with http:// or https://");
    rc = check_url_bytes(s, reterr);
    if (rc != RC_OK)
        return rc;
    for (end = at; end < s.len && !is_one_of(s.ptr[end], "/?#"); end++)
        continue;
    return check_authority((struct str){s.ptr + at, end - at}, at, reterr);
}

enum rc http_field_check(struct str s, struct err *reterr)
{
    if (is_token(s))
        return RC_OK;
    return err_set(reterr, RC_INVALID, -1, 0, "`%.*s` is not the name of a header", STR_ARG(s));
}

enum rc http_header_name_check(struct str s, struct err *reterr)
{
    static const char *const framing[] = {
        "Connection", "Content-Length",    "Expect",  "Keep-Alive", "Proxy-Connection", "TE",
        "Trailer",    "Transfer-Encoding", "Upgrade",
    };

    for (size_t i = 0; i < sizeof framing / sizeof *framing; i++)
        if (str_eq_nocase(s, str_of(framing[i])))
            return err_set(reterr, RC_INVALID, -1, 0, "Belfry sets `%.*s` itself; leave it out",
                           STR_ARG(s));
    return http_field_check(s, reterr);
}

enum rc http_header_value_check(struct str s, struct err *reterr)
{
    for (size_t i = 0; i < s.len; i++) {
        unsigned char c = (unsigned char)s.ptr[i];

        if ((c < 0x20 && c != '\t') || c == 0x7f)
            return err_set(reterr, RC_INVALID, (int)i, 1,
                           "a header value must be one line without control characters");
    }
    return RC_OK;
}

enum rc exec_env_name_check(struct str s, struct err *reterr)
{
    bool is_name = s.len > 0 && !char_is_digit(s.ptr[0]);

    for (size_t i = 0; i < s.len && is_name; i++)
        is_name = is_word_char(s.ptr[i]) || s.ptr[i] == '_';
    if (!is_name)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "`%.*s` is not a variable's name; use letters, digits and _",
                       STR_ARG(s));
    if (str_starts(s, STR("BELFRY_")))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "variables that begin with BELFRY_ are set by Belfry; use another");
    if (str_starts(s, STR("LD_")))
        return err_set(
            reterr, RC_INVALID, -1, 0,
            "variables that begin with LD_ can load other code into the program; leave "
            "them out");
    return RC_OK;
}

enum rc exec_path_check(struct str s, struct err *reterr)
{
    if (s.len == 0 || s.ptr[0] != '/')
        return err_set(reterr, RC_INVALID, 0, (int)s.len,
                       "`%.*s` is not an absolute path; it must begin with /", STR_ARG(s));
    return RC_OK;
}

enum rc exec_user_check(struct str s, struct err *reterr)
{
    bool is_user = s.len > 0 && (char_is_alpha(s.ptr[0]) || s.ptr[0] == '_');

    for (size_t i = 0; i < s.len && is_user; i++)
        is_user = is_word_char(s.ptr[i]) || is_one_of(s.ptr[i], "._-");
    if (!is_user)
        return err_set(reterr, RC_INVALID, 0, (int)s.len,
                       "`%.*s` is not a user name; numeric ids are not accepted", STR_ARG(s));
    return RC_OK;
}
