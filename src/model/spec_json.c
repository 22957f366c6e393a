/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and prints a spec as native JSON by tables of members.
 */
#include "model/spec_json.h"

#include <stdlib.h>

#include "core/limits.h"
#include "model/json_time.h"
#include "model/member.h"
#include "model/spec_fields.h"

/* A MEMBER_LIST: `name` points to its items, `number` counts them. */
#define LIST(type, name, number)                                                  \
    MEMBER_LIST, .offset = offsetof(type, name), .count = offsetof(type, number), \
                 .size = sizeof *((type *)NULL)->name
#define AT(type, name) .offset = offsetof(type, name)

WORD_FUNCTIONS(dialect)
WORD_FUNCTIONS(anchor)
WORD_FUNCTIONS(shift)
WORD_FUNCTIONS(window_rule)

static enum rc check_zone(struct str s, struct err *reterr)
{
    if (s.len == 0)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "the zone is empty; write one such as Europe/Berlin or UTC, or null");
    return RC_OK;
}

/* cron */

static const struct member cron_list[] = {
    {"expr", MEMBER_TEXT, AT(struct cron_def, expr), .high = RRULE_TEXT_MAX,
     .show = SHOW_ALWAYS},
    {"dialect", MEMBER_WORD, AT(struct cron_def, dialect), .parse = parse_dialect,
     .text = dialect_word},
    {"timezone", MEMBER_TEXT, AT(struct cron_def, zone), .high = ZONE_NAME_MAX,
     .check = check_zone, .has_none = true},
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
    return rc == RC_OK ? RC_OK : err_in(reterr, "expr");
}

static struct str brief_cron(const void *from)
{
    const struct cron_def *def = from;

    return def->dialect == DIALECT_BELFRY && def->zone.len == 0 ? def->expr : (struct str){0};
}

static const struct member cron_item = {
    .kind = MEMBER_OBJECT, .members = &cron_members, .read = read_cron, .brief = brief_cron};
static const struct cron_def cron_initial = {.dialect = DIALECT_BELFRY};

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

static json_t *print_calendar(const void *from, enum spec_form form)
{
    const struct calendar_def *def = from;
    bool is_full = form == SPEC_FULL;
    json_t *json = json_new_object();

    for (int i = 0; i < CALENDAR_FIELDS; i++) {
        struct str initial = str_of(calendar_fields[i].initial);
        struct str s = calendar_field_of(&def->text, i);

        if (s.len == 0)
            s = initial;
        if (is_full || !str_eq(s, initial))
            json_put(json, calendar_fields[i].name, json_new_str(s));
    }
    if (is_full || def->comment.len > 0)
        json_put(json, "comment", json_new_str(def->comment));
    return json;
}

static const struct member calendar_item = {
    .kind = MEMBER_OTHER, .read = read_calendar, .print = print_calendar};

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

static const struct member interval_list[] = {
    {"every", MEMBER_SPAN, AT(struct interval_def, every), .read = read_every,
     .is_required = true, .show = SHOW_ALWAYS},
    {"phase", MEMBER_SPAN, AT(struct interval_def, phase), .low = INT64_MIN, .high = INT64_MAX},
    {"anchor", MEMBER_WORD, AT(struct interval_def, anchor), .parse = parse_anchor,
     .text = anchor_word},
};

static const struct members interval_members = MEMBERS(interval_list);

static enum rc read_interval(const json_t *item, const struct reading *r, struct err *reterr)
{
    const struct interval_def *interval = r->to;
    enum rc rc = members_read(&interval_members, item, r, reterr);

    if (rc == RC_OK && interval->phase >= interval->every) {
        rc = err_set(reterr, RC_INVALID, -1, 0, "must be less than every");
        err_in(reterr, "phase");
    }
    return rc;
}

static const struct member interval_item = {
    .kind = MEMBER_OBJECT, .members = &interval_members, .read = read_interval};
static const struct interval_def interval_initial = {.anchor = ANCHOR_EPOCH};

/* timesOfDay and at */

static const struct member time_item = {.kind = MEMBER_TIME};

static enum rc read_at(const json_t *item, const struct reading *r, struct err *reterr)
{
    instant *at = r->to;

    if (json_is_string(item) && str_eq(str_of(json_string_value(item)), STR("now"))) {
        *at = INSTANT_NONE;
        return RC_OK;
    }
    return json_take_instant(item, at, reterr);
}

static json_t *print_at(const void *from, enum spec_form form)
{
    instant at = *(const instant *)from;

    (void)form;
    return at == INSTANT_NONE ? json_of_word("now") : json_of_instant(at);
}

static const struct member at_item = {.kind = MEMBER_OTHER, .read = read_at, .print = print_at};

/* exclude */

