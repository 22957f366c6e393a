/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Times, overlap policies and specs: see temporal_codec.h.
 */
#include "model/temporal_codec.h"

#include "model/proto_json.h"

enum { NANOS_PER_MICRO = 1000 };

char *temporal_text(struct str text, struct arena *arena)
{
    return (char *)(uintptr_t)arena_str(arena, text).ptr;
}

/* ---- times ---- */

static int64_t clamped_micros(int64_t seconds, int32_t nanos, int64_t low, int64_t high)
{
    if (seconds < low / SPAN_S)
        return low;
    if (seconds >= high / SPAN_S)
        return high;
    return seconds * SPAN_S + nanos / NANOS_PER_MICRO;
}

instant temporal_instant(const Temporal__Timestamp *time)
{
    return clamped_micros(time->seconds, time->nanos, INSTANT_MIN, INSTANT_MAX);
}

span temporal_span(const Temporal__Duration *duration)
{
    return clamped_micros(duration->seconds, duration->nanos, -INSTANT_MAX, INSTANT_MAX);
}

Temporal__Timestamp *temporal_timestamp(instant t, struct arena *arena)
{
    Temporal__Timestamp *time = arena_take(arena, sizeof *time);

    temporal__timestamp__init(time);
    time->seconds = instant_seconds(t);
    time->nanos = (int32_t)(t - time->seconds * SPAN_S) * NANOS_PER_MICRO;
    return time;
}

Temporal__Duration *temporal_duration(span s, struct arena *arena)
{
    Temporal__Duration *duration = arena_take(arena, sizeof *duration);

    temporal__duration__init(duration);
    duration->seconds = s / SPAN_S;
    duration->nanos = (int32_t)(s % SPAN_S) * NANOS_PER_MICRO;
    return duration;
}

/* ---- overlap ---- */

bool temporal_overlap_is_known(int32_t policy)
{
    return policy >= 0 && policy <= OVERLAP_COUNT;
}

enum overlap temporal_overlap(int32_t policy)
{
    if (!temporal_overlap_is_known(policy))
        return OVERLAP_SKIP;
    return policy == 0 ? OVERLAP_DEFAULT : (enum overlap)(policy - 1);
}

int32_t temporal_overlap_number(enum overlap overlap)
{
    return (int32_t)overlap + 1;
}

/* ---- spec, in ---- */

static struct temporal_time time_of(const Temporal__Timestamp *time)
{
    return time ? (struct temporal_time){true, time->nanos, time->seconds}
                : (struct temporal_time){0};
}

static struct temporal_time duration_of(const Temporal__Duration *duration)
{
    return duration ? (struct temporal_time){true, duration->nanos, duration->seconds}
                    : (struct temporal_time){0};
}

static enum rc refuse_count(const char *field, size_t count, int limit, struct err *reterr)
{
    err_set(reterr, RC_INVALID, -1, 0, "has %zu entries; the limit is %d", count, limit);
    return err_in(reterr, "%s", field);
}

static enum rc calendar_of(const Temporal__StructuredCalendarSpec *message, struct arena *arena,
                           struct temporal_calendar *ret, struct err *reterr)
{
    const struct {
        Temporal__Range *const *ranges;
        size_t count;
    } fields[CALENDAR_FIELDS] = {
        {message->second, message->n_second},
        {message->minute, message->n_minute},
        {message->hour, message->n_hour},
        {message->day_of_month, message->n_day_of_month},
        {message->month, message->n_month},
        {message->year, message->n_year},
        {message->day_of_week, message->n_day_of_week},
    };

    ret->comment = str_of(message->comment);
    for (int i = 0; i < CALENDAR_FIELDS; i++) {
        struct temporal_ranges *to = &ret->field[i];

        if (fields[i].count > TEMPORAL_RANGES_MAX)
            return refuse_count(calendar_fields[i].name, fields[i].count, TEMPORAL_RANGES_MAX,
                                reterr);
        to->count = (int)fields[i].count;
        to->at = arena_array(arena, fields[i].count, sizeof *to->at);
        for (int j = 0; j < to->count; j++)
            to->at[j] = (struct temporal_range){fields[i].ranges[j]->start,
                                                fields[i].ranges[j]->end,
                                                fields[i].ranges[j]->step};
    }
    return RC_OK;
}

