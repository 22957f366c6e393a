/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The raw HTTP client of client.h.
 */
#include "client.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

int client_socket(void)
{
    const struct timeval patience = {.tv_sec = PATIENCE / SPAN_S};
    const int on = 1;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &patience, sizeof patience), 0);
    assert_int_equal(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on), 0);
    return fd;
}

int client_connect_fd(int fd, uint16_t port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(port)};

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return connect(fd, (struct sockaddr *)&to, sizeof to);
}

int client_connect(const struct app *app)
{
    int fd = client_socket();

    assert_int_equal(client_connect_fd(fd, app->port), 0);
    return fd;
}

int client_connect_narrow(const struct app *app)
{
    const int little = 4096;
    int fd = client_socket();

    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &little, sizeof little), 0);
    assert_int_equal(client_connect_fd(fd, app->port), 0);
    return fd;
}

void client_send(int fd, struct str bytes)
{
    while (bytes.len > 0) {
        ssize_t n = send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);

        assert_true(n > 0);
        bytes = str_from(bytes, (size_t)n);
    }
}

void client_say(int fd, const char *text)
{
    client_send(fd, str_of(text));
}

void client_expect(int fd, const char *text)
{
    const char date[] = "Sun, 06 Nov 1994 08:49:37 GMT";
    char c;

    for (size_t i = 0; text[i] != '\0'; i++)
        for (size_t k = text[i] == '%' ? sizeof date - 1 : 1; k > 0; k--) {
            if (recv(fd, &c, 1, 0) != 1)
                fail_msg("closed before: %s", text + i);
            if (text[i] != '%' && c != text[i])
                fail_msg("'%c' instead of: %s", c, text + i);
        }
}

void client_expect_end(int fd)
{
    char c;

    assert_int_equal(recv(fd, &c, 1, 0), 0);
    close(fd);
}

void client_vanish(int fd)
{
    const struct linger hard = {.l_onoff = 1, .l_linger = 0};

    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_LINGER, &hard, sizeof hard), 0);
    close(fd);
}
