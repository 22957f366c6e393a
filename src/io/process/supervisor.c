/* SPDX-License-Identifier: Apache-2.0 */
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

struct keeper {
    struct exec_pack pack;
    int told;    /* where a refusal of the program's start comes in      */
    int deaths;  /* signalfd of SIGCHLD                                  */
    bool alone;  /* the pool's process is gone: nobody to report to      */
    bool ending; /* kill whatever is there                               */
    pid_t program;
    bool program_over;
    struct keeper_report report;
};

/* The order to run, with the descriptors in it; false when the pool gave up. */
static bool receive_run(int fds[KEEPER_FDS])
{
    union {
        struct cmsghdr head;
        char room[CMSG_SPACE(KEEPER_FDS * sizeof(int))];
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
    must(order == KEEPER_RUN && rights && rights->cmsg_type == SCM_RIGHTS);
    must(rights->cmsg_len == CMSG_LEN(KEEPER_FDS * sizeof(int)));
    memcpy(fds, CMSG_DATA(rights), KEEPER_FDS * sizeof(int));
    return true;
}

/* Signals to the keeper itself mean nothing: it ends when its program has, or its pool. */
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

static struct keeper_refusal start(struct keeper *keeper, const int fds[KEEPER_FDS])
{
    struct keeper_person person;
    struct keeper_refusal refusal = keeper_find_person(&keeper->pack, &person);
    pid_t self = getpid();
    int tell[2];

    if (refusal.stage != KEEPER_STARTED)
        return refusal;
    if (pipe2(tell, O_CLOEXEC | O_NONBLOCK) != 0)
        return (struct keeper_refusal){KEEPER_PROCESS, errno};
    keeper->told = tell[0];
    keeper->program = fork();
    if (keeper->program == 0)
        keeper_become(&keeper->pack, &person, fds, tell[1], self);
    if (keeper->program < 0)
        refusal = (struct keeper_refusal){KEEPER_PROCESS, errno};
    close(tell[1]);
    return refusal;
}

static void obey(struct keeper *keeper)
{
    char order;
    ssize_t got = recv(CONTROL, &order, 1, MSG_DONTWAIT);

    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0)
        keeper->alone = keeper->ending = true;
    else if (order == KEEPER_KILL)
        keeper->ending = true;
    else if (!keeper->program_over && kill(-keeper->program, SIGTERM) == 0)
        (void)kill(-keeper->program, SIGCONT); /* what is stopped cannot end */
    else if (!keeper->program_over)
        (void)kill(keeper->program, SIGTERM); /* not yet in its own session */
}

static void kill_one(pid_t child, void *with)
{
    (void)with;
    children_kill(child);
}

/* Waits for all that are dead; false when no child is left. */
static bool reap(struct keeper *keeper)
{
    int status;
    pid_t child;

    while ((child = waitpid(-1, &status, WNOHANG)) > 0) {
        if (child == keeper->program) {
            keeper->program_over = keeper->ending = true;
            keeper->report.status = status;
        } else if (keeper->ending && WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL) {
            keeper->report.strays++;
        }
    }
    return child == 0;
}

/*
 * One round for each event.  The children of whoever dies come to us, and that death is an
 * event: so killing our own children, round by round, ends every descendant.
 */
static void keep(struct keeper *keeper)
{
    struct signalfd_siginfo death;

    while (reap(keeper)) {
        struct pollfd events[] = {
            {.fd = keeper->deaths, .events = POLLIN},
            {.fd = keeper->alone ? -1 : CONTROL, .events = POLLIN},
        };

        if (keeper->ending)
            must(children_each(kill_one, NULL));
        must(poll(events, 2, -1) > 0 || errno == EINTR);
        while (read(keeper->deaths, &death, sizeof death) > 0)
            continue;
        if (events[1].revents != 0)
            obey(keeper);
    }
}

/* `refusal` is the keeper's own; the program's would come by the pipe. */
static void report(struct keeper *keeper, struct keeper_refusal refusal)
{
    struct keeper_report *report = &keeper->report;
    struct rusage used;

    if (keeper->told >= 0)
        (void)!read(keeper->told, &refusal, sizeof refusal); /* nothing when it was started */
    if (refusal.stage != KEEPER_STARTED)
        keeper_explain(&keeper->pack, refusal, &report->refused);
    must(getrusage(RUSAGE_CHILDREN, &used) == 0);
    report->user_us = used.ru_utime.tv_sec * SPAN_S + used.ru_utime.tv_usec;
    report->system_us = used.ru_stime.tv_sec * SPAN_S + used.ru_stime.tv_usec;
    report->max_rss = (int64_t)used.ru_maxrss * 1024;
    (void)send(CONTROL, report, sizeof *report, MSG_NOSIGNAL);
}

void keeper_main(void)
{
    struct keeper keeper = {.told = -1, .program = -1};
    struct keeper_refusal refusal;
    int fds[KEEPER_FDS];

    prctl(PR_SET_NAME, KEEPER_NAME, 0, 0, 0);
    must(chdir("/") == 0);
    must(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0);
    keeper.deaths = block_signals();
    if (!receive_run(fds))
        _exit(0);
    keeper.pack = exec_unpack(fds[KEEPER_REQUEST]);
    refusal = start(&keeper, fds);
    for (int i = 0; i < KEEPER_FDS; i++)
        close(fds[i]);
    keep(&keeper);
    report(&keeper, refusal);
    _exit(0);
}
