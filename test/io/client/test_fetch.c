/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Blocking requests to servers that are silent, endless or invalid.
 */
#include "io/client/fetch.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

enum { PATIENCE_S = 60 };

struct peer {
    pid_t pid;
    char url[64];
};

static void send_and_pause(int listener, const char *text)
{
    int fd = accept(listener, NULL, NULL);

    if (fd < 0 || write(fd, text, strlen(text)) < 0)
        _exit(1);
    pause();
    _exit(0);
}

/* Answers requests on each connection; the second request of the first one gets no answer. */
static void answer_all_but_one(int listener, const char *text)
{
    char request[1024];
    int fd, count = 0;

    while ((fd = accept(listener, NULL, NULL)) >= 0) {
        while (read(fd, request, sizeof request) > 0 && ++count != 2)
            if (write(fd, text, strlen(text)) < 0)
                _exit(1);
        close(fd);
    }
    _exit(0);
}

/* A process that serves one listener. */
static struct peer peer_start_as(void (*serve)(int listener, const char *text),
                                 const char *text)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct peer peer;

    assert_true(listener >= 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(listener, 4), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
    snprintf(peer.url, sizeof peer.url, "http://127.0.0.1:%u/x", ntohs(address.sin_port));
    peer.pid = fork();
    assert_true(peer.pid >= 0);
    if (peer.pid == 0) {
        alarm(PATIENCE_S);
        serve(listener, text);
    }
    close(listener);
    return peer;
}

/* It accepts one connection, sends something, and then stays silent. */
static struct peer peer_start(const char *text)
{
    return peer_start_as(send_and_pause, text);
}

static void peer_end(const struct peer *peer)
{
    int status;

    kill(peer->pid, SIGKILL);
    waitpid(peer->pid, &status, 0);
}

struct got {
    char text[256];
    size_t len;
    size_t enough; /* bytes after which it stops; 0: all */
};

static bool keep_bytes(void *arg, struct str bytes)
{
    struct got *got = arg;

    assert_true(bytes.len < sizeof got->text - got->len);
    memcpy(got->text + got->len, bytes.ptr, bytes.len);
    got->len += bytes.len;
    return got->enough == 0 || got->len < got->enough;
}

static enum rc get_within(const char *url, span silence, struct got *got,
                          struct fetch_answer *answer, struct err *err)
{
    struct fetch *fetch = fetch_new("test", NULL);
    struct fetch_request request = {.method = "GET",
                                    .url = url,
                                    .connect = PATIENCE_S * SPAN_S,
                                    .silence = silence,
                                    .part = keep_bytes,
                                    .arg = got};
    enum rc rc = fetch_run(fetch, &request, answer, err);

    fetch_free(fetch);
    return rc;
}

static enum rc get(const char *url, struct got *got, struct fetch_answer *answer,
                   struct err *err)
{
    return get_within(url, PATIENCE_S * SPAN_S, got, answer, err);
}

static void a_silent_server_times_out(void **state)
{
    static const char *const said[] = {"", "HTTP/1.1 200 OK\r\n",
                                       "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"};

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct peer peer = peer_start(said[i]);
        struct fetch_answer answer;
        struct got got = {.len = 0};
        struct err err;

        assert_int_equal(get_within(peer.url, SPAN_S, &got, &answer, &err), RC_UNKNOWN);
        assert_string_equal(err.text, "no data for 1 seconds");
        peer_end(&peer);
    }
}

static void the_receiver_may_stop_the_transfer(void **state)
{
    struct peer peer = peer_start("HTTP/1.1 203 Yes\r\nETag: \"7\"\r\nContent-Type: a/b \r\n"
                                  "Content-Length: 900\r\n\r\nabc");
    struct fetch_answer answer;
    struct got got = {.enough = 3};
    struct err err;

    (void)state;
    assert_int_equal(get(peer.url, &got, &answer, &err), RC_OK);
    assert_true(answer.was_stopped);
    assert_int_equal(answer.status, 203);
    assert_string_equal(answer.etag, "\"7\"");
    assert_string_equal(answer.type, "a/b");
    assert_memory_equal(got.text, "abc", 3);
    peer_end(&peer);
}

static void an_interim_answer_is_not_the_answer(void **state)
{
    struct peer peer = peer_start("HTTP/1.1 103 Early Hints\r\nETag: \"1\"\r\n\r\n"
                                  "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    struct fetch_answer answer;
    struct got got = {.len = 0};
    struct err err;

    (void)state;
    assert_int_equal(get(peer.url, &got, &answer, &err), RC_OK);
    assert_int_equal(answer.status, 200);
    assert_string_equal(answer.etag, "");
    assert_memory_equal(got.text, "ok", 2);
    peer_end(&peer);
}

static void invalid_urls_are_refused(void **state)
{
    static const struct {
        const char *url;
        enum rc rc;
    } cases[] = {
        {"ftp://127.0.0.1/x", RC_INVALID}, {"file:///etc/passwd", RC_INVALID},
        {"http://", RC_INVALID},           {"http://127.0.0.1:99999/", RC_INVALID},
        {"http://name.invalid/", RC_LOST},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fetch_answer answer;
        struct got got = {.len = 0};
        struct err err;

        assert_int_equal(get(cases[i].url, &got, &answer, &err), cases[i].rc);
    }
}

/* The server closes a reused connection instead of answering. */
static void only_a_get_is_sent_again(void **state)
{
    static const char *const methods[] = {"GET", "POST", "PUT", "DELETE"};

    (void)state;
    for (int i = 0; i < 4; i++) {
        struct peer peer = peer_start_as(answer_all_but_one,
                                         "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
        struct got got = {.len = 0};
        struct fetch_request request = {.method = "GET",
                                        .url = peer.url,
                                        .connect = PATIENCE_S * SPAN_S,
                                        .part = keep_bytes,
                                        .arg = &got};
        struct fetch *fetch = fetch_new("test", NULL);
        struct fetch_answer answer;
        struct err err;

        assert_int_equal(fetch_run(fetch, &request, &answer, &err), RC_OK);
        request.method = methods[i];
        assert_int_equal(fetch_run(fetch, &request, &answer, &err),
                         i == 0 ? RC_OK : RC_UNKNOWN);
        if (i > 0)
            assert_string_equal(err.text, "the server closed the connection without an answer");
        fetch_free(fetch);
        peer_end(&peer);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_silent_server_times_out),
        cmocka_unit_test(the_receiver_may_stop_the_transfer),
        cmocka_unit_test(an_interim_answer_is_not_the_answer),
        cmocka_unit_test(invalid_urls_are_refused),
        cmocka_unit_test(only_a_get_is_sent_again),
    };

    return cmocka_run_group_tests_name("fetch", tests, NULL, NULL);
}
