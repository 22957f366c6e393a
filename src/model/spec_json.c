/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a spec from native JSON; model/spec_print.c prints it.
 */
#include "model/spec_json.h"

#include <stdlib.h>

#include "core/limits.h"
#include "model/json_time.h"
#include "model/spec_fields.h"

enum { WORD_MAX = 32 }; /* bytes of an enum's word; messages repeat an invalid one in full */

/* The target of reading a spec. */
struct reading {
    struct arena *arena;
    struct spec_def *def;
};

struct cron_reading {
    struct arena *arena;
    struct cron_def *def;
};

static enum rc take_kept(const json_t *value, int max, struct arena *arena, struct str *ret,
                         struct err *reterr)
{
    struct str s;
    enum rc rc = json_take_str(value, max, &s, reterr);

    if (rc == RC_OK)
        *ret = arena_str(arena, s);
    return rc;
}

static enum rc take_zone(const json_t *value, struct arena *arena, struct str *ret,
                         struct err *reterr)
{
    if (json_is_string(value) && json_string_length(value) == 0)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "the zone is empty; write one such as Europe/Berlin or UTC, or null");
    return take_kept(value, ZONE_NAME_MAX, arena, ret, reterr);
}

/* cron */

static enum rc read_cron_expr(const json_t *value, void *to, struct err *reterr)
{
    struct cron_reading *r = to;

    return take_kept(value, RRULE_TEXT_MAX, r->arena, &r->def->expr, reterr);
}

static enum rc read_cron_dialect(const json_t *value, void *to, struct err *reterr)
{
    struct cron_reading *r = to;
    struct str s;
    enum rc rc = json_take_str(value, WORD_MAX, &s, reterr);

    return rc == RC_OK ? dialect_parse(s, &r->def->dialect, reterr) : rc;
}

static enum rc read_cron_zone(const json_t *value, void *to, struct err *reterr)
{
    struct cron_reading *r = to;

    return take_zone(value, r->arena, &r->def->zone, reterr);
}

static const struct json_field cron_fields[] = {
    {"expr", read_cron_expr},
    {"dialect", read_cron_dialect},
    {"timezone", read_cron_zone},
};

static enum rc check_expr(const struct cron_def *def, struct err *reterr)
{
    int max = def->dialect == DIALECT_RRULE ? RRULE_TEXT_MAX : CRON_TEXT_MAX;

    if (def->expr.len == 0)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "the expression is missing; write one such as \"30 2 * * MON-FRI\"");
    if (def->expr.len > (size_t)max)
        return err_set(reterr, RC_LIMIT, -1, 0, "has %zu bytes; the limit is %d", def->expr.len,
                       max);
    return RC_OK;
}

static enum rc read_cron_item(const json_t *item, int i, void *to, struct err *reterr)
{
    struct reading *r = to;
    struct cron_reading entry = {r->arena, &r->def->cron[i]};
    enum rc rc;

    if (json_is_string(item)) {
        rc = read_cron_expr(item, &entry, reterr);
        return rc == RC_OK ? check_expr(entry.def, reterr) : rc;
    }
    if (!json_is_object(item))
        return json_wrong_type(item, "an expression or an object with one", reterr);
    rc = json_take_object(item, JSON_SHAPE(cron_fields), &entry, reterr);
    if (rc != RC_OK)
        return rc;
    rc = check_expr(entry.def, reterr);
    if (rc != RC_OK)
        err_in(reterr, "expr");
    return rc;
}

static enum rc read_cron(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;
    struct spec_def *def = r->def;
    enum rc rc = json_take_count(value, SPEC_ENTRIES_MAX, &def->cron_count, reterr);

    if (rc != RC_OK)
        return rc;
    def->cron = arena_array(r->arena, (size_t)def->cron_count, sizeof *def->cron);
    return json_take_items(value, read_cron_item, r, reterr);
}

/* calendars, also those of exclude */

static enum rc read_calendar(const json_t *item, struct arena *arena, struct calendar_def *ret,
                             struct err *reterr)
{
    const char *names[CALENDAR_FIELDS + 1];
    const json_t *comment = json_object_get(item, "comment");
    enum rc rc;

