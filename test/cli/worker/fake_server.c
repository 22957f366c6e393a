/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The fake queue server of the worker's tests.
 */
#include "fake_server.h"

#include <sys/stat.h>

#include "base/must.h"
#include "core/time/text.h"
#include "io/clock.h"

enum { ANSWER_MAX = 1 << 20 };

static void check_condition(struct fake *fake)
{
    if (fake->condition && fake->condition(fake))
        loop_stop(fake->loop);
}

static void answer_json(struct exchange *x, int status, struct str body)
{
    static const struct http1_field type = {{"Content-Type", 12}, {"application/json", 16}};

    exchange_answer(x, status, &type, 1, body);
}

/* ---- claims ---- */

static void print_grant(const struct fake *fake, const struct fake_run *run, struct buf *out)
{
    buf_printf(
        out,
        "{\"id\":\"%s\",\"schedule\":\"nightly\",\"namespace\":\"default\","
        "\"queue\":\"q\",\"kind\":\"slot\",\"slot\":\"2027-01-01T00:00:00.000Z\","
        "\"attempt\":%d,\"fence\":%lld,\"input\":{\"text\":\"[\\\"}\"},\"leaseUntil\":\"",
        run->id, run->grants, (long long)run->fence);
    instant_format_ms(clock_now() + fake->lease, out);
    buf_text(out, "\"}");
}

static int read_max(struct exchange *x)
{
    json_auto_t *json = NULL;
    struct err err;

    must(json_read(x->body, &json, &err) == RC_OK);
    return (int)json_integer_value(json_object_get(json, "max"));
}

/* Answers a poll with ready runs; false when there are none. */
static bool grant(struct fake *fake, struct exchange *x)
{
    static char text[ANSWER_MAX];
    struct buf out = BUF(text);
    int max = read_max(x), count = 0, leased = 0;

    buf_text(&out, "{ \"other\": [1, {\"runs\": []}], \"runs\" : [");
    for (int i = 0; i < fake->run_count && count < max; i++) {
        struct fake_run *run = &fake->runs[i];

        if (run->state != FAKE_READY)
            continue;
        run->state = FAKE_LEASED;
        run->fence++;
        run->grants++;
        buf_text(&out, count++ > 0 ? " , " : "");
        print_grant(fake, run, &out);
    }
    buf_text(&out, "]}");
    must(!out.cut);
    for (int i = 0; i < fake->run_count; i++)
        leased += fake->runs[i].state == FAKE_LEASED;
    fake->max_leased = leased > fake->max_leased ? leased : fake->max_leased;
    if (count > 0)
        answer_json(x, 200, buf_as_str(&out));
    return count > 0;
}

static void serve_polls(struct fake *fake)
{
    int kept = 0;

    for (int i = 0; i < fake->poll_count; i++)
        if (!grant(fake, fake->polls[i]))
            fake->polls[kept++] = fake->polls[i];
    fake->poll_count = kept;
}

static void on_gone(void *arg, struct exchange *x)
{
    struct fake *fake = arg;
    int kept = 0;

    for (int i = 0; i < fake->poll_count; i++)
        if (fake->polls[i] != x)
            fake->polls[kept++] = fake->polls[i];
    fake->poll_count = kept;
    exchange_cut(x);
    check_condition(fake);
}

static const struct exchange_watch watch = {.on_gone = on_gone};

static void claim(struct fake *fake, struct exchange *x)
{
    int max = read_max(x);

    fake->max_asked = max > fake->max_asked ? max : fake->max_asked;
    snprintf(fake->last_claim, sizeof fake->last_claim, "%.*s", STR_ARG(x->body));
    must(fake->poll_count < FAKE_POLLS_MAX);
    fake->polls[fake->poll_count++] = x;
    exchange_watch(x, &watch, fake);
    serve_polls(fake);
}

/* ---- reports ---- */

static struct fake_run *run_of(struct fake *fake, const json_t *item)
{
    const char *id = json_string_value(json_object_get(item, "id"));

    for (int i = 0; i < fake->run_count; i++)
        if (id && strcmp(fake->runs[i].id, id) == 0)
            return &fake->runs[i];
    must(false);
    return NULL;
}

/* Checks that all lines end, and that a real server would accept the size. */
static void add_log(struct fake_run *run, const json_t *item)
{
    const json_t *log = json_object_get(item, "log");
    const char *text = json_string_value(log);
    size_t len = json_string_length(log), packed = len;

    if (!log)
        return;
    must(len > 0 && text[len - 1] == '\n' && run->log_len + len < FAKE_LOG_MAX);
    for (size_t i = 0; i < len; i++)
        packed += text[i] == '\n' ? FAKE_LINE_HEAD : 0;
    must(packed <= FAKE_PART_MAX);
    if (!run->log)
        run->log = calloc(1, FAKE_LOG_MAX);
    memcpy(run->log + run->log_len, text, len);
    run->log_len += len;
}

