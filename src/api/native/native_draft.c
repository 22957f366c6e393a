/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns a native schedule document into a command of the engine, with the server's defaults.
 */
#include "api/native/native_draft.h"

#include "api/schedules/schedule_compile.h"
#include "model/policies_json.h"

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
        return err_in(reterr, "namespace");
    }
    if (id.len > 0 && doc->id.len > 0 && !str_eq(doc->id, id)) {
        err_set(reterr, RC_INVALID, -1, 0, "is \"%.*s\", but the path has \"%.*s\"",
                STR_ARG(doc->id), STR_ARG(id));
        return err_in(reterr, "id");
    }
    if (id.len > 0)
        doc->id = id;
    return RC_OK;
}

/* Policies that the document does not have get the server's defaults. */
static enum rc finish_policies(const struct call *call, const json_t *json,
                               struct schedule_doc *doc, struct err *reterr)
{
    const struct policies initial = schedule_policies(&call->context->policies, &doc->action);
    const json_t *policies = json_object_get(json, "policies");
    enum rc rc;

    doc->policies = initial;
    if (!policies || json_is_null(policies))
        return RC_OK;
    rc = policies_from_json(policies, &initial, call->arena, false, &doc->policies, reterr);
    return rc == RC_OK ? rc : err_in(reterr, "policies");
}

struct command native_hint(const struct wanted_hint *hint, int64_t schedule, struct str name)
{
    return (struct command){.kind = COMMAND_HINT,
                            .schedule = schedule,
                            .name = name,
                            .hint = {hint->interval, hint->at, hint->expires, hint->reason}};
}

/* The interval of a hint is limited to the governor's bounds; a time in the past is ignored. */
static struct wanted_hint make_hint(const struct call *call,
                                    const struct governor_def *governor)
{
    struct wanted_hint hint = {
        .interval = governor->hint_interval,
        .at = governor->hint_at > call->now ? governor->hint_at : INSTANT_NEVER,
        .expires = governor->hint_expires,
        .reason = governor->hint_reason,
    };

    if (hint.interval > 0 && hint.interval < governor->min)
        hint.interval = governor->min;
    if (governor->max > 0 && hint.interval > governor->max)
        hint.interval = governor->max;
    hint.is_set = governor->is_set && hint.expires > call->now &&
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

enum rc native_draft(struct call *call, const json_t *json, struct str id,
                     struct command *command, struct wanted_hint *ret_hint, struct err *reterr)
{
    struct schedule_doc doc;
    struct draft *draft;
    enum rc rc = schedule_from_json(json, call->arena, false, &doc, reterr);

    if (rc == RC_OK)
        rc = finish_names(call, json, id, &doc, reterr);
    if (rc == RC_OK)
        rc = finish_policies(call, json, &doc, reterr);
    if (rc == RC_OK)
        rc = schedule_compile(call, &doc, DIALECTS_NATIVE, &draft, reterr);
    if (rc != RC_OK)
        return rc;
    if (doc.pause.is_said)
        set_pause(call, &doc.pause, draft, command);
    command->name = doc.id;
    command->save.draft = draft;
    *ret_hint = make_hint(call, &doc.governor);
    return RC_OK;
}
