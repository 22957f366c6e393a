/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The load of many schedules in a window.
 */
#include "timeline.h"

/* "10:00 planned/started/running/late/failed", with - for null. */
static void put_load(struct buf *out, const json_t *bucket)
{
    static const char *const names[] = {"planned", "started", "running", "late", "failed"};

    put_clock(out, json_object_get(bucket, "at"));
    for (size_t i = 0; i < 5; i++) {
        const json_t *value = json_object_get(bucket, names[i]);

        assert_non_null(value);
        buf_char(out, i == 0 ? ' ' : '/');
        if (json_is_null(value))
            buf_char(out, '-');
        else
            buf_int(out, json_integer_value(value));
    }
}

/* The buckets of the group at a position, from "GROUP: " on. */
static const char *group(size_t position)
{
    static char text[8000];
    const json_t *item = json_array_get(json_object_get(world.json, "groups"), position);
    struct buf buckets = BUF(text);

    text[0] = '\0';
    assert_non_null(item);
    buf_printf(&buckets, "%s%s:", word(item, "group") ? word(item, "group") : "null",
               json_is_true(json_object_get(item, "other")) ? "(other)" : "");
    for (size_t i = 0; i < json_array_size(json_object_get(item, "buckets")); i++) {
        buf_text(&buckets, i > 0 ? ", " : " ");
        put_load(&buckets, json_array_get(json_object_get(item, "buckets"), i));
    }
    assert_false(buckets.cut);
    return text;
}

static const char *load(const char *query)
{
    assert_int_equal(get(js("/api/v1/load?%s", query)), 200);
    return group(0);
}

#define AROUND "from=2026-01-05T10:00:00Z&to=2026-01-05T15:00:00Z&step=1h"

/*
 * a: 11:00 begins 90 s late and fails 30 s later, 12:00 is skipped because a trigger is open,
 * 13:00 and 14:00 are planned.  b: every 30 minutes, nobody works.
 */
static void starts_and_ends_are_counted(void **state)
{
    char fence[32];
    struct str id;

    (void)state;
    make("a", "{'cron':['0 * * * *']}", "");
    pass_time(SPAN_H);
    for (int i = 0; i < 9; i++)
        pass_time(10 * SPAN_S);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q-a'],'worker':'w'}")), 200);
    snprintf(fence, sizeof fence, "%s", json_at("runs.0.fence"));
    id = text_at("runs.0.id");
    pass_time(30 * SPAN_S);
    assert_int_equal(post(js("/api/v1/runs/%s/fail", id.ptr), js("{'fence':%s}", fence)), 200);
    assert_int_equal(post("/api/v1/schedules/a/trigger", ""), 202);
    pass_time(58 * SPAN_MIN); /* 12:00 */
    assert_string_equal(load(AROUND), "null: 11:00 1/1/1/2/1, 12:00 1/0/0/0/0, "
                                      "13:00 1/0/-/0/0, 14:00 1/0/-/0/0");
    assert_json("asOf", "'2026-01-05T12:00:00.000Z'");
    assert_json("step", "'1h'");
    assert_json("cut", "null");
    /* The trigger, which was due at 11:02 and late as well, begins. */
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q-a'],'worker':'w'}")), 200);
    pass_time(SPAN_MIN);
    assert_string_equal(load(AROUND), "null: 11:00 1/1/1/2/1, 12:00 1/1/1/0/0, "
                                      "13:00 1/0/-/0/0, 14:00 1/0/-/0/0");
}

/* Three runs of a minute each begin at 11:00, 11:00:30 and 11:01: at most two at a time. */
static void running_is_the_most_at_a_time(void **state)
{
    static const int at[] = {0, 30, 60};
    char ids[3][64], fences[3][32];

    (void)state;
    for (int i = 0; i < 3; i++)
        make(js("s%d", i), "{'cron':['0 * * * *']}", "");
    pass_time(SPAN_H);
    for (int t = 0; t <= 120; t += 30) {
        for (int i = 0; i < 3; i++)
            if (at[i] + 60 == t)
                assert_int_equal(
                    post(js("/api/v1/runs/%s/complete", ids[i]), js("{'fence':%s}", fences[i])),
                    200);
        for (int i = 0; i < 3; i++)
            if (at[i] == t) {
                assert_int_equal(
                    post("/api/v1/queues/claim", js("{'queues':['q-s%d'],'worker':'w'}", i)),
                    200);
                snprintf(ids[i], sizeof ids[i], "%s", text_at("runs.0.id").ptr);
                snprintf(fences[i], sizeof fences[i], "%s", json_at("runs.0.fence"));
            }
        pass_time(30 * SPAN_S);
    }
    assert_string_equal(load("from=2026-01-05T11:00:00Z&to=2026-01-05T11:03:00Z&step=1m"),
                        "null: 11:00 3/2/2/0/0, 11:01 0/1/2/0/0");
}

