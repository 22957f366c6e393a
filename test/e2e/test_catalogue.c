/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The catalogue of a server against its database: after creates, fires, edits and deletes, its
 * orders, totals and counts are those of the rows.
 */
#include "request.h"

enum {
    SCHEDULES = 10000,
    PER_BULK = 1000,
    FIRING = 50, /* schedules that fire every second */
    RUNS = 200,  /* to wait for                      */
    CHANGED = 300,
    BODY_MAX = 1 << 20,
    PATH_MAX_LEN = 400,
};

#define LIST "/api/v1/schedules"

/* POST with a list of items that `print` writes for first to first + count - 1. */
static void post_items(struct server *d, const char *path, int first, int count,
                       void (*print)(int i, char *to, size_t size))
{
    char *body = calloc(1, BODY_MAX), item[500];
    size_t len = 0;

    assert_non_null(body);
    for (int i = first; i < first + count; i++) {
        print(i, item, sizeof item);
        len += (size_t)snprintf(body + len, BODY_MAX - len, "%s%s",
                                i == first ? "{'items':[" : ",", item);
    }
    snprintf(body + len, BODY_MAX - len, "]}");
    api(d, 200, "POST", path, "%s", body);
    free(body);
}

/* The first ones fire every second; the others have different times, zones and labels. */
static void print_schedule(int i, char *to, size_t size)
{
    static const char *const zones[] = {"UTC", "Europe/Berlin", "Asia/Tokyo"};

    if (i < FIRING)
        snprintf(to, size,
                 "{'id':'s%d','spec':{'intervals':[{'every':'1s'}]},"
                 "'action':{'type':'queue','queue':'fast'}}",
                 i);
    else
        snprintf(to, size,
                 "{'id':'s%d','spec':{'cron':['%d %d %d 1 *'],'timezone':'%s'},"
                 "'labels':{'team':'t%d'},'action':{'type':'queue','queue':'q%d'}}",
                 i, i % 60, i % 24, 1 + i % 28, zones[i % 3], i % 70, i % 7);
}

static void print_edit(int i, char *to, size_t size)
{
    snprintf(to, size,
             "{'id':'s%d','spec':{'cron':['0 0 2 2 *']},'labels':{'edited':'yes'},"
             "'action':{'type':'http','url':'https://example.com/'}}",
             i);
}

static void print_id(int i, char *to, size_t size)
{
    snprintf(to, size, "'s%d'", i);
}

/* The catalogue has every change that was committed before. */
static void await_catalogue(struct server *d)
{
    char mark[40];

    make_schedule(d, "mark", "'action':{'type':'queue','queue':'q'}");
    snprintf(mark, sizeof mark, "%s", text_at(schedule_state(d, "mark"), "createdAt"));
    api(d, 204, "DELETE", LIST "/mark", NULL);
    for (int tries = 0;; tries++) {
        struct answer answer = ask(d, "GET", LIST "?facets=true&limit=1", NULL);

        if (answer.status == 200 && strcmp(text_at(answer.json, "asOf"), mark) > 0 &&
            json_array_size(json_object_get(
                api(d, 200, "GET", LIST "?facets=true&prefix=mark", NULL), "schedules")) == 0)
            break;
        assert_true(tries < TRIES);
        world_pause();
    }
}

/* Null is before all times in one order of the catalogue and after them in another. */
static const char *time_of(const json_t *state, const char *name, const char *none)
{
    const json_t *value = json_object_get(state, name);

    return json_is_string(value) ? json_string_value(value) : none;
}

static bool is_in_order(const json_t *before, const json_t *after, const char *sort)
{
    if (strcmp(sort, "nextAt") == 0)
        return strcmp(time_of(before, sort, "~"), time_of(after, sort, "~")) <= 0;
    if (strcmp(sort, "lastRunAt") == 0)
        return strcmp(time_of(before, sort, ""), time_of(after, sort, "")) <= 0;
    return number_at(before, sort) <= number_at(after, sort);
}

