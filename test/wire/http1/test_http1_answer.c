/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of servers: RFC 9112 sections 4, 6.3 and 7, fed whole and byte by byte. */
#include "wire/http1/http1_answer.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/buf.h"

static struct http1 parser;
static char room[HTTP1_ROOM];

/* The parser's events as text: "200 BODY.", "!" after an error; `step` bytes at a time. */
static const char *read_answer(struct str bytes, bool is_to_head, size_t step)
{
    static char text[256];
    struct buf out = BUF(text);
    enum http1_event event = HTTP1_MORE;
    struct err err;

    http1_answer_begin(&parser, room, is_to_head);
    while (bytes.len > 0 || event == HTTP1_HEAD || event == HTTP1_BODY) {
        struct str now = {bytes.ptr, bytes.len < step ? bytes.len : step};
        size_t before = now.len;

        if (http1_feed(&parser, &now, &event, &err) != RC_OK) {
            buf_text(&out, "!");
            return text;
        }
        bytes = str_from(bytes, before - now.len);
        if (event == HTTP1_HEAD)
            buf_printf(&out, "%d ", parser.code);
        if (event == HTTP1_BODY)
            buf_str(&out, parser.piece);
        if (event == HTTP1_DONE)
            buf_text(&out, ".");
        if (event == HTTP1_DONE || (event == HTTP1_MORE && bytes.len == 0))
            break;
    }
    return text;
}

static void check(const char *answer, const char *expected)
{
    for (size_t step = 1; step < 200; step += 66)
        assert_string_equal(read_answer(str_of(answer), false, step), expected);
}

static void the_framing_ends_an_answer(void **state)
{
    (void)state;
    check("HTTP/1.1 200 OK\r\nContent-Length: 3\r\n\r\nabc", "200 abc.");
    check("HTTP/1.1 200\r\nContent-Length: 0\r\n\r\n", "200 .");
    check("HTTP/1.1 404 \r\nTransfer-Encoding: chunked\r\n\r\n2\r\nab\r\n1;x=y\r\nc\r\n"
          "0\r\nT: 1\r\n\r\n",
          "404 abc.");
    check("HTTP/1.1 204 No Content\r\n\r\n", "204 .");
    check("HTTP/1.1 304 Not Modified\r\nContent-Length: 9\r\n\r\n", "304 .");
    check("HTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n", "103 .");
    assert_true(http1_answer_is_interim(&parser));
}

static void the_end_of_the_connection_ends_an_answer_without_a_length(void **state)
{
    (void)state;
    check("HTTP/1.1 200 OK\r\n\r\nabc", "200 abc");
    assert_true(http1_answer_ends_here(&parser));
    assert_false(http1_answer_keeps_open(&parser));
    check("HTTP/1.1 200 OK\r\nContent-Length: 4\r\n\r\nabc", "200 abc");
    assert_false(http1_answer_ends_here(&parser));
}

static void an_answer_to_head_has_only_a_length(void **state)
{
    (void)state;
    assert_string_equal(
        read_answer(STR("HTTP/1.1 200 OK\r\nContent-Length: 7\r\n\r\n"), true, 200), "200 .");
    assert_int_equal(http1_answer_length(&parser), 7);
    assert_true(http1_answer_keeps_open(&parser));
}

static void connections_are_kept_as_the_server_says(void **state)
{
    (void)state;
    check("HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n", "200 .");
    assert_false(http1_answer_keeps_open(&parser));
    check("HTTP/1.0 200 OK\r\nContent-Length: 0\r\n\r\n", "200 .");
    assert_false(http1_answer_keeps_open(&parser));
    check("HTTP/1.0 200 OK\r\nContent-Length: 0\r\nConnection: keep-alive\r\n\r\n", "200 .");
    assert_true(http1_answer_keeps_open(&parser));
}

/* Two readers could understand them differently. */
static void ambiguous_answers_are_refused(void **state)
{
    static const char *const answers[] = {
        "HTTP/2.0 200 OK\r\n\r\n",
        "HTTP/1.1 20 OK\r\n\r\n",
        "HTTP/1.1 2000 OK\r\n\r\n",
        "HTTP/1.1 600 No\r\n\r\n",
        "HTTP/1.1 099 No\r\n\r\n",
        "GET / HTTP/1.1\r\n\r\n",
        "hello\r\n\r\n",
        "HTTP/1.1 200 OK\nContent-Length: 0\n\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: +1\r\n\r\n",
        "HTTP/1.1 200 OK\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nTransfer-Encoding: gzip\r\n\r\n",
        "HTTP/1.0 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA : b\r\n\r\n",
        "HTTP/1.1 200 OK\r\nA: b\r\n c\r\n\r\n",
    };

    (void)state;
    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++)
        if (strcmp(read_answer(str_of(answers[i]), false, 200), "!") != 0)
            fail_msg("accepted: %s", answers[i]);
    check("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nx\r\n", "200 !");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_framing_ends_an_answer),
        cmocka_unit_test(the_end_of_the_connection_ends_an_answer_without_a_length),
        cmocka_unit_test(an_answer_to_head_has_only_a_length),
        cmocka_unit_test(connections_are_kept_as_the_server_says),
        cmocka_unit_test(ambiguous_answers_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
