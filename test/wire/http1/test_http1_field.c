/* SPDX-License-Identifier: Apache-2.0 */
/* Fields of a request and queries about them: RFC 9110 sections 5.6 and 12.5.3. */
#include "http1_run.h"

#define TOP "GET / HTTP/1.1\r\nHost: h\r\n"

/* Only the head, so that its request can still be queried. */
static struct run *head_of(const char *fields)
{
    char text[2000];
    struct buf out = BUF(text);
    struct run *run = run_new(RUN_BODY_MAX);
    struct str bytes;
    enum http1_event event = HTTP1_MORE;

    buf_printf(&out, TOP "%s\r\n", fields);
    assert_false(out.cut);
    bytes = buf_as_str(&out);
    assert_int_equal(http1_feed(&run->parser, &bytes, &event, &run->err), RC_OK);
    assert_int_equal(event, HTTP1_HEAD);
    return run;
}

static void the_first_field_of_a_name_is_found_in_any_case(void **state)
{
    struct run *run = head_of("X-One: a\r\nx-two:b c\t d\r\nX-ONE: e\r\nEmpty: \t \r\n");
    const struct http1_request *request = &run->parser.request;
    struct str value = STR("untouched");

    (void)state;
    assert_true(http1_find(request, STR("x-one"), &value) && str_eq(value, STR("a")));
    assert_true(http1_find(request, STR("X-Two"), &value) && str_eq(value, STR("b c\t d")));
    assert_false(http1_find(request, STR("X-Three"), &value));
    assert_false(http1_find(request, STR("X-On"), &value));
    assert_true(str_eq(value, STR("b c\t d")));
    assert_true(http1_find(request, STR("empty"), &value) && value.len == 0);
    free(run);
}

static void a_value_keeps_its_bytes_except_blanks_around_it(void **state)
{
    struct run *run = head_of("X: \t a:b, \"c\" \xc3\xa4\xff\t \r\n");
    struct str value;

    (void)state;
    assert_true(http1_find(&run->parser.request, STR("X"), &value));
    assert_true(str_eq(value, STR("a:b, \"c\" \xc3\xa4\xff")));
    free(run);
}

static void a_list_may_span_several_fields_and_have_empty_members(void **state)
{
    struct run *run = head_of("L: a, B ,,\r\nM: c\r\nl: ,d\r\n");
    const struct http1_request *request = &run->parser.request;

    (void)state;
    assert_true(http1_list_has(request, STR("l"), STR("a")));
    assert_true(http1_list_has(request, STR("L"), STR("b")));
    assert_true(http1_list_has(request, STR("L"), STR("d")));
    assert_false(http1_list_has(request, STR("L"), STR("c")));
    assert_false(http1_list_has(request, STR("L"), STR("")));
    assert_false(http1_list_has(request, STR("N"), STR("a")));
    free(run);
}

static void every_coding_except_identity_encodes_the_body(void **state)
{
    static const struct {
        const char *fields;
        bool is_coded;
    } rows[] = {
        {"", false},
        {"Content-Encoding:\r\n", false},
        {"Content-Encoding: identity\r\n", false},
        {"content-encoding: , Identity ,\r\n", false},
        {"Accept-Encoding: gzip\r\n", false},
        {"Content-Encoding: gzip\r\n", true},
        {"CONTENT-ENCODING: BR\r\n", true},
        {"Content-Encoding: identity, deflate\r\n", true},
        {"Content-Encoding: identity\r\nContent-Encoding: zstd\r\n", true},
        {"Content-Encoding: \xff\r\n", true},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct run *run = head_of(rows[i].fields);

        assert_int_equal(http1_is_coded(&run->parser.request), rows[i].is_coded);
        free(run);
    }
}

