/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of limits against hostile clients: sizes at the limit and one beyond, hostile JSON, and
 * thousands of connections.
 */
#include <dirent.h>
#include <sys/socket.h>

#include "base/str.h"
#include "request.h"
#include "wire/http1/http1.h"
#include "wire/json/json.h"

enum { TEXT_MAX = 16 << 20, ANSWER_MAX = 4096, BODY_MAX = JSON_BYTES_MAX };

/* A request that is built from parts. */
struct text {
    char *ptr;
    size_t len;
};

static struct text text_new(void)
{
    struct text text = {.ptr = malloc(TEXT_MAX)};

    assert_non_null(text.ptr);
    return text;
}

static void add(struct text *text, const char *what)
{
    size_t len = strlen(what);

    assert_true(text->len + len < TEXT_MAX);
    memcpy(text->ptr + text->len, what, len);
    text->len += len;
}

static void add_times(struct text *text, const char *what, size_t times)
{
    for (size_t i = 0; i < times; i++)
        add(text, what);
}

/* Sends the text; returns the status of the answer. */
static int status_of(struct server *d, const struct text *text)
{
    int fd = request_connect(d), status = 0;
    char answer[ANSWER_MAX] = "";
    size_t len = 0;
    ssize_t n;

    assert_true(fd >= 0);
    for (size_t at = 0; at < text->len; at += (size_t)n) {
        n = send(fd, text->ptr + at, text->len - at, MSG_NOSIGNAL);
        if (n <= 0)
            break; /* the server refused it early */
    }
    while (!strstr(answer, "\r\n") && len < sizeof answer - 1) {
        n = recv(fd, answer + len, sizeof answer - 1 - len, 0);
        assert_true(n > 0);
        len += (size_t)n;
        answer[len] = '\0';
    }
    assert_int_equal(sscanf(answer, "HTTP/1.1 %d ", &status), 1);
    close(fd);
    return status;
}

#define TO_HEALTH    "GET /healthz HTTP/1.1\r\nHost: localhost\r\n"
#define TO_SCHEDULES "POST /api/v1/schedules HTTP/1.1\r\nHost: localhost\r\n"

static int with_line_of(struct server *d, size_t len)
{
    struct text text = text_new();
    int status;

    add(&text, "GET /");
    add_times(&text, "a", len - strlen("GET /") - strlen(" HTTP/1.1"));
    add(&text, " HTTP/1.1\r\nHost: localhost\r\n\r\n");
    status = status_of(d, &text);
    free(text.ptr);
    return status;
}

/* Sends header lines, Host included, of `len` bytes in total. */
static int with_section_of(struct server *d, size_t len)
{
    struct text text = text_new();
    size_t left = len - strlen("Host: localhost");
    int status;

    add(&text, TO_HEALTH);
    while (left > 0) {
        size_t line = left < 4000 ? left : left < 8000 ? left / 2 : 4000;

        add(&text, "X: ");
        add_times(&text, "a", line - strlen("X: "));
        add(&text, "\r\n");
        left -= line;
    }
    add(&text, "\r\n");
    status = status_of(d, &text);
    free(text.ptr);
    return status;
}

static int with_fields(struct server *d, size_t count)
{
    struct text text = text_new();
    int status;

    add(&text, TO_HEALTH);
    add_times(&text, "X: a\r\n", count - 1); /* one more is Host */
    add(&text, "\r\n");
    status = status_of(d, &text);
    free(text.ptr);
    return status;
}

static void heads_are_accepted_up_to_their_limits(void **state)
{
    struct server *d = server_start(*state, NULL);

    assert_int_equal(with_line_of(d, HTTP1_LINE_MAX), 404);
    assert_int_equal(with_line_of(d, HTTP1_LINE_MAX + 1), 414);
    assert_int_equal(with_line_of(d, 1 << 20), 414);
    assert_int_equal(with_section_of(d, HTTP1_SECTION_MAX), 200);
    assert_int_equal(with_section_of(d, HTTP1_SECTION_MAX + 1), 431);
    assert_int_equal(with_section_of(d, 1 << 20), 431);
    assert_int_equal(with_fields(d, HTTP1_FIELDS_MAX), 200);
    assert_int_equal(with_fields(d, HTTP1_FIELDS_MAX + 1), 431);
    assert_int_equal(with_fields(d, 10000), 431);
    assert_int_equal(server_stop(d), 0);
}

