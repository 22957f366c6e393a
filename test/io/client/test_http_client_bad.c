/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTTP/2 client with servers that refuse, leave, and break the rules: each connection
 * follows a script, written as frames of RFC 9113.
 */
#include "http_caller.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

enum {
    PREFACE_BYTES = 24,
    FRAME_HEAD = 9,
    FRAME_MAX = 16384 + FRAME_HEAD,
    TYPE_HEADERS = 1,
    TYPE_SETTINGS = 4,
    FLAG_ACK = 1,
    SCRIPT_MAX = 4,
};

#define FRAME(bytes)             \
    {                            \
        bytes, sizeof(bytes) - 1 \
    }

/* Frames for stream 1; ":status: 200" is entry 8 of HPACK's static table. */
#define SETTINGS     "\0\0\0\4\0\0\0\0\0"
#define SETTINGS_ACK "\0\0\0\4\1\0\0\0\0"
#define REFUSED      "\0\0\4\3\0\0\0\0\1\0\0\0\7"
#define INTERNAL     "\0\0\4\3\0\0\0\0\1\0\0\0\2"
#define GOAWAY_NONE  "\0\0\10\7\0\0\0\0\0\0\0\0\0\0\0\0\0"
#define GOAWAY_FIRST "\0\0\10\7\0\0\0\0\0\0\0\0\1\0\0\0\0"
#define HEAD         "\0\0\1\1\4\0\0\0\1\x88"
#define HEAD_LAST    "\0\0\1\1\5\0\0\0\1\x88"
#define HEAD_CONTINUE            \
    "\0\0\5\1\4\0\0\0\1\x08\x03" \
    "100"
#define DATA_LAST "\0\0\2\0\1\0\0\0\1ok"
#define PUSH      "\0\0\5\5\4\0\0\0\1\0\0\0\2\x82"

/* A server: connection n answers each request with script n. */
struct scripted {
    int listener;
    struct str scripts[SCRIPT_MAX];
    bool closes; /* a connection after its script */
    int requests, connections;
    pthread_t thread;
    uint16_t port;
};

static bool read_whole(int fd, char *to, size_t len)
{
    return recv(fd, to, len, MSG_WAITALL) == (ssize_t)len;
}

static bool read_frame(int fd, char *to)
{
    const unsigned char *head = (const unsigned char *)to;
    size_t len;

    if (!read_whole(fd, to, FRAME_HEAD))
        return false;
    len = (size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2];
    return len <= FRAME_MAX - FRAME_HEAD && (len == 0 || read_whole(fd, to + FRAME_HEAD, len));
}

static void serve(struct scripted *server, int fd, struct str script)
{
    static char frame[FRAME_MAX];

    if (!read_whole(fd, frame, PREFACE_BYTES) || write(fd, SETTINGS, FRAME_HEAD) < 0)
        return;
    while (read_frame(fd, frame)) {
        if (frame[3] == TYPE_SETTINGS && !(frame[4] & FLAG_ACK) &&
            write(fd, SETTINGS_ACK, FRAME_HEAD) < 0)
            return;
        if (frame[3] != TYPE_HEADERS)
            continue;
        server->requests++;
        if (write(fd, script.ptr, script.len) < 0)
            return;
        if (server->closes)
            shutdown(fd, SHUT_WR); /* closing with unread bytes would discard the script */
    }
}

