/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The "spec" object of the native JSON: names, order and defaults are those of the
 * specification, whose example is the first case.
 */
#include "model/spec_json.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/limits.h"

#define COUNT(array) (sizeof(array) / sizeof(array)[0])

enum { TEXT_MAX = 1 << 20 };

static struct arena *arena;
static char text_a[TEXT_MAX], text_b[TEXT_MAX];

static int set_up(void **state)
{
    (void)state;
    arena = arena_new(8 * (size_t)SPEC_DEF_BYTES_MAX);
    return 0;
}

static int end(void **state)
{
    (void)state;
    arena = arena_free(arena);
    return 0;
}

static struct spec_def spec_of(const char *text)
{
    struct spec_def def = spec_def_empty();
    struct err err = {0};

    if (spec_from_text(str_of(text), arena, &def, &err) != RC_OK)
        fail_msg("%s: %s: %s", text, err.field, err.text);
    return def;
}

static const char *print(const struct spec_def *def, enum spec_form form, char *text)
{
    json_auto_t *json = spec_to_json(def, form);
    struct buf out = {text, 0, TEXT_MAX, false};

    json_print(json, JSON_STYLE_LINE, &out);
    assert_false(out.cut);
    return text;
}

static void assert_str(struct str s, const char *text)
{
    if (!str_eq(s, str_of(text)))
        fail_msg("\"%.*s\" is not \"%s\"", STR_ARG(s), text);
}

static const char nothing[] =
    "{\"cron\":[],\"calendars\":[],\"intervals\":[],\"timesOfDay\":[],\"at\":[],"
    "\"exclude\":{\"calendars\":[],\"dates\":[],\"named\":[],\"shift\":\"none\"},"
    "\"start\":null,\"end\":null,\"window\":null,\"timezone\":\"UTC\",\"dst\":null,"
    "\"jitter\":\"0s\"}";

/* The example of the specification, every field in its order. */
static const char example[] =
    "{\"cron\":[{\"expr\":\"30 2 * * MON-FRI\",\"dialect\":\"belfry\",\"timezone\":null}],"
    "\"calendars\":[{\"second\":\"0\",\"minute\":\"0\",\"hour\":\"9\",\"dayOfMonth\":\"*\","
    "\"month\":\"*\",\"year\":\"*\",\"dayOfWeek\":\"*\",\"comment\":\"\"}],"
    "\"intervals\":[{\"every\":\"15m\",\"phase\":\"0s\",\"anchor\":\"epoch\"}],"
    "\"timesOfDay\":[\"09:00\",\"17:00:30\"],\"at\":[\"2027-01-01T00:00:00.000Z\"],"
    "\"exclude\":{\"calendars\":[],\"dates\":[\"2027-12-25\"],\"named\":[\"us-holidays\"],"
    "\"shift\":\"none\"},\"start\":null,\"end\":null,"
    "\"window\":{\"from\":\"22:00\",\"to\":\"06:00\",\"rule\":\"clamp\"},\"timezone\":\"UTC\","
    "\"dst\":null,\"jitter\":\"0s\"}";

static void an_empty_object_is_the_empty_spec(void **state)
{
    struct spec_def def = spec_of("{}");

    (void)state;
    assert_string_equal(print(&def, SPEC_FULL, text_a), nothing);
    assert_string_equal(print(&def, SPEC_BRIEF, text_a), "{}");
    assert_true(def.start == INSTANT_NONE && def.end == INSTANT_NEVER);
    assert_int_equal(def.calendar_dialect, DIALECT_BELFRY);
}

