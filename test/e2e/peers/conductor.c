/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The upstream of conductor.h.
 */
#include "peers/conductor.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/must.h"

enum { HEAD_MAX = 64 * 1024, PIECE = 16 * 1024, LARGE_HEAD = 40 * 1024 };

/* One connection: bytes that have arrived and were not used. */
struct peer {
    struct conductor *up;
    int fd;
    char in[HEAD_MAX + 1];
    size_t len;
    bool is_head; /* the last request */
};

/* ---- records ---- */

static void note(struct conductor *up, const char *bytes, size_t len)
{
    pthread_mutex_lock(&up->mutex);
    if (len > CONDUCTOR_SEEN_MAX - up->seen_len)
        len = CONDUCTOR_SEEN_MAX - up->seen_len;
    memcpy(up->seen + up->seen_len, bytes, len);
    up->seen_len += len;
    pthread_mutex_unlock(&up->mutex);
}

static void count(struct conductor *up, int *number, int change)
{
    pthread_mutex_lock(&up->mutex);
    *number += change;
    pthread_mutex_unlock(&up->mutex);
}

static int read_number(struct conductor *up, const int *number)
{
    int n;

    pthread_mutex_lock(&up->mutex);
    n = *number;
    pthread_mutex_unlock(&up->mutex);
    return n;
}

/* ---- requests ---- */

/* Reads more; false at the end of the connection. */
static bool receive(struct peer *p)
{
    ssize_t n = p->len < HEAD_MAX ? recv(p->fd, p->in + p->len, HEAD_MAX - p->len, 0) : 0;

    if (n <= 0)
        return false;
    note(p->up, p->in + p->len, (size_t)n);
    p->len += (size_t)n;
    p->in[p->len] = '\0';
    return true;
}

static void forget(struct peer *p, size_t n)
{
    memmove(p->in, p->in + n, p->len - n + 1);
    p->len -= n;
}

static bool skip_bytes(struct peer *p, size_t n)
{
    while (n > 0) {
        size_t now = p->len < n ? p->len : n;

        forget(p, now);
        n -= now;
        if (n > 0 && !receive(p))
            return false;
    }
    return true;
}

/* The length of a line with its end; 0 at the end of the connection. */
static size_t line_length(struct peer *p)
{
    char *end;

    while (!(end = strstr(p->in, "\r\n")))
        if (!receive(p))
            return 0;
    return (size_t)(end - p->in) + 2;
}

static bool read_chunks(struct peer *p, size_t *ret)
{
    size_t size = 1, line;

    for (*ret = 0; size > 0; *ret += size) {
        line = line_length(p);
        size = strtoul(p->in, NULL, 16);
        if (line == 0 || !skip_bytes(p, line) || !skip_bytes(p, size + 2))
            return false;
    }
    return true;
}

/* `head` is in lower case. */
static bool read_body(struct peer *p, const char *head, size_t *ret)
{
    const char *length = strstr(head, "\r\ncontent-length: ");

    *ret = 0;
    if (strstr(head, "\r\ntransfer-encoding: chunked"))
        return read_chunks(p, ret);
    if (length)
        *ret = strtoul(length + strlen("\r\ncontent-length: "), NULL, 10);
    return skip_bytes(p, *ret);
}

/* ---- answers ---- */

static bool say_bytes(const struct peer *p, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = send(p->fd, bytes, len, MSG_NOSIGNAL);

        if (n <= 0)
            return false;
        bytes += n;
        len -= (size_t)n;
    }
    return true;
}

static bool say(const struct peer *p, const char *text)
{
    return say_bytes(p, text, strlen(text));
}

static bool say_big(const struct peer *p)
{
    static const char piece[PIECE];
    char head[128];

    snprintf(head, sizeof head, "HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", CONDUCTOR_BIG);
    pthread_mutex_lock(&p->up->mutex);
    p->up->written = 0;
    pthread_mutex_unlock(&p->up->mutex);
    if (!say(p, head))
        return false;
    for (int left = CONDUCTOR_BIG; left > 0; left -= PIECE) {
        if (!say_bytes(p, piece, PIECE)) {
            count(p->up, &p->up->gone, 1);
            return false;
        }
        pthread_mutex_lock(&p->up->mutex);
        p->up->written += PIECE;
        pthread_mutex_unlock(&p->up->mutex);
    }
    return true;
}

