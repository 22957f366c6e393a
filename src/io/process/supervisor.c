/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The supervisor process: starts its program, obeys orders, kills all descendants, reports.
 */
#include "io/process/supervisor.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/instant.h"
#include "base/must.h"
#include "io/process/children.h"
#include "io/process/supervisor_start.h"

enum { CONTROL = 0 };

struct supervisor {
    struct exec_pack pack;
    int error_pipe; /* pipe on which a failed start is reported */
    int deaths;     /* signalfd of SIGCHLD */
    bool is_orphan; /* the pool's process is dead: there is no receiver for a report */
    bool ending;    /* kill all children */
    pid_t program;
    bool program_over;
    struct supervisor_report report;
};

/* Reads the order to run with its descriptors; false if the pool gave up. */
static bool receive_run(int fds[SUPERVISOR_FDS])
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(SUPERVISOR_FDS * sizeof(int))];
    } control;
    char order = 0;
    struct iovec bytes = {&order, 1};
    struct msghdr message = {
        .msg_iov = &bytes,
        .msg_iovlen = 1,
        .msg_control = control.room,
        .msg_controllen = sizeof control.room,
    };
    const struct cmsghdr *rights;

    if (recvmsg(CONTROL, &message, MSG_CMSG_CLOEXEC) != 1)
        return false;
    rights = CMSG_FIRSTHDR(&message);
    must(order == SUPERVISOR_RUN && rights && rights->cmsg_type == SCM_RIGHTS);
    must(rights->cmsg_len == CMSG_LEN(SUPERVISOR_FDS * sizeof(int)));
    memcpy(fds, CMSG_DATA(rights), SUPERVISOR_FDS * sizeof(int));
    return true;
}

/* Signals to the supervisor itself are ignored: it ends with its program or its pool. */
static int block_signals(void)
{
    sigset_t set;
    int fd;

    sigfillset(&set);
    must(sigprocmask(SIG_SETMASK, &set, NULL) == 0);
    sigemptyset(&set);
    sigaddset(&set, SIGCHLD);
    fd = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
    must(fd >= 0);
    return fd;
}

static struct supervisor_error start_program(struct supervisor *supervisor,
                                             const int fds[SUPERVISOR_FDS])
{
    struct supervisor_user identity;
    struct supervisor_error refusal = supervisor_find_user(&supervisor->pack, &identity);
    pid_t self = getpid();
    int error_pipe[2];

    if (refusal.stage != SUPERVISOR_STARTED)
        return refusal;
    if (pipe2(error_pipe, O_CLOEXEC | O_NONBLOCK) != 0)
        return (struct supervisor_error){SUPERVISOR_PROCESS, errno};
    supervisor->error_pipe = error_pipe[0];
    supervisor->program = fork();
    if (supervisor->program == 0)
        supervisor_become(&supervisor->pack, &identity, fds, error_pipe[1], self);
    if (supervisor->program < 0)
        refusal = (struct supervisor_error){SUPERVISOR_PROCESS, errno};
    close(error_pipe[1]);
    return refusal;
}

static void read_order(struct supervisor *supervisor)
{
    char order;
    ssize_t got = recv(CONTROL, &order, 1, MSG_DONTWAIT);

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0)
        supervisor->is_orphan = supervisor->ending = true;
    else if (order == SUPERVISOR_KILL)
        supervisor->ending = true;
    else if (!supervisor->program_over && kill(-supervisor->program, SIGTERM) == 0)
        (void)kill(-supervisor->program, SIGCONT); /* a stopped process cannot end */
    else if (!supervisor->program_over)
        (void)kill(supervisor->program, SIGTERM); /* not yet in its own session */
}

static void kill_child(pid_t child, void *arg)
{
    (void)arg;
    children_kill(child);
}

/* Waits for all dead children; false if no child is left. */
static bool reap_children(struct supervisor *supervisor)
{
    int status;
    pid_t child;

    while ((child = waitpid(-1, &status, WNOHANG)) > 0) {
        if (child == supervisor->program) {
            supervisor->program_over = supervisor->ending = true;
            supervisor->report.status = status;
        } else if (supervisor->ending && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
            supervisor->report.strays++;
        }
    }
    return child == 0;
}

/*
 * One round per event.  The children of a dead process become children of the supervisor, and
 * that death is an event: so killing its own children, round by round, ends every descendant.
 */
static void run_until_empty(struct supervisor *supervisor)
{
    struct signalfd_siginfo death;

    while (reap_children(supervisor)) {
        struct pollfd events[] = {
            {.fd = supervisor->deaths, .events = POLLIN},
            {.fd = supervisor->is_orphan ? -1 : CONTROL, .events = POLLIN},
        };

        if (supervisor->ending)
            must(children_each(kill_child, NULL));
        must(poll(events, 2, -1) > 0 || errno == EINTR);
        while (read(supervisor->deaths, &death, sizeof death) > 0)
            continue;
        if (events[1].revents != 0)
            read_order(supervisor);
    }
}

/* `refusal` is the supervisor's own error; the program's would arrive on the pipe. */
static void send_report(struct supervisor *supervisor, struct supervisor_error refusal)
{
    struct supervisor_report *report = &supervisor->report;
    struct rusage used;

    /* Reads nothing if it was started. */
    if (supervisor->error_pipe >= 0)
        (void)!read(supervisor->error_pipe, &refusal, sizeof refusal);
    if (refusal.stage != SUPERVISOR_STARTED)
        supervisor_explain(&supervisor->pack, refusal, &report->refused);
    must(getrusage(RUSAGE_CHILDREN, &used) == 0);
    report->user_us = used.ru_utime.tv_sec * SPAN_S + used.ru_utime.tv_usec;
    report->system_us = used.ru_stime.tv_sec * SPAN_S + used.ru_stime.tv_usec;
    report->max_rss = (int64_t)used.ru_maxrss * 1024;
    (void)send(CONTROL, report, sizeof *report, MSG_NOSIGNAL);
}

void supervisor_main(void)
{
    struct supervisor supervisor = {.error_pipe = -1, .program = -1};
    struct supervisor_error refusal;
    int fds[SUPERVISOR_FDS];

    prctl(PR_SET_NAME, SUPERVISOR_NAME, 0, 0, 0);
    must(chdir("/") == 0);
    must(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0);
    supervisor.deaths = block_signals();
    if (!receive_run(fds))
        _exit(0);
    exec_unpack(fds[SUPERVISOR_REQUEST], &supervisor.pack);
    refusal = start_program(&supervisor, fds);
    for (int i = 0; i < SUPERVISOR_FDS; i++)
        close(fds[i]);
    run_until_empty(&supervisor);
    send_report(&supervisor, refusal);
    _exit(0);
}
