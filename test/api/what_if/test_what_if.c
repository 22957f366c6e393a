/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What an outage, an edit or a new schedule would do.  The clock is at 2026-01-05T10:00:00Z, a
 * Monday.  Most outages last from 12:01 to 13:05 of that day: then "0/10 * * * *" has the six
 * slots from 12:10 to 13:00.
 */
#include <stdlib.h>

#include "world.h"

#define TEN_MINUTES "{'cron':['*/10 * * * *']}"
#define OUTAGE      "'down':{'from':'2026-01-05T12:01:00Z','to':'2026-01-05T13:05:00Z'}"
#define WINDOW      "'from':'2026-01-05T11:00:00Z','to':'2026-01-05T14:00:00Z'"

static void make(const char *name, const char *spec, const char *rest)
{
    assert_int_equal(ask(js("PUT /api/v1/schedules/%s", name), NULL,
                         js("{'spec':%s,'action':{'type':'queue','queue':'q'}%s}", spec, rest)),
                     201);
}

static int what_if(const char *body)
{
    return post("/api/v1/what-if", js("{%s}", body));
}

static void ask_ok(const char *body)
{
    assert_int_equal(what_if(body), 200);
}

/* The counts of the first schedule: "due started missed(window+coalesced) caughtUp skipped". */
static const char *counts(void)
{
    static char text[128];
    static const char *const names[] = {"due",       "started",  "window",
                                        "coalesced", "caughtUp", "skipped"};
    long long n[6], missed;

    for (int i = 0; i < 6; i++)
        n[i] = atoll(json_at(js("schedules.0.%s", names[i])));
    missed = atoll(json_at("schedules.0.missed"));
    assert_int_equal(missed, n[2] + n[3]);
    snprintf(text, sizeof text,
             "due %lld started %lld window %lld coalesced %lld caught %lld "
             "skipped %lld",
             n[0], n[1], n[2], n[3], n[4], n[5]);
    return text;
}

/* Of six slots, 12:10 to 12:30 are more than 30 minutes late at 13:05. */
static void the_catchup_mode_decides_about_the_slots_of_an_outage(void **state)
{
    static const struct {
        const char *mode, *expected, *last;
    } list[] = {
        {"none", "due 6 started 0 window 6 coalesced 0 caught 0 skipped 0", "absent"},
        {"oldest", "due 6 started 1 window 3 coalesced 2 caught 1 skipped 0",
         "'2026-01-05T12:40:00.000Z'"},
        {"latest", "due 6 started 1 window 3 coalesced 2 caught 1 skipped 0",
         "'2026-01-05T12:40:00.000Z'"},
        {"all", "due 6 started 3 window 3 coalesced 0 caught 3 skipped 0",
         "'2026-01-05T12:40:00.000Z'"},
    };

    (void)state;
    for (int i = 0; i < 4; i++) {
        make("s", TEN_MINUTES,
             js(",'policies':{'overlap':'allowAll','catchup':{'mode':'%s','window':'30m'}}",
                list[i].mode));
        ask_ok(OUTAGE);
        assert_string_equal(counts(), list[i].expected);
        assert_json("total.schedules", "1");
        assert_json("schedules.0.first", "'2026-01-05T12:10:00.000Z'");
        assert_json("schedules.0.last", "'2026-01-05T13:00:00.000Z'");
        assert_json("schedules.0.slots.0.outcome", "'missed'");
        assert_json("schedules.0.slots.0.reason", "'window'");
        assert_json("schedules.0.slots.1.slot", list[i].last);
        assert_json("schedules.0.isEstimate", "false");
        assert_int_equal(ask("DELETE /api/v1/schedules/s", NULL, NULL), 204);
    }
}

