/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Valid requests, in any split: their meaning follows RFC 9110 and RFC 9112, whose examples are
 * among them; the limits are those of wire/http1/http1.h.
 */
#include "http1_run.h"

#include "base/aborts.h"

#define HOST  "Host: h\r\n"
#define CH    "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
#define CH_IS "POST 1.1 host=h port= chunked stays"

struct right {
    struct str bytes;
    const char *log;
};

static void assert_read(const struct right *rows, int count)
{
    for (int i = 0; i < count; i++) {
        struct run *run = run_all_ways(rows[i].bytes);

        if (run->rc != RC_OK)
            fail_msg("%s: %s", rows[i].bytes.ptr, run->err.text);
        assert_string_equal(run->log_text, rows[i].log);
        free(run);
    }
}

static void the_examples_of_the_rfcs_are_read(void **state)
{
    static const struct right rows[] = {
        /* RFC 9112 sections 2.1, 3.2.1, 3.2.2, 3.2.4 */
        {BYTES("GET /hello.txt HTTP/1.1\r\nUser-Agent: curl/7.64.1\r\nHost: www.example.com"
               "\r\nAccept-Language: en, mi\r\n\r\n"),
         "GET 1.1 host=www.example.com port= path=hello.txt stays\n"},
        {BYTES("GET /where?q=now HTTP/1.1\r\nHost: www.example.org\r\n\r\n"),
         "GET 1.1 host=www.example.org port= path=where query=q=now stays\n"},
        {BYTES("GET http://www.example.org/pub/WWW/TheProject.html HTTP/1.1\r\n"
               "Host: www.example.org\r\n\r\n"),
         "GET 1.1 absolute host=www.example.org port= path=pub,WWW,TheProject.html stays\n"},
        {BYTES("OPTIONS * HTTP/1.1\r\nHost: www.example.org:8001\r\n\r\n"),
         "OPTIONS 1.1 * host=www.example.org port=8001 stays\n"},
        {BYTES("OPTIONS http://www.example.org:8001 HTTP/1.1\r\nHost: x\r\n\r\n"),
         "OPTIONS 1.1 * absolute host=www.example.org port=8001 stays\n"},
        /* RFC 9110 sections 10.1.1, 7.8 (an upgrade may be ignored) */
        {BYTES("PUT /somewhere/fun HTTP/1.1\r\nHost: origin.example.com\r\n"
               "Content-Type: video/h264\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
               "abc"),
         "PUT 1.1 host=origin.example.com port= path=somewhere,fun length=3 stays expects "
         "body=abc\n"},
        {BYTES("GET /hello HTTP/1.1\r\nHost: www.example.com\r\nConnection: upgrade\r\n"
               "Upgrade: websocket, IRC/6.9, RTA/x11\r\n\r\n"),
         "GET 1.1 host=www.example.com port= path=hello stays\n"},
    };

    (void)state;
    assert_read(rows, COUNT(rows));
}

