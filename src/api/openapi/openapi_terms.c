/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The numbers and enum words of the code that the JSON texts may name as "@NAME".
 */
#include "api/access/roles.h"
#include "api/call/change.h"
#include "api/call/request.h"
#include "api/openapi/openapi_parts.h"
#include "api/schedules/log_lines.h"
#include "api/timeline/timeline.h"
#include "base/must.h"
#include "core/advance.h"
#include "core/cron/dialect.h"
#include "core/event.h"
#include "core/limits.h"
#include "core/outcome.h"
#include "core/plan.h"
#include "core/policy/governor.h"
#include "core/spec/spec_def.h"
#include "model/action.h"
#include "model/payload.h"
#include "model/policies_json.h"
#include "model/run_json.h"
#include "model/schedule_json.h"
#include "model/schedule_show.h"
#include "store/audit.h"

struct number {
    const char *name;
    int64_t value;
};

/* A constant by its name. */
#define NUMBER(name) \
    {                \
#name, name  \
    }

static const struct number numbers[] = {
    NUMBER(ACTION_ID_MAX),
    NUMBER(ACTION_NAME_MAX),
    NUMBER(BACKFILLS_MAX),
    NUMBER(BUFFER_LIMIT_MAX),
    NUMBER(BUFFER_LIMIT_DEFAULT),
    NUMBER(CALL_ITEMS_MAX),
    NUMBER(CALL_NAME_MAX),
    NUMBER(CRON_TEXT_MAX),
    NUMBER(DESCRIPTION_MAX),
    NUMBER(EXCEPTIONS_MAX),
    NUMBER(EXEC_ARGS_MAX),
    NUMBER(EXEC_ARG_BYTES_MAX),
    NUMBER(EXEC_BYTES_MAX),
    NUMBER(EXEC_COUNT_MAX),
    NUMBER(EXEC_ENV_MAX),
    NUMBER(EXEC_PATH_MAX),
    NUMBER(EXEC_USER_MAX),
    NUMBER(FIELDS_ASKED_MAX),
    NUMBER(GATE_LIMIT_MAX),
    NUMBER(HTTP_HEADERS_MAX),
    NUMBER(HTTP_HEADER_VALUE_MAX),
    NUMBER(HTTP_KEEP_BYTES),
    NUMBER(HTTP_KEEP_BYTES_MAX),
    NUMBER(HTTP_KEEP_HEADERS_MAX),
    NUMBER(HTTP_METHOD_MAX),
    NUMBER(HTTP_REDIRECTS_MAX),
    NUMBER(HTTP_URL_MAX),
    NUMBER(LABELS_MAX),
    NUMBER(LABEL_VALUE_MAX),
    NUMBER(LIMIT_DEFAULT),
    NUMBER(LIMIT_MAX),
    NUMBER(LOG_LINES_MAX),
    NUMBER(PLAN_TEXT_MAX),
    NUMBER(POLL_QUEUES_MAX),
    NUMBER(POLL_RUNS_MAX),
    NUMBER(PRIORITY_DEFAULT),
    NUMBER(PRIORITY_MAX),
    NUMBER(PRIORITY_MIN),
    NUMBER(REASON_TEXT_MAX),
    NUMBER(REMAINING_RUNS_MAX),
    NUMBER(RETENTION_COUNT_MAX),
    NUMBER(RETRY_ATTEMPTS_MAX),
    NUMBER(RRULE_TEXT_MAX),
    NUMBER(NAMESPACE_NAME_MAX),
    NUMBER(SCHEDULE_ID_MAX),
    NUMBER(SESSION_ID_MAX),
    NUMBER(SPEC_AT_MAX),
    NUMBER(SPEC_COMMENT_MAX),
    NUMBER(SPEC_DATES_MAX),
    NUMBER(SPEC_ENTRIES_MAX),
    NUMBER(SPEC_NAMED_MAX),
    NUMBER(SPEC_NAME_MAX),
    NUMBER(SUMMARY_MAX),
    NUMBER(ZONE_NAME_MAX),
    NUMBER(QUEUE_LIMIT_MAX),
    NUMBER(WORKFLOW_INPUT_MAX),
    NUMBER(TIMELINE_IDS_MAX),
    NUMBER(TIMELINE_SERIES_MAX),
    NUMBER(TIMELINE_SLOTS_MAX),
    NUMBER(TIMELINE_SLOTS_DEFAULT),
    NUMBER(TIMELINE_SCHEDULES_MAX),
};

/* The words of an enum, from the value `first` to `last`. */
struct words {
    const char *name;
    int first, last;
    const char *(*text)(int);
};

#define TEXT_OF(x)                     \
    static const char *x##_word(int i) \
    {                                  \
        return x##_text((enum x)i);    \
    }
#define WORDS(x, first, last)         \
    {                                 \
#x, (first), (last), x##_word \
    }

