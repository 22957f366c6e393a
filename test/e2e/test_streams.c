/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of streams of events and logs: nothing is lost or repeated, even after a crash.
 */
#include "peers/listen.h"

#include <signal.h>
#include <sys/socket.h>

enum {
    CYCLES = 4,
    TRIGGERS = 10,
    CROWD = 100,
    FLOOD = 200, /* batches of BATCH schedules: megabytes of events */
    FLOOD_SLOWLY = 30,
    SLOW_STEP = 2, /* batches between two reads of a slow client */
    BATCH = 100,
    LONG = 200, /* bytes of a name, so that fewer schedules suffice */
    TEXT_MAX = 256,
    ADDRESS_MAX = 1024,
    BODY_MAX = 1 << 16,
};

#define QUEUED "'action':{'type':'queue','queue':'q'}"
#define EVENTS "/api/v1/events"
#define ALL    QUEUED ",'policies':{'overlap':'allowAll'}"

/* All events from the pages, oldest first, each as "id type". */
static json_t *all_pages(struct server *d, const char *query)
{
    json_t *all = world_keep(d->world, json_array());
    char path[ADDRESS_MAX], after[TEXT_MAX] = "oldest";
    bool has_more = true;

    while (has_more) {
        const json_t *page;

        snprintf(path, sizeof path, EVENTS "?limit=1000&after=%s%s", after, query);
        page = api(d, 200, "GET", path, NULL);
        json_array_extend(all, json_object_get(page, "events"));
        snprintf(after, sizeof after, "%s", text_at(page, "cursor"));
        has_more = json_is_true(json_object_get(page, "more"));
    }
    return all;
}

/* The events of the stream, without `begin`, must equal those of the pages from `from` on. */
static int assert_same(const struct listener *l, json_t *all, int from)
{
    for (int i = 0; i < l->count; i++) {
        if (strcmp(l->events[i].name, "begin") == 0)
            continue;
        if (!json_equal(l->events[i].data, json_array_get(all, (size_t)from)))
            fail_msg("%d: %s, not %s", from, json_dumps(l->events[i].data, 0),
                     json_dumps(json_array_get(all, (size_t)from), 0));
        assert_string_equal(l->events[i].id, text_at(l->events[i].data, "id"));
        assert_string_equal(l->events[i].name, text_at(l->events[i].data, "type"));
        from++;
    }
    return from;
}

static void events_are_sent_as_they_occur(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct listener *l = listen_open(d, EVENTS, NULL);

    listen_await(l, 1);
    assert_string_equal(l->events[0].name, "begin");
    make_schedule(d, "s", ALL);
    trigger(d, "s");
    listen_await(l, 3);
    assert_string_equal(l->events[1].name, "schedule.created");
    assert_string_equal(l->events[2].name, "run.ready");
    assert_string_equal(text_at(l->events[2].data, "schedule"), "s");
    api(d, 204, "DELETE", "/api/v1/schedules/s", NULL);
    listen_await(l, 5);
    assert_string_equal(l->events[3].name, "schedule.deleted");
    assert_string_equal(l->events[4].name, "run.cancelled");
    assert_int_equal(server_stop(d), 0);
    listen_await_end(l); /* a server that stops does not wait for streams */
    listen_close(l);
}

/* A client listens between two kills, resumes after its last event, and misses nothing. */
static void a_stream_resumes_after_a_kill_without_loss(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct listener *parts[CYCLES + 1];
    const char *last = "1.0";
    int at = 0;
    json_t *all;

    make_schedule(d, "s", ALL);
    for (int i = 0; i < CYCLES; i++) {
        parts[i] = listen_open(d, EVENTS "?everything=true", last);
        for (int n = 0; n < TRIGGERS; n++)
            trigger(d, "s");
        listen_await(parts[i], 1 + i % 2 * TRIGGERS); /* some of them, or most */
        server_kill(d);
        listen_await_end(parts[i]);
        last = listen_last_id(parts[i]);
        d = server_restart(d, NULL);
    }
    parts[CYCLES] = listen_open(d, EVENTS "?everything=true", last);
    make_schedule(d, "end", ALL);
    all = all_pages(d, "&everything=true");
    assert_true(json_array_size(all) >= CYCLES * TRIGGERS + 2);
    for (int i = 0; i <= CYCLES; i++) {
        if (i == CYCLES)
            listen_await(parts[i], (int)json_array_size(all) - at + 1);
        at = assert_same(parts[i], all, at);
        listen_close(parts[i]);
    }
    assert_int_equal(at, (int)json_array_size(all));
    assert_int_equal(server_stop(d), 0);
}

