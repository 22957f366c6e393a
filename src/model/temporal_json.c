/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and prints Temporal's ScheduleSpec as JSON.
 */
#include "model/temporal_json.h"

#include "base/must.h"
#include "core/limits.h"
#include "core/time/text.h"

enum {
    TIME_TEXT_MAX = 64,       /* bytes of a time or duration; the longest valid text has 35 */
    COMMENT_BYTES_MAX = 4096, /* read in full, so that the error for 201 states the rule */
};

struct reading {
    struct arena *arena;
    struct temporal_spec *spec;
};

/* Times. */

/* Reads the digits after a point as nanoseconds and removes them from *s. */
static bool take_nanos(struct str *s, int32_t *ret)
{
    int32_t value = 0, weight = 100000000;
    size_t n = 0;

    if (s->len == 0 || s->ptr[0] != '.')
        return true;
    *s = str_from(*s, 1);
    for (; n < s->len && char_is_digit(s->ptr[n]); n++) {
        value += weight * (s->ptr[n] - '0');
        weight /= 10;
    }
    *s = str_from(*s, n);
    *ret = value;
    return n >= 1 && n <= 9;
}

/* Seconds with an s: "3600s", "1.5s". */
static enum rc take_duration(const json_t *value, struct temporal_time *ret, struct err *reterr)
{
    struct temporal_time t = {.is_set = true};
    struct str s, rest;
    bool is_negative;
    enum rc rc = json_take_str(value, TIME_TEXT_MAX, &s, reterr);

    if (rc != RC_OK)
        return rc;
    is_negative = str_starts(s, STR("-"));
    rest = is_negative ? str_from(s, 1) : s;
    if (str_take_number(&rest, TEMPORAL_SECONDS_MAX, &t.seconds) == 0 ||
        !take_nanos(&rest, &t.nanos) || !str_eq(rest, STR("s")))
        return err_set(reterr, RC_INVALID, 0, (int)s.len,
                       "a duration is seconds with an s, such as \"3600s\" or \"1.5s\"");
    if (t.seconds > TEMPORAL_SECONDS_MAX)
        return err_set(reterr, RC_INVALID, 0, (int)s.len, "a duration is at most 10000 years");
    if (is_negative) {
        t.seconds = -t.seconds;
        t.nanos = -t.nanos;
    }
    *ret = t;
    return RC_OK;
}

static enum rc take_moment(const json_t *value, struct temporal_time *ret, struct err *reterr)
{
    struct temporal_time moment = {.is_set = true};
    struct str s, before, fraction;
    instant t;
    enum rc rc = json_take_str(value, TIME_TEXT_MAX, &s, reterr);

    if (rc == RC_OK)
        rc = instant_parse(s, &t, reterr);
    if (rc != RC_OK)
        return rc;
    moment.seconds = instant_seconds(t);
    if (str_cut(s, '.', &before, &fraction)) {
        fraction = str_from(s, before.len);
        must(take_nanos(&fraction, &moment.nanos));
    }
    *ret = moment;
    return RC_OK;
}

/* Calendars as text. */

static enum rc take_kept(const json_t *object, const char *name, int max, struct arena *arena,
                         struct str *ret, struct err *reterr)
{
    const json_t *value = json_object_get(object, name);
    struct str s = {0};
    enum rc rc = RC_OK;

    if (value && !json_is_null(value))
        rc = json_take_str(value, max, &s, reterr);
    if (rc != RC_OK)
        err_in(reterr, "%s", name);
    else
        *ret = arena_str(arena, s);
    return rc;
}

static enum rc take_strings(const json_t *item, struct arena *arena, struct calendar_def *ret,
                            struct err *reterr)
{
    enum rc rc;

    if (!json_is_object(item))
        return json_wrong_type(item, "an object", reterr);
    rc = take_kept(item, "comment", COMMENT_BYTES_MAX, arena, &ret->comment, reterr);
    for (int i = 0; i < CALENDAR_FIELDS && rc == RC_OK; i++)
        rc = take_kept(item, calendar_fields[i].name, CRON_TEXT_MAX, arena,
                       calendar_field_at(&ret->text, i), reterr);
    return rc;
}

static enum rc read_string_item(const json_t *item, int i, void *to, struct err *reterr)
{
    struct reading *r = to;

    return take_strings(item, r->arena, &r->spec->strings[i], reterr);
}

