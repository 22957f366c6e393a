/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules that are expected to have few attempts are read together, in groups.  One that has
 * very many, or a group that turns out to have more than its limit, is read by itself.
 */
#include "api/timeline/timeline_past.h"

#include <stdlib.h>

enum {
    GROUPS_MAX = 8,    /* of one flush: with full results, its limit of bytes */
    GROUP_ROWS = 5000, /* of one statement */
    GROUP_EXPECTED = 4000,
    ROW_STEPS = 16,                 /* of struct budget */
    RESULTS_MAX = 2 * DB_BYTES_MAX, /* of arena: the results of one flush */
};

/* Schedules that are read by the same statements. */
struct group {
    int first, count; /* in the list */
    bool is_alone;
    int64_t keys[SLOTS_MANY_KEYS];
    struct db_result open, ended, ranges;
};

struct reading {
    const struct timeline_past_query *query;
    struct timeline_past *list;
    struct arena *results; /* of the last flush */
};

/* What the cursor excludes needs no search. */
static bool may_have_open(const struct cursor *c)
{
    return c->open > 0 || c->waiting > 0;
}

static bool may_have_ended(const struct reading *r, const struct cursor *c)
{
    return c->last_end >= r->query->window->from || may_have_open(c);
}

static bool may_have_ranges(const struct cursor *c)
{
    return c->skipped + c->missed + c->dropped + c->cancelled > 0;
}

typedef bool filter_fn(const struct reading *r, const struct cursor *cursor);

static bool wants_open(const struct reading *r, const struct cursor *c)
{
    (void)r;
    return may_have_open(c);
}

static bool wants_ranges(const struct reading *r, const struct cursor *c)
{
    (void)r;
    return may_have_ranges(c);
}

static bool pick_keys(const struct reading *r, struct group *g, filter_fn *wants,
                      struct slots_many *ret)
{
    ret->schedules = g->keys;
    ret->count = 0;
    for (int i = 0; i < g->count; i++) {
        const struct cursor *cursor = r->list[g->first + i].cursor;

        if (wants(r, cursor))
            g->keys[ret->count++] = cursor->id;
    }
    return ret->count > 0;
}

/* Parameters are copied when a statement is queued, so the statements can share the keys. */
static void send_group(const struct reading *r, struct group *g)
{
    const struct timeline_window *w = r->query->window;
    struct slots_many query = {.from = r->query->has_open ? INSTANT_MIN : w->from,
                               .until = w->to,
                               .limit = g->is_alone ? TIMELINE_OPEN_MAX : GROUP_ROWS / 8};
    enum slots_end end = w->to < r->query->now ? SLOTS_FIRST : SLOTS_LAST;

    g->open = g->ended = g->ranges = (struct db_result){0};
    if (pick_keys(r, g, wants_open, &query))
        slots_many_open(r->query->db, &query, &g->open);
    query.from = w->from;
    query.limit = g->is_alone ? TIMELINE_RANGES_MAX : GROUP_ROWS / 4;
    if (pick_keys(r, g, wants_ranges, &query))
        slots_many_ranges(r->query->db, &query, &g->ranges);
    query.until = instant_after(w->to, r->query->after);
    query.limit = g->is_alone ? TIMELINE_ATTEMPTS_MAX : GROUP_ROWS;
    if (!pick_keys(r, g, may_have_ended, &query))
        return;
    if (g->is_alone)
        slots_many_ended_of(r->query->db, &query, end, &g->ended);
    else
        slots_many_ended(r->query->db, &query, &g->ended);
}

static bool is_full(const struct group *g)
{
    if (g->is_alone)
        return g->open.rows == TIMELINE_OPEN_MAX || g->ranges.rows == TIMELINE_RANGES_MAX ||
               g->ended.rows == TIMELINE_ATTEMPTS_MAX;
    return g->open.rows == GROUP_ROWS / 8 || g->ranges.rows == GROUP_ROWS / 4 ||
           g->ended.rows == GROUP_ROWS;
}

/* ---- results ---- */

/* Rows of a schedule mostly follow each other. */
static struct timeline_past *find_past(const struct reading *r, const struct group *g,
                                       int64_t key, int *last)
{
    if (r->list[g->first + *last].cursor->id == key)
        return &r->list[g->first + *last];
    for (int i = 0; i < g->count; i++)
        if (r->list[g->first + i].cursor->id == key) {
            *last = i;
            return &r->list[g->first + i];
        }
    return NULL; /* a damaged row */
}

static void count_rows(const struct reading *r, const struct group *g)
{
    const struct db_result *results[2] = {&g->open, &g->ended};
    struct timeline_past *past;
    int last = 0;

    for (int k = 0; k < 2; k++)
        for (int i = 0; i < results[k]->rows; i++) {
            past = find_past(r, g, db_int_at(results[k], i, 0), &last);
            if (past)
                past->attempt_count++;
        }
    for (int i = 0; i < g->ranges.rows; i++) {
        past = find_past(r, g, db_int_at(&g->ranges, i, 0), &last);
        if (past)
            past->range_count++;
    }
}

