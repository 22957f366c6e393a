/* SPDX-License-Identifier: Apache-2.0 */
/* Which answers are sent as gzip, their heads, and that zlib decodes them correctly. */
#include "client.h"

#include <stdlib.h>
#include <string.h>
#include <zlib.h>

static const struct listener_limits *usual = &listener_limits_default;

enum { HEAD_MAX = 1024 };

struct answer {
    char head[HEAD_MAX];
    char *body;
    size_t len;
};

static void receive(int fd, char *to, size_t len)
{
    for (size_t at = 0; at < len;) {
        ssize_t n = recv(fd, to + at, len - at, 0);

        assert_true(n > 0);
        at += (size_t)n;
    }
}

static void receive_head(int fd, char head[HEAD_MAX])
{
    size_t n = 0;

    do {
        assert_true(n < HEAD_MAX - 1);
        receive(fd, head + n++, 1);
        head[n] = '\0';
    } while (n < 4 || strcmp(head + n - 4, "\r\n\r\n") != 0);
}

static size_t length_of(const char *head)
{
    const char *at = strstr(head, "Content-Length: ");

    assert_non_null(at);
    return (size_t)strtoul(at + strlen("Content-Length: "), NULL, 10);
}

static bool has_line(const char *head, const char *line)
{
    return strstr(head, line) != NULL;
}

/* Requests `len` bytes of that kind; `accept` are complete lines of the request. */
static struct answer ask(int fd, const char *method, int kind, int len, const char *accept)
{
    struct answer answer = {0};
    char text[256];

    snprintf(text, sizeof text, "%s /text?%d HTTP/1.1\r\nHost: h\r\n%s\r\n", method,
             len * APP_KINDS + kind, accept);
    client_say(fd, text);
    receive_head(fd, answer.head);
    answer.len = length_of(answer.head);
    answer.body = malloc(answer.len + 1);
    assert_non_null(answer.body);
    if (strcmp(method, "HEAD") != 0)
        receive(fd, answer.body, answer.len);
    return answer;
}

static void expect_pattern(const char *bytes, size_t len)
{
    for (size_t i = 0; i < len; i++)
        assert_int_equal(bytes[i], app_byte(i));
}

/* The body is one complete gzip member with `len` bytes of the pattern. */
static void expect_gzip(const struct answer *answer, size_t len)
{
    z_stream z = {0};
    char *plain = malloc(len + 1);

    assert_non_null(plain);
    assert_int_equal(inflateInit2(&z, 31), Z_OK);
    z.next_in = (Bytef *)answer->body;
    z.avail_in = (uInt)answer->len;
    z.next_out = (Bytef *)plain;
    z.avail_out = (uInt)len + 1;
    assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
    assert_int_equal(z.avail_in, 0);
    assert_int_equal(z.total_out, len);
    expect_pattern(plain, len);
    inflateEnd(&z);
    free(plain);
}

#define GZIP "Accept-Encoding: gzip\r\n"

static void type_length_and_request_decide_whether_gzip_is_used(void **state)
{
    static const struct {
        int kind, len;
        const char *accept;
        bool is_gzip, varies;
    } rows[] = {
        {APP_JSON, EXCHANGE_GZIP_LEAST, GZIP, true, true},
        {APP_JSON, EXCHANGE_GZIP_LEAST - 1, GZIP, false, false},
        {APP_JSON, 0, GZIP, false, false},
        {APP_JSON, EXCHANGE_GZIP_MAX, GZIP, true, true},
        {APP_JSON, EXCHANGE_GZIP_MAX + 1, GZIP, false, false},
        {APP_JSON, 5000, "", false, true},
        {APP_JSON, 5000, "Accept-Encoding: br\r\n", false, true},
        {APP_JSON, 5000, "Accept-Encoding: gzip;q=0\r\n", false, true},
        {APP_JSON, 5000, "Accept-Encoding: br;q=1, gzip;q=0.5\r\n", true, true},
        {APP_JSON, 5000, "accept-encoding: GZIP\r\n", true, true},
        {APP_PROBLEM, 5000, GZIP, true, true},
        {APP_STRONG, 5000, GZIP, false, false},
        {APP_IMAGE, 5000, GZIP, false, false},
        {APP_CODED, 5000, GZIP, false, false},
    };
    struct app *app = app_start(usual);
    int fd = client_connect(app);

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct answer answer = ask(fd, "GET", rows[i].kind, rows[i].len, rows[i].accept);

        if (has_line(answer.head, "\r\nContent-Encoding: gzip\r\n") != rows[i].is_gzip ||
            has_line(answer.head, "\r\nVary: Accept-Encoding\r\n") != rows[i].varies)
            fail_msg("row %zu: %s", i, answer.head);
        if (rows[i].is_gzip) {
            expect_gzip(&answer, (size_t)rows[i].len);
        } else {
            assert_int_equal(answer.len, rows[i].len);
            expect_pattern(answer.body, answer.len);
        }
        free(answer.body);
    }
    close(fd);
    app_stop(app);
}

