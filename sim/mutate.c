/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Chooses the row of a mutation, and changes copies of the three tables that have accounts.
 */
#include "sim/mutate.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"

/* A row of the ledger, or a started slot. */
struct target {
    int64_t schedule;
    instant slot;
    int ledger; /* its index; -1: a started slot */
};

/* ---- what must be noticed ---- */

static bool is_plain_world(const struct record *r)
{
    for (int i = 0; i < r->turn_count; i++)
        if (r->turns[i].node != r->turns[0].node)
            return false;
    return !r->clock_stepped && r->turn_count > 0;
}

static bool keeps_all(const struct record *r, const struct policies *p)
{
    return p->retention_count == 0 &&
           (p->retention_age == 0 || p->retention_age > r->end - r->begin);
}

/* Every version keeps all rows; and if there are several, no slot is delayed beyond an edit. */
static bool is_plain_schedule(const struct record *r, int64_t schedule)
{
    int versions = 0;
    bool has_jitter = false;

    for (int i = 0; i < r->command_count; i++) {
        const struct rec_command *c = &r->commands[i];

        if (c->draft < 0 || c->order < 0 || c->reply.schedule != schedule ||
            c->reply.rc != RC_OK)
            continue;
        if (!keeps_all(r, &r->drafts[c->draft].policies))
            return false;
        versions++;
        has_jitter = has_jitter || r->drafts[c->draft].def.jitter > 0;
    }
    return versions == 1 || (versions > 1 && !has_jitter);
}

static int list_targets(const struct record *r, struct target *ret)
{
    int count = 0;

    for (int i = 0; i < r->ledger_count; i++)
        ret[count++] = (struct target){r->ledger[i].schedule, r->ledger[i].account.first, i};
    for (int i = 0; i < r->history_count; i++)
        if (r->history[i].last && r->history[i].kind == RUN_SLOT)
            ret[count++] = (struct target){r->history[i].schedule, r->history[i].slot, -1};
    for (int i = 0; i < r->run_count; i++)
        if (r->runs[i].kind == RUN_SLOT)
            ret[count++] = (struct target){r->runs[i].schedule, r->runs[i].slot, -1};
    return count;
}

static bool choose(const struct record *r, struct prng *prng, struct target *ret)
{
    size_t room = (size_t)(r->ledger_count + r->history_count + r->run_count) + 1;
    struct target *all = calloc(room, sizeof *all);
    int count, plain = 0;

    must(all);
    count = list_targets(r, all);
    for (int i = 0; i < count; i++)
        if (is_plain_schedule(r, all[i].schedule))
            all[plain++] = all[i];
    if (plain > 0)
        *ret = all[prng_below(prng, (uint64_t)plain)];
    free(all);
    return plain > 0;
}

/* ---- the changes ---- */

static void *copy(const void *from, int count, size_t size)
{
    void *to = calloc((size_t)count + 1, size); /* one more row fits */

    must(to);
    if (count > 0)
        memcpy(to, from, (size_t)count * size);
    return to;
}

static void drop_row(void *rows, int *count, int index, size_t size)
{
    char *at = (char *)rows + (size_t)index * size;

    --*count;
    memmove(at, at + size, (size_t)(*count - index) * size);
}

static void double_row(void *rows, int *count, int index, size_t size)
{
    char *at = (char *)rows + (size_t)index * size;

    memmove(at + size, at, (size_t)(*count - index) * size);
    ++*count;
}

static bool is_started_slot(const struct target *t, int64_t schedule, instant slot,
                            int64_t pass)
{
    return schedule == t->schedule && slot == t->slot && pass == 0;
}

static void drop_start(struct record *r, const struct target *t)
{
    for (int i = r->history_count; i-- > 0;)
        if (is_started_slot(t, r->history[i].schedule, r->history[i].slot, r->history[i].pass))
            drop_row(r->history, &r->history_count, i, sizeof *r->history);
    for (int i = r->run_count; i-- > 0;)
        if (is_started_slot(t, r->runs[i].schedule, r->runs[i].slot, r->runs[i].pass))
            drop_row(r->runs, &r->run_count, i, sizeof *r->runs);
}

/* The last attempt, or the open run, is there twice. */
static void double_start(struct record *r, const struct target *t)
{
    for (int i = 0; i < r->run_count; i++)
        if (is_started_slot(t, r->runs[i].schedule, r->runs[i].slot, r->runs[i].pass)) {
            double_row(r->runs, &r->run_count, i, sizeof *r->runs);
            return;
        }
    for (int i = 0; i < r->history_count; i++)
        if (r->history[i].last && is_started_slot(t, r->history[i].schedule, r->history[i].slot,
                                                  r->history[i].pass)) {
            double_row(r->history, &r->history_count, i, sizeof *r->history);
            return;
        }
}

bool mutate(struct record *r, struct prng *prng, struct mutation *ret)
{
    bool is_drop = prng_below(prng, 2) == 0;
    struct target target;

    if (!is_plain_world(r) || !choose(r, prng, &target))
        return false;
    *ret = (struct mutation){
        .schedule = target.schedule,
        .slot = target.slot,
        .ledger = r->ledger,
        .history = r->history,
        .runs = r->runs,
        .ledger_count = r->ledger_count,
        .history_count = r->history_count,
        .run_count = r->run_count,
    };
    r->ledger = copy(r->ledger, r->ledger_count, sizeof *r->ledger);
    r->history = copy(r->history, r->history_count, sizeof *r->history);
    r->runs = copy(r->runs, r->run_count, sizeof *r->runs);
    if (target.ledger >= 0 && is_drop) {
        ret->what = "a dropped row of the ledger";
        drop_row(r->ledger, &r->ledger_count, target.ledger, sizeof *r->ledger);
    } else if (target.ledger >= 0) {
        ret->what = "a doubled row of the ledger";
        double_row(r->ledger, &r->ledger_count, target.ledger, sizeof *r->ledger);
    } else if (is_drop) {
        ret->what = "a dropped start";
        drop_start(r, &target);
    } else {
        ret->what = "a doubled start";
        double_start(r, &target);
    }
    return true;
}

void mutate_back(struct record *r, struct mutation *mutation)
{
    free(r->ledger);
    free(r->history);
    free(r->runs);
    r->ledger = mutation->ledger;
    r->history = mutation->history;
    r->runs = mutation->runs;
    r->ledger_count = mutation->ledger_count;
    r->history_count = mutation->history_count;
    r->run_count = mutation->run_count;
}
