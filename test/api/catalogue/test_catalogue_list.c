/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of schedules that the catalogue sorts, filters and counts.
 */
#include "world.h"

#define LIST "/api/v1/schedules?"

static void make(const char *id, const char *fields)
{
    assert_int_equal(ask(js("PUT /api/v1/schedules/%s", id), NULL, js("{%s}", fields)), 201);
}

/* The ids of a page, with a * if there is another page. */
static const char *list(const char *query)
{
    static char text[4000];
    struct buf out = BUF(text);

    text[0] = '\0';
    assert_int_equal(get(js(LIST "%s", query)), 200);
    for (size_t i = 0; i < json_array_size(json_object_get(world.json, "schedules")); i++)
        buf_printf(&out, "%s%s", i > 0 ? " " : "", text_at(js("schedules.%zu.id", i)).ptr);
    if (!json_is_null(json_object_get(world.json, "cursor")))
        buf_text(&out, "*");
    return text;
}

/* Reads all pages of an order with one entry each. */
static const char *one_by_one(const char *query)
{
    static char text[4000];
    struct buf out = BUF(text);
    struct str cursor = {NULL, 0};

    text[0] = '\0';
    for (int i = 0; i < 20; i++) {
        assert_int_equal(get(js(LIST "limit=1&%s%s%s", query, i > 0 ? "&cursor=" : "",
                                i > 0 ? cursor.ptr : "")),
                         200);
        if (json_array_size(json_object_get(world.json, "schedules")) > 0)
            buf_printf(&out, "%s ", text_at("schedules.0.id").ptr);
        if (json_is_null(json_object_get(world.json, "cursor")))
            return text;
        cursor = text_at("cursor");
    }
    fail_msg("there is no end of pages: %s", text);
    return NULL;
}

#define QUEUE(name) "'action':{'type':'queue','queue':'" name "'}"
#define CRON(expr)  "'spec':{'cron':['" expr "']}"

/* It is 10:00; b has no times, and d is paused. */
static void make_four(void)
{
    make("c", QUEUE("reports") "," CRON("30 10 * * *") ",'labels':{'team':'red','tier':'1'}");
    make("a", QUEUE("mail") ",'spec':{'cron':['0 12 * * *'],'timezone':'Europe/Berlin'},"
                            "'labels':{'team':'blue'},'description':'Sends the letters'");
    make("b", "'action':{'type':'http','url':'https://example.com/'}");
    make("d", "'action':{'type':'workflow','name':'mail'},'paused':true,"
              "'labels':{'team':'red'},'spec':{'cron':[{'expr':'0 9 * * *','timezone':'UTC'},"
              "{'expr':'0 9 * * *','timezone':'Asia/Tokyo'}]}");
}

/* Claims the only ready run of the queue and ends it. */
static void end_run(const char *queue, const char *end, const char *body)
{
    char id[64];

    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['%s']}", queue)), 200);
    snprintf(id, sizeof id, "%s", text_at("runs.0.id").ptr);
    assert_int_equal(post(js("/api/v1/runs/%s/%s", id, end), body), 200);
}

static void trigger(const char *id)
{
    assert_int_equal(post(js("/api/v1/schedules/%s/trigger", id), ""), 202);
}

static void schedules_are_sorted_by_their_next_run(void **state)
{
    (void)state;
    make_four();
    /* Berlin's noon is 11:00; schedules without a next run come last, by creation. */
    assert_string_equal(list("sort=nextAt"), "c a b d");
    assert_string_equal(list("sort=-nextAt"), "d b a c");
    assert_string_equal(one_by_one("sort=nextAt"), "c a b d ");
    assert_string_equal(one_by_one("sort=-nextAt"), "d b a c ");
    assert_json("total", "4");
    assert_json("stale", "false");
    assert_json("asOf", "'2026-01-05T10:00:00.000Z'");
    pass_time(45 * SPAN_MIN); /* the run of c at 10:30 has started */
    assert_string_equal(list("sort=nextAt"), "a c b d");
    assert_json("asOf", "'2026-01-05T10:45:00.000Z'");
}

