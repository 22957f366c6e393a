/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Requests of Conductor's clients that the upstream of a namespace answers: a stand-in records
 * every byte.
 */
#include "peers/conductor_stage.h"

#include "cert.h"
#include "h2_client.h"
#include "tls_proxy.h"

enum {
    BODY_MAX = 16 << 20,
    PIECE = 64 * 1024,
    UPLOADS = 16,
    RSS_GROWTH_KB = 48 * 1024, /* of UPLOADS bodies that nobody reads: they have 256 MiB */
};

/* ---- passing ---- */

static void a_request_and_its_answer_pass(void **state)
{
    struct stage s = {0};

    open_stage(&s, state);
    SET_UPSTREAM(&s, PLAIN_UPSTREAM);
    assert_int_equal(call(&s, "POST", "/api/tasks/t%201/log?x=a%20b&y", "line"), 200);
    assert_string_equal(body_of(&s), "{\"path\":\"/base/api/tasks/t%201/log?x=a%20b&y\","
                                     "\"bytes\":4}");
    assert_has(&s, "X-Upstream: yes\r\n");
    assert_null(strstr(s.text, "1970")); /* Belfry's own date */
    assert_null(strcasestr(s.text, "x-hop"));
    assert_true(conductor_has_seen(&s.up, "POST /base/api/tasks/t%201/log?x=a%20b&y HTTP/1.1"));
    assert_true(conductor_has_seen(&s.up, "content-length: 4\r\n"));
    assert_false(conductor_has_seen(&s.up, "onnection: close"));
    close_stage(&s);
}

/* Two requests of two clients use one connection of the upstream. */
static void a_connection_is_used_again(void **state)
{
    struct stage s = {0};

    open_stage(&s, state);
    SET_UPSTREAM(&s, UPSTREAM);
    for (int i = 0; i < 5; i++)
        assert_int_equal(call(&s, "GET", "/api/workflow/w1", NULL), 200);
    assert_int_equal(conductor_conns(&s.up), 1);
    assert_int_equal(conductor_requests(&s.up), 5);
    close_stage(&s);
}

static void a_workflow_is_started_there_and_not_here(void **state)
{
    struct stage s = {0};

    open_stage(&s, state);
    SET_UPSTREAM(&s, UPSTREAM);
    assert_int_equal(call(&s, "POST", "/api/workflow", "{\"name\":\"w\"}"), 200);
    assert_int_equal(call(&s, "POST", "/api/workflow/w", "{}"), 200);
    assert_int_equal(call(&s, "POST", "/api/metadata/workflow", "{\"name\":\"w\"}"), 200);
    assert_int_equal(conductor_requests(&s.up), 3);
    assert_int_equal(world_number(*state, "SELECT count(*) FROM runs"), 0);
    close_stage(&s);
}

/* Compared after decoding; Belfry answers all of them itself. */
static void paths_of_belfry_are_never_forwarded(void **state)
{
    static const char *const paths[] = {
        "/api/v1/nope",
        "/api/%76%31/nope",
        "/api/schedules/nope",
        "/api/executions/x",
        "/api/orgs/o/nope",
        "/api/scheduler/nope",
        "/api/token",
        "/%61pi/scheduler/x/y",
        "/api/sche%64uler/schedules",
        "/api/v1",
        "/healthz",
        "/api",
    };
    struct stage s = {0};

    open_stage(&s, state);
    SET_UPSTREAM(&s, UPSTREAM);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        call(&s, "GET", paths[i], NULL);
    assert_int_equal(conductor_requests(&s.up), 0);
    assert_int_equal(call(&s, "GET", "/%61pi/workflow/w", NULL), 200);
    assert_int_equal(conductor_requests(&s.up), 1);
    close_stage(&s);
}

/* What a server could read as another path than the one whose right was checked. */
static void ambiguous_paths_are_rejected(void **state)
{
    static const char *const paths[] = {
        "/api/workflow/../admin/config", "/api/workflow/%2e%2e/admin/config",
        "/api/tasks;x=1/poll/t",         "/api/workflow/..;/admin",
        "/api/workflow/a%2Fb",           "/api/workflow/a%5Cb",
        "/api/workflow/a%3Bb",           "/api/workflow/a%252e",
        "/api/workflow//admin",          "/api/workflow/a%0Ab",
    };
    struct stage s = {0};

    open_stage(&s, state);
    SET_UPSTREAM(&s, UPSTREAM);
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++)
        assert_int_equal(call(&s, "GET", paths[i], NULL), 400);
    assert_int_equal(call(&s, "GET", "/api//admin/config", NULL), 404);
    assert_int_equal(call(&s, "TRACE", "/api/workflow/w", NULL), 405);
    assert_int_equal(conductor_requests(&s.up), 0);
    close_stage(&s);
}

