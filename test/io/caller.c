/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The test client of caller.h, with a name resolver that replaces the system's.
 */
#include "caller.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <netdb.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/must.h"
#include "io/clock.h"

enum { ADDRESSES_MAX = 4 };

static const char *const *rebound;
static int slow_pipe[2] = {-1, -1}; /* open for the life of the program */
static int open_before;

struct resolved {
    struct addrinfo info;
    struct sockaddr_storage address;
};

static struct addrinfo *resolve(const char *text, const char *service, struct addrinfo *next)
{
    struct resolved *one = calloc(1, sizeof *one);
    struct sockaddr_in v4 = {.sin_family = AF_INET};
    struct sockaddr_in6 v6 = {.sin6_family = AF_INET6};
    bool is_v4 = inet_pton(AF_INET, text, &v4.sin_addr) == 1;
    uint16_t port = htons((uint16_t)atoi(service));

    must(one != NULL && (is_v4 || inet_pton(AF_INET6, text, &v6.sin6_addr) == 1));
    v4.sin_port = v6.sin6_port = port;
    memcpy(&one->address, is_v4 ? (void *)&v4 : (void *)&v6, is_v4 ? sizeof v4 : sizeof v6);
    one->info = (struct addrinfo){
        .ai_family = is_v4 ? AF_INET : AF_INET6,
        .ai_socktype = SOCK_STREAM,
        .ai_protocol = IPPROTO_TCP,
        .ai_addrlen = is_v4 ? sizeof v4 : sizeof v6,
        .ai_addr = (struct sockaddr *)&one->address,
        .ai_next = next,
    };
    return &one->info;
}

/* Replaces the C library's function: the program's own symbols come first. */
int getaddrinfo(const char *node, const char *service, const struct addrinfo *hints,
                struct addrinfo **ret)
{
    struct addrinfo *list = NULL;
    char byte;
    int count = 0;

    (void)hints;
    if (strcmp(node, "slow.test") == 0)
        must(read(slow_pipe[0], &byte, 1) == 0); /* the end, when it is released */
    if (strcmp(node, "rebound.test") != 0 || !rebound)
        return EAI_NONAME;
    while (rebound[count])
        count++;
    while (count > 0)
        list = resolve(rebound[--count], service, list);
    *ret = list;
    return 0;
}

void freeaddrinfo(struct addrinfo *list)
{
    while (list) {
        struct addrinfo *next = list->ai_next;

        free(list); /* the first member of what was allocated */
        list = next;
    }
}

void caller_rebind(const char *const *addresses)
{
    rebound = addresses;
}

void caller_release_names(void)
{
    close(slow_pipe[1]);
    slow_pipe[1] = -1;
}