static void each_slot_has_its_fate(void **state)
{
    (void)state;
    make("s", TEN_MINUTES, ",'policies':{'catchup':{'mode':'latest','window':'30m'}}");
    ask_ok(OUTAGE);
    assert_json("schedules.0.slots",
                "[{'slot':'2026-01-05T12:10:00.000Z','last':'2026-01-05T12:30:00.000Z',"
                "'count':3,'outcome':'missed','reason':'window','startsAt':null},"
                "{'slot':'2026-01-05T12:40:00.000Z','last':'2026-01-05T12:50:00.000Z',"
                "'count':2,'outcome':'missed','reason':'coalesced','startsAt':null},"
                "{'slot':'2026-01-05T13:00:00.000Z','outcome':'started','reason':null,"
                "'startsAt':'2026-01-05T13:05:00.000Z'}]");
    assert_json("from", "'2026-01-05T12:01:00.000Z'");
    assert_json("to", "'2026-01-05T13:05:00.000Z'");
    assert_json("cut", "null");
}

/* The server decides everything that is due when it is back: then 13:10 is the latest slot. */
static void a_slot_at_the_end_of_the_outage_is_decided_with_the_others(void **state)
{
    (void)state;
    make("s", TEN_MINUTES, "");
    ask_ok("'down':{'from':'2026-01-05T12:01:00Z','to':'2026-01-05T13:10:00Z'}");
    assert_string_equal(counts(), "due 7 started 1 window 0 coalesced 6 caught 0 skipped 0");
    ask_ok("'down':{'from':'2026-01-05T12:10:00Z','to':'2026-01-05T12:15:00Z'}");
    assert_string_equal(counts(), "due 1 started 1 window 0 coalesced 0 caught 1 skipped 0");
    ask_ok("'down':{'from':'2026-01-05T12:11:00Z','to':'2026-01-05T12:19:00Z'}");
    assert_json("schedules", "[]");
    assert_json("considered", "1");
}

/* Without the outage each slot starts alone; with it six start at 13:05. */
static void the_load_is_counted_per_minute(void **state)
{
    (void)state;
    make("s", TEN_MINUTES, ",'policies':{'overlap':'allowAll','catchup':{'mode':'all'}}");
    ask_ok(OUTAGE);
    assert_json("load.from", "'2026-01-05T12:01:00.000Z'");
    assert_json("load.to", "'2026-01-05T14:05:00.000Z'");
    assert_json("load.step", "'1m'");
    assert_json("load.before", "{'peak':1,'at':'2026-01-05T12:10:00.000Z'}");
    assert_json("load.after", "{'peak':6,'at':'2026-01-05T13:05:00.000Z'}");
    assert_json("load.buckets.0", "{'at':'2026-01-05T12:10:00.000Z','before':1,'after':0}");
    assert_json("load.buckets.5", "{'at':'2026-01-05T13:00:00.000Z','before':1,'after':0}");
    assert_json("load.buckets.6", "{'at':'2026-01-05T13:05:00.000Z','before':0,'after':6}");
    assert_json("load.buckets.7", "{'at':'2026-01-05T13:10:00.000Z','before':1,'after':1}");
    assert_json("load.buckets.12", "{'at':'2026-01-05T14:00:00.000Z','before':1,'after':1}");
    assert_json("load.buckets.13", "absent");
}

/* A week is 10,080 minutes, so that a bucket has an hour; it shows the busiest minute. */
static void longer_loads_have_wider_buckets(void **state)
{
    (void)state;
    make("s", TEN_MINUTES, "");
    ask_ok("'schedule':{'spec':{'cron':['5 * * * *']},'action':{'type':'queue','queue':'q'}},"
           "'from':'2026-01-05T12:00:00Z','to':'2026-01-12T12:00:00Z'");
    assert_json("load.step", "'1h'");
    assert_json("load.buckets.0", "{'at':'2026-01-05T12:00:00.000Z','before':1,'after':1}");
    assert_json("load.buckets.167", "{'at':'2026-01-12T11:00:00.000Z','before':1,'after':1}");
    assert_json("load.buckets.168", "absent");
    assert_json("schedules.0.due", "168");
}

