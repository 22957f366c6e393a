/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiles a schedule's document into a draft for the engine.
 */
#include "model/schedule_draft.h"

#include "base/must.h"
#include "core/limits.h"
#include "model/template.h"

_Static_assert(NAMESPACE_NAME_MAX + 1 + SCHEDULE_ID_MAX <= SEED_MAX, "every seed fits");

/* "namespace/id": the same in every copy of the database, different for every schedule. */
static struct str seed_of(const struct schedule_doc *doc, struct arena *arena)
{
    struct buf seed = {.cap = doc->namespace.len + 1 + doc->id.len + 1};

    must(doc->id.len > 0 && seed.cap <= SEED_MAX + 1);
    seed.ptr = arena_take(arena, seed.cap);
    buf_str(&seed, doc->namespace);
    buf_char(&seed, '/');
    buf_str(&seed, doc->id);
    return buf_as_str(&seed);
}

static enum lane lane_of(const struct action *action, bool has_upstream)
{
    switch (action->type) {
    case ACTION_HTTP:
        return LANE_HTTP;
    case ACTION_EXEC:
        return LANE_EXEC;
    case ACTION_WORKFLOW:
        return has_upstream ? LANE_FLOW : LANE_PULL;
    case ACTION_QUEUE:
    case ACTION_COUNT:
        break;
    }
    return LANE_PULL;
}

/* The queue that workers poll; a workflow without a queue uses its own name. */
static struct str queue_of(const struct action *action)
{
    if (action->type == ACTION_QUEUE)
        return action->queue.queue;
    return action->workflow.queue.len > 0 ? action->workflow.queue : action->workflow.name;
}

static bool is_restricted(const struct spec_def *spec)
{
    return spec->not_calendar_count > 0 || spec->not_date_count > 0 ||
           spec->not_named_count > 0 || spec->start != INSTANT_NONE ||
           spec->end != INSTANT_NEVER || spec->window.is_set || spec->jitter > 0;
}

/* 0: the spec's slots are the baseline. */
static span baseline_of(const struct spec_def *spec)
{
    const struct interval_def *interval = spec->intervals;

    if (spec->interval_count != 1 || spec->cron_count > 0 || spec->calendar_count > 0 ||
        spec->time_count > 0 || spec->at_count > 0 || is_restricted(spec))
        return 0;
    if (interval->phase > 0 ||
        (interval->anchor != ANCHOR_EPOCH && interval->anchor != ANCHOR_START))
        return 0;
    return interval->every;
}

/* An action that uses ${lastResult} needs it, even if the policies do not say so. */
static bool wants_last(const struct schedule_doc *doc, struct str action)
{
    enum action_type type = doc->action.type;

    return doc->policies.wants_last ||
           ((type == ACTION_HTTP || type == ACTION_EXEC) && template_names_last(action));
}

static void fill_plan(const struct schedule_doc *doc, const struct draft_options *options,
                      struct str action, struct plan *plan)
{
    const struct governor_def *governor = &doc->governor;

    plan->policies = doc->policies;
    plan->policies.wants_last = wants_last(doc, action);
    plan->lane = lane_of(&doc->action, options->has_upstream);
    plan->is_governed = governor->is_set;
    if (governor->is_set) {
        plan->governor_backoff = governor->has_backoff;
        plan->governor_interval = baseline_of(&doc->spec);
        plan->governor_min = governor->min;
        plan->governor_max = governor->max;
    }
    plan->follows = plan_follows(plan);
    must(plan_is_valid(plan));
}

enum rc schedule_draft(const struct schedule_doc *doc, const struct draft_options *options,
                       struct arena *arena, struct schedule_draft *ret, struct err *reterr)
{
    struct schedule_draft draft = {.description = doc->description,
                                   .is_disabled = !doc->is_enabled};
    enum rc rc;

    draft.plan.seed = seed_of(doc, arena);
    rc = spec_compile(&doc->spec, draft.plan.seed, &options->zones, arena, &draft.plan.spec,
                      reterr);
    if (rc != RC_OK)
        return err_in(reterr, "spec");
    rc = schedule_keep(doc, arena, &draft.texts, reterr);
    if (rc != RC_OK)
        return rc;
    fill_plan(doc, options, draft.texts.action, &draft.plan);
    if (draft.plan.lane == LANE_PULL)
        draft.queue = queue_of(&doc->action);
    *ret = draft;
    return RC_OK;
}