static void every_framing_of_an_answer_passes(void **state)
{
    struct stage s = {0};

    open_stage(&s, state);
    SET_UPSTREAM(&s, UPSTREAM);
    assert_int_equal(call(&s, "GET", "/api/workflow/chunks", NULL), 200);
    assert_has(&s, "\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n");
    assert_int_equal(call(&s, "GET", "/api/workflow/close", NULL), 200);
    assert_has(&s, "until the end\r\n0\r\n\r\n");
    assert_int_equal(call(&s, "GET", "/api/workflow/none", NULL), 204);
    assert_string_equal(body_of(&s), "");
    assert_int_equal(call(&s, "GET", "/api/workflow/interim", NULL), 201);
    assert_string_equal(body_of(&s), "ok");
    assert_null(strcasestr(s.text, "x-early"));
    assert_int_equal(call(&s, "HEAD", "/api/workflow/w", NULL), 200);
    assert_has(&s, "Content-Length: 1234\r\n");
    assert_string_equal(body_of(&s), "");
    assert_true(conductor_has_seen(&s.up, "HEAD /api/workflow/w HTTP/1.1\r\n"));
    assert_int_equal(call(&s, "GET", "/api/workflow/big", NULL), 200);
    assert_int_equal(s.text + s.len - body_of(&s), CONDUCTOR_BIG);
    close_stage(&s);
}

static void invalid_answers_are_502(void **state)
{
    static const char *const words[] = {"garbage", "both", "cut", "large"};
    char path[64];
    struct stage s = {0};

    open_stage(&s, state);
    SET_UPSTREAM(&s, UPSTREAM);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        int before = conductor_requests(&s.up);

        snprintf(path, sizeof path, "/api/workflow/%s", words[i]);
        assert_int_equal(call(&s, "POST", path, "{}"), 502);
        assert_error(&s, 502, "upstream");
        assert_int_equal(conductor_requests(&s.up), before + 1); /* never repeated */
    }
    assert_int_equal(call(&s, "GET", "/api/workflow/half", NULL), 200);
    assert_true(s.len < 1000); /* cut: the client sees that bytes are missing */
    close_stage(&s);
}

/* ---- bodies ---- */

static void send_zeros(int fd, size_t len)
{
    static const char piece[PIECE];

    while (len > 0) {
        ssize_t n = send(fd, piece, len < PIECE ? len : PIECE, MSG_NOSIGNAL);

        assert_true(n > 0);
        len -= (size_t)n;
    }
}

static void a_large_body_passes(void **state)
{
    struct stage s = {0};
    int fd;

    open_stage(&s, state);
    SET_UPSTREAM(&s, UPSTREAM);
    fd = begin(&s, "POST", "/api/tasks", "Content-Length: 16777216\r\n");
    send_zeros(fd, BODY_MAX);
    assert_int_equal(hear(&s, fd), 200);
    assert_has(&s, "\"bytes\":16777216}");
    assert_int_equal(call(&s, "GET", "/api/workflow/w", NULL), 200);
    fd = begin(&s, "POST", "/api/tasks", "Content-Length: 16777217\r\n");
    assert_int_equal(hear(&s, fd), 413);
    assert_error(&s, 413, "16777216");
    assert_int_equal(conductor_requests(&s.up), 2);
    close_stage(&s);
}

/* Chunks of 1 MiB: the seventeenth exceeds the limit, after the upstream has got some. */
static void a_chunked_body_passes(void **state)
{
    struct stage s = {0};
    int fd;

    open_stage(&s, state);
    SET_UPSTREAM(&s, UPSTREAM);
    for (int chunks = 16; chunks <= 17; chunks++) {
        fd = begin(&s, "POST", "/api/tasks", "Transfer-Encoding: chunked\r\n");
        for (int i = 0; i < chunks; i++) {
            say(fd, "100000\r\n");
            if (i == 16)
                break;
            send_zeros(fd, 1 << 20);
            say(fd, "\r\n");
        }
        if (chunks == 16)
            say(fd, "0\r\n\r\n");
        assert_int_equal(hear(&s, fd), chunks == 16 ? 200 : 413);
    }
    assert_error(&s, 413, "16777216");
    assert_true(conductor_has_seen(&s.up, "transfer-encoding: chunked\r\n"));
    fd = begin(&s, "POST", "/api/tasks/t1/log", "Transfer-Encoding: chunked\r\n");
    say(fd, "5\r\nsmall\r\n0\r\n\r\n");
    assert_int_equal(hear(&s, fd), 200);
    assert_has(&s, "\"bytes\":5}");
    close_stage(&s);
}

