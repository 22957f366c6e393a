/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server, the upstream of its namespaces, and a client of Temporal's API.
 */
#pragma once

#include "request.h"

#include <sys/socket.h>

#include "h2_client.h"
#include "peers/upstream.h"

enum { TOKEN_MAX = 128 };

#define SERVICE "/temporal.api.workflowservice.v1.WorkflowService/"
#define UPSTREAM                                                                  \
    "{'settings':{'allowNetworks':['127.0.0.0/8'],'upstream':'main','upstreams':" \
    "{'main':{'type':'temporal','url':'http://127.0.0.1:%u','namespace':'%s',"    \
    "'headers':{'X-Own':'upstream-header'},'apiKey':'upstream-key'}}}}"
#define PLAIN_UPSTREAM                                                                     \
    "{'settings':{'allowNetworks':['127.0.0.0/8'],'upstreams':{'main':{'type':'temporal'," \
    "'url':'http://127.0.0.1:%u','namespace':'default'}}}}"

struct stage {
    struct server *d;      /* Belfry                 */
    struct upstream up;    /* the stand-in           */
    struct h2c *h;         /* a connection to Belfry */
    char token[TOKEN_MAX]; /* for the next calls; "": none */
    char frame[64];        /* of the last small message */
};

static inline void connect_client(struct stage *s)
{
    s->h = h2c_open(request_connect(s->d));
}

static inline void open_stage(struct stage *s, void **state)
{
    upstream_open(&s->up);
    s->d = server_start(*state, NULL);
    connect_client(s);
}

static inline void close_stage(struct stage *s)
{
    h2c_close(s->h);
    assert_int_equal(server_stop(s->d), 0);
    upstream_close(&s->up);
}

/* A gRPC frame with a message of one text field: its number and its value. */
static inline struct str namespace_frame(struct stage *s, int field, const char *name)
{
    size_t len = strlen(name);

    memcpy(s->frame, "\0\0\0\0", 4);
    s->frame[4] = (char)(len + 2);
    s->frame[5] = (char)(field << 3 | 2);
    s->frame[6] = (char)len;
    memcpy(s->frame + 7, name, len);
    return (struct str){s->frame, len + 7};
}

static inline struct h2c_answer *start_call(struct stage *s, const char *path, struct str body,
                                            const char *name, const char *value)
{
    static struct h2c_request request; /* a large body is read later */
    static char bearer[TOKEN_MAX + 16];

    snprintf(bearer, sizeof bearer, "Bearer %s", s->token);
    request = (struct h2c_request){.method = "POST",
                                   .path = path,
                                   .authority = "localhost",
                                   .body = body,
                                   .name = "content-type",
                                   .value = "application/grpc",
                                   .name2 = name,
                                   .value2 = value,
                                   .name3 = s->token[0] ? "authorization" : NULL,
                                   .value3 = bearer};
    return h2c_ask(s->h, &request);
}

static inline struct h2c_answer *call(struct stage *s, const char *path, const char *namespace)
{
    struct h2c_answer *a = start_call(s, path, namespace_frame(s, 1, namespace), NULL, NULL);

    h2c_await(s->h, a);
    return a;
}

static inline void assert_status(const struct h2c_answer *a, int status)
{
    char line[32];

    snprintf(line, sizeof line, "grpc-status: %d\n", status);
    if (!strstr(a->head, line) && !strstr(a->tail, line))
        fail_msg("%s: %s%s", line, a->head, a->tail);
}

static inline void assert_line(const char *text, const char *line)
{
    if (!strstr(text, line))
        fail_msg("%s: missing in %s", line, text);
}

static inline void make_token(struct stage *s, const char *role, const char *namespace,
                              char *ret)
{
    char text[1024], body[256];
    struct answer made;
    int fd = request_connect(s->d), len;

    snprintf(body, sizeof body, "{\"name\":\"t\",\"role\":\"%s\",\"namespace\":\"%s\"}", role,
             namespace);
    request_send_head(fd, "POST", "/api/v1/tokens");
    len = snprintf(text, sizeof text, "%s%s%sContent-Length: %zu\r\n\r\n%s",
                   s->token[0] ? "Authorization: Bearer " : "", s->token,
                   s->token[0] ? "\r\n" : "", strlen(body), body);
    assert_int_equal(send(fd, text, (size_t)len, MSG_NOSIGNAL), len);
    made = request_end(s->d, fd);
    assert_int_equal(made.status, 201);
    snprintf(ret, TOKEN_MAX, "%s", text_at(made.json, "token"));
}

static inline void set_upstream(struct stage *s, const char *namespace,
                                const char *upstream_namespace)
{
    char path[64];

    snprintf(path, sizeof path, "/api/v1/namespaces/%s", namespace);
    api(s->d, ask(s->d, "GET", path, NULL).status == 200 ? 200 : 201, "PUT", path, UPSTREAM,
        s->up.port, upstream_namespace);
}