static int compare_days(const void *a, const void *b)
{
    int32_t x = *(const int32_t *)a, y = *(const int32_t *)b;

    return (x > y) - (x < y);
}

/* The core searches in sorted dates; without duplicates, equal sets have the same text. */
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
    {"shift", MEMBER_WORD, AT(struct spec_def, shift), .parse = parse_shift,
     .text = shift_word},
};

static const struct members exclude_members = MEMBERS(exclude_list);

/* window */

static const struct member window_list[] = {
    {"from", MEMBER_TIME, AT(struct spec_def, window.from), .is_required = true,
     .show = SHOW_ALWAYS},
    {"to", MEMBER_TIME, AT(struct spec_def, window.to), .is_required = true,
     .show = SHOW_ALWAYS},
    {"rule", MEMBER_WORD, AT(struct spec_def, window.rule), .parse = parse_window_rule,
     .text = window_rule_word},
};

static const struct members window_members = MEMBERS(window_list);

static enum rc read_window(const json_t *value, const struct reading *r, struct err *reterr)
{
    ((struct spec_def *)r->to)->window.is_set = true;
    return members_read(&window_members, value, r, reterr);
}

static json_t *print_window(const void *from, enum spec_form form)
{
    const struct spec_def initial = spec_def_empty();

    return ((const struct spec_def *)from)->window.is_set
               ? members_print(&window_members, from, &initial, form)
               : json_null();
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

static const char *gap_word(const void *from)
{
    return gap_text((enum gap) * (const unsigned char *)from);
}

static const char *fold_word(const void *from)
{
    return fold_text((enum fold) * (const unsigned char *)from);
}

static const struct member dst_list[] = {
    {"gap", MEMBER_WORD, AT(struct spec_def, dst.custom.gap), .parse = parse_gap,
     .text = gap_word, .show = SHOW_ALWAYS, .is_required = true},
    {"fold", MEMBER_WORD, AT(struct spec_def, dst.custom.fold), .parse = parse_fold,
     .text = fold_word, .show = SHOW_ALWAYS, .is_required = true},
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

static json_t *print_dst(const void *from, enum spec_form form)
{
    enum dst_name name = ((const struct spec_def *)from)->dst.name;

    if (name == DST_DEFAULT)
        return json_null();
    return name == DST_CUSTOM ? members_print(&dst_members, from, from, form)
                              : json_of_word(dst_text(name));
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
     .item = &cron_item, .initial = &cron_initial},
    {"calendars", LIST(struct spec_def, calendars, calendar_count), .high = SPEC_ENTRIES_MAX,
     .item = &calendar_item},
    {"intervals", LIST(struct spec_def, intervals, interval_count), .high = SPEC_ENTRIES_MAX,
     .item = &interval_item, .initial = &interval_initial},
    {"timesOfDay", LIST(struct spec_def, times, time_count), .high = SPEC_ENTRIES_MAX,
     .item = &time_item},
    {"at", LIST(struct spec_def, at, at_count), .high = SPEC_AT_MAX, .item = &at_item,
     .or_one = true}, /* users write "at": "now" */
    {"exclude", MEMBER_OBJECT, .members = &exclude_members},
    {"start", MEMBER_INSTANT, AT(struct spec_def, start), .has_none = true,
     .none = INSTANT_NONE},
    {"end", MEMBER_INSTANT, AT(struct spec_def, end), .has_none = true, .none = INSTANT_NEVER},
    {"window", MEMBER_OTHER, AT(struct spec_def, window), .size = sizeof(struct window_def),
     .read = read_window, .print = print_window},
    {"timezone", MEMBER_TEXT, AT(struct spec_def, zone), .high = ZONE_NAME_MAX,
     .check = check_zone},
    {"dst", MEMBER_OTHER, AT(struct spec_def, dst), .size = sizeof(struct dst_rule),
     .read = read_dst, .print = print_dst},
    {"jitter", MEMBER_SPAN, AT(struct spec_def, jitter), .read = read_jitter},
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
    if (def.end < def.start)
        return err_field(reterr, "end", "is before start");
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

/* The zone is never printed as empty: UTC is the default. */
static struct spec_def with_zone(const struct spec_def *def)
{
    struct spec_def ret = *def;

    if (ret.zone.len == 0)
        ret.zone = STR("UTC");
    return ret;
}

json_t *spec_to_json(const struct spec_def *def, enum spec_form form)
{
    struct spec_def empty = spec_def_empty();
    struct spec_def from = with_zone(def), initial = with_zone(&empty);

    return members_print(&spec_members, &from, &initial, form);
}

bool spec_write(const struct spec_def *def, struct buf *out)
{
    struct spec_def empty = spec_def_empty();
    struct spec_def from = with_zone(def), initial = with_zone(&empty);

    members_write(&spec_members, &from, &initial, out);
    return !out->cut;
}
