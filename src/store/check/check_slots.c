/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the accounts of a schedule with its spec.
 */
#include "store/check/check_slots.h"

#include <stdlib.h>

static int by_first(const void *a, const void *b)
{
    const struct check_account *x = a, *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

static bool set_fault(struct check_fault *ret, instant slot, const char *text)
{
    *ret = (struct check_fault){slot, text};
    return false;
}

/* Each account must be a valid range and must not overlap another or pass the mark. */
static bool are_disjoint(const struct check_case *c, struct check_fault *ret)
{
    for (int i = 0; i < c->count; i++) {
        const struct check_account *a = &c->accounts[i];

        if (a->count < 1 || a->last < a->first || (a->count == 1) != (a->first == a->last))
            return set_fault(ret, a->first, "begins an invalid ledger range");
        if (i > 0 && a[-1].last >= a->first)
            return set_fault(ret, a->first, "has two accounts");
        if (a->last > c->cursor->mark)
            return set_fault(ret, a->last, "has an account, but lies after the cursor's mark");
    }
    return true;
}

/*
 * The entry "now" of a new schedule is a slot at its creation, in whole milliseconds; that slot
 * may have no account.
 */
static bool is_of_creation(const struct check_case *c, instant slot)
{
    return slot <= c->plan->created + SPAN_MS;
}

/* No slot may lie between `at` and the account, and the account must begin at a slot. */
static bool begins_at_slot(const struct check_case *c, instant at,
                           const struct check_account *a, struct check_fault *ret)
{
    struct slot slot;

    while (spec_next(&c->plan->spec, c->ctx, at, &slot) && slot.at < a->first) {
        if (!c->allows_gaps && !is_of_creation(c, slot.at))
            return set_fault(ret, slot.at, "has no account");
        at = c->allows_gaps ? a->first - 1 : slot.at;
    }
    if (!spec_next(&c->plan->spec, c->ctx, a->first - 1, &slot) || slot.at != a->first)
        return set_fault(ret, a->first, "has an account, but is not a slot of the schedule");
    return true;
}

static bool ends_at_slot(const struct check_case *c, const struct check_account *a,
                         struct check_fault *ret)
{
    struct slot slot;

    if (a->count == 1)
        return true;
    if (!spec_prev(&c->plan->spec, c->ctx, a->last + 1, &slot) || slot.at != a->last)
        return set_fault(ret, a->last,
                         "ends a ledger range, but is not a slot of the schedule");
    if (spec_count(&c->plan->spec, c->ctx, a->first - 1, a->last) != a->count)
        return set_fault(ret, a->first, "begins a ledger range with a wrong count");
    return true;
}

/* If another version of the schedule began the range, only its end can be checked. */
static bool is_of_this_version(const struct check_case *c, const struct check_account *a)
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
        if (is_of_this_version(c, a) &&
            (!begins_at_slot(c, at, a, ret) || !ends_at_slot(c, a, ret)))
            return false;
        at = a->last;
    }
    while (!c->allows_gaps && spec_next(&c->plan->spec, c->ctx, at, &slot) &&
           slot.at <= c->cursor->mark) {
        if (!is_of_creation(c, slot.at))
            return set_fault(ret, slot.at,
                             "has no account, and the cursor's mark has passed it");
        at = slot.at;
    }
    return true;
}

/* The count of a range also includes picks, which need not be in the grid. */
static bool covers_grid(const struct check_case *c, const struct spec_ctx *ctx,
                        const struct check_account *a, struct check_fault *ret)
{
    if (a->count < spec_count(&c->plan->spec, ctx, a->first - 1, a->last))
        return set_fault(ret, a->first, "begins a ledger range with a wrong count");
    return true;
}

/* Every grid time of a governed schedule up to the mark has an account [P-33]. */
static bool has_whole_grid(const struct check_case *c, struct check_fault *ret)
{
    struct spec_ctx ctx = plan_grid_ctx(c->ctx);
    instant at = c->from;
    struct slot slot;
    int i = 0;

    while (spec_next(&c->plan->spec, &ctx, at, &slot) && slot.at <= c->cursor->mark) {
        while (i < c->count && c->accounts[i].last < slot.at)
            i++;
        at = slot.at;
        if (i < c->count && c->accounts[i].first <= slot.at) {
            at = c->accounts[i].last;
            if (is_of_this_version(c, &c->accounts[i]) &&
                !covers_grid(c, &ctx, &c->accounts[i], ret))
                return false;
        } else if (!c->allows_gaps && !is_of_creation(c, slot.at)) {
            return set_fault(ret, slot.at,
                             "has no account, and the cursor's mark has passed it");
        }
    }
    return true;
}

bool check_slots(const struct check_case *c, struct check_fault *ret)
{
    if (c->count > 1)
        qsort(c->accounts, (size_t)c->count, sizeof *c->accounts, by_first);
    if (!are_disjoint(c, ret))
        return false;
    if (c->from == INSTANT_NEVER)
        return true;
    return c->plan->is_governed ? has_whole_grid(c, ret) : are_complete(c, ret);
}