static void the_example_has_a_full_and_a_brief_form(void **state)
{
    struct spec_def def = spec_of(example);

    (void)state;
    assert_string_equal(print(&def, SPEC_FULL, text_a), example);
    assert_string_equal(print(&def, SPEC_BRIEF, text_a),
                        "{\"cron\":[\"30 2 * * MON-FRI\"],\"calendars\":[{\"hour\":\"9\"}],"
                        "\"intervals\":[{\"every\":\"15m\"}],"
                        "\"timesOfDay\":[\"09:00\",\"17:00:30\"],"
                        "\"at\":[\"2027-01-01T00:00:00.000Z\"],"
                        "\"exclude\":{\"dates\":[\"2027-12-25\"],\"named\":[\"us-holidays\"]},"
                        "\"window\":{\"from\":\"22:00\",\"to\":\"06:00\"}}");
}

static void null_is_the_default_everywhere(void **state)
{
    struct spec_def def = spec_of(
        "{\"cron\":null,\"calendars\":null,\"intervals\":null,\"timesOfDay\":null,"
        "\"at\":null,\"exclude\":null,\"start\":null,\"end\":null,\"window\":null,"
        "\"timezone\":null,\"dst\":null,\"jitter\":null}");
    struct spec_def inner = spec_of(
        "{\"cron\":[{\"expr\":\"x\",\"dialect\":null,\"timezone\":null}],"
        "\"calendars\":[{\"second\":null,\"hour\":null,\"year\":null,\"comment\":null}],"
        "\"intervals\":[{\"every\":\"1h\",\"phase\":null,\"anchor\":null}],"
        "\"exclude\":{\"calendars\":null,\"dates\":null,\"named\":null,\"shift\":null},"
        "\"window\":{\"from\":\"01:00\",\"to\":\"02:00\",\"rule\":null}}");

    (void)state;
    assert_string_equal(print(&def, SPEC_FULL, text_a), nothing);
    assert_string_equal(
        print(&inner, SPEC_BRIEF, text_a),
        "{\"cron\":[\"x\"],\"calendars\":[{}],\"intervals\":[{\"every\":\"1h\"}],"
        "\"window\":{\"from\":\"01:00\",\"to\":\"02:00\"}}");
}

static void entries_are_read_into_their_fields(void **state)
{
    struct spec_def def = spec_of(
        "{\"cron\":[\"0 9 * * *\",{\"expr\":\"0 0 12 ? * MON\",\"dialect\":\"quartz\","
        "\"timezone\":\"Europe/Berlin\"}],"
        "\"calendars\":[{\"second\":\"1\",\"minute\":\"2\",\"hour\":\"3\","
        "\"dayOfMonth\":\"4\",\"month\":\"5\",\"year\":\"2027\",\"dayOfWeek\":\"6\","
        "\"comment\":\"why\"},{\"hour\":\"  \"}],"
        "\"intervals\":[{\"every\":\"1h30m\",\"phase\":\"90s\",\"anchor\":\"midnight\"}],"
        "\"timesOfDay\":[\"23:59:59\",\"00:00\"]}");
    const struct calendar_text *text = &def.calendars[0].text;

    (void)state;
    assert_int_equal(def.cron_count, 2);
    assert_str(def.cron[0].expr, "0 9 * * *");
    assert_int_equal(def.cron[0].dialect, DIALECT_BELFRY);
    assert_int_equal(def.cron[0].zone.len, 0);
    assert_str(def.cron[1].expr, "0 0 12 ? * MON");
    assert_int_equal(def.cron[1].dialect, DIALECT_QUARTZ);
    assert_str(def.cron[1].zone, "Europe/Berlin");
    assert_int_equal(def.calendar_count, 2);
    assert_str(text->second, "1");
    assert_str(text->minute, "2");
    assert_str(text->hour, "3");
    assert_str(text->day, "4");
    assert_str(text->month, "5");
    assert_str(text->year, "2027");
    assert_str(text->weekday, "6");
    assert_str(def.calendars[0].comment, "why");
    assert_str(def.calendars[1].text.second, "0");
    assert_str(def.calendars[1].text.hour, "0");
    assert_str(def.calendars[1].text.day, "*");
    assert_str(def.calendars[1].text.weekday, "*");
    assert_int_equal(def.interval_count, 1);
    assert_true(def.intervals[0].every == 90 * SPAN_MIN);
    assert_true(def.intervals[0].phase == 90 * SPAN_S);
    assert_int_equal(def.intervals[0].anchor, ANCHOR_MIDNIGHT);
    assert_int_equal(def.time_count, 2);
    assert_int_equal(def.times[0], 86399);
    assert_int_equal(def.times[1], 0);
}