static void two_framings_of_a_request_are_rejected(void **state)
{
    struct stage s = {0};
    int fd;

    open_stage(&s, state);
    SET_UPSTREAM(&s, UPSTREAM);
    fd = begin(&s, "POST", "/api/tasks", "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n");
    say(fd, "0\r\n\r\n");
    assert_int_equal(hear(&s, fd), 400);
    assert_error(&s, 400, "exclude each other");
    assert_int_equal(conductor_requests(&s.up), 0);
    close_stage(&s);
}

static long rss_kb(const struct server *d)
{
    char path[64], line[256];
    long kb = 0;
    FILE *file;

    snprintf(path, sizeof path, "/proc/%d/status", (int)d->pid);
    file = fopen(path, "r");
    assert_non_null(file);
    while (fgets(line, sizeof line, file))
        if (sscanf(line, "VmRSS: %ld", &kb) == 1)
            break;
    fclose(file);
    return kb;
}

/* Sends until the buffers between here and the upstream are full. */
static size_t send_some(int fd)
{
    static const char piece[PIECE];
    int small = PIECE;
    size_t sent = 0;
    ssize_t n;

    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &small, sizeof small), 0);
    for (int idle = 0; idle < 20 && sent < BODY_MAX;) {
        size_t left = BODY_MAX - sent;

        n = send(fd, piece, left < PIECE ? left : PIECE, MSG_NOSIGNAL | MSG_DONTWAIT);
        if (n > 0)
            sent += (size_t)n;
        idle = n > 0 ? 0 : idle + 1;
        if (n <= 0)
            world_pause();
    }
    return sent;
}

static void bodies_need_little_memory(void **state)
{
    struct stage s = {0};
    int fds[UPLOADS];
    size_t sent[UPLOADS];
    long before;

    open_stage(&s, state);
    SET_UPSTREAM(&s, UPSTREAM);
    assert_int_equal(call(&s, "GET", "/api/workflow/w", NULL), 200);
    before = rss_kb(s.d);
    for (int i = 0; i < UPLOADS; i++) {
        fds[i] = begin(&s, "PUT", "/api/files/content/w/hold", "Content-Length: 16777216\r\n");
        sent[i] = send_some(fds[i]);
    }
    UNTIL(conductor_holds(&s.up) == UPLOADS);
    assert_in_range(rss_kb(s.d), 0, before + RSS_GROWTH_KB);
    conductor_release(&s.up);
    for (int i = 0; i < UPLOADS; i++) {
        send_zeros(fds[i], BODY_MAX - sent[i]);
        assert_int_equal(hear(&s, fds[i]), 200);
        assert_has(&s, "\"bytes\":16777216}");
    }
    close_stage(&s);
}

static void a_large_answer_waits_for_a_slow_reader(void **state)
{
    struct stage s = {0};
    int fd;

    open_stage(&s, state);
    SET_UPSTREAM(&s, UPSTREAM);
    fd = begin(&s, "GET", "/api/workflow/big", "");
    UNTIL(conductor_written(&s.up) > 0);
    assert_int_equal(call(&s, "GET", "/api/workflow/w", NULL), 200);
    assert_true(conductor_written(&s.up) < CONDUCTOR_BIG);
    close(fd);
    UNTIL(conductor_gone(&s.up) == 1);
    close_stage(&s);
}

static void an_early_answer_passes(void **state)
{
    struct stage s = {0};
    int fd;

    open_stage(&s, state);
    SET_UPSTREAM(&s, UPSTREAM);
    fd = begin(&s, "PUT", "/api/files/content/w/early", "Content-Length: 16777216\r\n");
    send_some(fd);
    assert_int_equal(hear(&s, fd), 413);
    assert_string_equal(body_of(&s), "early");
    close_stage(&s);
}

