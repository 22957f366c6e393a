/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills the document of a Temporal schedule and compiles it.
 */
#include "api/temporal/temporal_draft.h"

#include "api/schedules/schedule_compile.h"
#include "api/temporal/temporal.h"
#include "base/hash.h"
#include "model/policies_json.h"
#include "wire/base64.h"

enum {
    START_ATTEMPTS = 10, /* as Temporal's server tries to start a workflow */
    FINGERPRINT_MAX = 17,
    REUSE_ALLOW = 1, /* WorkflowIdReusePolicy: the only value that schedules accept */
};

struct str temporal_spec_fingerprint(struct str stored, struct arena *arena)
{
    struct buf text = {.ptr = arena_take(arena, FINGERPRINT_MAX), .cap = FINGERPRINT_MAX};

    buf_hex(&text, hash_u64(hash_bytes(stored.ptr, stored.len, 0)));
    return buf_as_str(&text);
}

/* ---- the action ---- */

static bool is_negative(const Temporal__Duration *duration)
{
    return duration && (duration->seconds < 0 || duration->nanos < 0);
}

static const char *timeout_problem(const Temporal__NewWorkflowExecutionInfo *w)
{
    if (is_negative(w->workflow_execution_timeout))
        return "An invalid WorkflowExecutionTimeoutSeconds is set on request. cause: "
               "negative duration";
    if (is_negative(w->workflow_run_timeout))
        return "An invalid WorkflowRunTimeoutSeconds is set on request. cause: "
               "negative duration";
    return is_negative(w->workflow_task_timeout)
               ? "An invalid WorkflowTaskTimeoutSeconds is set on request. cause: "
                 "negative duration"
               : NULL;
}

static const char *name_problem(const Temporal__NewWorkflowExecutionInfo *w)
{
    if (!w->workflow_type || w->workflow_type->name[0] == '\0')
        return "WorkflowType is not set on request.";
    if (strlen(w->workflow_type->name) > ACTION_NAME_MAX)
        return "WorkflowType length exceeds limit.";
    if (!w->task_queue)
        return "taskQueue is not set";
    if (w->task_queue->name[0] == '\0')
        return "missing task queue name";
    if (strlen(w->task_queue->name) > ACTION_NAME_MAX)
        return "taskQueue length exceeds limit";
    if (str_starts(str_of(w->task_queue->name), STR("/_sys/")))
        return "task queue name cannot start with reserved prefix /_sys/";
    return NULL;
}

/* NULL: the action is valid. */
static const char *action_problem(const Temporal__ScheduleAction *action)
{
    const Temporal__NewWorkflowExecutionInfo *w;

    if (!action || action->action_case != TEMPORAL__SCHEDULE_ACTION__ACTION_START_WORKFLOW)
        return "Only StartWorkflow action is supported for schedules";
    w = action->start_workflow;
    if (name_problem(w))
        return name_problem(w);
    if (w->cron_schedule[0] != '\0')
        return "Scheduled workflow must not contain CronSchedule";
    if (w->workflow_id_reuse_policy != 0 && w->workflow_id_reuse_policy != REUSE_ALLOW)
        return "Scheduled workflow must not contain WorkflowIDReusePolicy";
    return timeout_problem(w);
}

/* Payloads are stored once, with the schedule; each start sends them. */
static size_t packed_size(const void *message)
{
    return message ? protobuf_c_message_get_packed_size(message) : 0;
}

static bool has_large_payloads(const struct temporal_stored *wanted)
{
    const Temporal__NewWorkflowExecutionInfo *w = wanted->schedule->action->start_workflow;

    return packed_size(wanted->memo) + packed_size(w->input) + packed_size(w->memo) +
               packed_size(w->header) >
           TEMPORAL_BLOB_MAX;
}

void temporal_id_too_long(size_t len, struct err *reterr)
{
    err_set(reterr, RC_INVALID, -1, 0, "WorkflowId exceeds maximum allowed length (%zu/%d)",
            len, TEMPORAL_ID_MAX);
}

/* ---- policies ---- */

/* Also rounds down to whole milliseconds, the precision of policies. */
static span clamp_ms(span s, span low, span high)
{
    return s < low ? low : s > high ? high : s - s % SPAN_MS;
}

