/* SPDX-License-Identifier: Apache-2.0 */
/*
 * HEAD (RFC 9110 section 9.3.2): the answer has the status and the fields of the answer to GET
 * and no body, and the connection stays usable.  Every path that has GET, and errors.
 */
#include "request.h"

#include "api/call/operation.h"
#include "h2_client.h"

enum { HEAD_MAX = 16 * 1024, PATH_BYTES = 512 };

struct head_case {
    const char *path;
    const char *fields; /* each ends with CR LF */
    int status;         /* 0: any */
};

static const char *const no_fields = "Host: localhost\r\n";

/* The path with every variable replaced: by "x", the only schedule, or by its namespace. */
static void fill_path(const char *pattern, char ret[PATH_BYTES])
{
    struct buf out = {.ptr = ret, .cap = PATH_BYTES};

    while (*pattern) {
        size_t plain = strcspn(pattern, "{");

        buf_add(&out, pattern, plain);
        pattern += plain;
        if (*pattern == '\0')
            break;
        buf_text(&out, strncmp(pattern, "{namespace}", 11) == 0 ? "default" : "x");
        pattern = strchr(pattern, '}') + 1;
    }
    assert_false(out.cut);
}

/* Reads up to the empty line and not a byte further. */
static void read_head(int fd, const struct head_case *c, char ret[HEAD_MAX])
{
    size_t len = 0;

    do {
        if (len == HEAD_MAX - 1 || recv(fd, ret + len, 1, 0) != 1)
            fail_msg("%s: no complete head", c->path);
        ret[++len] = '\0';
    } while (len < 4 || strcmp(ret + len - 4, "\r\n\r\n") != 0);
}

static int send_request(const struct server *d, const char *method, const struct head_case *c)
{
    int fd = request_connect(d);
    char text[1024];
    int len = snprintf(text, sizeof text, "%s %s HTTP/1.1\r\n%s\r\n", method, c->path,
                       c->fields);

    assert_true(len > 0 && (size_t)len < sizeof text);
    assert_int_equal(send(fd, text, (size_t)len, MSG_NOSIGNAL), len);
    return fd;
}

/* Status and fields must be equal, except values that differ between two requests. */
static void compare_heads(const struct head_case *c, char *get, char *head)
{
    static const char *const varying[] = {
        "Date:", "Content-Length:", "X-Request-Id:", "RateLimit"};
    char *next_get, *next_head;

    for (char *a = strtok_r(get, "\r\n", &next_get), *b = strtok_r(head, "\r\n", &next_head);
         a || b;
         a = strtok_r(NULL, "\r\n", &next_get), b = strtok_r(NULL, "\r\n", &next_head)) {
        size_t same = 0;

        if (!a || !b)
            fail_msg("%s: GET has %s, HEAD has %s", c->path, a ? a : "nothing",
                     b ? b : "nothing");
        for (size_t i = 0; i < sizeof varying / sizeof varying[0]; i++)
            if (strncmp(a, varying[i], strlen(varying[i])) == 0)
                same = strlen(varying[i]);
        if (same > 0 ? strncmp(a, b, same) != 0 : strcmp(a, b) != 0)
            fail_msg("%s: GET has %s, HEAD has %s", c->path, a, b);
    }
}

/*
 * Over HTTP/1.1, the first byte after the head belongs to the next answer, or is the end.
 * Returns the status.
 */
static int ask_head(struct server *d, const struct head_case *c, char ret[HEAD_MAX])
{
    static const char next[] = "GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n";
    char after[HEAD_MAX];
    int fd = send_request(d, "HEAD", c);

    read_head(fd, c, ret);
    if (strstr(ret, "Connection: close\r\n")) {
        assert_int_equal(recv(fd, after, 1, 0), 0);
    } else {
        assert_int_equal(send(fd, next, sizeof next - 1, MSG_NOSIGNAL), sizeof next - 1);
        read_head(fd, c, after);
        if (strncmp(after, "HTTP/1.1 200 OK\r\n", 17) != 0)
            fail_msg("%s: after HEAD comes %s", c->path, after);
    }
    close(fd);
    return (int)strtol(ret + strlen("HTTP/1.1 "), NULL, 10);
}