static void the_overlap_policy_is_an_estimate(void **state)
{
    (void)state;
    make("s", TEN_MINUTES, ",'policies':{'catchup':{'mode':'all'}}");
    ask_ok(OUTAGE ",'durations':{'s':'25m'}");
    assert_string_equal(counts(), "due 6 started 1 window 0 coalesced 0 caught 6 skipped 5");
    assert_json("schedules.0.duration", "'25m'");
    assert_json("schedules.0.durationFrom", "'given'");
    assert_json("estimate.durations", "'given'");
    assert_json("schedules.0.slots.0.startsAt", "'2026-01-05T13:05:00.000Z'");
    assert_json("schedules.0.slots.1.outcome", "'skipped'");
    assert_json("schedules.0.slots.1.reason", "'overlap'");
    assert_json("schedules.0.slots.1.count", "5");
    /* 13:05 to 13:30, then 13:40 to 14:05 */
    assert_json("load.after", "{'peak':1,'at':'2026-01-05T13:05:00.000Z'}");
    ask_ok(OUTAGE);
    assert_json("estimate.durations", "'none'");
    assert_json("schedules.0.duration", "null");
}

/* Six runs of ten minutes follow one another from 13:05; the load ends at 14:05. */
static void waiting_slots_begin_one_after_the_other(void **state)
{
    (void)state;
    make("s", TEN_MINUTES, ",'policies':{'overlap':'bufferAll','catchup':{'mode':'all'}}");
    ask_ok(OUTAGE ",'durations':{'s':'10m'}");
    assert_string_equal(counts(), "due 6 started 6 window 0 coalesced 0 caught 6 skipped 0");
    assert_json("schedules.0.slots.0.startsAt", "'2026-01-05T13:05:00.000Z'");
    assert_json("schedules.0.slots.5.startsAt", "'2026-01-05T13:55:00.000Z'");
    /* Of 20 minutes, three begin. */
    ask_ok(OUTAGE ",'durations':{'s':'20m'}");
    assert_string_equal(counts(), "due 6 started 3 window 0 coalesced 0 caught 6 skipped 0");
    assert_json("schedules.0.slots.3.outcome", "null");
}

/* The run of 12:00 is open until 13:15. */
static void a_run_that_is_open_during_the_outage_counts(void **state)
{
    (void)state;
    make("s", TEN_MINUTES, "");
    ask_ok(OUTAGE ",'durations':{'s':'75m'}");
    assert_string_equal(counts(), "due 6 started 0 window 0 coalesced 5 caught 1 skipped 1");
}

static void slots_that_find_no_room_are_dropped(void **state)
{
    (void)state;
    make("s", TEN_MINUTES,
         ",'policies':{'overlap':'bufferAll','bufferLimit':2,"
         "'catchup':{'mode':'all','whenFull':'drop'}}");
    ask_ok(OUTAGE ",'durations':{'s':'5m'}");
    assert_json("schedules.0.due", "6");
    assert_json("schedules.0.caughtUp", "2");
    assert_json("schedules.0.dropped", "4");
    assert_json("schedules.0.slots.2.reason", "'buffer'");
}

static void pauses_count(void **state)
{
    (void)state;
    make("s", TEN_MINUTES, ",'policies':{'catchup':{'mode':'all'},'overlap':'allowAll'}");
    assert_int_equal(post("/api/v1/schedules/s/pause", js("{'until':'2026-01-05T12:35:00Z'}")),
                     200);
    ask_ok(OUTAGE); /* 12:40, 12:50, 13:00 */
    assert_string_equal(counts(), "due 3 started 3 window 0 coalesced 0 caught 3 skipped 0");
    make("e", TEN_MINUTES, "");
    assert_int_equal(post("/api/v1/schedules/e/pause", ""), 200);
    ask_ok(OUTAGE ",'filter':{'schedule':['e']}");
    assert_json("schedules", "[]");
    assert_json("load.before", "{'peak':0,'at':null}");
    /* The slots of the pause start when it ends, and it ends when the server is back. */
    make("p", TEN_MINUTES,
         ",'policies':{'catchup':{'mode':'all','whilePaused':true},'overlap':'allowAll'}");
    assert_int_equal(post("/api/v1/schedules/p/pause", js("{'until':'2026-01-05T12:35:00Z'}")),
                     200);
    ask_ok(OUTAGE); /* 10:10 to 13:00 */
    assert_string_equal(counts(), "due 18 started 18 window 0 coalesced 0 caught 18 skipped 0");
    make("d", TEN_MINUTES, ",'enabled':false");
    ask_ok(OUTAGE ",'filter':{'schedule':['d']}");
    assert_json("schedules", "[]");
}

