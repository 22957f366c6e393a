/* SPDX-License-Identifier: Apache-2.0 */
/* Answers: their form follows RFC 9112 sections 4 to 9, the date RFC 9110. */
#include "wire/http1/http1_write.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/aborts.h"

#define COUNT(array) ((int)(sizeof(array) / sizeof(array)[0]))
#define WHEN         "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"

static const instant when = 784111777 * SPAN_S;
static const struct http1_request http_1_1 = {.minor = 1, .is_persistent = true};
static const struct http1_request http_1_1_close = {.minor = 1};
static const struct http1_request http_1_0 = {.minor = 0};
static const struct http1_request http_1_0_keep_alive = {.minor = 0, .is_persistent = true};

static void assert_head(const struct http1_answer *answer, const char *expected)
{
    char text[1000];
    struct buf out = BUF(text);
    struct err err = {0};

    if (http1_write_head(answer, &out, &err) != RC_OK)
        fail_msg("%s", err.text);
    assert_string_equal(text, expected);
    assert_int_equal(out.len, strlen(expected));
}

static void a_sized_answer_has_its_length(void **state)
{
    const struct http1_field fields[] = {{STR("Content-Type"), STR("application/json")},
                                         {STR("ETag"), STR("\"7\"")}};

    (void)state;
    assert_head(&(struct http1_answer){.to = &http_1_1,
                                       .status = 200,
                                       .now = when,
                                       .framing = HTTP1_SIZED,
                                       .length = 2,
                                       .fields = fields,
                                       .field_count = 2},
                "HTTP/1.1 200 OK\r\n" WHEN "Content-Type: application/json\r\nETag: \"7\"\r\n"
                "Content-Length: 2\r\n\r\n");
    assert_head(
        &(struct http1_answer){
            .to = &http_1_1, .status = 404, .now = when, .framing = HTTP1_SIZED},
        "HTTP/1.1 404 Not Found\r\n" WHEN "Content-Length: 0\r\n\r\n");
}

static void an_answer_without_a_body_has_no_length(void **state)
{
    (void)state;
    assert_head(&(struct http1_answer){.to = &http_1_1, .status = 204, .now = when},
                "HTTP/1.1 204 No Content\r\n" WHEN "\r\n");
    assert_head(&(struct http1_answer){.to = &http_1_1, .status = 304, .now = when},
                "HTTP/1.1 304 Not Modified\r\n" WHEN "\r\n");
}

static void the_connection_is_kept_or_closed_as_the_head_says(void **state)
{
    static const struct {
        const struct http1_request *to;
        bool closes;
        enum http1_framing framing;
        const char *says;
        bool keeps;
    } rows[] = {
        {&http_1_1, false, HTTP1_SIZED, "Content-Length: 0\r\n", true},
        {&http_1_1, true, HTTP1_SIZED, "Content-Length: 0\r\nConnection: close\r\n", false},
        {&http_1_1_close, false, HTTP1_SIZED, "Content-Length: 0\r\nConnection: close\r\n",
         false},
        {NULL, false, HTTP1_SIZED, "Content-Length: 0\r\nConnection: close\r\n", false},
        {&http_1_0, false, HTTP1_SIZED, "Content-Length: 0\r\nConnection: close\r\n", false},
        {&http_1_0_keep_alive, false, HTTP1_SIZED,
         "Content-Length: 0\r\nConnection: keep-alive\r\n", true},
        {&http_1_0_keep_alive, false, HTTP1_TO_CLOSE, "Connection: close\r\n", false},
        {&http_1_1, false, HTTP1_CHUNKED, "Transfer-Encoding: chunked\r\n", true},
        {&http_1_1_close, false, HTTP1_CHUNKED,
         "Transfer-Encoding: chunked\r\nConnection: close\r\n", false},
    };

    (void)state;
    for (int i = 0; i < COUNT(rows); i++) {
        struct http1_answer answer = {.to = rows[i].to,
                                      .status = 200,
                                      .now = when,
                                      .framing = rows[i].framing,
                                      .closes = rows[i].closes};
        char expected[1000];
        struct buf want = BUF(expected);

        buf_printf(&want, "HTTP/1.1 200 OK\r\n" WHEN "%s\r\n", rows[i].says);
        assert_head(&answer, expected);
        assert_int_equal(http1_write_keeps_open(&answer), rows[i].keeps);
    }
}