static void read_retry(const Temporal__RetryPolicy *from, struct retry_policy *to)
{
    if (!from)
        return;
    to->attempts = from->maximum_attempts < 1                    ? RETRY_ATTEMPTS_MAX
                   : from->maximum_attempts > RETRY_ATTEMPTS_MAX ? RETRY_ATTEMPTS_MAX
                                                                 : from->maximum_attempts;
    if (from->initial_interval)
        to->delay = clamp_ms(temporal_span(from->initial_interval), 0, RETRY_WAIT_MAX);
    to->max = from->maximum_interval
                  ? clamp_ms(temporal_span(from->maximum_interval), 0, RETRY_WAIT_MAX)
                  : clamp_ms(100 * to->delay, 0, RETRY_WAIT_MAX); /* Temporal's default */
    if (to->max < to->delay)
        to->max = to->delay;
    if (from->backoff_coefficient == 1)
        to->backoff = BACKOFF_FIXED;
}

static void read_timeouts(const Temporal__NewWorkflowExecutionInfo *w, struct policies *to)
{
    span run = w->workflow_run_timeout ? temporal_span(w->workflow_run_timeout) : 0;
    span all = w->workflow_execution_timeout ? temporal_span(w->workflow_execution_timeout) : 0;

    to->timeout = run > 0 ? clamp_ms(run, ATTEMPT_TIME_MIN, RUN_TIME_MAX) : 0;
    to->max_run_time = all > 0 ? clamp_ms(all, ATTEMPT_TIME_MIN, RUN_TIME_MAX) : 0;
    if (to->max_run_time > 0 && to->timeout > to->max_run_time)
        to->timeout = to->max_run_time;
}

/* Zero and negative values count as unset. */
static span catchup_window(const Temporal__SchedulePolicies *policies)
{
    span window = policies && policies->catchup_window ? temporal_span(policies->catchup_window)
                                                       : 0;

    return window <= 0 ? TEMPORAL_CATCHUP : clamp_ms(window, TEMPORAL_CATCHUP_MIN, LATE_MAX);
}

/* If an upstream runs the workflow, it applies the retry policy and the timeouts itself. */
static void read_limits(const Temporal__NewWorkflowExecutionInfo *w, bool has_upstream,
                        struct policies *to)
{
    to->retry = (struct retry_policy){has_upstream ? 1 : START_ATTEMPTS, BACKOFF_EXPONENTIAL,
                                      SPAN_S, SPAN_MIN, 0};
    to->timeout = to->max_run_time = 0;
    if (has_upstream)
        return;
    read_retry(w->retry_policy, &to->retry);
    read_timeouts(w, to);
}

static void read_policies(const Temporal__Schedule *schedule, bool has_upstream,
                          struct policies *to)
{
    const Temporal__SchedulePolicies *from = schedule->policies;
    const Temporal__ScheduleState *state = schedule->state;

    to->overlap = OVERLAP_SKIP;
    if (from && from->overlap_policy != 0)
        to->overlap = temporal_overlap(from->overlap_policy);
    to->catchup = CATCHUP_ALL;
    to->catchup_window = catchup_window(from);
    to->drop_when_full = true;
    to->expires_at_start = true;
    to->pause_on_failure = from && from->pause_on_failure;
    read_limits(schedule->action->start_workflow, has_upstream, to);
    to->wants_last = true;
    to->idle_close = 7 * SPAN_DAY;
    to->remaining_runs = -1;
    if (state && state->limited_actions)
        to->remaining_runs = state->remaining_actions > REMAINING_RUNS_MAX
                                 ? REMAINING_RUNS_MAX
                                 : state->remaining_actions;
}

/* ---- what is stored ---- */

static void put_message(json_t *object, const char *name, const ProtobufCMessage *message,
                        struct arena *arena)
{
    struct str packed;
    struct buf text;

    if (!message)
        return;
    packed = proto_pack(message, arena);
    text = (struct buf){.cap = BASE64_ROOM(packed.len)};
    text.ptr = arena_take(arena, text.cap);
    base64_add(packed, &text);
    json_put(object, name, json_new_str(buf_as_str(&text)));
}

/*
 * Stores the canonical spec, the policies, and the remaining actions as sent, which count only
 * while actions are limited; the rest is in other columns of the row.
 */
static enum rc keep_extra(const struct temporal_stored *wanted,
                          const struct temporal_spec *spec, struct arena *arena,
                          struct schedule_doc *doc, struct err *reterr)
{
    Temporal__Schedule schedule = TEMPORAL__SCHEDULE__INIT;
    Temporal__ScheduleState state = TEMPORAL__SCHEDULE_STATE__INIT;
    json_auto_t *extra = json_new_object();
    json_t *stored = json_new_object();
    struct str text;
    enum rc rc = schedule_keep_spec(&doc->spec, arena, &text, reterr);

