/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server whose namespace has an upstream Conductor, and a client that sends given bytes.
 */
#pragma once

#include "request.h"

#include <sys/socket.h>

#include "peers/conductor.h"

enum { TOKEN_MAX = 128, ANSWER_BYTES = 16 << 20 };

#define UPSTREAM                                                                \
    "{'settings':{'allowNetworks':['127.0.0.0/8'],'upstreams':{'main':{'type':" \
    "'conductor','url':'http://127.0.0.1:%u/api',"                              \
    "'headers':{'X-Authorization':'upstream-key'}}}}}"
#define PLAIN_UPSTREAM                                                                      \
    "{'settings':{'allowNetworks':['127.0.0.0/8'],'upstreams':{'main':{'type':'conductor'," \
    "'url':'http://127.0.0.1:%u/base/api'}}}}"

struct stage {
    struct server *d;
    struct conductor up;
    char token[TOKEN_MAX]; /* for the next requests; "": none */
    char *text;            /* the last answer */
    size_t len;
};

static inline void open_stage(struct stage *s, void **state)
{
    conductor_open(&s->up);
    s->d = server_start(*state, NULL);
    s->text = malloc(ANSWER_BYTES + 1);
    assert_non_null(s->text);
}

static inline void close_stage(struct stage *s)
{
    if (s->d->pid != 0)
        assert_int_equal(server_stop(s->d), 0);
    conductor_close(&s->up);
    free(s->text);
}

#define SET_UPSTREAM(s, settings) \
    api((s)->d, 200, "PUT", "/api/v1/namespaces/default", settings, (s)->up.port)

static inline void say(int fd, const char *text)
{
    size_t len = strlen(text);

    assert_int_equal(send(fd, text, len, MSG_NOSIGNAL), (ssize_t)len);
}

/* Reads until the server closes; returns the status. */
static inline int hear(struct stage *s, int fd)
{
    ssize_t n;

    s->len = 0;
    while (s->len < ANSWER_BYTES &&
           (n = recv(fd, s->text + s->len, ANSWER_BYTES - s->len, 0)) > 0)
        s->len += (size_t)n;
    s->text[s->len] = '\0';
    close(fd);
    return strncmp(s->text, "HTTP/1.1 ", 9) == 0 ? atoi(s->text + 9) : 0;
}

/* Sends the head of a request, on a connection that the answer ends. */
static inline int begin(struct stage *s, const char *method, const char *path,
                        const char *fields)
{
    int fd = request_connect(s->d);

    request_send_head(fd, method, path);
    if (s->token[0] != '\0') {
        say(fd, "Authorization: Bearer ");
        say(fd, s->token);
        say(fd, "\r\n");
    }
    say(fd, fields);
    say(fd, "\r\n");
    return fd;
}

/* A whole request; returns the status. */
static inline int call(struct stage *s, const char *method, const char *path, const char *body)
{
    char length[64] = "";
    int fd;

    if (body)
        snprintf(length, sizeof length, "Content-Length: %zu\r\n", strlen(body));
    fd = begin(s, method, path, length);
    if (body && body[0] != '\0')
        say(fd, body);
    return hear(s, fd);
}

static inline const char *body_of(const struct stage *s)
{
    const char *end = strstr(s->text, "\r\n\r\n");

    assert_non_null(end);
    return end + 4;
}

static inline void assert_has(const struct stage *s, const char *part)
{
    if (!strstr(s->text, part))
        fail_msg("%s: missing in %.1000s", part, s->text);
}

/* An error of Belfry in Conductor's format. */
static inline void assert_error(const struct stage *s, int status, const char *part)
{
    char text[32];

    snprintf(text, sizeof text, "\"status\":%d", status);
    assert_has(s, "Content-Type: application/json\r\n");
    assert_has(s, text);
    assert_has(s, "\"retryable\":");
    assert_has(s, part);
}

static inline void make_token(struct stage *s, const char *role, const char *namespace,
                              char *ret)
{
    char body[256], head[512];
    const char *text;
    int fd = request_connect(s->d);

    snprintf(body, sizeof body, "{\"name\":\"t\",\"role\":\"%s\",\"namespace\":\"%s\"}", role,
             namespace);
    request_send_head(fd, "POST", "/api/v1/tokens");
    snprintf(head, sizeof head, "%s%s%sContent-Length: %zu\r\n\r\n%s",
             s->token[0] ? "Authorization: Bearer " : "", s->token, s->token[0] ? "\r\n" : "",
             strlen(body), body);
    say(fd, head);
    assert_int_equal(hear(s, fd), 201);
    text = strstr(s->text, "\"token\":\"");
    assert_non_null(text);
    text += strlen("\"token\":\"");
    snprintf(ret, TOKEN_MAX, "%.*s", (int)strcspn(text, "\""), text);
}
