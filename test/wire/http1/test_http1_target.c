/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Paths and queries, decoded.  Which bytes need no escape and what % means: RFC 3986; `+` and
 * `&` in a query: application/x-www-form-urlencoded of the WHATWG URL standard.
 */
#include "http1_run.h"

struct row {
    const char *target;
    const char *log; /* what follows the host */
};

static void assert_rows(const struct row *rows, int count)
{
    for (int i = 0; i < count; i++) {
        char text[1000], expected[1000];
        struct buf request = BUF(text), want = BUF(expected);
        struct run *run;

        buf_printf(&request, "GET %s HTTP/1.1\r\nHost: h\r\n\r\n", rows[i].target);
        buf_printf(&want, "GET 1.1 host=h port=%s stays\n", rows[i].log);
        run = run_all_ways(buf_as_str(&request));
        if (run->rc != RC_OK)
            fail_msg("%s: %s", rows[i].target, run->err.text);
        assert_string_equal(run->log_text, expected);
        free(run);
    }
}

static void a_path_is_split_before_it_is_decoded(void **state)
{
    static const struct row rows[] = {
        {"/", ""},
        {"/a", " path=a"},
        {"/a/b/c", " path=a,b,c"},
        {"/a/", " path=a,"},
        {"//", " path=,"},
        {"/a//b", " path=a,,b"},
        {"/a%2Fb/c%2fd", " path=a/b,c/d"},
        {"/%41%7a%30", " path=Az0"},
        {"/%3F%23%25", " path=?#%"},
        {"/%2541", " path=%41"}, /* once, not twice */
        {"/a+b", " path=a+b"},
        {"/a=b&c", " path=a=b&c"},
        {"/gr%C3%BC%C3%9Fe", " path=gr\xc3\xbc\xc3\x9f"
                             "e"},
        {"/%f0%9f%94%94", " path=\xf0\x9f\x94\x94"},
        {"/line%0d%0Aend", " path=line\r\nend"},
        {"/AZaz09-._~!$&'()*+,;=:@", " path=AZaz09-._~!$&'()*+,;=:@"},
        {"/...", " path=..."},
        {"/.a/..b", " path=.a,..b"},
    };

    (void)state;
    assert_rows(rows, COUNT(rows));
}

static void a_query_is_a_list_of_keys_and_values(void **state)
{
    static const struct row rows[] = {
        {"/?", ""},
        {"/?a=1", " query=a=1"},
        {"/?a=1&b=2&a=3", " query=a=1,b=2,a=3"},
        {"/?a", " query=a="},
        {"/?a=", " query=a="},
        {"/?=b", " query==b"},
        {"/?a=b=c", " query=a=b=c"},
        {"/?&&a=1&&", " query=a=1"},
        {"/?a+b=c+d", " query=a b=c d"},
        {"/?a=%2B%26%3D", " query=a=+&="},
        {"/?a%3Db=c", " query=a=b=c"},
        {"/?a=/b?c", " query=a=/b?c"},
        {"/?q=%c3%a4", " query=q=\xc3\xa4"},
        {"/x/y?z=..", " path=x,y query=z=.."},
        {"/x?y=1;z=2", " path=x query=y=1;z=2"},
    };

    (void)state;
    assert_rows(rows, COUNT(rows));
}

static void an_absolute_target_may_have_no_path(void **state)
{
    static const struct {
        struct str bytes;
        const char *log;
    } rows[] = {
        {BYTES("GET http://a HTTP/1.1\r\nHost: h\r\n\r\n"),
         "GET 1.1 absolute host=a port= stays\n"},
        {BYTES("GET http://a?b=c HTTP/1.1\r\nHost: h\r\n\r\n"),
         "GET 1.1 absolute host=a port= query=b=c stays\n"},
        {BYTES("GET http://a/?b=//c HTTP/1.1\r\nHost: h\r\n\r\n"),
         "GET 1.1 absolute host=a port= query=b=//c stays\n"},
        {BYTES("GET http://[2001:db8::1]:8080/x HTTP/1.1\r\nHost: h\r\n\r\n"),
         "GET 1.1 absolute host=[2001:db8::1] port=8080 path=x stays\n"},
        {BYTES("OPTIONS http://a/ HTTP/1.1\r\nHost: h\r\n\r\n"),
         "OPTIONS 1.1 absolute host=a port= stays\n"},
    };

    (void)state;
    for (int i = 0; i < COUNT(rows); i++) {
        struct run *run = run_all_ways(rows[i].bytes);

        assert_string_equal(run->log_text, rows[i].log);
        free(run);
    }
}

/* RFC 3986: unreserved, sub-delims, ":" and "@"; in a query "/" and "?" as well. */
static void bytes_need_no_escape_only_where_the_rfc_allows_them(void **state)
{
    static const char path[] = "-._~!$&'()*+,;=:@";

    (void)state;
    for (int c = 1; c < 256; c++) {
        for (int in_query = 0; in_query <= 1; in_query++) {
            char text[] = "GET /xx_x HTTP/1.1\r\nHost: h\r\n\r\n";
            bool is_plain = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                            (c >= 'A' && c <= 'Z') || strchr(path, c) ||
                            (in_query && (c == '/' || c == '?'));
            /* In the path these two are not literal: they split. */
            bool splits = !in_query && (c == '/' || c == '?');
            struct run *run = run_new(RUN_BODY_MAX);

            text[5] = in_query ? '?' : 'x';
            text[7] = (char)c;
            run_pieces(run, (struct str){text, sizeof(text) - 1}, sizeof(text));
            if ((run->rc == RC_OK) != (is_plain || splits))
                fail_msg("byte 0x%02x: %s", (unsigned)c, run->err.text);
            free(run);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_path_is_split_before_it_is_decoded),
        cmocka_unit_test(a_query_is_a_list_of_keys_and_values),
        cmocka_unit_test(an_absolute_target_may_have_no_path),
        cmocka_unit_test(bytes_need_no_escape_only_where_the_rfc_allows_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
