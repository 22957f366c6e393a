/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The next slots of a backfill, and the size of a batch.
 */
#include "core/backfill.h"

#include "base/must.h"

int backfill_capacity(int limit, int waiting, int free, int reserve, int backfills)
{
    int room = limit / 2 - (waiting > free ? waiting - free : 0) - reserve;

    if (room <= 0)
        return 0;
    return room / (backfills > 1 ? backfills : 1);
}

int backfill_slots(const struct plan *plan, const struct spec_ctx *ctx, instant after,
                   instant until, struct due_slot *slots, int max)
{
    struct spec_walk walk;
    struct slot slot;
    int count = 0;

    spec_walk_begin(&walk, &plan->spec, ctx, after);
    while (count < max && spec_walk_next(&walk, &slot) && slot.at <= until) {
        must(slot.at > (count > 0 ? slots[count - 1].at : after));
        slots[count++] = (struct due_slot){.at = slot.at, .due = slot.due};
    }
    return count;
}