    for (int i = 0; i < CALENDAR_FIELDS; i++)
        names[i] = calendar_fields[i].name;
    names[CALENDAR_FIELDS] = "comment";
    rc = json_check_names(item, names, CALENDAR_FIELDS + 1, reterr);
    for (int i = 0; i < CALENDAR_FIELDS && rc == RC_OK; i++) {
        const json_t *value = json_object_get(item, names[i]);
        struct str s = {0};

        if (value && !json_is_null(value))
            rc = json_take_str(value, CRON_TEXT_MAX, &s, reterr);
        if (rc != RC_OK)
            err_in(reterr, "%s", names[i]);
        s = str_trim(s);
        *calendar_field_at(&ret->text, i) = s.len > 0 ? arena_str(arena, s)
                                                      : str_of(calendar_fields[i].initial);
    }
    if (rc == RC_OK && comment && !json_is_null(comment)) {
        rc = take_kept(comment, SPEC_COMMENT_MAX, arena, &ret->comment, reterr);
        if (rc != RC_OK)
            err_in(reterr, "comment");
    }
    return rc;
}

static enum rc read_calendar_item(const json_t *item, int i, void *to, struct err *reterr)
{
    struct reading *r = to;

    return read_calendar(item, r->arena, &r->def->calendars[i], reterr);
}

static enum rc read_calendars(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;
    struct spec_def *def = r->def;
    enum rc rc = json_take_count(value, SPEC_ENTRIES_MAX, &def->calendar_count, reterr);

    if (rc != RC_OK)
        return rc;
    def->calendars = arena_array(r->arena, (size_t)def->calendar_count, sizeof *def->calendars);
    return json_take_items(value, read_calendar_item, r, reterr);
}

/* intervals */

static enum rc read_every(const json_t *value, void *to, struct err *reterr)
{
    struct interval_def *interval = to;
    enum rc rc = json_take_duration(value, &interval->every, reterr);

    if (rc == RC_OK && interval->every < SPEC_EVERY_MIN_MS * SPAN_MS)
        return err_set(reterr, RC_INVALID, 0, (int)json_string_length(value),
                       "must be at least %ds", SPEC_EVERY_MIN_MS / 1000);
    return rc;
}

static enum rc read_phase(const json_t *value, void *to, struct err *reterr)
{
    struct interval_def *interval = to;

    return json_take_duration(value, &interval->phase, reterr);
}

static enum rc read_anchor(const json_t *value, void *to, struct err *reterr)
{
    struct interval_def *interval = to;
    struct str s;
    enum rc rc = json_take_str(value, WORD_MAX, &s, reterr);

    return rc == RC_OK ? anchor_parse(s, &interval->anchor, reterr) : rc;
}

static const struct json_field interval_fields[] = {
    {"every", read_every},
    {"phase", read_phase},
    {"anchor", read_anchor},
};

static enum rc read_interval_item(const json_t *item, int i, void *to, struct err *reterr)
{
    struct reading *r = to;
    struct interval_def *interval = &r->def->intervals[i];
    enum rc rc = json_take_object(item, JSON_SHAPE(interval_fields), interval, reterr);

    if (rc == RC_OK)
        rc = json_require(item, "every", reterr);
    if (rc == RC_OK && interval->phase >= interval->every) {
        rc = err_set(reterr, RC_INVALID, -1, 0, "phase must be less than every");
        err_in(reterr, "phase");
    }
    return rc;
}

static enum rc read_intervals(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;
    struct spec_def *def = r->def;
    enum rc rc = json_take_count(value, SPEC_ENTRIES_MAX, &def->interval_count, reterr);

    if (rc != RC_OK)
        return rc;
    def->intervals = arena_array(r->arena, (size_t)def->interval_count, sizeof *def->intervals);
    return json_take_items(value, read_interval_item, r, reterr);
}

/* timesOfDay and at */

static enum rc read_time_item(const json_t *item, int i, void *to, struct err *reterr)
{
    struct reading *r = to;

    return json_take_time_of_day(item, &r->def->times[i], reterr);
}

static enum rc read_times(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;
    struct spec_def *def = r->def;
    enum rc rc = json_take_count(value, SPEC_ENTRIES_MAX, &def->time_count, reterr);

    if (rc != RC_OK)
        return rc;
    def->times = arena_array(r->arena, (size_t)def->time_count, sizeof *def->times);
    return json_take_items(value, read_time_item, r, reterr);
}

static enum rc read_at_item(const json_t *item, int i, void *to, struct err *reterr)
{
    struct reading *r = to;

    if (json_is_string(item) && str_eq(str_of(json_string_value(item)), STR("now"))) {
        r->def->at[i] = INSTANT_NONE;
        return RC_OK;
    }
    return json_take_instant(item, &r->def->at[i], reterr);
}