/* RFC 9112 section 6.1: no coding for an HTTP/1.0 client. */
static void a_stream_is_chunked_for_http_1_1_clients(void **state)
{
    (void)state;
    assert_int_equal(http1_write_stream_framing(&http_1_1), HTTP1_CHUNKED);
    assert_int_equal(http1_write_stream_framing(&http_1_1_close), HTTP1_CHUNKED);
    assert_int_equal(http1_write_stream_framing(&http_1_0_keep_alive), HTTP1_TO_CLOSE);
}

static void a_field_cannot_contain_another(void **state)
{
    const struct http1_field wrong[] = {
        {STR("X"), STR("a\r\nSet-Cookie: b")},
        {STR("X"), STR("a\nb")},
        {STR("X"), STR("a\rb")},
        {STR("X"), STR("a\0b")},
        {STR("X"), STR("a\x7f")},
        {STR("X\r\nY"), STR("a")},
        {STR("X:"), STR("a")},
        {STR("X "), STR("a")},
        {STR(""), STR("a")},
        {STR("Content-Length"), STR("5")},
        {STR("content-length"), STR("5")},
        {STR("Transfer-Encoding"), STR("chunked")},
        {STR("Connection"), STR("close")},
        {STR("DATE"), STR("Sun, 06 Nov 1994 08:49:37 GMT")},
    };

    (void)state;
    for (int i = 0; i < COUNT(wrong); i++) {
        char text[1000] = "";
        struct buf out = BUF(text);
        struct err err = {0};
        const struct http1_answer answer = {.to = &http_1_1,
                                            .status = 200,
                                            .now = when,
                                            .framing = HTTP1_SIZED,
                                            .fields = &wrong[i],
                                            .field_count = 1};

        buf_text(&out, "before");
        if (http1_write_head(&answer, &out, &err) != RC_INVALID)
            fail_msg("%d: %s", i, text);
        assert_string_equal(text, "before");
        assert_int_equal(out.len, 6);
    }
}

static void a_head_fits_whole_or_not_at_all(void **state)
{
    const char expected[] = "HTTP/1.1 204 No Content\r\n" WHEN "\r\n";
    const struct http1_answer answer = {.to = &http_1_1, .status = 204, .now = when};

    (void)state;
    for (size_t room = 7; room <= 6 + sizeof(expected); room++) {
        char text[200] = "";
        struct buf out = {.ptr = text, .cap = room};
        struct err err = {0};
        bool fits = room == 6 + sizeof(expected);

        buf_text(&out, "before");
        assert_int_equal(http1_write_head(&answer, &out, &err), fits ? RC_OK : RC_LIMIT);
        assert_int_equal(out.len, fits ? room - 1 : 6);
        assert_int_equal(strlen(text), out.len);
        assert_false(out.cut);
    }
}

/* RFC 9112 section 7.1 */
static void chunks_have_their_size_in_hexadecimal(void **state)
{
    char text[100], sixteen[] = "0123456789abcdef";
    struct buf out = BUF(text);

    (void)state;
    assert_true(http1_write_chunk(STR("a"), &out));
    assert_true(http1_write_chunk(STR(""), &out)); /* would end the body */
    assert_true(http1_write_chunk(STR("\r\n"), &out));
    assert_true(http1_write_chunk(str_of(sixteen), &out));
    buf_str(&out, HTTP1_LAST_CHUNK);
    assert_string_equal(text, "1\r\na\r\n2\r\n\r\n\r\n10\r\n0123456789abcdef\r\n0\r\n\r\n");
}

