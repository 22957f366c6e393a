/* SPDX-License-Identifier: Apache-2.0 */
/* Compared with the specification, "gRPC over HTTP2", and with what real clients send. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "wire/grpc/grpc.h"

static void a_content_type_may_name_its_format(void **state)
{
    static const char *const right[] = {"application/grpc", "application/grpc+proto",
                                        "application/grpc;charset=utf-8", "Application/GRPC"};
    static const char *const wrong[] = {"", "application/grp", "application/grpc-web",
                                        "application/json", "text/application/grpc"};

    (void)state;
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++)
        assert_true(grpc_is_type(str_of(right[i])));
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(grpc_is_type(str_of(wrong[i])));
}

static void a_frame_is_written_and_read(void **state)
{
    char text[16];
    struct buf out = BUF(text);
    bool is_compressed = true;
    struct str message;
    struct err err;

    (void)state;
    grpc_prefix(3, &out);
    buf_text(&out, "abc");
    assert_memory_equal(text, "\0\0\0\0\3abc", 8);
    assert_int_equal(grpc_unframe(buf_as_str(&out), &is_compressed, &message, &err), RC_OK);
    assert_false(is_compressed);
    assert_true(str_eq(message, STR("abc")));
    text[0] = 1;
    assert_int_equal(grpc_unframe(buf_as_str(&out), &is_compressed, &message, &err), RC_OK);
    assert_true(is_compressed);
}

static void the_length_of_a_frame_is_big_endian(void **state)
{
    char text[16];
    struct buf out = BUF(text);

    (void)state;
    grpc_prefix(0x01020304, &out);
    assert_memory_equal(text, "\0\1\2\3\4", 5);
}

static void a_body_is_one_whole_frame(void **state)
{
    static const struct str wrong[] = {
        {"", 0},
        {"\0\0\0\0", 4},
        {"\0\0\0\0\1", 5},
        {"\0\0\0\0\0a", 6},
        {"\2\0\0\0\0", 5},
        {"\0\377\377\377\377a", 6},
        {"\0\0\0\0\0\0\0\0\0\0", 10},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        bool is_compressed;
        struct str message;
        struct err err;

        assert_int_equal(grpc_unframe(wrong[i], &is_compressed, &message, &err), RC_INVALID);
    }
}

static void deadlines_have_units(void **state)
{
    static const struct {
        const char *text;
        span span;
    } right[] = {
        {"9932m", 9932 * SPAN_MS},
        {"30000000u", 30 * SPAN_S},
        {"5S", 5 * SPAN_S},
        {"2M", 2 * SPAN_MIN},
        {"1H", SPAN_H},
        {"99999999H", 99999999 * SPAN_H},
        {"1500n", 1},
        {"0m", 0},
    };
    static const char *const wrong[] = {"", "5", "S", "5s", "-5S", "123456789S", "5SS", "5 S"};
    span got;

    (void)state;
    for (size_t i = 0; i < sizeof right / sizeof right[0]; i++) {
        assert_true(grpc_timeout(str_of(right[i].text), &got));
        assert_int_equal(got, right[i].span);
    }
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        assert_false(grpc_timeout(str_of(wrong[i]), &got));
}

static void messages_are_escaped_except_printable_ascii(void **state)
{
    char text[64];
    struct buf out = BUF(text);

    (void)state;
    grpc_escape_message(STR("100% \"so\" ~ \xc3\xbc\n\x7f"), &out);
    assert_string_equal(text, "100%25 \"so\" ~ %C3%BC%0A%7F");
}

static void messages_are_read_back_and_invalid_escapes_are_kept(void **state)
{
    static const struct {
        const char *text, *words;
    } cases[] = {
        {"100%25 \"so\" %C3%bc", "100% \"so\" \xc3\xbc"},
        {"%", "%"},
        {"5%2", "5%2"},
        {"%2x%41", "%2xA"},
        {"%%41", "%A"},
        {"", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[64] = "";
        struct buf out = BUF(text);

        grpc_unescape_message(str_of(cases[i].text), &out);
        assert_string_equal(text, cases[i].words);
    }
}

static void an_invalid_status_is_unknown(void **state)
{
    static const char *const none[] = {"", "17", "-1", "5 ", "x", "99999999999999999999", "+5"};

    (void)state;
    assert_int_equal(grpc_status_read(STR("0")), GRPC_OK);
    assert_int_equal(grpc_status_read(STR("16")), GRPC_UNAUTHENTICATED);
    for (size_t i = 0; i < sizeof none / sizeof none[0]; i++)
        assert_int_equal(grpc_status_read(str_of(none[i])), GRPC_UNKNOWN);
    assert_string_equal(grpc_status_text(GRPC_DATA_LOSS), "DATA_LOSS");
}

/* https://github.com/grpc/grpc/blob/master/doc/http-grpc-status-mapping.md */
static void the_http_status_of_a_proxy_gives_the_status(void **state)
{
    static const int cases[][2] = {
        {400, GRPC_INTERNAL},      {401, GRPC_UNAUTHENTICATED}, {403, GRPC_PERMISSION_DENIED},
        {404, GRPC_UNIMPLEMENTED}, {429, GRPC_UNAVAILABLE},     {502, GRPC_UNAVAILABLE},
        {503, GRPC_UNAVAILABLE},   {504, GRPC_UNAVAILABLE},     {200, GRPC_UNKNOWN},
        {500, GRPC_UNKNOWN},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        assert_int_equal(grpc_status_of_http(cases[i][0]), cases[i][1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_content_type_may_name_its_format),
        cmocka_unit_test(a_frame_is_written_and_read),
        cmocka_unit_test(the_length_of_a_frame_is_big_endian),
        cmocka_unit_test(a_body_is_one_whole_frame),
        cmocka_unit_test(deadlines_have_units),
        cmocka_unit_test(messages_are_escaped_except_printable_ascii),
        cmocka_unit_test(messages_are_read_back_and_invalid_escapes_are_kept),
        cmocka_unit_test(an_invalid_status_is_unknown),
        cmocka_unit_test(the_http_status_of_a_proxy_gives_the_status),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
