/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The overview of a namespace, the balance of the ledger and the list of zones.  The world
 * begins on Monday, 2026-01-05, at 10:00 UTC.
 */
#include "api/overview/ledger_balance.h"
#include "world.h"

#define OVERVIEW "/api/v1/overview"

#define QUEUE(name) "'action':{'type':'queue','queue':'" name "'}"
#define CRON(expr)  "'spec':{'cron':['" expr "']}"

static void make(const char *id, const char *fields)
{
    assert_int_equal(ask(js("PUT /api/v1/schedules/%s", id), NULL, js("{%s}", fields)), 201);
}

static void trigger(const char *id)
{
    assert_int_equal(post(js("/api/v1/schedules/%s/trigger", id), ""), 202);
}

/* Claims the only ready run of the queue and ends it. */
static void end_run(const char *queue, const char *end, const char *body)
{
    char id[64];

    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['%s']}", queue)), 200);
    snprintf(id, sizeof id, "%s", text_at("runs.0.id").ptr);
    assert_int_equal(post(js("/api/v1/runs/%s/%s", id, end), body), 200);
}

static void fail_run(const char *id, const char *queue, const char *error)
{
    trigger(id);
    end_run(queue, "fail", js("{'fence':1,'error':'%s'}", error));
}

/* Reads the overview with a query. */
static void look(const char *query)
{
    assert_int_equal(get(js(OVERVIEW "%s", query)), 200);
}

static size_t attention_count(void)
{
    return json_array_size(json_object_get(world.json, "attention"));
}

static void a_new_namespace_is_empty(void **state)
{
    (void)state;
    look("");
    assert_json("", "{'now':'2026-01-05T10:00:00.000Z','asOf':'2026-01-05T10:00:00.000Z',"
                    "'stale':false,'tiles':{'running':0,'dueNextHour':0,'failedToday':0,"
                    "'late':0,'missedToday':0,'paused':0,'waitingApproval':0,'total':0,"
                    "'quarantined':0},'attention':[],'attentionTotal':0,"
                    "'balance':{'result':'unknown','asOf':null,'schedules':0,'slots':0,"
                    "'differences':0}}");
}

/* It is 10:00: of the four, a is due within an hour; c would be, but it is paused. */
static void schedules_and_runs_are_counted(void **state)
{
    (void)state;
    make("a", QUEUE("q") "," CRON("59 10 * * *"));
    make("b", QUEUE("q") "," CRON("0 11 * * *"));
    make("c", QUEUE("q") "," CRON("30 10 * * *") ",'paused':true");
    make("d", QUEUE("p") ",'policies':{'approval':true,'overlap':'allowAll'}");
    trigger("a");
    trigger("b");
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q']}")), 200);
    trigger("d");
    trigger("d");
    look("");
    assert_json("tiles", "{'running':1,'dueNextHour':1,'failedToday':0,'late':0,"
                         "'missedToday':0,'paused':1,'waitingApproval':2,'total':4,"
                         "'quarantined':0}");
    assert_json("attention", "[{'schedule':'d','kind':'approval',"
                             "'since':'2026-01-05T10:00:00.000Z','severity':2,"
                             "'text':'2 runs wait for approval, the first since 10:00'}]");
    assert_json("attentionTotal", "1");
}