    json_put(extra, "temporal", stored);
    if (rc != RC_OK)
        return rc;
    schedule.spec = temporal_spec_message(spec, arena);
    schedule.policies = wanted->schedule->policies;
    if (wanted->schedule->state && wanted->schedule->state->remaining_actions != 0) {
        state.remaining_actions = wanted->schedule->state->remaining_actions;
        schedule.state = &state;
    }
    put_message(stored, "schedule", &schedule.base, arena);
    put_message(stored, "memo", wanted->memo ? &wanted->memo->base : NULL, arena);
    put_message(stored, "searchAttributes",
                wanted->search_attributes ? &wanted->search_attributes->base : NULL, arena);
    json_put(stored, "specPrint", json_new_str(temporal_spec_fingerprint(text, arena)));
    rc = json_keep(extra, EXTRA_MAX, arena, &doc->extra, reterr);
    return rc == RC_OK ? RC_OK : err_in(reterr, "extra");
}

/* ---- the document ---- */

static enum rc read_spec(const Temporal__Schedule *schedule, struct arena *arena,
                         struct temporal_spec *ret, struct err *reterr)
{
    struct temporal_spec given;
    enum rc rc = temporal_spec_of(schedule->spec, arena, &given, reterr);

    if (rc == RC_OK)
        rc = temporal_canonical(&given, arena, ret, reterr);
    if (rc == RC_OK)
        return rc;
    err_in(reterr, "spec");
    return reterr->rc = RC_INVALID;
}

static enum rc read_action(const struct temporal_stored *wanted, struct arena *arena,
                           struct action *ret, struct err *reterr)
{
    const Temporal__Schedule *schedule = wanted->schedule;
    const char *problem = action_problem(schedule->action);
    size_t id_len;

    if (problem)
        return err_set(reterr, RC_INVALID, -1, 0, "%s", problem);
    id_len = strlen(schedule->action->start_workflow->workflow_id) + TEMPORAL_ID_SUFFIX;
    if (id_len > TEMPORAL_ID_MAX) {
        temporal_id_too_long(id_len, reterr);
        return reterr->rc;
    }
    if (has_large_payloads(wanted))
        return err_set(reterr, RC_INVALID, -1, 0, "Blob data size exceeds limit.");
    if (temporal_workflow_action(schedule->action->start_workflow, arena, ret, reterr) == RC_OK)
        return RC_OK;
    return err_in(reterr, "action");
}

static enum rc check_id(struct str id, struct err *reterr)
{
    if (path_name_check(id, reterr) == RC_OK)
        return RC_OK;
    return err_in(reterr, "schedule_id");
}

static enum rc fill_document(const struct call *call, const struct temporal_stored *wanted,
                             struct schedule_doc *doc, struct err *reterr)
{
    const struct api_context *context = call->context;
    struct temporal_spec spec;
    enum rc rc = read_spec(wanted->schedule, call->arena, &spec, reterr);

    if (rc == RC_OK)
        rc = read_action(wanted, call->arena, &doc->action, reterr);
    if (rc == RC_OK)
        rc = check_id(doc->id, reterr);
    if (rc != RC_OK)
        return rc;
    read_policies(wanted->schedule,
                  context->has_upstream(context->arg, call->namespace_name, STR("")),
                  &doc->policies);
    doc->spec = temporal_spec_def(&spec, call->arena);
    doc->spec.calendar_dialect = DIALECT_BELFRY; /* that of every stored spec */
    return keep_extra(wanted, &spec, call->arena, doc, reterr);
}

enum rc temporal_draft(struct call *call, struct str id, const struct temporal_stored *wanted,
                       struct draft **ret, struct err *reterr)
{
    static Temporal__Schedule empty = TEMPORAL__SCHEDULE__INIT;
    struct schedule_doc doc = schedule_doc_initial(call, id);
    struct temporal_stored complete = *wanted;
    enum rc rc;

    if (!complete.schedule)
        complete.schedule = &empty;
    rc = fill_document(call, &complete, &doc, reterr);
    if (rc == RC_OK)
        rc = schedule_compile(call, &doc, DIALECTS_TEMPORAL, ret, reterr);
    /* A document that is too large never becomes valid. */
    return rc == RC_LIMIT ? reterr->rc = RC_INVALID : rc;
}
