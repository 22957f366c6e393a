/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Due times as the APIs accept and show them.
 *
 * The expected times are those of the test vectors (Spring's own), or computed by hand: the
 * clock starts at 2026-01-05T10:00:00Z = 1767607200000, a Monday.
 */
#include <stdlib.h>

#include "core/time/text.h"
#include "world.h"

#define CONDUCTOR "/api/scheduler/schedules"
#define QUEUED    "'action':{'type':'queue','queue':'q'}"

enum { LINE_BYTES = 4096, TIMES_BYTES = 2048 };

static int preview(const char *spec, const char *more)
{
    return post("/api/v1/preview", js("{'spec':%s%s}", spec, more));
}

/* The slots of the last preview, each followed by a blank: "2026-01-06T02:30:00.000Z ". */
static const char *slots(void)
{
    static char text[TIMES_BYTES];
    struct buf out = BUF(text);
    size_t i;
    json_t *entry;

    buf_text(&out, "");
    json_array_foreach(json_object_get(world.json, "next"), i, entry)
    {
        buf_printf(&out, "%s ", json_string_value(json_object_get(entry, "slot")));
    }
    assert_false(out.cut);
    return text;
}

/* ---- the vectors of Spring ---- */

static struct str cut_at(struct str *rest, const char *sep)
{
    const char *at = strstr(rest->ptr, sep);
    size_t len = at ? (size_t)(at - rest->ptr) : rest->len;
    struct str head = {rest->ptr, len};

    *rest = str_from(*rest, at ? len + strlen(sep) : len);
    return head;
}

static int ask_spring(struct str expr, struct str zone, struct str from, int count)
{
    json_auto_t *body = json_pack("{s:{s:[{s:s#,s:s}],s:s#},s:s#,s:i}", "spec", "cron", "expr",
                                  expr.ptr, (int)expr.len, "dialect", "spring", "timezone",
                                  zone.ptr, (int)zone.len, "from", from.ptr, (int)from.len,
                                  "count", count > 0 ? count : 1);
    char *text = json_dumps(body, 0);
    int status = post("/api/v1/preview", text);

    free(text);
    return status;
}

/* "EXPR | ZONE | FROM | TIME(local) TIME(local) ..." or "... | null" */
static void check_times(const char *line)
{
    static char expected[TIMES_BYTES], from[64];
    struct str rest = str_of(line), expr = cut_at(&rest, " | "), zone = cut_at(&rest, " | ");
    struct buf out = BUF(expected), begin = BUF(from);
    struct err err;
    instant at;
    int count = 0;

    /* The vectors exclude their start time, a preview includes it. */
    assert_int_equal(instant_parse(cut_at(&rest, " | "), &at, &err), RC_OK);
    instant_format_ms(at + SPAN_MS, &begin);
    buf_text(&out, "");
    while (!str_eq(rest, STR("null")) && rest.len > 0) {
        instant t;

        assert_int_equal(instant_parse(cut_at(&rest, "("), &t, &err), RC_OK);
        instant_format_ms(t, &out);
        buf_char(&out, ' ');
        (void)cut_at(&rest, ") ");
        count++;
    }
    assert_int_equal(ask_spring(expr, zone, buf_as_str(&begin), count), 200);
    if (strcmp(slots(), expected) != 0)
        fail_msg("%s\ngot %s", line, slots());
}

/* "\"EXPR\" | ACCEPT" or "... | REJECT" */
static void check_verdict(const char *line)
{
    struct str rest = str_of(line + 1), expr = cut_at(&rest, "\" | ");
    int status = ask_spring(expr, STR("UTC"), STR("2026-01-05T10:00:00Z"), 1);

    if (status != (str_eq(rest, STR("ACCEPT")) ? 200 : 400))
        fail_msg("%s: %d", line, status);
}

static void every_vector_of_spring_is_previewed_correctly(void **state)
{
    static char line[LINE_BYTES];
    FILE *file = fopen("test/data/vectors/spring-cron-named.txt", "r");
    int lines = 0;

    (void)state;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = '\0';
        if (line[0] == '#' || strstr(line, "[SPRING-BUG]"))
            continue;
        if (line[0] == '"')
            check_verdict(line);
        else
            check_times(line);
        lines++;
    }
    fclose(file);
    assert_true(lines > 160);
}

/* ---- entries ---- */

