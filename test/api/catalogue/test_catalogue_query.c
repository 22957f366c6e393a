/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares the catalogue with a list that is searched, sorted and counted by simple loops,
 * after random changes; and checks its memory.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/catalogue/catalogue_query.h"
#include "base/prng.h"

enum {
    MODEL_MAX = 2000,
    STEPS = 6000,
    QUERIES = 300,
    TEXT_MAX = 40,
    ARENA_MAX = 64 << 20,
    MANY = 100000,
};

#define NOW (1000 * SPAN_S)

/* A schedule of the model, with its texts. */
struct model_row {
    int64_t id;
    struct catalogue_entry entry;
    char name[TEXT_MAX], about[TEXT_MAX], queue[TEXT_MAX], zone[TEXT_MAX];
    char values[2][TEXT_MAX];
    struct catalogue_label labels[2];
};

struct model {
    struct model_row rows[MODEL_MAX];
    int count;
    int64_t last_id;
    struct prng rng;
    struct catalogue *catalogue;
};

static int roll(struct model *m, int sides)
{
    return (int)(prng_next(&m->rng) % (uint64_t)sides);
}

/* Few values, so that many are equal; sometimes none. */
static instant roll_time(struct model *m, instant none)
{
    return roll(m, 4) == 0 ? none : NOW + (roll(m, 40) - 20) * SPAN_S;
}

static void roll_state(struct model *m, struct catalogue_entry *e)
{
    e->next_at = roll_time(m, INSTANT_NEVER);
    e->last_start = roll_time(m, INSTANT_NONE);
    e->late_at = roll_time(m, INSTANT_NEVER);
    e->lateness = roll(m, 10) * SPAN_S;
    e->failures = roll(m, 3) == 0 ? roll(m, 5) : 0;
    e->status = (uint8_t)roll(m, STATUS_COUNT);
    e->outcome = (uint8_t)(roll(m, 3) == 0 ? OUTCOME_NONE : OUTCOME_SUCCEEDED + roll(m, 6));
}

static void roll_texts(struct model *m, struct model_row *row)
{
    struct catalogue_entry *e = &row->entry;

    snprintf(row->name, sizeof row->name, "%s%d-%d", roll(m, 2) ? "Nightly-" : "a", roll(m, 30),
             (int)row->id);
    snprintf(row->about, sizeof row->about, "about %d", roll(m, 50));
    snprintf(row->queue, sizeof row->queue, "queue%d", roll(m, 5));
    snprintf(row->zone, sizeof row->zone, "Zone/%d", roll(m, 3));
    e->has_texts = true;
    e->version++;
    e->namespace = 1 + roll(m, 2);
    e->action = (uint8_t)roll(m, CATALOGUE_ACTIONS);
    e->name = str_of(row->name);
    e->description = str_of(row->about);
    e->queue = roll(m, 3) == 0 ? (struct str){NULL, 0} : str_of(row->queue);
    e->zone = str_of(row->zone);
    e->labels = row->labels;
    e->label_count = roll(m, 3);
    for (int i = 0; i < e->label_count; i++) {
        snprintf(row->values[i], sizeof row->values[i], "v%d", roll(m, 4));
        row->labels[i] = (struct catalogue_label){i == 0 ? STR("team") : STR("tier"),
                                                  str_of(row->values[i])};
    }
}

static struct catalogue_entry without_texts(const struct catalogue_entry *e)
{
    return (struct catalogue_entry){.id = e->id,
                                    .version = e->version,
                                    .next_at = e->next_at,
                                    .last_start = e->last_start,
                                    .late_at = e->late_at,
                                    .lateness = e->lateness,
                                    .failures = e->failures,
                                    .status = e->status,
                                    .outcome = e->outcome};
}

/* Labels and texts point into the row itself. */
static void move_row(struct model_row *to, const struct model_row *from)
{
    *to = *from;
    to->entry.name = str_of(to->name);
    to->entry.description = str_of(to->about);
    if (to->entry.queue.len > 0)
        to->entry.queue = str_of(to->queue);
    to->entry.zone = str_of(to->zone);
    to->entry.labels = to->labels;
    for (int i = 0; i < to->entry.label_count; i++)
        to->labels[i].value = str_of(to->values[i]);
}

