/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the specs and zones of judge_slots.h. */
#include <stdio.h>
#include <stdlib.h>

#include "base/buf.h"
#include "base/must.h"
#include "sim/judge.h"
#include "sim/judge_slots_parts.h"

enum { PATH_MAX_BYTES = 160 }; /* the directory and a name of at most ORACLE_ZONE_MAX */

struct judge_zones *judge_zones_new(void)
{
    struct judge_zones *zones = calloc(1, sizeof *zones);

    must(zones != NULL);
    return zones;
}

struct judge_zones *judge_zones_free(struct judge_zones *zones)
{
    for (int i = 0; zones && i < zones->count; i++) {
        oracle_clock_free(&zones->zone[i].clock);
        oracle_tz_free(zones->zone[i].tz);
    }
    free(zones);
    return NULL;
}

static enum rc find_zone(struct judge_zones *zones, struct str name, struct zone **ret,
                         struct err *reterr)
{
    char path[PATH_MAX_BYTES];
    struct zone *zone = &zones->zone[zones->count];

    if (name.len == 0)
        name = STR("UTC");
    for (int i = 0; i < zones->count; i++)
        if (str_eq(str_of(zones->zone[i].name), name)) {
            *ret = &zones->zone[i];
            return RC_OK;
        }
    if (zones->count == JUDGE_ZONES_MAX || name.len >= sizeof zone->name)
        return err_set(reterr, RC_LIMIT, -1, 0, "the judge knows at most %d zones",
                       JUDGE_ZONES_MAX);
    memcpy(zone->name, name.ptr, name.len);
    zone->name[name.len] = '\0';
    snprintf(path, sizeof path, "%s/%s", JUDGE_ZONEINFO, zone->name);
    zone->tz = str_eq(name, STR("UTC")) ? oracle_tz_fixed(0) : oracle_tz_load(path);
    if (!zone->tz)
        return err_set(reterr, RC_INVALID, -1, 0, "the judge cannot read the zone %s",
                       zone->name);
    zone->clock = (struct oracle_clock){.tz = zone->tz};
    zones->count++;
    *ret = zone;
    return RC_OK;
}

/* ---- parsing a spec ---- */

static const char *dst_name_of(const struct dst_rule *rule, char *text, size_t size)
{
    static const char *const named[] = {NULL, "vixie", "literal", "once", "last", "shift"};
    static const char *const gaps[] = {"skip", "next", "shift"};
    static const char *const folds[] = {"first", "last", "both"};

    if (rule->name != DST_CUSTOM)
        return named[rule->name];
    snprintf(text, size, "%s/%s", gaps[rule->custom.gap], folds[rule->custom.fold]);
    return text;
}

static enum rc read_rule(const char *dialect, struct str expr, struct arena *arena,
                         struct oracle_rule **ret, struct err *reterr)
{
    struct oracle_rule *rule = arena_take(arena, sizeof *rule);
    struct str text = arena_str(arena, expr);

    if (oracle_parse(dialect, text.ptr, rule) != 0)
        return err_set(reterr, RC_INVALID, -1, 0, "the judge cannot read \"%s\" (%s)", text.ptr,
                       dialect);
    *ret = rule;
    return RC_OK;
}

static struct candidate *add(struct judge_spec *spec, enum kind kind, struct zone *zone)
{
    struct candidate *c = &spec->candidates[spec->count++];

    *c = (struct candidate){.kind = kind, .zone = zone, .asked = INSTANT_NEVER};
    return c;
}

/* A parsed rule becomes an entry; @every is really an interval. */
static enum rc add_rule(struct judge_spec *spec, struct zone *zone, struct oracle_rule *rule,
                        struct err *reterr)
{
    char text[16];
    struct candidate *c;

    must(rule != NULL);
    c = add(spec, rule->every > 0 ? KIND_INTERVAL : KIND_RULE, zone);
    c->rule = rule;
    if (rule->every > 0) {
        c->in_seconds = true;
        c->interval = (struct interval_def){.every = instant_of_seconds(rule->every),
                                            .phase = instant_of_seconds(rule->phase),
                                            .anchor = rule->from_after ? ANCHOR_START
                                                                       : ANCHOR_EPOCH};
        return RC_OK;
    }
    if (oracle_policy_of(rule, dst_name_of(&spec->def->dst, text, sizeof text), &c->policy))
        return err_set(reterr, RC_INVALID, -1, 0, "the judge does not know this clock rule");
    return RC_OK;
}

static const char *const dialects[DIALECT_COUNT] = {
    [DIALECT_BELFRY] = "belfry",
    [DIALECT_POSIX] = "posix",
    [DIALECT_VIXIE] = "vixie",
    [DIALECT_CRONIE] = "cronie",
    [DIALECT_ROBFIG] = "robfig",
    [DIALECT_ROBFIG_SECONDS] = "robfig-seconds",
    [DIALECT_K8S] = "k8s",
    [DIALECT_GITHUB] = "github",
    [DIALECT_CLOUDSCHEDULER] = "cloudscheduler",
    [DIALECT_SPRING] = "spring",
    [DIALECT_QUARTZ] = "quartz",
    [DIALECT_AWS] = "aws",
    [DIALECT_JENKINS] = "jenkins",
    [DIALECT_TEMPORAL] = "temporal",
    [DIALECT_SYSTEMD] = "systemd",
    [DIALECT_RRULE] = "rrule",
};