static void flood(struct server *d, int from, int count)
{
    static char body[BODY_MAX];

    for (int i = from; i < from + count; i++) {
        int len = snprintf(body, sizeof body, "{'items':[");

        for (int n = 0; n < BATCH; n++)
            len += snprintf(body + len, sizeof body - (size_t)len,
                            "%s{'id':'f%d-%d-%0*d'," QUEUED "}", n > 0 ? "," : "", i, n, LONG,
                            0);
        snprintf(body + len, sizeof body - (size_t)len, "]}");
        api(d, 200, "POST", "/api/v1/bulk/schedules", "%s", body);
    }
}

/*
 * The client reads almost nothing while more events occur than the server buffers; one that
 * reads nothing for half a minute would be disconnected.
 */
static void a_slow_client_gets_all_events(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct listener *slow = listen_open(d, EVENTS "?after=oldest&type=schedule.created", NULL);
    struct listener *quick = listen_open(d, EVENTS "?after=oldest&type=schedule.created", NULL);
    const struct world *w = *state;
    const int small = 16384, count = w->is_postgres ? FLOOD_SLOWLY : FLOOD;
    json_t *all;

    assert_int_equal(setsockopt(slow->fd, SOL_SOCKET, SO_RCVBUF, &small, sizeof small), 0);
    listen_await(slow, 1);
    for (int i = 0; i < count; i++) {
        flood(d, i, 1);
        if (i % SLOW_STEP == 0)
            listen_read(slow, false);
        while (listen_read(quick, false))
            ;
    }
    listen_await(quick, count * BATCH + 1);
    listen_await(slow, count * BATCH + 1);
    all = all_pages(d, "&type=schedule.created");
    assert_int_equal(json_array_size(all), count * BATCH);
    assert_int_equal(assert_same(quick, all, 0), count * BATCH);
    assert_int_equal(assert_same(slow, all, 0), count * BATCH);
    listen_close(slow);
    listen_close(quick);
    assert_int_equal(server_stop(d), 0);
}

static void a_hundred_clients_get_the_same_events(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct listener *crowd[CROWD];
    json_t *all;

    for (int i = 0; i < CROWD; i++)
        crowd[i] = listen_open(d, EVENTS "?after=oldest", NULL);
    for (int i = 0; i < CROWD; i++)
        listen_await(crowd[i], 1);
    make_schedule(d, "s", ALL);
    for (int i = 0; i < TRIGGERS; i++)
        trigger(d, "s");
    for (int i = 0; i < CROWD / 2; i++) {
        listen_close(crowd[i]); /* half of the clients disconnect */
        crowd[i] = NULL;
    }
    for (int i = 0; i < TRIGGERS; i++)
        trigger(d, "s");
    all = all_pages(d, "");
    assert_int_equal(json_array_size(all), 1 + 2 * TRIGGERS);
    for (int i = CROWD / 2; i < CROWD; i++) {
        listen_await(crowd[i], 2 + 2 * TRIGGERS);
        assert_int_equal(assert_same(crowd[i], all, 0), 1 + 2 * TRIGGERS);
        listen_close(crowd[i]);
    }
    assert_int_equal(server_stop(d), 0);
}

static void a_stream_has_only_the_requested_events(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct listener *one, *created, *run, *other;
    char path[ADDRESS_MAX], id[TEXT_MAX];

    api(d, 201, "PUT", "/api/v1/namespaces/other", "{}");
    other = listen_open(d, EVENTS "?namespace=other", NULL);
    one = listen_open(d, EVENTS "?schedule=one", NULL);
    created = listen_open(d, EVENTS "?type=schedule.created", NULL);
    listen_await(other, 1);
    listen_await(one, 1);
    listen_await(created, 1);
    make_schedule(d, "one", ALL);
    make_schedule(d, "two", ALL);
    trigger(d, "two");
    snprintf(id, sizeof id, "%s", trigger(d, "one"));
    snprintf(path, sizeof path, EVENTS "?after=oldest&run=%s", id);
    run = listen_open(d, path, NULL);
    snprintf(path, sizeof path, "/api/v1/runs/%s/cancel", id);
    api(d, 202, "POST", path, NULL);
    api(d, 201, "POST", "/api/v1/schedules?namespace=other", "{'id':'theirs'," QUEUED "}");
    make_schedule(d, "three", ALL);
    listen_await(one, 4);
    assert_string_equal(one->events[1].name, "schedule.created");
    assert_string_equal(one->events[3].name, "run.cancelled");
    listen_await(created, 4);
    assert_string_equal(text_at(created->events[3].data, "schedule"), "three");
    listen_await(run, 3);
    assert_string_equal(run->events[1].name, "run.ready");
    assert_string_equal(run->events[2].name, "run.cancelled");
    listen_await(other, 2);
    assert_string_equal(text_at(other->events[1].data, "schedule"), "theirs");
    assert_int_equal(server_stop(d), 0);
    listen_await_end(other);
    assert_int_equal(other->count, 2); /* no events of others */
    listen_close(one);
    listen_close(created);
    listen_close(run);
    listen_close(other);
}

