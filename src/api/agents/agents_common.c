/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared functions of the agents' API: which schedules belong to it, and a walk through them.
 *
 * Its lists have no cursors: the server walks through all rows of the namespace, one batch at
 * a time.
 */
#include <string.h>

#include "api/agents/agents.h"
#include "api/call/request.h"
#include "api/schedules/schedule_compile.h"
#include "api/schedules/schedule_times.h"
#include "api/schedules/schedule_walk.h"
#include "core/time/text.h"

enum rc agents_find(const struct call *call, struct db *db, struct schedule_view *ret,
                    struct err *reterr)
{
    enum rc rc = view_find(call, db, ret, reterr);
    struct agents_schedule schedule;
    struct err unused;

    if (rc == RC_OK &&
        (ret->row.dialect != DIALECTS_AGENTS ||
         agents_stored_read(ret->row.extra, call->arena, &schedule, &unused) != RC_OK))
        return err_set(reterr, RC_NOT_FOUND, -1, 0, "schedule \"%.*s\" not found",
                       STR_ARG(call->params[0]));
    return rc == RC_OK ? schedule_times_next(call, db, call->arena, ret, reterr) : rc;
}

enum call_step agents_failed(struct call *call, const struct err *err)
{
    if (err->rc == RC_LIMIT || err->rc == RC_INVALID)
        return call_refuse(call, NULL, err);
    return view_failed(call, err);
}

enum rc agents_draft(struct call *call, const struct agents_schedule *schedule, struct str name,
                     struct draft **ret, struct err *reterr)
{
    struct schedule_doc doc = schedule_doc_initial(call, name);
    const struct zone_source *zones = &call->context->zones;

    if (name.len > CALL_NAME_MAX) {
        err_set(reterr, RC_LIMIT, -1, 0,
                "is too long together with projectId; the limit is %d bytes", CALL_NAME_MAX);
        return err_in(reterr, "agentId");
    }
    if (agents_fill(schedule, call->arena, &doc, reterr) != RC_OK)
        return reterr->rc;
    if (!zones->find(zones->user, schedule->zone, reterr)) {
        if (reterr->rc == RC_NOT_FOUND)
            reterr->rc = RC_INVALID; /* the zone, not the schedule, is missing */
        return err_in(reterr, "timezone");
    }
    if (schedule_compile(call, &doc, DIALECTS_AGENTS, ret, reterr) == RC_OK)
        return RC_OK;
    return err_rename(reterr, agents_spec_member(schedule->type));
}

/* Agents use 409 for a stale version. */
void agents_error_reply(const struct problem *problem, struct buf *out, struct error_reply *ret)
{
    struct problem shown = *problem;

    if (shown.status == 412)
        shown.status = 409;
    error_reply_print(&shown, out, ret);
}

/* ---- filters ---- */

enum rc agents_filter_read(const struct call *call, struct agents_filter *ret,
                           struct err *reterr)
{
    struct str enabled = request_query(call, "enabled");

    *ret = (struct agents_filter){.agent = request_query(call, "agentId"),
                                  .project = request_query(call, "projectId"),
                                  .enabled = -1};
    if (enabled.len == 0)
        return RC_OK;
    ret->enabled = str_eq(enabled, STR("true"));
    if (ret->enabled || str_eq(enabled, STR("false")))
        return RC_OK;
    return err_field(reterr, "enabled", "must be true or false");
}

bool agents_filter_matches(const struct agents_filter *filter,
                           const struct agents_schedule *schedule)
{
    return (filter->agent.len == 0 || str_eq(filter->agent, schedule->agent)) &&
           (filter->project.len == 0 || str_eq(filter->project, schedule->project)) &&
           (filter->enabled < 0 || schedule->is_enabled == (filter->enabled == 1));
}

/* ---- the time range ---- */

static enum rc read_bound(const struct call *call, const char *name, bool is_end, instant *ret,
                          struct err *reterr)
{
    struct str text = request_query(call, name);
    struct err unused;
    int64_t day;

    if (text.len == 0 || date_parse(text, &day, &unused) != RC_OK)
        return request_query_instant(call, name, ret, reterr);
    *ret = (day + is_end) * SPAN_DAY;
    return RC_OK;
}

enum rc agents_range_read(const struct call *call, struct agents_range *ret, struct err *reterr)
{
    *ret = (struct agents_range){INSTANT_NONE, INSTANT_NEVER};
    if (read_bound(call, "from", false, &ret->from, reterr) != RC_OK ||
        read_bound(call, "to", true, &ret->until, reterr) != RC_OK)
        return reterr->rc;
    if (ret->from < ret->until)
        return RC_OK;
    return err_field(reterr, "from", "must be earlier than \"to\"");
}

/* ---- the walk ---- */

struct each {
    const struct agents_filter *filter;
    agents_each_fn *each;
    void *arg;
    struct str prefix; /* of the names of the agent's schedules; empty: any agent */
    bool is_past;      /* the walk has passed all names with the prefix */
};

/*
 * The names of an agent's schedules have the same prefix, so they are next to each other.  The
 * walk starts just before them: after the prefix with a smaller last byte and "~~", which sorts
 * after everything that agents_name() can append.
 */
static void set_start(struct schedule_walk *walk, struct each *e, struct str agent)
{
    struct buf start = {.cap = AGENT_NAME_MAX + 2};

    if (agent.len == 0 || agent.len > AGENT_ID_MAX)
        return;
    e->prefix = agents_name(agent, (struct str){NULL, 0}, walk->call->arena);
    start.ptr = arena_take(walk->call->arena, start.cap);
    buf_str(&start, e->prefix);
    start.ptr[start.len - 1]--;
    buf_text(&start, "~~");
    walk->after = buf_as_str(&start);
}

static bool is_past(const struct each *e, struct str name)
{
    size_t len = name.len < e->prefix.len ? name.len : e->prefix.len;

    return len > 0 && memcmp(name.ptr, e->prefix.ptr, len) > 0;
}

static enum rc visit_row(struct schedule_walk *walk, struct schedule_view *view,
                         struct arena *scratch, struct err *reterr)
{
    struct each *e = walk->arg;
    struct agents_schedule schedule;
    struct err unused;

    walk->is_enough = e->is_past = is_past(e, view->row.name);
    if (e->is_past || view->row.dialect != DIALECTS_AGENTS ||
        agents_stored_read(view->row.extra, scratch, &schedule, &unused) != RC_OK)
        return RC_OK;
    schedule.is_enabled = !(view->cursor.flags & CURSOR_DISABLED);
    if (!agents_filter_matches(e->filter, &schedule))
        return RC_OK;
    return e->each(view, &schedule, e->arg, reterr);
}

enum rc agents_each(const struct call *call, struct db *db, const struct agents_filter *filter,
                    agents_each_fn *each, void *arg, struct err *reterr)
{
    struct each e = {.filter = filter, .each = each, .arg = arg};
    struct schedule_walk walk = {
        .call = call, .db = db, .order = ORDER_NAME, .look = visit_row, .arg = &e};
    enum rc rc;

    set_start(&walk, &e, filter->agent);
    rc = schedule_walk(&walk, reterr);
    if (rc == RC_OK && !walk.is_done && !e.is_past)
        rc = err_set(reterr, RC_LIMIT, -1, 0,
                     "too many schedules for one list; use /api/v1/schedules, which has pages");
    return rc;
}
