/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of `belfry worker` with `belfry serve`, both started as a user does.
 *
 * Two records are compared: the server's counters, and a journal to which each program appends
 * a line.
 */
#include <netinet/in.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "base/must.h"
#include "cli/remote/client.h"
#include "run.h"
#include "wire/json/json.h"

enum { WORKERS_MAX = 4, PATH_MAX_BYTES = 128, TEXT_MAX_BYTES = 16 * 1024 };

#define POLL_INTERVAL (10 * SPAN_MS) /* of the counters */

struct world {
    struct loop *loop;
    struct loop_timer *timer;
    struct client *client;
    int port;
    char url[64], dir[64], db[PATH_MAX_BYTES], gate[PATH_MAX_BYTES], journal[PATH_MAX_BYTES];
    pid_t server, workers[WORKERS_MAX];
    int worker_count;
    bool is_done;
    int status;
    json_t *body;
    char text[TEXT_MAX_BYTES];
};

/* ---- the server ---- */

static int free_port(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_int_equal(bind(fd, (struct sockaddr *)&address, len), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&address, &len), 0);
    close(fd);
    return ntohs(address.sin_port);
}

static void await_ready(int fd)
{
    char line[512];
    size_t len = 0;

    for (;;) {
        assert_int_equal(read(fd, &line[len], 1), 1);
        if (line[len] == '\n' && memmem(line, len, "msg=ready", 9))
            return;
        len = line[len] == '\n' || len + 1 == sizeof line ? 0 : len + 1;
    }
}

static void start_server(struct world *world)
{
    char listen_text[32];
    const char *words[] = {"serve",  "--db", world->db,     "--listen", listen_text,
                           "--grpc", "none", "--state-dir", world->dir, NULL};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), ends[2];

    snprintf(listen_text, sizeof listen_text, "127.0.0.1:%d", world->port);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    world->server = run_start(words, null, null, ends[1]);
    close(ends[1]);
    await_ready(ends[0]);
    close(ends[0]);
    close(null);
}

static void on_answer(void *arg, const struct client_answer *answer)
{
    struct world *world = arg;
    struct err err;

    world->status = answer->status;
    json_decref(world->body);
    world->body = NULL;
    if (answer->body.len > 0 && json_read(answer->body, &world->body, &err) != RC_OK)
        fail_msg("%s", err.text);
    world->is_done = true;
    loop_stop(world->loop);
}

static const json_t *request(struct world *world, const char *method, const char *path,
                             const char *body)
{
    struct client_request what = {
        .method = method, .path = path, .body = str_of(body ? body : "")};

    world->is_done = false;
    client_send(world->client, &what, on_answer, world);
    while (!world->is_done)
        loop_run(world->loop);
    return world->body;
}

static void on_timer(void *arg)
{
    struct world *world = arg;

    world->is_done = true;
    loop_stop(world->loop);
}

static void wait_to_poll(struct world *world)
{
    world->is_done = false;
    loop_timer_set(world->timer, POLL_INTERVAL);
    while (!world->is_done)
        loop_run(world->loop);
}

static int counter(struct world *world, const char *name)
{
    const json_t *state = json_object_get(request(world, "GET", "/api/v1/schedules/s", NULL),
                                          "state");

    assert_int_equal(world->status, 200);
    return (int)json_integer_value(json_object_get(json_object_get(state, "counters"), name));
}

/* Waits until a counter of the schedule reaches `count`, or the alarm ends the test. */
static void await_counter(struct world *world, const char *name, int count)
{
    while (counter(world, name) < count)
        wait_to_poll(world);
    assert_int_equal(counter(world, name), count);
}

/* Starts a run; returns its path, which is valid until the next call. */
static const char *trigger(struct world *world)
{
    static char path[PATH_MAX_BYTES];

    request(world, "POST", "/api/v1/schedules/s/trigger", "{}");
    assert_int_equal(world->status, 202);
    snprintf(path, sizeof path, "/api/v1/runs/%s",
             json_string_value(json_object_get(world->body, "id")));
    return path;
}

/* Waits until the run has ended; returns the server's view of it. */
static const json_t *await_ended(struct world *world, const char *path)
{
    for (;;) {
        const json_t *run = request(world, "GET", path, NULL);

        assert_int_equal(world->status, 200);
        if (strcmp(json_string_value(json_object_get(run, "state")), "ended") == 0)
            return run;
        wait_to_poll(world);
    }
}

/* ---- workers ---- */