static void reserve(const struct reading *r, const struct group *g)
{
    for (int i = 0; i < g->count; i++) {
        struct timeline_past *past = &r->list[g->first + i];

        past->attempts = arena_array_raw(r->query->arena, (size_t)past->attempt_count,
                                         sizeof *past->attempts);
        past->ranges = arena_array_raw(r->query->arena, (size_t)past->range_count,
                                       sizeof *past->ranges);
        past->attempt_count = past->range_count = 0;
        past->is_cut = is_full(g);
    }
}

static int compare_ranges(const void *a, const void *b)
{
    const struct account *x = a, *y = b;

    return (x->first > y->first) - (x->first < y->first);
}

static void copy_rows(const struct reading *r, const struct group *g)
{
    struct slot_attempt attempt;
    struct account range;
    struct timeline_past *past;
    int last = 0;

    for (int i = 0; i < g->open.rows + g->ended.rows; i++) {
        if (i < g->open.rows)
            slots_many_open_read(&g->open, i, &attempt);
        else
            slots_many_ended_read(&g->ended, i - g->open.rows, &attempt);
        past = find_past(r, g, attempt.schedule, &last);
        if (past && attempt.kind != RUN_TEST)
            past->attempts[past->attempt_count++] = attempt;
    }
    for (int i = 0; i < g->ranges.rows; i++) {
        past = find_past(r, g, slots_many_ranges_read(&g->ranges, i, &range), &last);
        if (past)
            past->ranges[past->range_count++] = range;
    }
    for (int i = 0; i < g->count; i++) {
        past = &r->list[g->first + i];
        if (past->range_count > 1)
            qsort(past->ranges, (size_t)past->range_count, sizeof *past->ranges,
                  compare_ranges);
    }
}

/* ---- groups ---- */

static void take_group(struct reading *r, const struct group *g)
{
    count_rows(r, g);
    reserve(r, g);
    copy_rows(r, g);
}

/* Takes the results of those groups that are not to be read again. */
static enum rc flush_groups(struct reading *r, struct group *groups, int count,
                            struct err *reterr)
{
    int64_t rows = 0;
    enum rc rc;

    arena_reset(r->results);
    for (int i = 0; i < count; i++)
        send_group(r, &groups[i]);
    rc = db_flush(r->query->db, r->results, reterr);
    if (rc != RC_OK)
        return rc;
    for (int i = 0; i < count; i++) {
        rows += groups[i].open.rows + groups[i].ended.rows + groups[i].ranges.rows;
        if (groups[i].is_alone || !is_full(&groups[i]))
            take_group(r, &groups[i]);
    }
    *r->query->rows += rows;
    if (!budget_try(r->query->budget, ROW_STEPS * rows))
        return err_set(reterr, RC_LIMIT, -1, 0, "there are too many runs for a short read");
    return RC_OK;
}

/* Each schedule of a group by itself. */
static enum rc read_alone(struct reading *r, const struct group *from, struct err *reterr)
{
    enum rc rc = RC_OK;

    for (int i = 0; rc == RC_OK && i < from->count; i++) {
        struct group g = {.first = from->first + i, .count = 1, .is_alone = true};

        rc = flush_groups(r, &g, 1, reterr);
    }
    return rc;
}

static enum rc read_groups(struct reading *r, struct group *groups, int count,
                           struct err *reterr)
{
    bool is_again[GROUPS_MAX];
    enum rc rc = flush_groups(r, groups, count, reterr);

    for (int i = 0; rc == RC_OK && i < count; i++)
        is_again[i] = !groups[i].is_alone && is_full(&groups[i]);
    for (int i = 0; rc == RC_OK && i < count; i++)
        if (is_again[i])
            rc = read_alone(r, &groups[i], reterr);
    return rc;
}

/* Makes a group of the next schedules. */
static struct group next_group(const struct reading *r, int first, int count)
{
    struct group g = {.first = first};
    int64_t expected = 0;

    while (g.count < SLOTS_MANY_KEYS && first + g.count < count) {
        expected += r->list[first + g.count].expected;
        if (g.count > 0 && expected > GROUP_EXPECTED)
            break;
        g.count++;
    }
    g.is_alone = g.count == 1 && expected > GROUP_EXPECTED;
    return g;
}

enum rc timeline_past_read(const struct timeline_past_query *query, struct timeline_past *list,
                           int count, struct err *reterr)
{
    struct reading r = {.query = query, .list = list, .results = arena_new(RESULTS_MAX)};
    struct group *groups = arena_array(query->arena, GROUPS_MAX, sizeof *groups);
    enum rc rc = RC_OK;

    for (int done = 0; rc == RC_OK && done < count;) {
        int waiting = 0;

        while (waiting < GROUPS_MAX && done < count) {
            struct group g = next_group(&r, done, count);

            if (g.is_alone && waiting > 0)
                break;
            groups[waiting++] = g;
            done += g.count;
            if (g.is_alone)
                break;
        }
        rc = read_groups(&r, groups, waiting, reterr);
    }
    arena_free(r.results);
    return rc;
}
