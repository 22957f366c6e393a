/* SPDX-License-Identifier: Apache-2.0 */
/*
 * In random worlds, /slots says the same as /schedules/{schedule}/slots of each schedule: as
 * lists, and as sums of counts and series.  /load has the same sums for all schedules.
 */
#include "base/prng.h"
#include "timeline.h"

enum { SCHEDULES = 8, WORLDS = 6, WINDOWS = 3, STEPS = 30, TEXT = 16000, TIME_MAX = 32 };

static struct prng prng;

static int below(int n)
{
    return (int)prng_below(&prng, (uint64_t)n);
}

static const char *any_spec(void)
{
    static const char *const specs[] = {
        "{'cron':['*/10 * * * *']}",
        "{'cron':['0 * * * *','20 */2 * * *'],'timezone':'Asia/Kolkata'}",
        "{'cron':['7,8,40 * * * *'],'jitter':'3m'}",
        "{'intervals':[{'every':'13m'}]}",
        "{'intervals':[{'every':'25m','anchor':'start'}]}",
        "{'intervals':[{'every':'20m','anchor':'completion'}]}",
        "{'intervals':[{'every':'17m'}],'window':{'from':'10:30','to':'13:00'}}",
        "{'cron':['*/15 * * * *'],'exclude':{'calendars':[{'hour':'12','minute':'*'}]}}",
        "{'intervals':[{'every':'9m'}],'end':'2026-01-05T14:00:00Z'}",
    };

    return specs[below(sizeof specs / sizeof *specs)];
}

static const char *any_rest(void)
{
    static const char *const rests[] = {
        "",
        ",'policies':{'overlap':'allowAll'}",
        ",'policies':{'overlap':'bufferOne'}",
        ",'policies':{'catchup':{'mode':'all','whilePaused':true}}",
        ",'policies':{'catchup':{'mode':'latest','window':'10m'}}",
        ",'policies':{'remainingRuns':9}",
    };

    return rests[below(sizeof rests / sizeof *rests)];
}

/* Something happens to a schedule; what is not possible is refused. */
static void act(const char *id)
{
    switch (below(10)) {
    case 0:
        (void)post(js("/api/v1/schedules/%s/pause", id),
                   below(2) ? "" : js("{'until':'2026-01-05T13:05:00Z'}"));
        break;
    case 1:
        (void)post(js("/api/v1/schedules/%s/resume", id), "");
        break;
    case 2:
        (void)post(js("/api/v1/schedules/%s/skip-next", id), "");
        break;
    case 3:
        (void)post(js("/api/v1/schedules/%s/trigger", id), "");
        break;
    case 4:
        (void)ask(js("PATCH /api/v1/schedules/%s", id), NULL,
                  js("{'spec':{'jitter':'%dm'}}", below(4)));
        break;
    case 5:
        (void)post(js("/api/v1/schedules/%s/backfill", id),
                   js("{'from':'2026-01-05T09:00:00Z','to':'2026-01-05T10:00:00Z'}"));
        break;
    case 6:
        assert_int_equal(
            ask(js("PUT /api/v1/schedules/%s", id), NULL,
                js("{'spec':%s,'action':{'type':'queue','queue':'q-%s'}}", any_spec(), id)),
            200);
        break;
    default:
        assert_int_equal(
            post("/api/v1/queues/claim", js("{'queues':['q-%s'],'worker':'w'}", id)), 200);
        if (world.call.grant_count == 1) {
            struct str run = text_at("runs.0.id");
            const char *fence = js("{'fence':%s}", json_at("runs.0.fence"));

            pass_time(below(100) * SPAN_S);
            (void)post(js("/api/v1/runs/%s/%s", run.ptr, below(3) ? "complete" : "fail"),
                       fence);
        }
    }
}

static void live(void)
{
    for (int i = 0; i < SCHEDULES; i++)
        make(js("s%d", i), any_spec(), any_rest());
    for (int i = 0; i < STEPS; i++) {
        pass_time(below(20) * SPAN_MIN + below(60) * SPAN_S);
        act(js("s%d", below(SCHEDULES)));
    }
}

/* ---- sums ---- */

static const char *const kinds[] = {"planned",   "open",    "succeeded", "failed", "timedOut",
                                    "cancelled", "skipped", "missed",    "dropped"};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int kind_of(const char *name)
{
    for (int i = 0; i < KINDS; i++)
        if (strcmp(name, kinds[i]) == 0)
            return i;
    fail_msg("%s", name);
    return 0;
}

static void count_slot(const json_t *slot, int64_t sums[static KINDS])
{
    const json_t *run = json_object_get(slot, "run"), *count = json_object_get(slot, "count");
    const char *outcome = word(slot, "outcome");

    if (!outcome)
        outcome = "planned";
    else if (strcmp(outcome, "started") == 0)
        outcome = word(run, "outcome") ? word(run, "outcome") : "open";
    sums[kind_of(outcome)] += count ? json_integer_value(count) : 1;
}

