/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The gRPC load generator of rpc.h.
 */
#include "rpc.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/tcp.h>
#include <nghttp2/nghttp2.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/must.h"
#include "io/clock.h"
#include "soak.h"
#include "wire/grpc/grpc.h"

enum {
    READ_BYTES = 256 * 1024,
    WINDOW = 16 << 20, /* so large that the server never waits for a window update */
    EVENTS_MAX = 64,
    SILENCE_MS = 30000, /* of a server that has calls under way */
    SAMPLES_FIRST = 1 << 16,
};

/* A call; when it has ended, the next one uses the same memory. */
struct rpc_call {
    int64_t since_us;
    char body[GRPC_PREFIX + RPC_MESSAGE_MAX];
    size_t len, sent;
    size_t bytes; /* of the answer */
    bool is_good;
};

struct link {
    struct run *run;
    int fd;
    nghttp2_session *session;
    struct rpc_call *calls;
    int under_way;
};

struct run {
    const struct rpc_load *load;
    struct link *links;
    int64_t from_us, until_us;
    int64_t begun;
    struct rpc_result result;
    uint32_t *samples; /* microseconds of each call */
    size_t samples_cap;
    char authority[32];
};

static char input[READ_BYTES];
static uint8_t output[READ_BYTES];

/* ---- calls ---- */

static nghttp2_nv nv_of(const char *name, const char *value)
{
    return (nghttp2_nv){.name = (uint8_t *)(uintptr_t)name,
                        .value = (uint8_t *)(uintptr_t)value,
                        .namelen = strlen(name),
                        .valuelen = strlen(value),
                        .flags = NGHTTP2_NV_FLAG_NO_COPY_NAME | NGHTTP2_NV_FLAG_NO_COPY_VALUE};
}

static ssize_t read_body(nghttp2_session *session, int32_t id, uint8_t *room, size_t len,
                         uint32_t *flags, nghttp2_data_source *source, void *arg)
{
    struct rpc_call *call = source->ptr;
    size_t n = call->len - call->sent;

    (void)session;
    (void)id;
    (void)arg;
    if (n > len)
        n = len;
    memcpy(room, call->body + call->sent, n);
    call->sent += n;
    if (call->sent == call->len)
        *flags |= NGHTTP2_DATA_FLAG_EOF;
    return (ssize_t)n;
}

static void fill(const struct rpc_load *load, struct rpc_call *call)
{
    struct buf message = {.ptr = call->body + GRPC_PREFIX, .cap = RPC_MESSAGE_MAX};

    if (load->write)
        load->write(load->arg, &message);
    if (message.cut)
        DIE("%s: the message is too long", load->method);
    call->len = GRPC_PREFIX + message.len;
    call->body[0] = 0;
    for (int i = 0; i < 4; i++)
        call->body[1 + i] = (char)(unsigned char)(message.len >> (24 - 8 * i));
}

static void send_call(struct link *link, struct rpc_call *call)
{
    struct run *run = link->run;
    const struct rpc_load *load = run->load;
    const nghttp2_nv nv[] = {
        nv_of(":method", "POST"),     nv_of(":scheme", "http"),
        nv_of(":path", load->method), nv_of(":authority", run->authority),
        nv_of("te", "trailers"),      nv_of("content-type", "application/grpc"),
        nv_of("user-agent", "bench"),
    };
    nghttp2_data_provider body = {.source.ptr = call, .read_callback = read_body};

    if (load->most > 0 && run->begun == load->most)
        return;
    fill(load, call);
    call->sent = call->bytes = 0;
    call->is_good = false;
    call->since_us = clock_boot_us();
    if (nghttp2_submit_request(link->session, NULL, nv, sizeof nv / sizeof nv[0], &body, call) <
        0)
        DIE("%s: nghttp2 does not take the call", load->method);
    link->under_way++;
    run->begun++;
}

static void keep_sample(struct run *run, int64_t us)
{
    size_t at = (size_t)run->result.done;

    if (at == run->samples_cap) {
        run->samples_cap = at ? 2 * at : SAMPLES_FIRST;
        run->samples = realloc(run->samples, run->samples_cap * sizeof *run->samples);
        must(run->samples != NULL);
    }
    run->samples[at] = us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
    run->result.done++;
}

/* ---- callbacks of nghttp2 ---- */

static struct str header_text(nghttp2_rcbuf *buf)
{
    nghttp2_vec vec = nghttp2_rcbuf_get_buf(buf);

    return (struct str){(const char *)vec.base, vec.len};
}

static int on_header(nghttp2_session *session, const nghttp2_frame *frame, nghttp2_rcbuf *name,
                     nghttp2_rcbuf *value, uint8_t flags, void *arg)
{
    struct rpc_call *call = nghttp2_session_get_stream_user_data(session, frame->hd.stream_id);
    struct rpc_result *result = &((struct link *)arg)->run->result;
    struct str field = header_text(name), text = header_text(value);
    size_t used = strlen(result->why);

    (void)flags;
    if (!call || field.len < 5 || memcmp(field.ptr, "grpc-", 5) != 0)
        return 0;
    if (str_eq(field, STR("grpc-status")) && str_eq(text, STR("0")))
        call->is_good = true;
    else
        snprintf(result->why + used, sizeof result->why - used, " %.*s: %.*s", STR_ARG(field),
                 STR_ARG(text));
    return 0;
}

