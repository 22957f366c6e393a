/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Filters, counts and selects rows in one pass.
 */
#include "api/catalogue/catalogue_query.h"

#include <string.h>

#include "api/catalogue/catalogue_facets.h"
#include "api/catalogue/catalogue_select.h"
#include "api/catalogue/catalogue_words.h"
#include "base/must.h"

#define UNKNOWN_WORD UINT32_MAX /* no schedule has it */

struct pass {
    const struct catalogue *catalogue;
    const struct catalogue_query *query;
    uint32_t queue, zone, label; /* words of the filter; WORD_NONE: any */
    struct catalogue_select select;
    struct catalogue_candidate after;
    struct catalogue_counter *counter; /* NULL: no facets are wanted */
    int64_t total;
};

enum catalogue_health catalogue_health(const struct catalogue_row *row, instant now)
{
    if (row->status == STATUS_CLOSED)
        return HEALTH_CLOSED;
    if (row->failures > 0)
        return HEALTH_FAILING;
    if (row->late_at <= now)
        return HEALTH_LATE;
    return row->status == STATUS_PAUSED ? HEALTH_PAUSED : HEALTH_OK;
}

static uint32_t find_word(const struct pass *p, enum catalogue_kind kind, struct str name,
                          struct str value)
{
    uint32_t word;

    if (name.len == 0)
        return WORD_NONE;
    word = catalogue_words_find(catalogue_words_of(p->catalogue), kind, name, value);
    return word == WORD_NONE ? UNKNOWN_WORD : word;
}

static bool has_label(const struct catalogue_row *row, uint32_t word)
{
    const uint32_t *labels = catalogue_labels(row);

    for (int i = 0; i < row->label_words; i++)
        if (labels[i] == word)
            return true;
    return false;
}

static bool has_text(const struct catalogue_filter *f, const struct catalogue_row *row)
{
    struct str name;

    if (f->prefix.len == 0 && f->search.len == 0)
        return true;
    name = catalogue_name(row);
    return str_starts(name, f->prefix) &&
           (f->search.len == 0 || str_contains_nocase(name, f->search) ||
            str_contains_nocase(catalogue_description(row), f->search));
}

static bool is_in(uint32_t mask, int bit)
{
    return mask == 0 || (mask & UINT32_C(1) << bit) != 0;
}

/* The parts of the filter that do not match, as bits of enum catalogue_facet. */
static uint32_t find_mismatches(const struct pass *p, const struct catalogue_row *row,
                                enum catalogue_health health)
{
    const struct catalogue_filter *f = &p->query->filter;
    uint32_t bits = 0;

    if (!is_in(f->statuses, row->status))
        bits |= 1 << FACET_STATUS;
    if (!is_in(f->healths, (int)health))
        bits |= 1 << FACET_HEALTH;
    if (!is_in(f->outcomes, row->outcome))
        bits |= 1 << FACET_OUTCOME;
    if (!is_in(f->actions, row->action))
        bits |= 1 << FACET_ACTION;
    if (p->queue != WORD_NONE && row->queue != p->queue)
        bits |= 1 << FACET_QUEUE;
    if (p->zone != WORD_NONE && row->zone != p->zone)
        bits |= 1 << FACET_ZONE;
    if (p->label != WORD_NONE && !has_label(row, p->label))
        bits |= 1 << FACET_LABEL;
    return bits;
}

/* The first bytes as a number in the same order; ties are decided by the whole names. */
static int64_t name_key(struct str name)
{
    uint64_t key = 0;

    for (size_t i = 0; i < sizeof key; i++)
        key = key << 8 | (i < name.len ? (unsigned char)name.ptr[i] : 0);
    return (int64_t)(key ^ (uint64_t)INT64_MIN);
}

static int64_t sort_value(const struct catalogue_row *row, enum catalogue_sort sort)
{
    switch (sort) {
    case SORT_NEXT:
        return row->next_at;
    case SORT_LAST:
        return row->last_start;
    case SORT_OUTCOME:
        return row->outcome;
    case SORT_FAILURES:
        return row->failures;
    case SORT_LATENESS:
        return row->lateness;
    case SORT_NAME:
    case SORT_COUNT:
        break;
    }
    return 0;
}

