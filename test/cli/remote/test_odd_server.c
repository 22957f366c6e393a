/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of commands with servers that are not Belfry, or break off: their messages and exit
 * statuses.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>

#include <cmocka.h>

#include "run.h"

enum { HEAD_MAX = 16384, ANSWERS_MAX = 4 };

/* A server for a few connections: reads each up to the end of its head, then answers. */
struct server {
    char url[64];
    pid_t pid;
    int asked; /* a file with the heads that it received */
};

static void serve(int listener, int asked, const char *const *answers)
{
    alarm(RUN_SECONDS_MAX);
    for (int i = 0; answers[i]; i++) {
        int fd = accept(listener, NULL, NULL);
        char head[HEAD_MAX];
        size_t len = 0;
        ssize_t n = 1;

        while (n > 0 && len < sizeof head - 1 && (len < 4 || !strstr(head, "\r\n\r\n"))) {
            n = read(fd, head + len, sizeof head - 1 - len);
            len += n > 0 ? (size_t)n : 0;
            head[len] = '\0';
        }
        if (write(asked, head, len) < 0 || write(fd, answers[i], strlen(answers[i])) < 0)
            _exit(1);
        close(fd);
    }
    _exit(0);
}

static struct server start(const char *const *answers)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    struct server server = {.asked = run_file("", 0)};

    assert_true(listener >= 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(listener, ANSWERS_MAX), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
    snprintf(server.url, sizeof server.url, "http://127.0.0.1:%u", ntohs(address.sin_port));
    server.pid = fork();
    assert_true(server.pid >= 0);
    if (server.pid == 0)
        serve(listener, server.asked, answers);
    close(listener);
    return server;
}

/* Ends the server; returns the heads that it received. */
static const char *end(struct server *server)
{
    static char asked[RUN_TEXT_MAX];

    kill(server->pid, SIGKILL);
    run_wait(server->pid);
    run_keep(server->asked, asked);
    return asked;
}

#define ANSWERS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void has(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("`%s` is not in:\n%s", part, text);
}

/* Runs `belfry schedule list` with one answer; checks its status and a part of its errors. */
static void list_says(const char *answer, int status, const char *part)
{
    struct server server = start(ANSWERS(answer));
    const struct run *run = RUN("schedule", "list", "--server", server.url);

    if (run->status != status)
        fail_msg("it ended with %d, not %d: %s", run->status, status, run->err);
    has(run->err, part);
    assert_string_equal(run->out, "");
    end(&server);
}

#define JSON(status, body)                                      \
    "HTTP/1.1 " status "\r\nContent-Type: application/json\r\n" \
    "Connection: close\r\n\r\n" body

static void what_is_no_answer_of_ours_is_said_to_be_none(void **state)
{
    (void)state;
    list_says("SSH-2.0-OpenSSH_9.2\r\n", 76, "is not a Belfry server");
    list_says("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n<html>hello</html>", 76,
              "the body begins with: <html>hello");
    list_says(JSON("200 OK", "[]"), 76, "has no schedules");
    list_says(JSON("200 OK", "{}"), 76, "has no schedules");
    list_says(JSON("200 OK", "{\"schedules\":7}"), 76, "has no schedules");
    list_says(JSON("200 OK", "{\"schedules\":[}"), 76, "that is not JSON");
    list_says(JSON("500 Oh", "<h1>oops</h1>"), 76, "answered 500");
    list_says(JSON("404 Not Found", ""), 76, "answered 404");
    list_says("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n"
              "Content-Length: 0\r\n\r\n",
              76, "answered 302");
}

static void an_answer_that_breaks_off_is_none(void **state)
{
    (void)state;
    list_says("", 69, "did not answer");
    list_says("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"schedules\":[]", 69,
              "did not answer");
    list_says("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"sch", 69,
              "check before you repeat the command");
}

static void refusals_end_with_their_own_status(void **state)
{
    (void)state;
    list_says(JSON("503 Later", "{\"detail\":\"not ready: starting\"}"), 75, "not ready");
    list_says(JSON("429 Slow", "{\"detail\":\"too many\"}"), 75, "too many");
    list_says(JSON("403 No", "{\"detail\":\"not yours\"}"), 77, "not yours");
    list_says(JSON("401 No", "{\"detail\":\"who?\"}"), 77, "set a token with");
    list_says(JSON("400 No", "{\"title\":\"Bad Request\"}"), 1, "Bad Request");
    list_says(JSON("400 No", "{\"detail\":\"x\",\"field\":\"limit\",\"at\":99999}"), 1,
              "limit: x");
}

static void a_refusal_cannot_speak_to_the_terminal(void **state)
{
    (void)state;
    list_says(JSON("400 No", "{\"detail\":\"a\\u001b[2Jb\\u009bc\"}"), 1, "a\\x1b[2Jb\\u009bc");
}