static enum rc calendars_of(Temporal__StructuredCalendarSpec *const *list, size_t count,
                            struct arena *arena, struct temporal_calendar **ret,
                            struct err *reterr)
{
    *ret = arena_array(arena, count, sizeof **ret);
    for (size_t i = 0; i < count; i++)
        if (calendar_of(list[i], arena, &(*ret)[i], reterr) != RC_OK)
            return err_in(reterr, "[%zu]", i);
    return RC_OK;
}

static struct calendar_def *text_calendars_of(Temporal__CalendarSpec *const *list, size_t count,
                                              struct arena *arena)
{
    struct calendar_def *defs = arena_array(arena, count, sizeof *defs);

    for (size_t i = 0; i < count; i++)
        defs[i] = (struct calendar_def){
            .text = {.second = str_of(list[i]->second),
                     .minute = str_of(list[i]->minute),
                     .hour = str_of(list[i]->hour),
                     .day = str_of(list[i]->day_of_month),
                     .month = str_of(list[i]->month),
                     .year = str_of(list[i]->year),
                     .weekday = str_of(list[i]->day_of_week)},
            .comment = str_of(list[i]->comment),
        };
    return defs;
}

/* Checks each list before it is copied; temporal_canonical() checks their sum. */
static enum rc check_counts(const Temporal__ScheduleSpec *m, struct err *reterr)
{
    const struct {
        const char *name;
        size_t count;
    } lists[] = {
        {"calendar", m->n_calendar},
        {"interval", m->n_interval},
        {"excludeCalendar", m->n_exclude_calendar},
        {"structuredCalendar", m->n_structured_calendar},
        {"cronString", m->n_cron_string},
        {"excludeStructuredCalendar", m->n_exclude_structured_calendar},
    };

    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++)
        if (lists[i].count > SPEC_ENTRIES_MAX)
            return refuse_count(lists[i].name, lists[i].count, SPEC_ENTRIES_MAX, reterr);
    if (m->timezone_data.len == 0)
        return RC_OK;
    return err_field(
        reterr, "timezoneData",
        "is not supported; name the zone in timezoneName, the server knows its rules");
}

enum rc temporal_spec_of(const Temporal__ScheduleSpec *m, struct arena *arena,
                         struct temporal_spec *ret, struct err *reterr)
{
    struct temporal_spec spec = {0};
    enum rc rc = m ? check_counts(m, reterr) : RC_OK;

    if (!m)
        *ret = spec;
    if (!m || rc != RC_OK)
        return rc;
    spec.cron_count = (int)m->n_cron_string;
    spec.text_count = (int)m->n_calendar;
    spec.not_text_count = (int)m->n_exclude_calendar;
    spec.calendar_count = (int)m->n_structured_calendar;
    spec.not_calendar_count = (int)m->n_exclude_structured_calendar;
    spec.interval_count = (int)m->n_interval;
    spec.start = time_of(m->start_time);
    spec.end = time_of(m->end_time);
    spec.jitter = duration_of(m->jitter);
    spec.zone = str_of(m->timezone_name);
    spec.cron_strings = arena_array(arena, m->n_cron_string, sizeof *spec.cron_strings);
    for (size_t i = 0; i < m->n_cron_string; i++)
        spec.cron_strings[i] = str_of(m->cron_string[i]);
    spec.text_calendars = text_calendars_of(m->calendar, m->n_calendar, arena);
    spec.not_text_calendars = text_calendars_of(m->exclude_calendar, m->n_exclude_calendar,
                                                arena);
    spec.intervals = arena_array(arena, m->n_interval, sizeof *spec.intervals);
    for (size_t i = 0; i < m->n_interval; i++)
        spec.intervals[i] = (struct temporal_interval){duration_of(m->interval[i]->interval),
                                                       duration_of(m->interval[i]->phase)};
    rc = calendars_of(m->structured_calendar, m->n_structured_calendar, arena, &spec.calendars,
                      reterr);
    if (rc != RC_OK)
        return err_in(reterr, "structuredCalendar");
    rc = calendars_of(m->exclude_structured_calendar, m->n_exclude_structured_calendar, arena,
                      &spec.not_calendars, reterr);
    if (rc != RC_OK)
        err_in(reterr, "excludeStructuredCalendar");
    else
        *ret = spec;
    return rc;
}

enum rc temporal_spec_from_json(const json_t *json, struct arena *arena,
                                struct temporal_spec *ret, struct err *reterr)
{
    struct temporal_spec given = {0};
    ProtobufCMessage *message;
    enum rc rc = proto_from_json(&temporal__schedule_spec__descriptor, json, arena, &message,
                                 reterr);

