/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of `belfry serve` on a terminal: it prints its address, how to stop it, and what to do
 * if it does not start.
 */
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>

#include "request.h"

enum { SCREEN_MAX = 65536, ARGS_MAX = 16 };

struct terminal {
    int fd;
    pid_t pid;
    char screen[SCREEN_MAX];
    size_t len;
};

static void open_terminal(struct world *w, const char *const *args, struct terminal *ret)
{
    const char *argv[ARGS_MAX] = {"belfry", "serve", "--grpc", "none"};
    int count = 4;

    for (int i = 0; args[i]; i++) {
        assert_true(count < ARGS_MAX - 1);
        argv[count++] = args[i];
    }
    memset(ret, 0, sizeof *ret);
    ret->pid = forkpty(&ret->fd, NULL, NULL, NULL);
    assert_true(ret->pid >= 0);
    if (ret->pid == 0) {
        execv(w->program, (char *const *)argv);
        _exit(127);
    }
}

/* False once the program has closed the terminal. */
static bool look(struct terminal *t)
{
    struct pollfd ready = {.fd = t->fd, .events = POLLIN};
    ssize_t n;

    if (poll(&ready, 1, PAUSE_MS) <= 0)
        return true;
    n = read(t->fd, t->screen + t->len, SCREEN_MAX - 1 - t->len);
    if (n > 0)
        t->len += (size_t)n;
    return n > 0;
}

static void await(struct terminal *t, const char *part)
{
    for (int tries = 0; tries < TRIES && !strstr(t->screen, part); tries++)
        if (!look(t))
            break;
    if (!strstr(t->screen, part))
        fail_msg("it never showed `%s`:\n%s", part, t->screen);
}

/* Waits until it ends; returns its status. */
static int close_terminal(struct terminal *t)
{
    int status, tries = 0;

    while (look(t) && ++tries < TRIES)
        ;
    if (tries == TRIES)
        kill(t->pid, SIGKILL);
    assert_int_equal(waitpid(t->pid, &status, 0), t->pid);
    close(t->fd);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void a_terminal_shows_the_address_and_ctrl_c_stops(void **state)
{
    struct world *w = *state;
    struct terminal t;

    open_terminal(w, WORDS("--db", w->url, "--listen", "127.0.0.1:0"), &t);
    await(&t, "is ready on http://127.0.0.1:");
    await(&t, w->url);
    await(&t, "Ctrl-C");
    assert_int_equal(write(t.fd, "\003", 1), 1);
    await(&t, "msg=draining");
    assert_int_equal(close_terminal(&t), 0);
    assert_non_null(strstr(t.screen, "msg=stopped status=0"));
}

static void without_a_terminal_only_log_lines_are_printed(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, NULL);

    assert_true(server_has_logged(d, w->url)); /* in the line that it is ready */
    assert_int_equal(server_stop(d), 0);
    assert_null(strstr(d->log, "Ctrl-C"));
    assert_null(strstr(d->log, "\n\n"));
}

static void a_port_or_file_in_use_is_reported_with_advice(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, NULL);
    char port[32], other[WORLD_PATH_MAX + 8], pid[32];
    struct terminal t;

    snprintf(port, sizeof port, "127.0.0.1:%u", d->port);
    snprintf(other, sizeof other, "sqlite:%s", world_path(w, "other.db"));
    open_terminal(w, WORDS("--db", other, "--listen", port), &t);
    assert_int_equal(close_terminal(&t), 1);
    assert_non_null(
        strstr(t.screen, "address already in use; stop the program that uses it, or choose"));
    snprintf(pid, sizeof pid, "in use by process %d;", (int)d->pid);
    open_terminal(w, WORDS("--db", w->url, "--listen", "127.0.0.1:0"), &t);
    assert_int_equal(close_terminal(&t), 1);
    assert_non_null(strstr(t.screen, pid));
    assert_null(strstr(t.screen, "is ready"));
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(a_terminal_shows_the_address_and_ctrl_c_stops),
        E2E_TEST(without_a_terminal_only_log_lines_are_printed),
        E2E_TEST(a_port_or_file_in_use_is_reported_with_advice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
