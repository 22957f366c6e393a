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

/* A process that accepts one connection, sends something, and then stays silent. */
static struct peer peer_start(const char *says)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct peer peer;

    assert_true(listener >= 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(listener, 1), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
    snprintf(peer.url, sizeof peer.url, "http://127.0.0.1:%u/x", ntohs(address.sin_port));
    peer.pid = fork();
    assert_true(peer.pid >= 0);
    if (peer.pid == 0) {
        int fd = accept(listener, NULL, NULL);

        alarm(PATIENCE_S);
        if (fd < 0 || write(fd, says, strlen(says)) < 0)
            _exit(1);
        pause();
        _exit(0);
    }
    close(listener);
    return peer;
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

static enum rc get(const char *url, struct got *got, struct fetch_answer *answer,
                   struct err *err)
{
    struct fetch *fetch = fetch_new("test", NULL);
    struct fetch_request request = {.method = "GET",
                                    .url = url,
                                    .connect = 5 * SPAN_S,
                                    .silence = SPAN_S,
                                    .part = keep_bytes,
                                    .arg = got};
    enum rc rc = fetch_run(fetch, &request, answer, err);

    fetch_free(fetch);
    return rc;
}

static void a_silent_peer_is_left(void **state)
{
    static const char *const said[] = {"", "HTTP/1.1 200 OK\r\n",
                                       "HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc"};

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct peer peer = peer_start(said[i]);
        struct fetch_answer answer;
        struct got got = {.len = 0};
        struct err err;

        assert_int_equal(get(peer.url, &got, &answer, &err), RC_UNKNOWN);
        assert_string_equal(err.text, "no data for 1 seconds");
        peer_end(&peer);
    }
}

static void enough_is_enough(void **state)
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

static void what_cannot_be_called_is_refused(void **state)
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_silent_peer_is_left),
        cmocka_unit_test(enough_is_enough),
        cmocka_unit_test(an_interim_answer_is_not_the_answer),
        cmocka_unit_test(what_cannot_be_called_is_refused),
    };

    return cmocka_run_group_tests_name("fetch", tests, NULL, NULL);
}
