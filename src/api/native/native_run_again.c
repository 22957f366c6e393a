/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Retries an ended run, approves or rejects a run, and lists its attempts.
 */
#include "api/call/change.h"
#include "api/native/native.h"
#include "api/schedules/page.h"
#include "api/schedules/run_lookup.h"
#include "store/history.h"
#include "store/logs.h"
#include "store/text.h"

/* ---- retry ---- */

struct retry {
    struct run_id run;
    struct str schedule; /* its name */
};

enum call_step run_retry_begin(struct call *call)
{
    struct retry *retry = arena_take(call->arena, sizeof *retry);
    struct command *command = change_command(call, COMMAND_TRIGGER);
    enum call_step step;
    struct err err;

    if (request_run(call, 0, &retry->run, &err) != RC_OK ||
        request_query_check(call, NULL, 0, &err) != RC_OK || request_key(call, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    command->name = (struct str){NULL, 0};
    call->arg = retry;
    return request_empty(call, &step) ? CALL_READ : step;
}

enum call_step run_retry_read(struct call *call, struct db *db)
{
    struct retry *retry = call->arg;
    struct command *command = call->commands;
    const struct attempt_view *last;
    struct run_lookup found;
    struct err err;

    if (run_lookup_read(call, db, &retry->run, &found, &err) != RC_OK)
        return view_failed(call, &err);
    if (found.is_open)
        return call_problem(call, 409, "bad_state", "the run has not ended; it is %s",
                            run_state_text(found.open.run.state));
    last = &found.attempts[found.attempt_count - 1];
    if (last->row.kind == RUN_DIRECT)
        return call_problem(call, 409, "bad_state",
                            "the run has no schedule, so it cannot be retried");
    if (run_lookup_input(call, db, &found, &command->start.input, &err) != RC_OK)
        return view_failed(call, &err);
    retry->schedule = last->owner.schedule;
    command->kind = last->row.kind == RUN_TEST ? COMMAND_TEST : COMMAND_TRIGGER;
    command->schedule = retry->run.schedule;
    command->start.slot = last->row.slot;
    return CALL_COMMANDS;
}

enum call_step run_retry_settled(struct call *call)
{
    const struct retry *retry = call->arg;

    if (call->replies->rc == RC_NOT_FOUND)
        return call_problem(call, 404, "not_found", "schedule \"%.*s\" does not exist any more",
                            STR_ARG(retry->schedule));
    call->params[0] = retry->schedule;
    return change_run_settled(call);
}

/* ---- approval ---- */

struct approval {
    struct str reason;
};

static const struct member approval_list[] = {
    {"reason", MEMBER_TEXT, offsetof(struct approval, reason), .high = REASON_TEXT_MAX},
};
static const struct members approval_members = MEMBERS(approval_list);

static bool read_approval(struct call *call, enum command_kind kind, struct approval *ret,
                          enum call_step *ret_step)
{
    struct command *command = change_command(call, kind);
    const struct reading reading = {call->arena, false, ret};
    json_auto_t *json = NULL;
    struct err err;

    command->name = (struct str){NULL, 0};
    if (request_run(call, 0, &command->run.id, &err) == RC_OK &&
        request_query_check(call, NULL, 0, &err) == RC_OK && request_key(call, &err) == RC_OK) {
        if (!request_json(call, true, &json, ret_step))
            return false;
        if (members_read(&approval_members, json, &reading, &err) == RC_OK)
            return true;
    }
    *ret_step = call_refuse(call, NULL, &err);
    return false;
}

/* The reason is written to the log of the run. */
enum call_step run_approve_begin(struct call *call)
{
    struct approval approval = {0};
    struct log_line line = {.at = call->now, .stream = LOG_WORKER};
    struct buf text, packed;
    enum call_step step;

    if (!read_approval(call, COMMAND_APPROVE, &approval, &step))
        return step;
    if (approval.reason.len == 0)
        return CALL_COMMANDS;
    text = (struct buf){.cap = approval.reason.len + call->by.len + 32};
    text.ptr = arena_take(call->arena, text.cap);
    buf_text(&text, "approved by ");
    buf_str(&text, call->by);
    buf_text(&text, ": ");
    buf_str(&text, approval.reason);
    line.text = buf_as_str(&text);
    packed = (struct buf){.cap = text.len + LOG_LINE_HEAD + 1};
    packed.ptr = arena_take(call->arena, packed.cap);
    log_line_pack(&line, &packed);
    call->commands->run.log = buf_as_str(&packed);
    return CALL_COMMANDS;
}

/* The reason becomes the error message of the run. */
enum call_step run_reject_begin(struct call *call)
{
    struct approval approval = {.reason = STR("rejected")};
    struct answer out = answer_new(call->arena);
    enum call_step step;

    if (!read_approval(call, COMMAND_REJECT, &approval, &step))
        return step;
    answer_text(&out, "{\"code\":\"rejected\"");
    answer_put_text(&out, "message", approval.reason);
    answer_text(&out, ",\"retryable\":false}");
    call->commands->run.error = answer_done(&out);
    return CALL_COMMANDS;
}

/* ---- attempts ---- */

enum call_step run_attempts_begin(struct call *call)
{
    struct run_id *id = arena_take(call->arena, sizeof *id);
    struct err err;

    if (request_run(call, 0, id, &err) != RC_OK ||
        request_query_check(call, NULL, 0, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    call->arg = id;
    return CALL_READ;
}

static void print_attempt(struct answer *out, int index, const struct run_doc *doc)
{
    if (index > 0)
        answer_text(out, ",");
    answer_json(out, run_to_json(doc, RUN_FIELDS_ATTEMPT));
}

/* The ended attempts and the current one. */
enum call_step run_attempts_read(struct call *call, struct db *db)
{
    struct answer out = answer_new(call->arena);
    struct run_lookup found;
    struct run_doc doc;
    struct err err;

    if (run_lookup_read(call, db, call->arg, &found, &err) != RC_OK)
        return view_failed(call, &err);
    page_open(&out, "attempts");
    for (int i = 0; i < found.attempt_count; i++) {
        doc = view_attempt(&found.attempts[i], RUN_FIELDS_ATTEMPT, call->arena);
        print_attempt(&out, i, &doc);
    }
    if (found.is_open && run_is_claimed(found.open.run.state)) {
        doc = view_run(&found.open);
        doc.started_at = found.open.run.attempt_at;
        print_attempt(&out, found.attempt_count, &doc);
    }
    page_close(&out, (struct str){NULL, 0});
    return call_answer(call, 200, answer_done(&out));
}
