/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Receives and answers the HTTP requests of actions.
 */
#include "peers/receiver.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

enum { BACKLOG = 256, FIELD_MAX = 1024 };

void receiver_open(struct receiver *receiver)
{
    struct sockaddr_in here = {.sin_family = AF_INET};
    socklen_t len = sizeof here;
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    here.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_true(fd >= 0);
    assert_int_equal(bind(fd, (struct sockaddr *)&here, sizeof here), 0);
    assert_int_equal(listen(fd, BACKLOG), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)&here, &len), 0);
    *receiver = (struct receiver){.fd = fd, .port = ntohs(here.sin_port)};
}

void receiver_close(struct receiver *receiver)
{
    close(receiver->fd);
}

static bool is_readable(int fd, int wait_ms)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};

    return poll(&ready, 1, wait_ms) > 0;
}

bool receiver_has(const struct receiver *receiver)
{
    return is_readable(receiver->fd, 0);
}

/* The Content-Length, once the head is complete; -1 before. */
static long body_length(struct received_request *request)
{
    char *end = strstr(request->text, "\r\n\r\n");
    const char *field = strcasestr(request->text, "\r\ncontent-length:");

    if (!end)
        return -1;
    request->body = end + 4;
    return field && field < end ? strtol(field + strlen("\r\ncontent-length:"), NULL, 10) : 0;
}

void receiver_take(struct receiver *receiver, struct received_request *ret)
{
    size_t len = 0;
    long body = -1;

    if (!is_readable(receiver->fd, PATIENCE_MS))
        fail_msg("no request arrived");
    ret->fd = accept4(receiver->fd, NULL, NULL, SOCK_CLOEXEC);
    assert_true(ret->fd >= 0);
    ret->text[0] = '\0';
    while (body < 0 || len < (size_t)(ret->body - ret->text) + (size_t)body) {
        ssize_t n;

        assert_true(is_readable(ret->fd, PATIENCE_MS));
        n = recv(ret->fd, ret->text + len, sizeof ret->text - 1 - len, 0);
        assert_true(n > 0);
        len += (size_t)n;
        ret->text[len] = '\0';
        body = body_length(ret);
    }
    ret->body[-2] = '\0'; /* terminates the head after the line break of its last line */
}

void receiver_answer(struct received_request *request, const char *status, const char *body)
{
    char text[RECEIVED_MAX];
    int len = snprintf(text, sizeof text,
                       "HTTP/1.1 %s\r\nContent-Type: application/json\r\n"
                       "Content-Length: %zu\r\nConnection: close\r\n\r\n%s",
                       status, strlen(body), body);

    assert_in_range(len, 1, (int)sizeof text - 1);
    /* The caller may have closed the connection. */
    (void)!send(request->fd, text, (size_t)len, MSG_NOSIGNAL);
    close(request->fd);
}

const char *received_field(const struct received_request *request, const char *name)
{
    static char value[FIELD_MAX];
    char line[FIELD_MAX];
    const char *at;

    snprintf(line, sizeof line, "\r\n%s:", name);
    at = strcasestr(request->text, line);
    if (!at)
        fail_msg("no %s in\n%s", name, request->text);
    at += strlen(line);
    at += strspn(at, " ");
    snprintf(value, sizeof value, "%.*s", (int)strcspn(at, "\r"), at);
    return value;
}
