/* SPDX-License-Identifier: Apache-2.0 */
#include "store/check_slots.h"

#include <stdlib.h>

static int by_first(const void *a, const void *b)
{
    const struct check_account *x = a, *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

static bool fault(struct check_fault *ret, instant slot, const char *text)
{
    *ret = (struct check_fault){slot, text};
    return false;
}

/* By themselves: each is a range, none reaches into another or past the mark. */
static bool are_apart(const struct check_case *c, struct check_fault *ret)
{
    for (int i = 0; i < c->count; i++) {
        const struct check_account *a = &c->accounts[i];

        if (a->count < 1 || a->last < a->first || (a->count == 1) != (a->first == a->last))
            return fault(ret, a->first, "begins a range of the ledger that is none");
        if (i > 0 && a[-1].last >= a->first)
            return fault(ret, a->first, "has two accounts");
        if (a->last > c->cursor->mark)
            return fault(ret, a->last, "has an account, but lies after the cursor's mark");
    }
    return true;
}

/* "now" of a new schedule is a slot of the very moment, in whole milliseconds; else none is. */
static bool is_of_creation(const struct check_case *c, instant slot)
{
    return slot <= c->plan->created + SPAN_MS;
}

/* The slots between `at` and the account have none; it begins with one. */
static bool begins_rightly(const struct check_case *c, instant at,
                           const struct check_account *a, struct check_fault *ret)
{
    struct slot slot;

    while (spec_next(&c->plan->spec, c->ctx, at, &slot) && slot.at < a->first) {
        if (!c->may_lack && !is_of_creation(c, slot.at))
            return fault(ret, slot.at, "has no account");
        at = c->may_lack ? a->first - 1 : slot.at;
    }
    if (!spec_next(&c->plan->spec, c->ctx, a->first - 1, &slot) || slot.at != a->first)
        return fault(ret, a->first, "has an account, but is no time of the schedule");
    return true;
}

static bool ends_rightly(const struct check_case *c, const struct check_account *a,
                         struct check_fault *ret)
{
    struct slot slot;

    if (a->count == 1)
        return true;
    if (!spec_prev(&c->plan->spec, c->ctx, a->last + 1, &slot) || slot.at != a->last)
        return fault(ret, a->last,
                     "ends a range of the ledger, but is no time of the schedule");
    if (spec_count(&c->plan->spec, c->ctx, a->first - 1, a->last) != a->count)
        return fault(ret, a->first, "begins a range of the ledger that counts wrongly");
    return true;
}

/* Of a range that another version of the schedule began only the end can be judged. */
static bool is_whole(const struct check_case *c, const struct check_account *a)
{
    return a->first > c->from;
}

static bool are_complete(const struct check_case *c, struct check_fault *ret)
{
    instant at = c->from;
    struct slot slot;

    for (int i = 0; i < c->count; i++) {
        const struct check_account *a = &c->accounts[i];

        if (a->last <= c->from)
            continue;
        if (is_whole(c, a) && (!begins_rightly(c, at, a, ret) || !ends_rightly(c, a, ret)))
            return false;
        at = a->last;
    }
    while (!c->may_lack && spec_next(&c->plan->spec, c->ctx, at, &slot) &&
           slot.at <= c->cursor->mark) {
        if (!is_of_creation(c, slot.at))
            return fault(ret, slot.at, "has no account, and the cursor's mark has passed it");
        at = slot.at;
    }
    return true;
}

bool check_slots(const struct check_case *c, struct check_fault *ret)
{
    if (c->count > 1)
        qsort(c->accounts, (size_t)c->count, sizeof *c->accounts, by_first);
    return are_apart(c, ret) && (c->from == INSTANT_NEVER || are_complete(c, ret));
}
