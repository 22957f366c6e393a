/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts by group and bucket.  The running attempts of a group are found by a sweep over all
 * starts and ends.
 */
#include "api/timeline/timeline_groups.h"

#include <stdlib.h>
#include <string.h>

/* Of all groups: 16 MB, and as much while the list grows. */
enum { CHANGES_MAX = 1 << 20 };

/* An attempt begins or ends. */
struct change {
    instant at;
    int32_t group;
    int32_t by; /* 1 or -1 */
};

struct group {
    struct str name;
    bool is_other;
    int number;      /* as it was found          */
    int64_t *counts; /* buckets × LOAD_COUNTS    */
    int64_t total;
};

struct timeline_groups {
    struct arena *arena;
    const struct timeline_window *window, *actual;
    instant now;
    struct group list[TIMELINE_GROUPS_MAX + 1]; /* the last one: all others */
    int count, last;
    struct change *changes;
    size_t change_count, change_room;
    bool is_full; /* some attempts have no changes: what runs is unknown */
};

struct timeline_groups *timeline_groups_new(const struct timeline_window *window,
                                            const struct timeline_window *actual, instant now,
                                            struct arena *arena)
{
    struct timeline_groups *g = arena_take(arena, sizeof *g);

    g->arena = arena;
    g->window = window;
    g->actual = actual;
    g->now = now;
    g->list[TIMELINE_GROUPS_MAX] = (struct group){
        .name = STR("\"\""), .is_other = true, .number = TIMELINE_GROUPS_MAX};
    return g;
}

int timeline_groups_find(struct timeline_groups *g, struct str name)
{
    if (g->last < g->count && str_eq(g->list[g->last].name, name))
        return g->last;
    for (int i = 0; i < g->count; i++)
        if (str_eq(g->list[i].name, name))
            return g->last = i;
    if (g->count == TIMELINE_GROUPS_MAX)
        return TIMELINE_GROUPS_MAX;
    g->list[g->count] = (struct group){.name = arena_str(g->arena, name), .number = g->count};
    return g->last = g->count++;
}

static int64_t *counts_of(struct timeline_groups *g, struct group *group, int bucket)
{
    if (!group->counts)
        group->counts = arena_array(g->arena, (size_t)g->window->buckets * LOAD_COUNTS,
                                    sizeof(int64_t));
    return &group->counts[(size_t)bucket * LOAD_COUNTS];
}

static void add_count(struct timeline_groups *g, int group, enum timeline_load what, int bucket,
                      int64_t count)
{
    counts_of(g, &g->list[group], bucket)[what] += count;
    g->list[group].total += count;
}

void timeline_groups_add(struct timeline_groups *g, int group, enum timeline_load what,
                         instant at, int64_t count)
{
    if (timeline_window_has(g->actual, at))
        add_count(g, group, what, timeline_window_bucket(g->window, at), count);
}

struct series_target {
    struct timeline_groups *groups;
    int group;
};

static void add_planned(void *arg, int bucket, int64_t count)
{
    const struct series_target *to = arg;

    add_count(to->groups, to->group, LOAD_PLANNED, bucket, count);
}

void timeline_groups_series(struct timeline_groups *g, int group,
                            const struct timeline_series *series)
{
    struct series_target target = {g, group};

    timeline_series_spread(series, g->window, add_planned, &target);
}

static void add_change(struct timeline_groups *g, instant at, int group, int by)
{
    if (g->change_count == g->change_room) {
        size_t room = g->change_room == 0 ? 1024 : g->change_room * 2;
        struct change *changes = arena_array_raw(g->arena, room, sizeof *changes);

        if (g->change_count > 0)
            memcpy(changes, g->changes, g->change_count * sizeof *changes);
        g->changes = changes;
        g->change_room = room;
    }
    g->changes[g->change_count++] = (struct change){.at = at, .group = group, .by = by};
}

/* What is running now has no end yet. */
static void add_running(struct timeline_groups *g, int group, const struct slot_attempt *a)
{
    instant end = a->is_open ? INSTANT_NEVER : a->run.ended_at;
    bool is_running = !a->is_open || run_is_claimed(a->run.state);

    if (!is_running || a->attempt_at == INSTANT_NONE || end <= a->attempt_at ||
        end <= g->window->from || a->attempt_at >= g->window->to)
        return;
    g->is_full |= g->change_count + 2 > CHANGES_MAX;
    if (g->is_full)
        return;
    add_change(g, a->attempt_at > g->window->from ? a->attempt_at : g->window->from, group, 1);
    if (end < g->window->to)
        add_change(g, end, group, -1);
}

void timeline_groups_attempt(struct timeline_groups *g, int group, const struct slot_attempt *a)
{
    instant start = timeline_start_of(a);

    if (a->pass == 0 && (a->is_open || a->is_last))
        timeline_groups_add(g, group, LOAD_PLANNED, a->run.slot, 1);
    if (start != INSTANT_NONE)
        timeline_groups_add(g, group, LOAD_STARTED, start, 1);
    if (timeline_is_late(a, g->now))
        timeline_groups_add(g, group, LOAD_LATE, a->run.due, 1);
    if (a->is_last && outcome_is_failure(a->run.outcome))
        timeline_groups_add(g, group, LOAD_FAILED, a->run.ended_at, 1);
    add_running(g, group, a);
}