static void schedules_are_sorted_by_their_last_run(void **state)
{
    (void)state;
    make_four();
    trigger("c");
    end_run("reports", "complete", js("{'fence':1}"));
    world.now += SPAN_S;
    trigger("a");
    end_run("mail", "fail", js("{'fence':1,'error':'no'}"));
    assert_string_equal(list("sort=-lastRunAt"), "a c d b");
    assert_string_equal(list("sort=-lastOutcome"), "a c d b");
    assert_string_equal(list("sort=-failures"), "a d b c");
    assert_string_equal(list("outcome=failed"), "a");
    assert_string_equal(list("outcome=failed,succeeded"), "a c");
    assert_string_equal(list("outcome=none"), "b d");
    assert_string_equal(list("health=failing"), "a");
    assert_string_equal(list("health=ok,paused&sort=-id"), "d c b");
    assert_json("facets.health", "{'ok':2,'late':0,'failing':1,'paused':1,'closed':0}");
    assert_json("facets.outcome.succeeded", "1");
    assert_int_equal(post("/api/v1/schedules/a/reset-failures", ""), 200);
    (void)list("facets=true");
    world_check_schedules(); /* it has no event */
    assert_string_equal(list("health=failing"), "");
    assert_json("facets.health.ok", "3");
}

static void an_overdue_schedule_is_late(void **state)
{
    (void)state;
    make_four();
    world.now += 32 * SPAN_MIN; /* c is due since 10:30 and no turn has been taken */
    assert_string_equal(list("health=late"), "c");
    pass_time(0);
    assert_string_equal(list("health=late"), "");
    end_run("reports", "complete", js("{'fence':1}"));
    assert_string_equal(list("sort=-lateness&limit=1"), "c*");
}

static void filters_and_facets_are_combined(void **state)
{
    (void)state;
    make_four();
    assert_string_equal(list("facets=true"), "a b c d");
    assert_json("facets.status", "{'active':3,'paused':1,'closed':0}");
    assert_json("facets.action", "{'http':1,'exec':0,'queue':2,'workflow':1}");
    assert_json("facets.queue", "[{'value':'mail','count':2},{'value':'reports','count':1}]");
    assert_json("facets.zone",
                "[{'value':'UTC','count':3},{'value':'Europe/Berlin','count':1}]");
    assert_json("facets.label",
                "[{'name':'team','value':'red','count':2},{'name':'team','value':'blue',"
                "'count':1},{'name':'tier','value':'1','count':1}]");
    assert_string_equal(list("facets=true&status=paused"), "d");
    assert_json("total", "1");
    assert_json("facets.status", "{'active':3,'paused':1,'closed':0}");
    assert_json("facets.queue", "[{'value':'mail','count':1}]");
    assert_string_equal(list("facets=true&queue=mail"), "a d");
    assert_string_equal(list("facets=true&label=team:red"), "c d");
    assert_string_equal(list("facets=true&label=team"), "a c d");
    assert_string_equal(list("facets=true&label=team=green"), "");
    assert_string_equal(list("facets=true&search=LETTERS"), "a");
    assert_string_equal(list("facets=true&prefix=b&action=http"), "b");
    assert_string_equal(list("zone=Europe/Berlin"), "a");
    assert_string_equal(list("zone=Europe/Paris"), "");
    assert_string_equal(list("sort=nextAt&facets=false"), "c a b d");
    assert_json("facets", "absent");
    assert_string_equal(list("facets=false"), "a b c d"); /* from the database */
    assert_json("total", "absent");
}