static bool say_large_head(const struct peer *p)
{
    char *text = malloc(LARGE_HEAD + 1);
    bool is_sent;

    must(text != NULL);
    memset(text, 'a', LARGE_HEAD);
    text[LARGE_HEAD] = '\0';
    is_sent = say(p, "HTTP/1.1 200 OK\r\nX-Long: ") && say(p, text) &&
              say(p, "\r\nContent-Length: 0\r\n\r\n");
    free(text);
    return is_sent;
}

static bool wait_for_end(struct peer *p)
{
    count(p->up, &p->up->polls, 1);
    while (receive(p))
        ;
    count(p->up, &p->up->polls, -1);
    count(p->up, &p->up->gone, 1);
    return false;
}

static void wait_for_release(struct conductor *up)
{
    pthread_mutex_lock(&up->mutex);
    up->holds++;
    while (!up->is_released)
        pthread_cond_wait(&up->released, &up->mutex);
    pthread_mutex_unlock(&up->mutex);
}

static bool ends_with(const char *path, const char *word)
{
    size_t len = strcspn(path, "? "), n = strlen(word);

    return len >= n && strncmp(path + len - n, word, n) == 0;
}

static bool say_document(const struct peer *p, const char *path, size_t body)
{
    char json[512], head[512];

    if (p->is_head)
        return say(p, "HTTP/1.1 200 OK\r\nX-Upstream: yes\r\nContent-Length: 1234\r\n\r\n");
    snprintf(json, sizeof json, "{\"path\":\"%.*s\",\"bytes\":%zu}", (int)strcspn(path, " "),
             path, body);
    snprintf(head, sizeof head,
             "HTTP/1.1 200 OK\r\nDate: Thu, 01 Jan 1970 00:00:00 GMT\r\nX-Upstream: yes\r\n"
             "Connection: keep-alive, X-Hop\r\nX-Hop: yes\r\nContent-Type: application/json\r\n"
             "Content-Length: %zu\r\n\r\n",
             strlen(json));
    return say(p, head) && say(p, json);
}

struct reply {
    const char *word, *text;
    bool keeps_open;
};

/* False: the connection is closed. */
static bool answer(struct peer *p, const char *path, size_t body)
{
    static const struct reply replies[] = {
        {"/chunks",
         "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\none\r\n"
         "3\r\ntwo\r\n0\r\n\r\n",
         true},
        {"/close", "HTTP/1.1 200 OK\r\n\r\nuntil the end", false},
        {"/none", "HTTP/1.1 204 No Content\r\n\r\n", true},
        {"/cut", "", false},
        {"/half", "HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\nshort", false},
        {"/garbage", "this is not HTTP\r\n\r\n", false},
        {"/both",
         "HTTP/1.1 200 OK\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n",
         true},
        {"/interim",
         "HTTP/1.1 103 Early Hints\r\nX-Early: yes\r\n\r\nHTTP/1.1 201 Created\r\n"
         "Content-Length: 2\r\n\r\nok",
         true},
    };

    for (size_t i = 0; i < sizeof replies / sizeof replies[0]; i++)
        if (ends_with(path, replies[i].word))
            return say(p, replies[i].text) && replies[i].keeps_open;
    if (ends_with(path, "/big"))
        return say_big(p);
    if (ends_with(path, "/large"))
        return say_large_head(p);
    return say_document(p, path, body);
}