/* Berlin skips the hour from 01:00Z on 29 March; 02:30 runs at its end. */
static void clock_changes_count(void **state)
{
    (void)state;
    make("s", "{'cron':['30 2 * * *'],'timezone':'Europe/Berlin'}", "");
    ask_ok("'down':{'from':'2026-03-29T00:30:00Z','to':'2026-03-29T01:10:00Z'}");
    assert_json("schedules.0.due", "1");
    assert_json("schedules.0.first", "'2026-03-29T01:00:00.000Z'");
    ask_ok("'down':{'from':'2026-03-28T00:30:00Z','to':'2026-03-28T01:10:00Z'}");
    assert_json("schedules", "[]"); /* in winter 02:30 is 01:30Z */
    ask_ok("'down':{'from':'2026-03-30T00:10:00Z','to':'2026-03-30T00:40:00Z'}");
    assert_json("schedules.0.first", "'2026-03-30T00:30:00.000Z'");
}

static void excluded_and_cancelled_slots_are_not_due(void **state)
{
    (void)state;
    make("s", "{'cron':['*/10 * * * *'],'exclude':{'dates':['2026-01-06']}}", "");
    ask_ok("'down':{'from':'2026-01-06T12:01:00Z','to':'2026-01-06T13:05:00Z'}");
    assert_json("schedules", "[]");
    assert_int_equal(ask("PUT /api/v1/schedules/s/exceptions/2026-01-05T12:20:00Z", NULL, ""),
                     201);
    ask_ok(OUTAGE);
    assert_string_equal(counts(), "due 5 started 1 window 0 coalesced 4 caught 1 skipped 0");
}

/* It runs every ten minutes from its creation; the time that it chose before waits for it. */
static void a_governed_schedule_runs_once_after_the_outage(void **state)
{
    (void)state;
    make("s", "{'intervals':[{'every':'10m'}]}", ",'governor':{}");
    ask_ok(OUTAGE ",'durations':{'s':'30s'}");
    assert_string_equal(counts(), "due 1 started 1 window 0 coalesced 0 caught 1 skipped 0");
    assert_json("schedules.0.first", "'2026-01-05T12:10:00.000Z'");
    assert_json("schedules.0.isEstimate", "true");
    /* The run of 12:00 ends during the outage: the server learns it at 13:05, and waits. */
    ask_ok(OUTAGE ",'durations':{'s':'2m'}");
    assert_json("schedules", "[]");
    assert_json("load.after", "{'peak':1,'at':'2026-01-05T13:15:00.000Z'}");
}

/*
 * Runs of five minutes: 10:10 to 10:15, 10:25 to 10:30 … 11:55 to 12:00.  After that the slots
 * are 12:10, 12:20 … until a run begins.
 */
static void slots_that_count_from_completions_are_an_estimate(void **state)
{
    (void)state;
    make("s", "{'intervals':[{'every':'10m','anchor':'completion'}]}", "");
    ask_ok(OUTAGE ",'durations':{'s':'5m'}");
    assert_string_equal(counts(), "due 6 started 1 window 0 coalesced 5 caught 1 skipped 0");
    assert_json("schedules.0.first", "'2026-01-05T12:10:00.000Z'");
    assert_json("schedules.0.last", "'2026-01-05T13:00:00.000Z'");
    assert_json("schedules.0.isEstimate", "true");
    ask_ok(OUTAGE ",'durations':{'s':'7m'}"); /* 10:10 + 6 × 17 = 11:52, until 11:59 */
    assert_json("schedules.0.first", "'2026-01-05T12:09:00.000Z'");
    assert_json("schedules.0.last", "'2026-01-05T12:59:00.000Z'");
}