/* A list, or a single instant: users write "at": "now". */
static enum rc read_at(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;
    struct spec_def *def = r->def;
    enum rc rc = RC_OK;

    def->at_count = 1;
    if (!json_is_string(value))
        rc = json_take_count(value, SPEC_AT_MAX, &def->at_count, reterr);
    if (rc != RC_OK)
        return rc;
    def->at = arena_array(r->arena, (size_t)def->at_count, sizeof *def->at);
    if (json_is_string(value))
        return read_at_item(value, 0, r, reterr);
    return json_take_items(value, read_at_item, r, reterr);
}

/* exclude */

static enum rc read_not_calendar_item(const json_t *item, int i, void *to, struct err *reterr)
{
    struct reading *r = to;

    return read_calendar(item, r->arena, &r->def->not_calendars[i], reterr);
}

static enum rc read_not_calendars(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;
    struct spec_def *def = r->def;
    enum rc rc = json_take_count(value, SPEC_ENTRIES_MAX, &def->not_calendar_count, reterr);

    if (rc != RC_OK)
        return rc;
    def->not_calendars = arena_array(r->arena, (size_t)def->not_calendar_count,
                                     sizeof *def->not_calendars);
    return json_take_items(value, read_not_calendar_item, r, reterr);
}

static enum rc read_date_item(const json_t *item, int i, void *to, struct err *reterr)
{
    struct reading *r = to;

    return json_take_date(item, &r->def->not_dates[i], reterr);
}