static void failures_are_explained(void **state)
{
    (void)state;
    make("a", QUEUE("q"));
    make("b", QUEUE("q"));
    make("c", QUEUE("q"));
    for (int i = 0; i < 4; i++) {
        fail_run("a", "q", i == 3 ? "exit status 1" : "other");
        world.now += SPAN_MIN;
    }
    fail_run("b", "q", "no");
    fail_run("c", "q", "no");
    assert_int_equal(post("/api/v1/schedules/c/pause", ""), 200);
    look("");
    assert_json("tiles.failedToday", "6");
    assert_json("attention.0", "{'schedule':'a','kind':'failing',"
                               "'since':'2026-01-05T10:00:00.000Z','severity':3,"
                               "'text':'failed 4 times in a row since 10:00: exit status 1'}");
    assert_json("attention.1", "{'schedule':'b','kind':'failing',"
                               "'since':'2026-01-05T10:04:00.000Z','severity':2,"
                               "'text':'failed at 10:04: no'}");
    assert_json("attention.2", "{'schedule':'c','kind':'paused',"
                               "'since':'2026-01-05T10:04:00.000Z','severity':1,"
                               "'text':'paused; before, it failed at 10:04: no'}");
    assert_json("attentionTotal", "3");
    /* St. John's is 3:30 behind UTC. */
    look("?timezone=America/St_Johns");
    assert_json("attention.1.text", "'failed at 06:34: no'");
    assert_json("tiles.failedToday", "6");
    /* A success ends it. */
    trigger("b");
    end_run("q", "complete", js("{'fence':1}"));
    look("");
    assert_json("attentionTotal", "2");
}

/* New York's Monday lasts until 05:00 UTC; that of Chatham, 13:45 ahead, until 10:15. */
static void today_depends_on_the_zone(void **state)
{
    (void)state;
    make("a", QUEUE("q"));
    fail_run("a", "q", "no"); /* 10:00 */
    world.now += 30 * SPAN_MIN;
    fail_run("a", "q", "no"); /* 10:30: Tuesday in Chatham */
    look("");
    assert_json("tiles.failedToday", "2");
    look("?timezone=Pacific/Chatham");
    assert_json("tiles.failedToday", "1");
    pass_time(14 * SPAN_H); /* 00:30: Tuesday in UTC */
    look("");
    assert_json("tiles.failedToday", "0");
    assert_json("attention.0.text", "'failed 2 times in a row since 2026-01-05 10:00: no'");
    look("?timezone=America/New_York");
    assert_json("tiles.failedToday", "2");
    look("?timezone=Pacific/Chatham");
    assert_json("tiles.failedToday", "1");
    assert_refused(get(OVERVIEW "?timezone=Mars/Phobos"), 400, "invalid_field", "timezone");
}

static void an_overdue_schedule_is_late(void **state)
{
    (void)state;
    make("a", QUEUE("q") "," CRON("30 10 * * *"));
    world.now += 32 * SPAN_MIN; /* and no turn has been taken */
    look("");
    assert_json("tiles.late", "1");
    assert_json("attention.0", "{'schedule':null,'kind':'node',"
                               "'since':'2026-01-05T10:00:00.000Z','severity':3,"
                               "'text':'node \\'a\\' has not worked since 10:00'}");
    assert_json("attention.1", "{'schedule':'a','kind':'late',"
                               "'since':'2026-01-05T10:30:00.000Z','severity':3,"
                               "'text':'due since 10:30, but not started; the server may be "
                               "busy'}");
    assert_json("attentionTotal", "2");
    pass_time(0);
    look("");
    assert_json("tiles.late", "0");
}

/* It is 10:10:01: the window of three minutes leaves 10:08 to 10:10, and misses seven slots. */
static void missed_slots_are_counted(void **state)
{
    (void)state;
    make("a", QUEUE("q") "," CRON("* * * * *") ",'policies':{'overlap':'allowAll',"
                                               "'catchup':{'mode':'all','window':'3m'}}");
    make("b", QUEUE("q") "," CRON("* * * * *") ",'paused':true");
    world.now += 10 * SPAN_MIN + SPAN_S;
    pass_time(0);
    look("");
    assert_json("tiles.missedToday", "1");
    assert_json("tiles.total", "2");
    assert_int_equal(get("/api/v1/schedules/a"), 200);
    assert_json("state.counters.missed", "7");
}

