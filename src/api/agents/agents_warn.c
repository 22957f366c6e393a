/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Warns the author of a schedule if its agent runs very often, counting all of its projects:
 * an interval of one minute in fifty projects is 72,000 runs a day.
 */
#include <inttypes.h>

#include "api/agents/agents.h"
#include "api/schedules/run_rate.h"
#include "api/schedules/schedule_times.h"
#include "core/spec/spec_pack.h"

enum {
    SCHEDULES_MAX = 1000,  /* of an agent that are counted                               */
    SCHEDULE_STEPS = 3000, /* of struct budget, for each of them                           */
    ROUNDS = 1,            /* see schedule_times_count(); the warning is an estimate      */
    WARNING_MAX = 256,
};

struct counting {
    const struct call *call;
    struct arena *scratch;
    int64_t per_day;
    int schedules;
};

/* Does not read calendars: a plan that names some, set by another API, is not counted. */
static bool read_plan(const struct counting *c, const struct schedule_view *view,
                      struct plan *ret)
{
    struct err unused;

    arena_reset(c->scratch);
    return plan_unpack(view->row.packed, c->scratch, ret, &unused) == RC_OK &&
           spec_bind(&ret->spec, &c->call->context->zones, &unused) == RC_OK &&
           ret->spec.not_named_count == 0;
}

static enum rc count_schedule(const struct schedule_view *view,
                              const struct agents_schedule *schedule, void *arg,
                              struct err *reterr)
{
    struct counting *c = arg;
    struct budget budget = budget_part(c->call->budget, SCHEDULE_STEPS);
    int64_t given = budget.left, per_day;
    struct spec_ctx ctx;
    struct plan plan;

    (void)schedule;
    (void)reterr;
    if (c->schedules == SCHEDULES_MAX || schedule_times_is_at_rest(&view->cursor) ||
        !read_plan(c, view, &plan))
        return RC_OK; /* it does not run, cannot be read, or exceeds SCHEDULES_MAX */
    ctx = advance_ctx(&plan, &view->cursor);
    ctx.budget = &budget;
    per_day = run_rate_per_day(&plan, &ctx, c->call->now, ROUNDS);
    budget_join(c->call->budget, given, &budget);
    if (budget.is_over)
        return RC_OK; /* not counted */
    c->per_day += per_day;
    c->schedules++;
    return RC_OK;
}

static struct str warning_text(const struct counting *c, struct str agent, struct arena *arena)
{
    char text[WARNING_MAX];
    struct buf out = BUF(text);

    buf_printf(&out, "agent \"%.*s\" has %" PRId64 " runs a day in ", STR_ARG(agent),
               c->per_day);
    buf_printf(&out, c->schedules == 1 ? "this schedule" : "%d schedules", c->schedules);
    buf_text(&out, "; ignore this warning if that is intended");
    return arena_str(arena, buf_as_str(&out));
}

struct str agents_warning(struct call *call, struct db *db, struct str name, struct str agent)
{
    const struct agents_filter filter = {.agent = agent, .enabled = 1};
    int64_t most = call->context->plan_warn_per_day;
    struct counting c = {.call = call};
    struct str text = {NULL, 0};
    struct err err;
    enum rc rc;

    if (most == 0)
        return text;
    c.scratch = arena_new(SCHEDULE_BYTES_MAX);
    rc = agents_each(call, db, &filter, count_schedule, &c, &err);
    arena_free(c.scratch);
    if (rc != RC_OK || c.per_day <= most)
        return text; /* the write is done: a failure to count is not an error */
    text = warning_text(&c, agent, call->arena);
    call->context->warn(call->context->arg, call->namespace_name, name, text);
    return text;
}
