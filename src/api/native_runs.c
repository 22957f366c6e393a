/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run: shown with its attempts, cancelled, terminated.
 */
#include "api/answer.h"
#include "api/native.h"
#include "api/request.h"
#include "api/run_found.h"
#include "api/view.h"

static enum call_step change_begin(struct call *call, enum command_kind kind)
{
    struct command *command = arena_take(call->arena, sizeof *command);
    enum call_step step;
    struct err err;

    *command = (struct command){.kind = kind};
    call->commands = command;
    call->command_count = 1;
    if (request_run(call, 0, &command->run, &err) != RC_OK ||
        request_query_check(call, NULL, 0, &err) != RC_OK || request_key(call, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return request_empty(call, &step) ? CALL_COMMANDS : step;
}

enum call_step run_cancel_begin(struct call *call)
{
    return change_begin(call, COMMAND_CANCEL);
}

enum call_step run_terminate_begin(struct call *call)
{
    return change_begin(call, COMMAND_TERMINATE);
}

enum call_step run_change_settled(struct call *call)
{
    const struct reply *reply = call->replies;
    struct answer out = answer_new(call->arena);

    if (reply->rc == RC_NOT_FOUND)
        return CALL_READ;
    if (reply->rc != RC_OK)
        return call_refused(call, call->commands, reply);
    answer_text(&out, "{\"id\":");
    answer_quoted(&out, call->params[0]);
    answer_text(&out, "}");
    return call_answer(call, call->commands->kind == COMMAND_CANCEL ? 202 : 200,
                       answer_done(&out));
}

/* There is no open one: whether there was one is known here. */
enum call_step run_change_read(struct call *call, struct db *db)
{
    const struct history_row *last;
    struct run_found found;
    struct err err;

    if (run_found_read(call, db, &call->commands->run, &found, &err) != RC_OK)
        return view_failed(call, &err);
    if (found.attempt_count == 0)
        return call_problem(call, 409, "bad_state", "the run has ended meanwhile");
    last = &found.attempts[found.attempt_count - 1].row;
    return call_problem(call, 409, "bad_state", "the run is not open: it has ended as %s",
                        outcome_text(last->outcome));
}

/* Showing. */

enum call_step run_get_begin(struct call *call)
{
    struct run_id *id = arena_take(call->arena, sizeof *id);
    struct err err;

    if (request_run(call, 0, id, &err) != RC_OK ||
        request_query_check(call, NULL, 0, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    call->with = id;
    return CALL_READ;
}

/* The run is its last attempt; all that are over are listed beside it. */
enum call_step run_get_read(struct call *call, struct db *db)
{
    json_auto_t *attempts = json_new_list();
    struct answer out = answer_new(call->arena);
    struct run_found found;
    struct err err;
    json_t *run = NULL;

    if (run_found_read(call, db, call->with, &found, &err) != RC_OK)
        return view_failed(call, &err);
    for (int i = 0; i < found.attempt_count; i++) {
        struct run_doc doc;

        json_decref(run);
        run = NULL;
        if (view_attempt(&found.attempts[i], call->arena, &doc, &err) != RC_OK)
            return view_failed(call, &err);
        run = run_to_json(&doc);
        json_add(attempts, run_attempt_json(run));
    }
    if (found.is_open) {
        struct run_doc doc = view_run(&found.open);

        json_decref(run);
        run = run_to_json(&doc);
    }
    json_put(run, "attempts", json_incref(attempts));
    answer_json(&out, run);
    return call_answer(call, 200, answer_done(&out));
}
