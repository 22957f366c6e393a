/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compiles a native schedule document into a command of the engine, with the server's defaults
 * and limits.
 */
#include "api/schedules/native_draft.h"

#include "api/call/dialects.h"
#include "base/must.h"
#include "core/made_id.h"
#include "core/time/text.h"
#include "model/policies_json.h"
#include "model/schedule_draft.h"

enum { GAPS_CHECKED = 100 }; /* slots ahead: more than any pattern of a day's hours has */

static struct str make_id(struct call *call)
{
    char *id = arena_take(call->arena, MADE_ID);

    made_id(call->now, call->context->random(call->context->arg), id);
    return (struct str){id, MADE_ID};
}

static enum rc field_error(struct err *reterr, const char *field)
{
    err_in(reterr, "%s", field);
    return reterr->rc;
}

/* Id and namespace of the document must match those of the request. */
static enum rc finish_names(struct call *call, const json_t *json, struct str id,
                            struct schedule_doc *doc, struct err *reterr)
{
    const json_t *namespace = json_object_get(json, "namespace");

    if (namespace && !json_is_null(namespace) &&
        !str_eq(doc->namespace, call->namespace_name)) {
        err_set(reterr, RC_INVALID, -1, 0,
                "is \"%.*s\", but the request is for \"%.*s\"; use ?namespace=",
                STR_ARG(doc->namespace), STR_ARG(call->namespace_name));
        return field_error(reterr, "namespace");
    }
    doc->namespace = call->namespace_name;
    if (id.len > 0 && doc->id.len > 0 && !str_eq(doc->id, id)) {
        err_set(reterr, RC_INVALID, -1, 0, "is \"%.*s\", but the path has \"%.*s\"",
                STR_ARG(doc->id), STR_ARG(id));
        return field_error(reterr, "id");
    }
    if (id.len > 0)
        doc->id = id;
    else if (doc->id.len == 0)
        doc->id = make_id(call);
    return RC_OK;
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
    return field_error(reterr, "action.upstream");
}

static enum rc report_too_often(span gap, span least, struct err *reterr)
{
    char texts[2][DURATION_TEXT_MAX];
    struct buf got = BUF(texts[0]), want = BUF(texts[1]);

    duration_format(gap, &got);
    duration_format(least, &want);
    return err_set(reterr, RC_INVALID, -1, 0,
                   "runs every %s; the minimum interval of this server is %s", got.ptr,
                   want.ptr);
}

/* The server's configuration may set a minimum interval. */
static enum rc check_gaps(const struct call *call, const struct schedule_doc *doc,
                          const struct plan *plan, struct err *reterr)
{
    span least = call->context->min_interval;
    struct spec_ctx ctx = spec_ctx(call->now);
    struct spec_walk walk;
    struct slot slot;
    instant last = INSTANT_NONE;

    for (int i = 0; i < doc->spec.interval_count; i++)
        if (doc->spec.intervals[i].every < least) {
            report_too_often(doc->spec.intervals[i].every, least, reterr);
            err_in(reterr, "spec.intervals[%d].every", i);
            return RC_INVALID;
        }
    if (doc->governor.hint_interval > 0 && doc->governor.hint_interval < least) {
        report_too_often(doc->governor.hint_interval, least, reterr);
        return field_error(reterr, "governor.hint.interval");
    }
    if (least <= SPAN_S)
        return RC_OK;
    ctx.seed = plan->seed;
    spec_walk_begin(&walk, &plan->spec, &ctx, call->now);
    for (int i = 0; i < GAPS_CHECKED && spec_walk_next(&walk, &slot); i++) {
        if (last != INSTANT_NONE && slot.at - last < least) {
            report_too_often(slot.at - last, least, reterr);
            return field_error(reterr, "spec");
        }
        last = slot.at;
    }
    return RC_OK;
}

static struct draft *make_draft(const struct schedule_draft *from, struct arena *arena)
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
        .dialect = DIALECTS_NATIVE,
        .is_disabled = from->is_disabled,
    };
    return draft;
}

