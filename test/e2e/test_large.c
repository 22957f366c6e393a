/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of large and slow requests: which thread works for them, and their end when the client
 * or the server ends first.
 */
#include <dirent.h>
#include <inttypes.h>
#include <signal.h>

#include "base/buf.h"
#include "request.h"

enum {
    BODY_MAX = 1000 * 1000,
    ITEMS_MAX = 1000,
    ITEM_MAX = 8192,
    CRONS = 60,
    TIMES = 3,
    OFTEN = 300,
};

/* A batch of nearly 1 MB: schedules with 60 cron expressions each. */
static char *large_body(void)
{
    struct buf body = {.ptr = malloc(BODY_MAX), .cap = BODY_MAX};

    assert_non_null(body.ptr);
    buf_text(&body, "{'items':[");
    for (int i = 0; i < ITEMS_MAX && body.len + ITEM_MAX < BODY_MAX; i++) {
        buf_printf(&body,
                   "%s{'id':'s%d','action':{'type':'queue','queue':'q'},'spec':{'cron':[",
                   i > 0 ? "," : "", i);
        for (int c = 0; c < CRONS; c++)
            buf_printf(&body, "%s'%d %d * * 1-5'", c > 0 ? "," : "", c, c % 24);
        buf_text(&body, "]}}");
    }
    buf_text(&body, "]}");
    assert_false(body.cut);
    return body.ptr;
}

/* Processor time in nanoseconds of the threads with this name, or of the main thread: "". */
static int64_t time_of(const struct server *d, const char *name)
{
    char path[2 * WORLD_PATH_MAX], text[64];
    struct dirent *entry;
    int64_t sum = 0;
    DIR *dir;

    snprintf(path, sizeof path, "/proc/%d/task", (int)d->pid);
    dir = opendir(path);
    assert_non_null(dir);
    while ((entry = readdir(dir)) != NULL) {
        bool is_main = atoi(entry->d_name) == (int)d->pid;
        int64_t ns = 0;
        FILE *file;

        if (entry->d_name[0] == '.' || is_main != (name[0] == '\0'))
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/comm", (int)d->pid, entry->d_name);
        file = fopen(path, "r");
        assert_non_null(file);
        assert_non_null(fgets(text, sizeof text, file));
        fclose(file);
        if (!is_main && strncmp(text, name, strlen(name)) != 0)
            continue;
        snprintf(path, sizeof path, "/proc/%d/task/%s/schedstat", (int)d->pid, entry->d_name);
        file = fopen(path, "r");
        assert_non_null(file);
        assert_int_equal(fscanf(file, "%" SCNd64, &ns), 1);
        fclose(file);
        sum += ns;
    }
    closedir(dir);
    return sum;
}

/* Processor times do not depend on what else the machine does. */
static void the_io_thread_does_not_parse_large_bodies(void **state)
{
    struct server *d = server_start(*state, NULL);
    int64_t io, readers;
    char *body = large_body();

    io = time_of(d, "");
    readers = time_of(d, "reader");
    for (int i = 0; i < TIMES; i++)
        api(d, 200, "POST", "/api/v1/bulk/schedules/diff", "%s", body);
    for (int i = 0; i < TIMES; i++)
        api(d, 400, "PUT", "/api/v1/schedules/a", "%s", body);
    io = time_of(d, "") - io;
    readers = time_of(d, "reader") - readers;
    if (io * 3 > readers)
        fail_msg("io computed for %" PRId64 " us, the readers for %" PRId64, io / 1000,
                 readers / 1000);
    free(body);
    assert_int_equal(server_stop(d), 0);
}

/* What was received is done, as with small requests. */
static void a_large_request_of_a_client_that_has_gone_is_executed(void **state)
{
    struct server *d = server_start(*state, NULL);
    char *body = large_body();

    close(request_begin(d, "POST", "/api/v1/bulk/schedules", "%s", body));
    UNTIL(ask(d, "GET", "/api/v1/schedules/s0", NULL).status == 200);
    free(body);
    assert_int_equal(server_stop(d), 0);
}

/* Each gets an answer or the end of its connection. */
static void a_server_stops_while_it_parses_large_requests(void **state)
{
    struct server *d = server_start(*state, NULL);
    int fds[TIMES];
    char *body = large_body();

    for (int i = 0; i < TIMES; i++)
        fds[i] = request_begin(d, "POST", "/api/v1/bulk/schedules/put", "%s", body);
    server_signal(d, SIGTERM);
    for (int i = 0; i < TIMES; i++) {
        int status = request_end(d, fds[i]).status;

        if (status != 0 && status != 200 && status != 503)
            fail_msg("status %d", status);
    }
    free(body);
    assert_int_equal(server_wait(d), 0);
}

/* A request that the rate limit rejects is not parsed: its body is not even JSON. */
static void the_rate_limit_applies_before_a_large_body_is_parsed(void **state)
{
    struct server *d = server_start(*state, NULL);
    char *body = large_body();

    api(d, 201, "PUT", "/api/v1/namespaces/n", "{'settings':{'rateWrite':1}}");
    api(d, 200, "POST", "/api/v1/bulk/schedules/put?namespace=n", "%s", body);
    body[0] = 'x';
    api(d, 429, "POST", "/api/v1/bulk/schedules/put?namespace=n", "%s", body);
    free(body);
    assert_int_equal(server_stop(d), 0);
}

static void ask_often(struct server *d)
{
    for (int i = 0; i < OFTEN; i++)
        api(d, 404, "GET", "/api/v1/schedules/none", NULL);
}

/* A preview whose times take long to find: a third of the slots is moved to other days. */
static int begin_slow_read(const struct server *d)
{
    char text[ITEM_MAX];
    struct buf crons = BUF(text);

    for (int c = 0; c < CRONS; c++)
        buf_printf(&crons, "%s'%d */%d * * * *'", c > 0 ? "," : "", c, 1 + c % 7);
    assert_false(crons.cut);
    return request_begin(d, "POST", "/api/v1/preview",
                         "{'count':1000,'spec':{'cron':[%s],'exclude':{'shift':'next',"
                         "'dates':['2020-01-01'],'calendars':[{'hour':'3-4','minute':'*',"
                         "'second':'*'},{'hour':'*','minute':'0-30/2','second':'*'}]}}}",
                         text);
}

/* The read is not sent to the slow reader again and again. */
static void a_slow_read_whose_client_has_gone_while_it_waited_ends(void **state)
{
    struct server *d = server_start(*state, NULL);
    int64_t before, after;
    int fd, gone;

    assert_int_equal(request_end(d, begin_slow_read(d)).status, 200); /* now known as slow */
    before = time_of(d, "");
    ask_often(d);
    before = time_of(d, "") - before;
    fd = begin_slow_read(d);
    gone = begin_slow_read(d);
    close(gone);
    assert_int_equal(request_end(d, fd).status, 200);
    after = time_of(d, "");
    ask_often(d);
    after = time_of(d, "") - after;
    if (after > 3 * before)
        fail_msg("io computed for %" PRId64 " us instead of %" PRId64, after / 1000,
                 before / 1000);
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(the_io_thread_does_not_parse_large_bodies),
        E2E_TEST(a_large_request_of_a_client_that_has_gone_is_executed),
        E2E_TEST(a_server_stops_while_it_parses_large_requests),
        E2E_TEST(the_rate_limit_applies_before_a_large_body_is_parsed),
        E2E_TEST(a_slow_read_whose_client_has_gone_while_it_waited_ends),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
