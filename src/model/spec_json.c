/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a spec from native JSON; model/spec_print.c prints it.
 */
#include "model/spec_json.h"

#include <stdlib.h>

#include "core/limits.h"
#include "model/json_time.h"
#include "model/member.h"
#include "model/spec_fields.h"

/* The members of a list: the pointer to its items is the member `name` of the type. */
#define LIST(type, name, number)                                                  \
    MEMBER_LIST, .offset = offsetof(type, name), .count = offsetof(type, number), \
                 .size = sizeof *((type *)NULL)->name
#define AT(type, name) .offset = offsetof(type, name)

static enum rc check_zone(struct str s, struct err *reterr)
{
    if (s.len == 0)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "the zone is empty; write one such as Europe/Berlin or UTC, or null");
    return RC_OK;
}

/* cron */

static enum rc parse_dialect(struct str word, void *to, struct err *reterr)
{
    return dialect_parse(word, to, reterr);
}

static const struct member cron_list[] = {
    {"expr", MEMBER_TEXT, AT(struct cron_def, expr), .high = RRULE_TEXT_MAX},
    {"dialect", MEMBER_WORD, AT(struct cron_def, dialect), .parse = parse_dialect},
    {"timezone", MEMBER_TEXT, AT(struct cron_def, zone), .high = ZONE_NAME_MAX,
     .check = check_zone},
};

static const struct members cron_members = MEMBERS(cron_list);

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

static enum rc read_cron(const json_t *item, const struct reading *r, struct err *reterr)
{
    struct cron_def *def = r->to;
    enum rc rc;

    if (json_is_string(item)) {
        rc = json_take_kept(item, RRULE_TEXT_MAX, r->arena, &def->expr, reterr);
        return rc == RC_OK ? check_expr(def, reterr) : rc;
    }
    if (!json_is_object(item))
        return json_wrong_type(item, "an expression or an object with one", reterr);
    rc = members_read(&cron_members, item, r, reterr);
    if (rc != RC_OK)
        return rc;
    rc = check_expr(def, reterr);
    if (rc != RC_OK)
        err_in(reterr, "expr");
    return rc;
}

static const struct member cron_item = {.kind = MEMBER_OTHER, .read = read_cron};

/* calendars, also those of exclude */

static enum rc read_calendar(const json_t *item, const struct reading *r, struct err *reterr)
{
    struct calendar_def *ret = r->to;
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
        *calendar_field_at(&ret->text, i) = s.len > 0 ? arena_str(r->arena, s)
                                                      : str_of(calendar_fields[i].initial);
    }
    if (rc == RC_OK && comment && !json_is_null(comment)) {
        rc = json_take_kept(comment, SPEC_COMMENT_MAX, r->arena, &ret->comment, reterr);
        if (rc != RC_OK)
            err_in(reterr, "comment");
    }
    return rc;
}

static const struct member calendar_item = {.kind = MEMBER_OTHER, .read = read_calendar};

/* intervals */

static enum rc read_every(const json_t *value, const struct reading *r, struct err *reterr)
{
    struct interval_def *interval = r->to;
    enum rc rc = json_take_duration(value, &interval->every, reterr);

    if (rc == RC_OK && interval->every < SPEC_EVERY_MIN_MS * SPAN_MS)
        return err_set(reterr, RC_INVALID, 0, (int)json_string_length(value),
                       "must be at least %ds", SPEC_EVERY_MIN_MS / 1000);
    return rc;
}

static enum rc parse_anchor(struct str word, void *to, struct err *reterr)
{
    return anchor_parse(word, to, reterr);
}

static const struct member interval_list[] = {
    {"every", MEMBER_OTHER, .read = read_every, .is_required = true},
    {"phase", MEMBER_SPAN, AT(struct interval_def, phase), .low = INT64_MIN, .high = INT64_MAX},
    {"anchor", MEMBER_WORD, AT(struct interval_def, anchor), .parse = parse_anchor},
};

static const struct members interval_members = MEMBERS(interval_list);

static enum rc read_interval(const json_t *item, const struct reading *r, struct err *reterr)
{
    const struct interval_def *interval = r->to;
    enum rc rc = members_read(&interval_members, item, r, reterr);

    if (rc == RC_OK && interval->phase >= interval->every) {
        rc = err_set(reterr, RC_INVALID, -1, 0, "phase must be less than every");
        err_in(reterr, "phase");
    }
    return rc;
}

static const struct member interval_item = {.kind = MEMBER_OTHER, .read = read_interval};

/* timesOfDay and at */

static const struct member time_item = {.kind = MEMBER_TIME};

static enum rc read_moment(const json_t *item, const struct reading *r, struct err *reterr)
{
    instant *at = r->to;

    if (json_is_string(item) && str_eq(str_of(json_string_value(item)), STR("now"))) {
        *at = INSTANT_NONE;
        return RC_OK;
    }
    return json_take_instant(item, at, reterr);
}

static const struct member at_item = {.kind = MEMBER_OTHER, .read = read_moment};

/* exclude */

