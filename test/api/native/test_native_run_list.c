/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of runs: order, filters, and cursors that stay valid while runs end.
 */
#include "world.h"
#include "world_store.h"

enum { LARGE = 70, RESULT = 250 * 1000 }; /* more than one database result can hold */

static void make(const char *id, const char *queue)
{
    assert_int_equal(
        post("/api/v1/schedules",
             js("{'id':'%s','action':{'type':'queue','queue':'%s'},'policies':{'overlap':"
                "'allowAll','retry':{'attempts':2,'delay':'1s'}}}",
                id, queue)),
        201);
}

/* Triggers a run a second after the previous one, so that their order is defined. */
static void trigger(const char *id)
{
    pass_time(SPAN_S);
    assert_int_equal(post(js("/api/v1/schedules/%s/trigger", id), ""), 202);
}

/* Claims one run and reports its end. */
static void work(const char *queue, const char *verb, const char *more)
{
    struct str id;

    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['%s']}", queue)), 200);
    id = text_at("runs.0.id");
    if (verb)
        assert_int_equal(post(js("/api/v1/runs/%s/%s", id.ptr, verb),
                              js("{'fence':%s%s}", json_at("runs.0.fence"), more)),
                         200);
}

/* Schedule, second of the slot and state of each run; then "more" or "end". */
static const char *page(const char *query)
{
    static char text[4096];
    struct buf out = BUF(text);

    text[0] = '\0';
    assert_int_equal(get(js("/api/v1/runs%s", query)), 200);
    for (size_t i = 0; i < json_array_size(json_object_get(world.json, "runs")); i++)
        buf_printf(&out, "%s%.2s %s, ", text_at(js("runs.%zu.schedule", i)).ptr,
                   text_at(js("runs.%zu.slot", i)).ptr + 17,
                   text_at(js("runs.%zu.state", i)).ptr);
    buf_text(&out, json_is_null(json_object_get(world.json, "cursor")) ? "end" : "more");
    return text;
}

/* a: 01 ended, 02 leased, 03 ready; b: 04 ready. */
static void make_some(void)
{
    make("a", "q");
    make("b", "p");
    trigger("a");
    trigger("a");
    trigger("a");
    trigger("b");
    work("q", "complete", "");
    work("q", NULL, "");
}

/* By the creation time of open runs and the end time of ended runs. */
static void runs_are_listed_newest_first_open_and_ended_in_one_order(void **state)
{
    (void)state;
    assert_string_equal(page(""), "end");
    make_some();
    assert_string_equal(page(""), "a01 ended, b04 ready, a03 ready, a02 leased, end");
    assert_json("runs.1.queue", "'p'");
    assert_json("runs.0.outcome", "'succeeded'");
    assert_json("runs.0.queue", "'q'");
    trigger("b");
    assert_string_equal(page(""),
                        "b05 ready, a01 ended, b04 ready, a03 ready, a02 leased, end");
}

/* The last of that name; a new schedule of the name has a history of its own. */
static void the_runs_of_a_deleted_schedule_are_listed_by_its_name(void **state)
{
    (void)state;
    make_some();
    assert_int_equal(ask("DELETE /api/v1/schedules/a", NULL, NULL), 204);
    pass_time(SPAN_MIN);
    assert_string_equal(page("?schedule=a&outcome=succeeded"), "a01 ended, end");
    make("a", "q");
    assert_string_equal(page("?schedule=a"), "end");
    trigger("a");
    work("q", "complete", "");
    assert_int_equal(ask("DELETE /api/v1/schedules/a", NULL, NULL), 204);
    assert_int_equal(get("/api/v1/runs?schedule=a"), 200);
    assert_int_equal(json_array_size(json_object_get(world.json, "runs")), 1);
    assert_json("runs.0.schedule", "'a'");
    assert_refused(get("/api/v1/runs?schedule=never"), 404, "not_found", "");
    assert_int_equal(ask("PUT /api/v1/namespaces/other", NULL, ""), 201);
    assert_refused(get("/api/v1/runs?schedule=a&namespace=other"), 404, "not_found", "");
}

