/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of commands with servers that are not Belfry, or break off: their messages and exit
 * statuses.
 */
#include <arpa/inet.h>
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
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
    int heads; /* a file with the request heads that it received */
};

static void serve(int listener, int heads, const char *const *answers)
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
        if (write(heads, head, len) < 0 || write(fd, answers[i], strlen(answers[i])) < 0)
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
    struct server server = {.heads = run_file("", 0)};

    assert_true(listener >= 0);
    assert_int_equal(bind(listener, (struct sockaddr *)&address, len), 0);
    assert_int_equal(listen(listener, ANSWERS_MAX), 0);
    assert_int_equal(getsockname(listener, (struct sockaddr *)&address, &len), 0);
    snprintf(server.url, sizeof server.url, "http://127.0.0.1:%u", ntohs(address.sin_port));
    server.pid = fork();
    assert_true(server.pid >= 0);
    if (server.pid == 0)
        serve(listener, server.heads, answers);
    close(listener);
    return server;
}

/* Stops the server; returns the heads that it received. */
static const char *stop(struct server *server)
{
    static char heads[RUN_TEXT_MAX];

    kill(server->pid, SIGKILL);
    run_wait(server->pid);
    run_read(server->heads, heads);
    return heads;
}

#define ANSWERS(...) ((const char *const[]){__VA_ARGS__, NULL})

static void assert_contains(const char *text, const char *part)
{
    if (!strstr(text, part))
        fail_msg("`%s` is not in:\n%s", part, text);
}

/* Runs `belfry schedule list` with one answer; checks its status and a part of its errors. */
static void check_list(const char *answer, int status, const char *part)
{
    struct server server = start(ANSWERS(answer));
    const struct run *run = RUN("schedule", "list", "--server", server.url);

    if (run->status != status)
        fail_msg("it ended with %d, not %d: %s", run->status, status, run->err);
    assert_contains(run->err, part);
    assert_string_equal(run->out, "");
    stop(&server);
}

#define JSON(status, body)                                      \
    "HTTP/1.1 " status "\r\nContent-Type: application/json\r\n" \
    "Connection: close\r\n\r\n" body

static void answers_of_other_servers_are_reported(void **state)
{
    (void)state;
    check_list("SSH-2.0-OpenSSH_9.2\r\n", 76, "is not a Belfry server");
    check_list("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n<html>hello</html>", 76,
               "the body begins with: <html>hello");
    check_list(JSON("200 OK", "[]"), 76, "has no schedules");
    check_list(JSON("200 OK", "{}"), 76, "has no schedules");
    check_list(JSON("200 OK", "{\"schedules\":7}"), 76, "has no schedules");
    check_list(JSON("200 OK", "{\"schedules\":[}"), 76, "that is not JSON");
    check_list(JSON("500 Oh", "<h1>oops</h1>"), 76, "answered 500");
    check_list(JSON("404 Not Found", ""), 76, "answered 404");
    check_list("HTTP/1.1 302 Found\r\nLocation: http://127.0.0.1:1/\r\n"
               "Content-Length: 0\r\n\r\n",
               76, "answered 302");
}

static void truncated_answers_are_reported(void **state)
{
    (void)state;
    check_list("", 69, "did not answer");
    check_list("HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n{\"schedules\":[]", 69,
               "did not answer");
    check_list("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\n{\"sch", 69,
               "did not answer");
}

/* Runs a command whose request is not answered: must it be checked before a repetition? */
static void check_lost(bool has_warning, const char *const *words, const char *input)
{
    struct server server = start(ANSWERS(""));
    const char *all[RUN_WORDS_MAX + 1] = {"--server", server.url};
    const struct run *run;

    for (int i = 0; words[i]; i++)
        all[i + 2] = words[i];
    run = run_words(input, strlen(input), all);
    assert_int_equal(run->status, 69);
    assert_contains(run->err, "did not answer");
    if (!strstr(run->err, "check before you repeat the command") == has_warning)
        fail_msg("%s %s: %s", words[0], words[1], run->err);
    stop(&server);
}