static void other_fields_are_read_into_their_members(void **state)
{
    struct spec_def def = spec_of(
        "{\"start\":\"2027-01-01T00:00:00Z\",\"end\":\"2027-01-01T02:00:00+02:00\","
        "\"exclude\":{\"calendars\":[{\"dayOfWeek\":\"SAT\"}],\"named\":[\"a\",\"b\"],"
        "\"shift\":\"previous\"},"
        "\"window\":{\"from\":\"08:00\",\"to\":\"18:30:15\",\"rule\":\"filter\"},"
        "\"timezone\":\"America/New_York\",\"dst\":\"shift\",\"jitter\":\"1h\"}");

    (void)state;
    assert_true(def.start == INT64_C(1798761600000000));
    assert_true(def.end == def.start);
    assert_int_equal(def.not_calendar_count, 1);
    assert_str(def.not_calendars[0].text.weekday, "SAT");
    assert_int_equal(def.not_named_count, 2);
    assert_str(def.not_named[1], "b");
    assert_int_equal(def.shift, SHIFT_PREVIOUS);
    assert_true(def.window.is_set);
    assert_int_equal(def.window.from, 28800);
    assert_int_equal(def.window.to, 66615);
    assert_int_equal(def.window.rule, WINDOW_FILTER);
    assert_str(def.zone, "America/New_York");
    assert_int_equal(def.dst.name, DST_SHIFT);
    assert_true(def.jitter == SPAN_H);
}

static void now_is_an_instant_by_itself_or_in_a_list(void **state)
{
    struct spec_def alone = spec_of("{\"at\":\"now\"}");
    struct spec_def one = spec_of("{\"at\":\"2027-01-01T00:00:00Z\"}");
    struct spec_def list = spec_of("{\"at\":[\"2027-01-01T00:00:00Z\",\"now\"]}");

    (void)state;
    assert_int_equal(alone.at_count, 1);
    assert_true(alone.at[0] == INSTANT_NONE);
    assert_string_equal(print(&alone, SPEC_BRIEF, text_a), "{\"at\":[\"now\"]}");
    assert_true(one.at[0] == INT64_C(1798761600000000));
    assert_int_equal(list.at_count, 2);
    assert_true(list.at[1] == INSTANT_NONE);
}

static void instants_are_cut_to_the_millisecond(void **state)
{
    struct spec_def def = spec_of(
        "{\"at\":[\"1970-01-01T00:00:00.1239999Z\",\"1969-12-31T23:59:59.9999Z\"]}");

    (void)state;
    assert_int_equal(def.at[0], 123000);
    assert_int_equal(def.at[1], -1000);
}

static void excluded_dates_are_sorted_and_kept_once(void **state)
{
    struct spec_def def = spec_of("{\"exclude\":{\"dates\":[\"2027-12-25\",\"2026-01-01\","
                                  "\"2027-12-25\",\"2027-01-01\",\"2026-01-01\"]}}");

    (void)state;
    assert_string_equal(
        print(&def, SPEC_BRIEF, text_a),
        "{\"exclude\":{\"dates\":[\"2026-01-01\",\"2027-01-01\",\"2027-12-25\"]}}");
}