/* Until the listener is shut down. */
static void *serve_all(void *arg)
{
    struct scripted *server = arg;
    int fd;

    while ((fd = accept4(server->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        serve(server, fd, server->scripts[server->connections++ % SCRIPT_MAX]);
        close(fd);
    }
    return NULL;
}

static void scripted_start(struct scripted *server)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;

    server->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(server->listener >= 0);
    assert_int_equal(bind(server->listener, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(server->listener, 8), 0);
    assert_int_equal(getsockname(server->listener, (struct sockaddr *)&address, &len), 0);
    server->port = ntohs(address.sin_port);
    assert_int_equal(pthread_create(&server->thread, NULL, serve_all, server), 0);
}

static void scripted_end(struct scripted *server)
{
    shutdown(server->listener, SHUT_RDWR);
    assert_int_equal(pthread_join(server->thread, NULL), 0);
    close(server->listener);
}

/* One call; how it must end, and how many requests the server must have seen. */
static void check(struct scripted server, enum http_end_kind kind, int requests)
{
    struct http_caller *caller;
    struct http_caller_call *call;

    scripted_start(&server);
    caller = http_caller_open("http", server.port, NULL); /* before the server can write */
    call = http_caller_start(caller, "/x", STR("a body"), 0);
    http_caller_wait(call);
    assert_int_equal(call->kind, kind);
    if (kind == HTTP_END_DONE)
        assert_int_equal(call->status, 200);
    http_caller_close(caller);
    scripted_end(&server);
    assert_int_equal(server.requests, requests);
}

static void a_refused_call_is_repeated(void **state)
{
    (void)state;
    check((struct scripted){.scripts = {FRAME(REFUSED GOAWAY_FIRST), FRAME(HEAD_LAST)},
                            .closes = true},
          HTTP_END_DONE, 2);
}

static void a_call_above_the_last_stream_is_repeated(void **state)
{
    (void)state;
    check((struct scripted){.scripts = {FRAME(GOAWAY_NONE), FRAME(HEAD_LAST)}, .closes = true},
          HTTP_END_DONE, 2);
}

/* The server may have processed it. */
static void a_call_up_to_the_last_stream_is_not_repeated(void **state)
{
    (void)state;
    check((struct scripted){.scripts = {FRAME(GOAWAY_FIRST), FRAME(HEAD_LAST)}, .closes = true},
          HTTP_END_BROKEN, 1);
}

static void a_call_is_repeated_a_limited_number_of_times(void **state)
{
    (void)state;
    check((struct scripted){.scripts = {FRAME(GOAWAY_NONE), FRAME(GOAWAY_NONE),
                                        FRAME(GOAWAY_NONE), FRAME(HEAD_LAST)},
                            .closes = true},
          HTTP_END_REFUSED, HTTP_CLIENT_TRIES_MAX);
}

static void a_failed_call_is_not_repeated(void **state)
{
    (void)state;
    check((struct scripted){.scripts = {FRAME(INTERNAL), FRAME(HEAD_LAST)}}, HTTP_END_BROKEN,
          1);
    check((struct scripted){.scripts = {FRAME(HEAD), FRAME(HEAD_LAST)}, .closes = true},
          HTTP_END_BROKEN, 1);
    /* The answer has begun, so the server has processed the request. */
    check((struct scripted){.scripts = {FRAME(HEAD REFUSED), FRAME(HEAD_LAST)}},
          HTTP_END_BROKEN, 1);
}

static void an_answer_before_a_goaway_is_complete(void **state)
{
    (void)state;
    check((struct scripted){.scripts = {FRAME(HEAD DATA_LAST GOAWAY_FIRST)}, .closes = true},
          HTTP_END_DONE, 1);
}

static void interim_heads_are_skipped(void **state)
{
    (void)state;
    check((struct scripted){.scripts = {FRAME(HEAD_CONTINUE HEAD_CONTINUE HEAD DATA_LAST)}},
          HTTP_END_DONE, 1);
}

static void what_is_not_http_2_breaks_the_call(void **state)
{
    (void)state;
    check((struct scripted){.scripts = {FRAME("HTTP/1.1 400 Bad Request\r\n\r\n")}},
          HTTP_END_BROKEN, 1);
    check((struct scripted){.scripts = {FRAME(PUSH)}}, HTTP_END_BROKEN, 1);
}

/* 100 fields of 300 bytes: each repeats ("x-a", 300 letters) from HPACK's dynamic table. */
static void a_head_that_is_too_large_ends_the_call(void **state)
{
    static char script[FRAME_HEAD + 512];
    struct buf out = BUF(script);
    char value[300];

    (void)state;
    memset(value, 'v', sizeof value);
    buf_add(&out, "\0\0\0\1\4\0\0\0\1\x88\x40\x03x-a\x7f\xad\x01", 18);
    buf_add(&out, value, sizeof value);
    for (int i = 0; i < 100; i++)
        buf_char(&out, '\xbe');
    script[1] = (char)((out.len - FRAME_HEAD) >> 8);
    script[2] = (char)((out.len - FRAME_HEAD) & 255);
    check((struct scripted){.scripts = {buf_as_str(&out)}}, HTTP_END_BROKEN, 1);
}

/* A byte that is not UTF-8, as a command line or a percent-encoded URL may contain. */
static void a_host_that_is_not_utf8_ends_the_call(void **state)
{
    struct http_caller *caller = http_caller_open("http", 1, NULL);
    struct http_caller_call *call;

    (void)state;
    caller->target.url = STR("http://a%ffb:1");
    call = http_caller_get(caller, "/x");
    http_caller_wait(call);
    assert_int_equal(call->kind, HTTP_END_UNCONNECTED);
    assert_non_null(strstr(call->text, "cannot find the host"));
    http_caller_close(caller);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_refused_call_is_repeated),
        cmocka_unit_test(a_call_above_the_last_stream_is_repeated),
        cmocka_unit_test(a_call_up_to_the_last_stream_is_not_repeated),
        cmocka_unit_test(a_call_is_repeated_a_limited_number_of_times),
        cmocka_unit_test(a_failed_call_is_not_repeated),
        cmocka_unit_test(an_answer_before_a_goaway_is_complete),
        cmocka_unit_test(interim_heads_are_skipped),
        cmocka_unit_test(what_is_not_http_2_breaks_the_call),
        cmocka_unit_test(a_head_that_is_too_large_ends_the_call),
        cmocka_unit_test(a_host_that_is_not_utf8_ends_the_call),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
