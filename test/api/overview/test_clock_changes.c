/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the next clock changes do to schedules.  The world begins on 2026-01-05; New York's
 * clocks go forward on 8 March at 07:00 UTC and back on 1 November at 06:00 UTC, those of
 * Dublin forward on 29 March at 01:00 UTC and back on 25 October at 01:00 UTC.
 */
#include "world.h"

#define CHANGES "/api/v1/clock-changes"

static void make(const char *id, const char *cron, const char *zone, const char *more)
{
    assert_int_equal(ask(js("PUT /api/v1/schedules/%s", id), NULL,
                         js("{'action':{'type':'queue','queue':'q'},'spec':{'cron':['%s'],"
                            "'timezone':'%s'%s}}",
                            cron, zone, more)),
                     201);
}

static void look(const char *query)
{
    assert_int_equal(get(js(CHANGES "%s", query)), 200);
}

static void nothing_changes_without_schedules(void **state)
{
    (void)state;
    make("u", "30 2 * * *", "UTC", "");
    make("k", "30 2 * * *", "Asia/Kolkata", ""); /* has had no change since 1945 */
    look("");
    assert_json("", "{'from':'2026-01-05T10:00:00.000Z','until':'2027-01-06T10:00:00.000Z',"
                    "'changes':[],'cursor':null,'asOf':'2026-01-05T10:00:00.000Z',"
                    "'cut':null}");
}

/* The clocks of New York go from 02:00 to 03:00. */
static void times_in_a_gap_are_skipped_or_moved(void **state)
{
    (void)state;
    make("hourly", "30 * * * *", "America/New_York", "");
    make("moved", "30 2 * * *", "America/New_York", "");
    make("noon", "0 12 * * *", "America/New_York", "");
    make("shifted", "30 2 * * *", "America/New_York", ",'dst':'shift'");
    make("skipped", "30 2 * * *", "America/New_York", ",'dst':'literal'");
    make("weekdays", "30 2 * * MON-FRI", "America/New_York", "");
    look("");
    assert_int_equal(json_array_size(json_object_get(world.json, "changes")), 1);
    assert_json("changes.0.at", "'2026-03-08T07:00:00.000Z'");
    assert_json("changes.0.timezone", "'America/New_York'");
    assert_json("changes.0.offsetBefore", "-18000");
    assert_json("changes.0.offsetAfter", "-14400");
    assert_json("changes.0.schedules", "6");
    assert_json("changes.0.more", "0");
    assert_json("changes.0.affected.0.id", "'hourly'");
    assert_json("changes.0.affected.0.effect", "'skipped'");
    assert_json("changes.0.affected.1", "{'id':'moved','effect':'moved','text':'02:30 does not "
                                        "exist that day: runs at 03:00',"
                                        "'slots':['2026-03-08T07:00:00.000Z']}");
    assert_json("changes.0.affected.2.id", "'shifted'");
    assert_json("changes.0.affected.2.effect", "'moved'");
    assert_json("changes.0.affected.2.slots", "['2026-03-08T07:30:00.000Z']");
    assert_json("changes.0.affected.3", "{'id':'skipped','effect':'skipped','text':'02:30 does "
                                        "not exist that day: skipped','slots':[]}");
    assert_json("changes.0.affected.4", "absent");
    assert_json("cut", "null");
}

/* 01:30 comes twice: at 05:30 and at 06:30 UTC. */
static void times_that_come_twice_run_once_or_repeat(void **state)
{
    (void)state;
    make("both", "30 1 * * *", "America/New_York", ",'dst':'literal'");
    make("first", "30 1 * * *", "America/New_York", "");
    make("last", "30 1 * * *", "America/New_York", ",'dst':'last'");
    look("?all=true");
    assert_json("changes.0.affected", "[]");
    assert_json("changes.1.at", "'2026-11-01T06:00:00.000Z'");
    assert_json("changes.1.affected.0.effect", "'repeated'");
    assert_json("changes.1.affected.0.slots",
                "['2026-11-01T05:30:00.000Z','2026-11-01T06:30:00.000Z']");
    assert_json("changes.1.affected.1.effect", "'once'");
    assert_json("changes.1.affected.1.slots", "['2026-11-01T05:30:00.000Z']");
    assert_json("changes.1.affected.2.effect", "'once'");
    assert_json("changes.1.affected.2.slots", "['2026-11-01T06:30:00.000Z']");
    look("?until=2026-03-08T06:59:59Z");
    assert_json("changes", "[]");
    look("?until=2026-03-08T07:00:00Z");
    assert_json("changes.0.schedules", "3");
    for (int i = 0; i < 10;
         i++) { /* until the first change has passed; events are kept a week */
        pass_time(7 * SPAN_DAY);
        look("");
    }
    assert_json("changes.0.at", "'2026-11-01T06:00:00.000Z'");
    assert_json("changes.0.affected.0.id", "'both'");
}