static void the_rows_are_current_and_the_order_follows_edits(void **state)
{
    (void)state;
    make_four();
    assert_string_equal(list("sort=nextAt&limit=2"), "c a*");
    assert_int_equal(
        ask("PATCH /api/v1/schedules/a", NULL, js("{'labels':{'team':'red'},'spec':null}")),
        200);
    assert_int_equal(ask("DELETE /api/v1/schedules/c", NULL, NULL), 204);
    assert_string_equal(list("sort=nextAt&label=team=red"), "a d");
    assert_json("facets.label", "[{'name':'team','value':'red','count':2}]");
    assert_json("schedules.0.labels", "{'team':'red'}");
    make("c", QUEUE("other"));
    assert_string_equal(list("sort=id&facets=true"), "a b c d");
    assert_string_equal(list("facets=true&queue=reports"), "");
}

static void namespaces_do_not_see_each_other(void **state)
{
    (void)state;
    make_four();
    assert_int_equal(ask("PUT /api/v1/namespaces/other", NULL, "{}"), 201);
    assert_int_equal(ask("PUT /api/v1/schedules/x?namespace=other", NULL,
                         js("{" QUEUE("secret") ",'labels':{'hidden':'yes'}}")),
                     201);
    assert_string_equal(list("facets=true&namespace=other"), "x");
    assert_json("total", "1");
    assert_string_equal(list("facets=true"), "a b c d");
    assert_json("total", "4");
    assert_json("facets.queue", "[{'value':'mail','count':2},{'value':'reports','count':1}]");
}

static void a_cursor_belongs_to_one_order_and_filter(void **state)
{
    char cursor[200];

    (void)state;
    make_four();
    (void)list("sort=nextAt&limit=1");
    snprintf(cursor, sizeof cursor, "%s", text_at("cursor").ptr);
    assert_int_equal(get(js(LIST "sort=nextAt&limit=3&cursor=%s", cursor)), 200);
    assert_refused(get(js(LIST "sort=-nextAt&cursor=%s", cursor)), 400, "invalid_field",
                   "cursor");
    assert_refused(get(js(LIST "sort=nextAt&zone=UTC&cursor=%s", cursor)), 400, "invalid_field",
                   "cursor");
    assert_refused(get(LIST "sort=nextAt&cursor=1.2.3"), 400, "invalid_field", "cursor");
}

static void wrong_parameters_are_refused(void **state)
{
    (void)state;
    assert_refused(get(LIST "sort=next"), 400, "invalid_field", "sort");
    assert_refused(get(LIST "sort=createdAt&facets=true"), 400, "invalid_field", "sort");
    assert_refused(get(LIST "health=bad"), 400, "invalid_field", "health");
    assert_refused(get(LIST "health="), 400, "invalid_field", "health");
    assert_refused(get(LIST "outcome=failed,"), 400, "invalid_field", "outcome");
    assert_refused(get(LIST "outcome=skipped"), 400, "invalid_field", "outcome");
    assert_refused(get(LIST "sort=nextAt&facets=maybe"), 400, "invalid_field", "facets");
    assert_refused(get(LIST "sort=nextAt&colour=red"), 400, "invalid_field", "");
}

static void an_answer_says_that_the_catalogue_is_old_or_loading_or_off(void **state)
{
    (void)state;
    make_four();
    world.catalogue_age = SPAN_S + 1;
    assert_string_equal(list("sort=nextAt"), "c a b d");
    assert_json("stale", "true");
    world.is_catalogue_loading = true;
    assert_refused(get(LIST "sort=nextAt"), 503, "unavailable", "");
    assert_string_equal(field("Retry-After"), "1");
    assert_int_equal(get(LIST "sort=id"), 200);
    world.context.catalogue = NULL;
    assert_refused(get(LIST "sort=nextAt"), 409, "bad_state", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(schedules_are_sorted_by_their_next_run),
        API_TEST(schedules_are_sorted_by_their_last_run),
        API_TEST(an_overdue_schedule_is_late),
        API_TEST(filters_and_facets_are_combined),
        API_TEST(the_rows_are_current_and_the_order_follows_edits),
        API_TEST(namespaces_do_not_see_each_other),
        API_TEST(a_cursor_belongs_to_one_order_and_filter),
        API_TEST(wrong_parameters_are_refused),
        API_TEST(an_answer_says_that_the_catalogue_is_old_or_loading_or_off),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