TEXT_OF(anchor)
TEXT_OF(audit_result)
TEXT_OF(backoff)
TEXT_OF(catchup)
TEXT_OF(dialect)
TEXT_OF(fold)
TEXT_OF(gap)
TEXT_OF(outcome)
TEXT_OF(overlap)
TEXT_OF(reason)
TEXT_OF(role)
TEXT_OF(run_kind)
TEXT_OF(run_state)
TEXT_OF(shift)
TEXT_OF(source)
TEXT_OF(window_rule)

static const char *event_word(int i)
{
    return event_text((enum event_type)i);
}

static const char *dst_word(int i)
{
    return dst_text((enum dst_name)i);
}

static const char *grant_field_word(int i)
{
    return grant_fields.names[i];
}

static const char *run_field_word(int i)
{
    return run_fields.names[i];
}

static const char *schedule_field_word(int i)
{
    return schedule_fields.names[i];
}

/* A name may be in several rows; it then has the words of all of them. */
static const struct words words[] = {
    WORDS(anchor, ANCHOR_EPOCH, ANCHOR_COMPLETION),
    WORDS(audit_result, AUDIT_DONE, AUDIT_RESULT_COUNT - 1),
    WORDS(backoff, BACKOFF_FIXED, BACKOFF_EXPONENTIAL),
    WORDS(catchup, 0, CATCHUP_COUNT - 1),
    WORDS(dialect, 0, DIALECT_COUNT - 1),
    WORDS(dst, DST_VIXIE, DST_SHIFT),
    {"event_type", EVENT_SCHEDULE_CREATED, EVENT_SCHEDULE_RELEASED, event_word},
    {"event_type", EVENT_RUN_PLANNED, EVENT_RUN_UNPLANNED, event_word},
    {"event_type", EVENT_SLOT_SKIPPED, EVENT_SLOT_CANCELLED, event_word},
    {"event_type", EVENT_BACKFILL_STARTED, EVENT_BACKFILL_ENDED, event_word},
    {"event_type", EVENT_LEASE_EXPIRED, EVENT_LEASE_STALE, event_word},
    {"event_type", EVENT_PLAN_MIDNIGHT, EVENT_PLAN_MIDNIGHT, event_word},
    {"event_type", EVENT_NODE_UP, EVENT_NODE_DOWN, event_word},
    {"event_type", EVENT_CLOCK_JUMP, EVENT_CLOCK_JUMP, event_word},
    {"event_type", EVENT_DAMAGED, EVENT_DAMAGED, event_word},
    WORDS(fold, FOLD_FIRST, FOLD_BOTH),
    WORDS(grant_field, 0, GRANT_FIELDS - 1),
    WORDS(gap, GAP_SKIP, GAP_SHIFT),
    WORDS(outcome, OUTCOME_STARTED, OUTCOME_SLOT_CANCELLED),
    WORDS(outcome, OUTCOME_SUCCEEDED, OUTCOME_UNKNOWN),
    {"slot_outcome", OUTCOME_STARTED, OUTCOME_SLOT_CANCELLED, outcome_word},
    {"run_outcome", OUTCOME_SUCCEEDED, OUTCOME_UNKNOWN, outcome_word},
    WORDS(overlap, 0, OVERLAP_COUNT - 1),
    WORDS(reason, REASON_OVERLAP, REASON_GOVERNOR),
    WORDS(reason, REASON_TARGET, REASON_LAST),
    WORDS(role, ROLE_VIEWER, ROLE_COUNT - 1),
    WORDS(run_field, 0, RUN_FIELDS - 1),
    {"run_list_field", 0, RUN_FIELD_ATTEMPTS - 1, run_field_word},
    WORDS(run_kind, RUN_SLOT, RUN_TEST),
    WORDS(run_state, RUN_HELD, RUN_ENDED),
    WORDS(schedule_field, 0, SCHEDULE_FIELDS - 1),
    WORDS(shift, SHIFT_NONE, SHIFT_PREVIOUS),
    WORDS(source, 0, SOURCE_COUNT - 1),
    WORDS(window_rule, WINDOW_CLAMP, WINDOW_FILTER),
};

static void add_words(json_t *list, const struct words *row)
{
    for (int i = row->first; i <= row->last; i++)
        if (!openapi_has_word(list, row->text(i)))
            json_add(list, json_new_str(str_of(row->text(i))));
}

json_t *openapi_term(const char *name)
{
    struct str key = str_of(name);
    bool has_null = key.len > 0 && name[key.len - 1] == '?';
    json_t *list = json_new_list();

    key.len -= has_null;
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (str_eq(key, str_of(numbers[i].name))) {
            json_decref(list);
            return json_new_int(numbers[i].value);
        }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (str_eq(key, str_of(words[i].name)))
            add_words(list, &words[i]);
    must(json_array_size(list) > 0); /* the texts are part of the program and tested */
    if (has_null)
        json_add(list, json_null());
    return list;
}