static int compare_days(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

/* Sorted without duplicates: the canonical form, and the one that core searches. */
static enum rc read_dates(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;
    struct spec_def *def = r->def;
    int kept = 0;
    enum rc rc = json_take_count(value, SPEC_DATES_MAX, &def->not_date_count, reterr);

    if (rc != RC_OK)
        return rc;
    def->not_dates = arena_array(r->arena, (size_t)def->not_date_count, sizeof *def->not_dates);
    rc = json_take_items(value, read_date_item, r, reterr);
    if (rc != RC_OK)
        return rc;
    qsort(def->not_dates, (size_t)def->not_date_count, sizeof *def->not_dates, compare_days);
    for (int i = 0; i < def->not_date_count; i++)
        if (kept == 0 || def->not_dates[kept - 1] != def->not_dates[i])
            def->not_dates[kept++] = def->not_dates[i];
    def->not_date_count = kept;
    return RC_OK;
}

static enum rc read_named_item(const json_t *item, int i, void *to, struct err *reterr)
{
    struct reading *r = to;
    struct str *name = &r->def->not_named[i];
    enum rc rc = take_kept(item, SPEC_NAME_MAX, r->arena, name, reterr);

    if (rc == RC_OK && name->len == 0)
        return err_set(reterr, RC_INVALID, -1, 0, "the name of a calendar is empty");
    return rc;
}

static enum rc read_named(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;
    struct spec_def *def = r->def;
    enum rc rc = json_take_count(value, SPEC_NAMED_MAX, &def->not_named_count, reterr);

    if (rc != RC_OK)
        return rc;
    def->not_named = arena_array(r->arena, (size_t)def->not_named_count,
                                 sizeof *def->not_named);
    return json_take_items(value, read_named_item, r, reterr);
}

static enum rc read_shift(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;
    struct str s;
    enum rc rc = json_take_str(value, WORD_MAX, &s, reterr);

    return rc == RC_OK ? shift_parse(s, &r->def->shift, reterr) : rc;
}

static const struct json_field exclude_fields[] = {
    {"calendars", read_not_calendars},
    {"dates", read_dates},
    {"named", read_named},
    {"shift", read_shift},
};

static enum rc read_exclude(const json_t *value, void *to, struct err *reterr)
{
    return json_take_object(value, JSON_SHAPE(exclude_fields), to, reterr);
}

/* start, end, window */

static enum rc read_start(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;

    return json_take_instant(value, &r->def->start, reterr);
}

static enum rc read_end(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;

    return json_take_instant(value, &r->def->end, reterr);
}

static enum rc read_window_from(const json_t *value, void *to, struct err *reterr)
{
    struct window_def *window = to;

    return json_take_time_of_day(value, &window->from, reterr);
}

static enum rc read_window_to(const json_t *value, void *to, struct err *reterr)
{
    struct window_def *window = to;

    return json_take_time_of_day(value, &window->to, reterr);
}

static enum rc read_window_rule(const json_t *value, void *to, struct err *reterr)
{
    struct window_def *window = to;
    struct str s;
    enum rc rc = json_take_str(value, WORD_MAX, &s, reterr);

    return rc == RC_OK ? window_rule_parse(s, &window->rule, reterr) : rc;
}

static const struct json_field window_fields[] = {
    {"from", read_window_from},
    {"to", read_window_to},
    {"rule", read_window_rule},
};

static enum rc read_window(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;
    struct window_def *window = &r->def->window;
    enum rc rc = json_take_object(value, JSON_SHAPE(window_fields), window, reterr);

    if (rc == RC_OK)
        rc = json_require(value, "from", reterr);
    if (rc == RC_OK)
        rc = json_require(value, "to", reterr);
    window->is_set = true;
    return rc;
}

/* timezone, dst, jitter */

static enum rc read_zone(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;
    enum rc rc = take_zone(value, r->arena, &r->def->zone, reterr);

    if (rc == RC_OK && str_eq(r->def->zone, STR("UTC")))
        r->def->zone = (struct str){0};
    return rc;
}

static enum rc read_gap(const json_t *value, void *to, struct err *reterr)
{
    struct dst_rule *dst = to;
    struct str s;
    enum gap gap;
    enum rc rc = json_take_str(value, WORD_MAX, &s, reterr);

    if (rc == RC_OK)
        rc = gap_parse(s, &gap, reterr);
    if (rc == RC_OK)
        dst->custom.gap = (unsigned char)gap;
    return rc;
}

static enum rc read_fold(const json_t *value, void *to, struct err *reterr)
{
    struct dst_rule *dst = to;
    struct str s;
    enum fold fold;
    enum rc rc = json_take_str(value, WORD_MAX, &s, reterr);

    if (rc == RC_OK)
        rc = fold_parse(s, &fold, reterr);
    if (rc == RC_OK)
        dst->custom.fold = (unsigned char)fold;
    return rc;
}

static const struct json_field dst_fields[] = {
    {"gap", read_gap},
    {"fold", read_fold},
};

static enum rc read_dst(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;
    struct dst_rule *dst = &r->def->dst;
    struct str s;
    enum rc rc;

    if (json_is_object(value)) {
        dst->name = DST_CUSTOM;
        rc = json_take_object(value, JSON_SHAPE(dst_fields), dst, reterr);
        if (rc == RC_OK)
            rc = json_require(value, "gap", reterr);
        return rc == RC_OK ? json_require(value, "fold", reterr) : rc;
    }
    if (!json_is_string(value))
        return json_wrong_type(value, "a rule's name or {\"gap\": …, \"fold\": …}", reterr);
    rc = json_take_str(value, WORD_MAX, &s, reterr);
    return rc == RC_OK ? dst_parse(s, &dst->name, reterr) : rc;
}

static enum rc read_jitter(const json_t *value, void *to, struct err *reterr)
{
    struct reading *r = to;
    enum rc rc = json_take_duration(value, &r->def->jitter, reterr);

    if (rc == RC_OK && r->def->jitter > SPEC_JITTER_DAYS_MAX * SPAN_DAY)
        return err_set(reterr, RC_INVALID, 0, (int)json_string_length(value),
                       "must be at most %dd", SPEC_JITTER_DAYS_MAX);
    return rc;
}

static const struct json_field spec_fields[] = {
    {"cron", read_cron},
    {"calendars", read_calendars},
    {"intervals", read_intervals},
    {"timesOfDay", read_times},
    {"at", read_at},
    {"exclude", read_exclude},
    {"start", read_start},
    {"end", read_end},
    {"window", read_window},
    {"timezone", read_zone},
    {"dst", read_dst},
    {"jitter", read_jitter},
};

enum rc spec_from_json(const json_t *json, struct arena *arena, struct spec_def *ret,
                       struct err *reterr)
{
    struct spec_def def = spec_def_empty();
    struct reading reading = {arena, &def};
    enum rc rc = json_take_object(json, JSON_SHAPE(spec_fields), &reading, reterr);
    int entries = def.cron_count + def.calendar_count + def.interval_count + def.time_count;

    if (rc != RC_OK)
        return rc;
    if (entries > SPEC_ENTRIES_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0,
                       "cron, calendars, intervals and timesOfDay have %d entries together; "
                       "the limit is %d",
                       entries, SPEC_ENTRIES_MAX);
    if (def.end < def.start) {
        rc = err_set(reterr, RC_INVALID, -1, 0, "end is before start");
        err_in(reterr, "end");
        return rc;
    }
    *ret = def;
    return RC_OK;
}

enum rc spec_from_text(struct str text, struct arena *arena, struct spec_def *ret,
                       struct err *reterr)
{
    json_auto_t *json = NULL;
    enum rc rc = json_read(text, &json, reterr);

    return rc == RC_OK ? spec_from_json(json, arena, ret, reterr) : rc;
}