static int on_data(nghttp2_session *session, uint8_t flags, int32_t id, const uint8_t *data,
                   size_t len, void *arg)
{
    struct rpc_call *call = nghttp2_session_get_stream_user_data(session, id);

    (void)flags;
    (void)data;
    (void)arg;
    if (call)
        call->bytes += len;
    return 0;
}

static int on_close(nghttp2_session *session, int32_t id, uint32_t error, void *arg)
{
    struct rpc_call *call = nghttp2_session_get_stream_user_data(session, id);
    struct link *link = arg;
    struct run *run = link->run;
    int64_t now = clock_boot_us();

    if (!call)
        return 0;
    link->under_way--;
    keep_sample(run, now - call->since_us);
    run->result.bad += !call->is_good || error != NGHTTP2_NO_ERROR;
    run->result.bytes = call->bytes > GRPC_PREFIX ? call->bytes - GRPC_PREFIX : 0;
    if (now < run->until_us)
        send_call(link, call);
    return 0;
}

/* ---- connections ---- */

static int connect_to(uint16_t port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_port = htons(port),
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), on = 1;

    must(fd >= 0);
    must(setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on) == 0);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
        DIE("port %d: %s", (int)port, strerror(errno));
    return fd;
}

static void open_link(struct run *run, struct link *link, int epoll)
{
    const nghttp2_settings_entry settings[] = {
        {NGHTTP2_SETTINGS_ENABLE_PUSH, 0},
        {NGHTTP2_SETTINGS_INITIAL_WINDOW_SIZE, WINDOW},
    };
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = link};
    nghttp2_session_callbacks *callbacks;

    link->run = run;
    link->fd = connect_to(run->load->port);
    link->calls = calloc((size_t)run->load->streams, sizeof *link->calls);
    must(link->calls != NULL && nghttp2_session_callbacks_new(&callbacks) == 0);
    nghttp2_session_callbacks_set_on_header_callback2(callbacks, on_header);
    nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks, on_data);
    nghttp2_session_callbacks_set_on_stream_close_callback(callbacks, on_close);
    must(nghttp2_session_client_new(&link->session, callbacks, link) == 0);
    nghttp2_session_callbacks_del(callbacks);
    must(nghttp2_submit_settings(link->session, NGHTTP2_FLAG_NONE, settings, 2) == 0);
    must(nghttp2_session_set_local_window_size(link->session, NGHTTP2_FLAG_NONE, 0, WINDOW) ==
         0);
    must(epoll_ctl(epoll, EPOLL_CTL_ADD, link->fd, &event) == 0);
}

static void close_link(struct link *link)
{
    nghttp2_session_del(link->session);
    close(link->fd);
    free(link->calls);
}

/*
 * Sends everything that is available; the socket blocks, and a live server continues to read.
 */
static void flush(struct link *link)
{
    const uint8_t *data;
    ssize_t n;

    do {
        size_t len = 0;

        while (len < sizeof output / 2 &&
               (n = nghttp2_session_mem_send(link->session, &data)) > 0) {
            must(len + (size_t)n <= sizeof output);
            memcpy(output + len, data, (size_t)n);
            len += (size_t)n;
        }
        if (len > 0 && send(link->fd, output, len, MSG_NOSIGNAL) != (ssize_t)len)
            DIE("%s: the server has closed the connection", link->run->load->method);
    } while (n > 0);
    must(n == 0);
}

static void read_answers(struct link *link)
{
    ssize_t n = recv(link->fd, input, sizeof input, MSG_DONTWAIT);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0 || nghttp2_session_mem_recv(link->session, (uint8_t *)input, (size_t)n) != n)
        DIE("%s: the server has closed the connection", link->run->load->method);
    flush(link);
}

static int under_way(const struct run *run)
{
    int sum = 0;

    for (int i = 0; i < run->load->connections; i++)
        sum += run->links[i].under_way;
    return sum;
}

static void work(struct run *run, int epoll)
{
    struct epoll_event events[EVENTS_MAX];

    for (int i = 0; i < run->load->connections; i++) {
        for (int j = 0; j < run->load->streams; j++)
            send_call(&run->links[i], &run->links[i].calls[j]);
        flush(&run->links[i]);
    }
    while (under_way(run) > 0) {
        int n = epoll_wait(epoll, events, EVENTS_MAX, SILENCE_MS);

        if (n == 0)
            DIE("%s: the server is silent", run->load->method);
        for (int i = 0; i < n; i++)
            read_answers(events[i].data.ptr);
    }
}

static int by_size(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

    return (x > y) - (x < y);
}

struct rpc_result rpc_run(const struct rpc_load *load)
{
    struct run run = {.load = load};
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    size_t done;

    run.links = calloc((size_t)load->connections, sizeof *run.links);
    must(epoll >= 0 && run.links != NULL);
    snprintf(run.authority, sizeof run.authority, "127.0.0.1:%d", (int)load->port);
    for (int i = 0; i < load->connections; i++)
        open_link(&run, &run.links[i], epoll);
    run.from_us = clock_boot_us();
    run.until_us = run.from_us + (int64_t)(load->seconds * SPAN_S);
    work(&run, epoll);
    done = (size_t)run.result.done;
    must(done > 0);
    run.result.per_s = (double)done * 1e6 / (double)(clock_boot_us() - run.from_us);
    qsort(run.samples, done, sizeof *run.samples, by_size);
    run.result.p50_us = run.samples[done / 2];
    run.result.p99_us = run.samples[done - 1 - done / 100];
    for (int i = 0; i < load->connections; i++)
        close_link(&run.links[i]);
    close(epoll);
    free(run.links);
    free(run.samples);
    return run.result;
}