static void every_word_of_every_enum_is_read_and_printed(void **state)
{
    static const char *const texts[] = {
        "{\"intervals\":[{\"every\":\"1m\"},{\"every\":\"1m\",\"anchor\":\"midnight\"},"
        "{\"every\":\"1m\",\"anchor\":\"start\"},"
        "{\"every\":\"1m\",\"anchor\":\"completion\"}]}",
        "{\"exclude\":{\"shift\":\"next\"}}",
        "{\"exclude\":{\"shift\":\"previous\"}}",
        "{\"window\":{\"from\":\"01:00\",\"to\":\"01:00\",\"rule\":\"filter\"}}",
        "{\"dst\":\"vixie\"}",
        "{\"dst\":\"literal\"}",
        "{\"dst\":\"once\"}",
        "{\"dst\":\"last\"}",
        "{\"dst\":\"shift\"}",
        "{\"dst\":{\"gap\":\"skip\",\"fold\":\"first\"}}",
        "{\"dst\":{\"gap\":\"next\",\"fold\":\"last\"}}",
        "{\"dst\":{\"gap\":\"shift\",\"fold\":\"both\"}}",
        "{\"cron\":[{\"expr\":\"daily\",\"dialect\":\"systemd\"}]}",
        "{\"cron\":[{\"expr\":\"RRULE:FREQ=DAILY\\n\",\"dialect\":\"rrule\"}]}",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct spec_def def = spec_of(texts[i]);

        assert_string_equal(print(&def, SPEC_BRIEF, text_a), texts[i]);
    }
}

/* Equality of what was read, field by field: printing must lose nothing. */

static bool same_bytes(const void *a, const void *b, size_t size)
{
    return size == 0 || memcmp(a, b, size) == 0;
}

static bool same_calendars(const struct calendar_def *a, const struct calendar_def *b,
                           int count)
{
    for (int i = 0; i < count; i++) {
        const struct calendar_text *x = &a[i].text, *y = &b[i].text;

        if (!str_eq(a[i].comment, b[i].comment) || !str_eq(x->second, y->second) ||
            !str_eq(x->minute, y->minute) || !str_eq(x->hour, y->hour) ||
            !str_eq(x->day, y->day) || !str_eq(x->month, y->month) ||
            !str_eq(x->year, y->year) || !str_eq(x->weekday, y->weekday))
            return false;
    }
    return true;
}

static bool same_lists(const struct spec_def *a, const struct spec_def *b)
{
    for (int i = 0; i < a->cron_count; i++)
        if (!str_eq(a->cron[i].expr, b->cron[i].expr) ||
            a->cron[i].dialect != b->cron[i].dialect ||
            !str_eq(a->cron[i].zone, b->cron[i].zone))
            return false;
    for (int i = 0; i < a->interval_count; i++)
        if (a->intervals[i].every != b->intervals[i].every ||
            a->intervals[i].phase != b->intervals[i].phase ||
            a->intervals[i].anchor != b->intervals[i].anchor)
            return false;
    for (int i = 0; i < a->not_named_count; i++)
        if (!str_eq(a->not_named[i], b->not_named[i]))
            return false;
    return same_bytes(a->times, b->times, (size_t)a->time_count * sizeof *a->times) &&
           same_bytes(a->at, b->at, (size_t)a->at_count * sizeof *a->at) &&
           same_bytes(a->not_dates, b->not_dates,
                      (size_t)a->not_date_count * sizeof *a->not_dates);
}

static bool same_spec(const struct spec_def *a, const struct spec_def *b)
{
    return a->cron_count == b->cron_count && a->calendar_count == b->calendar_count &&
           a->interval_count == b->interval_count && a->time_count == b->time_count &&
           a->at_count == b->at_count && a->not_calendar_count == b->not_calendar_count &&
           a->not_date_count == b->not_date_count && a->not_named_count == b->not_named_count &&
           same_lists(a, b) && same_calendars(a->calendars, b->calendars, a->calendar_count) &&
           same_calendars(a->not_calendars, b->not_calendars, a->not_calendar_count) &&
           a->shift == b->shift && a->start == b->start && a->end == b->end &&
           a->window.is_set == b->window.is_set && a->window.from == b->window.from &&
           a->window.to == b->window.to && a->window.rule == b->window.rule &&
           str_eq(a->zone, b->zone) && a->dst.name == b->dst.name &&
           a->dst.custom.gap == b->dst.custom.gap && a->dst.custom.fold == b->dst.custom.fold &&
           a->jitter == b->jitter;
}

