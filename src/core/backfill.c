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

bool backfill_wants(const struct account *account, const struct backfill_known *known)
{
    if (account->outcome == OUTCOME_SLOT_CANCELLED && account->reason == REASON_USER)
        return known->with_cancelled;
    if (account->outcome == OUTCOME_SKIPPED && account->reason != REASON_OVERLAP)
        return known->with_governor; /* the only other reason to skip a slot */
    return true;
}

static bool is_taken(const struct backfill_known *known, instant at)
{
    int low = 0, high = known->taken_count;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (known->taken[middle] < at)
            low = middle + 1;
        else
            high = middle;
    }
    return low < known->taken_count && known->taken[low] == at;
}

/* A search over the accounts; `mark` is where it stopped, `until` where it has to stop. */
struct search {
    const struct plan *plan;
    const struct spec_ctx *ctx;
    const struct backfill_known *known;
    struct due_slot *slots;
    int count, max;
    instant mark, until;
};

/* Adds the slots in [first, last] that nobody has started; false when there is no room left. */
static bool add_missed(struct search *s, instant first, instant last)
{
    struct spec_walk walk;
    struct slot slot;

    if (first <= s->mark)
        first = s->mark + 1;
    if (last > s->until)
        last = s->until;
    if (first > last)
        return true;
    spec_walk_begin(&walk, &s->plan->spec, s->ctx, first - 1);
    while (spec_walk_next(&walk, &slot) && slot.at <= last) {
        if (is_taken(s->known, slot.at))
            continue;
        if (s->count == s->max)
            return false;
        must(slot.at > s->mark);
        s->slots[s->count++] = (struct due_slot){.at = slot.at, .due = slot.due};
        s->mark = slot.at;
    }
    return true;
}

/*
 * No earlier slot was started automatically.  The slot "now" is the creation in whole
 * milliseconds, so that it may be before the creation.
 */
static instant first_automatic(const struct plan *plan, instant created)
{
    const struct spec *spec = &plan->spec;
    bool has_now = spec->at_count > 0 && spec->at[0].at == INSTANT_NONE;

    return has_now ? created - created % SPAN_MS : created;
}

int backfill_missed(const struct plan *plan, const struct spec_ctx *ctx,
                    const struct backfill_part *part, const struct backfill_known *known,
                    struct due_slot *slots, instant *ret_mark)
{
    instant until = known->until < part->until ? known->until : part->until;
    struct search s = {plan, ctx, known, slots, 0, part->max, part->after, until};
    instant first = first_automatic(plan, known->created);
    bool has_room = add_missed(&s, part->after + 1, first - 1);

    for (int i = 0; has_room && i < known->account_count; i++) {
        const struct account *a = &known->accounts[i];

        must(i == 0 || a->first > known->accounts[i - 1].last);
        if (a->first > until)
            break;
        if (backfill_wants(a, known))
            has_room = add_missed(&s, a->first, a->last);
    }
    if (has_room && until > s.mark)
        s.mark = until;
    *ret_mark = s.mark;
    return s.count;
}