static const char *accept_report(struct fake *fake, struct fake_run *run, const char *kind,
                                 const json_t *item)
{
    if (run->state != FAKE_LEASED ||
        json_integer_value(json_object_get(item, "fence")) != run->fence) {
        fake->stale++;
        return "stale";
    }
    if (fake->refuses && strcmp(fake->refuses, kind) == 0) {
        fake->refused++;
        return "invalid";
    }
    add_log(run, item);
    if (strcmp(kind, "heartbeat") == 0) {
        run->beats++;
        return "ok";
    }
    snprintf(run->how, sizeof run->how, "%s", kind);
    json_decref(run->item);
    run->item = json_deep_copy(item);
    run->state = FAKE_ENDED;
    return "ok";
}

static void reports(struct fake *fake, struct exchange *x, const char *kind)
{
    static char text[ANSWER_MAX];
    struct buf out = BUF(text);
    json_auto_t *json = NULL;
    const json_t *items;
    size_t ok = 0;
    struct err err;

    must(json_read(x->body, &json, &err) == RC_OK);
    items = json_object_get(json, "items");
    must(json_array_size(items) > 0);
    if (fake->refuses_batches && json_array_size(items) > 1) {
        fake->refused++;
        answer_json(x, 400, STR("{\"status\":400,\"detail\":\"too many\"}"));
        return;
    }
    must(strcmp(json_string_value(json_object_get(json, "results")), "notOk") == 0);
    buf_text(&out, "{\"results\":[");
    for (size_t i = 0; i < json_array_size(items); i++) {
        const json_t *item = json_array_get(items, i);
        struct fake_run *run = run_of(fake, item);
        const char *status = accept_report(fake, run, kind, item);

        if (strcmp(status, "ok") == 0 && !run->is_cancelled) {
            ok++;
            continue;
        }
        buf_printf(&out, "%s{\"index\":%zu,\"id\":\"%s\",\"status\":\"%s\"%s}",
                   i > ok ? "," : "", i, run->id, status,
                   run->is_cancelled ? ",\"cancelled\":true" : "");
    }
    buf_printf(&out, "],\"ok\":%zu}", ok);
    must(!out.cut);
    if (!fake->loses_answer) {
        answer_json(x, 200, buf_as_str(&out));
        return;
    }
    fake->loses_answer = false;
    exchange_cut(x);
}

static bool shows_token(const struct fake *fake, const struct http1_request *request)
{
    struct str shown;

    return http1_find(request, STR("Authorization"), &shown) &&
           str_starts(shown, STR("Bearer ")) && str_eq(str_from(shown, 7), str_of(fake->token));
}

static void on_request(void *arg, struct exchange *x)
{
    struct fake *fake = arg;
    const struct http1_request *request = x->request;
    char kind[16] = "";

    must(request->segment_count == 4 && str_eq(request->method, STR("POST")));
    snprintf(kind, sizeof kind, "%.*s", STR_ARG(request->segments[3]));
    fake->requests++;
    if (fake->token && !shows_token(fake, request)) {
        fake->denied_claims += strcmp(kind, "claim") == 0;
        fake->denied_reports += strcmp(kind, "claim") != 0;
        answer_json(x, 401, STR("{\"status\":401,\"detail\":\"this needs a token\"}"));
    } else if (strcmp(kind, "claim") == 0) {
        claim(fake, x);
    } else if (fake->is_mute) {
        fake->unanswered++;
        exchange_watch(x, &watch, fake);
    } else if (fake->unavailable > 0) {
        fake->unavailable--;
        answer_json(x, 503, STR("{\"status\":503,\"detail\":\"not now\"}"));
    } else {
        reports(fake, x, kind);
    }
    check_condition(fake);
}

static int64_t body_max(void *arg, const struct http1_request *request)
{
    (void)arg;
    (void)request;
    return JSON_BYTES_MAX;
}

/* ---- runs ---- */

struct fake_run *fake_add(struct fake *fake)
{
    struct fake_run *run = &fake->runs[fake->run_count];

    must(fake->run_count < FAKE_RUNS_MAX);
    snprintf(run->id, sizeof run->id, "r_%d", fake->run_count++);
    serve_polls(fake);
    return run;
}

void fake_take_over(struct fake *fake, struct fake_run *run)
{
    run->fence++;
    run->state = FAKE_READY;
    serve_polls(fake);
}

/* ---- the process ---- */