static void what_is_printed_reads_back_equal_and_prints_the_same(void **state)
{
    static const char *const texts[] = {
        example,
        "{\"timezone\":\"UTC\",\"at\":\"now\",\"cron\":[\"a\",{\"expr\":\"b\"}]}",
        "{\"cron\":[{\"expr\":\"\\\"é\\n\",\"timezone\":\"UTC\"}],\"timezone\":\"+05:30\"}",
        "{\"intervals\":[{\"every\":\"1.5h\",\"phase\":\"0.25s\",\"anchor\":\"start\"}],"
        "\"jitter\":\"0.5d\"}",
        "{\"calendars\":[{\"minute\":\" 5 \",\"comment\":\" c \"}],"
        "\"exclude\":{\"calendars\":[{\"second\":\"*\",\"minute\":\"*\",\"hour\":\"*\"}]},"
        "\"start\":\"2027-01-01T00:00:00.123456789+05:45\"}",
        "{\"dst\":{\"fold\":\"both\",\"gap\":\"shift\"},"
        "\"window\":{\"rule\":\"filter\",\"to\":\"00:00\",\"from\":\"23:59:59\"}}",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(texts); i++) {
        struct spec_def def = spec_of(texts[i]);

        for (int form = SPEC_FULL; form <= SPEC_BRIEF; form++) {
            struct spec_def again = spec_of(print(&def, (enum spec_form)form, text_a));

            assert_true(same_spec(&def, &again));
            assert_string_equal(print(&again, (enum spec_form)form, text_b), text_a);
        }
    }
}

struct wrong {
    const char *text, *field, *says;
};

static void check_wrong(const struct wrong *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct spec_def def = spec_def_empty();
        struct err err = {0};
        enum rc rc = spec_from_text(str_of(cases[i].text), arena, &def, &err);

        if (rc != RC_INVALID || strcmp(err.field, cases[i].field) != 0 ||
            !strstr(err.text, cases[i].says))
            fail_msg("%s: rc %d, %s: %s", cases[i].text, rc, err.field, err.text);
    }
}

