/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whoever makes or changes a schedule is told when its agent comes to run very often, in all
 * of its projects together: a minute's interval in fifty of them is 72,000 runs a day.
 */
#include <inttypes.h>

#include "api/agents.h"
#include "api/native_preview.h"
#include "api/planned.h"

enum {
    SCHEDULES_MAX = 1000,    /* of an agent that are counted: a second or so at the most   */
    PORTION_BYTES = 1 << 30, /* of arena: a schedule as large as it may be                 */
    ROUNDS = 1,              /* where a week is too much to count, its beginning is enough */
    WARNING_MAX = 256,
};

struct counting {
    struct call call; /* as the request's, with an arena that each schedule empties */
    struct db *db;
    int64_t per_day;
    int schedules;
};

static enum rc count_one(const struct schedule_view *view,
                         const struct agents_schedule *schedule, void *with, struct err *reterr)
{
    struct counting *c = with;
    struct planned p = {.view = *view};
    struct err unused;

    (void)schedule;
    (void)reterr;
    arena_reset(c->call.arena);
    if (c->schedules == SCHEDULES_MAX || planned_is_at_rest(&view->cursor) ||
        planned_fill(&c->call, c->db, &p, &unused) != RC_OK)
        return RC_OK; /* what cannot be counted does not run either, or is too much */
    c->per_day += preview_per_day(&p.plan, &p.ctx, c->call.now, ROUNDS);
    c->schedules++;
    return RC_OK;
}

static struct str words(const struct counting *c, struct str agent, struct arena *arena)
{
    char text[WARNING_MAX];
    struct buf out = BUF(text);

    buf_printf(&out, "the agent `%.*s` comes to %" PRId64 " runs a day in ", STR_ARG(agent),
               c->per_day);
    buf_printf(&out, c->schedules == 1 ? "this schedule" : "%d schedules", c->schedules);
    buf_text(&out, "; if that is meant, all is well");
    return arena_str(arena, buf_as_str(&out));
}

struct str agents_warning(struct call *call, struct db *db, struct str name, struct str agent)
{
    const struct agents_filter filter = {.agent = agent, .enabled = 1};
    int64_t most = call->context->plan_warn_per_day;
    struct counting c = {.call = *call, .db = db};
    struct str text = {NULL, 0};
    struct err err;
    enum rc rc;

    if (most == 0)
        return text;
    c.call.arena = arena_new(PORTION_BYTES);
    rc = agents_each(call, db, &filter, count_one, &c, &err);
    arena_free(c.call.arena);
    if (rc != RC_OK || c.per_day <= most)
        return text; /* what was asked for is done: nothing that fails here is an error */
    text = words(&c, agent, call->arena);
    call->context->warn(call->context->with, call->namespace_name, name, text);
    return text;
}