static void a_list_can_be_of_an_outcome_a_kind_or_a_time(void **state)
{
    (void)state;
    make_some(); /* until 10:00:04 */
    trigger("b");
    assert_int_equal(get("/api/v1/runs?state=leased"), 200);
    assert_int_equal(post(js("/api/v1/runs/%s/terminate", text_at("runs.0.id").ptr), ""), 200);
    assert_string_equal(page("?outcome=succeeded"), "a01 ended, end");
    assert_string_equal(page("?outcome=terminated"), "a02 ended, end");
    assert_string_equal(page("?outcome=terminated&schedule=a"), "a02 ended, end");
    assert_string_equal(page("?outcome=terminated&schedule=b"), "end");
    assert_string_equal(page("?outcome=failed"), "end");
    assert_string_equal(page("?outcome=failed&state=open"), "end");
    assert_string_equal(page("?kind=slot"), "end");
    assert_string_equal(page("?kind=trigger&state=open"),
                        "b05 ready, b04 ready, a03 ready, end");
    assert_string_equal(page("?kind=trigger&outcome=succeeded&queue=q"), "a01 ended, end");
    assert_string_equal(page("?kind=test"), "end");
    assert_int_equal(post("/api/v1/schedules/a/test", ""), 202);
    assert_string_equal(page("?kind=test&schedule=a"), "a05 ready, end");
    assert_string_equal(page("?from=2026-01-05T10:00:05Z&state=ended"), "a02 ended, end");
    assert_string_equal(page("?to=2026-01-05T10:00:05Z"),
                        "a01 ended, b04 ready, a03 ready, end");
    assert_string_equal(page("?to=2026-01-05T10:00:04Z&from=2026-01-05T10:00:03Z"),
                        "a03 ready, end");
    assert_string_equal(page("?to=2026-01-05T10:00:04Z&from=2026-01-05T10:00:03Z&schedule=a"),
                        "a03 ready, end");
    assert_string_equal(page("?from=2027-01-01T00:00:00Z"), "end");
}

static void a_list_can_be_of_a_schedule_a_queue_or_a_state(void **state)
{
    (void)state;
    make_some();
    assert_string_equal(page("?schedule=a"), "a01 ended, a03 ready, a02 leased, end");
    assert_string_equal(page("?schedule=b"), "b04 ready, end");
    assert_string_equal(page("?queue=p"), "b04 ready, end");
    assert_string_equal(page("?queue=q"), "a01 ended, a03 ready, a02 leased, end");
    assert_string_equal(page("?state=ready"), "b04 ready, a03 ready, end");
    assert_string_equal(page("?state=leased&schedule=a"), "a02 leased, end");
    assert_string_equal(page("?state=open"), "b04 ready, a03 ready, a02 leased, end");
    assert_string_equal(page("?state=ended"), "a01 ended, end");
    assert_string_equal(page("?state=ended&schedule=b"), "end");
    assert_string_equal(page("?state=backoff"), "end");
}

static void every_page_size_gives_the_same_list(void **state)
{
    static const char *const filters[] = {"",
                                          "&schedule=a",
                                          "&state=open",
                                          "&state=ended",
                                          "&queue=q",
                                          "&kind=trigger",
                                          "&outcome=succeeded",
                                          "&from=2026-01-05T10:00:03Z",
                                          "&schedule=a&to=2026-01-05T10:00:03Z",
                                          "&schedule=a&state=ready"};

    (void)state;
    make_some();
    trigger("a");
    work("q", "complete", "");
    for (size_t f = 0; f < sizeof filters / sizeof filters[0]; f++) {
        char whole[4096], parts[4096];
        struct buf all = BUF(whole);

        buf_printf(&all, "%s", page(js("?limit=100%s", filters[f])));
        for (int limit = 1; limit <= 3; limit++) {
            struct buf out = BUF(parts);
            const char *cursor = "";

            for (int i = 0; i < 20 && cursor; i++) {
                const char *text = page(js("?limit=%d&cursor=%s%s", limit, cursor, filters[f]));
                bool is_end = json_is_null(json_object_get(world.json, "cursor"));

                buf_add(&out, text, strlen(text) - (is_end ? 0 : 4));
                cursor = is_end ? NULL : text_at("cursor").ptr;
            }
            assert_string_equal(parts, whole);
        }
    }
}