static enum rc read_not_string_item(const json_t *item, int i, void *to, struct err *reterr)
{
    struct reading *r = to;

    return take_strings(item, r->arena, &r->spec->not_strings[i], reterr);
}

/* Structured calendars. */

static enum rc take_int(const json_t *object, const char *name, int32_t *ret,
                        struct err *reterr)
{
    const json_t *value = json_object_get(object, name);
    json_int_t number = json_integer_value(value);
    enum rc rc = RC_OK;

    if (!value || json_is_null(value))
        return RC_OK;
    if (!json_is_integer(value))
        rc = json_wrong_type(value, "a whole number", reterr);
    else if (number < INT32_MIN || number > INT32_MAX)
        rc = err_set(reterr, RC_INVALID, -1, 0, "does not fit into 32 bits");
    if (rc != RC_OK)
        err_in(reterr, "%s", name);
    else
        *ret = (int32_t)number;
    return rc;
}

static enum rc read_range_item(const json_t *item, int i, void *to, struct err *reterr)
{
    struct temporal_range *range = &((struct temporal_ranges *)to)->at[i];
    enum rc rc;

    if (!json_is_object(item))
        return json_wrong_type(item, "an object with start, end and step", reterr);
    rc = take_int(item, "start", &range->start, reterr);
    if (rc == RC_OK)
        rc = take_int(item, "end", &range->end, reterr);
    if (rc == RC_OK)
        rc = take_int(item, "step", &range->step, reterr);
    return rc;
}

static enum rc take_ranges(const json_t *object, const char *name, struct arena *arena,
                           struct temporal_ranges *ret, struct err *reterr)
{
    const json_t *value = json_object_get(object, name);
    enum rc rc;

    if (!value || json_is_null(value))
        return RC_OK;
    rc = json_take_count(value, TEMPORAL_RANGES_MAX, &ret->count, reterr);
    if (rc == RC_OK) {
        ret->at = arena_array(arena, (size_t)ret->count, sizeof *ret->at);
        rc = json_take_items(value, read_range_item, ret, reterr);
    }
    if (rc != RC_OK)
        err_in(reterr, "%s", name);
    return rc;
}

static enum rc take_calendar(const json_t *item, struct arena *arena,
                             struct temporal_calendar *ret, struct err *reterr)
{
    enum rc rc;

    if (!json_is_object(item))
        return json_wrong_type(item, "an object", reterr);
    rc = take_kept(item, "comment", COMMENT_BYTES_MAX, arena, &ret->comment, reterr);
    for (int i = 0; i < CALENDAR_FIELDS && rc == RC_OK; i++)
        rc = take_ranges(item, calendar_fields[i].name, arena, &ret->field[i], reterr);
    return rc;
}

static enum rc read_calendar_item(const json_t *item, int i, void *to, struct err *reterr)
{
    struct reading *r = to;

    return take_calendar(item, r->arena, &r->spec->calendars[i], reterr);
}

static enum rc read_not_calendar_item(const json_t *item, int i, void *to, struct err *reterr)
{
    struct reading *r = to;

    return take_calendar(item, r->arena, &r->spec->not_calendars[i], reterr);
}

/* The lists. */

static enum rc read_strings(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;
    struct temporal_spec *spec = r->spec;
    enum rc rc = json_take_count(value, SPEC_ENTRIES_MAX, &spec->string_count, reterr);

    if (rc != RC_OK)
        return rc;
    spec->strings = arena_array(r->arena, (size_t)spec->string_count, sizeof *spec->strings);
    return json_take_items(value, read_string_item, r, reterr);
}

static enum rc read_not_strings(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;
    struct temporal_spec *spec = r->spec;
    enum rc rc = json_take_count(value, SPEC_ENTRIES_MAX, &spec->not_string_count, reterr);

    if (rc != RC_OK)
        return rc;
    spec->not_strings = arena_array(r->arena, (size_t)spec->not_string_count,
                                    sizeof *spec->not_strings);
    return json_take_items(value, read_not_string_item, r, reterr);
}

static enum rc read_calendars(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;
    struct temporal_spec *spec = r->spec;
    enum rc rc = json_take_count(value, SPEC_ENTRIES_MAX, &spec->calendar_count, reterr);

    if (rc != RC_OK)
        return rc;
    spec->calendars = arena_array(r->arena, (size_t)spec->calendar_count,
                                  sizeof *spec->calendars);
    return json_take_items(value, read_calendar_item, r, reterr);
}