#define WORDS(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A request that only reads changes nothing, whether it is answered or not. */
static void only_a_lost_change_has_a_warning(void **state)
{
    (void)state;
    check_lost(true, WORDS("schedule", "pause", "a"), "");
    check_lost(true, WORDS("schedule", "create", "--queue", "q"), "");
    check_lost(false, WORDS("schedule", "get", "a"), "");
    check_lost(false, WORDS("schedule", "create", "--queue", "q", "--dry-run"), "");
    check_lost(false, WORDS("schedule", "resume", "a", "--dry-run"), "");
    check_lost(false, WORDS("schedule", "backfill", "a", "--from", "-1d", "--dry-run"), "");
    check_lost(false, WORDS("diff", "-f", "-"), "id: a\n");
}

static void a_gap_in_the_audit_log_is_not_only_a_change(void **state)
{
    struct server server = start(
        ANSWERS(JSON("200 OK", "{\"intact\":false,\"nodes\":[{\"node\":1,\"entries\":2,"
                               "\"damaged\":[{\"seq\":3,\"reason\":\"entries before it are"
                               " missing\"}]}],\"cursor\":null}")));
    const struct run *run = RUN("audit", "verify", "--server", server.url);

    (void)state;
    assert_int_equal(run->status, 1);
    assert_contains(run->out, "Node 1, entry 3: entries before it are missing.\n"
                              "The audit log is damaged: entries were changed or removed.\n");
    stop(&server);
}

static void each_refusal_has_its_exit_status(void **state)
{
    (void)state;
    check_list(JSON("503 Later", "{\"detail\":\"not ready: starting\"}"), 75, "not ready");
    check_list(JSON("429 Slow", "{\"detail\":\"too many\"}"), 75, "too many");
    check_list(JSON("403 No", "{\"detail\":\"not yours\"}"), 77, "not yours");
    check_list(JSON("401 No", "{\"detail\":\"who?\"}"), 77, "set a token with");
    check_list(JSON("400 No", "{\"title\":\"Bad Request\"}"), 1, "Bad Request");
    check_list(JSON("400 No", "{\"detail\":\"x\",\"field\":\"limit\",\"at\":99999}"), 1,
               "limit: x");
}

static void control_characters_in_a_refusal_are_escaped(void **state)
{
    (void)state;
    check_list(JSON("400 No", "{\"detail\":\"a\\u001b[2Jb\\u009bc\"}"), 1,
               "a\\x1b[2Jb\\u009bc");
}

static void an_endless_head_is_refused(void **state)
{
    static char head[200 * 1024] = "HTTP/1.1 200 OK\r\nX: ";

    (void)state;
    memset(head + strlen(head), 'x', sizeof head - strlen(head) - 1);
    check_list(head, 76, "is not a Belfry server");
}

static void rows_with_unexpected_types_are_printed(void **state)
{
    struct server server = start(
        ANSWERS(JSON("200 OK", "{\"schedules\":[1,null,\"x\",{\"id\":5,\"state\":[],\"spec\":"
                               "{\"cron\":[3,{}],\"at\":7},\"action\":\"x\"},{\"id\":\"good\","
                               "\"state\":{\"nextAt\":\"soon\"}}],\"cursor\":9}")));
    const struct run *run = RUN("schedule", "list", "--server", server.url);

    (void)state;
    assert_int_equal(run->status, 0);
    assert_contains(run->out, "good");
    assert_contains(run->out, "soon");
    stop(&server);
}

/* Without an ETag an edit could undo the edit of another client. */
static void a_schedule_without_an_etag_is_not_edited(void **state)
{
    struct server server = start(ANSWERS(JSON("200 OK", "{\"id\":\"a\"}")));
    const struct run *run = RUN("schedule", "edit", "a", "--server", server.url);

    (void)state;
    assert_int_equal(run->status, 76);
    assert_contains(run->err, "has no ETag");
    stop(&server);
}

