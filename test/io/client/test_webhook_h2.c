/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HTTP/2 servers that refuse a request in ways that let libcurl send it again: one call is one
 * request all the same.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

#include "caller.h"

enum {
    PREFACE_BYTES = 24,
    FRAME_HEAD = 9,
    FRAME_MAX = 16384 + FRAME_HEAD,
    TYPE_HEADERS = 1,
    TYPE_SETTINGS = 4,
    FLAG_ACK = 1,
};

static const char settings[] = "\0\0\0\4\0\0\0\0\0", settings_ack[] = "\0\0\0\4\1\0\0\0\0";

/* A server that answers every request with the same frame. */
struct refuser {
    int listener;
    struct str frame;
    bool closes; /* the connection, after the frame */
    int requests;
    pthread_t thread;
    char url[64];
};

static bool read_whole(int fd, char *to, size_t len)
{
    return recv(fd, to, len, MSG_WAITALL) == (ssize_t)len;
}

static bool read_frame(int fd, char *to, size_t *ret_len)
{
    const unsigned char *head = (const unsigned char *)to;

    if (!read_whole(fd, to, FRAME_HEAD))
        return false;
    *ret_len = (size_t)head[0] << 16 | (size_t)head[1] << 8 | head[2];
    return *ret_len <= FRAME_MAX - FRAME_HEAD && read_whole(fd, to + FRAME_HEAD, *ret_len);
}

static void serve(struct refuser *r, int fd)
{
    static char frame[FRAME_MAX];
    size_t len;

    if (!read_whole(fd, frame, PREFACE_BYTES) || write(fd, settings, FRAME_HEAD) < 0)
        return;
    while (read_frame(fd, frame, &len)) {
        if (frame[3] == TYPE_SETTINGS && !(frame[4] & FLAG_ACK) &&
            write(fd, settings_ack, FRAME_HEAD) < 0)
            return;
        if (frame[3] != TYPE_HEADERS)
            continue;
        r->requests++;
        if (write(fd, r->frame.ptr, r->frame.len) < 0 || r->closes)
            return;
    }
}

/* Until the listener is shut down. */
static void *serve_all(void *arg)
{
    struct refuser *r = arg;
    int fd;

    while ((fd = accept4(r->listener, NULL, NULL, SOCK_CLOEXEC)) >= 0) {
        serve(r, fd);
        close(fd);
    }
    return NULL;
}

static void refuser_start(struct refuser *r)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;

    r->listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    assert_true(r->listener >= 0);
    assert_int_equal(bind(r->listener, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(r->listener, 8), 0);
    assert_int_equal(getsockname(r->listener, (struct sockaddr *)&address, &len), 0);
    snprintf(r->url, sizeof r->url, "http://127.0.0.1:%u/x", ntohs(address.sin_port));
    assert_int_equal(pthread_create(&r->thread, NULL, serve_all, r), 0);
}

static void refuser_end(struct refuser *r)
{
    shutdown(r->listener, SHUT_RDWR);
    assert_int_equal(pthread_join(r->thread, NULL), 0);
    close(r->listener);
}

static void one_request(struct caller *caller, struct refuser r)
{
    struct webhook_request request = caller_request(caller, "/x");
    const struct caller_end *told;

    refuser_start(&r);
    request.url = str_of(r.url);
    request.is_h2 = true;
    told = caller_call(caller, &request);
    assert_int_equal(told->result.kind, WEBHOOK_UNKNOWN);
    assert_true(told->result.is_sent);
    caller_limit(caller, 8, 8, 8); /* closes the connection */
    refuser_end(&r);
    assert_int_equal(r.requests, 1);
}

#define FRAME(bytes)             \
    {                            \
        bytes, sizeof(bytes) - 1 \
    }

/* RFC 9113, 8.7: the request was not processed; whether to send it again is for the policy. */
static void a_refused_stream_is_not_sent_again(void **state)
{
    one_request(*state, (struct refuser){.frame = FRAME("\0\0\4\3\0\0\0\0\1\0\0\0\7")});
}

static void http_1_1_required_is_not_sent_again(void **state)
{
    one_request(*state, (struct refuser){.frame = FRAME("\0\0\4\3\0\0\0\0\1\0\0\0\15")});
}

static void a_goaway_below_the_stream_is_not_sent_again(void **state)
{
    one_request(*state, (struct refuser){.frame = FRAME("\0\0\10\7\0\0\0\0\0\0\0\0\0\0\0\0\0"),
                                         .closes = true});
}

static void a_goaway_that_includes_the_stream_is_not_sent_again(void **state)
{
    one_request(*state, (struct refuser){.frame = FRAME("\0\0\10\7\0\0\0\0\0\0\0\0\1\0\0\0\0"),
                                         .closes = true});
}

#define WITH_CALLER(name) cmocka_unit_test_setup_teardown(name, caller_setup, caller_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CALLER(a_refused_stream_is_not_sent_again),
        WITH_CALLER(http_1_1_required_is_not_sent_again),
        WITH_CALLER(a_goaway_below_the_stream_is_not_sent_again),
        WITH_CALLER(a_goaway_that_includes_the_stream_is_not_sent_again),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