/* Every slot that was due is planned, also what a pause and an overlap prevented. */
static void past_slots_are_planned_regardless_of_their_outcome(void **state)
{
    (void)state;
    make("a", "{'cron':['*/30 * * * *']}", "");
    pass_time(SPAN_H); /* 10:30 waits for a worker, 11:00 is skipped */
    assert_int_equal(post("/api/v1/schedules/a/pause", ""), 200);
    pass_time(SPAN_H); /* 11:30 and 12:00 are missed, but not yet written */
    assert_string_equal(load(AROUND),
                        "null: 10:00 1/0/0/1/0, 11:00 2/0/0/0/0, 12:00 1/0/0/0/0");
    assert_int_equal(post("/api/v1/schedules/a/resume", ""), 200);
    assert_string_equal(load(AROUND), "null: 10:00 1/0/0/1/0, 11:00 2/0/0/0/0, "
                                      "12:00 2/0/0/0/0, 13:00 2/0/-/0/0, 14:00 2/0/-/0/0");
}

static void schedules_are_grouped_by_queue_or_label(void **state)
{
    (void)state;
    make("a", "{'cron':['0 * * * *']}", ",'labels':{'team':'web'}");
    make("b", "{'cron':['*/15 * * * *']}", ",'labels':{'team':'db'}");
    make("c", "{'cron':['30 * * * *']}", ",'labels':{'team':'web','x':'y'}");
    make("d", "{'cron':['0 14 * * *']}", "");
    assert_string_equal(load(AROUND "&by=queue"),
                        "q-b: 10:00 3/0/0/0/0, 11:00 4/0/-/0/0, 12:00 4/0/-/0/0, "
                        "13:00 4/0/-/0/0, 14:00 4/0/-/0/0");
    assert_string_equal(group(3), "q-d: 14:00 1/0/-/0/0");
    assert_string_equal(load(AROUND "&by=label:team"),
                        "db: 10:00 3/0/0/0/0, 11:00 4/0/-/0/0, 12:00 4/0/-/0/0, "
                        "13:00 4/0/-/0/0, 14:00 4/0/-/0/0");
    assert_string_equal(group(1), "web: 10:00 1/0/0/0/0, 11:00 2/0/-/0/0, 12:00 2/0/-/0/0, "
                                  "13:00 2/0/-/0/0, 14:00 2/0/-/0/0");
    assert_string_equal(group(2), "null: 14:00 1/0/-/0/0");
    assert_string_equal(load(AROUND "&label=team:web&by=label:x"),
                        "y: 10:00 1/0/0/0/0, 11:00 1/0/-/0/0, 12:00 1/0/-/0/0, "
                        "13:00 1/0/-/0/0, 14:00 1/0/-/0/0");
    assert_string_equal(group(1), "null: 11:00 1/0/-/0/0, 12:00 1/0/-/0/0, 13:00 1/0/-/0/0, "
                                  "14:00 1/0/-/0/0");
    assert_string_equal(load(AROUND "&schedule=d,a"),
                        "null: 11:00 1/0/-/0/0, 12:00 1/0/-/0/0, 13:00 1/0/-/0/0, "
                        "14:00 2/0/-/0/0");
    assert_string_equal(load(AROUND "&search=nothing"), "null:");
}

/* Queue i of 52 has 60 - i slots: the two with the fewest are the others. */
static void fifty_groups_are_listed(void **state)
{
    (void)state;
    for (int i = 0; i < 52; i++)
        make(js("s%02d", i), js("{'cron':['0-%d * * * *']}", 59 - i), "");
    assert_int_equal(
        get("/api/v1/load?by=queue&from=2026-01-05T11:00:00Z&to=2026-01-05T12:00:00Z&step=1h"),
        200);
    assert_int_equal(json_array_size(json_object_get(world.json, "groups")), 51);
    assert_string_equal(group(0), "q-s00: 11:00 60/0/-/0/0");
    assert_string_equal(group(49), "q-s49: 11:00 11/0/-/0/0");
    assert_string_equal(group(50), "(other): 11:00 19/0/-/0/0"); /* 10 and 9 */
}

/* In Berlin 02:00 and 02:30 of 29 March do not exist: one slot at 03:00 replaces them. */
static void the_load_obeys_clock_changes(void **state)
{
    (void)state;
    make("a", "{'cron':['0,30 2 * * *'],'timezone':'Europe/Berlin'}", "");
    assert_string_equal(load("from=2026-03-28T00:00:00Z&to=2026-03-31T00:00:00Z&step=1d"),
                        "null: 28.00:00 2/0/-/0/0, 29.00:00 1/0/-/0/0, 30.00:00 2/0/-/0/0");
}

static void other_namespaces_are_not_counted(void **state)
{
    (void)state;
    assert_int_equal(ask("PUT /api/v1/namespaces/other", NULL, "{}"), 201);
    assert_int_equal(
        ask("PUT /api/v1/schedules/x?namespace=other", NULL,
            js("{'spec':{'cron':['0 * * * *']},'action':{'type':'queue','queue':'q'}}")),
        201);
    assert_string_equal(load(AROUND), "null:");
    assert_string_equal(load(AROUND "&schedule=x"), "null:");
    assert_string_equal(load(AROUND "&by=queue&namespace=other"),
                        "q: 11:00 1/0/-/0/0, 12:00 1/0/-/0/0, 13:00 1/0/-/0/0, "
                        "14:00 1/0/-/0/0");
}