static void a_request_has_the_token_and_the_namespace(void **state)
{
    struct server server = start(ANSWERS(JSON("200 OK", "{\"schedules\":[],\"cursor\":null}")));
    const char *heads;

    (void)state;
    RUN("schedule", "list", "--server", server.url, "--token", "bf_x_1_y", "-N", "a b&c",
        "--search", "\xc3\xa4/?", "--label", "k=v");
    heads = stop(&server);
    assert_contains(heads,
                    "GET /api/v1/schedules?search=%C3%A4%2F%3F&label=k%3Dv&namespace=a%20b%26c "
                    "HTTP/1.1\r\n");
    assert_contains(heads, "\r\nAuthorization: Bearer bf_x_1_y\r\n");
    assert_contains(heads, "\r\nUser-Agent: belfry/");
}

/* The server may send fewer items than it was asked for. */
static void a_list_has_as_many_items_as_were_asked_for(void **state)
{
    struct server server = start(ANSWERS(
        JSON("200 OK", "{\"runs\":[{\"id\":\"r1\"},{\"id\":\"r2\"}],\"cursor\":\"c1\"}"),
        JSON("200 OK", "{\"runs\":[],\"cursor\":\"c2\"}"),
        JSON("200 OK", "{\"runs\":[{\"id\":\"r3\"}],\"cursor\":\"c3\"}")));
    const struct run *run = RUN("run", "list", "--limit", "3", "-o", "json", "--server",
                                server.url);
    const char *heads;

    (void)state;
    assert_int_equal(run->status, 0);
    assert_contains(run->out, "[{\"id\":\"r1\"},{\"id\":\"r2\"},{\"id\":\"r3\"}]");
    assert_contains(run->out, "\"cursor\":\"c3\"");
    heads = stop(&server);
    assert_contains(heads, "GET /api/v1/runs?limit=3 HTTP");
    assert_contains(heads, "GET /api/v1/runs?limit=1&cursor=c1 HTTP");
    assert_contains(heads, "GET /api/v1/runs?limit=1&cursor=c2 HTTP");
}

/* A page has at most 1,000 items. */
static void a_long_list_is_read_in_pages(void **state)
{
    struct server server = start(
        ANSWERS(JSON("200 OK", "{\"runs\":[{\"id\":\"r1\"}],\"cursor\":\"c1\"}"),
                JSON("200 OK", "{\"runs\":[{\"id\":\"r2\"}],\"cursor\":null}")));
    const struct run *run = RUN("run", "list", "--limit", "2500", "-o", "name", "--server",
                                server.url);
    const char *heads;

    (void)state;
    assert_string_equal(run->out, "r1\nr2\n");
    heads = stop(&server);
    assert_contains(heads, "GET /api/v1/runs?limit=1000 HTTP");
    assert_contains(heads, "GET /api/v1/runs?limit=1000&cursor=c1 HTTP");
}

static void a_run_is_shown_with_all_its_attempts(void **state)
{
    struct server server = start(ANSWERS(
        JSON("200 OK", "{\"id\":\"r1\",\"state\":\"ended\",\"outcome\":\"succeeded\","
                       "\"attempt\":3,\"attempts\":[{\"attempt\":1,\"outcome\":\"failed\","
                       "\"error\":{\"message\":\"boom\"}},{\"attempt\":2,\"outcome\":"
                       "\"timedOut\",\"worker\":\"w7\"},{\"attempt\":3,\"outcome\":"
                       "\"succeeded\"}]}")));
    const struct run *run = RUN("run", "get", "r1", "--server", server.url);

    (void)state;
    assert_int_equal(run->status, 0);
    assert_contains(run->out, "\nEnded attempts\nATTEMPT  OUTCOME");
    assert_contains(run->out, "\n      1  failed ");
    assert_contains(run->out, "boom\n");
    assert_contains(run->out, "\n      2  timedOut ");
    assert_contains(run->out, "w7");
    assert_contains(run->out, "\n      3  succeeded");
    stop(&server);
}