static void a_head_without_end_is_not_read(void **state)
{
    static char head[200 * 1024] = "HTTP/1.1 200 OK\r\nX: ";

    (void)state;
    memset(head + strlen(head), 'x', sizeof head - strlen(head) - 1);
    list_says(head, 76, "is not a Belfry server");
}

static void rows_of_an_odd_shape_do_no_harm(void **state)
{
    struct server server = start(
        ANSWERS(JSON("200 OK", "{\"schedules\":[1,null,\"x\",{\"id\":5,\"state\":[],\"spec\":"
                               "{\"cron\":[3,{}],\"at\":7},\"action\":\"x\"},{\"id\":\"good\","
                               "\"state\":{\"nextAt\":\"soon\"}}],\"cursor\":9}")));
    const struct run *run = RUN("schedule", "list", "--server", server.url);

    (void)state;
    assert_int_equal(run->status, 0);
    has(run->out, "good");
    has(run->out, "soon");
    end(&server);
}

/* Without an ETag an edit could undo the edit of another client. */
static void what_has_no_version_is_not_edited(void **state)
{
    struct server server = start(ANSWERS(JSON("200 OK", "{\"id\":\"a\"}")));
    const struct run *run = RUN("schedule", "edit", "a", "--server", server.url);

    (void)state;
    assert_int_equal(run->status, 76);
    has(run->err, "has no ETag");
    end(&server);
}

static void a_request_shows_the_token_and_names_the_namespace(void **state)
{
    struct server server = start(ANSWERS(JSON("200 OK", "{\"schedules\":[],\"cursor\":null}")));
    const char *asked;

    (void)state;
    RUN("schedule", "list", "--server", server.url, "--token", "bf_x_1_y", "-N", "a b&c",
        "--search", "\xc3\xa4/?", "--label", "k=v");
    asked = end(&server);
    has(asked, "GET /api/v1/schedules?search=%C3%A4%2F%3F&label=k%3Dv&namespace=a%20b%26c "
               "HTTP/1.1\r\n");
    has(asked, "\r\nAuthorization: Bearer bf_x_1_y\r\n");
    has(asked, "\r\nUser-Agent: belfry/");
}

/* ---- streams ---- */

#define STREAM                                               \
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" \
    "Connection: close\r\n\r\n"

static void a_stream_is_taken_up_where_it_broke(void **state)
{
    struct server server = start(
        ANSWERS("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
                "Transfer-Encoding: chunked\r\n\r\n"
                "4d\r\n"
                ":\n\nid: 7\nevent: line\ndata: {\"text\":\"one\"}\n\n"
                "id: 8\r\nevent: line\r\ndata: {\"te",
                STREAM "id: 8\nevent: line\ndata: {\"text\":\ndata:\"two\"}\n\n"
                       "id: 9\nevent: end\ndata: {}\n\n"));
    const struct run *run = RUN("run", "logs", "r_x", "-f", "--server", server.url);
    const char *asked;

    (void)state;
    assert_int_equal(run->status, 0);
    assert_string_equal(run->out, "one\ntwo\n");
    asked = end(&server);
    has(asked, "\r\nAccept: text/event-stream\r\n");
    has(asked, "\r\nLast-Event-ID: 7\r\n");
}

static void a_stream_that_is_refused_says_why(void **state)
{
    struct server server = start(ANSWERS(JSON("404 No", "{\"detail\":\"run not found\"}")));
    const struct run *run = RUN("run", "logs", "r_x", "-f", "--server", server.url);

    (void)state;
    assert_int_equal(run->status, 1);
    has(run->err, "run not found");
    end(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(what_is_no_answer_of_ours_is_said_to_be_none),
        cmocka_unit_test(an_answer_that_breaks_off_is_none),
        cmocka_unit_test(refusals_end_with_their_own_status),
        cmocka_unit_test(a_refusal_cannot_speak_to_the_terminal),
        cmocka_unit_test(a_head_without_end_is_not_read),
        cmocka_unit_test(rows_of_an_odd_shape_do_no_harm),
        cmocka_unit_test(what_has_no_version_is_not_edited),
        cmocka_unit_test(a_request_shows_the_token_and_names_the_namespace),
        cmocka_unit_test(a_stream_is_taken_up_where_it_broke),
        cmocka_unit_test(a_stream_that_is_refused_says_why),
    };

    unsetenv("BELFRY_SERVER");
    unsetenv("BELFRY_TOKEN");
    unsetenv("BELFRY_NAMESPACE");
    setenv("XDG_CONFIG_HOME", "/nowhere", 1);
    return cmocka_run_group_tests_name("odd_server", tests, NULL, NULL);
}
