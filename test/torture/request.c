/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A blocking HTTP/1.1 client.
 */
#include "request.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/must.h"
#include "io/clock.h"

enum { HEAD_MAX = 2048 };

static char answer_room[REQUEST_ANSWER_MAX];

/* One exchange under way. */
struct talk {
    int fd;
    int64_t until_us;
    size_t length; /* of what has arrived */
};

static bool wait_for(const struct talk *talk, short events)
{
    int64_t left = (talk->until_us - clock_boot_us()) / 1000;
    struct pollfd waiting = {.fd = talk->fd, .events = events};

    return left > 0 && poll(&waiting, 1, (int)left) == 1;
}

static bool send_all(const struct talk *talk, struct str bytes)
{
    while (bytes.len > 0) {
        ssize_t n = send(talk->fd, bytes.ptr, bytes.len, MSG_NOSIGNAL);

        if (n < 0 && errno == EAGAIN && wait_for(talk, POLLOUT))
            continue;
        if (n <= 0)
            return false;
        bytes = str_from(bytes, (size_t)n);
    }
    return true;
}

/* The value of a field of the head, in the first `length` bytes; false: it is missing. */
static bool find_field(size_t length, struct str name, struct str *ret)
{
    struct str head = {answer_room, length}, line, key;

    while (str_cut(head, '\n', &line, &head))
        if (str_cut(line, ':', &key, ret) && str_eq_nocase(key, name)) {
            while (ret->len > 0 && ret->ptr[ret->len - 1] == '\r')
                ret->len--;
            *ret = str_trim(*ret);
            return true;
        }
    return false;
}

/* The length of the whole answer, or 0 if it is unknown yet. */
static size_t whole_length(size_t length, size_t *ret_head)
{
    const char *end = memmem(answer_room, length, "\r\n\r\n", 4);
    struct str text;
    int64_t body = 0;

    if (!end)
        return 0;
    *ret_head = (size_t)(end - answer_room) + 4;
    if (find_field(*ret_head, STR("content-length"), &text) &&
        str_take_number(&text, REQUEST_ANSWER_MAX, &body) == 0)
        return 0;
    return *ret_head + (size_t)body;
}

static bool receive(struct talk *talk, size_t *ret_head)
{
    size_t whole = 0;

    while (whole == 0 || talk->length < whole) {
        ssize_t n = recv(talk->fd, answer_room + talk->length,
                         sizeof answer_room - talk->length, 0);

        if (n < 0 && errno == EAGAIN && wait_for(talk, POLLIN))
            continue;
        if (n <= 0)
            return false;
        talk->length += (size_t)n;
        whole = whole_length(talk->length, ret_head);
    }
    return true;
}

static void read_answer(const struct talk *talk, size_t head, struct request_answer *ret)
{
    struct str line = {answer_room, head}, etag;
    int64_t status = 0;

    *ret = (struct request_answer){.body = {answer_room + head, talk->length - head}};
    if (line.len > 12) {
        line = str_from(line, 9); /* after HTTP/1.1 */
        (void)str_take_number(&line, 999, &status);
    }
    ret->status = (int)status;
    if (find_field(head, STR("etag"), &etag) && etag.len > 2 && etag.len - 1 < REQUEST_ETAG_MAX)
        memcpy(ret->etag, etag.ptr + 1, etag.len - 2);
}

static struct str write_head(const struct request *ask, char *room, size_t size)
{
    char key[160] = "", match[64] = "";
    int length;

    if (ask->key)
        snprintf(key, sizeof key, "Idempotency-Key: %s\r\n", ask->key);
    if (ask->if_match)
        snprintf(match, sizeof match, "If-Match: \"%s\"\r\n", ask->if_match);
    length = snprintf(room, size,
                      "%s %s HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nConnection: close\r\n%s%s"
                      "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
                      ask->method, ask->path, (int)ask->port, key, match, ask->body.len);
    must(length > 0 && (size_t)length < size);
    return (struct str){room, (size_t)length};
}

static enum request_end exchange(const struct request *ask, struct talk *talk,
                                 struct request_answer *ret)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(ask->port),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    char room[HEAD_MAX];
    size_t head = 0;
    int failed = 0;
    socklen_t size = sizeof failed;

    if (connect(talk->fd, (struct sockaddr *)&to, sizeof to) != 0 && errno != EINPROGRESS)
        return REQUEST_REFUSED;
    if (!wait_for(talk, POLLOUT) ||
        getsockopt(talk->fd, SOL_SOCKET, SO_ERROR, &failed, &size) != 0 || failed != 0)
        return REQUEST_REFUSED;
    if (!send_all(talk, write_head(ask, room, sizeof room)) || !send_all(talk, ask->body) ||
        !receive(talk, &head))
        return REQUEST_LOST;
    read_answer(talk, head, ret);
    return ret->status >= 200 ? REQUEST_ANSWERED : REQUEST_LOST;
}

enum request_end request_do(const struct request *ask, struct request_answer *ret)
{
    struct talk talk = {
        .fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0),
        .until_us = clock_boot_us() + (int64_t)ask->patience_ms * 1000,
    };
    enum request_end end;

    must(talk.fd >= 0);
    end = exchange(ask, &talk, ret);
    close(talk.fd);
    return end;
}

void request_nap(int ms)
{
    (void)poll(NULL, 0, ms);
}