static void errors_name_the_field(void **state)
{
    (void)state;
    assert_refused(get("/api/v1/load?by=day"), 400, "invalid_field", "by");
    assert_refused(get("/api/v1/load?by=label:"), 400, "invalid_field", "by");
    assert_refused(get("/api/v1/load?step=1s"), 422, "limit", "step");
    assert_refused(get("/api/v1/load?from=2026-02-30T00:00:00Z"), 400, "invalid_field", "from");
    assert_refused(get("/api/v1/load?limit=1"), 400, "invalid_field", "");
}

static int64_t planned_of(size_t position)
{
    const json_t *item = json_array_get(json_object_get(world.json, "groups"), position);
    const json_t *buckets = json_object_get(item, "buckets");
    int64_t sum = 0;

    for (size_t i = 0; i < json_array_size(buckets); i++)
        sum += json_integer_value(json_object_get(json_array_get(buckets, i), "planned"));
    return sum;
}

/* Of b, 59 of 60 times are excluded; the work for 62 days of it is more than its share. */
static void a_schedule_that_takes_too_long_does_not_hide_others(void **state)
{
    static const char window[] = "from=2026-01-05T11:00:00Z&to=2026-03-08T11:00:00Z";

    (void)state;
    make("a", "{'cron':['0 * * * *']}", "");
    make("b", "{'cron':['* * * * *'],'exclude':{'calendars':[{'hour':'*','minute':'0-58'}]}}",
         "");
    make("c", "{'cron':['30 * * * *']}", "");
    world.read_steps = 4 * 1000 * 1000;
    assert_int_equal(get(js("/api/v1/load?by=queue&%s", window)), 200);
    assert_non_null(strstr(json_at("cut"), "more slots"));
    assert_int_equal(planned_of(0), 62 * 24);
    assert_int_equal(planned_of(1), 62 * 24);
    assert_int_equal(get(js("/api/v1/slots?%s", window)), 200);
    assert_string_equal(row_text("a"), "plan 11:00 +1h x1488");
    assert_string_equal(row_text("c"), "plan 11:30 +1h x1488");
    assert_json("schedules.0.cut", "null");
    assert_non_null(strstr(json_at("schedules.1.cut"), "too long"));
    assert_json("cut", "null");
    /* Without enough work for another schedule, a page ends and the load stops. */
    world.read_steps = 500 * 1000;
    assert_int_equal(get(js("/api/v1/load?%s", window)), 200);
    assert_non_null(strstr(json_at("cut"), "only the first schedules"));
    for (int i = 0; i < 40; i++)
        make(js("m%02d", i), "{'cron':['0 * * * *']}", "");
    assert_int_equal(get("/api/v1/slots"), 200);
    assert_int_equal(json_array_size(json_object_get(world.json, "schedules")), 32);
    assert_non_null(strstr(json_at("cut"), "ends early"));
    assert_int_equal(get(js("/api/v1/slots?cursor=%s", text_at("cursor").ptr)), 200);
    assert_int_equal(json_array_size(json_object_get(world.json, "schedules")), 11);
    assert_json("cut", "null");
}

/*
 * 39 schedules with 8,640 runs in an hour are more than an answer reads.  After the first 32,
 * and two groups that were read in vain, there is room for 13,520 of the 71,620 rows that eight
 * more would need: for the last eleven minutes of all.
 */
static void too_many_runs_are_counted_in_a_part_of_the_window(void **state)
{
    (void)state;
    if (world_is_on_postgres())
        return; /* the statements are the same, and writing the rows takes long */
    for (int i = 0; i < 39; i++)
        make(js("s%02d", i), "{'at':['2027-01-01T00:00:00Z']}", "");
    pass_time(SPAN_H);
    add_history(8640);
    make("t", "{'cron':['*/20 * * * *']}", "");
    assert_string_equal(load("from=2026-01-05T10:00:00Z&to=2026-01-05T12:00:00Z&step=10m"),
                        "null: 10:00 0/-/-/-/-, 10:10 0/-/-/-/-, 10:20 0/-/-/-/-, "
                        "10:30 0/-/-/-/-, 10:40 0/-/-/-/-, 10:50 0/56160/0/0/0, "
                        "11:20 1/0/-/0/0, 11:40 1/0/-/0/0");
    assert_non_null(strstr(json_at("cut"), "too many"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(starts_and_ends_are_counted),
        API_TEST(running_is_the_most_at_a_time),
        API_TEST(past_slots_are_planned_regardless_of_their_outcome),
        API_TEST(schedules_are_grouped_by_queue_or_label),
        API_TEST(fifty_groups_are_listed),
        API_TEST(the_load_obeys_clock_changes),
        API_TEST(other_namespaces_are_not_counted),
        API_TEST(errors_name_the_field),
        API_TEST(too_many_runs_are_counted_in_a_part_of_the_window),
        API_TEST(a_schedule_that_takes_too_long_does_not_hide_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