/* ~ reverses the order of numbers without an overflow. */
static struct catalogue_candidate make_candidate(const struct catalogue_query *q,
                                                 const struct catalogue_position *position)
{
    int64_t key = position->value;
    struct str name = {NULL, 0};

    if (q->sort == SORT_NAME) {
        key = name_key(position->name);
        name = position->name;
    }
    return (struct catalogue_candidate){
        .key = q->is_descending ? ~key : key,
        .name = name,
        .id = q->is_descending ? ~position->id : position->id,
        .is_descending = q->is_descending,
    };
}

static void take_row(struct pass *p, const struct catalogue_row *row)
{
    const struct catalogue_query *q = p->query;
    struct catalogue_position position = {.id = row->id};
    struct catalogue_candidate candidate;

    p->total++;
    if (q->sort == SORT_NAME)
        position.name = catalogue_name(row);
    else
        position.value = sort_value(row, q->sort);
    candidate = make_candidate(q, &position);
    if (!q->has_after || catalogue_select_compare(&candidate, &p->after) > 0)
        catalogue_select_add(&p->select, &candidate);
}

static void check_row(struct pass *p, const struct catalogue_row *row)
{
    enum catalogue_health health = catalogue_health(row, p->query->now);
    uint32_t mismatches = find_mismatches(p, row, health);
    bool is_counted = p->counter && (mismatches & (mismatches - 1)) == 0;

    if ((mismatches != 0 && !is_counted) || !has_text(&p->query->filter, row))
        return;
    if (mismatches == 0)
        take_row(p, row);
    if (is_counted)
        catalogue_facets_count(p->counter, row, health, mismatches);
}

/* Names are copied, because the catalogue may change after the query. */
static void store_page(struct pass *p, struct arena *arena, struct catalogue_page *ret)
{
    const struct catalogue_query *q = p->query;

    catalogue_select_end(&p->select);
    ret->has_more = p->select.count > q->limit;
    ret->count = ret->has_more ? q->limit : p->select.count;
    ret->at = arena_array(arena, (size_t)ret->count, sizeof *ret->at);
    for (int i = 0; i < ret->count; i++) {
        const struct catalogue_candidate *c = &p->select.at[i];

        ret->at[i] = (struct catalogue_position){
            .value = q->is_descending ? ~c->key : c->key,
            .name = arena_str(arena, c->name),
            .id = q->is_descending ? ~c->id : c->id,
        };
    }
    ret->total = p->total;
}

void catalogue_query(const struct catalogue *catalogue, const struct catalogue_query *query,
                     struct arena *arena, struct catalogue_page *ret)
{
    const struct catalogue_filter *f = &query->filter;
    struct pass p = {.catalogue = catalogue, .query = query};
    uint32_t rows = catalogue_rows(catalogue);

    must(query->limit > 0);
    p.queue = find_word(&p, WORD_QUEUE, f->queue, (struct str){NULL, 0});
    p.zone = find_word(&p, WORD_ZONE, f->zone, (struct str){NULL, 0});
    p.label = find_word(&p, f->has_value ? WORD_LABEL_VALUE : WORD_LABEL, f->label, f->value);
    p.select = catalogue_select_begin(query->limit + 1, arena);
    if (query->has_after)
        p.after = make_candidate(query, &query->after);
    if (query->wants_facets)
        p.counter = catalogue_facets_begin(catalogue_words_of(catalogue), arena);
    for (uint32_t i = 0; i < rows; i++) {
        const struct catalogue_row *row = catalogue_row_at(catalogue, i);

        if (row->id != 0 && row->namespace == f->namespace)
            check_row(&p, row);
    }
    *ret = (struct catalogue_page){.is_loaded = true};
    store_page(&p, arena, ret);
    if (p.counter)
        ret->facets = catalogue_facets_end(p.counter, arena);
}