static void five_fields_mean_second_zero(void **state)
{
    (void)state;
    assert_int_equal(preview("{'cron':['0 2 * * *']}", ",'count':2"), 200);
    assert_string_equal(slots(), "2026-01-06T02:00:00.000Z 2026-01-07T02:00:00.000Z ");
}

static void each_of_several_expressions_has_its_slots(void **state)
{
    (void)state;
    assert_int_equal(preview("{'cron':['0 12 * * *','30 12 * * *']}", ",'count':4"), 200);
    assert_string_equal(slots(), "2026-01-05T12:00:00.000Z 2026-01-05T12:30:00.000Z "
                                 "2026-01-06T12:00:00.000Z 2026-01-06T12:30:00.000Z ");
    assert_json("next.0.entry", "'cron[0]'");
    assert_json("next.1.entry", "'cron[1]'");
}

/* From 10:00 of Monday, 2026-01-05. */
static void macros_are_previewed_in_any_case(void **state)
{
    static const char *const macros[][2] = {
        {"@yearly", "2027-01-01T00:00:00.000Z "},  {"@Annually", "2027-01-01T00:00:00.000Z "},
        {"@MONTHLY", "2026-02-01T00:00:00.000Z "}, {"@weekly", "2026-01-11T00:00:00.000Z "},
        {"@daily", "2026-01-06T00:00:00.000Z "},   {"@Midnight", "2026-01-06T00:00:00.000Z "},
        {"@hourly", "2026-01-05T11:00:00.000Z "},
    };

    (void)state;
    for (size_t i = 0; i < sizeof macros / sizeof macros[0]; i++) {
        assert_int_equal(preview(js("{'cron':['%s']}", macros[i][0]),
                                 ",'count':1,'from':'2026-01-05T10:00:01Z'"),
                         200);
        assert_string_equal(slots(), macros[i][1]);
    }
}

static void calendars_and_cron_entries_are_combined(void **state)
{
    (void)state;
    assert_int_equal(
        preview("{'calendars':[{'hour':'9'}],'cron':['0 18 * * *']}", ",'count':3"), 200);
    assert_string_equal(slots(), "2026-01-05T18:00:00.000Z 2026-01-06T09:00:00.000Z "
                                 "2026-01-06T18:00:00.000Z ");
}

static void an_interval_of_two_seconds_starts_every_two_seconds(void **state)
{
    (void)state;
    assert_int_equal(post("/api/v1/schedules", js("{'id':'s','spec':{'intervals':["
                                                  "{'every':'2s'}]},'policies':{'overlap':"
                                                  "'allowAll'}," QUEUED "}")),
                     201);
    for (int i = 0; i < 10; i++)
        pass_time(SPAN_S);
    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'max':10}")), 200);
    for (int i = 0; i < 5; i++) {
        char slot[40];

        snprintf(slot, sizeof slot, "'2026-01-05T10:00:%02d.000Z'", 2 * (i + 1));
        assert_string_equal(json_at(js("runs.%d.slot", i)), slot);
    }
    assert_json("runs.5", "absent");
}

static void one_expression_in_two_zones_is_two_instants(void **state)
{
    (void)state;
    assert_int_equal(preview("{'cron':['0 9 * * *'],'timezone':'America/New_York'}",
                             ",'count':1,'from':'2026-01-06T00:00:00Z'"),
                     200);
    assert_string_equal(slots(), "2026-01-06T14:00:00.000Z ");
    assert_int_equal(preview("{'cron':['0 9 * * *'],'timezone':'Asia/Tokyo'}",
                             ",'count':1,'from':'2026-01-05T23:00:00Z'"),
                     200);
    assert_string_equal(slots(), "2026-01-06T00:00:00.000Z ");
    assert_int_equal(preview("{'cron':['0 9 * * *']}", ",'count':1"), 200);
    assert_string_equal(slots(), "2026-01-06T09:00:00.000Z "); /* the default is UTC */
}

/* 09:00 in New York is 14:00Z, in London 09:00Z; a third entry without a zone is in UTC. */
static void expressions_of_one_schedule_have_zones_of_their_own(void **state)
{
    (void)state;
    assert_int_equal(
        post(CONDUCTOR, js("{'name':'m','cronSchedules':["
                           "{'cronExpression':'0 0 9 * * ?','zoneId':'America/New_York'},"
                           "{'cronExpression':'0 0 9 * * ?','zoneId':'Europe/London'},"
                           "{'cronExpression':'0 0 12 * * ?'}],"
                           "'startWorkflowRequest':{'name':'wf'}}")),
        200);
    assert_int_equal(get(CONDUCTOR "/m/next-execution-times?count=4"), 200);
    /* 12:00Z, 14:00Z, the next day 09:00Z and 12:00Z */
    assert_json("", "[1767614400000,1767621600000,1767690000000,1767700800000]");
}

