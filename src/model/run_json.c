/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints runs as native JSON, and converts their results to and from stored texts.
 */
#include "model/run_json.h"

#include "base/must.h"
#include "core/policy/governor.h"

#define AT(member)          .offset = offsetof(struct run_result, member)
#define JSON_OF(name, size) MEMBER_JSON, AT(name), .high = (size), .has_none = true
#define TEXT_OF(name, size) MEMBER_TEXT, AT(name), .high = (size), .has_none = true

/* In the order of the run's object. */
#define RESULT_LIST(max)                                                              \
    {                                                                                 \
        {"result", JSON_OF(result, max)}, {"summary", TEXT_OF(summary, SUMMARY_MAX)}, \
            {"refs", JSON_OF(refs, REFS_MAX)}, {"llm", JSON_OF(llm, REFS_MAX)},       \
            {"tools", JSON_OF(tools, REFS_MAX)},                                      \
            {"sessionId", TEXT_OF(session_id, SESSION_ID_MAX)},                       \
            {"threadId", TEXT_OF(thread_id, SESSION_ID_MAX)},                         \
    }

static const struct member result_list[] = RESULT_LIST(RESULT_MAX);
static const struct member kept_list[] = RESULT_LIST(RESULT_KEPT_MAX);

static const struct members result_members = MEMBERS(result_list);
static const struct members kept_members = MEMBERS(kept_list);

static enum rc read_members(const struct members *members, const json_t *json,
                            struct arena *arena, struct run_result *ret, struct err *reterr)
{
    struct run_result result = {0};
    const struct reading reading = {arena, true, &result};
    enum rc rc = members_read(members, json, &reading, reterr);

    if (rc == RC_OK)
        *ret = result;
    return rc;
}

enum rc run_result_from_json(const json_t *json, struct arena *arena, struct run_result *ret,
                             struct err *reterr)
{
    return read_members(&result_members, json, arena, ret, reterr);
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
        return err_set(reterr, RC_CORRUPT, -1, 0, "the stored result is not JSON");
    if (read_members(&kept_members, json, arena, ret, reterr) != RC_OK)
        return reterr->rc = RC_CORRUPT;
    return RC_OK;
}

struct str run_result_value(struct str text, struct arena *arena)
{
    struct run_result result = {0};
    struct err err;

    if (text.len > 0 && run_result_recall(text, arena, &result, &err) != RC_OK)
        return (struct str){0};
    return result.result.len <= RESULT_MAX ? result.result : (struct str){0};
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

/* The JSON object in a text, or NULL. */
static json_t *parse_object(struct str text)
{
    json_t *json = text.len > 0 && text.ptr[0] == '{' ? json_of_kept(text) : NULL;

    if (json_is_object(json))
        return json;
    json_decref(json);
    return NULL;
}

static json_t *input_json(const struct run_doc *doc)
{
    json_t *json = parse_object(doc->input);

    return json ? json : json_new_object();
}

/* The reported error; if a failure has none, a sentence about its reason. */
static struct str error_text(const struct run_doc *doc)
{
    const char *sentence = outcome_is_failure(doc->outcome) ? reason_sentence(doc->reason)
                                                            : NULL;