/* Creates a schedule with the text as its `input`, padded with spaces to the length. */
static int with_input(struct server *d, const char *id, const struct text *input, size_t len,
                      bool is_chunked)
{
    struct text text = text_new(), body = text_new();
    char line[256];
    int status;

    snprintf(line, sizeof line,
             "{\"id\":\"%s\",\"action\":{\"type\":\"queue\",\"queue\":\"q\",", id);
    add(&body, line);
    add(&body, "\"input\":{\"v\":");
    memcpy(body.ptr + body.len, input->ptr, input->len);
    body.len += input->len;
    add(&body, "}}}");
    if (len > body.len)
        add_times(&body, " ", len - body.len);
    add(&text, TO_SCHEDULES "Content-Type: application/json\r\n");
    snprintf(line, sizeof line,
             is_chunked ? "Transfer-Encoding: chunked\r\n\r\n%zx\r\n"
                        : "Content-Length: %zu\r\n\r\n",
             body.len);
    add(&text, line);
    memcpy(text.ptr + text.len, body.ptr, body.len);
    text.len += body.len;
    if (is_chunked)
        add(&text, "\r\n0\r\n\r\n");
    status = status_of(d, &text);
    free(text.ptr);
    free(body.ptr);
    return status;
}

static void bodies_are_accepted_up_to_their_limit(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct text input = text_new();

    add(&input, "{}");
    assert_int_equal(with_input(d, "a", &input, BODY_MAX, false), 201);
    assert_int_equal(with_input(d, "b", &input, BODY_MAX, true), 201);
    assert_int_equal(with_input(d, "c", &input, BODY_MAX + 1, false), 413);
    assert_int_equal(with_input(d, "c", &input, BODY_MAX + 1, true), 413);
    assert_int_equal(with_input(d, "c", &input, 3 * BODY_MAX / 2, false), 413);
    api(d, 404, "GET", "/api/v1/schedules/c", NULL);
    free(input.ptr);
    assert_int_equal(server_stop(d), 0);
}

/* ---- JSON ---- */

static int nested(struct server *d, const char *open, const char *close, size_t depth)
{
    struct text input = text_new();
    int status;

    add_times(&input, open, depth - 3); /* the body, `action` and `input` are three levels */
    add(&input, strcmp(open, "[") == 0 ? "" : "1");
    add_times(&input, close, depth - 3);
    status = with_input(d, "n", &input, 0, false);
    free(input.ptr);
    if (status == 201)
        api(d, 204, "DELETE", "/api/v1/schedules/n", NULL);
    return status;
}

static void json_is_accepted_up_to_its_nesting_limit(void **state)
{
    struct server *d = server_start(*state, NULL);

    assert_int_equal(nested(d, "[", "]", JSON_DEPTH_MAX), 201);
    assert_int_equal(nested(d, "[", "]", JSON_DEPTH_MAX + 1), 400);
    assert_int_equal(nested(d, "{\"a\":", "}", JSON_DEPTH_MAX), 201);
    assert_int_equal(nested(d, "{\"a\":", "}", JSON_DEPTH_MAX + 1), 400);
    assert_int_equal(nested(d, "[", "", 1000 * 1000), 400);
    assert_int_equal(nested(d, "{\"a\":", "", 200 * 1000), 400);
    assert_int_equal(server_stop(d), 0);
}

