/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Starts a supervisor process with its pipes and socket.
 */
#include "io/process/exec_spawn.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <string.h>
#include <sys/pidfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/must.h"
#include "io/process/exec_pack.h"

/* The supervisor's ends of pipes and socket. */
struct far_ends {
    int fds[SUPERVISOR_FDS];
    int socket;
};

static void close_all(int *fds, int count)
{
    for (int i = 0; i < count; i++)
        if (fds[i] >= 0)
            close(fds[i]);
}

static void close_far(struct far_ends *far)
{
    close_all(far->fds, SUPERVISOR_FDS);
    close_all(&far->socket, 1);
}

static void close_near(struct exec_spawned *near)
{
    close_all(near->out, EXEC_STREAMS);
    close_all(&near->pidfd, 1);
    close_all(&near->socket, 1);
}

/* Only the server's end is non-blocking: programs do not expect it of theirs. */
static bool open_pipe(int *ret_near, int *ret_far)
{
    int ends[2];

    if (pipe2(ends, O_CLOEXEC) != 0)
        return false;
    *ret_near = ends[0];
    *ret_far = ends[1];
    return fcntl(ends[0], F_SETFL, O_NONBLOCK) == 0;
}

static bool open_sockets(int *ret_near, int *ret_far)
{
    int ends[2];

    if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
        return false;
    *ret_near = ends[0];
    *ret_far = ends[1];
    return true;
}

/* Input is a file: a program that does not read all of it blocks nothing. */
static int open_input(struct str input)
{
    if (input.len == 0)
        return open("/dev/null", O_RDONLY | O_CLOEXEC);
    return exec_memory_file("belfry-input", input);
}

static bool open_ends(const struct exec_request *request, struct exec_spawned *near,
                      struct far_ends *far)
{
    int *fds = far->fds;

    return (fds[SUPERVISOR_REQUEST] = exec_pack(request)) >= 0 &&
           (fds[SUPERVISOR_STDIN] = open_input(request->input)) >= 0 &&
           open_pipe(&near->out[EXEC_STDOUT], &fds[SUPERVISOR_STDOUT]) &&
           open_pipe(&near->out[EXEC_STDERR], &fds[SUPERVISOR_STDERR]) &&
           open_sockets(&near->socket, &far->socket);
}

/* The order to run waits in the socket until the supervisor reads it. */
static bool send_run(int socket, const int fds[SUPERVISOR_FDS])
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(SUPERVISOR_FDS * sizeof(int))];
    } control = {0};
    char order = SUPERVISOR_RUN;
    struct iovec bytes = {&order, 1};
    struct msghdr message = {
        .msg_iov = &bytes,
        .msg_iovlen = 1,
        .msg_control = control.room,
        .msg_controllen = sizeof control.room,
    };
    struct cmsghdr *rights = CMSG_FIRSTHDR(&message);

    rights->cmsg_level = SOL_SOCKET;
    rights->cmsg_type = SCM_RIGHTS;
    rights->cmsg_len = CMSG_LEN(SUPERVISOR_FDS * sizeof(int));
    memcpy(CMSG_DATA(rights), fds, SUPERVISOR_FDS * sizeof(int));
    return sendmsg(socket, &message, MSG_NOSIGNAL | MSG_DONTWAIT) == 1;
}

/*
 * posix_spawn() shares memory until the exec, for any size of the process, and runs no
 * code of ours in the child.  The supervisor's own session keeps a terminal's signals away from
 * it.
 */
static int spawn_supervisor(int socket, pid_t *ret)
{
    static char name[] = SUPERVISOR_NAME;
    char *argv[] = {name, NULL}, *env[] = {NULL};
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    sigset_t all, none;
    int error;

    sigfillset(&all);
    sigemptyset(&none);
    must(posix_spawn_file_actions_init(&files) == 0);
    must(posix_spawn_file_actions_adddup2(&files, socket, 0) == 0);
    must(posix_spawn_file_actions_addopen(&files, 1, "/dev/null", O_WRONLY, 0) == 0);
    must(posix_spawn_file_actions_addopen(&files, 2, "/dev/null", O_WRONLY, 0) == 0);
    must(posix_spawn_file_actions_addclosefrom_np(&files, 3) == 0);
    must(posix_spawnattr_init(&attributes) == 0);
    must(posix_spawnattr_setsigdefault(&attributes, &all) == 0);
    must(posix_spawnattr_setsigmask(&attributes, &none) == 0);
    must(posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSID | POSIX_SPAWN_SETSIGDEF |
                                                   POSIX_SPAWN_SETSIGMASK) == 0);
    error = posix_spawn(ret, "/proc/self/exe", &files, &attributes, argv, env);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return error;
}

/*
 * A supervisor that cannot be watched or sent its order is killed: it has not begun anything
 * yet.
 */
static bool spawn_watched(struct exec_spawned *near, const struct far_ends *far)
{
    int failure = spawn_supervisor(far->socket, &near->pid);

    if (failure == 0) {
        near->pidfd = pidfd_open(near->pid, 0);
        if (near->pidfd >= 0 && send_run(near->socket, far->fds))
            return true;
        failure = errno;
        (void)kill(near->pid, SIGKILL);
        must(waitpid(near->pid, NULL, 0) == near->pid);
    }
    errno = failure;
    return false;
}

bool exec_spawn(const struct exec_request *request, struct exec_spawned *ret)
{
    struct exec_spawned near = {.pidfd = -1, .socket = -1, .out = {-1, -1}};
    struct far_ends far = {.fds = {-1, -1, -1, -1}, .socket = -1};
    bool is_running = open_ends(request, &near, &far) && spawn_watched(&near, &far);
    int failure = errno;

    close_far(&far);
    if (is_running)
        *ret = near;
    else
        close_near(&near);
    errno = failure;
    return is_running;
}

void exec_spawned_order(const struct exec_spawned *supervisor, enum supervisor_order order)
{
    char byte = (char)order;

    if (supervisor->pid == 0)
        return;
    (void)pidfd_send_signal(supervisor->pidfd, SIGCONT, NULL, 0);
    (void)send(supervisor->socket, &byte, 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

bool exec_spawned_reap(struct exec_spawned *supervisor, struct supervisor_report *ret)
{
    struct supervisor_report report;
    bool has_report = recv(supervisor->socket, &report, sizeof report, MSG_DONTWAIT) ==
                      (ssize_t)sizeof report;

    must(waitpid(supervisor->pid, NULL, 0) == supervisor->pid);
    close(supervisor->pidfd);
    close(supervisor->socket);
    supervisor->pid = 0;
    if (has_report)
        *ret = report;
    return has_report;
}