static void a_stream_ends_with_its_token(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct listener *l = listen_open(d, EVENTS, NULL);

    listen_await(l, 1);
    api(d, 201, "POST", "/api/v1/tokens", "{'name':'first','role':'admin','namespace':'*'}");
    listen_await_end(l); /* from now on every request needs a token */
    listen_close(l);
    l = listen_open(d, EVENTS, NULL);
    listen_await_end(l);
    assert_int_equal(l->status, 401);
    listen_close(l);
    assert_int_equal(server_stop(d), 0);
}

/* ---- logs ---- */

static struct listener *follow(struct server *d, const char *run)
{
    char path[ADDRESS_MAX];

    snprintf(path, sizeof path, "/api/v1/runs/%s/logs?follow=true", run);
    return listen_open(d, path, NULL);
}

static void assert_line(const struct listener *l, int index, const char *text)
{
    assert_string_equal(l->events[index].name, "line");
    assert_string_equal(text_at(l->events[index].data, "text"), text);
}

static void the_log_of_a_workers_run_is_followed_to_its_end(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct listener *l;
    const json_t *run;

    make_schedule(d, "s", QUEUED);
    l = follow(d, trigger(d, "s")); /* before a worker has it */
    run = at(claim(d, "q", 1, "5s"), "[0]");
    assert_int_equal(tell_run(d, "heartbeat", run, ",'log':['one','two']").status, 200);
    listen_await(l, 2);
    assert_line(l, 0, "one");
    assert_line(l, 1, "two");
    assert_int_equal(tell_run(d, "heartbeat", run, ",'log':['three']").status, 200);
    listen_await(l, 3);
    assert_line(l, 2, "three");
    assert_int_equal(tell_run(d, "complete", run, ",'log':['four']").status, 200);
    listen_await_end(l);
    assert_int_equal(l->count, 5);
    assert_line(l, 3, "four");
    assert_string_equal(l->events[4].name, "end");
    assert_string_equal(text_at(l->events[4].data, "outcome"), "succeeded");
    listen_close(l);
    assert_int_equal(server_stop(d), 0);
}

/* The program prints a line, waits until it was received, and prints another. */
static void the_log_of_a_program_is_followed_to_its_end(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, &(struct server_start){.args = WORDS("--exec")});
    struct listener *l;

    make_schedule(d, "x",
                  "'action':{'type':'exec','argv':['/bin/sh','-c','echo one; while ! test -e "
                  "%s; do sleep 0.02; done; echo two >&2; exit 3']}",
                  world_path(w, "go"));
    l = follow(d, trigger(d, "x"));
    listen_await(l, 1);
    assert_line(l, 0, "one");
    assert_string_equal(text_at(l->events[0].data, "stream"), "stdout");
    world_write(w, "go", "");
    listen_await_end(l);
    assert_int_equal(l->count, 3);
    assert_line(l, 1, "two");
    assert_string_equal(text_at(l->events[1].data, "stream"), "stderr");
    assert_string_equal(text_at(l->events[2].data, "outcome"), "failed");
    listen_close(l);
    assert_int_equal(server_stop(d), 0);
}

/* docs/api.md: X-Request-Id names the request in logs; nosniff forbids guessing the type. */
static void a_stream_has_the_common_header_fields(void **state)
{
    static const char head[] = "HEAD " EVENTS " HTTP/1.1\r\nHost: localhost\r\n"
                               "Accept: text/event-stream\r\nX-Request-Id: mine-1\r\n"
                               "Connection: close\r\n\r\n";
    struct server *d = server_start(*state, NULL);
    char text[TEXT_MAX * 4];
    int fd = request_connect(d);
    size_t len = 0;
    ssize_t n;

    assert_int_equal(send(fd, head, sizeof head - 1, MSG_NOSIGNAL), sizeof head - 1);
    while ((n = recv(fd, text + len, sizeof text - 1 - len, 0)) > 0)
        len += (size_t)n;
    text[len] = '\0';
    close(fd);
    assert_non_null(strstr(text, "\r\nContent-Type: text/event-stream\r\n"));
    assert_non_null(strstr(text, "\r\nX-Request-Id: mine-1\r\n"));
    assert_non_null(strstr(text, "\r\nX-Content-Type-Options: nosniff\r\n"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(events_are_sent_as_they_occur),
        E2E_TEST(a_stream_resumes_after_a_kill_without_loss),
        E2E_TEST(a_slow_client_gets_all_events),
        E2E_TEST(a_hundred_clients_get_the_same_events),
        E2E_TEST(a_stream_has_only_the_requested_events),
        E2E_TEST(a_stream_ends_with_its_token),
        E2E_TEST(a_stream_has_the_common_header_fields),
        E2E_TEST(the_log_of_a_workers_run_is_followed_to_its_end),
        E2E_TEST(the_log_of_a_program_is_followed_to_its_end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
