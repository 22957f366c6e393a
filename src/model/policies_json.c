/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads and prints a schedule's policies by a table of members.
 */
#include "model/policies_json.h"

#include <string.h>

#include "core/plan.h"
#include "core/time/text.h"

#define AT(member) .offset = offsetof(struct policies, member)

WORD_FUNCTIONS(overlap)
WORD_FUNCTIONS(catchup)
WORD_FUNCTIONS(backoff)

static const struct member catchup_list[] = {
    {"mode", MEMBER_WORD, AT(catchup), .parse = parse_catchup, .text = catchup_word},
    {"window", MEMBER_SPAN, AT(catchup_window), .high = LATE_MAX, .has_none = true,
     .none = CATCHUP_WINDOW_NONE},
    {"whilePaused", MEMBER_BOOL, AT(catchup_paused)},
    {"whenFull", MEMBER_CHOICE, AT(drop_when_full), .words = {"wait", "drop"}},
    {"expires", MEMBER_CHOICE, AT(expires_at_start), .words = {"waiting", "starting"},
     .show = SHOW_CHANGED},
};

static const struct member retry_list[] = {
    {"attempts", MEMBER_INT32, AT(retry.attempts), .low = 1, .high = RETRY_ATTEMPTS_MAX},
    {"backoff", MEMBER_WORD, AT(retry.backoff), .parse = parse_backoff, .text = backoff_word},
    {"delay", MEMBER_SPAN, AT(retry.delay), .high = RETRY_WAIT_MAX},
    {"max", MEMBER_SPAN, AT(retry.max), .high = RETRY_WAIT_MAX},
    {"jitter", MEMBER_SPAN, AT(retry.jitter), .high = RETRY_WAIT_MAX},
};

static const struct member lease_list[] = {
    {"for", MEMBER_SPAN, AT(lease), .low = LEASE_MIN, .high = LEASE_MAX},
    {"heartbeat", MEMBER_SPAN, AT(heartbeat), .low = HEARTBEAT_MIN, .high = LEASE_MAX},
    {"grace", MEMBER_SPAN, AT(grace), .high = LEASE_MAX},
};

static const struct member concurrency_list[] = {
    {"key", MEMBER_TEXT, AT(gate), .high = PLAN_TEXT_MAX, .check = path_name_check,
     .is_required = true},
    {"limit", MEMBER_INT32, AT(gate_limit), .low = 1, .high = GATE_LIMIT_MAX,
     .is_required = true},
    {"until", MEMBER_CHOICE, AT(gate_until_started), .words = {"ended", "started"},
     .show = SHOW_CHANGED},
};

static const struct member retention_list[] = {
    {"age", MEMBER_SPAN, AT(retention_age), .high = RETENTION_MAX},
    {"count", MEMBER_INT32, AT(retention_count), .low = 1, .high = RETENTION_COUNT_MAX,
     .has_none = true},
};

static const struct members catchup_members = MEMBERS(catchup_list);
static const struct members retry_members = MEMBERS(retry_list);
static const struct members lease_members = MEMBERS(lease_list);
static const struct members concurrency_members = MEMBERS(concurrency_list);
static const struct members retention_members = MEMBERS(retention_list);

static const struct member policies_list[] = {
    {"overlap", MEMBER_WORD, AT(overlap), .parse = parse_overlap, .text = overlap_word},
    {"bufferLimit", MEMBER_INT32, AT(buffer_limit), .high = BUFFER_LIMIT_MAX},
    {"catchup", MEMBER_OBJECT, .members = &catchup_members},
    {"pauseOnFailure", MEMBER_BOOL, AT(pause_on_failure)},
    {"remainingRuns", MEMBER_INT64, AT(remaining_runs), .high = REMAINING_RUNS_MAX,
     .has_none = true, .none = -1},
    {"startWithin", MEMBER_SPAN, AT(start_within), .high = LATE_MAX, .has_none = true},
    {"retry", MEMBER_OBJECT, .members = &retry_members},
    {"timeout", MEMBER_SPAN, AT(timeout), .low = ATTEMPT_TIME_MIN, .high = RUN_TIME_MAX,
     .or_zero = true, .has_none = true},
    {"maxRunTime", MEMBER_SPAN, AT(max_run_time), .low = ATTEMPT_TIME_MIN, .high = RUN_TIME_MAX,
     .or_zero = true},
    {"lease", MEMBER_OBJECT, .members = &lease_members},
    {"priority", MEMBER_INT32, AT(priority), .low = PRIORITY_MIN, .high = PRIORITY_MAX},
    {"concurrency", MEMBER_OBJECT, AT(gate), .members = &concurrency_members, .has_none = true},
    {"approval", MEMBER_BOOL, AT(approval)},
    {"delivery", MEMBER_CHOICE, AT(at_most_once), .words = {"atLeastOnce", "atMostOnce"}},
    {"latenessBudget", MEMBER_SPAN, AT(lateness_budget), .high = LATE_MAX, .has_none = true},
    {"retention", MEMBER_OBJECT, .members = &retention_members},
    {"lastResult", MEMBER_BOOL, AT(wants_last), .show = SHOW_CHANGED},
    {"idleClose", MEMBER_SPAN, AT(idle_close), .high = LATE_MAX, .has_none = true,
     .show = SHOW_CHANGED},
};

static const struct members policies_members = MEMBERS(policies_list);

static enum rc set_too_long(const char *field, const char *other, span limit,
                            struct err *reterr)
{
    char text[DURATION_TEXT_MAX];
    struct buf out = BUF(text);

    duration_format(limit, &out);
    err_set(reterr, RC_INVALID, -1, 0, "is longer than %s, which is %s", other, text);
    return err_in(reterr, "%s", field);
}

/* The first retry delay must not exceed its maximum, nor the heartbeat interval the lease. */
static enum rc check_together(const struct policies *p, struct err *reterr)
{
    if (p->retry.delay > p->retry.max)
        return set_too_long("retry.delay", "retry.max", p->retry.max, reterr);
    if (p->heartbeat > p->lease)
        return set_too_long("lease.heartbeat", "lease.for", p->lease, reterr);
    return RC_OK;
}

enum rc policies_from_json(const json_t *json, const struct policies *initial,
                           struct arena *arena, bool is_lenient, struct policies *ret,
                           struct err *reterr)
{
    struct policies policies = *initial;
    const struct reading reading = {arena, is_lenient, &policies};
    enum rc rc = members_read(&policies_members, json, &reading, reterr);

    if (rc == RC_OK)
        rc = check_together(&policies, reterr);
    if (rc == RC_OK)
        *ret = policies;
    return rc;
}

json_t *policies_print(const struct policies *policies, const struct policies *initial,
                       enum spec_form form)
{
    return members_print(&policies_members, policies, initial, form);
}

json_t *policies_to_json(const struct policies *policies, enum spec_form form)
{
    struct policies initial = policies_default();

    return policies_print(policies, &initial, form);
}

struct str policies_keep(const struct policies *policies, struct arena *arena)
{
    struct policies initial = policies_default();

    /* A bytewise equal struct need not be compared member by member. */
    if (memcmp(policies, &initial, sizeof initial) == 0)
        return STR("{}");
    return members_keep(&policies_members, policies, &initial, arena);
}