static void an_outage_in_the_past_is_a_hypothesis(void **state)
{
    (void)state;
    make("s", TEN_MINUTES, "");
    ask_ok("'down':{'from':'2025-01-05T12:01:00Z','to':'2025-01-05T13:05:00Z'}");
    assert_string_equal(counts(), "due 6 started 1 window 0 coalesced 5 caught 1 skipped 0");
}

/* ---- edits ---- */

static void a_patch_moves_the_load(void **state)
{
    (void)state;
    make("a", "{'cron':['0 * * * *']}", "");
    make("b", "{'cron':['0 * * * *']}", "");
    ask_ok("'patch':{'schedule':'b','patch':{'spec':{'cron':['30 * * * *']}}}," WINDOW);
    assert_json("load.before", "{'peak':2,'at':'2026-01-05T11:00:00.000Z'}");
    assert_json("load.after", "{'peak':1,'at':'2026-01-05T11:00:00.000Z'}");
    assert_json("load.buckets.1", "{'at':'2026-01-05T11:30:00.000Z','before':0,'after':1}");
    assert_json("schedules.0.id", "'b'");
    assert_json("schedules.0.due", "3");
    assert_json("schedules.0.before.due", "3");
    assert_json("schedules.0.first", "'2026-01-05T11:30:00.000Z'");
    assert_json("considered", "2");
    assert_json("total.schedules", "1");
    /* Nothing has changed. */
    assert_int_equal(get("/api/v1/schedules/b"), 200);
    assert_json("spec.cron.0.expr", "'0 * * * *'");
}

static void a_patch_may_pause_or_change_policies(void **state)
{
    (void)state;
    make("b", "{'cron':['0 * * * *']}", "");
    ask_ok("'patch':{'schedule':'b','patch':{'enabled':false}}," WINDOW);
    assert_json("schedules.0.due", "0");
    assert_json("schedules.0.before.due", "3");
    assert_json("load.after", "{'peak':0,'at':null}");
    /* Runs of 70 minutes: 11:00 to 12:10, so that 12:00 is skipped, and 13:00 */
    ask_ok("'patch':{'schedule':'b','patch':{'policies':{'overlap':'allowAll'}}}," WINDOW
           ",'durations':{'b':'70m'}");
    assert_json("schedules.0.before.skipped", "2");
    assert_json("schedules.0.before.started", "1");
    assert_json("schedules.0.started", "3");
}

static void a_new_schedule_adds_to_the_load(void **state)
{
    (void)state;
    make("a", "{'cron':['0 * * * *']}", "");
    ask_ok("'schedule':{'id':'n','spec':{'cron':['*/30 * * * *']},"
           "'action':{'type':'queue','queue':'q'}}," WINDOW);
    assert_json("load.before.peak", "1");
    assert_json("load.after", "{'peak':2,'at':'2026-01-05T11:00:00.000Z'}");
    assert_json("schedules.0.id", "'n'");
    assert_json("schedules.0.due", "6");
    assert_json("schedules.0.before.due", "0");
    assert_int_equal(get("/api/v1/schedules/n"), 404);
}

/* From now on for a day: 11:00 of this day to 10:00 of the next one is the last before `to`. */
static void the_range_of_an_edit_defaults_to_a_day(void **state)
{
    (void)state;
    pass_time(30 * SPAN_MIN);
    ask_ok("'schedule':{'spec':{'cron':['0 * * * *']},'action':{'type':'queue','queue':'q'}}");
    assert_json("from", "'2026-01-05T10:30:00.000Z'");
    assert_json("to", "'2026-01-06T10:30:00.000Z'");
    assert_json("schedules.0.due", "24");
}