static void the_last_missed_slots_need_attention(void **state)
{
    (void)state;
    make("a", QUEUE("q") "," CRON("* 10 * * *") ",'policies':{'catchup':{'mode':'all',"
                                                "'window':'1m'}}");
    world.now += 2 * SPAN_H; /* 12:00: those of 10:01 to 10:59 are too old */
    pass_time(0);
    look("");
    assert_json("tiles.missedToday", "1");
    assert_json("attention", "[{'schedule':'a','kind':'missed',"
                             "'since':'2026-01-05T10:01:00.000Z','severity':2,"
                             "'text':'missed 59 slots, from 10:01 to 10:59: older than its "
                             "catch-up window'}]");
    pass_time(12 * SPAN_H); /* Tuesday, before the next slots */
    look("");
    assert_json("tiles.missedToday", "0");
    look("?timezone=America/New_York");
    assert_json("tiles.missedToday", "1");
}

static void a_queue_without_workers_needs_attention(void **state)
{
    (void)state;
    world.context.parts.started_at = world.now - SPAN_H;
    make("a", QUEUE("mail"));
    trigger("a");
    pass_time(SPAN_MIN - SPAN_MS);
    look("");
    assert_json("attention", "[]");
    pass_time(SPAN_MS);
    look("");
    assert_json("attention", "[{'schedule':null,'kind':'queue',"
                             "'since':'2026-01-05T10:00:00.000Z','severity':3,"
                             "'text':'queue \\'mail\\': 1 run waits since 10:00; no worker has "
                             "polled it for an hour'}]");
    assert_int_equal(post("/api/v1/queues/mail/pause", ""), 200);
    look("");
    assert_json("attention.0.severity", "2");
    assert_json("attention.0.text",
                "'queue \\'mail\\': 1 run waits since 10:00; the queue is paused'");
    assert_int_equal(post("/api/v1/queues/mail/resume", ""), 200);
    end_run("mail", "complete", js("{'fence':1}"));
    trigger("a");
    pass_time(2 * SPAN_MIN);
    look("");
    assert_json("attention.0.severity", "2");
    assert_json("attention.0.text",
                "'queue \\'mail\\': 1 run waits since 10:01; no worker has taken it yet'");
}

static void a_quarantine_is_the_worst(void **state)
{
    (void)state;
    make("a", QUEUE("q"));
    make("b", QUEUE("q") "," CRON("30 10 * * *"));
    fail_run("a", "q", "no");
    look("");
    assert_json("tiles.quarantined", "0");
    quarantine_schedules();
    world_check_schedules();
    look("");
    assert_json("tiles.quarantined", "2");
    assert_json("tiles.paused", "2");
    assert_json("attention.0.kind", "'quarantined'");
    assert_json("attention.0.severity", "3");
    assert_json("attentionTotal", "2");
}

static void the_list_has_the_fifty_worst(void **state)
{
    (void)state;
    for (int i = 0; i < 60; i++) {
        char id[16];

        snprintf(id, sizeof id, "s%02d", i);
        make(id, QUEUE("q"));
        for (int j = 0; j < (i == 57 ? 4 : i == 3 ? 3 : 1); j++)
            fail_run(id, "q", "no");
    }
    look("");
    assert_int_equal(attention_count(), 50);
    assert_json("attentionTotal", "60");
    assert_json("attention.0.schedule", "'s57'");
    assert_json("attention.1.schedule", "'s03'");
    assert_json("attention.2.schedule", "'s00'");
    assert_json("attention.49.schedule", "'s48'");
}

static void namespaces_do_not_see_each_other(void **state)
{
    struct ledger_balance balance = {
        .result = BALANCE_BALANCED, .as_of = world.now, .started_at = world.now - SPAN_S};

    (void)state;
    world.balance = &balance;
    assert_int_equal(ask("PUT /api/v1/namespaces/other", NULL, ""), 201);
    make("a", QUEUE("q"));
    fail_run("a", "q", "no");
    trigger("a");
    pass_time(2 * SPAN_MIN);
    look("?namespace=other");
    assert_json("tiles.total", "0");
    assert_json("tiles.failedToday", "0");
    assert_json("attention", "[]");
    assert_json("balance.result", "'unknown'");
    look("");
    assert_json("tiles.total", "1");
    assert_json("attentionTotal", "2");
    assert_json("balance.result", "'balanced'");
    assert_int_equal(get("/api/v1/ledger/balance?namespace=other"), 200);
    assert_json("result", "'unknown'");
}

