/* SPDX-License-Identifier: Apache-2.0 */
#include "model/run_json.h"

#include "base/must.h"
#include "core/governor.h"

#define AT(member)          .offset = offsetof(struct run_result, member)
#define JSON_OF(name, size) MEMBER_JSON, AT(name), .high = (size), .has_none = true
#define TEXT_OF(name, size) MEMBER_TEXT, AT(name), .high = (size), .has_none = true

/* In the order of the run's object. */
static const struct member result_list[] = {
    {"result", JSON_OF(result, RESULT_MAX)},
    {"summary", TEXT_OF(summary, SUMMARY_MAX)},
    {"refs", JSON_OF(refs, REFS_MAX)},
    {"llm", JSON_OF(llm, REFS_MAX)},
    {"tools", JSON_OF(tools, REFS_MAX)},
    {"sessionId", TEXT_OF(session_id, SESSION_ID_MAX)},
    {"threadId", TEXT_OF(thread_id, SESSION_ID_MAX)},
};

static const struct members result_members = MEMBERS(result_list);

enum rc run_result_from_json(const json_t *json, struct arena *arena, struct run_result *ret,
                             struct err *reterr)
{
    struct run_result result = {0};
    const struct reading reading = {arena, true, &result};
    enum rc rc = members_read(&result_members, json, &reading, reterr);

    if (rc == RC_OK)
        *ret = result;
    return rc;
}

struct str run_result_keep(const struct run_result *result, struct arena *arena)
{
    static const struct run_result none;
    json_auto_t *json = members_print(&result_members, result, &none, SPEC_BRIEF);
    struct str text = {0};
    struct err err;

    if (json_object_size(json) > 0)
        must(json_keep(json, SIZE_MAX, arena, &text, &err) == RC_OK);
    return text;
}

enum rc run_result_recall(struct str text, struct arena *arena, struct run_result *ret,
                          struct err *reterr)
{
    json_auto_t *json = text.len > 0 ? json_of_kept(text) : json_new_object();

    if (!json)
        return err_set(reterr, RC_CORRUPT, -1, 0, "the result that was kept is not JSON");
    if (run_result_from_json(json, arena, ret, reterr) != RC_OK)
        return reterr->rc = RC_CORRUPT;
    return RC_OK;
}

struct str run_result_value(struct str text, struct arena *arena)
{
    struct run_result result = {0};
    struct err err;

    if (text.len > 0 && run_result_recall(text, arena, &result, &err) != RC_OK)
        return (struct str){0};
    return result.result;
}

struct run_doc run_doc_of(const struct run *run)
{
    return (struct run_doc){
        .id = {run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass},
        .kind = run->kind,
        .slot = run->slot,
        .due = run->due,
        .state = run->state,
        .attempt = run->attempt,
        .fence = run->fence,
        .worker = run->worker,
        .lease_until = run_is_claimed(run->state) ? run->lease_until : INSTANT_NEVER,
        .source = run->source,
        .input = run->input,
        .created_at = run->created_at,
        .started_at = run->started_at,
        .ended_at = INSTANT_NONE,
        .progress = run->progress,
        .last_run_at = run->last_run_at,
    };
}

/* The object that a text is, or NULL. */
static json_t *object_of(struct str text)
{
    json_t *json = text.len > 0 && text.ptr[0] == '{' ? json_of_kept(text) : NULL;

    if (json_is_object(json))
        return json;
    json_decref(json);
    return NULL;
}

static json_t *input_json(const struct run_doc *doc)
{
    json_t *json = object_of(doc->input);

    return json ? json : json_new_object();
}

/* What was reported, or what is known of an end that nobody reported. */
static struct str error_text(const struct run_doc *doc)
{
    const char *known = outcome_is_failure(doc->outcome) ? reason_sentence(doc->reason) : NULL;

    return doc->error.len == 0 && known ? str_of(known) : doc->error;
}

/* A text without a code has the reason as its code; nobody said whether to try again. */
static json_t *error_json(const struct run_doc *doc)
{
    json_t *json = object_of(doc->error);
    struct str text = error_text(doc);

    if (json || text.len == 0)
        return json ? json : json_null();
    json = json_new_object();
    json_put(json, "code", json_of_word(reason_text(doc->reason)));
    json_put(json, "message", json_new_str(text));
    json_put(json, "retryable", json_null());
    return json;
}

static json_t *progress_json(const struct run_doc *doc)
{
    json_t *json = object_of(doc->progress);

    return json ? json : json_of_text(doc->progress);
}

static json_t *source_json(int64_t source)
{
    return source > 0 ? json_of_word(source_text((enum source)(source - 1))) : json_null();
}

static void put_end(json_t *json, const struct run_doc *doc)
{
    static const struct run_result none;
    json_auto_t *result = members_print(&result_members, &doc->result, &none, SPEC_FULL);
    bool has_outcome = doc->outcome != OUTCOME_NONE;
    bool has_reason = doc->reason != REASON_NONE;

    json_put(json, "outcome",
             has_outcome ? json_of_word(outcome_text(doc->outcome)) : json_null());
    json_put(json, "reason", has_reason ? json_of_word(reason_text(doc->reason)) : json_null());
    json_put(json, "error", error_json(doc));
    json_put(json, "progress", progress_json(doc));
    must(json_object_update(json, result) == 0);
}

json_t *run_to_json(const struct run_doc *doc)
{
    json_t *json = json_new_object();
    char id[RUN_ID_TEXT_MAX];

    run_id_format(&doc->id, id);
    json_put(json, "id", json_of_word(id));
    json_put(json, "schedule", json_of_text(doc->schedule));
    json_put(json, "kind", json_of_word(run_kind_text(doc->kind)));
    json_put(json, "slot", json_of_moment(doc->slot));
    json_put(json, "due", json_of_moment(doc->due));
    json_put(json, "state", json_of_word(run_state_text(doc->state)));
    json_put(json, "attempt", json_new_int(doc->attempt));
    json_put(json, "fence", json_new_int(doc->fence));
    json_put(json, "queue", json_of_text(doc->queue));
    json_put(json, "worker", json_of_text(doc->worker));
    json_put(json, "leaseUntil", json_of_moment(doc->lease_until));
    json_put(json, "source", source_json(doc->source));
    json_put(json, "input", input_json(doc));
    json_put(json, "createdAt", json_of_moment(doc->created_at));
    json_put(json, "startedAt", json_of_moment(doc->started_at));
    json_put(json, "endedAt", json_of_moment(doc->ended_at));
    put_end(json, doc);
    json_put(json, "lastRunAt", json_of_moment(doc->last_run_at));
    json_put(json, "idempotencyKey", json_of_word(id));
    return json;
}