static void versions_are_json_without_a_server_too(void **state)
{
    const struct run *run = RUN("version", "-o", "json", "--server", "http://127.0.0.1:1");

    (void)state;
    assert_int_equal(run->status, 0);
    assert_contains(run->out, "{\"client\":\"");
    assert_contains(run->out, "\"server\":null}");
    run = RUN("version", "--client", "-o", "json");
    assert_contains(run->out, "{\"client\":\"");
}

/* A shorter filter would select something else. */
static void a_request_that_is_too_long_is_not_sent(void **state)
{
    static char text[HEAD_MAX * 4];

    (void)state;
    memset(text, 'x', sizeof text - 1);
    for (int i = 0; i < 3; i++) {
        const struct run *run =
            i == 0 ? RUN("schedule", "list", "--search", text, "--server", "http://127.0.0.1:1")
            : i == 1 ? RUN("events", "--schedule", text, "--server", "http://127.0.0.1:1")
                     : RUN("export", "-l", text, "--server", "http://127.0.0.1:1");

        assert_int_equal(run->status, 2);
        assert_contains(run->err, "request is too long");
    }
}

static void texts_of_the_server_are_escaped(void **state)
{
    struct server server = start(
        ANSWERS(JSON("200 OK", "{\"id\":\"a\\u001b[2Jb\"}"),
                JSON("200 OK", "{\"status\":\"a\\u001b[2Jb\",\"noNextReason\":"
                               "\"a\\u001b[2Jb\"}")));
    const struct run *run = RUN("schedule", "trigger", "x", "--server", server.url);

    (void)state;
    assert_contains(run->out, "a\\x1b[2Jb\n");
    run = RUN("schedule", "next", "x", "--server", server.url);
    assert_contains(run->out, "a\\x1b[2Jb");
    stop(&server);
}

/* Further pages would be fetched for nobody. */
static void a_closed_output_ends_the_log(void **state)
{
    static char page[100 * 1024];
    int none = run_file("", 0), ends[2];
    size_t len = (size_t)snprintf(page, sizeof page, "%s",
                                  JSON("200 OK", "{\"cursor\":1,\"lines\":[{\"text\":\""));
    struct server server;
    const char *heads;

    (void)state;
    memset(page + len, 'x', sizeof page - len - 10);
    snprintf(page + sizeof page - 10, 10, "\"}]}");
    server = start(ANSWERS(page, JSON("200 OK", "{\"lines\":[]}")));
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    close(ends[0]);
    assert_int_equal(run_wait(run_start((const char *const[]){"run", "logs", "r_x", "--server",
                                                              server.url, NULL},
                                        none, ends[1], none)),
                     0);
    heads = stop(&server);
    assert_contains(heads, "GET /api/v1/runs/r_x/logs?limit=1000 HTTP");
    assert_null(strstr(heads, "after=1"));
    close(ends[1]);
    close(none);
}

static void options_of_events_are_checked(void **state)
{
    static char type[RUN_TEXT_MAX / 4];
    const struct run *run = RUN("events", "-f", "--limit", "0", "--server",
                                "http://127.0.0.1:1");

    (void)state;
    assert_int_equal(run->status, 2);
    assert_contains(run->err, "--limit must be a whole number of at least 1, not \"0\"");
    memset(type, 'x', sizeof type - 1);
    run = RUN("events", "--type", type, "--server", "http://127.0.0.1:1");
    assert_int_equal(run->status, 2);
    assert_contains(run->err, "too long");
}