/* The exact bytes that curl 7.88.1, Python 3.11, node 20 and Wget 1.21 sent to a socket. */
static void requests_of_real_clients_are_read(void **state)
{
    static const struct right rows[] = {
        {BYTES("GET /api/v1/x?limit=5 HTTP/1.1\r\nHost: 127.0.0.1:7227\r\n"
               "User-Agent: curl/7.88.1\r\nAccept: */*\r\nConnection: Upgrade, HTTP2-Settings"
               "\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABkAAQCAAAAAAIAAAAA\r\n\r\n"),
         "GET 1.1 host=127.0.0.1 port=7227 path=api,v1,x query=limit=5 stays\n"},
        {BYTES("POST /api/v1/x?limit=5 HTTP/1.1\r\nHost: 127.0.0.1:7227\r\n"
               "User-Agent: curl/7.88.1\r\nAccept: */*\r\nContent-Type: application/json\r\n"
               "Content-Length: 7\r\n\r\n{\"a\":1}"),
         "POST 1.1 host=127.0.0.1 port=7227 path=api,v1,x query=limit=5 length=7 stays "
         "body={\"a\":1}\n"},
        {BYTES(
             "GET http://a.example/b HTTP/1.1\r\nHost: a.example\r\n"
             "User-Agent: curl/7.88.1\r\nAccept: */*\r\nProxy-Connection: Keep-Alive\r\n\r\n"),
         "GET 1.1 absolute host=a.example port= path=b stays\n"},
        {BYTES("POST /q HTTP/1.1\r\nHost: 127.0.0.1:7227\r\nAccept-Encoding: identity\r\n"
               "Transfer-Encoding: chunked\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n"),
         "POST 1.1 host=127.0.0.1 port=7227 path=q chunked stays body=onetwo\n"},
        {BYTES("GET /a%20b HTTP/1.1\r\nAccept-Encoding: identity\r\nHost: 127.0.0.1:7227\r\n"
               "User-Agent: Python-urllib/3.11\r\nConnection: close\r\n\r\n"),
         "GET 1.1 host=127.0.0.1 port=7227 path=a b closes\n"},
        {BYTES("POST /n HTTP/1.1\r\nhost: localhost:7227\r\nconnection: keep-alive\r\n"
               "content-type: text/plain;charset=UTF-8\r\naccept: */*\r\n"
               "accept-language: *\r\nsec-fetch-mode: cors\r\nuser-agent: node\r\n"
               "accept-encoding: gzip, deflate\r\ncontent-length: 2\r\n\r\nhi"),
         "POST 1.1 host=localhost port=7227 path=n length=2 stays body=hi\n"},
        {BYTES("GET /api/v1/x?limit=5 HTTP/1.1\r\nHost: 127.0.0.1:7227\r\n"
               "User-Agent: Wget/1.21.3\r\nAccept: */*\r\nAccept-Encoding: identity\r\n"
               "Connection: Keep-Alive\r\n\r\n"),
         "GET 1.1 host=127.0.0.1 port=7227 path=api,v1,x query=limit=5 stays\n"},
    };

    (void)state;
    assert_read(rows, COUNT(rows));
}

/* The Go SDK of Conductor sends its Content-Type twice. */
static void equal_fields_that_frame_nothing_may_repeat(void **state)
{
    static const struct right rows[] = {
        {BYTES("POST /a HTTP/1.1\r\nHost: h\r\nContent-Type: a/b\r\ncontent-type: a/b\r\n"
               "Content-Length: 2\r\n\r\nhi"),
         "POST 1.1 host=h port= path=a length=2 stays body=hi\n"},
        {BYTES("GET /a HTTP/1.1\r\nHost: h\r\nAuthorization: Bearer a\r\n"
               "Authorization: Bearer a\r\n\r\n"),
         "GET 1.1 host=h port= path=a stays\n"},
    };

    (void)state;
    assert_read(rows, COUNT(rows));
}

static void any_token_is_a_method_and_its_case_matters(void **state)
{
    static const struct right rows[] = {
        {BYTES("HEAD / HTTP/1.1\r\n" HOST "\r\n"), "HEAD 1.1 host=h port= stays\n"},
        {BYTES("PATCH / HTTP/1.1\r\n" HOST "\r\n"), "PATCH 1.1 host=h port= stays\n"},
        {BYTES("DELETE / HTTP/1.1\r\n" HOST "\r\n"), "DELETE 1.1 host=h port= stays\n"},
        {BYTES("get / HTTP/1.1\r\n" HOST "\r\n"), "get 1.1 host=h port= stays\n"},
        {BYTES("M-SEARCH / HTTP/1.1\r\n" HOST "\r\n"), "M-SEARCH 1.1 host=h port= stays\n"},
        {BYTES("!#$%&'*+-.^_`|~09 / HTTP/1.1\r\n" HOST "\r\n"),
         "!#$%&'*+-.^_`|~09 1.1 host=h port= stays\n"},
    };

    (void)state;
    assert_read(rows, COUNT(rows));
}