/* Each run appends its id, attempt and fence to the journal, then executes the script. */
static void start_worker(struct world *world, const char *jobs, const char *script)
{
    char text[512];
    const char *words[] = {"worker", "-qQ",      "q",  "-c", jobs, "--drain", "1ms",
                           "-s",     world->url, "--", "sh", "-c", text,      NULL};
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    snprintf(text, sizeof text, "echo $BELFRY_RUN $BELFRY_ATTEMPT $BELFRY_FENCE >> %s; %s",
             world->journal, script);
    must(world->worker_count < WORKERS_MAX);
    world->workers[world->worker_count++] = run_start(words, null, null, null);
    close(null);
}

static const char *journal(struct world *world)
{
    int fd = open(world->journal, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? 0 : read(fd, world->text, sizeof world->text - 1);

    close(fd);
    world->text[n > 0 ? n : 0] = '\0';
    return world->text;
}

static int count_lines(const char *text)
{
    int count = 0;

    for (; (text = strchr(text, '\n')) != NULL; text++)
        count++;
    return count;
}

/* Returns when the program waits at the gate; closing the descriptor lets it continue. */
static int open_gate(struct world *world)
{
    int fd = open(world->gate, O_WRONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    return fd;
}

/* Sends the signal and waits; does nothing if the process was already reaped. */
static void end(pid_t *pid, int signal)
{
    if (*pid <= 0)
        return;
    kill(*pid, signal);
    run_wait(*pid);
    *pid = 0;
}

/* ---- the world ---- */

static int setup(void **state)
{
    struct world *world = calloc(1, sizeof *world);
    struct client_options options = {
        .server = world->url, .namespace = "", .agent = "test", .calls = 2};
    struct err err;

    assert_non_null(world);
    signal(SIGPIPE, SIG_IGN);
    world->port = free_port();
    snprintf(world->url, sizeof world->url, "http://127.0.0.1:%d", world->port);
    snprintf(world->dir, sizeof world->dir, "/tmp/belfry-test-XXXXXX");
    assert_non_null(mkdtemp(world->dir));
    snprintf(world->db, sizeof world->db, "sqlite:%s/db", world->dir);
    snprintf(world->gate, sizeof world->gate, "%s/gate", world->dir);
    snprintf(world->journal, sizeof world->journal, "%s/journal", world->dir);
    assert_int_equal(mkfifo(world->gate, 0600), 0);
    world->loop = loop_new(NULL, NULL);
    world->timer = loop_timer_new(world->loop, on_timer, world);
    assert_int_equal(client_open(world->loop, &options, &world->client, &err), RC_OK);
    start_server(world);
    request(world, "POST", "/api/v1/schedules",
            "{\"id\":\"s\",\"action\":{\"type\":\"queue\",\"queue\":\"q\"},\"policies\":"
            "{\"overlap\":\"allowAll\",\"lease\":{\"for\":\"3s\",\"heartbeat\":\"1s\","
            "\"grace\":\"1s\"}}}");
    assert_int_equal(world->status, 201);
    *state = world;
    return 0;
}

static void on_closed(void *arg)
{
    struct world *world = arg;

    world->is_done = true;
    loop_stop(world->loop);
}

static int teardown(void **state)
{
    struct world *world = *state;
    const char *const words[] = {"rm", "-rf", world->dir, NULL};
    pid_t pid;

    for (int i = 0; i < world->worker_count; i++)
        end(&world->workers[i], SIGKILL);
    end(&world->server, SIGKILL);
    world->is_done = false;
    client_close(world->client, on_closed, world);
    loop_timer_free(world->timer);
    while (!world->is_done)
        loop_run(world->loop);
    loop_free(world->loop);
    json_decref(world->body);
    pid = fork();
    if (pid == 0) {
        execv("/bin/rm", (char *const *)(uintptr_t)words);
        _exit(1);
    }
    run_wait(pid);
    free(world);
    alarm(0);
    return 0;
}

/* ---- tests ---- */

static void two_workers_execute_each_run_once(void **state)
{
    enum { RUNS = 40 };
    struct world *world = *state;
    const char *line;

    start_worker(world, "4", "echo '{\"ok\":true}'");
    start_worker(world, "4", "echo '{\"ok\":true}'");
    for (int i = 0; i < RUNS; i++)
        trigger(world);
    await_counter(world, "succeeded", RUNS);
    assert_int_equal(counter(world, "started"), RUNS);
    assert_int_equal(count_lines(journal(world)), RUNS);
    /* No line occurs twice: every run has its own id. */
    for (line = world->text; *line != '\0'; line = strchr(line, '\n') + 1) {
        size_t len = strcspn(line, "\n");

        assert_null(memmem(line + len, strlen(line + len), line, len));
    }
}

static void a_failed_program_is_counted_as_failed(void **state)
{
    struct world *world = *state;

    start_worker(world, "1", "exit 65");
    trigger(world);
    await_counter(world, "failed", 1);
    assert_int_equal(counter(world, "succeeded"), 0);
}

static void a_run_is_not_repeated_after_a_server_crash(void **state)
{
    struct world *world = *state;
    char script[PATH_MAX_BYTES + 16];
    int gate;

    snprintf(script, sizeof script, "read x < %s", world->gate);
    start_worker(world, "2", script);
    trigger(world);
    gate = open_gate(world);
    end(&world->server, SIGKILL);
    close(gate);
    start_server(world);
    await_counter(world, "failed", 1); /* `read` fails: the gate was closed without data */
    assert_int_equal(count_lines(journal(world)), 1);
    assert_int_equal(counter(world, "started"), 1);
}

static void a_cancelled_run_ends_as_cancelled(void **state)
{
    struct world *world = *state;
    char script[PATH_MAX_BYTES + 16], path[PATH_MAX_BYTES + 16];
    const char *run;
    int gate;

    snprintf(script, sizeof script, "read x < %s", world->gate);
    start_worker(world, "1", script);
    run = trigger(world);
    snprintf(path, sizeof path, "%s/cancel", run);
    gate = open_gate(world);
    request(world, "POST", path, "{}");
    assert_int_equal(world->status, 202);
    assert_string_equal(json_string_value(json_object_get(await_ended(world, run), "outcome")),
                        "cancelled");
    close(gate);
}

static void output_becomes_the_result_and_the_log(void **state)
{
    struct world *world = *state;
    const char *run;
    char path[PATH_MAX_BYTES + 16];
    struct buf shown = BUF(world->text);

    start_worker(world, "1", "echo a note >&2; echo '{\"rows\":[1,2]}'");
    run = trigger(world);
    json_print(json_object_get(await_ended(world, run), "result"), JSON_STYLE_LINE, &shown);
    assert_string_equal(world->text, "{\"rows\":[1,2]}");
    snprintf(path, sizeof path, "%s/logs", run);
    shown = BUF(world->text);
    json_print(request(world, "GET", path, NULL), JSON_STYLE_LINE, &shown);
    assert_non_null(strstr(world->text, "\"a note\""));
}

static void the_run_of_a_worker_that_dies_goes_to_another(void **state)
{
    struct world *world = *state;
    char script[2 * PATH_MAX_BYTES];
    int gate;

    snprintf(script, sizeof script, "[ $BELFRY_FENCE -gt 1 ] || read x < %s", world->gate);
    start_worker(world, "1", script);
    trigger(world);
    gate = open_gate(world);
    kill(world->workers[0], SIGKILL);
    start_worker(world, "1", script);
    await_counter(world, "succeeded", 1);
    assert_int_equal(count_lines(journal(world)), 2);
    close(gate);
}

static void a_worker_that_continues_late_changes_nothing(void **state)
{
    struct world *world = *state;
    char script[3 * PATH_MAX_BYTES];
    int gate;

    snprintf(script, sizeof script, "[ $(wc -l < %s) -gt 1 ] || { read x < %s; exit 3; }",
             world->journal, world->gate);
    start_worker(world, "1", script);
    trigger(world);
    gate = open_gate(world);
    kill(world->workers[0], SIGSTOP);
    start_worker(world, "1", script);
    await_counter(world, "succeeded", 1);
    kill(world->workers[0], SIGCONT);
    close(gate);
    /* It learns that the run has another owner, and can claim another run. */
    end(&world->workers[1], SIGTERM);
    trigger(world);
    await_counter(world, "succeeded", 2);
    assert_int_equal(counter(world, "failed"), 0);
    assert_int_equal(count_lines(journal(world)), 3);
}

static void a_worker_returns_its_run_after_sigterm(void **state)
{
    struct world *world = *state;
    char script[2 * PATH_MAX_BYTES];
    int gate;

    snprintf(script, sizeof script, "[ $BELFRY_FENCE -gt 1 ] || read x < %s", world->gate);
    start_worker(world, "1", script);
    trigger(world);
    gate = open_gate(world);
    end(&world->workers[0], SIGTERM);
    start_worker(world, "1", script);
    await_counter(world, "succeeded", 1);
    assert_int_equal(counter(world, "failed"), 0);
    assert_int_equal(count_lines(journal(world)), 2);
    close(gate);
}

#define WITH_SERVER(test) cmocka_unit_test_setup_teardown(test, setup, teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_SERVER(two_workers_execute_each_run_once),
        WITH_SERVER(a_failed_program_is_counted_as_failed),
        WITH_SERVER(a_run_is_not_repeated_after_a_server_crash),
        WITH_SERVER(a_cancelled_run_ends_as_cancelled),
        WITH_SERVER(output_becomes_the_result_and_the_log),
        WITH_SERVER(the_run_of_a_worker_that_dies_goes_to_another),
        WITH_SERVER(a_worker_that_continues_late_changes_nothing),
        WITH_SERVER(a_worker_returns_its_run_after_sigterm),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