static enum rc add_cron(struct judge_spec *spec, const struct cron_def *cron,
                        struct judge_zones *zones, struct arena *arena, struct err *reterr)
{
    struct oracle_rule *rule = NULL;
    struct zone *zone = NULL;
    struct str name = cron->zone.len > 0 ? cron->zone : spec->def->zone;
    enum rc rc = read_rule(dialects[cron->dialect], cron->expr, arena, &rule, reterr);

    if (rc == RC_OK)
        rc = find_zone(zones, rule->zone[0] ? str_of(rule->zone) : name, &zone, reterr);
    return rc == RC_OK ? add_rule(spec, zone, rule, reterr) : rc;
}

static struct str or_default(struct str text, struct str otherwise)
{
    return text.len > 0 ? text : otherwise;
}

/* A calendar as cron with seven fields, all of which must match. */
static enum rc calendar_rule(const struct calendar_def *calendar, struct arena *arena,
                             struct oracle_rule **ret, struct err *reterr)
{
    const struct calendar_text *t = &calendar->text;
    struct str star = STR("*"), zero = STR("0");
    struct str day = or_default(t->day, star), weekday = or_default(t->weekday, star);
    bool both = !str_eq(day, star) && !str_eq(weekday, star);
    char text[ORACLE_TEXT_MAX];
    struct buf buf = BUF(text);
    struct str fields[] = {or_default(t->second, zero), or_default(t->minute, zero),
                           or_default(t->hour, zero),   day,
                           or_default(t->month, star),  weekday,
                           or_default(t->year, star)};

    for (int i = 0; i < 7; i++) {
        buf_text(&buf, i == 0 ? "" : i == 5 && both ? " +" : " ");
        buf_str(&buf, fields[i]);
    }
    return read_rule("belfry", buf_as_str(&buf), arena, ret, reterr);
}

static enum rc add_time(struct judge_spec *spec, int32_t time, struct arena *arena,
                        struct err *reterr)
{
    char text[32];
    struct oracle_rule *rule = NULL;
    enum rc rc;

    snprintf(text, sizeof text, "%d %d %d * * *", time % 60, time / 60 % 60, time / 3600);
    rc = read_rule("belfry", str_of(text), arena, &rule, reterr);
    return rc == RC_OK ? add_rule(spec, spec->zone, rule, reterr) : rc;
}

static enum rc add_patterns(struct judge_spec *spec, struct judge_zones *zones,
                            struct arena *arena, struct err *reterr)
{
    const struct spec_def *def = spec->def;
    struct oracle_rule *rule = NULL;
    enum rc rc = RC_OK;

    for (int i = 0; i < def->cron_count && rc == RC_OK; i++)
        rc = add_cron(spec, &def->cron[i], zones, arena, reterr);
    for (int i = 0; i < def->calendar_count && rc == RC_OK; i++) {
        rc = calendar_rule(&def->calendars[i], arena, &rule, reterr);
        if (rc == RC_OK)
            rc = add_rule(spec, spec->zone, rule, reterr);
    }
    for (int i = 0; i < def->time_count && rc == RC_OK; i++)
        rc = add_time(spec, def->times[i], arena, reterr);
    for (int i = 0; i < def->not_calendar_count && rc == RC_OK; i++)
        rc = calendar_rule(&def->not_calendars[i], arena, &spec->not_rules[i], reterr);
    return rc;
}

enum rc judge_spec_make(const struct spec_def *def, struct judge_zones *zones,
                        struct arena *arena, struct judge_spec **ret, struct err *reterr)
{
    struct judge_spec *spec = arena_take(arena, sizeof *spec);
    int count = def->cron_count + def->calendar_count + def->interval_count + def->time_count +
                def->at_count;
    enum rc rc;

    if (def->not_named_count > 0 || (def->shift != SHIFT_NONE && def->not_calendar_count > 0) ||
        (def->calendar_count + def->not_calendar_count > 0 &&
         def->calendar_dialect != DIALECT_BELFRY))
        return err_set(
            reterr, RC_INVALID, -1, 0,
            "the judge does not support named calendars, calendars of other dialects, "
            "or shift with excluded calendars");
    spec->def = def;
    spec->candidates = arena_array(arena, (size_t)count, sizeof *spec->candidates);
    spec->not_rules = arena_array(arena, (size_t)def->not_calendar_count,
                                  sizeof(struct oracle_rule *));
    rc = find_zone(zones, def->zone, &spec->zone, reterr);
    if (rc == RC_OK)
        rc = add_patterns(spec, zones, arena, reterr);
    if (rc != RC_OK)
        return rc;
    for (int i = 0; i < def->interval_count; i++)
        add(spec, KIND_INTERVAL, spec->zone)->interval = def->intervals[i];
    for (int i = 0; i < def->at_count; i++)
        add(spec, KIND_AT, spec->zone)->at = def->at[i];
    *ret = spec;
    return RC_OK;
}