static void check_http_1(struct server *d, const struct head_case *c)
{
    char get[HEAD_MAX], head[HEAD_MAX];
    int fd = send_request(d, "GET", c), status;

    read_head(fd, c, get);
    close(fd);
    status = ask_head(d, c, head);
    if (c->status != 0 && status != c->status)
        fail_msg("%s: %d, not %d", c->path, status, c->status);
    compare_heads(c, get, head);
}

static void check_http_2(struct server *d, const char *path)
{
    struct h2c *h = h2c_open(request_connect(d));
    struct h2c_answer *a = h2c_ask(
        h, &(struct h2c_request){.method = "HEAD", .path = path, .authority = "localhost"});
    struct h2c_answer *next;

    h2c_await(h, a);
    if (a->error != NGHTTP2_NO_ERROR || a->body_len > 0 ||
        strncmp(a->head, ":status: ", 9) != 0)
        fail_msg("%s: error %u, %zu bytes of body, %s", path, a->error, a->body_len, a->head);
    next = h2c_get(h, "/healthz");
    h2c_await(h, next);
    assert_int_equal(next->error, NGHTTP2_NO_ERROR);
    h2c_close(h);
}

static void every_path_with_get_has_head(void **state)
{
    struct server *d = server_start(*state, NULL);
    int count = 0;

    make_schedule(d, "x", "'action':{'type':'queue','queue':'x'}");
    for (int i = 0; i < operation_count; i++) {
        char path[PATH_BYTES];

        if (strcmp(operations[i].method, "GET") != 0)
            continue;
        fill_path(operations[i].path, path);
        check_http_1(d, &(struct head_case){path, no_fields, 0});
        check_http_2(d, path);
        count++;
    }
    assert_true(count > 40);
    assert_int_equal(server_stop(d), 0);
}

static void errors_and_compressed_answers_have_no_body_either(void **state)
{
    static const struct head_case cases[] = {
        {"/openapi.json", "Host: localhost\r\nAccept-Encoding: gzip\r\n", 200},
        {"/api/v1/schedules?limit=none", "Host: localhost\r\n", 400},
        {"/api/v1/schedules", "Host: localhost\r\nAuthorization: Bearer none\r\n", 401},
        {"/api/v1/schedules", "Host: elsewhere.example\r\n", 0}, /* DNS rebinding */
        {"/api/v1/nothing", "Host: localhost\r\n", 404},
        {"/api/v1/schedules/x/pause", "Host: localhost\r\n", 405},
        {"/api/v1/schedules", "Host: localhost\r\nContent-Length: 9000000\r\n", 413},
        {"/%zz", "Host: localhost\r\n", 400},
        {"/a b", "Host: localhost\r\n", 400},
        {"/", "", 400},
    };
    struct server *d = server_start(*state, NULL);

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++)
        check_http_1(d, &cases[i]);
    check_http_2(d, "/api/v1/schedules?limit=none");
    check_http_2(d, "/api/v1/nothing");
    check_http_2(d, "/api/v1/schedules/x/pause");
    check_http_2(d, "/%zz");
    assert_int_equal(server_stop(d), 0);
}

static void a_rate_limited_head_has_no_body(void **state)
{
    struct server *d = server_start(*state,
                                    &(struct server_start){.args = WORDS("--rate-read", "1")});
    const struct head_case c = {"/api/v1/schedules", no_fields, 429};
    char head[HEAD_MAX];

    UNTIL(ask_head(d, &c, head) == 429);
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(every_path_with_get_has_head),
        E2E_TEST(errors_and_compressed_answers_have_no_body_either),
        E2E_TEST(a_rate_limited_head_has_no_body),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