/* ---- which schedules ---- */

static void only_the_namespace_of_the_request_counts(void **state)
{
    (void)state;
    make("s", TEN_MINUTES, "");
    assert_int_equal(ask("PUT /api/v1/namespaces/team", NULL, "{}"), 201);
    assert_int_equal(
        post("/api/v1/schedules?namespace=team",
             js("{'id':'t','spec':%s,'action':{'type':'queue','queue':'q'}}", TEN_MINUTES)),
        201);
    ask_ok(OUTAGE);
    assert_json("considered", "1");
    assert_json("schedules.0.id", "'s'");
    ask_ok(OUTAGE ",'filter':{'schedule':['t']}");
    assert_json("considered", "0");
    assert_refused(what_if("'patch':{'schedule':'t','patch':{}}"), 404, "not_found", "");
    assert_int_equal(post("/api/v1/what-if?namespace=team", js("{%s}", OUTAGE)), 200);
    assert_json("schedules.0.id", "'t'");
}

static void a_filter_selects_schedules(void **state)
{
    (void)state;
    make("a", TEN_MINUTES, ",'labels':{'team':'web'}");
    make("b", TEN_MINUTES, ",'labels':{'team':'ops'}");
    assert_int_equal(
        ask("PUT /api/v1/schedules/c", NULL,
            js("{'spec':%s,'action':{'type':'queue','queue':'other'}}", TEN_MINUTES)),
        201);
    ask_ok(OUTAGE ",'filter':{'label':'team=web'}");
    assert_json("considered", "1");
    assert_json("schedules.0.id", "'a'");
    ask_ok(OUTAGE ",'filter':{'label':'team'}");
    assert_json("considered", "2");
    ask_ok(OUTAGE ",'filter':{'queue':'other'}");
    assert_json("schedules.0.id", "'c'");
    ask_ok(OUTAGE ",'filter':{'schedule':['b','missing']}");
    assert_json("considered", "1");
    assert_json("schedules.0.id", "'b'");
}

/* "c" loses 6 slots, "b" 5, "a" none. */
static void those_that_lose_most_come_first(void **state)
{
    (void)state;
    make("a", TEN_MINUTES, ",'policies':{'overlap':'allowAll','catchup':{'mode':'all'}}");
    make("b", TEN_MINUTES, "");
    make("c", TEN_MINUTES, ",'policies':{'catchup':{'mode':'none'}}");
    ask_ok(OUTAGE ",'limit':2");
    assert_json("schedules.0.id", "'c'");
    assert_json("schedules.1.id", "'b'");
    assert_json("schedules.2", "absent");
    assert_json("cut", "'1 more schedules are affected; use limit or filter'");
    assert_json("total", "{'schedules':3,'due':18,'started':7,'missed':11,'window':6,"
                         "'coalesced':5,'dropped':0,'caughtUp':7,'skipped':0}");
}

/* Claims the ready run at once and completes it after `took`. */
static void work(span took)
{
    struct str id;
    char fence[24];

    assert_int_equal(post("/api/v1/queues/claim", js("{'queues':['q'],'worker':'w'}")), 200);
    id = text_at("runs.0.id");
    snprintf(fence, sizeof fence, "%s", json_at("runs.0.fence"));
    pass_time(took);
    assert_int_equal(post(js("/api/v1/runs/%s/complete", id.ptr), js("{'fence':%s}", fence)),
                     200);
}

