/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts, watches and ends the servers of a test.
 */
#include "server.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "request.h"

enum { ARGS_MAX = 64, LOG_PIPE = 1 << 20, READ_AT_ONCE = 65536 };

struct command_line {
    const char *args[ARGS_MAX + 1];
    int count;
};

static void add(struct command_line *line, const char *word)
{
    assert_true(line->count < ARGS_MAX);
    line->args[line->count++] = word;
    line->args[line->count] = NULL;
}

static void add_all(struct command_line *line, const char *const *words)
{
    for (int i = 0; words && words[i]; i++)
        add(line, words[i]);
}

static void run(const struct command_line *args, const struct command_line *env, int log_fd)
{
    dup2(log_fd, STDERR_FILENO);
    dup2(log_fd, STDOUT_FILENO);
    execvpe(args->args[0], (char *const *)args->args, (char *const *)env->args);
    _exit(127);
}

/*
 * Reserves a port for a server and those that replace it: otherwise another program could get
 * it between the end of one server and the start of the next.  With SO_REUSEADDR a server can
 * listen on a port that another socket is bound to, but the kernel gives it to nobody else.
 */
static int reserve_port(uint16_t *ret_port)
{
    struct sockaddr_in here = {.sin_family = AF_INET};
    socklen_t len = sizeof here;
    const int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof on), 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&here, sizeof here), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&here, &len), 0);
    *ret_port = ntohs(here.sin_port);
    return fd;
}

struct server *server_spawn(struct world *world, const struct server_start *start)
{
    uint16_t port = start->port;
    struct server *d = calloc(1, sizeof *d);
    struct command_line args = {0}, env = {0};
    char listen[32], home[WORLD_PATH_MAX];
    int ends[2];

    assert_non_null(d);
    assert_true(world->server_count < WORLD_SERVERS_MAX);
    world->servers[world->server_count++] = d;
    d->world = world;
    d->port_fd = port == 0 && !start->is_bare ? reserve_port(&port) : -1;
    snprintf(listen, sizeof listen, "127.0.0.1:%u", port);
    snprintf(home, sizeof home, "HOME=%s", world->dir);
    add_all(&args, start->via);
    add(&args, world->program);
    add(&args, "serve");
    if (!start->is_bare)
        add_all(&args, WORDS("--db", world->url, "--listen", listen, "--grpc", "none"));
    add_all(&args, start->args);
    add(&env, "PATH=/usr/sbin:/usr/bin:/sbin:/bin");
    add(&env, home);
    add_all(&env, start->env);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    assert_true(fcntl(ends[0], F_SETPIPE_SZ, LOG_PIPE) > 0);
    d->log_fd = ends[0];
    d->pid = fork();
    assert_true(d->pid >= 0);
    if (d->pid == 0)
        run(&args, &env, ends[1]);
    close(ends[1]);
    return d;
}

/* ---- the log ---- */

/* Reads what has been logged, waiting up to `wait_ms`; false at the end of the log. */
static bool read_log(struct server *d, int wait_ms)
{
    struct pollfd ready = {.fd = d->log_fd, .events = POLLIN};
    ssize_t n;

    if (poll(&ready, 1, wait_ms) <= 0)
        return true;
    if (d->log_cap - d->log_len <= READ_AT_ONCE) {
        d->log_cap += 2 * READ_AT_ONCE;
        d->log = realloc(d->log, d->log_cap);
        assert_non_null(d->log);
    }
    n = read(d->log_fd, d->log + d->log_len, READ_AT_ONCE);
    if (n <= 0)
        return false;
    d->log_len += (size_t)n;
    d->log[d->log_len] = '\0';
    return true;
}

const char *server_await(struct server *d, const char *part)
{
    for (int tries = 0; tries < TRIES; tries++) {
        char *at = d->log ? strstr(d->log + d->log_seen, part) : NULL;
        char *end = at ? strchr(at, '\n') : NULL;

        if (end) {
            while (at > d->log && at[-1] != '\n')
                at--;
            d->log_seen = (size_t)(end - d->log);
            return at;
        }
        if (!read_log(d, PAUSE_MS))
            break;
    }
    fail_msg("it never logged `%s`:\n%s", part, d->log ? d->log : "");
    return NULL;
}

bool server_has_logged(struct server *d, const char *part)
{
    read_log(d, 0);
    return d->log && strstr(d->log, part);
}

/* ---- start and end ---- */

uint16_t server_port(struct server *d)
{
    const char *at = strstr(server_await(d, "msg=listening"), " port=");
    long port = at ? strtol(at + strlen(" port="), NULL, 10) : 0;

    assert_in_range(port, 1, UINT16_MAX);
    return (uint16_t)port;
}

struct server *server_start(struct world *world, const struct server_start *start)
{
    static const struct server_start plain;
    struct server *d = server_spawn(world, start ? start : &plain);

    d->port = server_port(d);
    server_await(d, "msg=ready");
    assert_int_equal(ask(d, "GET", "/readyz", NULL).status, 200);
    return d;
}

struct server *server_restart(struct server *former, const struct server_start *start)
{
    struct server_start again = start ? *start : (struct server_start){0};

    assert_int_equal(former->pid, 0);
    again.port = former->port;
    return server_start(former->world, &again);
}

void server_signal(const struct server *d, int signal)
{
    assert_true(d->pid > 0);
    assert_int_equal(kill(d->pid, signal), 0);
}

static void reap(struct server *d)
{
    int status;

    assert_int_equal(waitpid(d->pid, &status, 0), d->pid);
    d->status = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
    d->pid = 0;
}

/* The end of the server closes the log, unless a child process still holds it. */
int server_wait(struct server *d)
{
    siginfo_t info = {0};
    int tries = 0;

    while (waitid(P_PID, (id_t)d->pid, &info, WEXITED | WNOHANG | WNOWAIT) == 0 &&
           info.si_pid == 0 && tries++ < TRIES) {
        if (!read_log(d, PAUSE_MS))
            break;
    }
    if (tries >= TRIES)
        fail_msg("it does not end:\n%s", d->log ? d->log : "");
    while (read_log(d, 0) && tries++ < TRIES) {
        struct pollfd ready = {.fd = d->log_fd, .events = POLLIN};

        if (poll(&ready, 1, 0) <= 0)
            break;
    }
    reap(d);
    return d->status;
}

int server_stop(struct server *d)
{
    server_signal(d, SIGTERM);
    return server_wait(d);
}

void server_kill(struct server *d)
{
    server_signal(d, SIGKILL);
    reap(d);
}

void server_free(struct server *d)
{
    if (!d)
        return;
    if (d->pid > 0)
        server_kill(d);
    read_log(d, 0);
    if (getenv("BELFRY_E2E_LOGS"))
        fprintf(stderr, "%s", d->log ? d->log : "");
    close(d->log_fd);
    if (d->port_fd >= 0)
        close(d->port_fd);
    free(d->log);
    free(d);
}