    return doc->error.len == 0 && sentence ? str_of(sentence) : doc->error;
}

/* A text without a code gets the reason as its code; whether a retry makes sense is unknown. */
static json_t *error_json(const struct run_doc *doc)
{
    json_t *json = parse_object(doc->error);
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
    json_t *json = parse_object(doc->progress);

    return json ? json : json_of_text(doc->progress);
}

static json_t *source_json(int64_t source)
{
    return source > 0 ? json_of_word(source_text((enum source)(source - 1))) : json_null();
}

static json_t *id_json(const struct run_id *id)
{
    char text[RUN_ID_TEXT_MAX];

    run_id_format(id, text);
    return json_of_word(text);
}

static json_t *stored_json(struct str text)
{
    json_t *json = text.len > 0 ? json_of_kept(text) : NULL;

    return json ? json : json_null();
}

static const char *const names[RUN_FIELDS] = {
    [RUN_FIELD_ID] = "id",
    [RUN_FIELD_SCHEDULE] = "schedule",
    [RUN_FIELD_KIND] = "kind",
    [RUN_FIELD_SLOT] = "slot",
    [RUN_FIELD_DUE] = "due",
    [RUN_FIELD_STATE] = "state",
    [RUN_FIELD_ATTEMPT] = "attempt",
    [RUN_FIELD_FENCE] = "fence",
    [RUN_FIELD_QUEUE] = "queue",
    [RUN_FIELD_WORKER] = "worker",
    [RUN_FIELD_LEASE_UNTIL] = "leaseUntil",
    [RUN_FIELD_SOURCE] = "source",
    [RUN_FIELD_INPUT] = "input",
    [RUN_FIELD_CREATED_AT] = "createdAt",
    [RUN_FIELD_STARTED_AT] = "startedAt",
    [RUN_FIELD_ENDED_AT] = "endedAt",
    [RUN_FIELD_OUTCOME] = "outcome",
    [RUN_FIELD_REASON] = "reason",
    [RUN_FIELD_ERROR] = "error",
    [RUN_FIELD_PROGRESS] = "progress",
    [RUN_FIELD_RESULT] = "result",
    [RUN_FIELD_SUMMARY] = "summary",
    [RUN_FIELD_REFS] = "refs",
    [RUN_FIELD_LLM] = "llm",
    [RUN_FIELD_TOOLS] = "tools",
    [RUN_FIELD_SESSION_ID] = "sessionId",
    [RUN_FIELD_THREAD_ID] = "threadId",
    [RUN_FIELD_LAST_RUN_AT] = "lastRunAt",
    [RUN_FIELD_IDEMPOTENCY_KEY] = "idempotencyKey",
    [RUN_FIELD_ATTEMPTS] = "attempts",
};

const struct field_names run_fields = {names, RUN_FIELDS, FIELD(RUN_FIELD_ID)};
const struct field_names run_list_fields = {names, RUN_FIELD_ATTEMPTS, FIELD(RUN_FIELD_ID)};

/* Fields of a run's end. */
static json_t *end_json(const struct run_doc *doc, enum run_field field)
{
    const struct run_result *result = &doc->result;

    switch (field) {
    case RUN_FIELD_ENDED_AT:
        return json_of_moment(doc->ended_at);
    case RUN_FIELD_OUTCOME:
        return doc->outcome == OUTCOME_NONE ? json_null()
                                            : json_of_word(outcome_text(doc->outcome));
    case RUN_FIELD_REASON:
        return doc->reason == REASON_NONE ? json_null()
                                          : json_of_word(reason_text(doc->reason));
    case RUN_FIELD_ERROR:
        return error_json(doc);
    case RUN_FIELD_PROGRESS:
        return progress_json(doc);
    case RUN_FIELD_RESULT:
        return stored_json(result->result);
    case RUN_FIELD_SUMMARY:
        return json_of_text(result->summary);
    case RUN_FIELD_REFS:
        return stored_json(result->refs);
    case RUN_FIELD_LLM:
        return stored_json(result->llm);
    case RUN_FIELD_TOOLS:
        return stored_json(result->tools);
    case RUN_FIELD_SESSION_ID:
        return json_of_text(result->session_id);
    case RUN_FIELD_THREAD_ID:
        return json_of_text(result->thread_id);
    default:
        return json_null();
    }
}

/* Fields that a run has from the beginning. */
static json_t *run_json(const struct run_doc *doc, enum run_field field)
{
    switch (field) {
    case RUN_FIELD_ID:
    case RUN_FIELD_IDEMPOTENCY_KEY:
        return id_json(&doc->id);
    case RUN_FIELD_SCHEDULE:
        return json_of_text(doc->schedule);
    case RUN_FIELD_KIND:
        return json_of_word(run_kind_text(doc->kind));
    case RUN_FIELD_SLOT:
        return json_of_moment(doc->slot);
    case RUN_FIELD_DUE:
        return json_of_moment(doc->due);
    case RUN_FIELD_STATE:
        return json_of_word(run_state_text(doc->state));
    case RUN_FIELD_ATTEMPT:
        return json_new_int(doc->attempt);
    case RUN_FIELD_FENCE:
        return json_new_int(doc->fence);
    case RUN_FIELD_QUEUE:
        return json_of_text(doc->queue);
    case RUN_FIELD_WORKER:
        return json_of_text(doc->worker);
    case RUN_FIELD_LEASE_UNTIL:
        return json_of_moment(doc->lease_until);
    case RUN_FIELD_SOURCE:
        return source_json(doc->source);
    case RUN_FIELD_INPUT:
        return input_json(doc);
    case RUN_FIELD_CREATED_AT:
        return json_of_moment(doc->created_at);
    case RUN_FIELD_STARTED_AT:
        return json_of_moment(doc->started_at);
    case RUN_FIELD_LAST_RUN_AT:
        return json_of_moment(doc->last_run_at);
    default:
        return end_json(doc, field);
    }
}

json_t *run_to_json(const struct run_doc *doc, field_set fields)
{
    json_t *json = json_new_object();

    for (int i = 0; i < RUN_FIELD_ATTEMPTS; i++)
        if (fields_have(fields, i))
            json_put(json, names[i], run_json(doc, (enum run_field)i));
    return json;
}