    if (rc == RC_OK)
        rc = temporal_spec_of((const Temporal__ScheduleSpec *)message, arena, &given, reterr);
    return rc == RC_OK ? temporal_canonical(&given, arena, ret, reterr) : rc;
}

enum rc temporal_def_from_json(const json_t *json, struct arena *arena, struct spec_def *ret,
                               struct err *reterr)
{
    struct temporal_spec spec;
    enum rc rc = temporal_spec_from_json(json, arena, &spec, reterr);

    if (rc == RC_OK)
        *ret = temporal_spec_def(&spec, arena);
    return rc;
}

/* ---- spec, out ---- */

static Temporal__Duration *duration_message(struct temporal_time t, struct arena *arena)
{
    Temporal__Duration *message;

    if (!t.is_set)
        return NULL;
    message = arena_take(arena, sizeof *message);
    temporal__duration__init(message);
    message->seconds = t.seconds;
    message->nanos = t.nanos;
    return message;
}

static Temporal__Timestamp *time_message(struct temporal_time t, struct arena *arena)
{
    Temporal__Timestamp *message;

    if (!t.is_set)
        return NULL;
    message = arena_take(arena, sizeof *message);
    temporal__timestamp__init(message);
    message->seconds = t.seconds;
    message->nanos = t.nanos;
    return message;
}

static Temporal__Range **ranges_message(struct temporal_ranges ranges, struct arena *arena,
                                        size_t *ret_count)
{
    Temporal__Range **list = arena_array(arena, (size_t)ranges.count, sizeof *list);

    for (int i = 0; i < ranges.count; i++) {
        struct temporal_range r = ranges.at[i];

        list[i] = arena_take(arena, sizeof *list[i]);
        temporal__range__init(list[i]);
        list[i]->start = r.start;
        list[i]->end = r.end < r.start ? r.start : r.end;
        list[i]->step = r.step == 0 ? 1 : r.step;
    }
    *ret_count = (size_t)ranges.count;
    return list;
}

static Temporal__StructuredCalendarSpec **calendar_messages(
    const struct temporal_calendar *from, int count, struct arena *arena)
{
    Temporal__StructuredCalendarSpec **list = arena_array(arena, (size_t)count, sizeof *list);

    for (int i = 0; i < count; i++) {
        Temporal__StructuredCalendarSpec *m = list[i] = arena_take(arena, sizeof *m);
        const struct temporal_ranges *field = from[i].field;

        temporal__structured_calendar_spec__init(m);
        m->second = ranges_message(field[0], arena, &m->n_second);
        m->minute = ranges_message(field[1], arena, &m->n_minute);
        m->hour = ranges_message(field[2], arena, &m->n_hour);
        m->day_of_month = ranges_message(field[3], arena, &m->n_day_of_month);
        m->month = ranges_message(field[4], arena, &m->n_month);
        m->year = ranges_message(field[5], arena, &m->n_year);
        m->day_of_week = ranges_message(field[6], arena, &m->n_day_of_week);
        m->comment = temporal_text(from[i].comment, arena);
    }
    return list;
}

Temporal__ScheduleSpec *temporal_spec_message(const struct temporal_spec *spec,
                                              struct arena *arena)
{
    Temporal__ScheduleSpec *m = arena_take(arena, sizeof *m);

    temporal__schedule_spec__init(m);
    m->n_structured_calendar = (size_t)spec->calendar_count;
    m->structured_calendar = calendar_messages(spec->calendars, spec->calendar_count, arena);
    m->n_exclude_structured_calendar = (size_t)spec->not_calendar_count;
    m->exclude_structured_calendar = calendar_messages(spec->not_calendars,
                                                       spec->not_calendar_count, arena);
    m->n_interval = (size_t)spec->interval_count;
    m->interval = arena_array(arena, m->n_interval, sizeof *m->interval);
    for (size_t i = 0; i < m->n_interval; i++) {
        m->interval[i] = arena_take(arena, sizeof *m->interval[i]);
        temporal__interval_spec__init(m->interval[i]);
        m->interval[i]->interval = duration_message(spec->intervals[i].every, arena);
        m->interval[i]->phase = duration_message(spec->intervals[i].phase, arena);
    }
    m->start_time = time_message(spec->start, arena);
    m->end_time = time_message(spec->end, arena);
    m->jitter = duration_message(spec->jitter, arena);
    m->timezone_name = temporal_text(spec->zone, arena);
    return m;
}