/* Runs of 20, 20 and 50 seconds; a quantile is within 10 %. */
static void without_a_duration_the_median_of_the_last_days_is_used(void **state)
{
    static const span took[] = {20 * SPAN_S, 50 * SPAN_S, 20 * SPAN_S};
    span found;
    double value;

    (void)state;
    make("s", TEN_MINUTES, "");
    for (int i = 0; i < 3; i++) {
        pass_time(10 * SPAN_MIN - (i > 0 ? took[i - 1] : 0));
        work(took[i]);
    }
    for (int i = 0; i < 5; i++)
        pass_time(SPAN_MIN); /* the rows of the runs are counted */
    ask_ok(OUTAGE);
    assert_json("schedules.0.durationFrom", "'p50'");
    assert_json("estimate.durations", "'p50'");
    assert_int_equal(sscanf(json_at("schedules.0.duration"), "'%lfs'", &value), 1);
    found = (span)(value * (double)SPAN_S);
    assert_true(found >= 18 * SPAN_S && found <= 22 * SPAN_S);
    ask_ok(OUTAGE ",'durations':{'s':'3m'}");
    assert_json("schedules.0.duration", "'3m'");
    assert_json("estimate.durations", "'given'");
}

/* ---- limits and errors ---- */

static void too_large_questions_are_refused_with_the_limit(void **state)
{
    (void)state;
    assert_refused(
        what_if("'down':{'from':'2026-01-05T12:00:00Z','to':'2026-01-12T12:00:01Z'}"), 422,
        "limit", "down.to");
    assert_non_null(strstr(json_at("detail"), "7 days"));
    assert_refused(what_if("'schedule':{'spec':{},'action':{'type':'queue','queue':'q'}},"
                           "'from':'2026-01-05T12:00:00Z','to':'2026-01-12T12:00:01Z'"),
                   422, "limit", "to");
    /* 604,800 slots a week each: eight schedules have 4,838,400, nine 5,443,200. */
    for (int i = 0; i < 8; i++)
        make(js("s%d", i), "{'cron':['* * * * * *']}", "");
    ask_ok("'down':{'from':'2026-01-05T12:00:00Z','to':'2026-01-12T11:00:00Z'}");
    assert_json("total.schedules", "8");
    make("s8", "{'cron':['* * * * * *']}", "");
    assert_refused(
        what_if("'down':{'from':'2026-01-05T12:00:00Z','to':'2026-01-12T11:00:00Z'}"), 422,
        "limit", "");
    assert_non_null(strstr(json_at("detail"), "5000000 slots"));
}

/* Fills the namespace with `count` schedules "n00000" and so on, a thousand per request. */
static void make_many(int count)
{
    for (int i = 0; i < count; i += 1000) {
        char *body = malloc(1000 * 100);
        struct buf out = {.ptr = body, .cap = 1000 * 100};

        assert_non_null(body);
        buf_text(&out, "{\"items\":[");
        for (int k = i; k < i + 1000 && k < count; k++)
            buf_printf(&out,
                       "%s{\"id\":\"n%05d\",\"action\":{\"type\":\"queue\","
                       "\"queue\":\"q\"}}",
                       k > i ? "," : "", k);
        buf_text(&out, "]}");
        assert_false(out.cut);
        assert_int_equal(post("/api/v1/bulk/schedules", body), 200);
        free(body);
    }
}

static void ten_thousand_schedules_are_the_limit(void **state)
{
    (void)state;
    make_many(9999);
    make("s", TEN_MINUTES, "");
    ask_ok(OUTAGE);
    assert_json("considered", "10000");
    make("t", TEN_MINUTES, "");
    assert_refused(what_if(OUTAGE), 422, "limit", "");
    assert_non_null(strstr(json_at("detail"), "10000 schedules"));
    ask_ok(OUTAGE ",'filter':{'schedule':['t']}");
    assert_json("schedules.0.id", "'t'");
}

static void the_work_of_a_request_is_limited(void **state)
{
    (void)state;
    make("s", "{'cron':['* * * * * *']}", "");
    world.read_steps = 2000; /* the outage has 3,840 slots */
    assert_refused(what_if(OUTAGE), 422, "limit", "");
    assert_non_null(strstr(json_at("detail"), "too long to compute"));
    world.read_steps = 40000;
    ask_ok(OUTAGE);
}