static void earlier_attempts_are_not_listed_as_runs(void **state)
{
    (void)state;
    make("a", "q");
    trigger("a");
    work("q", "fail", ",'error':'no'");
    assert_string_equal(page("?state=ended"), "end");
    assert_string_equal(page(""), "a01 backoff, end");
    pass_time(SPAN_S);
    work("q", "complete", "");
    assert_string_equal(page(""), "a01 ended, end");
}

static void invalid_parameters_are_refused(void **state)
{
    (void)state;
    assert_refused(get("/api/v1/runs?state=done"), 400, "invalid_field", "state");
    assert_refused(get("/api/v1/runs?cursor=x"), 400, "invalid_field", "cursor");
    assert_refused(get("/api/v1/runs?cursor=1x"), 400, "invalid_field", "cursor");
    assert_refused(get("/api/v1/runs?outcome=done"), 400, "invalid_field", "outcome");
    assert_refused(get("/api/v1/runs?outcome=skipped"), 400, "invalid_field", "outcome");
    assert_refused(get("/api/v1/runs?kind=cron"), 400, "invalid_field", "kind");
    assert_refused(get("/api/v1/runs?from=today"), 400, "invalid_field", "from");
    assert_refused(get("/api/v1/runs?to=1"), 400, "invalid_field", "to");
    assert_refused(get("/api/v1/runs?from=2026-01-05T11:00:00Z&to=2026-01-05T10:59:59.999Z"),
                   400, "invalid_field", "from");
    assert_int_equal(
        get("/api/v1/runs?from=2026-01-05T11:00:00Z&to=2026-01-05T12:00:00%2b01:00"), 200);
    assert_refused(get("/api/v1/runs?limit=1001"), 400, "invalid_field", "limit");
    assert_refused(get("/api/v1/runs?schedule=none"), 404, "not_found", "");
    assert_refused(get("/api/v1/runs?queue=none"), 404, "not_found", "");
    assert_refused(get("/api/v1/runs?sort=x"), 400, "invalid_field", "");
}

static char cursor[512]; /* of the last page that keep_cursor() has seen */

static void keep_cursor(void)
{
    snprintf(cursor, sizeof cursor, "%s", text_at("cursor").ptr);
}

/* A run that ends while pages are read keeps its place and does not move to the front. */
static void a_run_that_ends_while_pages_are_read_is_seen_once(void **state)
{
    (void)state;
    make("a", "q");
    for (int i = 0; i < 6; i++)
        trigger("a");
    assert_string_equal(page("?limit=2"), "a06 ready, a05 ready, more");
    keep_cursor();
    work("q", "complete", ""); /* 01, which was not listed yet */
    assert_string_equal(page(js("?limit=2&cursor=%s", cursor)), "a04 ready, a03 ready, more");
    keep_cursor();
    work("q", "complete", ""); /* 02 */
    work("q", "complete", ""); /* 03, which was listed */
    trigger("a");
    assert_string_equal(page(js("?limit=2&cursor=%s", cursor)), "a02 ended, a01 ended, end");
    /* A new list has the latest first. */
    assert_string_equal(page("?limit=9"),
                        "a07 ready, a03 ended, a02 ended, a01 ended, a06 ready, "
                        "a05 ready, a04 ready, end");
}

/* The number of runs of a page, none of which has this id. */
static int count_without(const char *id)
{
    int count = 0;

    while (strcmp(json_at(js("runs.%d", count)), "absent") != 0)
        assert_string_not_equal(text_at(js("runs.%d.id", count++)).ptr, id);
    return count;
}

/* Runs of the same millisecond: the snapshot in the cursor keeps their order. */
static void runs_that_were_made_at_once_are_seen_once(void **state)
{
    char first[64];

    (void)state;
    make("a", "q");
    for (int i = 0; i < 5; i++)
        assert_int_equal(post("/api/v1/schedules/a/trigger", ""), 202);
    for (int limit = 1; limit < 5; limit++) {
        assert_int_equal(get(js("/api/v1/runs?schedule=a&limit=%d", limit)), 200);
        assert_int_equal(count_without(""), limit);
        snprintf(first, sizeof first, "%s", text_at("runs.0.id").ptr);
        keep_cursor();
        work("q", "complete", "");
        assert_int_equal(get(js("/api/v1/runs?schedule=a&cursor=%s", cursor)), 200);
        assert_int_equal(count_without(first), 5 - limit);
        assert_json("cursor", "null");
    }
}

