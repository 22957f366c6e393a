/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Collects twice as many candidates as are wanted, then drops the later half: each candidate is
 * moved a constant number of times on average, in any order.
 */
#include "api/catalogue/catalogue_select.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"

enum { ROOM_MIN = 256 }; /* smaller halves would be dropped too often */

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_names(struct str a, struct str b)
{
    size_t len = a.len < b.len ? a.len : b.len;
    int order = len == 0 ? 0 : memcmp(a.ptr, b.ptr, len);

    return order != 0 ? order : compare_numbers((int64_t)a.len, (int64_t)b.len);
}

int catalogue_select_compare(const struct catalogue_candidate *a,
                             const struct catalogue_candidate *b)
{
    int order = compare_numbers(a->key, b->key);

    if (order == 0) {
        order = compare_names(a->name, b->name);
        if (a->is_descending)
            order = -order;
    }
    return order == 0 ? compare_numbers(a->id, b->id) : order;
}

struct catalogue_select catalogue_select_begin(int most, struct arena *arena)
{
    struct catalogue_select select = {.most = most, .room = 2 * most};

    must(most > 0);
    if (select.room < ROOM_MIN)
        select.room = ROOM_MIN;
    select.at = arena_array_raw(arena, (size_t)select.room, sizeof *select.at);
    return select;
}

static void swap_candidates(struct catalogue_candidate *a, struct catalogue_candidate *b)
{
    struct catalogue_candidate kept = *a;

    *a = *b;
    *b = kept;
}

/* The one in the middle of three, so that sorted input is not the worst case. */
static struct catalogue_candidate pick_pivot(const struct catalogue_candidate *at, int low,
                                             int high)
{
    const struct catalogue_candidate *a = &at[low], *b = &at[low + (high - low) / 2],
                                     *c = &at[high];

    if (catalogue_select_compare(a, b) > 0) {
        const struct catalogue_candidate *kept = a;

        a = b;
        b = kept;
    }
    if (catalogue_select_compare(b, c) <= 0)
        return *b;
    return catalogue_select_compare(a, c) > 0 ? *a : *c;
}

/* Moves the first `most` of all to the front, the last of them to the end of that part. */
static void cut_candidates(struct catalogue_select *select)
{
    struct catalogue_candidate *at = select->at;
    int low = 0, high = select->count - 1, last = select->most - 1;

    while (low < high) {
        struct catalogue_candidate pivot = pick_pivot(at, low, high);
        int i = low, j = high;

        while (i <= j) {
            while (catalogue_select_compare(&at[i], &pivot) < 0)
                i++;
            while (catalogue_select_compare(&at[j], &pivot) > 0)
                j--;
            if (i <= j)
                swap_candidates(&at[i++], &at[j--]);
        }
        if (last <= j)
            high = j;
        else if (last >= i)
            low = i;
        else
            break;
    }
    select->count = select->most;
    select->bound = at[last];
    select->is_bounded = true;
}

void catalogue_select_add(struct catalogue_select *select,
                          const struct catalogue_candidate *candidate)
{
    if (select->is_bounded && catalogue_select_compare(candidate, &select->bound) > 0)
        return;
    select->at[select->count++] = *candidate;
    if (select->count == select->room)
        cut_candidates(select);
}

static int compare_any(const void *a, const void *b)
{
    return catalogue_select_compare(a, b);
}

void catalogue_select_end(struct catalogue_select *select)
{
    if (select->count > select->most)
        cut_candidates(select);
    qsort(select->at, (size_t)select->count, sizeof *select->at, compare_any);
}