/* A schedule whose entries have several zones counts in each. */
static void schedules_count_in_each_of_their_zones(void **state)
{
    (void)state;
    assert_int_equal(ask("PUT /api/v1/schedules/two", NULL,
                         js("{'action':{'type':'queue','queue':'q'},'spec':{'timezone':'UTC',"
                            "'cron':[{'expr':'30 2 * * *','timezone':'America/New_York'},"
                            "{'expr':'30 1 * * *','timezone':'Europe/Dublin'},"
                            "{'expr':'CRON_TZ=Europe/Dublin 45 1 * * *'}]}}")),
                     201);
    make("text", "CRON_TZ=America/New_York 0 12 * * *", "UTC", "");
    make("old", "30 1 * * *", "Europe/Dublin", "");
    look("");
    assert_json("changes.0.timezone", "'America/New_York'");
    assert_json("changes.0.schedules", "2");
    assert_json("changes.0.affected.0.id", "'two'");
    assert_json("changes.0.affected.1", "absent");
    assert_json("changes.1.timezone", "'Europe/Dublin'");
    assert_json("changes.1.at", "'2026-03-29T01:00:00.000Z'");
    assert_json("changes.1.schedules", "2");
    assert_json("changes.1.affected.0.id", "'two'");
    assert_json("changes.1.affected.1.id", "'old'");
    look("?zone=Europe/Dublin");
    assert_json("changes.0.timezone", "'Europe/Dublin'");
    assert_json("changes.1", "absent");
    look("?zone=Asia/Kolkata");
    assert_json("changes", "[]");
}

static void pages_have_each_schedule_once(void **state)
{
    char expected[200] = "", found[200] = "", cursor[200] = "";
    int pages = 0;

    (void)state;
    for (int i = 0; i < 5; i++) {
        char id[8];

        snprintf(id, sizeof id, "s%d", i);
        make(id, i == 2 ? "0 12 * * *" : "30 2 * * *", "America/New_York", "");
        if (i != 2)
            snprintf(&expected[strlen(expected)], 20, "N%s ", id);
    }
    make("d", "30 1 * * *", "Europe/Dublin", "");
    snprintf(&expected[strlen(expected)], 20, "Dd ");
    for (;;) {
        const json_t *change, *affected;
        size_t i, j;

        look(js("?limit=1%s%s", pages > 0 ? "&cursor=" : "", cursor));
        assert_true(++pages < 10);
        json_array_foreach(json_object_get(world.json, "changes"), i, change)
        {
            const char *zone = json_string_value(json_object_get(change, "timezone"));

            json_array_foreach(json_object_get(change, "affected"), j, affected)
                snprintf(&found[strlen(found)], 20, "%c%s ", strchr(zone, '/')[1],
                         json_string_value(json_object_get(affected, "id")));
        }
        if (pages == 1)
            assert_json("changes.0.more", "4");
        if (json_is_null(json_object_get(world.json, "cursor")))
            break;
        snprintf(cursor, sizeof cursor, "%s", text_at("cursor").ptr);
    }
    assert_string_equal(found, expected);
    assert_true(pages >= 5);
    look("?limit=1");
    snprintf(cursor, sizeof cursor, "%s", text_at("cursor").ptr);
    assert_refused(get(js(CHANGES "?all=true&cursor=%s", cursor)), 400, "invalid_field",
                   "cursor");
    assert_refused(get(CHANGES "?cursor=1.2.3.UTC"), 400, "invalid_field", "cursor");
}

static void namespaces_and_closed_schedules_are_not_seen(void **state)
{
    (void)state;
    assert_int_equal(ask("PUT /api/v1/namespaces/other", NULL, ""), 201);
    make("a", "30 2 * * *", "America/New_York", "");
    look("?namespace=other");
    assert_json("changes", "[]");
    assert_int_equal(ask("DELETE /api/v1/schedules/a", NULL, ""), 204);
    look("");
    assert_json("changes", "[]");
}

static void wrong_requests_are_refused(void **state)
{
    (void)state;
    assert_refused(get(CHANGES "?all=maybe"), 400, "invalid_field", "all");
    assert_refused(get(CHANGES "?until=tomorrow"), 400, "invalid_field", "until");
    world.is_catalogue_loading = true;
    assert_refused(get(CHANGES), 503, "unavailable", "");
    world.context.visit_catalogue = NULL;
    assert_refused(get(CHANGES), 409, "bad_state", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(nothing_changes_without_schedules),
        API_TEST(times_in_a_gap_are_skipped_or_moved),
        API_TEST(times_that_come_twice_run_once_or_repeat),
        API_TEST(schedules_count_in_each_of_their_zones),
        API_TEST(pages_have_each_schedule_once),
        API_TEST(namespaces_and_closed_schedules_are_not_seen),
        API_TEST(wrong_requests_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