/* RFC 9110 section 9.3.2: HEAD has the fields that GET would have had. */
static void head_has_the_fields_of_get(void **state)
{
    struct app *app = app_start(usual);
    int fd = client_connect(app);
    struct answer get = ask(fd, "GET", APP_JSON, 5000, GZIP);
    struct answer head = ask(fd, "HEAD", APP_JSON, 5000, GZIP);
    char *after = strstr(get.head, "Content-Type");

    (void)state;
    assert_non_null(after); /* the dates may differ */
    assert_string_equal(strstr(head.head, "Content-Type"), after);
    client_say(fd, GET("/a"));
    client_expect(fd, OK_TEXT "Content-Length: 13\r\n\r\nGET [a] [] []");
    free(get.body);
    free(head.body);
    close(fd);
    app_stop(app);
}

static void an_answer_that_becomes_a_500_has_no_body(void **state)
{
    struct app *app = app_start(usual);
    int fd = client_connect(app);
    struct answer answer = ask(fd, "GET", APP_BROKEN, 5000, GZIP);

    (void)state;
    assert_true(str_starts(str_of(answer.head), STR("HTTP/1.1 500 ")));
    assert_false(has_line(answer.head, "gzip"));
    assert_int_equal(answer.len, 0);
    free(answer.body);
    client_say(fd, GET("/a"));
    client_expect(fd, OK_TEXT "Content-Length: 13\r\n\r\nGET [a] [] []");
    close(fd);
    app_stop(app);
}

/* One chunk; its length, 0 for the last. */
static size_t receive_chunk(int fd, char *to, size_t cap)
{
    char line[16] = {0};
    size_t n = 0;

    do {
        assert_true(n < sizeof line - 1);
        receive(fd, line + n++, 1);
    } while (line[n - 1] != '\n');
    n = strtoul(line, NULL, 16);
    assert_true(n + 2 <= cap);
    receive(fd, to, n + 2);
    assert_memory_equal(to + n, "\r\n", 2);
    return n;
}

/* Decodes a chunk and returns the number of decoded bytes; *is_end at the end of gzip. */
static size_t unpack(z_stream *z, char *bytes, size_t len, char *to, size_t cap, bool *is_end)
{
    int rc;

    z->next_in = (Bytef *)bytes;
    z->avail_in = (uInt)len;
    z->next_out = (Bytef *)to;
    z->avail_out = (uInt)cap;
    rc = inflate(z, Z_SYNC_FLUSH);
    *is_end = rc == Z_STREAM_END;
    assert_true(*is_end || rc == Z_OK);
    assert_int_equal(z->avail_in, 0);
    return cap - z->avail_out;
}

#define STREAM_HEAD OK_TEXT VARY "Content-Encoding: gzip\r\nTransfer-Encoding: chunked\r\n\r\n"

static void a_stream_is_compressed_piece_by_piece(void **state)
{
    struct app *app = app_start(usual);
    int fd = client_connect(app);
    char chunk[8192], plain[16384];
    z_stream z = {0};
    bool is_end = false;
    size_t at = 0, len;

    (void)state;
    assert_int_equal(inflateInit2(&z, 31), Z_OK);
    client_say(fd, "GET /stream HTTP/1.1\r\nHost: h\r\n" GZIP "\r\n");
    client_expect(fd, STREAM_HEAD);
    while (!is_end) {
        size_t n;

        len = receive_chunk(fd, chunk, sizeof chunk);
        assert_true(len > 0);
        n = unpack(&z, chunk, len, plain, sizeof plain, &is_end);
        for (size_t i = 0; i < n; i++)
            assert_int_equal(plain[i], app_byte(at + i));
        at += n;
    }
    assert_int_equal(at, APP_STREAM);
    assert_int_equal(receive_chunk(fd, chunk, sizeof chunk), 0);
    inflateEnd(&z);
    client_say(fd, GET("/a"));
    client_expect(fd, OK_TEXT "Content-Length: 13\r\n\r\nGET [a] [] []");
    close(fd);
    app_stop(app);
}

static void a_piece_of_a_compressed_stream_can_be_read_at_once(void **state)
{
    struct app *app = app_start(usual);
    int fd = client_connect(app);
    char chunk[256], plain[256];
    z_stream z = {0};
    bool is_end = false;
    size_t len;

    (void)state;
    assert_int_equal(inflateInit2(&z, 31), Z_OK);
    client_say(fd, "GET /begin HTTP/1.1\r\nHost: h\r\n" GZIP "\r\n");
    app_await(app, APP_HELD);
    client_expect(fd, STREAM_HEAD);
    len = receive_chunk(fd, chunk, sizeof chunk);
    assert_int_equal(unpack(&z, chunk, len, plain, sizeof plain, &is_end), 4);
    assert_memory_equal(plain, "some", 4);
    app_order(app, APP_CUT, 0); /* no end of gzip, and none of the chunks */
    client_expect_end(fd);
    inflateEnd(&z);
    app_stop(app);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(type_length_and_request_decide_whether_gzip_is_used),
        cmocka_unit_test(head_has_the_fields_of_get),
        cmocka_unit_test(an_answer_that_becomes_a_500_has_no_body),
        cmocka_unit_test(a_stream_is_compressed_piece_by_piece),
        cmocka_unit_test(a_piece_of_a_compressed_stream_can_be_read_at_once),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