/* Policies that the document does not have get the server's defaults. */
static enum rc finish_policies(const struct call *call, const json_t *json,
                               struct schedule_doc *doc, struct err *reterr)
{
    const struct policies *initial = &call->context->policies;
    const json_t *policies = json_object_get(json, "policies");
    enum rc rc;

    doc->policies = *initial;
    if (!policies || json_is_null(policies))
        return RC_OK;
    rc = policies_from_json(policies, initial, call->arena, false, &doc->policies, reterr);
    return rc == RC_OK ? rc : field_error(reterr, "policies");
}

struct command native_hint(const struct wanted_hint *hint, int64_t schedule, struct str name)
{
    return (struct command){.kind = COMMAND_HINT,
                            .schedule = schedule,
                            .name = name,
                            .hint = {hint->interval, hint->at, hint->expires, hint->reason}};
}

/* The interval of a hint is limited to the governor's bounds; a time in the past is ignored. */
static struct wanted_hint make_hint(const struct call *call, const struct schedule_draft *draft)
{
    struct wanted_hint hint = {
        .interval = draft->hint_interval,
        .at = draft->hint_at > call->now ? draft->hint_at : INSTANT_NEVER,
        .expires = draft->hint_expires,
        .reason = draft->hint_reason,
    };

    if (hint.interval > 0 && hint.interval < draft->plan.governor_min)
        hint.interval = draft->plan.governor_min;
    if (draft->plan.governor_max > 0 && hint.interval > draft->plan.governor_max)
        hint.interval = draft->plan.governor_max;
    hint.is_set = draft->has_hint && hint.expires > call->now &&
                  (hint.interval > 0 || hint.at != INSTANT_NEVER);
    return hint;
}

/* A pause whose end is in the past is ignored. */
static void set_pause(const struct call *call, const struct pause_def *pause,
                      struct draft *draft, struct command *command)
{
    draft->sets_pause = true;
    draft->is_paused = pause->is_paused && pause->until > call->now;
    if (!draft->is_paused)
        return;
    command->save.reason = pause->reason;
    command->save.pause_until = pause->until;
}

/* Compiles a complete document. */
static enum rc compile_document(struct call *call, const struct schedule_doc *doc,
                                struct command *command, struct wanted_hint *ret_hint,
                                struct err *reterr)
{
    struct draft_options options = {.zones = call->context->zones};
    struct schedule_draft draft;
    struct draft *result;
    enum rc rc = finish_upstream(call, doc, &options.has_upstream, reterr);

    if (rc == RC_OK)
        rc = schedule_draft(doc, &options, call->arena, &draft, reterr);
    if (rc == RC_NOT_FOUND)
        rc = reterr->rc = RC_INVALID; /* an unknown time zone, not a missing schedule */
    if (rc == RC_OK)
        rc = check_gaps(call, doc, &draft.plan, reterr);
    if (rc != RC_OK)
        return rc;
    result = make_draft(&draft, call->arena);
    if (doc->pause.is_said)
        set_pause(call, &doc->pause, result, command);
    command->name = doc->id;
    command->save.draft = result;
    *ret_hint = make_hint(call, &draft);
    return RC_OK;
}

enum rc native_draft(struct call *call, const json_t *json, struct str id,
                     struct command *command, struct wanted_hint *ret_hint, struct err *reterr)
{
    struct schedule_doc doc;
    enum rc rc = schedule_from_json(json, call->arena, false, &doc, reterr);

    if (rc == RC_OK)
        rc = finish_names(call, json, id, &doc, reterr);
    if (rc == RC_OK)
        rc = finish_policies(call, json, &doc, reterr);
    return rc == RC_OK ? compile_document(call, &doc, command, ret_hint, reterr) : rc;
}

enum rc native_draft_with(struct call *call, const json_t *json, struct str id,
                          const struct policies *policies, struct command *command,
                          struct err *reterr)
{
    struct schedule_doc doc;
    struct wanted_hint hint;
    enum rc rc = schedule_from_json(json, call->arena, true, &doc, reterr);

    if (rc == RC_OK)
        rc = finish_names(call, json, id, &doc, reterr);
    doc.policies = *policies;
    return rc == RC_OK ? compile_document(call, &doc, command, &hint, reterr) : rc;
}
