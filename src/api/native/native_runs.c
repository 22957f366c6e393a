/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows a run with its attempts, cancels and terminates it.
 */
#include "api/call/answer.h"
#include "api/call/request.h"
#include "api/native/native.h"
#include "api/schedules/run_lookup.h"
#include "api/schedules/view.h"

enum call_step run_change_begin(struct call *call)
{
    struct command *command = arena_take(call->arena, sizeof *command);
    enum call_step step;
    struct err err;

    *command = (struct command){.kind = call->operation->command};
    call->commands = command;
    call->command_count = 1;
    if (request_run(call, 0, &command->run.id, &err) != RC_OK ||
        request_query_check(call, NULL, 0, &err) != RC_OK || request_key(call, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return request_empty(call, &step) ? CALL_COMMANDS : step;
}

enum call_step run_change_settled(struct call *call)
{
    const struct reply *reply = call->replies;
    struct answer out = answer_new(call->arena);

    if (reply->rc == RC_NOT_FOUND)
        return CALL_READ;
    if (reply->rc != RC_OK)
        return call_refused(call, call->commands, reply);
    answer_open(&out);
    answer_put_text(&out, "id", call->params[0]);
    answer_text(&out, "}");
    return call_answer(call, call->commands->kind == COMMAND_CANCEL ? 202 : 200,
                       answer_done(&out));
}

/* No open run has this id: find out whether it has ended or never existed. */
enum call_step run_change_read(struct call *call, struct db *db)
{
    const struct history_row *last;
    struct run_lookup found;
    struct err err;

    if (run_lookup_read(call, db, &call->commands->run.id, &found, &err) != RC_OK)
        return view_failed(call, &err);
    if (found.attempt_count == 0)
        return call_problem(call, 409, "bad_state", "the run has just ended");
    last = &found.attempts[found.attempt_count - 1].row;
    return call_problem(call, 409, "bad_state", "the run is not open; it ended as %s",
                        outcome_text(last->outcome));
}

/* Showing. */

struct run_query {
    struct run_id id;
    field_set fields;
};

enum call_step run_get_begin(struct call *call)
{
    static const char *const names[] = {"fields"};
    struct run_query *query = arena_take(call->arena, sizeof *query);
    struct err err;

    if (request_run(call, 0, &query->id, &err) != RC_OK ||
        request_query_check(call, names, 1, &err) != RC_OK ||
        request_fields(call, &run_fields, &query->fields, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    call->arg = query;
    return CALL_READ;
}

static json_t *attempts_json(const struct call *call, const struct run_lookup *found)
{
    json_t *list = json_new_list();

    for (int i = 0; i < found->attempt_count; i++) {
        struct run_doc doc = view_attempt(&found->attempts[i], RUN_FIELDS_ATTEMPT, call->arena);

        json_add(list, run_to_json(&doc, RUN_FIELDS_ATTEMPT));
    }
    return list;
}

/* An ended run is shown as its last attempt; `attempts` lists all ended attempts. */
enum call_step run_get_read(struct call *call, struct db *db)
{
    const struct run_query *query = call->arg;
    bool has_attempts = fields_have(query->fields, RUN_FIELD_ATTEMPTS);
    struct answer out = answer_new(call->arena);
    struct run_lookup found;
    struct run_doc doc;
    struct err err;
    json_t *run;

    if ((has_attempts ? run_lookup_read : run_lookup_last)(call, db, &query->id, &found,
                                                           &err) != RC_OK)
        return view_failed(call, &err);
    doc = found.is_open ? view_run(&found.open)
                        : view_attempt(&found.attempts[found.attempt_count - 1], query->fields,
                                       call->arena);
    if (!found.is_open && fields_have(query->fields, RUN_FIELD_INPUT) &&
        run_lookup_input(call, db, &found, &doc.input, &err) != RC_OK)
        return view_failed(call, &err);
    run = run_to_json(&doc, query->fields);
    if (has_attempts)
        json_put(run, "attempts", attempts_json(call, &found));
    answer_json(&out, run);
    return call_answer(call, 200, answer_done(&out));
}