static void a_run_that_ends_is_seen_once_with_every_filter(void **state)
{
    static const char *const filters[] = {"", "&schedule=a", "&queue=q", "&kind=trigger",
                                          "&from=2026-01-05T10:00:01Z"};

    (void)state;
    make("a", "q");
    make("b", "p");
    for (size_t i = 0; i < sizeof filters / sizeof filters[0]; i++) {
        int all;

        for (int k = 0; k < 3; k++)
            trigger("a");
        assert_int_equal(get(js("/api/v1/runs?limit=1000%s", filters[i])), 200);
        all = count_without("");
        assert_int_equal(get(js("/api/v1/runs?limit=1%s", filters[i])), 200);
        keep_cursor();
        for (int k = 0; k < 3; k++)
            work("q", "complete", ""); /* one that was listed, and two that were not */
        assert_int_equal(get(js("/api/v1/runs?limit=1000&cursor=%s%s", cursor, filters[i])),
                         200);
        assert_int_equal(count_without(""), all - 1);
        assert_json("runs.0.state", "'ended'");
        assert_json("runs.1.state", "'ended'");
    }
}

/* Open runs keep their places, so that the cursor of their list needs no snapshot. */
static void a_cursor_of_open_runs_has_no_snapshot(void **state)
{
    (void)state;
    make_some();
    assert_string_equal(page("?state=open&limit=1"), "b04 ready, more");
    keep_cursor();
    assert_null(strchr(cursor, '-'));
    assert_string_equal(page(js("?cursor=%s", cursor)), "a03 ready, a02 leased, end");
    assert_refused(get("/api/v1/runs?cursor=7-"), 400, "invalid_field", "cursor");
    assert_refused(get("/api/v1/runs?cursor=7-0"), 400, "invalid_field", "cursor");
    assert_refused(get("/api/v1/runs?cursor=7-8-9"), 400, "invalid_field", "cursor");
    assert_refused(get("/api/v1/runs?cursor=7-8."), 400, "invalid_field", "cursor");
    assert_refused(get("/api/v1/runs?cursor=7-8.x"), 400, "invalid_field", "cursor");
    assert_refused(get("/api/v1/runs?cursor=7-8.9223372036854775806"), 400, "invalid_field",
                   "cursor");
    assert_refused(get("/api/v1/runs?cursor=7-8.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1"), 400,
                   "invalid_field", "cursor");
    assert_int_equal(get("/api/v1/runs?cursor=7-8.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1.1"), 200);
}

/* ---- two nodes ---- */

/* What a test does before the other node commits a turn. */
struct commit_hook {
    void (*act)(void); /* NULL: none, or it is done */
};

static enum rc before_commit(void *arg, enum db_point point)
{
    struct commit_hook *hook = arg;
    void (*act)(void) = hook->act;

    if (point != DB_BEFORE_COMMIT || !act)
        return RC_OK;
    hook->act = NULL;
    act();
    return RC_OK;
}

struct other {
    struct commit_hook hook;
    struct db_fault fault;
    struct db *db;
    struct engine *engine;
};

static void other_begin(struct other *o)
{
    *o = (struct other){0};
    o->fault = (struct db_fault){before_commit, &o->hook};
    o->engine = start_second_node(&o->fault, &o->db);
}

static void other_end(struct other *o)
{
    engine_free(o->engine);
    db_close(o->db);
}

