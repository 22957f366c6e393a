/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends HTTP requests to a server of the test and records them for test/openapi.
 */
#include "request.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>

#include "record.h"

enum { BODY_MAX = 9 << 20, ANSWER_MAX = 32 << 20, PATH_STEP_MAX = 64, LINE_MAX = 4096 };

static int connect_to(const struct server *d)
{
    const struct timeval patience = {.tv_sec = PATIENCE_MS / 1000};
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons(d->port)};
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_true(fd >= 0);
    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience), 0);
    if (connect(fd, (struct sockaddr *)&to, sizeof to) == 0)
        return fd;
    close(fd);
    return -1;
}

static void send_all(int fd, const char *bytes, size_t len)
{
    while (len > 0) {
        ssize_t n = send(fd, bytes, len, MSG_NOSIGNAL);

        if (n <= 0)
            return; /* reading the answer will fail */
        bytes += n;
        len -= (size_t)n;
    }
}

static int send_request(const struct server *d, const char *method, const char *path,
                        const char *body)
{
    static const char form[] = "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n"
                               "Content-Type: application/json\r\nContent-Length: %zu\r\n\r\n";
    char head[2 * LINE_MAX];
    int fd = connect_to(d), len;

    if (fd < 0)
        return fd;
    len = snprintf(head, sizeof head, form, method, path, strlen(body));
    assert_in_range(len, 1, (int)sizeof head - 1);
    send_all(fd, head, (size_t)len);
    send_all(fd, body, strlen(body));
    return fd;
}

/* The caller frees the result. */
static char *format(const char *form, va_list args) PRINTF(1, 0);

static char *format(const char *form, va_list args)
{
    char *body = malloc(BODY_MAX);
    int len = 0;

    assert_non_null(body);
    body[0] = '\0';
    if (form)
        len = vsnprintf(body, BODY_MAX, form, args);
    assert_in_range(len, 0, BODY_MAX - 1);
    for (char *c = body; *c != '\0'; c++)
        if (*c == '\'')
            *c = '"';
    return body;
}

/* The last answer with its head. */
static char received[ANSWER_MAX + 1];

static struct answer read_answer(struct world *world, int fd)
{
    struct answer answer = {0};
    size_t len = 0;
    const char *body;
    ssize_t n;

    while (len < ANSWER_MAX && (n = recv(fd, received + len, ANSWER_MAX - len, 0)) > 0)
        len += (size_t)n;
    close(fd);
    received[len] = '\0';
    body = strstr(received, "\r\n\r\n");
    if (strncmp(received, "HTTP/1.1 ", 9) != 0 || !body)
        return answer;
    answer.status = (int)strtol(received + 9, NULL, 10);
    answer.json = world_keep(world, json_loads(body + 4, JSON_DECODE_ANY, NULL));
    return answer;
}

#define FORMATTED(variable, form)        \
    va_list args;                        \
    va_start(args, form);                \
    char *variable = format(form, args); \
    va_end(args)

int request_begin(const struct server *d, const char *method, const char *path,
                  const char *body, ...)
{
    FORMATTED(text, body);
    int fd = send_request(d, method, path, text);

    free(text);
    assert_true(fd >= 0);
    return fd;
}

struct answer request_end(struct server *d, int fd)
{
    return read_answer(d->world, fd);
}

int request_connect(const struct server *d)
{
    int fd = connect_to(d);

    assert_true(fd >= 0);
    return fd;
}

void request_send_head(int fd, const char *method, const char *path)
{
    char head[LINE_MAX];

    snprintf(head, sizeof head, "%s %s HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n",
             method, path);
    send_all(fd, head, strlen(head));
}

void request_send_rest(int fd)
{
    send_all(fd, "\r\n", 2);
}

bool request_is_answered(int fd)
{
    struct pollfd ready = {.fd = fd, .events = POLLIN};

    return poll(&ready, 1, 0) > 0;
}