/* RFC 9112 section 9.3; of close and keep-alive, close wins at any position. */
static void version_and_field_decide_whether_the_connection_stays_open(void **state)
{
    static const struct right rows[] = {
        {BYTES("GET / HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n"),
         "GET 1.1 host=h port= closes\n"},
        {BYTES("GET / HTTP/1.1\r\n" HOST "connection: Keep-Alive , CLOSE\r\n\r\n"),
         "GET 1.1 host=h port= closes\n"},
        {BYTES("GET / HTTP/1.1\r\n" HOST "Connection: a\r\nConnection: close\r\n\r\n"),
         "GET 1.1 host=h port= closes\n"},
        {BYTES("GET / HTTP/1.1\r\n" HOST "Connection: closed, foreclose\r\n\r\n"),
         "GET 1.1 host=h port= stays\n"},
        {BYTES("GET / HTTP/1.1\r\n" HOST "Connection: ,, \t,\r\n\r\n"),
         "GET 1.1 host=h port= stays\n"},
        {BYTES("GET / HTTP/1.0\r\n\r\n"), "GET 1.0 host= port= closes\n"},
        {BYTES("GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n"),
         "GET 1.0 host= port= stays\n"},
        {BYTES("GET / HTTP/1.0\r\nConnection: keep-alive, close\r\n\r\n"),
         "GET 1.0 host= port= closes\n"},
        {BYTES("GET / HTTP/1.0\r\nHost: h:80\r\n\r\n"), "GET 1.0 host=h port=80 closes\n"},
    };

    (void)state;
    assert_read(rows, COUNT(rows));
}

static void the_host_is_a_name_or_an_address_with_an_optional_port(void **state)
{
    static const struct right rows[] = {
        {BYTES("GET / HTTP/1.1\r\nHost: 127.0.0.1:7227\r\n\r\n"),
         "GET 1.1 host=127.0.0.1 port=7227 stays\n"},
        {BYTES("GET / HTTP/1.1\r\nHost: [::1]:65535\r\n\r\n"),
         "GET 1.1 host=[::1] port=65535 stays\n"},
        {BYTES("GET / HTTP/1.1\r\nHost: [::ffff:192.0.2.1]\r\n\r\n"),
         "GET 1.1 host=[::ffff:192.0.2.1] port= stays\n"},
        {BYTES("GET / HTTP/1.1\r\nhOST:\tmy_host-1.example.\t \r\n\r\n"),
         "GET 1.1 host=my_host-1.example. port= stays\n"},
        {BYTES("GET / HTTP/1.1\r\nHost: h:\r\n\r\n"), "GET 1.1 host=h port= stays\n"},
        /* RFC 9112 section 3.2.2: the target's host counts, not the field's */
        {BYTES("GET HTTPS://a.example:1/ HTTP/1.1\r\nHost: b.example:2\r\n\r\n"),
         "GET 1.1 absolute host=a.example port=1 stays\n"},
    };

    (void)state;
    assert_read(rows, COUNT(rows));
}

static void a_body_ends_with_its_length_or_its_last_chunk(void **state)
{
    static const struct right rows[] = {
        {BYTES("POST / HTTP/1.1\r\n" HOST "\r\n"), "POST 1.1 host=h port= stays\n"},
        {BYTES("POST / HTTP/1.1\r\n" HOST "Content-Length: 0\r\n\r\n"),
         "POST 1.1 host=h port= stays\n"},
        {BYTES("GET / HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello"),
         "GET 1.1 host=h port= length=5 stays body=hello\n"},
        {BYTES("POST / HTTP/1.0\r\nContent-Length: 005\r\n\r\n\r\n\r\n!"),
         "POST 1.0 host= port= length=5 closes body=\r\n\r\n!\n"},
        {BYTES(CH "0\r\n\r\n"), CH_IS "\n"},
        {BYTES(CH "5\r\nhello\r\n0\r\n\r\n"), CH_IS " body=hello\n"},
        /* RFC 9112 section 7: names of codings are case-insensitive */
        {BYTES("POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: Chunked\r\n\r\n0\r\n\r\n"),
         CH_IS "\n"},
        {BYTES(CH "a\r\n0123456789\r\nA\r\n0\r\n\r\n\r\n012\r\n000\r\n\r\n"),
         CH_IS " body=01234567890\r\n\r\n\r\n012\n"},
        {BYTES(CH "0000000000000001\r\n\n\r\n00\r\n\r\n"), CH_IS " body=\n\n"},
        {BYTES(CH "2;a;b=c;d=\"e;\\\"\t\\\\f\"\r\nhi\r\n0;last\r\n\r\n"), CH_IS " body=hi\n"},
        /* trailers are checked and dropped, for any content */
        {BYTES(CH "2\r\nhi\r\n0\r\nContent-Length: 9\r\nHost: x\r\nX:\r\n\r\n"),
         CH_IS " body=hi\n"},
    };

    (void)state;
    assert_read(rows, COUNT(rows));
}