static void errors_in_entries_name_the_path(void **state)
{
    static const struct wrong cases[] = {
        {"[]", "", "must be an object"},
        {"{\"crons\":[]}", "crons", "did you mean cron?"},
        {"{\"cron\":\"* * * * *\"}", "cron", "must be a list, not a string"},
        {"{\"cron\":[5]}", "cron[0]", "must be an expression or an object with one"},
        {"{\"cron\":[\"\"]}", "cron[0]", "the expression is missing"},
        {"{\"cron\":[\"x\",{}]}", "cron[1].expr", "the expression is missing"},
        {"{\"cron\":[{\"expr\":7}]}", "cron[0].expr", "must be a string, not a number"},
        {"{\"cron\":[{\"expression\":\"x\"}]}", "cron[0].expression", "unknown field"},
        {"{\"cron\":[{\"expr\":\"x\",\"dialect\":\"quarz\"}]}", "cron[0].dialect", "quartz"},
        {"{\"cron\":[{\"expr\":\"x\",\"timezone\":\"\"}]}", "cron[0].timezone",
         "the zone is empty"},
        {"{\"calendars\":[{\"hour\":9}]}", "calendars[0].hour",
         "must be a string, not a number"},
        {"{\"calendars\":[{},{\"hours\":\"9\"}]}", "calendars[1].hours", "did you mean hour?"},
        {"{\"calendars\":[\"9\"]}", "calendars[0]", "must be an object, not a string"},
        {"{\"calendars\":[{\"comment\":1}]}", "calendars[0].comment", "must be a string"},
        {"{\"intervals\":[{}]}", "intervals[0].every", "every is missing"},
        {"{\"intervals\":[{\"every\":null}]}", "intervals[0].every", "every is missing"},
        {"{\"intervals\":[{\"every\":900}]}", "intervals[0].every",
         "a bare number has no unit; write a string such as \"90s\""},
        {"{\"intervals\":[{\"every\":\"900\"}]}", "intervals[0].every", "needs a unit"},
        {"{\"intervals\":[{\"every\":\"999ms\"}]}", "intervals[0].every", "at least 1s"},
        {"{\"intervals\":[{\"every\":\"0s\"}]}", "intervals[0].every", "at least 1s"},
        {"{\"intervals\":[{\"every\":\"1s1us\"}]}", "intervals[0].every", "whole milliseconds"},
        {"{\"intervals\":[{\"every\":\"-1h\"}]}", "intervals[0].every", "cannot be negative"},
        {"{\"intervals\":[{\"every\":\"1h\",\"phase\":\"1h\"}]}", "intervals[0].phase",
         "must be less than every"},
        {"{\"intervals\":[{\"every\":\"1h\",\"anchor\":\"noon\"}]}", "intervals[0].anchor",
         "must be epoch, midnight, start or completion"},
        {"{\"timesOfDay\":[\"09:00\",\"9:00\"]}", "timesOfDay[1]", "the hour needs 2 digits"},
        {"{\"at\":[\"2027-01-01\"]}", "at[0]", "'T' is missing"},
        {"{\"at\":\"tomorrow\"}", "at", "the year needs 4 digits"},
        {"{\"at\":[1798761600]}", "at[0]", "must be a string, not a number"},
    };

    (void)state;
    check_wrong(cases, COUNT(cases));
}

static void errors_in_other_fields_name_the_path(void **state)
{
    static const struct wrong cases[] = {
        {"{\"exclude\":[]}", "exclude", "must be an object, not a list"},
        {"{\"exclude\":{\"date\":[]}}", "exclude.date", "did you mean dates?"},
        {"{\"exclude\":{\"dates\":[\"2027-02-29\"]}}", "exclude.dates[0]", "no day 29"},
        {"{\"exclude\":{\"dates\":[\"2027-12-25T00:00:00Z\"]}}", "exclude.dates[0]",
         "nothing may follow"},
        {"{\"exclude\":{\"named\":[\"\"]}}", "exclude.named[0]", "is empty"},
        {"{\"exclude\":{\"shift\":\"up\"}}", "exclude.shift", "must be none, next or previous"},
        {"{\"exclude\":{\"calendars\":[{\"x\":1}]}}", "exclude.calendars[0].x",
         "unknown field"},
        {"{\"start\":5}", "start", "must be a string"},
        {"{\"start\":\"now\"}", "start", "the year needs 4 digits"},
        {"{\"start\":\"2027-01-02T00:00:00Z\",\"end\":\"2027-01-01T00:00:00Z\"}", "end",
         "is before start"},
        {"{\"window\":{\"from\":\"09:00\"}}", "window.to", "to is missing"},
        {"{\"window\":{\"to\":\"09:00\"}}", "window.from", "from is missing"},
        {"{\"window\":{\"from\":\"24:00\",\"to\":\"09:00\"}}", "window.from", "hour 24"},
        {"{\"window\":{\"from\":\"09:00\",\"to\":\"10:00\",\"rule\":\"drop\"}}", "window.rule",
         "must be clamp or filter"},
        {"{\"timezone\":\"\"}", "timezone", "the zone is empty"},
        {"{\"timezone\":5}", "timezone", "must be a string"},
        {"{\"dst\":\"vixen\"}", "dst", "vixie"},
        {"{\"dst\":5}", "dst", "not a number"},
        {"{\"dst\":{\"gap\":\"skip\"}}", "dst.fold", "fold is missing"},
        {"{\"dst\":{\"fold\":\"both\"}}", "dst.gap", "gap is missing"},
        {"{\"dst\":{\"gap\":\"both\",\"fold\":\"both\"}}", "dst.gap", "skip"},
        {"{\"jitter\":5}", "jitter", "a bare number has no unit"},
        {"{\"jitter\":\"366d1ms\"}", "jitter", "at most 366d"},
        {"{\"jitter\":\"1us\"}", "jitter", "whole milliseconds"},
        {"{\"jitter\":\"1s\",\"jitter\":\"2s\"}", "", "duplicate key"},
        {"{\"jitter\":", "", "ends too early"},
    };

    (void)state;
    check_wrong(cases, COUNT(cases));
}