/* ---- the answer ---- */

static int compare_groups(const void *a, const void *b)
{
    const struct group *x = a, *y = b;

    if (x->total != y->total)
        return x->total > y->total ? -1 : 1;
    return x->number - y->number;
}

static int compare_changes(const void *a, const void *b)
{
    const struct change *x = a, *y = b;

    if (x->group != y->group)
        return x->group - y->group;
    if (x->at != y->at)
        return x->at < y->at ? -1 : 1;
    return x->by - y->by; /* an attempt that ends makes room for one that begins */
}

/*
 * Puts the groups that are shown first, and adds the rest to the other one, which gets the
 * place after them.
 */
static void choose_groups(struct timeline_groups *g)
{
    struct group other = g->list[TIMELINE_GROUPS_MAX];
    int32_t place[TIMELINE_GROUPS_MAX + 1];
    int shown;

    if (g->count > 1)
        qsort(g->list, (size_t)g->count, sizeof *g->list, compare_groups);
    shown = g->count < TIMELINE_GROUPS_SHOWN ? g->count : TIMELINE_GROUPS_SHOWN;
    for (int i = shown; i < g->count; i++)
        for (int b = 0; g->list[i].counts && b < g->window->buckets; b++)
            for (int k = 0; k < LOAD_COUNTS; k++)
                counts_of(g, &other, b)[k] += counts_of(g, &g->list[i], b)[k];
    place[TIMELINE_GROUPS_MAX] = shown;
    for (int i = 0; i < g->count; i++)
        place[g->list[i].number] = i < shown ? i : shown;
    for (size_t i = 0; i < g->change_count; i++)
        g->changes[i].group = place[g->changes[i].group];
    if (g->count > shown) {
        g->list[shown] = other;
        g->count = shown + 1;
    }
    if (g->change_count > 1)
        qsort(g->changes, g->change_count, sizeof *g->changes, compare_changes);
}

/* False: a part of the bucket is before the actual window. */
static bool is_counted(const struct timeline_groups *g, instant at)
{
    return g->actual->from == g->window->from || at >= g->actual->from;
}

static void put_count(struct answer *out, const char *name, int64_t count, bool is_known)
{
    if (is_known)
        answer_put_int(out, name, count);
    else
        answer_put_word(out, name, NULL);
}

/* Buckets in which nothing happens are left out. */
static void print_bucket(struct timeline_groups *g, struct group *group, int bucket,
                         int64_t running, struct answer *out)
{
    const int64_t *counts = counts_of(g, group, bucket);
    instant at = timeline_window_start(g->window, bucket);
    bool is_known = is_counted(g, at);
    int64_t sum = running;

    for (int k = 0; k < LOAD_COUNTS; k++)
        sum += counts[k];
    if (sum == 0 && is_known)
        return;
    answer_open(out);
    answer_put_instant(out, "at", at);
    answer_put_int(out, "planned", counts[LOAD_PLANNED]);
    put_count(out, "started", counts[LOAD_STARTED], is_known);
    put_count(out, "running", running, is_known && at <= g->now && !g->is_full);
    put_count(out, "late", counts[LOAD_LATE], is_known);
    put_count(out, "failed", counts[LOAD_FAILED], is_known);
    answer_text(out, "}");
}

/* The sweep over the changes of all groups. */
struct sweep {
    size_t next;
    int64_t running;
};

/* Applies the changes of a group before `end`; returns the most attempts on the way. */
static int64_t advance_sweep(const struct timeline_groups *g, int number, instant end,
                             struct sweep *sweep)
{
    int64_t peak = sweep->running;

    for (; sweep->next < g->change_count; sweep->next++) {
        const struct change *change = &g->changes[sweep->next];

        if (change->group != number || change->at >= end)
            break;
        sweep->running += change->by;
        peak = sweep->running > peak ? sweep->running : peak;
    }
    return peak;
}

static void print_group(struct timeline_groups *g, int number, struct sweep *sweep,
                        struct answer *out)
{
    struct group *group = &g->list[number];

    answer_open(out);
    answer_name(out, "group");
    answer_str(out, group->name.len > 0 ? group->name : STR("null"));
    if (group->is_other)
        answer_put_bool(out, "other", true);
    answer_name(out, "buckets");
    answer_text(out, "[");
    sweep->running = 0;
    for (int bucket = 0; bucket < g->window->buckets; bucket++) {
        instant at = timeline_window_start(g->window, bucket);
        int64_t peak;

        /* An attempt that ends when the bucket begins is not in it. */
        (void)advance_sweep(g, number, at + 1, sweep);
        peak = advance_sweep(g, number, at + g->window->step, sweep);
        print_bucket(g, group, bucket, at <= g->now ? peak : 0, out);
    }
    answer_text(out, "]}");
}

void timeline_groups_print(struct timeline_groups *g, struct answer *out)
{
    struct sweep sweep = {0};

    choose_groups(g);
    answer_text(out, "[");
    for (int i = 0; i < g->count; i++)
        print_group(g, i, &sweep, out);
    answer_text(out, "]");
}