/* Records the request and its answer for test/openapi. */
static void record(const char *method, const char *path, const char *sent, int status)
{
    static const char field[] = "\r\nContent-Type: ";
    char what[2 * LINE_MAX], type[PATH_STEP_MAX] = "";
    const char *body = strstr(received, "\r\n\r\n"), *at = strcasestr(received, field);

    if (!body)
        return;
    if (at && at < body) {
        at += sizeof field - 1;
        snprintf(type, sizeof type, "%.*s", (int)strcspn(at, ";\r"), at);
    }
    snprintf(what, sizeof what, "%s %s", method, path);
    record_exchange(&(struct exchange_record){what, sent, status, type, str_of(body + 4)});
}

static struct answer request_text(struct server *d, const char *method, const char *path,
                                  const char *body)
{
    int fd = send_request(d, method, path, body);
    struct answer answer = {0};

    if (fd < 0)
        return answer;
    answer = read_answer(d->world, fd);
    record(method, path, body, answer.status);
    return answer;
}

struct answer ask(struct server *d, const char *method, const char *path, const char *body, ...)
{
    FORMATTED(text, body);
    struct answer answer = request_text(d, method, path, text);

    free(text);
    return answer;
}

json_t *api(struct server *d, int status, const char *method, const char *path,
            const char *body, ...)
{
    FORMATTED(text, body);
    struct answer answer = request_text(d, method, path, text);

    free(text);
    if (answer.status != status) {
        char *shown = answer.json ? json_dumps(answer.json, JSON_ENCODE_ANY) : NULL;

        fail_msg("%s %s: %d, not %d: %s", method, path, answer.status, status,
                 shown ? shown : "no JSON");
    }
    return answer.json;
}

/* ---- JSON ---- */

static const json_t *step_into(const json_t *json, const char *step, size_t len)
{
    char name[PATH_STEP_MAX];

    assert_in_range(len, 1, sizeof name - 1);
    memcpy(name, step, len);
    name[len] = '\0';
    return step[0] >= '0' && step[0] <= '9'
               ? json_array_get(json, (size_t)strtol(name, NULL, 10))
               : json_object_get(json, name);
}

const json_t *at(const json_t *json, const char *path)
{
    const json_t *here = json;

    for (const char *p = path; *p != '\0';) {
        size_t len = strcspn(p, ".[]");

        if (len > 0)
            here = step_into(here, p, len);
        p += len;
        p += strspn(p, ".[]");
    }
    if (!here) {
        char *shown = json ? json_dumps(json, JSON_ENCODE_ANY) : NULL;

        fail_msg("there is no %s in %s", path, shown ? shown : "no JSON");
    }
    return here;
}

const char *text_at(const json_t *json, const char *path)
{
    const char *text = json_string_value(at(json, path));

    return text ? text : "(no text)";
}

int64_t number_at(const json_t *json, const char *path)
{
    assert_true(json_is_integer(at(json, path)));
    return json_integer_value(at(json, path));
}

/* ---- frequent requests ---- */

void make_schedule(struct server *d, const char *id, const char *body, ...)
{
    FORMATTED(text, body);

    api(d, 201, "POST", "/api/v1/schedules", "{'id':'%s',%s}", id, text);
    free(text);
}

const char *trigger(struct server *d, const char *id)
{
    char path[LINE_MAX];

    snprintf(path, sizeof path, "/api/v1/schedules/%s/trigger", id);
    return text_at(api(d, 202, "POST", path, NULL), "id");
}

const json_t *claim(struct server *d, const char *queue, int max, const char *wait)
{
    return at(api(d, 200, "POST", "/api/v1/queues/claim",
                  "{'queues':['%s'],'max':%d,'wait':'%s','worker':'w'}", queue, max, wait),
              "runs");
}

struct answer tell_run(struct server *d, const char *verb, const json_t *run, const char *extra)
{
    char path[LINE_MAX];

    snprintf(path, sizeof path, "/api/v1/runs/%s/%s", text_at(run, "id"), verb);
    return ask(d, "POST", path, "{'fence':%lld%s}", (long long)number_at(run, "fence"), extra);
}

const json_t *schedule_state(struct server *d, const char *id)
{
    char path[LINE_MAX];

    snprintf(path, sizeof path, "/api/v1/schedules/%s", id);
    return at(api(d, 200, "GET", path, NULL), "state");
}
