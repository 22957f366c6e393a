/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deadlines by timerfd.
 */
#include "db/deadline.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/must.h"

enum rc deadline_open(int ms, struct deadline *ret, struct err *reterr)
{
    int fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);

    must(ms > 0);
    if (fd < 0)
        return err_set(reterr, RC_BUSY, -1, 0,
                       "no timer for the database connection (%s); raise the limit of open "
                       "files (ulimit -n)",
                       strerror(errno));
    *ret = (struct deadline){.fd = fd, .ms = ms};
    return RC_OK;
}

void deadline_close(struct deadline *deadline)
{
    if (deadline->fd >= 0)
        close(deadline->fd);
    deadline->fd = -1;
}

void deadline_start(struct deadline *deadline)
{
    const struct itimerspec when = {
        .it_value = {.tv_sec = deadline->ms / 1000,
                     .tv_nsec = (long)(deadline->ms % 1000) * 1000000},
    };

    must(timerfd_settime(deadline->fd, 0, &when, NULL) == 0);
    deadline->starts_at_check = false;
}

void deadline_start_at_check(struct deadline *deadline)
{
    deadline->starts_at_check = true;
}

bool deadline_is_over(struct deadline *deadline)
{
    struct pollfd timer = {.fd = deadline->fd, .events = POLLIN};

    if (deadline->starts_at_check)
        deadline_start(deadline);
    return poll(&timer, 1, 0) == 1;
}
