/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as a packed spec.
 *
 * An accepted spec has only one packed form, so it packs to the same bytes again; and it is
 * sound: searching forward, searching backward and counting agree.
 */
#include <string.h>

#include "base/must.h"
#include "core/spec/spec_pack.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

enum {
    SEARCHED_MAX = 4, /* entries and exclusions; more only take time */
    SLOTS = 3,
    NEAR_DAYS = 8,
};

static const instant created = INT64_C(1709985600000000); /* 2024-03-09T12:00:00Z */

static char again[SPEC_PACKED_MAX + 1];

/* Only zones with a fixed offset: core/time/tz.h has its own fuzz target. */
static const struct tz *find_zone(void *arena, struct str name, struct err *err)
{
    struct tz *tz = arena_take(arena, TZ_FIXED_BYTES);

    return tz_fixed(name, tz, TZ_FIXED_BYTES, err) == RC_OK ? tz : NULL;
}

static void check_form(const struct spec *spec, const uint8_t *bytes, size_t len)
{
    struct buf out = BUF(again);

    spec_pack(spec, &out);
    must(!out.cut && out.len == len && memcmp(again, bytes, len) == 0);
}

/* The spec limited to some days around `t`, so that every search is short. */
static struct spec near(const struct spec *spec, instant t)
{
    struct spec held = *spec;

    held.start = held.start < t - NEAR_DAYS * SPAN_DAY ? t - NEAR_DAYS * SPAN_DAY : held.start;
    held.end = held.end > t + NEAR_DAYS * SPAN_DAY ? t + NEAR_DAYS * SPAN_DAY : held.end;
    return held;
}

/* Finds slots after `after`; the backward search finds the same ones. */
static void check_slots(const struct spec *whole, const struct spec_ctx *ctx, instant after)
{
    const struct spec held = near(whole, after), *spec = &held;
    struct slot found[SLOTS], back;
    int count = 0;

    for (; count < SLOTS && spec_next(spec, ctx, after, &found[count]); count++) {
        struct slot *slot = &found[count];

        must(slot->at > after && slot->at <= INSTANT_MAX && slot->at % SPAN_MS == 0);
        must(slot->due >= slot->at && slot->due - slot->at <= spec->jitter);
        must(slot->entry >= 0 && slot->entry < spec->entry_count + spec->at_count);
        after = slot->at;
    }
    for (int i = count - 1; i > 0; i--) {
        must(spec_prev(spec, ctx, found[i].at, &back));
        must(back.at == found[i - 1].at);
    }
    if (count > 0 && spec_prev(spec, ctx, found[0].at, &back))
        must(back.at < found[0].at);
    if (count > 0 && found[count - 1].at - found[0].at <= SPAN_DAY)
        must(spec_count(spec, ctx, found[0].at, found[count - 1].at) == count - 1);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct arena *arena = arena_new((size_t)8 << 20);
    const struct zone_source zones = {find_zone, arena};
    struct spec_ctx ctx = spec_ctx(created);
    struct spec spec;
    struct err err;

    if (spec_unpack(bytes, len, arena, &spec, &err) != RC_OK) {
        must(err.rc == RC_CORRUPT && err.text[0] != '\0');
        must(err.at >= 0 && (size_t)err.at <= len);
    } else {
        check_form(&spec, bytes, len);
        if (spec.entry_count + spec.not_cron_count <= SEARCHED_MAX &&
            spec_bind(&spec, &zones, &err) == RC_OK) {
            check_slots(&spec, &ctx, created);
            check_slots(&spec, &ctx, INSTANT_MIN);
            check_slots(&spec, &ctx, INSTANT_MAX - 7 * SPAN_DAY);
        }
    }
    arena_free(arena);
    return 0;
}