static void an_export_sends_the_label_as_typed(void **state)
{
    struct server server = start(ANSWERS(JSON("200 OK", "{\"items\":[],\"cursor\":null}")));

    (void)state;
    assert_int_equal(RUN("export", "-l", "k=v=w", "--server", server.url)->status, 0);
    assert_contains(stop(&server), "GET /api/v1/export?label=k%3Dv%3Dw&limit=1000 HTTP");
}

/* ---- streams ---- */

#define STREAM                                               \
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n" \
    "Connection: close\r\n\r\n"

static void a_broken_stream_is_resumed(void **state)
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
    const char *heads;

    (void)state;
    assert_int_equal(run->status, 0);
    assert_string_equal(run->out, "one\ntwo\n");
    heads = stop(&server);
    assert_contains(heads, "\r\nAccept: text/event-stream\r\n");
    assert_contains(heads, "\r\nLast-Event-ID: 7\r\n");
}

static void a_refused_stream_is_reported(void **state)
{
    struct server server = start(ANSWERS(JSON("404 No", "{\"detail\":\"run not found\"}")));
    const struct run *run = RUN("run", "logs", "r_x", "-f", "--server", server.url);

    (void)state;
    assert_int_equal(run->status, 1);
    assert_contains(run->err, "run not found");
    stop(&server);
    server = start(ANSWERS(JSON("404 No", "{\"detail\":\"run not found\"}\n")));
    run = RUN("run", "logs", "r_x", "-f", "--server", server.url);
    assert_contains(run->err, "run not found");
    stop(&server);
}

/* A note about lost events is not one of the events that --limit counts. */
static void lost_events_do_not_count(void **state)
{
    struct server server = start(ANSWERS(
        STREAM "event: lost\ndata: {}\n\nid: 8\nevent: x\ndata: {\"type\":\"run.ended\"}\n\n"));
    const struct run *run = RUN("events", "-f", "--limit", "1", "-o", "json", "--server",
                                server.url);

    (void)state;
    assert_int_equal(run->status, 0);
    assert_contains(run->err, "no longer stored");
    assert_contains(run->out, "run.ended");
    stop(&server);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(answers_of_other_servers_are_reported),
        cmocka_unit_test(truncated_answers_are_reported),
        cmocka_unit_test(only_a_lost_change_has_a_warning),
        cmocka_unit_test(a_gap_in_the_audit_log_is_not_only_a_change),
        cmocka_unit_test(each_refusal_has_its_exit_status),
        cmocka_unit_test(control_characters_in_a_refusal_are_escaped),
        cmocka_unit_test(an_endless_head_is_refused),
        cmocka_unit_test(rows_with_unexpected_types_are_printed),
        cmocka_unit_test(a_schedule_without_an_etag_is_not_edited),
        cmocka_unit_test(a_request_has_the_token_and_the_namespace),
        cmocka_unit_test(a_list_has_as_many_items_as_were_asked_for),
        cmocka_unit_test(a_long_list_is_read_in_pages),
        cmocka_unit_test(a_run_is_shown_with_all_its_attempts),
        cmocka_unit_test(versions_are_json_without_a_server_too),
        cmocka_unit_test(a_request_that_is_too_long_is_not_sent),
        cmocka_unit_test(texts_of_the_server_are_escaped),
        cmocka_unit_test(a_closed_output_ends_the_log),
        cmocka_unit_test(options_of_events_are_checked),
        cmocka_unit_test(an_export_sends_the_label_as_typed),
        cmocka_unit_test(lost_events_do_not_count),
        cmocka_unit_test(a_broken_stream_is_resumed),
        cmocka_unit_test(a_refused_stream_is_reported),
    };

    unsetenv("BELFRY_SERVER");
    unsetenv("BELFRY_TOKEN");
    unsetenv("BELFRY_NAMESPACE");
    setenv("XDG_CONFIG_HOME", "/nowhere", 1);
    return cmocka_run_group_tests_name("odd_server", tests, NULL, NULL);
}