/* ---- bounds ---- */

static void a_window_of_three_slots_has_exactly_three_runs(void **state)
{
    (void)state;
    assert_int_equal(post(CONDUCTOR, js("{'name':'w','cronExpression':'0 * * * * ?',"
                                        "'scheduleStartTime':1767607320000,"
                                        "'scheduleEndTime':1767607440000,"
                                        "'startWorkflowRequest':{'name':'wf'}}")),
                     200);
    for (int i = 0; i < 20; i++)
        pass_time(30 * SPAN_S);
    assert_int_equal(get(CONDUCTOR "/w/executions"), 200);
    assert_int_equal(json_array_size(world.json), 3);
    assert_json("2.scheduledTime", "1767607320000");
    assert_json("0.scheduledTime", "1767607440000");
}

/* Hourly; 02:00 to 06:00 are inside the window, including both ends: five a day. */
static void only_slots_inside_the_window_run(void **state)
{
    (void)state;
    assert_int_equal(preview("{'cron':['0 * * * *'],'window':{'from':'02:00','to':'06:00',"
                             "'rule':'filter'}}",
                             ",'count':6"),
                     200);
    assert_string_equal(slots(), "2026-01-06T02:00:00.000Z 2026-01-06T03:00:00.000Z "
                                 "2026-01-06T04:00:00.000Z 2026-01-06T05:00:00.000Z "
                                 "2026-01-06T06:00:00.000Z 2026-01-07T02:00:00.000Z ");
}

/* ---- the next time ---- */

static void assert_ahead(const char *path, const char *member)
{
    struct err err;
    instant at;

    assert_int_equal(get(path), 200);
    if (json_is_integer(json_object_get(world.json, member)))
        at = json_integer_value(json_object_get(world.json, member)) * SPAN_MS;
    else
        assert_int_equal(instant_parse(text_at(member), &at, &err), RC_OK);
    assert_true(at > world.now);
    assert_true(at <= world.now + SPAN_MIN);
}

/* nextRunTime, nextExecutionAt and nextRunAt are later than now after every run. */
static void the_next_time_is_in_the_future_in_every_api(void **state)
{
    char job[128];

    (void)state;
    assert_int_equal(post(CONDUCTOR, js("{'name':'c','cronExpression':'0 * * * * ?',"
                                        "'startWorkflowRequest':{'name':'wf'}}")),
                     200);
    assert_int_equal(post("/api/schedules", js("{'agentId':'a','scheduleType':'INTERVAL',"
                                               "'intervalMinutes':1,'timezone':'UTC'}")),
                     201);
    assert_int_equal(
        post("/api/orgs/o/schedules", js("{'name':'j','serverInstanceId':'s','jobType':'t',"
                                         "'cronExpression':'* * * * *'}")),
        201);
    snprintf(job, sizeof job, "/api/orgs/o/schedules/%s", text_at("id").ptr);
    for (int i = 0; i < 12; i++) {
        pass_time(25 * SPAN_S);
        assert_ahead(CONDUCTOR "/c", "nextRunTime");
        assert_ahead("/api/schedules/agent:a", "nextExecutionAt");
        assert_ahead(job, "nextRunAt");
    }
    assert_int_equal(get(job), 200);
    assert_json("runCount", "5");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(every_vector_of_spring_is_previewed_correctly),
        API_TEST(five_fields_mean_second_zero),
        API_TEST(each_of_several_expressions_has_its_slots),
        API_TEST(macros_are_previewed_in_any_case),
        API_TEST(calendars_and_cron_entries_are_combined),
        API_TEST(an_interval_of_two_seconds_starts_every_two_seconds),
        API_TEST(one_expression_in_two_zones_is_two_instants),
        API_TEST(expressions_of_one_schedule_have_zones_of_their_own),
        API_TEST(a_window_of_three_slots_has_exactly_three_runs),
        API_TEST(only_slots_inside_the_window_run),
        API_TEST(the_next_time_is_in_the_future_in_every_api),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
