/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ends of runs in the order of their turns: see ends.h.
 */
#include "sim/ends.h"

#include <stdlib.h>

#include "store/key.h"

/* A final row, with the first and the last turn that may have written it. */
struct end {
    const struct history_row *row;
    int64_t node, first, last;
};

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_node_and_clock(const void *a, const void *b)
{
    const struct rec_turn *x = *(const struct rec_turn *const *)a;
    const struct rec_turn *y = *(const struct rec_turn *const *)b;
    int order = compare(x->node, y->node);

    order = order != 0 ? order : compare(x->now, y->now);
    return order != 0 ? order : compare(x->order, y->order);
}

void ends_turns_make(const struct record *record, struct arena *arena, struct ends_turns *ret)
{
    ret->count = record->turn_count;
    ret->turns = arena_array(arena, (size_t)record->turn_count + 1, sizeof(struct rec_turn *));
    for (int i = 0; i < record->turn_count; i++)
        ret->turns[i] = &record->turns[i];
    qsort(ret->turns, (size_t)ret->count, sizeof *ret->turns, by_node_and_clock);
}

/* The first turn that is not before (node, now). */
static int find_turn(const struct ends_turns *turns, int64_t node, instant now)
{
    int low = 0, high = turns->count;

    while (low < high) {
        int mid = low + (high - low) / 2;
        const struct rec_turn *t = turns->turns[mid];

        if (t->node < node || (t->node == node && t->now < now))
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

/* Without a turn of that time, the order is unknown: it may have been any turn. */
static struct end end_of(const struct ends_turns *turns, const struct history_row *row)
{
    struct end end = {row, key_node(row->id), 0, INT64_MAX};

    for (int i = find_turn(turns, end.node, row->ended_at); i < turns->count; i++) {
        const struct rec_turn *t = turns->turns[i];

        if (t->node != end.node || t->now != row->ended_at)
            break;
        if (end.first == 0)
            end.first = t->order;
        end.last = t->order;
    }
    return end;
}

/* Keys of one node ascend in the order in which it makes them. */
static int by_turn(const void *a, const void *b)
{
    const struct end *x = a, *y = b;
    int order = compare(x->first, y->first);

    return order != 0 ? order : compare(x->row->id, y->row->id);
}

static bool is_before(const struct end *a, const struct end *b)
{
    return a->node == b->node ? a->row->id < b->row->id : a->last < b->first;
}

static int kind_of(const struct history_row *row)
{
    switch (row->outcome) {
    case OUTCOME_SUCCEEDED:
        return 1;
    case OUTCOME_FAILED:
    case OUTCOME_TIMED_OUT:
    case OUTCOME_UNKNOWN:
        return 2;
    default:
        return 3;
    }
}

/* When the first attempt of the run began; INSTANT_NONE: it never began. */
static instant begin_of(const struct record *record, const struct history_row *end)
{
    const struct history_row *first = NULL;

    for (int i = 0; i < record->history_count; i++) {
        const struct history_row *h = &record->history[i];

        if (h->schedule == end->schedule && h->slot == end->slot && h->pass == end->pass &&
            h->attempt == 1 && (!first || h->fence < first->fence))
            first = h;
    }
    return first ? first->started_at : INSTANT_NONE;
}

static void read_late(const struct record *record, const struct end *ends, struct ends *ret)
{
    for (int i = ret->count; i-- > 0;) {
        const struct history_row *h = ends[i].row;
        instant begin = h->kind == RUN_SLOT ? begin_of(record, h) : INSTANT_NONE;

        if (begin == INSTANT_NONE)
            continue;
        ret->last_late = begin > h->due ? begin - h->due : 0;
        return;
    }
}

void ends_read(const struct record *record, const struct ends_turns *turns, int64_t schedule,
               struct arena *arena, struct ends *ret)
{
    struct end *ends = arena_array(arena, (size_t)record->history_count + 1, sizeof *ends);

    *ret = (struct ends){.is_ordered = true, .last_ok = INSTANT_NONE, .last_late = -1};
    for (int i = 0; i < record->history_count; i++) {
        const struct history_row *h = &record->history[i];

        if (h->schedule == schedule && h->last && h->kind != RUN_TEST)
            ends[ret->count++] = end_of(turns, h);
    }
    qsort(ends, (size_t)ret->count, sizeof *ends, by_turn);
    for (int i = 0; i < ret->count; i++) {
        int kind = kind_of(ends[i].row);

        ret->is_ordered = ret->is_ordered && (i == 0 || is_before(&ends[i - 1], &ends[i]));
        ret->ends[kind - 1]++;
        ret->recent = ret->recent * 4 + (uint64_t)kind;
        if (kind == 1)
            ret->last_ok = ends[i].row->ended_at;
    }
    read_late(record, ends, ret);
}