static void invalid_questions_are_refused(void **state)
{
    static const struct {
        const char *body, *code, *field;
    } list[] = {
        {"", "invalid_field", "down"},
        {OUTAGE ",'schedule':{}", "invalid_field", "down"},
        {"'down':{'from':'2026-01-05T12:01:00Z'}", "invalid_field", "down.to"},
        {"'down':{'from':'2026-01-05T12:01:00Z','to':'2026-01-05T12:01:00Z'}", "invalid_field",
         "down.to"},
        {OUTAGE ",'from':'2026-01-05T12:01:00Z'", "invalid_field", "from"},
        {"'patch':{'schedule':'s'}", "invalid_field", "patch.patch"},
        {"'patch':{'schedule':'s','patch':1}", "invalid_field", "patch.patch"},
        {"'patch':{'schedule':'s','patch':{'spec':{'cron':['61 * * * *']}}}", "invalid_spec",
         "patch.patch.spec.cron[0].expr.minute"},
        {"'schedule':7", "invalid_field", "schedule"},
        {"'schedule':{'spec':{'cron':['61 * * * *']},'action':{'type':'queue','queue':'q'}}",
         "invalid_spec", "schedule.spec.cron[0].expr.minute"},
        {OUTAGE ",'durations':{'s':'soon'}", "invalid_field", "durations.s"},
        {OUTAGE ",'durations':[]", "invalid_field", "durations"},
        {OUTAGE ",'limit':0", "invalid_field", "limit"},
        {OUTAGE ",'filter':{'colour':'red'}", "invalid_field", "filter.colour"},
        {OUTAGE ",'until':'2026-01-05T12:01:00Z'", "invalid_field", "until"},
    };

    (void)state;
    make("s", TEN_MINUTES, "");
    for (size_t i = 0; i < sizeof list / sizeof *list; i++)
        assert_refused(what_if(list[i].body), 400, list[i].code, list[i].field);
    assert_refused(what_if(OUTAGE ",'durations':{'s':'32d'}"), 422, "limit", "durations.s");
    assert_refused(what_if("'patch':{'schedule':'missing','patch':{}}"), 404, "not_found", "");
    assert_refused(post("/api/v1/what-if?from=1", js("{%s}", OUTAGE)), 400, "invalid_field",
                   "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(the_catchup_mode_decides_about_the_slots_of_an_outage),
        API_TEST(each_slot_has_its_fate),
        API_TEST(a_slot_at_the_end_of_the_outage_is_decided_with_the_others),
        API_TEST(the_load_is_counted_per_minute),
        API_TEST(longer_loads_have_wider_buckets),
        API_TEST(the_overlap_policy_is_an_estimate),
        API_TEST(waiting_slots_begin_one_after_the_other),
        API_TEST(a_run_that_is_open_during_the_outage_counts),
        API_TEST(slots_that_find_no_room_are_dropped),
        API_TEST(pauses_count),
        API_TEST(clock_changes_count),
        API_TEST(excluded_and_cancelled_slots_are_not_due),
        API_TEST(a_governed_schedule_runs_once_after_the_outage),
        API_TEST(slots_that_count_from_completions_are_an_estimate),
        API_TEST(an_outage_in_the_past_is_a_hypothesis),
        API_TEST(a_patch_moves_the_load),
        API_TEST(a_patch_may_pause_or_change_policies),
        API_TEST(a_new_schedule_adds_to_the_load),
        API_TEST(the_range_of_an_edit_defaults_to_a_day),
        API_TEST(only_the_namespace_of_the_request_counts),
        API_TEST(a_filter_selects_schedules),
        API_TEST(those_that_lose_most_come_first),
        API_TEST(without_a_duration_the_median_of_the_last_days_is_used),
        API_TEST(too_large_questions_are_refused_with_the_limit),
        API_TEST(ten_thousand_schedules_are_the_limit),
        API_TEST(the_work_of_a_request_is_limited),
        API_TEST(invalid_questions_are_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