static void count_row(const json_t *row, int64_t sums[static KINDS])
{
    const json_t *slots_of = json_object_get(row, "slots");
    const json_t *buckets = json_object_get(row, "buckets");
    const json_t *series = json_object_get(row, "planned");

    for (size_t i = 0; i < json_array_size(slots_of); i++)
        count_slot(json_array_get(slots_of, i), sums);
    for (size_t i = 0; i < json_array_size(buckets); i++)
        for (int k = 0; k < KINDS; k++)
            sums[k] += json_integer_value(
                json_object_get(json_array_get(buckets, i), kinds[k]));
    for (size_t i = 0; i < json_array_size(series); i++)
        sums[0] += json_integer_value(json_object_get(json_array_get(series, i), "count"));
}

static void put_own(struct buf *out, const json_t *list)
{
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *slot = json_array_get(list, i);

        if (word(slot, "kind") && strcmp(word(slot, "kind"), "slot") != 0)
            continue;
        buf_text(out, out->len > 0 ? ", " : "");
        put_slot(out, slot);
    }
    assert_false(out->cut);
}

/* Of the slots in the last answer: those that were due, and those that will start. */
static int64_t count_planned(void)
{
    const json_t *rows = json_object_get(world.json, "schedules");
    int64_t sum = 0;

    for (size_t i = 0; i < json_array_size(rows); i++) {
        const json_t *list = json_object_get(json_array_get(rows, i), "slots");

        for (size_t k = 0; k < json_array_size(list); k++) {
            const json_t *slot = json_array_get(list, k);
            const json_t *count = json_object_get(slot, "count");
            bool is_past = strcmp(word(slot, "slot"), text_at("now").ptr) <= 0;
            bool is_due = word(slot, "outcome") ? is_past : !word(slot, "reason");

            if (is_due && strcmp(word(slot, "kind"), "slot") == 0)
                sum += count ? json_integer_value(count) : 1;
        }
    }
    return sum;
}

static int64_t load_planned(void)
{
    const json_t *group = json_array_get(json_object_get(world.json, "groups"), 0);
    const json_t *buckets = json_object_get(group, "buckets");
    int64_t sum = 0;

    for (size_t i = 0; i < json_array_size(buckets); i++)
        sum += json_integer_value(json_object_get(json_array_get(buckets, i), "planned"));
    return sum;
}

/* The window in both forms: its end is exclusive, and inclusive in slots of one schedule. */
static void compare(const char *from, const char *to, const char *last)
{
    static char listed[SCHEDULES][TEXT], one[TEXT];
    int64_t sums[SCHEDULES][KINDS] = {0}, planned;

    assert_int_equal(get(js("/api/v1/slots?slots=1000&from=%s&to=%s", from, to)), 200);
    for (int i = 0; i < SCHEDULES; i++) {
        struct buf out = BUF(listed[i]);

        listed[i][0] = '\0';
        put_own(&out, json_object_get(row_of(js("s%d", i)), "slots"));
        count_row(row_of(js("s%d", i)), sums[i]);
    }
    planned = count_planned();
    assert_int_equal(get(js("/api/v1/load?from=%s&to=%s", from, to)), 200);
    assert_int_equal(load_planned(), planned);
    for (int i = 0; i < SCHEDULES; i++) {
        struct buf out = BUF(one);

        one[0] = '\0';
        assert_int_equal(
            get(js("/api/v1/schedules/s%d/slots?limit=1000&from=%s&to=%s", i, from, last)),
            200);
        put_own(&out, json_object_get(world.json, "slots"));
        assert_string_equal(listed[i], one);
    }
    assert_int_equal(get(js("/api/v1/slots?slots=0&from=%s&to=%s", from, to)), 200);
    for (int i = 0; i < SCHEDULES; i++) {
        int64_t counted[KINDS] = {0};

        count_row(row_of(js("s%d", i)), counted);
        for (int k = 0; k < KINDS; k++)
            if (counted[k] != sums[i][k])
                fail_msg("s%d %s: %d in buckets, %d listed: %s", i, kinds[k], (int)counted[k],
                         (int)sums[i][k], listed[i]);
    }
}

/* A time of the day of the world, and the next millisecond. */
static void any_time(int hour, char last[static TIME_MAX], char next[static TIME_MAX])
{
    int minute = below(60);

    snprintf(last, TIME_MAX, "2026-01-05T%02d:%02d:59.999Z", hour, minute);
    snprintf(next, TIME_MAX, "2026-01-05T%02d:%02d:00.000Z", minute == 59 ? hour + 1 : hour,
             (minute + 1) % 60);
}

static void many_schedules_are_as_each_of_them(void **state)
{
    char last[TIME_MAX], to[TIME_MAX], from[TIME_MAX], unused[TIME_MAX];

    for (uint64_t seed = 1; seed <= WORLDS; seed++) {
        prng_seed(&prng, seed);
        if (seed > 1) {
            assert_int_equal(world_end(state), 0);
            assert_int_equal(world_begin(state), 0);
        }
        live();
        for (int i = 0; i < WINDOWS; i++) {
            any_time(8 + below(5), unused, from);
            any_time(14 + below(8), last, to);
            compare(from, to, last);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(many_schedules_are_as_each_of_them),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