static void on_child(void *arg, int signal)
{
    struct fake *fake = arg;

    (void)signal;
    for (int i = 0; i < fake->worker_count; i++) {
        struct fake_worker *worker = &fake->workers[i];
        int status;

        if (worker->status == -2 && waitpid(worker->pid, &status, WNOHANG) == worker->pid)
            worker->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    }
    check_condition(fake);
}

static void on_closed(void *arg)
{
    struct fake *fake = arg;

    fake->listener = listener_free(fake->listener);
    fake->is_closed = true;
    check_condition(fake);
}

static bool is_closed(const struct fake *fake)
{
    return fake->is_closed;
}

void fake_close(struct fake *fake)
{
    while (fake->poll_count > 0)
        exchange_cut(fake->polls[--fake->poll_count]);
    fake->is_closed = false;
    listener_close(fake->listener, 0, on_closed, fake);
    fake_await(fake, is_closed);
}

void fake_listen(struct fake *fake)
{
    struct listener_handler handler = {
        .body_max = body_max, .on_request = on_request, .arg = fake};
    struct err err;

    fake->listener = listener_new(loop_uv(fake->loop), &listener_limits_default, &handler);
    if (listener_bind(fake->listener, "127.0.0.1", fake->port, &fake->port, &err) != RC_OK)
        fail_msg("%s", err.text);
}

int fake_setup(void **state)
{
    struct fake *fake = calloc(1, sizeof *fake);

    assert_non_null(fake);
    fake->lease = 90 * SPAN_S;
    fake->loop = loop_new(NULL, NULL);
    loop_on_signal(fake->loop, SIGCHLD, on_child, fake);
    signal(SIGPIPE, SIG_IGN);
    fake_listen(fake);
    snprintf(fake->dir, sizeof fake->dir, "/tmp/belfry-test-XXXXXX");
    assert_non_null(mkdtemp(fake->dir));
    snprintf(fake->gate, sizeof fake->gate, "%s/gate", fake->dir);
    assert_int_equal(mkfifo(fake->gate, 0600), 0);
    *state = fake;
    return 0;
}

static bool all_ended(const struct fake *fake)
{
    for (int i = 0; i < fake->worker_count; i++)
        if (fake->workers[i].status == -2)
            return false;
    return true;
}

int fake_teardown(void **state)
{
    struct fake *fake = *state;

    for (int i = 0; i < fake->worker_count; i++)
        if (fake->workers[i].status == -2)
            kill(fake->workers[i].pid, SIGKILL);
    fake_await(fake, all_ended);
    fake_close(fake);
    loop_free(fake->loop);
    for (int i = 0; i < fake->worker_count; i++)
        close(fake->workers[i].err);
    for (int i = 0; i < fake->run_count; i++) {
        json_decref(fake->runs[i].item);
        free(fake->runs[i].log);
    }
    unlink(fake->gate);
    assert_int_equal(rmdir(fake->dir), 0);
    free(fake);
    alarm(0);
    return 0;
}

struct fake_worker *fake_start(struct fake *fake, const char *const *words)
{
    const char *all[RUN_WORDS_MAX + 1] = {"worker", "--queue", "q", "--server"};
    struct fake_worker *worker = &fake->workers[fake->worker_count++];
    char url[64];
    int null = open("/dev/null", O_RDWR | O_CLOEXEC), count = 4;

    must(fake->worker_count <= FAKE_WORKERS_MAX);
    snprintf(url, sizeof url, "http://127.0.0.1:%d", fake->port);
    all[count++] = url;
    for (int i = 0; words[i]; i++) {
        must(count < RUN_WORDS_MAX);
        all[count++] = words[i];
    }
    worker->err = run_file("", 0);
    worker->status = -2;
    worker->pid = run_start(all, null, null, fake->err > 0 ? fake->err : worker->err);
    fake->err = 0;
    close(null);
    return worker;
}

void fake_await(struct fake *fake, bool (*condition)(const struct fake *fake))
{
    fake->condition = condition;
    while (!condition(fake))
        loop_run(fake->loop);
    fake->condition = NULL;
}

static bool last_ended(const struct fake *fake)
{
    return fake->workers[fake->worker_count - 1].status != -2;
}

int fake_await_exit(struct fake *fake)
{
    fake_await(fake, last_ended);
    return fake->workers[fake->worker_count - 1].status;
}

void fake_open_gate(struct fake *fake)
{
    int fd = open(fake->gate, O_WRONLY | O_CLOEXEC);

    assert_true(fd >= 0 && write(fd, "go\n", 3) == 3);
    close(fd);
}

const char *fake_errors(const struct fake_worker *worker)
{
    static char text[RUN_TEXT_MAX];
    ssize_t n = pread(worker->err, text, sizeof text - 1, 0);

    text[n > 0 ? n : 0] = '\0';
    return text;
}