static int count_files(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int count = 0;

    must(dir != NULL);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static void make_pool(struct caller *caller, int all, int per_host, int waiting)
{
    struct webhook_limits limits = {.all = all,
                                    .per_host = per_host,
                                    .waiting = waiting,
                                    .agent = "belfry/test",
                                    .ca_file = caller->ca_file,
                                    .answer_max = caller->answer_max};

    caller->pool = webhook_pool_new(&caller->loop, &limits);
}

int caller_setup(void **state)
{
    struct caller *caller = calloc(1, sizeof *caller);

    must(caller != NULL && (slow_pipe[0] >= 0 || pipe(slow_pipe) == 0));
    must(uv_loop_init(&caller->loop) == 0); /* the first one opens what all share */
    must(uv_loop_close(&caller->loop) == 0);
    open_before = count_files();
    must(uv_loop_init(&caller->loop) == 0);
    caller->policy.allows_loopback = true;
    caller->next_id = 1;
    bad_server_start(&caller->server, &caller->loop);
    make_pool(caller, 50, 50, 50);
    *state = caller;
    return 0;
}

static void on_closed(void *arg)
{
    *(bool *)arg = true;
}

static void close_pool(struct caller *caller)
{
    bool is_closed = false;

    webhook_pool_close(caller->pool, on_closed, &is_closed);
    while (!is_closed)
        uv_run(&caller->loop, UV_RUN_ONCE);
}

void caller_forget(struct caller *caller)
{
    for (int i = 0; i < caller->end_count; i++)
        free(caller->ends[i].body);
    caller->end_count = 0;
}

int caller_teardown(void **state)
{
    struct caller *caller = *state;

    close_pool(caller);
    bad_server_stop(&caller->server);
    uv_run(&caller->loop, UV_RUN_DEFAULT);
    must(uv_loop_close(&caller->loop) == 0);
    /* A resolver thread for slow.test ends at any time, and closes its files then. */
    must(slow_pipe[1] < 0 || count_files() == open_before);
    caller_forget(caller);
    free(caller);
    return 0;
}

void caller_limit(struct caller *caller, int all, int per_host, int waiting)
{
    close_pool(caller);
    make_pool(caller, all, per_host, waiting);
}

struct webhook_request caller_request(struct caller *caller, const char *path)
{
    snprintf(caller->url, sizeof caller->url, "http://127.0.0.1:%d%s", caller->server.port,
             path);
    return (struct webhook_request){
        .id = caller->next_id++,
        .method = STR("GET"),
        .url = str_of(caller->url),
        .connect_us = 60 * SPAN_S,
        .first_byte_us = 60 * SPAN_S,
        .total_us = 60 * SPAN_S,
        .send_by_us = clock_boot_us() + 60 * SPAN_S,
        .keep_bytes = 1000,
        .policy = &caller->policy,
    };
}

static struct str keep_text(struct caller_end *got, size_t *used, struct str s)
{
    char *at = got->text + *used;

    must(*used + s.len < CALLER_TEXT_MAX);
    memcpy(at, s.ptr, s.len);
    *used += s.len + 1; /* the rest is zero */
    return (struct str){at, s.len};
}

static void on_done(void *arg, const struct webhook_result *result)
{
    struct caller *caller = arg;
    struct caller_end *got = &caller->ends[caller->end_count++];
    size_t used = 0;

    must(caller->end_count <= CALLER_ENDS_MAX);
    got->result = *result;
    for (int i = 0; i < result->header_count; i++) {
        got->headers[i].name = keep_text(got, &used, result->headers[i].name);
        got->headers[i].value = keep_text(got, &used, result->headers[i].value);
    }
    got->result.headers = got->headers;
    got->body = calloc(1, result->body.len + 1);
    must(got->body != NULL);
    if (result->body.len > 0)
        memcpy(got->body, result->body.ptr, result->body.len);
    got->result.body.ptr = got->body;
    uv_stop(&caller->loop); /* a round that began with timers would go on to wait for sockets */
}

int64_t caller_start(struct caller *caller, const struct webhook_request *request)
{
    struct err err;

    if (webhook_start(caller->pool, request, on_done, caller, &err) != RC_OK)
        fail_msg("%s", err.text);
    return request->id;
}

void caller_wait(struct caller *caller, int end_count)
{
    while (caller->end_count < end_count)
        uv_run(&caller->loop, UV_RUN_ONCE);
}

void caller_wait_seen(struct caller *caller, int seen_count)
{
    while (caller->server.seen_count < seen_count)
        uv_run(&caller->loop, UV_RUN_ONCE);
}

const struct caller_end *caller_find_end(const struct caller *caller, int64_t id)
{
    for (int i = 0; i < caller->end_count; i++)
        if (caller->ends[i].result.id == id)
            return &caller->ends[i];
    return NULL;
}

const struct caller_end *caller_call(struct caller *caller,
                                     const struct webhook_request *request)
{
    int64_t id = caller_start(caller, request);

    while (!caller_find_end(caller, id))
        uv_run(&caller->loop, UV_RUN_ONCE);
    return caller_find_end(caller, id);
}

const struct caller_end *caller_get(struct caller *caller, const char *path)
{
    struct webhook_request request = caller_request(caller, path);

    return caller_call(caller, &request);
}
