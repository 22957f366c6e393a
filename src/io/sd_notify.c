/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The protocol of systemd's sd_notify(3), without its library.
 */
#include "io/sd_notify.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/str.h"

enum { WATCHDOG_MAX_S = 86400 }; /* a longer period is not a watchdog */

bool sd_notify_say(const char *words)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    const char *path = getenv("NOTIFY_SOCKET");
    size_t len = path ? strlen(path) : 0;
    ssize_t sent;
    int fd;

    if (len < 2 || len >= sizeof address.sun_path || (path[0] != '/' && path[0] != '@'))
        return false;
    fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return false;
    memcpy(address.sun_path, path, len);
    if (path[0] == '@')
        address.sun_path[0] = '\0'; /* an abstract socket */
    sent = sendto(fd, words, strlen(words), MSG_NOSIGNAL | MSG_DONTWAIT,
                  (const struct sockaddr *)&address,
                  (socklen_t)(offsetof(struct sockaddr_un, sun_path) + len));
    close(fd);
    return sent >= 0;
}

/* False unless the variable is a whole number of at most `max`. */
static bool read_number(const char *name, int64_t max, int64_t *ret)
{
    struct str text = str_of(getenv(name));
    int64_t value = 0;

    if (str_take_number(&text, max, &value) == 0 || text.len > 0 || value > max)
        return false;
    *ret = value;
    return true;
}

span sd_notify_watchdog(void)
{
    int64_t pid, period;

    if (!read_number("WATCHDOG_USEC", WATCHDOG_MAX_S * SPAN_S, &period))
        return 0;
    if (getenv("WATCHDOG_PID") &&
        (!read_number("WATCHDOG_PID", INT32_MAX, &pid) || pid != getpid()))
        return 0;
    return period;
}