static bool serve_one(struct peer *p)
{
    char head[HEAD_MAX + 1];
    const char *end, *path;
    size_t body = 0;

    while (!(end = strstr(p->in, "\r\n\r\n")))
        if (!receive(p))
            return false;
    memcpy(head, p->in, (size_t)(end - p->in) + 4);
    head[end - p->in + 4] = '\0';
    forget(p, strlen(head));
    p->is_head = strncmp(head, "HEAD ", 5) == 0;
    path = strchr(head, ' ');
    must(path != NULL);
    path++;
    count(p->up, &p->up->requests, 1);
    if (ends_with(path, "/poll"))
        return wait_for_end(p);
    if (ends_with(path, "/early"))
        return say(p, "HTTP/1.1 413 Content Too Large\r\nContent-Length: 5\r\n\r\nearly") &&
               false;
    if (ends_with(path, "/hold"))
        wait_for_release(p->up);
    return read_body(p, head, &body) && answer(p, path, body);
}

/* ---- connections ---- */

static void *run_conn(void *arg)
{
    struct peer *p = arg;

    while (serve_one(p))
        ;
    shutdown(p->fd, SHUT_RDWR);
    free(p);
    return NULL;
}

static void *run(void *arg)
{
    struct conductor *up = arg;
    int fd;

    while ((fd = accept(up->fd, NULL, NULL)) >= 0) {
        struct peer *p = calloc(1, sizeof *p);
        int i;

        must(p != NULL);
        *p = (struct peer){.up = up, .fd = fd};
        pthread_mutex_lock(&up->mutex);
        i = up->conns++;
        must(i < CONDUCTOR_CONNS_MAX);
        up->fds[i] = fd;
        pthread_mutex_unlock(&up->mutex);
        must(pthread_create(&up->threads[i], NULL, run_conn, p) == 0);
    }
    return NULL;
}

void conductor_open(struct conductor *up)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof to;
    int small = 64 * 1024; /* so that the kernel keeps little of what is not read */

    *up = (struct conductor){.fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
    up->seen = calloc(1, CONDUCTOR_SEEN_MAX + 1);
    must(up->fd >= 0 && up->seen != NULL);
    must(setsockopt(up->fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small) == 0);
    must(bind(up->fd, (struct sockaddr *)&to, sizeof to) == 0 && listen(up->fd, 64) == 0);
    must(getsockname(up->fd, (struct sockaddr *)&to, &len) == 0);
    up->port = ntohs(to.sin_port);
    must(pthread_mutex_init(&up->mutex, NULL) == 0);
    must(pthread_cond_init(&up->released, NULL) == 0);
    must(pthread_create(&up->thread, NULL, run, up) == 0);
}

void conductor_release(struct conductor *up)
{
    pthread_mutex_lock(&up->mutex);
    up->is_released = true;
    pthread_cond_broadcast(&up->released);
    pthread_mutex_unlock(&up->mutex);
}

void conductor_close(struct conductor *up)
{
    shutdown(up->fd, SHUT_RDWR);
    must(pthread_join(up->thread, NULL) == 0);
    conductor_release(up);
    for (int i = 0; i < up->conns; i++) {
        shutdown(up->fds[i], SHUT_RDWR);
        must(pthread_join(up->threads[i], NULL) == 0);
        close(up->fds[i]);
    }
    close(up->fd);
    free(up->seen);
    pthread_cond_destroy(&up->released);
    pthread_mutex_destroy(&up->mutex);
}

int conductor_requests(struct conductor *up)
{
    return read_number(up, &up->requests);
}

int conductor_polls(struct conductor *up)
{
    return read_number(up, &up->polls);
}

int conductor_gone(struct conductor *up)
{
    return read_number(up, &up->gone);
}

int conductor_holds(struct conductor *up)
{
    return read_number(up, &up->holds);
}

int conductor_conns(struct conductor *up)
{
    return read_number(up, &up->conns);
}

size_t conductor_written(struct conductor *up)
{
    size_t n;

    pthread_mutex_lock(&up->mutex);
    n = up->written;
    pthread_mutex_unlock(&up->mutex);
    return n;
}

bool conductor_has_seen(struct conductor *up, const char *text)
{
    bool has_seen;

    pthread_mutex_lock(&up->mutex);
    has_seen = memmem(up->seen, up->seen_len, text, strlen(text)) != NULL;
    pthread_mutex_unlock(&up->mutex);
    return has_seen;
}