/* `count` copies of `item`, separated by commas, between `before` and `after`. */
static const char *many(const char *before, const char *item, int count, const char *after)
{
    struct buf out = {text_a, 0, TEXT_MAX, false};

    buf_text(&out, before);
    for (int i = 0; i < count; i++)
        buf_printf(&out, "%s%s", i == 0 ? "" : ",", item);
    buf_text(&out, after);
    assert_false(out.cut);
    return text_a;
}

static void check_limit(const char *text, const char *field, const char *says)
{
    struct spec_def def;
    struct err err = {0};
    enum rc rc = spec_from_text(str_of(text), arena, &def, &err);

    if (rc != RC_LIMIT || strcmp(err.field, field) != 0 || !strstr(err.text, says))
        fail_msg("%.60s: rc %d, %s: %s", text, rc, err.field, err.text);
}

static void lists_are_bounded(void **state)
{
    struct spec_def def = spec_of(many("{\"cron\":[", "\"x\"", SPEC_ENTRIES_MAX, "]}"));

    (void)state;
    assert_int_equal(def.cron_count, SPEC_ENTRIES_MAX);
    check_limit(many("{\"cron\":[", "\"x\"", SPEC_ENTRIES_MAX + 1, "]}"), "cron",
                "has 257 entries; the limit is 256");
    check_limit(many("{\"cron\":[", "\"x\"", SPEC_ENTRIES_MAX, "],\"timesOfDay\":[\"09:00\"]}"),
                "", "have 257 entries together; the limit is 256");
    check_limit(many("{\"exclude\":{\"calendars\":[", "{}", SPEC_ENTRIES_MAX + 1, "]}}"),
                "exclude.calendars", "the limit is 256");
    check_limit(many("{\"at\":[", "\"now\"", SPEC_AT_MAX + 1, "]}"), "at", "the limit is 4096");
    check_limit(many("{\"exclude\":{\"dates\":[", "\"2027-01-01\"", SPEC_DATES_MAX + 1, "]}}"),
                "exclude.dates", "the limit is 4096");
    check_limit(many("{\"exclude\":{\"named\":[", "\"x\"", SPEC_NAMED_MAX + 1, "]}}"),
                "exclude.named", "the limit is 16");
}

/* A string of `count` letters between `before` and `after`. */
static const char *lengthy(const char *before, int count, const char *after)
{
    struct buf out = {text_a, 0, TEXT_MAX, false};

    buf_text(&out, before);
    for (int i = 0; i < count; i++)
        buf_char(&out, 'x');
    buf_text(&out, after);
    assert_false(out.cut);
    return text_a;
}