static int compare_days(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

/* Sorted without duplicates: the canonical form, and the one that core searches. */
static void sort_dates(struct spec_def *def)
{
    int kept = 0;

    if (def->not_date_count > 0)
        qsort(def->not_dates, (size_t)def->not_date_count, sizeof *def->not_dates,
              compare_days);
    for (int i = 0; i < def->not_date_count; i++)
        if (kept == 0 || def->not_dates[kept - 1] != def->not_dates[i])
            def->not_dates[kept++] = def->not_dates[i];
    def->not_date_count = kept;
}

static enum rc check_named(struct str s, struct err *reterr)
{
    if (s.len == 0)
        return err_set(reterr, RC_INVALID, -1, 0, "the name of a calendar is empty");
    return RC_OK;
}

static enum rc parse_shift(struct str word, void *to, struct err *reterr)
{
    return shift_parse(word, to, reterr);
}

static const struct member date_item = {.kind = MEMBER_DATE};
static const struct member named_item = {
    .kind = MEMBER_TEXT, .high = SPEC_NAME_MAX, .check = check_named};

static const struct member exclude_list[] = {
    {"calendars", LIST(struct spec_def, not_calendars, not_calendar_count),
     .high = SPEC_ENTRIES_MAX, .item = &calendar_item},
    {"dates", LIST(struct spec_def, not_dates, not_date_count), .high = SPEC_DATES_MAX,
     .item = &date_item},
    {"named", LIST(struct spec_def, not_named, not_named_count), .high = SPEC_NAMED_MAX,
     .item = &named_item},
    {"shift", MEMBER_WORD, AT(struct spec_def, shift), .parse = parse_shift},
};

static const struct members exclude_members = MEMBERS(exclude_list);

/* window */

static enum rc parse_window_rule(struct str word, void *to, struct err *reterr)
{
    return window_rule_parse(word, to, reterr);
}

static const struct member window_list[] = {
    {"from", MEMBER_TIME, AT(struct spec_def, window.from), .is_required = true},
    {"to", MEMBER_TIME, AT(struct spec_def, window.to), .is_required = true},
    {"rule", MEMBER_WORD, AT(struct spec_def, window.rule), .parse = parse_window_rule},
};

static const struct members window_members = MEMBERS(window_list);

static enum rc read_window(const json_t *value, const struct reading *r, struct err *reterr)
{
    ((struct spec_def *)r->to)->window.is_set = true;
    return members_read(&window_members, value, r, reterr);
}

/* dst, jitter */

static enum rc parse_gap(struct str word, void *to, struct err *reterr)
{
    enum gap gap;
    enum rc rc = gap_parse(word, &gap, reterr);

    if (rc == RC_OK)
        *(unsigned char *)to = (unsigned char)gap;
    return rc;
}

static enum rc parse_fold(struct str word, void *to, struct err *reterr)
{
    enum fold fold;
    enum rc rc = fold_parse(word, &fold, reterr);

    if (rc == RC_OK)
        *(unsigned char *)to = (unsigned char)fold;
    return rc;
}

static const struct member dst_list[] = {
    {"gap", MEMBER_WORD, AT(struct spec_def, dst.custom.gap), .parse = parse_gap,
     .is_required = true},
    {"fold", MEMBER_WORD, AT(struct spec_def, dst.custom.fold), .parse = parse_fold,
     .is_required = true},
};

static const struct members dst_members = MEMBERS(dst_list);

static enum rc read_dst(const json_t *value, const struct reading *r, struct err *reterr)
{
    struct dst_rule *dst = &((struct spec_def *)r->to)->dst;
    struct str s;
    enum rc rc;

    if (json_is_object(value)) {
        dst->name = DST_CUSTOM;
        return members_read(&dst_members, value, r, reterr);
    }
    if (!json_is_string(value))
        return json_wrong_type(value, "a rule's name or {\"gap\": …, \"fold\": …}", reterr);
    rc = json_take_str(value, MEMBER_WORD_MAX, &s, reterr);
    return rc == RC_OK ? dst_parse(s, &dst->name, reterr) : rc;
}

static enum rc read_jitter(const json_t *value, const struct reading *r, struct err *reterr)
{
    struct spec_def *def = r->to;
    enum rc rc = json_take_duration(value, &def->jitter, reterr);

    if (rc == RC_OK && def->jitter > SPEC_JITTER_DAYS_MAX * SPAN_DAY)
        return err_set(reterr, RC_INVALID, 0, (int)json_string_length(value),
                       "must be at most %dd", SPEC_JITTER_DAYS_MAX);
    return rc;
}

static const struct member spec_list[] = {
    {"cron", LIST(struct spec_def, cron, cron_count), .high = SPEC_ENTRIES_MAX,
     .item = &cron_item},
    {"calendars", LIST(struct spec_def, calendars, calendar_count), .high = SPEC_ENTRIES_MAX,
     .item = &calendar_item},
    {"intervals", LIST(struct spec_def, intervals, interval_count), .high = SPEC_ENTRIES_MAX,
     .item = &interval_item},
    {"timesOfDay", LIST(struct spec_def, times, time_count), .high = SPEC_ENTRIES_MAX,
     .item = &time_item},
    {"at", LIST(struct spec_def, at, at_count), .high = SPEC_AT_MAX, .item = &at_item,
     .or_one = true}, /* users write "at": "now" */
    {"exclude", MEMBER_OBJECT, .members = &exclude_members},
    {"start", MEMBER_INSTANT, AT(struct spec_def, start)},
    {"end", MEMBER_INSTANT, AT(struct spec_def, end)},
    {"window", MEMBER_OTHER, .read = read_window},
    {"timezone", MEMBER_TEXT, AT(struct spec_def, zone), .high = ZONE_NAME_MAX,
     .check = check_zone},
    {"dst", MEMBER_OTHER, .read = read_dst},
    {"jitter", MEMBER_OTHER, .read = read_jitter},
};

static const struct members spec_members = MEMBERS(spec_list);

enum rc spec_from_json(const json_t *json, struct arena *arena, struct spec_def *ret,
                       struct err *reterr)
{
    struct spec_def def = spec_def_empty();
    const struct reading reading = {arena, false, &def};
    enum rc rc = members_read(&spec_members, json, &reading, reterr);
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
    if (str_eq(def.zone, STR("UTC")))
        def.zone = (struct str){0};
    sort_dates(&def);
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