/* A turn of the other node completes the claimed run of the last answer. */
static void other_completes(struct other *o, void (*act)(void))
{
    struct report report = {.kind = REPORT_DONE, .outcome = OUTCOME_SUCCEEDED};
    struct turn_in in = {
        .now = world.now, .rows = TURN_ROWS_MIN, .reports = &report, .report_count = 1};
    struct err err = {.text = ""};
    struct turn_out out;

    report.namespace = world.call.namespace;
    report.fence = strtol(json_at("runs.0.fence"), NULL, 10);
    world_must(run_id_parse(text_at("runs.0.id"), &report.run, &err), &err);
    o->hook.act = act;
    world_must(engine_turn(o->engine, &in, &out, &err), &err);
    assert_null(o->hook.act);
    assert_int_equal(out.report_replies[0].rc, RC_OK);
}

/* The end of a02 has a later key than that of b01, but is visible before it. */
static void read_a_page(void)
{
    pass_time(SPAN_S);
    work("q", "complete", "");
    assert_string_equal(page("?limit=2"), "a02 ended, a04 ready, more");
    keep_cursor();
}

static void a_run_that_ends_in_a_turn_under_way_elsewhere_is_seen(void **state)
{
    struct other other;

    (void)state;
    if (!world_is_on_postgres())
        return; /* SQLite has one node */
    make("a", "q");
    make("b", "p");
    trigger("b");
    for (int i = 0; i < 3; i++)
        trigger("a");
    other_begin(&other);
    pass_time(10 * SPAN_S); /* keys of many short turns run ahead of the clock */
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['p']}")), 200);
    other_completes(&other, read_a_page);
    assert_string_equal(page(js("?limit=2&cursor=%s", cursor)), "a03 ready, b01 ended, end");
    /* A new list shows both runs at the place of their ends. */
    assert_string_equal(page("?limit=1"), "a02 ended, more");
    keep_cursor();
    assert_non_null(strchr(cursor, '.'));
    assert_string_equal(page(js("?limit=1&cursor=%s", cursor)), "b01 ended, more");
    assert_string_equal(page("?limit=4"), "a02 ended, b01 ended, a04 ready, a03 ready, end");
    other_end(&other);
}

static void complete_with_large_result(void)
{
    static char text[RESULT + 1], body[RESULT + 100];
    struct buf out = BUF(body);

    memset(text, 'x', RESULT);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    buf_printf(&out, "{\"fence\":1,\"result\":\"%s\"}", text);
    assert_int_equal(post(js("/api/v1/runs/%s/complete", text_at("runs.0.id").ptr), body), 200);
}

static void a_page_of_large_results_ends_early(void **state)
{
    size_t seen = 0, count;
    int pages = 0;

    (void)state;
    make("a", "q");
    for (int i = 0; i < LARGE; i++) {
        assert_int_equal(post("/api/v1/schedules/a/trigger", ""), 202);
        complete_with_large_result();
    }
    cursor[0] = '\0';
    do {
        assert_int_equal(get(js("/api/v1/runs?limit=100%s", cursor)), 200);
        count = json_array_size(json_object_get(world.json, "runs"));
        seen += count;
        pages++;
        if (!json_is_null(json_object_get(world.json, "cursor")))
            snprintf(cursor, sizeof cursor, "&cursor=%s", text_at("cursor").ptr);
    } while (count > 0 && !json_is_null(json_object_get(world.json, "cursor")));
    assert_int_equal(seen, LARGE);
    assert_true(pages > 1); /* although the limit is 100 */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(runs_are_listed_newest_first_open_and_ended_in_one_order),
        API_TEST(the_runs_of_a_deleted_schedule_are_listed_by_its_name),
        API_TEST(a_list_can_be_of_an_outcome_a_kind_or_a_time),
        API_TEST(a_list_can_be_of_a_schedule_a_queue_or_a_state),
        API_TEST(every_page_size_gives_the_same_list),
        API_TEST(earlier_attempts_are_not_listed_as_runs),
        API_TEST(a_run_that_ends_while_pages_are_read_is_seen_once),
        API_TEST(runs_that_were_made_at_once_are_seen_once),
        API_TEST(a_run_that_ends_is_seen_once_with_every_filter),
        API_TEST(a_cursor_of_open_runs_has_no_snapshot),
        API_TEST(a_page_of_large_results_ends_early),
        API_TEST(a_run_that_ends_in_a_turn_under_way_elsewhere_is_seen),
        API_TEST(invalid_parameters_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