static void a_chunk_fits_whole_or_not_at_all(void **state)
{
    char text[12] = "";
    struct buf out = BUF(text);

    (void)state;
    assert_false(http1_write_chunk(STR("1234567"), &out)); /* 12 bytes and the zero */
    assert_int_equal(out.len, 0);
    assert_string_equal(text, "");
    assert_true(http1_write_chunk(STR("123456"), &out));
    assert_string_equal(text, "6\r\n123456\r\n");
}

static void the_parser_reads_what_is_written(void **state)
{
    char text[200], room[HTTP1_ROOM];
    struct buf out = BUF(text);
    struct http1 parser;
    struct str bytes;
    struct err err;
    enum http1_event event;

    (void)state;
    buf_text(&out, "PUT / HTTP/1.1\r\nHost: h\r\nTransfer-Encoding: chunked\r\n\r\n");
    assert_true(http1_write_chunk(STR("0123456789abcdefg"), &out));
    buf_str(&out, HTTP1_LAST_CHUNK);
    bytes = buf_as_str(&out);
    http1_begin(&parser, room, 17);
    assert_int_equal(http1_feed(&parser, &bytes, &event, &err), RC_OK);
    assert_int_equal(event, HTTP1_HEAD);
    assert_int_equal(http1_feed(&parser, &bytes, &event, &err), RC_OK);
    assert_int_equal(event, HTTP1_BODY);
    assert_true(str_eq(parser.piece, STR("0123456789abcdefg")));
    assert_int_equal(http1_feed(&parser, &bytes, &event, &err), RC_OK);
    assert_int_equal(event, HTTP1_DONE);
    assert_int_equal(bytes.len, 0);
}

/* The names are those of RFC 9110 section 15 and of the IANA registry. */
static void every_status_of_a_refusal_has_a_name(void **state)
{
    static const int statuses[] = {400, 413, 414, 417, 431, 501, 505};

    (void)state;
    for (int i = 0; i < COUNT(statuses); i++)
        assert_true(http1_write_reason(statuses[i])[0] != '\0');
    assert_string_equal(http1_write_reason(413), "Content Too Large");
    assert_string_equal(http1_write_reason(431), "Request Header Fields Too Large");
    assert_string_equal(http1_write_reason(299), "");
}

static void write_it(void *arg)
{
    char text[1000];
    struct buf out = BUF(text);
    struct err err;

    (void)!http1_write_head(arg, &out, &err);
}

static void a_head_that_would_break_the_framing_aborts(void **state)
{
    struct http1_answer wrong[] = {
        {.to = &http_1_1, .status = 204, .now = when, .framing = HTTP1_SIZED},
        {.to = &http_1_1, .status = 200, .now = when, .framing = HTTP1_NO_BODY},
        {.to = &http_1_0_keep_alive, .status = 200, .now = when, .framing = HTTP1_CHUNKED},
        {.to = NULL, .status = 200, .now = when, .framing = HTTP1_CHUNKED},
        {.to = &http_1_1, .status = 200, .now = when, .framing = HTTP1_SIZED, .length = -1},
        {.to = &http_1_1, .status = 100, .now = when},
        {.to = &http_1_1, .status = 600, .now = when, .framing = HTTP1_SIZED},
    };

    (void)state;
    for (int i = 0; i < COUNT(wrong); i++)
        assert_true(aborts(write_it, &wrong[i]));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sized_answer_has_its_length),
        cmocka_unit_test(an_answer_without_a_body_has_no_length),
        cmocka_unit_test(the_connection_is_kept_or_closed_as_the_head_says),
        cmocka_unit_test(a_stream_is_chunked_for_http_1_1_clients),
        cmocka_unit_test(a_field_cannot_contain_another),
        cmocka_unit_test(a_head_fits_whole_or_not_at_all),
        cmocka_unit_test(chunks_have_their_size_in_hexadecimal),
        cmocka_unit_test(a_chunk_fits_whole_or_not_at_all),
        cmocka_unit_test(the_parser_reads_what_is_written),
        cmocka_unit_test(every_status_of_a_refusal_has_a_name),
        cmocka_unit_test(a_head_that_would_break_the_framing_aborts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