/* Reads all pages and checks each row's current value; returns how many rows there are. */
static int64_t walk(struct server *d, const char *sort, const char *filter)
{
    char path[PATH_MAX_LEN];
    const json_t *before = NULL, *cursor = NULL;
    int64_t count = 0, total = 0;

    do {
        const json_t *page, *list;

        snprintf(path, sizeof path, LIST "?sort=%s&limit=1000&fields=state%s%s%s", sort, filter,
                 cursor ? "&cursor=" : "", cursor ? json_string_value(cursor) : "");
        page = api(d, 200, "GET", path, NULL);
        list = at(page, "schedules");
        for (size_t i = 0; i < json_array_size(list); i++) {
            const json_t *state = json_object_get(json_array_get(list, i), "state");

            if (before && !is_in_order(before, state, sort))
                fail_msg("%s: row %lld is not in order", sort, (long long)count);
            before = state;
            count++;
        }
        total = number_at(page, "total");
        cursor = at(page, "cursor");
    } while (json_is_string(cursor));
    assert_int_equal(count, total);
    return count;
}

#define OF_DEFAULT                                                \
    " FROM schedules AS s JOIN cursors AS c ON c.id = s.id WHERE" \
    " s.deleted_at = 0 AND s.namespace = (SELECT id FROM namespaces WHERE name = 'default')"

static void compare(struct world *w, struct server *d)
{
    const json_t *page;
    int64_t all = world_number(w, "SELECT count(*)" OF_DEFAULT);

    await_catalogue(d);
    page = api(d, 200, "GET", LIST "?facets=true&limit=1", NULL);
    assert_int_equal(number_at(page, "total"), all);
    assert_int_equal(number_at(page, "facets.status.paused"),
                     world_number(w, "SELECT count(*)" OF_DEFAULT " AND (c.bits & 3) > 0"));
    assert_int_equal(number_at(page, "facets.health.failing"),
                     world_number(w, "SELECT count(*)" OF_DEFAULT " AND c.failures > 0"));
    assert_int_equal(number_at(page, "facets.outcome.none"),
                     world_number(w, "SELECT count(*)" OF_DEFAULT " AND c.bits >> 40 = 0"));
    assert_int_equal(
        number_at(page, "facets.action.http"),
        world_number(w, "SELECT count(*)" OF_DEFAULT " AND s.action LIKE '%\"http\"%'"));
    assert_int_equal(
        number_at(api(d, 200, "GET", LIST "?facets=true&limit=1&label=team=t3", NULL), "total"),
        world_number(w, "SELECT count(*)" OF_DEFAULT " AND s.labels LIKE '%\"t3\"%'"));
    assert_int_equal(
        number_at(api(d, 200, "GET", LIST "?zone=Asia/Tokyo&limit=1", NULL), "total"),
        world_number(w, "SELECT count(*)" OF_DEFAULT " AND s.spec LIKE '%Asia/Tokyo%'"));
    assert_int_equal(walk(d, "nextAt", ""), all);
    assert_int_equal(walk(d, "lastRunAt", ""), all);
    assert_int_equal(walk(d, "failures", ""), all);
    assert_int_equal(walk(d, "nextAt", "&queue=fast"), FIRING);
    assert_int_equal(
        number_at(api(d, 200, "GET", LIST "?facets=true&namespace=other", NULL), "total"), 1);
}

static void make_all(struct server *d)
{
    for (int i = 0; i < SCHEDULES; i += PER_BULK)
        post_items(d, "/api/v1/bulk/schedules", i, PER_BULK, print_schedule);
    api(d, 201, "PUT", "/api/v1/namespaces/other", "{}");
    api(d, 201, "POST", LIST "?namespace=other",
        "{'id':'x','action':{'type':'queue','queue':'q'}}");
}

