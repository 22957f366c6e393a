/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts, watches and kills server processes.
 */
#include "prey.h"

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

void prey_take_port(struct prey *prey, struct prng *prng)
{
    prey->hold = -1;
    for (int tries = 0; prey->hold < 0 && tries < PORT_TRIES; tries++) {
        int probe;

        prey->port = (uint16_t)prng_between(prng, PORT_LOW, PORT_HIGH);
        probe = bind_port(prey->port, 0);
        if (probe < 0)
            continue;
        close(probe);
        prey->hold = bind_port(prey->port, 1);
    }
    must(prey->hold >= 0);
}

void prey_let_go(struct prey *prey)
{
    close(prey->hold);
    prey->hold = -1;
}

static void set(const char *name, const char *value)
{
    must(setenv(name, value, 1) == 0);
}

static _Noreturn void become(const struct prey *prey, const char *doom, pid_t parent)
{
    char text[PATH_BYTES];
    int log;

    must(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    snprintf(text, sizeof text, "%s/victim-%d.log", prey->dir, (int)prey->port);
    log = open(text, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    must(log >= 0 && dup2(log, STDOUT_FILENO) >= 0 && dup2(log, STDERR_FILENO) >= 0);
    snprintf(text, sizeof text, "127.0.0.1:%d", (int)prey->port);
    must(clearenv() == 0);
    set("BELFRY_LISTEN", text);
    set("BELFRY_GRPC", "none");
    set("BELFRY_DB", prey->url);
    set("BELFRY_STATE_DIR", prey->dir);
    set("BELFRY_HTTP_ALLOW_PRIVATE", "true");
    set("BELFRY_NODE_LEASE", "2s");
    set("BELFRY_DRAIN", "5s");
    set("BELFRY_RATE_READ", "0");
    set("BELFRY_RATE_WRITE", "0");
    if (doom)
        set("BELFRY_VICTIM", doom);
    execl(prey->program, prey->program, (char *)NULL);
    _exit(127);
}

void prey_start(struct prey *prey, const char *doom)
{
    pid_t parent = getpid();

    must(prey->pid == 0);
    prey->pid = fork();
    must(prey->pid >= 0);
    if (prey->pid == 0)
        become(prey, doom, parent);
}

static bool is_ready(const struct prey *prey)
{
    struct request_answer answer;

    return request_do(&(struct request){.port = prey->port,
                                        .method = "GET",
                                        .path = "/readyz",
                                        .patience_ms = READY_MS},
                      &answer) == REQUEST_ANSWERED &&
           answer.status == 200;
}

bool prey_await_ready(struct prey *prey, int ms)
{
    int64_t until = clock_boot_us() + (int64_t)ms * 1000;
    int status;

    while (clock_boot_us() < until) {
        if (is_ready(prey))
            return true;
        if (prey_await_end(prey, NAP_MS, &status))
            return false;
    }
    return false;
}

bool prey_await_end(struct prey *prey, int ms, int *ret)
{
    int64_t until = clock_boot_us() + (int64_t)ms * 1000;

    while (prey->pid > 0 && waitpid(prey->pid, ret, WNOHANG) == 0) {
        if (clock_boot_us() >= until)
            return false;
        request_nap(NAP_MS);
    }
    prey->pid = 0;
    return true;
}

void prey_kill(struct prey *prey)
{
    int status;

    if (prey->pid == 0)
        return;
    must(kill(prey->pid, SIGKILL) == 0);
    must(waitpid(prey->pid, &status, 0) == prey->pid);
    prey->pid = 0;
}