static enum rc read_not_calendars(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;
    struct temporal_spec *spec = r->spec;
    enum rc rc = json_take_count(value, SPEC_ENTRIES_MAX, &spec->not_calendar_count, reterr);

    if (rc != RC_OK)
        return rc;
    spec->not_calendars = arena_array(r->arena, (size_t)spec->not_calendar_count,
                                      sizeof *spec->not_calendars);
    return json_take_items(value, read_not_calendar_item, r, reterr);
}

static enum rc read_cron_item(const json_t *item, int i, void *to, struct err *reterr)
{
    struct reading *r = to;
    struct str s;
    enum rc rc = json_take_str(item, CRON_TEXT_MAX, &s, reterr);

    if (rc == RC_OK)
        r->spec->cron_strings[i] = arena_str(r->arena, s);
    return rc;
}

static enum rc read_cron(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;
    struct temporal_spec *spec = r->spec;
    enum rc rc = json_take_count(value, SPEC_ENTRIES_MAX, &spec->cron_count, reterr);

    if (rc != RC_OK)
        return rc;
    spec->cron_strings = arena_array(r->arena, (size_t)spec->cron_count,
                                     sizeof *spec->cron_strings);
    return json_take_items(value, read_cron_item, r, reterr);
}

static enum rc read_every(const json_t *value, void *to, struct err *reterr)
{
    struct temporal_interval *interval = to;

    return take_duration(value, &interval->every, reterr);
}

static enum rc read_phase(const json_t *value, void *to, struct err *reterr)
{
    struct temporal_interval *interval = to;

    return take_duration(value, &interval->phase, reterr);
}

static const struct json_field interval_fields[] = {
    {"interval", read_every},
    {"phase", read_phase},
};

static enum rc read_interval_item(const json_t *item, int i, void *to, struct err *reterr)
{
    struct reading *r = to;

    return json_take_object(item, JSON_OPEN_SHAPE(interval_fields), &r->spec->intervals[i],
                            reterr);
}

static enum rc read_intervals(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;
    struct temporal_spec *spec = r->spec;
    enum rc rc = json_take_count(value, SPEC_ENTRIES_MAX, &spec->interval_count, reterr);

    if (rc != RC_OK)
        return rc;
    spec->intervals = arena_array(r->arena, (size_t)spec->interval_count,
                                  sizeof *spec->intervals);
    return json_take_items(value, read_interval_item, r, reterr);
}

/* The rest. */

static enum rc read_start(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;

    return take_moment(value, &r->spec->start, reterr);
}

static enum rc read_end(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;

    return take_moment(value, &r->spec->end, reterr);
}

static enum rc read_jitter(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;

    return take_duration(value, &r->spec->jitter, reterr);
}

static enum rc read_zone(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;
    struct str s;
    enum rc rc = json_take_str(value, ZONE_NAME_MAX, &s, reterr);

    if (rc == RC_OK)
        r->spec->zone = arena_str(r->arena, s);
    return rc;
}

static enum rc read_zone_data(const json_t *value, void *to, struct err *reterr)
{
    (void)value;
    (void)to;
    return err_set(reterr, RC_INVALID, -1, 0,
                   "time zone data is not supported; use timezoneName");
}

static const struct json_field spec_fields[] = {
    {"cronString", read_cron},
    {"calendar", read_strings},
    {"structuredCalendar", read_calendars},
    {"interval", read_intervals},
    {"excludeCalendar", read_not_strings},
    {"excludeStructuredCalendar", read_not_calendars},
    {"startTime", read_start},
    {"endTime", read_end},
    {"jitter", read_jitter},
    {"timezoneName", read_zone},
    {"timezoneData", read_zone_data},
};

enum rc temporal_from_json(const json_t *json, struct arena *arena, struct temporal_spec *ret,
                           struct err *reterr)
{
    struct temporal_spec spec = {0};
    struct reading reading = {arena, &spec};
    enum rc rc = json_take_object(json, JSON_OPEN_SHAPE(spec_fields), &reading, reterr);

    if (rc == RC_OK)
        *ret = spec;
    return rc;
}

enum rc temporal_def_from_json(const json_t *json, struct arena *arena, struct spec_def *ret,
                               struct err *reterr)
{
    struct temporal_spec given, canonical;
    enum rc rc = temporal_from_json(json, arena, &given, reterr);