/* The body of a denied request is not read. */
static void a_large_body_without_an_upstream_is_collected(void **state)
{
    struct stage s = {0};
    int fd;

    open_stage(&s, state);
    SET_UPSTREAM(&s, UPSTREAM);
    api(s.d, 201, "PUT", "/api/v1/namespaces/other", "{}");
    fd = begin(&s, "POST", "/api/workflow/w?namespace=other", "Content-Length: 200002\r\n");
    say(fd, "{\"a\":\"");
    for (int i = 0; i < 199994; i += 100000) {
        char *text = malloc(100001);

        assert_non_null(text);
        memset(text, 'x', 100000);
        text[i == 0 ? 100000 : 99994] = '\0';
        say(fd, text);
        free(text);
    }
    say(fd, "\"}");
    assert_int_equal(hear(&s, fd), 200);
    assert_int_equal(conductor_requests(&s.up), 0);
    assert_int_equal(world_number(*state, "SELECT count(*) FROM runs"), 1);
    close_stage(&s);
}

/* ---- ends ---- */

static void a_client_that_leaves_ends_its_poll(void **state)
{
    struct stage s = {0};
    int fd;

    open_stage(&s, state);
    SET_UPSTREAM(&s, UPSTREAM);
    fd = begin(&s, "GET", "/api/tasks/poll/poll", "");
    UNTIL(conductor_polls(&s.up) == 1);
    close(fd);
    UNTIL(conductor_gone(&s.up) == 1);
    close_stage(&s);
}

static void polls_end_at_once_when_the_server_drains(void **state)
{
    struct stage s = {0};
    int fd;

    open_stage(&s, state);
    SET_UPSTREAM(&s, UPSTREAM);
    fd = begin(&s, "GET", "/api/tasks/poll/batch/poll", "");
    UNTIL(conductor_polls(&s.up) == 1);
    server_signal(s.d, SIGTERM);
    assert_int_equal(hear(&s, fd), 503);
    assert_error(&s, 503, "\"retryable\":true");
    assert_int_equal(server_wait(s.d), 0);
    UNTIL(conductor_gone(&s.up) == 1);
    close_stage(&s);
}

static void an_upstream_that_is_down_is_503(void **state)
{
    struct stage s = {0};

    open_stage(&s, state);
    api(s.d, 200, "PUT", "/api/v1/namespaces/default", UPSTREAM, 1);
    assert_int_equal(call(&s, "GET", "/api/workflow/w", NULL), 503);
    assert_error(&s, 503, "cannot connect to the upstream");
    close_stage(&s);
}

static void an_address_that_is_not_allowed_gets_no_connection(void **state)
{
    struct stage s = {0};

    open_stage(&s, state);
    api(s.d, 200, "PUT", "/api/v1/namespaces/default",
        "{'settings':{'upstreams':{'main':{'type':'conductor','url':'http://127.0.0.1:%u/api'}}"
        "}}",
        s.up.port);
    assert_int_equal(call(&s, "GET", "/api/workflow/w", NULL), 502);
    assert_error(&s, 502, "allowNetworks");
    assert_int_equal(conductor_conns(&s.up), 0);
    close_stage(&s);
}

static void without_an_upstream_the_error_says_what_to_configure(void **state)
{
    struct stage s = {0};

    open_stage(&s, state);
    assert_int_equal(call(&s, "GET", "/api/tasks/poll/t", NULL), 404);
    assert_error(&s, 404, "upstream of type conductor");
    assert_int_equal(call(&s, "POST", "/api/workflow/w", "{}"), 200); /* a run of Belfry */
    SET_UPSTREAM(&s, UPSTREAM);
    api(s.d, 201, "PUT", "/api/v1/namespaces/other", "{}");
    assert_int_equal(call(&s, "GET", "/api/tasks/t?namespace=other", NULL), 404);
    assert_error(&s, 404, "upstream of type conductor");
    close_stage(&s);
}

/* ---- HTTP/2 in front ---- */

static void clients_may_use_http2(void **state)
{
    struct stage s = {0};
    struct h2c *h;
    struct h2c_answer *a;
    char *body = calloc(1, 1 << 20);

    open_stage(&s, state);
    SET_UPSTREAM(&s, UPSTREAM);
    assert_non_null(body);
    h = h2c_open(request_connect(s.d));
    a = h2c_ask(h, &(struct h2c_request){.method = "POST",
                                         .path = "/api/tasks",
                                         .authority = "localhost",
                                         .body = {body, 1 << 20},
                                         .name = "content-type",
                                         .value = "application/json"});
    h2c_await(h, a);
    if (!strstr(a->head, ":status: 200\n") || !strstr(a->head, "x-upstream: yes\n"))
        fail_msg("%s", a->head);
    assert_non_null(memmem(a->body, a->body_len, "\"bytes\":1048576}", 16));
    a = h2c_ask(h, &(struct h2c_request){.method = "GET",
                                         .path = "/api/workflow/none",
                                         .authority = "localhost"});
    h2c_await(h, a);
    assert_non_null(strstr(a->head, ":status: 204\n"));
    h2c_close(h);
    free(body);
    close_stage(&s);
}