/* Ends runs of the schedules that fire, half of them as failed. */
static void end_runs(struct server *d)
{
    for (int ended = 0; ended < RUNS;) {
        const json_t *runs = claim(d, "fast", FIRING, "5s");

        for (size_t i = 0; i < json_array_size(runs); i++, ended++)
            assert_int_equal(tell_run(d, ended % 2 ? "fail" : "complete",
                                      json_array_get(runs, i), ended % 2 ? ",'error':'no'" : "")
                                 .status,
                             200);
    }
}

static void change_some(struct server *d)
{
    post_items(d, "/api/v1/bulk/schedules/put", 1000, CHANGED, print_edit);
    post_items(d, "/api/v1/bulk/schedules/delete", 2000, CHANGED, print_id);
    post_items(d, "/api/v1/bulk/schedules/pause", 3000, CHANGED, print_id);
    post_items(d, "/api/v1/bulk/schedules/delete", 1000, 10, print_id);
    post_items(d, "/api/v1/bulk/schedules", 2000, 10, print_schedule);
}

/* So that nothing changes during a comparison. */
static void stop_fires(struct server *d)
{
    post_items(d, "/api/v1/bulk/schedules/pause", 0, FIRING, print_id);
}

static void the_catalogue_equals_the_database(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, NULL);

    make_all(d);
    end_runs(d);
    change_some(d);
    stop_fires(d);
    compare(w, d);
    assert_int_equal(server_stop(d), 0);
    d = server_restart(d, NULL);
    compare(w, d);
    post_items(d, "/api/v1/bulk/schedules/delete", 4000, CHANGED, print_id);
    compare(w, d);
    server_kill(d);
    d = server_restart(d, NULL);
    compare(w, d);
    assert_int_equal(server_stop(d), 0);
}

/* Each node follows the events of both. */
static void each_node_has_the_changes_of_the_other(void **state)
{
    struct world *w = *state;
    struct server *a, *b;

    if (!w->is_postgres)
        skip();
    a = server_start(w, NULL);
    make_all(a);
    b = server_start(w, NULL);
    end_runs(b);
    change_some(a);
    post_items(b, "/api/v1/bulk/schedules/delete", 5000, CHANGED, print_id);
    stop_fires(b);
    compare(w, a);
    compare(w, b);
    assert_int_equal(server_stop(b), 0);
    assert_int_equal(server_stop(a), 0);
}

/* A reset of failures has no event; it is noted, or found when all cursors are checked. */
static void a_change_without_an_event_reaches_the_catalogue(void **state)
{
    struct server *d = server_start(*state, NULL);

    make_schedule(d, "s", "'action':{'type':'queue','queue':'q'}");
    trigger(d, "s");
    tell_run(d, "fail", json_array_get(claim(d, "q", 1, "5s"), 0), ",'error':'no'");
    await_catalogue(d);
    assert_int_equal(number_at(api(d, 200, "GET", LIST "?health=failing", NULL), "total"), 1);
    api(d, 200, "POST", LIST "/s/reset-failures", NULL);
    UNTIL(number_at(api(d, 200, "GET", LIST "?health=failing", NULL), "total") == 0);
    assert_int_equal(server_stop(d), 0);
}

static void a_server_without_a_catalogue_lists_in_the_order_of_the_database(void **state)
{
    struct server *d = server_start(*state,
                                    &(struct server_start){.args = WORDS("--catalogue=off")});

    make_schedule(d, "s", "'action':{'type':'queue','queue':'q'}");
    api(d, 200, "GET", LIST "?sort=-createdAt", NULL);
    api(d, 409, "GET", LIST "?sort=nextAt", NULL);
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(the_catalogue_equals_the_database),
        E2E_TEST(each_node_has_the_changes_of_the_other),
        E2E_TEST(a_change_without_an_event_reaches_the_catalogue),
        E2E_TEST(a_server_without_a_catalogue_lists_in_the_order_of_the_database),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
