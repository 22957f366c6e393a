/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiles the document of a schedule into a draft for the engine, with the server's limits.
 */
#include "api/schedules/schedule_compile.h"

#include "core/made_id.h"
#include "core/time/text.h"
#include "model/schedule_draft.h"

enum {
    GAPS_CHECKED = 100,   /* next slots whose gaps are checked: days of an hourly schedule */
    SEARCH_STEPS = 20000, /* of struct budget, to find the next slot: two ms or so         */
};

_Static_assert((int)CALL_NAME_MAX <= (int)NAMESPACE_NAME_MAX, "the namespace fits the seed");

static struct str make_id(struct call *call)
{
    char *id = arena_take(call->arena, MADE_ID_LEN);

    made_id(call->now, call->context->random(call->context->arg), id);
    return (struct str){id, MADE_ID_LEN};
}

/* The id may be part of the path, where other names may be longer. */
static enum rc check_id(struct str id, struct err *reterr)
{
    if (id.len <= SCHEDULE_ID_MAX)
        return RC_OK;
    err_set(reterr, RC_LIMIT, -1, 0, "has %zu bytes; the limit is %d", id.len, SCHEDULE_ID_MAX);
    return err_in(reterr, "id");
}

/* Sets *ret if the workflow runs on an upstream; an upstream that it names must exist. */
static enum rc finish_upstream(const struct call *call, const struct schedule_doc *doc,
                               bool *ret, struct err *reterr)
{
    const struct api_context *context = call->context;
    struct str upstream = doc->action.workflow.upstream;

    *ret = false;
    if (doc->action.type != ACTION_WORKFLOW)
        return RC_OK;
    *ret = context->has_upstream(context->arg, call->namespace_name, upstream);
    if (*ret || upstream.len == 0)
        return RC_OK;
    err_set(reterr, RC_INVALID, -1, 0, "the namespace has no upstream \"%.*s\"",
            STR_ARG(upstream));
    return err_in(reterr, "action.upstream");
}

/* `what` precedes the interval in the message. */
static enum rc report_too_short(const char *what, span gap, span minimum, struct err *reterr)
{
    char texts[2][DURATION_TEXT_MAX];
    struct buf got = BUF(texts[0]), want = BUF(texts[1]);

    duration_format(gap, &got);
    duration_format(minimum, &want);
    return err_set(reterr, RC_INVALID, -1, 0,
                   "%s %s; the minimum interval of this server is %s", what, got.ptr, want.ptr);
}

/* The server's configuration may set a minimum interval. */
static enum rc check_gaps(const struct call *call, const struct schedule_doc *doc,
                          const struct plan *plan, struct err *reterr)
{
    span minimum = call->context->min_interval;
    struct spec_ctx ctx = spec_ctx(call->now);
    struct spec_walk walk;
    struct slot slot;
    instant last = INSTANT_NONE;

    for (int i = 0; i < doc->spec.interval_count; i++)
        if (doc->spec.intervals[i].every < minimum) {
            report_too_short("is", doc->spec.intervals[i].every, minimum, reterr);
            return err_in(reterr, "spec.intervals[%d].every", i);
        }
    if (doc->governor.hint_interval > 0 && doc->governor.hint_interval < minimum) {
        report_too_short("is", doc->governor.hint_interval, minimum, reterr);
        return err_in(reterr, "governor.hint.interval");
    }
    if (minimum <= SPAN_S)
        return RC_OK;
    ctx.seed = plan->seed;
    ctx.budget = call->budget;
    spec_walk_begin(&walk, &plan->spec, &ctx, call->now);
    for (int i = 0; i < GAPS_CHECKED && spec_walk_next(&walk, &slot); i++) {
        if (last != INSTANT_NONE && slot.at - last < minimum) {
            report_too_short("two slots have a distance of", slot.at - last, minimum, reterr);
            return err_in(reterr, "spec");
        }
        last = slot.at;
    }
    return RC_OK;
}

/* The engine searches the next slot in every turn of the schedule. */
static enum rc check_search(const struct call *call, const struct plan *plan,
                            struct err *reterr)
{
    struct budget budget = budget_part(call->budget, SEARCH_STEPS);
    int64_t given = budget.left;
    struct spec_ctx ctx = spec_ctx(call->now);
    struct slot slot;

    ctx.seed = plan->seed;
    ctx.budget = &budget;
    (void)spec_next(&plan->spec, &ctx, call->now, &slot);
    budget_join(call->budget, given, &budget);
    if (!budget.is_over)
        return RC_OK;
    err_set(reterr, RC_LIMIT, -1, 0,
            "it takes too long to find the next time, because too many times are excluded; "
            "use entries that need fewer exclusions");
    return err_in(reterr, "spec");
}

static struct draft *make_draft(const struct schedule_draft *from, enum dialects dialect,
                                struct arena *arena)
{
    struct draft *draft = arena_take(arena, sizeof *draft);

    *draft = (struct draft){
        .plan = from->plan,
        .queue = from->queue,
        .spec = from->texts.spec,
        .action = from->texts.action,
        .policies = from->texts.policies,
        .governor = from->texts.governor,
        .labels = from->texts.labels,
        .extra = from->texts.extra,
        .description = from->description,
        .dialect = dialect,
        .is_disabled = from->is_disabled,
    };
    return draft;
}

struct schedule_doc schedule_doc_initial(const struct call *call, struct str id)
{
    struct schedule_doc doc = schedule_doc_default();

    doc.id = id;
    doc.policies = call->context->policies;
    return doc;
}

enum rc schedule_compile(struct call *call, struct schedule_doc *doc, enum dialects dialect,
                         struct draft **ret, struct err *reterr)
{
    struct draft_options options = {.zones = call->context->zones};
    struct schedule_draft draft;
    enum rc rc = check_id(doc->id, reterr);

    if (rc == RC_OK)
        rc = finish_upstream(call, doc, &options.has_upstream, reterr);
    doc->namespace = call->namespace_name;
    if (doc->id.len == 0)
        doc->id = make_id(call);
    if (rc == RC_OK)
        rc = schedule_draft(doc, &options, call->arena, &draft, reterr);
    if (rc == RC_NOT_FOUND)
        rc = reterr->rc = RC_INVALID; /* an unknown time zone, not a missing schedule */
    if (rc == RC_OK)
        rc = check_search(call, &draft.plan, reterr);
    if (rc == RC_OK)
        rc = check_gaps(call, doc, &draft.plan, reterr);
    if (rc == RC_OK)
        *ret = make_draft(&draft, dialect, call->arena);
    return rc;
}