/* ---- TLS to the upstream ---- */

static void set_tls(struct stage *s, int port, const char *tls)
{
    api(s->d, 200, "PUT", "/api/v1/namespaces/default",
        "{'settings':{'allowNetworks':['127.0.0.0/8'],'upstreams':{'main':{'type':'conductor',"
        "'url':'https://127.0.0.1:%d/api','tls':{%s}}}}}",
        port, tls);
}

static void a_certificate_of_belfry_opens_the_upstream(void **state)
{
    static char ca[CERT_JSON_MAX], cert[CERT_JSON_MAX], key[CERT_JSON_MAX],
        tls[4 * CERT_JSON_MAX];
    struct stage s = {0};
    struct tls_proxy proxy;
    struct cert client;

    open_stage(&s, state);
    cert_make(CERT_EC, "belfry", &client);
    tls_proxy_open_mutual(&proxy, s.up.port, client.cert);
    snprintf(tls, sizeof tls, "'ca':%s,'cert':%s,'key':%s", cert_json(proxy.cert.cert, ca),
             cert_json(client.cert, cert), cert_json(client.key, key));
    set_tls(&s, proxy.port, tls);
    assert_int_equal(call(&s, "POST", "/api/tasks", "{}"), 200);
    assert_has(&s, "\"bytes\":2}");
    assert_int_equal(call(&s, "GET", "/api/workflow/big", NULL), 200);
    assert_int_equal(s.text + s.len - body_of(&s), CONDUCTOR_BIG);
    snprintf(tls, sizeof tls, "'ca':%s", ca); /* no certificate of its own */
    set_tls(&s, proxy.port, tls);
    assert_in_range(call(&s, "GET", "/api/workflow/w", NULL), 502, 503);
    set_tls(&s, proxy.port, ""); /* an unknown authority */
    assert_int_equal(call(&s, "GET", "/api/workflow/w", NULL), 503);
    assert_error(&s, 503, "TLS");
    assert_int_equal(conductor_requests(&s.up), 2);
    tls_proxy_close(&proxy);
    cert_remove(&client);
    close_stage(&s);
}

static void requests_are_counted(void **state)
{
    struct stage s = {0};

    open_stage(&s, state);
    SET_UPSTREAM(&s, UPSTREAM);
    assert_int_equal(call(&s, "GET", "/api/workflow/w", NULL), 200);
    assert_int_equal(call(&s, "GET", "/api/workflow/cut", NULL), 502);
    assert_int_equal(call(&s, "GET", "/metrics", NULL), 200);
    assert_has(&s,
               "belfry_http_requests_total{operation=\"conductor.forward\",code=\"2xx\"} 1\n");
    assert_has(&s,
               "belfry_http_requests_total{operation=\"conductor.forward\",code=\"5xx\"} 1\n");
    close_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(a_request_and_its_answer_pass),
        E2E_TEST(a_connection_is_used_again),
        E2E_TEST(a_workflow_is_started_there_and_not_here),
        E2E_TEST(paths_of_belfry_are_never_forwarded),
        E2E_TEST(ambiguous_paths_are_rejected),
        E2E_TEST(every_framing_of_an_answer_passes),
        E2E_TEST(invalid_answers_are_502),
        E2E_TEST(a_large_body_passes),
        E2E_TEST(a_chunked_body_passes),
        E2E_TEST(two_framings_of_a_request_are_rejected),
        E2E_TEST(bodies_need_little_memory),
        E2E_TEST(a_large_answer_waits_for_a_slow_reader),
        E2E_TEST(an_early_answer_passes),
        E2E_TEST(a_large_body_without_an_upstream_is_collected),
        E2E_TEST(a_client_that_leaves_ends_its_poll),
        E2E_TEST(polls_end_at_once_when_the_server_drains),
        E2E_TEST(an_upstream_that_is_down_is_503),
        E2E_TEST(an_address_that_is_not_allowed_gets_no_connection),
        E2E_TEST(without_an_upstream_the_error_says_what_to_configure),
        E2E_TEST(clients_may_use_http2),
        E2E_TEST(a_certificate_of_belfry_opens_the_upstream),
        E2E_TEST(requests_are_counted),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
