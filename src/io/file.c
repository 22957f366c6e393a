/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads small files, and protects the three standard descriptors.
 */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

static ssize_t read_all(int fd, char *bytes, size_t room)
{
    size_t len = 0;

    while (len < room) {
        ssize_t n = read(fd, bytes + len, room - len);

        if (n == 0)
            break;
        if (n > 0)
            len += (size_t)n;
        else if (errno != EINTR)
            return -1;
    }
    return (ssize_t)len;
}

ssize_t file_read_at(int dir, const char *name, void *bytes, size_t room)
{
    /* Without O_NONBLOCK a pipe would block until another process writes to it. */
    int fd = openat(dir, name, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    struct stat st;
    ssize_t len = -1;
    int cause;

    if (fd < 0)
        return -1;
    if (fstat(fd, &st) == 0) {
        if (S_ISREG(st.st_mode))
            len = read_all(fd, bytes, room);
        else
            errno = EISDIR;
    }
    cause = errno;
    close(fd);
    errno = cause;
    return len;
}

void file_fill_standard(void)
{
    /* open() returns the lowest free number, and the numbers are checked in order. */
    for (int fd = STDIN_FILENO; fd <= STDERR_FILENO; fd++)
        if (fcntl(fd, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
            return;
}