static void change_model(struct model *m)
{
    int what = roll(m, 10);
    struct model_row *row;

    if (m->count == 0 || (what < 5 && m->count < MODEL_MAX)) {
        row = &m->rows[m->count++];
        memset(row, 0, sizeof *row);
        row->id = row->entry.id = m->last_id += 1 + roll(m, 5);
        roll_state(m, &row->entry);
        roll_texts(m, row);
        catalogue_put(m->catalogue, &row->entry);
        return;
    }
    row = &m->rows[roll(m, m->count)];
    if (what < 7) {
        struct catalogue_entry state;

        roll_state(m, &row->entry);
        state = without_texts(&row->entry);
        catalogue_put(m->catalogue, &state);
    } else if (what < 8) {
        roll_texts(m, row);
        catalogue_put(m->catalogue, &row->entry);
    } else {
        catalogue_remove(m->catalogue, row->id);
        if (row != &m->rows[m->count - 1])
            move_row(row, &m->rows[m->count - 1]);
        m->count--;
    }
    catalogue_tidy(m->catalogue);
}

/* ---- the model's answers, written without regard to speed ---- */

static enum catalogue_health health_of(const struct catalogue_entry *e)
{
    if (e->status == STATUS_CLOSED)
        return HEALTH_CLOSED;
    if (e->failures > 0)
        return HEALTH_FAILING;
    if (e->late_at <= NOW)
        return HEALTH_LATE;
    return e->status == STATUS_PAUSED ? HEALTH_PAUSED : HEALTH_OK;
}

static bool has_label(const struct catalogue_entry *e, const struct catalogue_filter *f)
{
    for (int i = 0; i < e->label_count; i++)
        if (str_eq(e->labels[i].name, f->label) &&
            (!f->has_value || str_eq(e->labels[i].value, f->value)))
            return true;
    return false;
}

/* The filter without one of its parts; -1: the whole filter. */
static bool fits(const struct catalogue_entry *e, const struct catalogue_filter *f, int without)
{
    if (e->namespace != f->namespace)
        return false;
    if (without != 0 && f->statuses && !(f->statuses & 1u << e->status))
        return false;
    if (without != 1 && f->healths && !(f->healths & 1u << health_of(e)))
        return false;
    if (without != 2 && f->outcomes && !(f->outcomes & 1u << e->outcome))
        return false;
    if (without != 3 && f->actions && !(f->actions & 1u << e->action))
        return false;
    if (without != 4 && f->queue.len > 0 && !str_eq(f->queue, e->queue))
        return false;
    if (without != 5 && f->zone.len > 0 && !str_eq(f->zone, e->zone))
        return false;
    if (without != 6 && f->label.len > 0 && !has_label(e, f))
        return false;
    if (!str_starts(e->name, f->prefix))
        return false;
    return f->search.len == 0 || str_contains_nocase(e->name, f->search) ||
           str_contains_nocase(e->description, f->search);
}

static const struct catalogue_query *sorted_by; /* for compare_rows() */