static void gzip_is_accepted_if_the_request_says_so(void **state)
{
    static const struct {
        const char *fields;
        bool accepts;
    } rows[] = {
        {"", false},
        {"Accept-Encoding:\r\n", false},
        {"Accept-Encoding: gzip\r\n", true},
        {"accept-encoding: deflate, GZip, br\r\n", true},
        {"Accept-Encoding: x-gzip\r\n", true},
        {"Accept-Encoding: gzipped\r\n", false},
        {"Accept-Encoding: identity, br\r\n", false},
        {"Accept-Encoding: *\r\n", true},
        {"Accept-Encoding: *;q=0\r\n", false},
        {"Accept-Encoding: *;q=0, gzip\r\n", true},
        {"Accept-Encoding: gzip;q=0, *\r\n", false},
        {"Accept-Encoding: gzip;q=0.000\r\n", false},
        {"Accept-Encoding: gzip ; Q=0.\r\n", false},
        {"Accept-Encoding: gzip;q=0.001\r\n", true},
        {"Accept-Encoding: gzip; q=1.000\r\n", true},
        {"Accept-Encoding: br\r\nAccept-Encoding: gzip\r\n", true},
        /* the examples of RFC 9110 section 12.5.3 */
        {"Accept-Encoding: compress, gzip\r\n", true},
        {"Accept-Encoding: compress;q=0.5, gzip;q=1.0\r\n", true},
        {"Accept-Encoding: gzip;q=1.0, identity; q=0.5, *;q=0\r\n", true},
    };

    (void)state;
    for (int i = 0; i < COUNT(rows); i++) {
        struct run *run = head_of(rows[i].fields);

        if (http1_accepts_gzip(&run->parser.request) != rows[i].accepts)
            fail_msg("%s", rows[i].fields);
        free(run);
    }
}

/*
 * RFC 9110 section 5.6.2 lists the 15 marks that a token may contain in addition to letters and
 * digits.
 */
static void a_name_contains_only_the_bytes_that_the_rfc_allows(void **state)
{
    (void)state;
    for (int c = 1; c < 256; c++) {
        char text[] = TOP "X_X: y\r\n\r\n";
        bool is_token = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                        (c >= 'A' && c <= 'Z') || strchr("!#$%&'*+-.^_`|~", c);
        struct run *run = run_new(RUN_BODY_MAX);

        text[sizeof(TOP)] = (char)c;
        run_pieces(run, (struct str){text, sizeof(text) - 1}, sizeof(text));
        /* A colon ends the name, which is valid. */
        if ((run->rc == RC_OK) != (is_token || c == ':'))
            fail_msg("byte 0x%02x: %s", (unsigned)c, run->err.text);
        free(run);
    }
}

/* RFC 9110 section 5.5: visible ASCII, blank, tab and obs-text. */
static void a_value_contains_every_byte_except_control_bytes(void **state)
{
    (void)state;
    for (int c = 0; c < 256; c++) {
        char text[] = TOP "X: y_y\r\n\r\n";
        bool is_control = (c < 0x20 && c != '\t') || c == 0x7f;
        struct run *run = run_new(RUN_BODY_MAX);

        text[sizeof(TOP) + 3] = (char)c;
        run_pieces(run, (struct str){text, sizeof(text) - 1}, sizeof(text));
        if ((run->rc == RC_OK) == is_control)
            fail_msg("byte 0x%02x: %s", (unsigned)c, run->err.text);
        free(run);
    }
}

static void a_control_byte_is_refused_at_any_position_of_a_value(void **state)
{
    enum { VALUE = 24 };

    (void)state;
    for (int c = 0; c < 256; c++)
        for (size_t at = 1; at + 1 < VALUE; at++) {
            char text[] = TOP "X: yyyyyyyyyyyyyyyyyyyyyyyy\r\n\r\n";
            bool is_control = (c < 0x20 && c != '\t') || c == 0x7f;
            struct run *run = run_new(RUN_BODY_MAX);

            text[sizeof(TOP) + 2 + at] = (char)c;
            run_pieces(run, (struct str){text, sizeof(text) - 1}, sizeof(text));
            if ((run->rc == RC_OK) == is_control)
                fail_msg("byte 0x%02x at %zu: %s", (unsigned)c, at, run->err.text);
            free(run);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_first_field_of_a_name_is_found_in_any_case),
        cmocka_unit_test(a_value_keeps_its_bytes_except_blanks_around_it),
        cmocka_unit_test(a_list_may_span_several_fields_and_have_empty_members),
        cmocka_unit_test(every_coding_except_identity_encodes_the_body),
        cmocka_unit_test(gzip_is_accepted_if_the_request_says_so),
        cmocka_unit_test(a_name_contains_only_the_bytes_that_the_rfc_allows),
        cmocka_unit_test(a_value_contains_every_byte_except_control_bytes),
        cmocka_unit_test(a_control_byte_is_refused_at_any_position_of_a_value),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