static void an_answer_says_that_the_catalogue_is_old_or_loading_or_off(void **state)
{
    (void)state;
    world.catalogue_age = SPAN_S + 1;
    look("");
    assert_json("stale", "true");
    assert_json("asOf", "'2026-01-05T09:59:58.999Z'");
    world.is_catalogue_loading = true;
    assert_refused(get(OVERVIEW), 503, "unavailable", "");
    assert_string_equal(field("Retry-After"), "1");
    world.context.visit_catalogue = NULL;
    assert_refused(get(OVERVIEW), 409, "bad_state", "");
}

static void the_balance_names_the_schedules(void **state)
{
    const struct balance_difference list[] = {
        {STR("a"), world.now - SPAN_H, 60, 59, STR("2026-01-05T09:30:00Z has no account")}};
    struct ledger_balance balance = {.result = BALANCE_UNBALANCED,
                                     .started_at = world.now - 2 * SPAN_S,
                                     .as_of = world.now - SPAN_S,
                                     .schedules = 7,
                                     .slots = 100,
                                     .outcomes = 99,
                                     .differences = 1,
                                     .listed = 1,
                                     .list = list};

    (void)state;
    world.balance = &balance;
    assert_int_equal(get("/api/v1/ledger/balance"), 200);
    assert_json("", "{'result':'unbalanced','asOf':'2026-01-05T09:59:59.000Z',"
                    "'startedAt':'2026-01-05T09:59:58.000Z','schedules':7,'slots':100,"
                    "'outcomes':99,'differenceCount':1,'differences':[{'schedule':'a',"
                    "'since':'2026-01-05T09:00:00.000Z','due':60,'recorded':59,"
                    "'text':'2026-01-05T09:30:00Z has no account'}]}");
    look("");
    assert_json("balance", "{'result':'unbalanced','asOf':'2026-01-05T09:59:59.000Z',"
                           "'schedules':7,'slots':100,'differences':1}");
    balance = (struct ledger_balance){
        .result = BALANCE_RUNNING, .started_at = world.now, .as_of = INSTANT_NONE};
    assert_int_equal(get("/api/v1/ledger/balance"), 200);
    assert_json("result", "'running'");
    assert_json("asOf", "null");
}

static void zones_are_listed(void **state)
{
    (void)state;
    assert_int_equal(get("/api/v1/zones"), 200);
    assert_json("", "{'version':'2026a','zones':[{'name':'Europe/Berlin','offset':3600,"
                    "'abbreviation':'CET','dst':false,'next':'2026-03-29T01:00:00.000Z'},"
                    "{'name':'UTC','offset':0,'abbreviation':'UTC','dst':false,'next':null}]}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_new_namespace_is_empty),
        API_TEST(schedules_and_runs_are_counted),
        API_TEST(failures_are_explained),
        API_TEST(today_depends_on_the_zone),
        API_TEST(an_overdue_schedule_is_late),
        API_TEST(missed_slots_are_counted),
        API_TEST(the_last_missed_slots_need_attention),
        API_TEST(a_queue_without_workers_needs_attention),
        API_TEST(a_quarantine_is_the_worst),
        API_TEST(the_list_has_the_fifty_worst),
        API_TEST(namespaces_do_not_see_each_other),
        API_TEST(an_answer_says_that_the_catalogue_is_old_or_loading_or_off),
        API_TEST(the_balance_names_the_schedules),
        API_TEST(zones_are_listed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
