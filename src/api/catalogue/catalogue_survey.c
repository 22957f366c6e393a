/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts and selects in one pass over the catalogue.
 */
#include "api/catalogue/catalogue_survey.h"

#include "api/catalogue/catalogue_query.h"
#include "api/catalogue/catalogue_select.h"

enum { TROUBLE_AT = 60 }; /* bits of a key after the trouble: room for any instant */

static enum catalogue_trouble trouble_of(const struct catalogue_row *row,
                                         enum catalogue_health health)
{
    if (row->status == STATUS_CLOSED)
        return TROUBLE_COUNT;
    if (row->flags & CATALOGUE_QUARANTINED)
        return TROUBLE_QUARANTINED;
    if (row->status == STATUS_PAUSED)
        return row->failures > 0 ? TROUBLE_PAUSED : TROUBLE_COUNT;
    if (health == HEALTH_LATE)
        return TROUBLE_LATE;
    if (row->failures > 0)
        return row->failures >= FAILING_FROM ? TROUBLE_FAILING : TROUBLE_FAILED;
    return row->flags & CATALOGUE_MISSED ? TROUBLE_MISSED : TROUBLE_COUNT;
}

/* The lowest key is the worst: overdue for longest, or with the most failures. */
static int64_t key_of_trouble(const struct catalogue_row *row, enum catalogue_trouble trouble)
{
    int64_t order = trouble == TROUBLE_LATE ? row->late_at
                                            : (int64_t)UINT32_MAX - (int64_t)row->failures;

    return ((int64_t)trouble << TROUBLE_AT) + (order > 0 ? order : 0);
}

static void count_row(const struct catalogue_row *row, instant now,
                      struct catalogue_select *select, struct catalogue_survey *ret)
{
    enum catalogue_health health = catalogue_health(row, now);
    enum catalogue_trouble trouble = trouble_of(row, health);
    struct catalogue_candidate candidate = {.id = row->id};

    ret->total++;
    ret->paused += row->status == STATUS_PAUSED;
    ret->late += health == HEALTH_LATE;
    ret->quarantined += (row->flags & CATALOGUE_QUARANTINED) != 0;
    ret->due_soon += row->next_at < instant_after(now, SPAN_H);
    if (trouble == TROUBLE_COUNT)
        return;
    ret->troubled++;
    candidate.key = key_of_trouble(row, trouble);
    catalogue_select_add(select, &candidate);
}

void catalogue_survey(const struct catalogue *catalogue, int64_t namespace, instant now,
                      struct arena *arena, struct catalogue_survey *ret)
{
    struct catalogue_select select = catalogue_select_begin(SURVEY_TROUBLED, arena);
    uint32_t rows = catalogue_rows(catalogue);

    *ret = (struct catalogue_survey){.total = 0};
    for (uint32_t i = 0; i < rows; i++) {
        const struct catalogue_row *row = catalogue_row_at(catalogue, i);

        if (row->id != 0 && row->namespace == namespace)
            count_row(row, now, &select, ret);
    }
    catalogue_select_end(&select);
    for (int i = 0; i < select.count; i++)
        ret->worst[ret->worst_count++] = (struct catalogue_troubled){
            .id = select.at[i].id,
            .name = arena_str(arena,
                              catalogue_name(catalogue_find(catalogue, select.at[i].id))),
            .trouble = (enum catalogue_trouble)(select.at[i].key >> TROUBLE_AT),
        };
}
