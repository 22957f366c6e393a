/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fixture of the tests of advance: a plan with its cursor, and the result of a call as a line
 * of text.  A time is the day of the month, hour, minute, and seconds unless they are 0; UTC:
 * "missed(window) 31 18:17-31 22:17 x5, start 31 23:17; mark 31 23:17; next 01 00:17".
 */
#pragma once

#include <stdio.h>

#include "core/advance.h"
#include "draft.h"
#include "from_text.h"

enum { LINE_BYTES_MAX = 64 * 1024 }; /* bytes: a thousand slots with their jittered times */

struct fixture {
    struct draft d;
    struct plan plan;
    struct cursor cursor;
    struct advance a;
    struct due_slot slots[ADVANCE_SLOTS_MAX];
    instant exceptions[EXCEPTIONS_MAX];
    char line[LINE_BYTES_MAX];
};

/* Turns the draft into the plan of a schedule whose slots are decided up to `mark`. */
static inline void make_plan(struct fixture *f, const char *mark)
{
    compile(&f->d);
    f->plan = (struct plan){.spec = f->d.spec,
                            .policies = policies_default(),
                            .created = at("2022-01-01T00:00:00Z"),
                            .seed = STR("seed")};
    f->plan.follows = plan_follows(&f->plan);
    f->cursor = (struct cursor){.mark = at(mark),
                                .next_at = at(mark),
                                .remaining = -1,
                                .last_slot = INSTANT_NONE,
                                .last_held = INSTANT_NONE,
                                .last_end = INSTANT_NONE};
    f->a = (struct advance){.slots_max = ADVANCE_SLOTS_MAX};
}

static inline void make_cron_plan(struct fixture *f, const char *expr, const char *mark)
{
    begin_draft(&f->d, "UTC");
    add_cron(&f->d, expr, DIALECT_BELFRY);
    make_plan(f, mark);
}

static inline void make_every_plan(struct fixture *f, span every, enum anchor anchor,
                                   const char *mark)
{
    begin_draft(&f->d, "UTC");
    add_every(&f->d, every, 0, anchor);
    make_plan(f, mark);
}

static inline void except(struct fixture *f, const char *slot)
{
    f->exceptions[f->a.exception_count++] = at(slot);
}

static inline struct advance *prepare(struct fixture *f, const char *now)
{
    f->a.plan = &f->plan;
    f->a.cursor = &f->cursor;
    f->a.ctx = advance_ctx(&f->plan, &f->cursor);
    f->a.now = at(now);
    f->a.exceptions = f->exceptions;
    f->a.slots = f->slots;
    return &f->a;
}

static inline void put_time(struct buf *out, instant t)
{
    struct civil c = civil_of_local(t == INSTANT_NEVER ? 0 : instant_seconds(t));
    int ms = (int)((t - instant_of_seconds(instant_seconds(t))) / SPAN_MS);

    if (t == INSTANT_NEVER)
        buf_text(out, "never");
    else if (ms != 0)
        buf_printf(out, "%02d %02d:%02d:%02d.%03d", c.date.day, c.hour, c.minute, c.second, ms);
    else if (c.second != 0)
        buf_printf(out, "%02d %02d:%02d:%02d", c.date.day, c.hour, c.minute, c.second);
    else
        buf_printf(out, "%02d %02d:%02d", c.date.day, c.hour, c.minute);
}

static inline void put_slot(struct buf *out, const char *what, struct due_slot slot)
{
    buf_text(out, what);
    put_time(out, slot.at);
    if (slot.due != slot.at) {
        buf_text(out, " @ ");
        put_time(out, slot.due);
    }
}

static inline void put_account(struct buf *out, const struct account *account)
{
    buf_printf(out, "%s(%s) ", outcome_text(account->outcome), reason_text(account->reason));
    put_time(out, account->first);
    if (account->count == 1 && account->first == account->last)
        return;
    buf_text(out, "-");
    put_time(out, account->last);
    buf_printf(out, " x%lld", (long long)account->count);
}

/* Writes slots and accounts in order of time, then mark and next. */
static inline const char *result_text(struct fixture *f)
{
    const struct advance *a = &f->a;
    struct buf out = BUF(f->line);
    int i = 0, j = 0;

    while (i < a->slot_count || j < a->account_count) {
        buf_text(&out, i + j > 0 ? ", " : "");
        if (j == a->account_count ||
            (i < a->slot_count && a->slots[i].at < a->accounts[j].first))
            put_slot(&out, "start ", a->slots[i++]);
        else
            put_account(&out, &a->accounts[j++]);
    }
    buf_text(&out, i + j > 0 ? "; mark " : "mark ");
    put_time(&out, a->mark);
    put_slot(&out, "; next ", (struct due_slot){a->next_at, a->next_due});
    assert_false(out.cut);
    return f->line;
}

static inline const char *advanced(struct fixture *f, const char *now)
{
    advance(prepare(f, now));
    return result_text(f);
}

static inline const char *accounted(struct fixture *f, const char *now, enum reason reason)
{
    advance_account_due(prepare(f, now), OUTCOME_MISSED, reason);
    return result_text(f);
}

static inline const char *begun(struct fixture *f, const char *now)
{
    advance_begin(prepare(f, now));
    return result_text(f);
}
