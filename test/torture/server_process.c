/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts, watches and kills server processes.
 */
#include "server_process.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/must.h"
#include "io/clock.h"
#include "request.h"

enum {
    NAP_MS = 3,
    READY_MS = 2000,
    PATH_BYTES = 256,
    PORT_LOW = 12000,
    PORT_HIGH = 31999,
    PORT_TRIES = 1000,
};

/* A bound socket that does not listen; -1: the port is not available. */
static int bind_port(uint16_t port, int shared)
{
    struct sockaddr_in at = {.sin_family = AF_INET,
                             .sin_port = htons(port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    must(fd >= 0);
    must(setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &shared, sizeof shared) == 0);
    if (bind(fd, (struct sockaddr *)&at, sizeof at) == 0)
        return fd;
    close(fd);
    return -1;
}

void server_process_take_port(struct server_process *server, struct prng *prng)
{
    server->hold = -1;
    for (int tries = 0; server->hold < 0 && tries < PORT_TRIES; tries++) {
        int probe;

        server->port = (uint16_t)prng_between(prng, PORT_LOW, PORT_HIGH);
        probe = bind_port(server->port, 0);
        if (probe < 0)
            continue;
        close(probe);
        server->hold = bind_port(server->port, 1);
    }
    must(server->hold >= 0);
}

void server_process_release_port(struct server_process *server)
{
    close(server->hold);
    server->hold = -1;
}

static void set(const char *name, const char *value)
{
    must(setenv(name, value, 1) == 0);
}

static _Noreturn void become(const struct server_process *server, const char *kill_point,
                             pid_t parent)
{
    char text[PATH_BYTES];
    int log;

    must(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    snprintf(text, sizeof text, "%s/victim-%d.log", server->dir, (int)server->port);
    log = open(text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    must(log >= 0 && dup2(log, STDOUT_FILENO) >= 0 && dup2(log, STDERR_FILENO) >= 0);
    snprintf(text, sizeof text, "127.0.0.1:%d", (int)server->port);
    must(clearenv() == 0);
    set("BELFRY_LISTEN", text);
    set("BELFRY_GRPC", "none");
    set("BELFRY_DB", server->url);
    set("BELFRY_STATE_DIR", server->dir);
    set("BELFRY_HTTP_ALLOW_PRIVATE", "true");
    set("BELFRY_NODE_LEASE", "2s");
    set("BELFRY_DRAIN", "5s");
    set("BELFRY_RATE_READ", "0");
    set("BELFRY_RATE_WRITE", "0");
    if (kill_point)
        set("BELFRY_VICTIM", kill_point);
    execl(server->program, server->program, (char *)NULL);
    _exit(127);
}

void server_process_start(struct server_process *server, const char *kill_point)
{
    pid_t parent = getpid();

    must(server->pid == 0);
    server->pid = fork();
    must(server->pid >= 0);
    if (server->pid == 0)
        become(server, kill_point, parent);
}

static bool is_ready(const struct server_process *server)
{
    struct request_answer answer;

    return request_do(&(struct request){.port = server->port,
                                        .method = "GET",
                                        .path = "/readyz",
                                        .patience_ms = READY_MS},
                      &answer) == REQUEST_ANSWERED &&
           answer.status == 200;
}

bool server_process_await_ready(struct server_process *server, int ms)
{
    int64_t until = clock_boot_us() + (int64_t)ms * 1000;
    int status;

    while (clock_boot_us() < until) {
        if (is_ready(server))
            return true;
        if (server_process_await_end(server, NAP_MS, &status))
            return false;
    }
    return false;
}

bool server_process_await_end(struct server_process *server, int ms, int *ret)
{
    int64_t until = clock_boot_us() + (int64_t)ms * 1000;

    while (server->pid > 0 && waitpid(server->pid, ret, WNOHANG) == 0) {
        if (clock_boot_us() >= until)
            return false;
        request_nap(NAP_MS);
    }
    server->pid = 0;
    return true;
}

void server_process_kill(struct server_process *server)
{
    int status;

    if (server->pid == 0)
        return;
    must(kill(server->pid, SIGKILL) == 0);
    must(waitpid(server->pid, &status, 0) == server->pid);
    server->pid = 0;
}