/* RFC 9110 section 10.1.1 */
static void an_expectation_counts_only_if_a_body_follows(void **state)
{
    static const struct right rows[] = {
        {BYTES("POST / HTTP/1.1\r\n" HOST "Expect: 100-Continue\r\n"
               "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
         "POST 1.1 host=h port= chunked stays expects\n"},
        {BYTES("GET / HTTP/1.1\r\n" HOST "Expect: 100-continue\r\n\r\n"),
         "GET 1.1 host=h port= stays\n"},
        {BYTES("POST / HTTP/1.0\r\nExpect: 100-continue\r\nContent-Length: 1\r\n\r\na"),
         "POST 1.0 host= port= length=1 closes body=a\n"},
        {BYTES("POST / HTTP/1.0\r\nExpect: wonders\r\nContent-Length: 1\r\n\r\na"),
         "POST 1.0 host= port= length=1 closes body=a\n"},
    };

    (void)state;
    assert_read(rows, COUNT(rows));
}

static void requests_follow_one_another_without_a_pause(void **state)
{
    static const struct right rows[] = {
        {BYTES("GET /a HTTP/1.1\r\n" HOST "\r\nGET /b HTTP/1.1\r\n" HOST "\r\n"),
         "GET 1.1 host=h port= path=a stays\nGET 1.1 host=h port= path=b stays\n"},
        /* RFC 9112 section 2.2: one empty line before a request is ignored, each time */
        {BYTES("\r\nGET /a HTTP/1.1\r\n" HOST "\r\n\r\nGET /b HTTP/1.1\r\n" HOST "\r\n"),
         "GET 1.1 host=h port= path=a stays\nGET 1.1 host=h port= path=b stays\n"},
        /* text in a body is not a request, even if it looks like one */
        {BYTES("POST / HTTP/1.1\r\n" HOST "Content-Length: 18\r\n\r\nGET /x HTTP/1.1\r\n\r"
               "GET /b HTTP/1.1\r\n" HOST "\r\n"),
         "POST 1.1 host=h port= length=18 stays body=GET /x HTTP/1.1\r\n\r\n"
         "GET 1.1 host=h port= path=b stays\n"},
        {BYTES(CH "3\r\nabc\r\n0\r\n\r\n" CH
                  "1\r\nd\r\n0\r\nT: u\r\n\r\nGET /c HTTP/1.1\r\n" HOST "\r\n"),
         CH_IS " body=abc\n" CH_IS " body=d\nGET 1.1 host=h port= path=c stays\n"},
    };

    (void)state;
    assert_read(rows, COUNT(rows));
}

static void bytes_after_a_request_are_left_to_the_next(void **state)
{
    struct run *run = run_new(RUN_BODY_MAX);
    struct str bytes = STR("GET / HTTP/1.1\r\n" HOST "\r\nGET /b");
    enum http1_event event;

    (void)state;
    assert_int_equal(http1_feed(&run->parser, &bytes, &event, &run->err), RC_OK);
    assert_int_equal(event, HTTP1_HEAD);
    assert_int_equal(http1_feed(&run->parser, &bytes, &event, &run->err), RC_OK);
    assert_int_equal(event, HTTP1_DONE);
    assert_int_equal(bytes.len, 6);
    assert_memory_equal(bytes.ptr, "GET /b", 6);
    free(run);
}

static void the_parser_is_idle_until_the_first_byte_of_a_request(void **state)
{
    struct run *run = run_new(RUN_BODY_MAX);

    (void)state;
    assert_true(http1_is_idle(&run->parser));
    run_feed(run, STR("GET / HTTP/1.1\r\n" HOST "\r"));
    assert_false(http1_is_idle(&run->parser));
    run_feed(run, STR("\n"));
    assert_true(http1_is_idle(&run->parser));
    run_feed(run, STR("\r"));
    assert_false(http1_is_idle(&run->parser));
    run_feed(run, STR("\n"));
    assert_false(http1_is_idle(&run->parser));
    free(run);
}

/* A client that waits for "100 Continue" would wait forever if bytes were needed. */
static void a_body_that_is_too_long_is_refused_before_it_arrives(void **state)
{
    struct run *run = run_new(10);
    struct str bytes = STR("POST / HTTP/1.1\r\n" HOST "Expect: 100-continue\r\n"
                           "Content-Length: 11\r\n\r\n");
    struct str none = {NULL, 0};
    enum http1_event event;

    (void)state;
    assert_int_equal(http1_feed(&run->parser, &bytes, &event, &run->err), RC_OK);
    assert_int_equal(event, HTTP1_HEAD);
    assert_true(run->parser.request.expects_continue);
    assert_int_equal(http1_feed(&run->parser, &none, &event, &run->err), RC_LIMIT);
    assert_int_equal(run->parser.status, 413);
    free(run);
}

static void the_limit_may_be_changed_once_the_head_is_known(void **state)
{
    struct run *run = run_new(0);
    struct str bytes = STR("POST / HTTP/1.1\r\n" HOST "Content-Length: 11\r\n\r\nhello world");
    enum http1_event event;

    (void)state;
    assert_int_equal(http1_feed(&run->parser, &bytes, &event, &run->err), RC_OK);
    run->parser.body_max = 11;
    assert_int_equal(http1_feed(&run->parser, &bytes, &event, &run->err), RC_OK);
    assert_int_equal(event, HTTP1_BODY);
    assert_int_equal(run->parser.piece.len, 11);
    free(run);
}

/* A request with a repeated part; the parts determine which limit applies. */
static struct run *run_repeated(const char *before, const char *part, int count,
                                const char *after)
{
    size_t room = strlen(before) + strlen(part) * (size_t)count + strlen(after) + 1;
    char *text = malloc(room);
    struct buf out = {.ptr = text, .cap = room};
    struct run *run = run_new(RUN_BODY_MAX);
    struct run *slow = run_new(RUN_BODY_MAX);

    assert_non_null(text);
    buf_text(&out, before);
    for (int i = 0; i < count; i++)
        buf_text(&out, part);
    buf_text(&out, after);
    assert_false(out.cut);
    run_pieces(run, buf_as_str(&out), out.len);
    run_pieces(slow, buf_as_str(&out), 1);
    assert_same(run, slow);
    free(slow);
    free(text);
    return run;
}

struct bound {
    const char *before, *part, *after;
    int most;   /* maximum number of parts */
    int status; /* with one part more */
};

static void every_limit_is_reached_and_not_exceeded(void **state)
{
    static const struct bound bounds[] = {
        /* line: GET /... HTTP/1.1 */
        {"GET /", "a", " HTTP/1.1\r\n" HOST "\r\n", HTTP1_LINE_MAX - 14, 414},
        {"", "M", " / HTTP/1.1\r\n" HOST "\r\n", HTTP1_LINE_MAX - 11, 414},
        /* a field line: X: ... */
        {"GET / HTTP/1.1\r\n" HOST "X: ", "a", "\r\n\r\n", HTTP1_LINE_MAX - 3, 431},
        /* all fields; Host is one */
        {"GET / HTTP/1.1\r\n" HOST, "a:\r\n", "\r\n", HTTP1_FIELDS_MAX - 1, 431},
        /* trailers count as fields, of which there are two */
        {CH "0\r\n", "a:\r\n", "\r\n", HTTP1_FIELDS_MAX - 2, 431},
        {"GET ", "/a", " HTTP/1.1\r\n" HOST "\r\n", HTTP1_SEGMENTS_MAX, 414},
        {"GET /", "/", " HTTP/1.1\r\n" HOST "\r\n", HTTP1_SEGMENTS_MAX - 1, 414},
        {"GET /?", "a&", " HTTP/1.1\r\n" HOST "\r\n", HTTP1_PAIRS_MAX, 414},
        {"GET / HTTP/1.1\r\nHost: ", "a", "\r\n\r\n", HTTP1_HOST_MAX, 400},
        /* the extensions of one chunk, of several */
        {CH "1;", "a", "\r\nx\r\n0\r\n\r\n", HTTP1_EXT_MAX - 1, 413},
        {CH, "1;abc\r\nx\r\n", "0\r\n\r\n", HTTP1_EXT_MAX / 4, 413},
        {CH, "1\r\nx\r\n", "0\r\n\r\n", RUN_BODY_MAX, 413},
        {CH, "0", "\r\n\r\n", HTTP1_SIZE_DIGITS_MAX, 400},
        {"", "\r\n", "GET / HTTP/1.1\r\n" HOST "\r\n", HTTP1_BLANKS_MAX, 400},
    };

    (void)state;
    for (int i = 0; i < COUNT(bounds); i++) {
        const struct bound *b = &bounds[i];
        struct run *within = run_repeated(b->before, b->part, b->most, b->after);
        struct run *beyond = run_repeated(b->before, b->part, b->most + 1, b->after);

        if (within->rc != RC_OK || within->ended != 1)
            fail_msg("%d: %s%s...: %s", i, b->before, b->part, within->err.text);
        if (beyond->rc == RC_OK || beyond->parser.status != b->status)
            fail_msg("%d: %s%s...: %d %s", i, b->before, b->part, beyond->parser.status,
                     beyond->err.text);
        free(within);
        free(beyond);
    }
}

/* Three lines: 7 bytes of Host, 8192 bytes, and the remaining 8185 or one more. */
static void all_fields_together_have_a_limit(void **state)
{
    (void)state;
    for (int more = 0; more <= 1; more++) {
        char *first = calloc(1, HTTP1_LINE_MAX + 100);
        struct buf out = {.ptr = first, .cap = HTTP1_LINE_MAX + 100};
        struct run *run;

        assert_non_null(first);
        buf_text(&out, "GET / HTTP/1.1\r\n" HOST "X: ");
        for (int i = 0; i < HTTP1_LINE_MAX - 3; i++)
            buf_char(&out, 'x');
        buf_text(&out, "\r\nY: ");
        assert_false(out.cut);
        run = run_repeated(first, "y", HTTP1_SECTION_MAX - HTTP1_LINE_MAX - 7 - 3 + more,
                           "\r\n\r\n");
        assert_int_equal(run->rc, more == 0 ? RC_OK : RC_LIMIT);
        assert_int_equal(run->parser.status, more == 0 ? 0 : 431);
        free(run);
        free(first);
    }
}

/* The buffer is full except for the bytes of the framing: nothing may be overwritten. */
static void the_largest_head_and_its_body_are_kept_whole(void **state)
{
    char *path = calloc(1, HTTP1_LINE_MAX + 1);
    struct buf out = {.ptr = path, .cap = HTTP1_LINE_MAX + 1};
    struct run *run;

    (void)state;
    assert_non_null(path);
    buf_text(&out, "GET /first/");
    for (int i = 0; i < HTTP1_LINE_MAX - 20; i++)
        buf_char(&out, 'p');
    buf_text(&out, " HTTP/1.1");
    assert_int_equal(out.len, HTTP1_LINE_MAX);
    run = run_new(RUN_BODY_MAX);
    run_feed(run, buf_as_str(&out));
    run_feed(run, STR("\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"));
    assert_int_equal(run->begun, 1);
    run_feed(run, STR("1;some=extension\r\nx\r\n"));
    assert_int_equal(run->rc, RC_OK);
    assert_memory_equal(run->parser.request.segments[0].ptr, "first", 5);
    assert_int_equal(run->parser.request.segments[1].len, HTTP1_LINE_MAX - 20);
    assert_memory_equal(run->parser.request.fields[0].name.ptr, "Host", 4);
    free(run);
    free(path);
}

/* RFC 9113 section 3.4 gives the 24 bytes in hexadecimal. */
static void the_preface_of_http2_is_recognized_as_early_as_possible(void **state)
{
    static const char preface[] = "\x50\x52\x49\x20\x2a\x20\x48\x54\x54\x50\x2f\x32"
                                  "\x2e\x30\x0d\x0a\x0d\x0a\x53\x4d\x0d\x0a\x0d\x0a";

    (void)state;
    for (size_t n = 0; n < 24; n++) {
        char other[24];

        assert_int_equal(http1_preface((struct str){preface, n}), HTTP1_PREFACE_MAYBE);
        memcpy(other, preface, sizeof(other));
        other[n] ^= 1;
        assert_int_equal(http1_preface((struct str){other, n}), HTTP1_PREFACE_MAYBE);
        assert_int_equal(http1_preface((struct str){other, n + 1}), HTTP1_PREFACE_NO);
        assert_int_equal(http1_preface((struct str){other, 24}), HTTP1_PREFACE_NO);
    }
    assert_int_equal(http1_preface((struct str){preface, 24}), HTTP1_PREFACE_YES);
    assert_int_equal(http1_preface(STR("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0")),
                     HTTP1_PREFACE_YES);
    assert_int_equal(http1_preface(STR("PROPFIND")), HTTP1_PREFACE_NO);
    assert_int_equal(http1_preface(STR("POST")), HTTP1_PREFACE_NO);
}

static void feed_once_more(void *arg)
{
    struct run *run = arg;
    struct str bytes = STR("GET / HTTP/1.1\r\n");
    enum http1_event event;

    (void)!http1_feed(&run->parser, &bytes, &event, &run->err);
}

static void reading_after_a_refusal_aborts(void **state)
{
    struct run *run = run_new(RUN_BODY_MAX);

    (void)state;
    run_feed(run, STR("GET / HTTP/1.1\n"));
    assert_int_equal(run->rc, RC_INVALID);
    assert_true(aborts(feed_once_more, run));
    free(run);
}

static void a_refusal_leaves_event_and_bytes_as_they_were(void **state)
{
    struct run *run = run_new(RUN_BODY_MAX);
    struct str bytes = STR("GET / HTTP/1.1\n");
    enum http1_event event = HTTP1_BODY;

    (void)state;
    assert_int_equal(http1_feed(&run->parser, &bytes, &event, &run->err), RC_INVALID);
    assert_int_equal(bytes.len, 15);
    assert_int_equal(event, HTTP1_BODY);
    free(run);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_examples_of_the_rfcs_are_read),
        cmocka_unit_test(requests_of_real_clients_are_read),
        cmocka_unit_test(equal_fields_that_frame_nothing_may_repeat),
        cmocka_unit_test(any_token_is_a_method_and_its_case_matters),
        cmocka_unit_test(version_and_field_decide_whether_the_connection_stays_open),
        cmocka_unit_test(the_host_is_a_name_or_an_address_with_an_optional_port),
        cmocka_unit_test(a_body_ends_with_its_length_or_its_last_chunk),
        cmocka_unit_test(an_expectation_counts_only_if_a_body_follows),
        cmocka_unit_test(requests_follow_one_another_without_a_pause),
        cmocka_unit_test(bytes_after_a_request_are_left_to_the_next),
        cmocka_unit_test(the_parser_is_idle_until_the_first_byte_of_a_request),
        cmocka_unit_test(a_body_that_is_too_long_is_refused_before_it_arrives),
        cmocka_unit_test(the_limit_may_be_changed_once_the_head_is_known),
        cmocka_unit_test(every_limit_is_reached_and_not_exceeded),
        cmocka_unit_test(all_fields_together_have_a_limit),
        cmocka_unit_test(the_largest_head_and_its_body_are_kept_whole),
        cmocka_unit_test(the_preface_of_http2_is_recognized_as_early_as_possible),
        cmocka_unit_test(reading_after_a_refusal_aborts),
        cmocka_unit_test(a_refusal_leaves_event_and_bytes_as_they_were),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
