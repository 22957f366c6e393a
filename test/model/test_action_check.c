/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Methods and header names by RFC 9110, URLs by RFC 3986 as far as a sender needs them, names
 * of variables by POSIX.
 */
#include "model/action_check.h"

#include "codecs.h"

typedef enum rc check_fn(struct str s, struct err *reterr);

static void check_right(check_fn *check, const char *const *texts, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct err err = {0};

        if (check(str_of(texts[i]), &err) != RC_OK)
            fail_msg("%s: %s", texts[i], err.text);
    }
}

static void check_refused(check_fn *check, const struct wrong *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct err err = {0};

        if (check(str_of(cases[i].text), &err) != RC_INVALID ||
            !strstr(err.text, cases[i].says))
            fail_msg("%s: %s", cases[i].text, err.text);
    }
}

static void methods_are_tokens_in_capitals(void **state)
{
    static const char *const right[] = {"GET", "POST", "M-SEARCH", "X"};
    static const struct wrong wrong[] = {
        {"", "", "is not a method", 0},          {"GET ", "", "is not a method", 0},
        {"G\nT", "", "is not a method", 0},      {"post", "", "not in upper case", 0},
        {"CONNECT", "", "asks for a tunnel", 0}, {"GÉT", "", "is not a method", 0},
    };

    (void)state;
    check_right(http_method_check, right, COUNT(right));
    check_refused(http_method_check, wrong, COUNT(wrong));
}

static void urls_are_absolute_and_name_one_host(void **state)
{
    static const char *const right[] = {
        "http://example.com",
        "https://example.com/",
        "HTTPS://EXAMPLE.com:8443/a/b?c=d@e#f",
        "http://127.0.0.1:7227/api",
        "http://[2001:db8::1]/",
        "http://[::ffff:192.0.2.1]:1/",
        "https://my_host-1.internal?x",
        "https://xn--bcher-kva.example/%C3%A9",
        "https://example.com/{{input.id}}",
        "https://example.com/a@b:c",
        "http://h:65535",
    };
    static const struct wrong wrong[] = {
        {"", "", "must begin with http://", 0},
        {"example.com", "", "must begin with http://", 0},
        {"ftp://example.com/", "", "must begin with http://", 0},
        {"file:///etc/passwd", "", "must begin with http://", 0},
        {"//example.com", "", "must begin with http://", 0},
        {" http://example.com", "", "must begin with http://", 0},
        {"http://", "", "is not a host", 0},
        {"http:///path", "", "is not a host", 0},
        {"http://?x", "", "is not a host", 0},
        {"http://:80/", "", "is not a host", 0},
        {"http://user@example.com/", "", "a user or a password", 0},
        {"http://user:secret@example.com/", "", "a user or a password", 0},
        {"http://example.com:80@127.0.0.1/", "", "a user or a password", 0},
        {"http://example.com\\@127.0.0.1/", "", "backslash", 0},
        {"http://example.com/a b", "", "must be written as %XX", 0},
        {"http://example.com/\r\nX: y", "", "must be written as %XX", 0},
        {"http://b\xc3\xbc"
         "cher.example/",
         "", "as xn--", 0},
        {"http://{{input.host}}/", "", "is not a host", 0},
        {"http://exa%6Dple.com/", "", "is not a host", 0},
        {"http://example.com:0/", "", "is not a port", 0},
        {"http://example.com:65536/", "", "use 1 to 65535", 0},
        {"http://example.com:/", "", "is not a port", 0},
        {"http://example.com:80a/", "", "is not a port", 0},
        {"http://[::1", "", "is not a host", 0},
        {"http://[::1]x/", "", "is not a port", 0},
        {"http://[fe80::1%25eth0]/", "", "is not a host", 0},
        {"http://[]/", "", "is not a host", 0},
    };

    (void)state;
    check_right(http_url_check, right, COUNT(right));
    check_refused(http_url_check, wrong, COUNT(wrong));
}

static void headers_are_tokens_with_one_line(void **state)
{
    static const char *const names[] = {"Accept", "X-Foo", "authorization", "Host"};
    static const struct wrong wrong_names[] = {
        {"", "", "is not the name of a header", 0},
        {"X Y", "", "is not the name of a header", 0},
        {"X:", "", "is not the name of a header", 0},
        {"X\r\nY", "", "is not the name of a header", 0},
        {"content-length", "", "leave it out", 0},
        {"Transfer-Encoding", "", "leave it out", 0},
    };
    static const char *const values[] = {"", "a b", "a\tb", "caf\xc3\xa9"};
    static const struct wrong wrong_values[] = {
        {"a\r\nX: y", "", "one line", 0},
        {"a\nb", "", "one line", 0},
        {"a\x7f", "", "one line", 0},
    };

    (void)state;
    check_right(http_header_name_check, names, COUNT(names));
    check_refused(http_header_name_check, wrong_names, COUNT(wrong_names));
    check_right(http_header_value_check, values, COUNT(values));
    check_refused(http_header_value_check, wrong_values, COUNT(wrong_values));
}

static void header_names_of_an_answer_are_not_restricted(void **state)
{
    static const char *const names[] = {"Content-Length", "Trailer", "X-Foo"};
    static const struct wrong wrong[] = {{"X Y", "", "is not the name of a header", 0}};

    (void)state;
    check_right(http_field_check, names, COUNT(names));
    check_refused(http_field_check, wrong, COUNT(wrong));
}

static void variables_paths_and_users_of_programs_are_checked(void **state)
{
    static const char *const names[] = {"PATH", "_x", "a1", "BELFRY"};
    static const struct wrong wrong_names[] = {
        {"", "", "not a variable's name", 0},    {"1a", "", "not a variable's name", 0},
        {"A=B", "", "not a variable's name", 0}, {"BELFRY_RUN", "", "are set by Belfry", 0},
        {"LD_PRELOAD", "", "other code", 0},
    };
    static const char *const paths[] = {"/", "/bin/x", "/a b"};
    static const struct wrong wrong_paths[] = {
        {"", "", "absolute path", 0},
        {"bin/x", "", "absolute path", 0},
        {"~/x", "", "absolute path", 0},
    };
    static const char *const users[] = {"nobody", "_apt", "www-data", "a.b"};
    static const struct wrong wrong_users[] = {
        {"", "", "not a user name", 0},
        {"0", "", "numeric ids are not accepted", 0},
        {"a b", "", "not a user name", 0},
        {"-x", "", "not a user name", 0},
    };

    (void)state;
    check_right(exec_env_name_check, names, COUNT(names));
    check_refused(exec_env_name_check, wrong_names, COUNT(wrong_names));
    check_right(exec_path_check, paths, COUNT(paths));
    check_refused(exec_path_check, wrong_paths, COUNT(wrong_paths));
    check_right(exec_user_check, users, COUNT(users));
    check_refused(exec_user_check, wrong_users, COUNT(wrong_users));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(methods_are_tokens_in_capitals),
        cmocka_unit_test(urls_are_absolute_and_name_one_host),
        cmocka_unit_test(headers_are_tokens_with_one_line),
        cmocka_unit_test(header_names_of_an_answer_are_not_restricted),
        cmocka_unit_test(variables_paths_and_users_of_programs_are_checked),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