static int compare_numbers(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int compare_rows(const void *left, const void *right)
{
    const struct catalogue_entry *a = &(*(const struct model_row *const *)left)->entry;
    const struct catalogue_entry *b = &(*(const struct model_row *const *)right)->entry;
    int order = 0;

    if (sorted_by->sort == SORT_NAME)
        order = strcmp(a->name.ptr, b->name.ptr);
    else if (sorted_by->sort == SORT_NEXT)
        order = compare_numbers(a->next_at, b->next_at);
    else if (sorted_by->sort == SORT_LAST)
        order = compare_numbers(a->last_start, b->last_start);
    else if (sorted_by->sort == SORT_OUTCOME)
        order = compare_numbers(a->outcome, b->outcome);
    else if (sorted_by->sort == SORT_FAILURES)
        order = compare_numbers(a->failures, b->failures);
    else
        order = compare_numbers(a->lateness, b->lateness);
    if (order == 0)
        order = compare_numbers(a->id, b->id);
    return sorted_by->is_descending ? -order : order;
}

static int64_t count_rows(const struct model *m, const struct catalogue_filter *f, int without,
                          bool (*wants)(const struct catalogue_entry *e, const void *arg),
                          const void *arg)
{
    int64_t count = 0;

    for (int i = 0; i < m->count; i++)
        if (fits(&m->rows[i].entry, f, without) && wants(&m->rows[i].entry, arg))
            count++;
    return count;
}

static bool has_status(const struct catalogue_entry *e, const void *arg)
{
    return e->status == *(const int *)arg;
}

static bool has_health(const struct catalogue_entry *e, const void *arg)
{
    return (int)health_of(e) == *(const int *)arg;
}

static bool has_outcome(const struct catalogue_entry *e, const void *arg)
{
    return e->outcome == *(const int *)arg;
}

static bool has_action(const struct catalogue_entry *e, const void *arg)
{
    return e->action == *(const int *)arg;
}

static bool has_queue(const struct catalogue_entry *e, const void *arg)
{
    return str_eq(e->queue, ((const struct catalogue_value *)arg)->name);
}

static bool has_zone(const struct catalogue_entry *e, const void *arg)
{
    return str_eq(e->zone, ((const struct catalogue_value *)arg)->name);
}

static bool has_pair(const struct catalogue_entry *e, const void *arg)
{
    const struct catalogue_value *value = arg;
    struct catalogue_filter f = {
        .label = value->name, .value = value->value, .has_value = true};

    return has_label(e, &f);
}

static void check_values(const struct model *m, const struct catalogue_filter *f, int without,
                         const struct catalogue_values *values,
                         bool (*wants)(const struct catalogue_entry *e, const void *arg))
{
    for (int i = 0; i < values->count; i++) {
        assert_int_equal(values->at[i].count, count_rows(m, f, without, wants, &values->at[i]));
        assert_true(values->at[i].count > 0);
        assert_true(i == 0 || values->at[i].count <= values->at[i - 1].count);
    }
}

static void check_facets(const struct model *m, const struct catalogue_filter *f,
                         const struct catalogue_facets *facets)
{
    for (int i = 0; i < STATUS_COUNT; i++)
        assert_int_equal(facets->status[i], count_rows(m, f, 0, has_status, &i));
    for (int i = 0; i < HEALTH_COUNT; i++)
        assert_int_equal(facets->health[i], count_rows(m, f, 1, has_health, &i));
    for (int i = 0; i < CATALOGUE_OUTCOMES; i++)
        assert_int_equal(facets->outcome[i], count_rows(m, f, 2, has_outcome, &i));
    for (int i = 0; i < CATALOGUE_ACTIONS; i++)
        assert_int_equal(facets->action[i], count_rows(m, f, 3, has_action, &i));
    check_values(m, f, 4, &facets->queue, has_queue);
    check_values(m, f, 5, &facets->zone, has_zone);
    check_values(m, f, 6, &facets->label, has_pair);
}

static struct catalogue_query roll_query(struct model *m)
{
    static const char *const zones[] = {"Zone/0", "Zone/1", "Zone/none"};
    struct catalogue_query q = {.filter.namespace = 1 + roll(m, 3),
                                .sort = (enum catalogue_sort)roll(m, SORT_COUNT),
                                .is_descending = roll(m, 2) == 0,
                                .limit = 1 + roll(m, 200),
                                .wants_facets = roll(m, 2) == 0,
                                .now = NOW};
    struct catalogue_filter *f = &q.filter;

    if (roll(m, 4) == 0)
        f->statuses = 1u << roll(m, STATUS_COUNT);
    if (roll(m, 4) == 0)
        f->healths = 1u << roll(m, HEALTH_COUNT) | 1u << roll(m, HEALTH_COUNT);
    if (roll(m, 4) == 0)
        f->outcomes = 1u << OUTCOME_FAILED | 1u << OUTCOME_NONE;
    if (roll(m, 4) == 0)
        f->actions = 1u << roll(m, CATALOGUE_ACTIONS);
    if (roll(m, 4) == 0)
        f->queue = STR("queue1");
    if (roll(m, 4) == 0)
        f->zone = str_of(zones[roll(m, 3)]);
    if (roll(m, 4) == 0)
        f->label = STR("team");
    f->has_value = f->label.len > 0 && roll(m, 2) == 0;
    if (f->has_value)
        f->value = STR("v2");
    if (roll(m, 4) == 0)
        f->prefix = STR("Night");
    if (roll(m, 4) == 0)
        f->search = STR("LY-1");
    else if (roll(m, 4) == 0)
        f->search = STR("About 1");
    return q;
}

/* All pages of a query, compared with the model's sorted list. */
static void check_query(struct model *m, struct catalogue_query q)
{
    static const struct model_row *expected[MODEL_MAX];
    struct arena *arena = arena_new(ARENA_MAX);
    struct catalogue_page page;
    int count = 0, at = 0;

    for (int i = 0; i < m->count; i++)
        if (fits(&m->rows[i].entry, &q.filter, -1))
            expected[count++] = &m->rows[i];
    sorted_by = &q;
    qsort(expected, (size_t)count, sizeof *expected, compare_rows);
    do {
        catalogue_query(m->catalogue, &q, arena, &page);
        assert_int_equal(page.total, count);
        for (int i = 0; i < page.count; i++)
            assert_int_equal(page.at[i].id, expected[at + i]->id);
        at += page.count;
        assert_int_equal(page.has_more, at < count);
        if (q.wants_facets)
            check_facets(m, &q.filter, page.facets);
        q.has_after = true;
        if (page.count > 0)
            q.after = page.at[page.count - 1];
        q.wants_facets = false;
    } while (page.has_more);
    assert_int_equal(at, count);
    arena_free(arena);
}

static void queries_agree_with_a_simple_list_after_random_changes(void **state)
{
    struct model *m = calloc(1, sizeof *m);

    (void)state;
    assert_non_null(m);
    prng_seed(&m->rng, 20);
    m->catalogue = catalogue_new(7);
    for (int i = 0; i < STEPS; i++) {
        change_model(m);
        if (i % (STEPS / QUERIES) == 0)
            check_query(m, roll_query(m));
    }
    assert_int_equal(catalogue_size(m->catalogue).entries, m->count);
    while (m->count > 0)
        catalogue_remove(m->catalogue, m->rows[--m->count].id);
    check_query(m, roll_query(m));
    catalogue_free(m->catalogue);
    free(m);
}

static void add_many(struct catalogue *c, int from, int to)
{
    char name[TEXT_MAX];

    for (int i = from; i < to; i++) {
        snprintf(name, sizeof name, "schedule-%d", i);
        catalogue_put(c, &(struct catalogue_entry){.id = i + 1,
                                                   .has_texts = true,
                                                   .namespace = 1,
                                                   .name = str_of(name),
                                                   .zone = STR("UTC"),
                                                   .queue = STR("reports")});
    }
}

static void a_row_takes_at_most_128_bytes_with_its_place_in_the_index(void **state)
{
    struct catalogue *c = catalogue_new(7);

    (void)state;
    for (int count = 1024; count <= MANY; count += 1021) {
        int before = (int)catalogue_size(c).entries;

        add_many(c, before, count);
        /* A chunk of rows, and the lists of chunks, are allocated in advance. */
        assert_true(catalogue_size(c).row_bytes <=
                    (size_t)(count + 1024) * CATALOGUE_ROW_MAX + 1024);
    }
    catalogue_free(c);
}

static void the_memory_of_texts_is_used_again(void **state)
{
    struct catalogue *c = catalogue_new(7);
    const char *before;
    size_t first;

    (void)state;
    add_many(c, 0, MANY);
    first = catalogue_size(c).text_bytes;
    before = catalogue_find(c, 3)->text;
    for (int round = 0; round < 20; round++) {
        for (int i = 0; i < MANY; i += 3)
            add_many(c, i, i + 2); /* the third keeps its text */
        for (int i = 0; i < 200; i++)
            catalogue_tidy(c);
        assert_true(catalogue_size(c).text_bytes < 2 * first + (1 << 20));
    }
    assert_ptr_not_equal(catalogue_find(c, 3)->text, before); /* it was moved */
    for (int i = 0; i < MANY; i++) {
        char name[TEXT_MAX];

        snprintf(name, sizeof name, "schedule-%d", i);
        assert_true(str_eq(catalogue_name(catalogue_find(c, i + 1)), str_of(name)));
    }
    catalogue_free(c);
}

static void a_pass_lists_what_it_did_not_put(void **state)
{
    struct catalogue *c = catalogue_new(7);
    int64_t missed[4];
    uint32_t from = 0;

    (void)state;
    add_many(c, 0, 10);
    catalogue_begin_pass(c);
    add_many(c, 0, 4);
    add_many(c, 5, 9);
    assert_int_equal(catalogue_missed(c, &from, missed, 4), 2);
    assert_int_equal(missed[0], 5);
    assert_int_equal(missed[1], 10);
    catalogue_free(c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(queries_agree_with_a_simple_list_after_random_changes),
        cmocka_unit_test(a_row_takes_at_most_128_bytes_with_its_place_in_the_index),
        cmocka_unit_test(the_memory_of_texts_is_used_again),
        cmocka_unit_test(a_pass_lists_what_it_did_not_put),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
