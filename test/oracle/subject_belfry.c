/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The adapter between the comparison driver and the search of Belfry.
 */
#include "subject.h"

#include <stdio.h>
#include <stdlib.h>

#include "base/arena.h"
#include "core/spec/spec.h"
#include "io/zoneinfo.h"

static struct zoneinfo *zones;
static struct arena *arena;

static const struct tz *find_zone(void *user, struct str name, struct err *reterr)
{
    (void)user;
    return zoneinfo_find(zones, name, reterr);
}

int subject_open(const char *zoneinfo_directory)
{
    struct err err;

    zones = zoneinfo_open(zoneinfo_directory, &err);
    arena = arena_new(4 << 20);
    return zones ? 0 : -1;
}

static bool parse_dst(struct str text, struct dst_rule *ret)
{
    struct str gap_part, fold_part;
    struct err err;
    enum gap gap;
    enum fold fold;

    if (!str_cut(text, '/', &gap_part, &fold_part))
        return dst_parse(text, &ret->name, &err) == RC_OK;
    if (gap_parse(gap_part, &gap, &err) != RC_OK || fold_parse(fold_part, &fold, &err) != RC_OK)
        return false;
    ret->name = DST_CUSTOM;
    ret->custom = (struct dst_choice){(unsigned char)gap, (unsigned char)fold};
    return true;
}

static bool compile(const struct subject_query *query, struct spec *ret)
{
    struct zone_source source = {.find = find_zone};
    struct cron_def cron = {.expr = str_of(query->expr)};
    struct spec_def def = spec_def_empty();
    struct err err;

    arena_reset(arena);
    if (dialect_parse(str_of(query->dialect), &cron.dialect, &err) != RC_OK)
        return false;
    if (query->dst && !parse_dst(str_of(query->dst), &def.dst))
        return false;
    def.cron = &cron;
    def.cron_count = 1;
    def.zone = str_of(query->zone);
    return spec_compile(&def, STR(""), &source, arena, ret, &err) == RC_OK;
}

int subject_next(const struct subject_query *query, int64_t after_us, int n, int64_t *ret_us)
{
    struct spec_ctx ctx = spec_ctx(after_us);
    struct spec_walk walk;
    struct spec spec;
    struct slot slot;
    int64_t after = after_us;
    int count = 0;

    if (!compile(query, &spec))
        return -1;
    spec_walk_begin(&walk, &spec, &ctx, after_us);
    while (count < n && spec_walk_next(&walk, &slot)) {
        struct slot alone;

        /* The walk and the single search must agree; a difference gives a wrong slot. */
        if (!spec_next(&spec, &ctx, after, &alone) || alone.at != slot.at)
            slot.at = 0;
        after = slot.at;
        ret_us[count++] = slot.at;
    }
    return count;
}

int subject_prev(const struct subject_query *query, int64_t before_us, int n, int64_t *ret_us)
{
    struct spec_ctx ctx = spec_ctx(INSTANT_MIN);
    struct spec spec;
    struct slot slot;
    int count = 0;

    if (!compile(query, &spec))
        return -1;
    while (count < n && spec_prev(&spec, &ctx, before_us, &slot)) {
        before_us = slot.at;
        ret_us[count++] = slot.at;
    }
    return count;
}

int64_t subject_count(const struct subject_query *query, int64_t from_us, int64_t to_us)
{
    struct spec_ctx ctx = spec_ctx(from_us);
    struct spec spec;

    if (!compile(query, &spec))
        return -1;
    return spec_count(&spec, &ctx, from_us, to_us);
}

int subject_offset(const char *zone, int64_t utc_s, int32_t *ret)
{
    struct err err;
    const struct tz *tz = zoneinfo_find(zones, str_of(zone), &err);

    if (!tz)
        return -1;
    *ret = tz_offset(tz, utc_s);
    return 0;
}
