/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as a packed plan.
 *
 * An accepted plan has only one packed form, so it packs to the same bytes again, except for
 * the version in the first one; and the engine can use it: every due slot is listed or
 * accounted for exactly once.
 */
#include <string.h>

#include "base/must.h"
#include "core/advance.h"
#include "core/spec/spec_pack.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

enum {
    SEARCHED_MAX = 4, /* entries and exclusions; more only take time     */
    CALLS_MAX = 20,   /* further calls of a plan with many slots are alike */
};

static const instant mark = INT64_C(1709985600000000); /* 2024-03-09T12:00:00Z */

static char again[PLAN_PACKED_MAX + 1];
static struct due_slot slots[ADVANCE_SLOTS_MAX];

/* Only zones with a fixed offset: core/time/tz.h has its own fuzz target. */
static const struct tz *find_zone(void *arena, struct str name, struct err *err)
{
    struct tz *tz = arena_take(arena, TZ_FIXED_BYTES);

    return tz_fixed(name, tz, TZ_FIXED_BYTES, err) == RC_OK ? tz : NULL;
}

static void check_form(const struct plan *plan, const uint8_t *bytes, size_t len)
{
    struct buf out = BUF(again);

    plan_pack(plan, &out);
    must(!out.cut && out.len == len && again[0] == PLAN_PACK_VERSION);
    must(memcmp(again + 1, bytes + 1, len - 1) == 0);
}

static int64_t settled(const struct advance *a)
{
    int64_t count = a->slot_count;

    for (int i = 0; i < a->account_count; i++)
        count += a->accounts[i].count;
    return count;
}

/* The slots that are settled are those between the marks. */
static void check_advance(struct plan *plan, span late)
{
    struct cursor cursor = {.mark = mark,
                            .next_at = mark,
                            .remaining = plan->policies.remaining_runs,
                            .last_slot = INSTANT_NONE,
                            .last_end = INSTANT_NONE};
    const instant exceptions[] = {mark + SPAN_MIN, mark + SPAN_H, mark + SPAN_DAY};
    struct advance a = {.plan = plan,
                        .ctx = advance_ctx(plan, &cursor),
                        .cursor = &cursor,
                        .now = mark + late,
                        .exceptions = exceptions,
                        .exception_count = 3,
                        .slots_max = ADVANCE_SLOTS_MAX,
                        .slots = slots};

    for (int i = 0; i < CALLS_MAX; i++) {
        advance(&a);
        must(a.mark >= cursor.mark && a.next_due >= a.next_at);
        must(settled(&a) == spec_count(&plan->spec, &a.ctx, cursor.mark, a.mark));
        if (settled(&a) == 0)
            break;
        cursor.mark = a.mark;
        cursor.next_at = a.next_at;
    }
}

static void use(struct plan *plan, struct arena *arena)
{
    const struct zone_source zones = {find_zone, arena};
    struct err err;

    if (plan->is_governed || plan->spec.entry_count + plan->spec.not_cron_count > SEARCHED_MAX)
        return;
    if (spec_bind(&plan->spec, &zones, &err) != RC_OK)
        return;
    /* Limits the range, so that every search is short. */
    if (plan->spec.start < mark - 8 * SPAN_DAY)
        plan->spec.start = mark - 8 * SPAN_DAY;
    if (plan->spec.end > mark + 8 * SPAN_DAY)
        plan->spec.end = mark + 8 * SPAN_DAY;
    check_advance(plan, SPAN_MIN);
    check_advance(plan, 2 * SPAN_DAY);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct arena *arena = arena_new((size_t)8 << 20);
    struct plan plan;
    struct err err;

    if (plan_unpack((struct str){(const char *)bytes, len}, arena, &plan, &err) != RC_OK) {
        must(err.rc == RC_CORRUPT && err.text[0] != '\0');
        must(err.at >= 0 && (size_t)err.at <= len);
    } else {
        check_form(&plan, bytes, len);
        use(&plan, arena);
    }
    arena_free(arena);
    return 0;
}