static void texts_are_bounded(void **state)
{
    struct spec_def def = spec_of(lengthy("{\"cron\":[\"", CRON_TEXT_MAX, "\"]}"));

    (void)state;
    assert_int_equal(def.cron[0].expr.len, CRON_TEXT_MAX);
    check_limit(lengthy("{\"cron\":[\"", CRON_TEXT_MAX + 1, "\"]}"), "cron[0]",
                "has 1025 bytes; the limit is 1024");
    def = spec_of(
        lengthy("{\"cron\":[{\"dialect\":\"rrule\",\"expr\":\"", RRULE_TEXT_MAX, "\"}]}"));
    assert_int_equal(def.cron[0].expr.len, RRULE_TEXT_MAX);
    check_limit(
        lengthy("{\"cron\":[{\"dialect\":\"rrule\",\"expr\":\"", RRULE_TEXT_MAX + 1, "\"}]}"),
        "cron[0].expr", "the limit is 4096");
    check_limit(lengthy("{\"calendars\":[{\"comment\":\"", SPEC_COMMENT_MAX + 1, "\"}]}"),
                "calendars[0].comment", "the limit is 200");
    check_limit(lengthy("{\"timezone\":\"", ZONE_NAME_MAX + 1, "\"}"), "timezone",
                "the limit is 64");
    check_limit(lengthy("{\"exclude\":{\"named\":[\"", SPEC_NAME_MAX + 1, "\"]}}"),
                "exclude.named[0]", "the limit is 128");
}

/* The largest texts in the largest lists, made without the limit on JSON text. */
static void the_largest_spec_fits_into_its_arena(void **state)
{
    json_auto_t *json = json_new_object();
    json_t *list = json_new_list(), *calendar = json_new_object();
    json_t *text = json_new_str(str_of(lengthy("", CRON_TEXT_MAX, "")));
    struct arena *small = arena_new(SPEC_DEF_BYTES_MAX);
    struct spec_def def;
    struct err err = {0};

    (void)state;
    json_put(calendar, "second", text);
    json_put(calendar, "minute", json_incref(text));
    json_put(calendar, "hour", json_incref(text));
    json_put(calendar, "dayOfMonth", json_incref(text));
    json_put(calendar, "month", json_incref(text));
    json_put(calendar, "year", json_incref(text));
    json_put(calendar, "dayOfWeek", json_incref(text));
    for (int i = 0; i < SPEC_ENTRIES_MAX; i++)
        json_add(list, json_incref(calendar));
    json_put(json, "calendars", list);
    json_put(json, "exclude", json_new_object());
    json_put(json_object_get(json, "exclude"), "calendars", json_incref(list));
    json_decref(calendar);
    assert_int_equal(spec_from_json(json, small, &def, &err), RC_OK);
    assert_true(arena_used(small) < SPEC_DEF_BYTES_MAX);
    arena_free(small);
}

static void failure_leaves_the_result_alone(void **state)
{
    struct spec_def def, before;
    struct err err = {0};

    (void)state;
    memset(&def, 0x5a, sizeof def);
    memcpy(&before, &def, sizeof def);
    assert_int_equal(spec_from_text(STR("{\"cron\":[\"x\"],\"jitter\":1}"), arena, &def, &err),
                     RC_INVALID);
    assert_memory_equal(&def, &before, sizeof def);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_empty_object_is_the_empty_spec),
        cmocka_unit_test(the_example_has_a_full_and_a_brief_form),
        cmocka_unit_test(null_is_the_default_everywhere),
        cmocka_unit_test(entries_are_read_into_their_fields),
        cmocka_unit_test(other_fields_are_read_into_their_members),
        cmocka_unit_test(now_is_an_instant_by_itself_or_in_a_list),
        cmocka_unit_test(instants_are_cut_to_the_millisecond),
        cmocka_unit_test(excluded_dates_are_sorted_and_kept_once),
        cmocka_unit_test(every_word_of_every_enum_is_read_and_printed),
        cmocka_unit_test(what_is_printed_reads_back_equal_and_prints_the_same),
        cmocka_unit_test(errors_in_entries_name_the_path),
        cmocka_unit_test(errors_in_other_fields_name_the_path),
        cmocka_unit_test(lists_are_bounded),
        cmocka_unit_test(texts_are_bounded),
        cmocka_unit_test(the_largest_spec_fits_into_its_arena),
        cmocka_unit_test(failure_leaves_the_result_alone),
    };

    return cmocka_run_group_tests(tests, set_up, end);
}