static void hostile_json_is_refused(void **state)
{
    static const struct {
        const char *what, *before, *again;
        size_t times;
        const char *after;
    } rows[] = {
        {"a key twice", "{\"a\":1,\"a\":2}", "", 0, ""},
        {"a key twice, once escaped", "{\"a\":1,\"\\u0061\":2}", "", 0, ""},
        {"many empty lists", "[[]", ",[]", JSON_VALUES_MAX, "]"},
        {"many numbers", "[1", ",1", JSON_VALUES_MAX, "]"},
        {"a number without end", "[1", "0", 5000, "]"},
        {"an exponent without end", "[1e", "9", 400, "]"},
        {"beyond 64 bits", "[18446744073709551616]", "", 0, ""},
        {"beyond a double", "[1e400]", "", 0, ""},
        {"an escaped zero byte", "\"a\\u0000b\"", "", 0, ""},
        {"half of a surrogate pair", "\"\\ud800\"", "", 0, ""},
        {"not UTF-8", "\"\xff\"", "", 0, ""},
        {"an overlong slash", "\"\xc0\xaf\"", "", 0, ""},
        {"a line's end in a text", "\"a\nb\"", "", 0, ""},
        {"NaN", "[NaN]", "", 0, ""},
        {"a comment", "[1/*2*/]", "", 0, ""},
        {"a comma too much", "[1,]", "", 0, ""},
        {"single quotes", "['a']", "", 0, ""},
    };
    struct server *d = server_start(*state, NULL);
    struct text harmless = {.ptr = (char[]){"[1e3, \"\\ud83d\\ude00\", {\"a\":1,\"b\":1}]"}};

    harmless.len = strlen(harmless.ptr);
    assert_int_equal(with_input(d, "harmless", &harmless, 0, false), 201);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct text input = text_new();
        int status;

        add(&input, rows[i].before);
        add_times(&input, rows[i].again, rows[i].times);
        add(&input, rows[i].after);
        status = with_input(d, "hostile", &input, 0, false);
        if (status != 400)
            fail_msg("%s: %d", rows[i].what, status);
        free(input.ptr);
    }
    api(d, 404, "GET", "/api/v1/schedules/hostile", NULL);
    assert_int_equal(ask(d, "GET", "/healthz", NULL).status, 200);
    assert_int_equal(server_stop(d), 0);
}

/* ---- connections ---- */

static int descriptors_of(const struct server *d)
{
    char path[64];
    int count = 0;
    DIR *dir;

    snprintf(path, sizeof path, "/proc/%d/fd", (int)d->pid);
    dir = opendir(path);
    assert_non_null(dir);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

/* Opens one connection of a flood: some send nothing, some a part, some all; none reads. */
static int flood_one(struct server *d, int i)
{
    static const char *const says[] = {"",
                                       "G",
                                       TO_HEALTH,
                                       TO_HEALTH "\r\n",
                                       "\x16\x03\x01",
                                       TO_SCHEDULES "Content-Length: 1000000\r\n\r\n{"};
    const char *text = says[(size_t)i % (sizeof says / sizeof says[0])];
    int fd = request_connect(d);

    assert_true(fd >= 0);
    assert_int_equal(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
    return fd;
}

static void a_flood_of_connections_leaks_no_descriptor(void **state)
{
    enum { ROUNDS = 10, AT_ONCE = 300 };
    const struct linger hard = {.l_onoff = 1, .l_linger = 0};
    struct server *d = server_start(*state, NULL);
    int before, fds[AT_ONCE];

    assert_int_equal(ask(d, "GET", "/healthz", NULL).status, 200);
    before = descriptors_of(d);
    for (int round = 0; round < ROUNDS; round++) {
        for (int i = 0; i < AT_ONCE; i++)
            fds[i] = flood_one(d, i);
        assert_int_equal(ask(d, "GET", "/healthz", NULL).status, 200);
        for (int i = 0; i < AT_ONCE; i++) {
            if (i % 2 == round % 2) /* reset the connection instead of closing it */
                setsockopt(fds[i], SOL_SOCKET, SO_LINGER, &hard, sizeof hard);
            close(fds[i]);
        }
    }
    UNTIL(descriptors_of(d) <= before);
    assert_int_equal(ask(d, "GET", "/readyz", NULL).status, 200);
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(heads_are_accepted_up_to_their_limits),
        E2E_TEST(bodies_are_accepted_up_to_their_limit),
        E2E_TEST(json_is_accepted_up_to_its_nesting_limit),
        E2E_TEST(hostile_json_is_refused),
        E2E_TEST(a_flood_of_connections_leaks_no_descriptor),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