    if (rc == RC_OK)
        rc = temporal_canonical(&given, arena, &canonical, reterr);
    if (rc == RC_OK)
        *ret = temporal_spec_def(&canonical, arena);
    return rc;
}

/* Printing. */

/* 0, 3, 6 or 9 digits, as many as needed. */
static void put_nanos(struct buf *out, int32_t nanos)
{
    int32_t size = nanos < 0 ? -nanos : nanos;

    if (size == 0)
        return;
    if (size % 1000000 == 0)
        buf_printf(out, ".%03d", size / 1000000);
    else if (size % 1000 == 0)
        buf_printf(out, ".%06d", size / 1000);
    else
        buf_printf(out, ".%09d", size);
}

static json_t *duration_json(struct temporal_time d)
{
    char text[TIME_TEXT_MAX];
    struct buf out = BUF(text);

    buf_printf(&out, "%s%lld", d.seconds == 0 && d.nanos < 0 ? "-" : "", (long long)d.seconds);
    put_nanos(&out, d.nanos);
    buf_char(&out, 's');
    return json_new_str(buf_as_str(&out));
}

static json_t *moment_json(struct temporal_time t)
{
    char text[TIME_TEXT_MAX];
    struct buf out = BUF(text);

    instant_format(instant_of_seconds(t.seconds), &out);
    out.len--; /* the Z, which comes after the fraction */
    put_nanos(&out, t.nanos);
    buf_char(&out, 'Z');
    return json_new_str(buf_as_str(&out));
}

static json_t *range_json(struct temporal_range r, enum temporal_form form)
{
    json_t *json = json_new_object();
    bool is_shown = form == TEMPORAL_DESCRIBED;

    json_put(json, "start", json_new_int(r.start));
    json_put(json, "end", json_new_int(is_shown && r.end < r.start ? r.start : r.end));
    json_put(json, "step", json_new_int(is_shown && r.step == 0 ? 1 : r.step));
    return json;
}

static json_t *calendar_json(const struct temporal_calendar *calendar, enum temporal_form form)
{
    json_t *json = json_new_object();

    for (int i = 0; i < CALENDAR_FIELDS; i++) {
        json_t *list;

        if (calendar->field[i].count == 0)
            continue;
        list = json_new_list();
        for (int k = 0; k < calendar->field[i].count; k++)
            json_add(list, range_json(calendar->field[i].at[k], form));
        json_put(json, calendar_fields[i].name, list);
    }
    if (calendar->comment.len > 0)
        json_put(json, "comment", json_new_str(calendar->comment));
    return json;
}

static void put_calendars(json_t *json, const char *key,
                          const struct temporal_calendar *calendars, int count,
                          enum temporal_form form)
{
    json_t *list;

    if (count == 0)
        return;
    list = json_new_list();
    for (int i = 0; i < count; i++)
        json_add(list, calendar_json(&calendars[i], form));
    json_put(json, key, list);
}

static void put_intervals(json_t *json, const struct temporal_spec *spec)
{
    json_t *list;

    if (spec->interval_count == 0)
        return;
    list = json_new_list();
    for (int i = 0; i < spec->interval_count; i++) {
        json_t *item = json_new_object();

        json_put(item, "interval", duration_json(spec->intervals[i].every));
        if (spec->intervals[i].phase.is_set)
            json_put(item, "phase", duration_json(spec->intervals[i].phase));
        json_add(list, item);
    }
    json_put(json, "interval", list);
}

json_t *temporal_to_json(const struct temporal_spec *spec, enum temporal_form form)
{
    json_t *json = json_new_object();

    must(spec->cron_count == 0 && spec->string_count == 0 && spec->not_string_count == 0);
    put_calendars(json, "structuredCalendar", spec->calendars, spec->calendar_count, form);
    put_intervals(json, spec);
    put_calendars(json, "excludeStructuredCalendar", spec->not_calendars,
                  spec->not_calendar_count, form);
    if (spec->start.is_set)
        json_put(json, "startTime", moment_json(spec->start));
    if (spec->end.is_set)
        json_put(json, "endTime", moment_json(spec->end));
    if (spec->jitter.is_set)
        json_put(json, "jitter", duration_json(spec->jitter));
    if (spec->zone.len > 0)
        json_put(json, "timezoneName", json_new_str(spec->zone));
    return json;
}
