/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Gates: named limits on the number of runs at the same time.
 */
#include "api/call/change.h"
#include "api/native/native.h"
#include "api/schedules/page.h"
#include "api/schedules/view.h"
#include "core/policy/policies.h"
#include "model/member.h"
#include "store/named_objects.h"
#include "wire/json/json_text.h"

struct gate_body {
    int64_t limit;
};

static const struct member gate_list[] = {
    {"limit", MEMBER_INT64, .offset = offsetof(struct gate_body, limit), .low = 1,
     .high = GATE_LIMIT_MAX, .is_required = true},
};

static const struct members gate_members = MEMBERS(gate_list);

enum call_step gate_put_begin(struct call *call)
{
    struct command *command = change_command(call, COMMAND_GATE);
    struct gate_body body = {0};
    enum call_step step;
    struct err err;

    if (request_key(call, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (!request_new_name(call, PLAN_TEXT_MAX, &step) ||
        !request_body(call, false, &gate_members, &body, &step))
        return step;
    command->limit = body.limit;
    return CALL_COMMANDS;
}

static void print_gate(const struct gate_row *row, struct answer *out)
{
    answer_open(out);
    answer_put_text(out, "name", row->name);
    answer_put_int(out, "limit", row->gate.most);
    answer_put_int(out, "open", row->gate.open);
    answer_put_int(out, "waiting", row->gate.waiting);
    answer_text(out, "}");
}

enum call_step gate_get_read(struct call *call, struct db *db)
{
    struct answer out = answer_new(call->arena);
    struct db_result rows = {0};
    struct gate_row row;
    struct err err;

    gates_get(db, call->namespace, call->params[0], &rows);
    if (db_flush(db, call->arena, &err) != RC_OK)
        return view_failed(call, &err);
    if (rows.rows == 0)
        return call_problem(call, 404, "not_found", "gate \"%.*s\" does not exist",
                            STR_ARG(call->params[0]));
    gates_read_row(&rows, 0, &row);
    print_gate(&row, &out);
    return call_answer(call, 200, answer_done(&out));
}

/*
 * Deleting: a reader checks all schedules for uses of the gate; the command then checks only
 * those that were changed since.
 */

enum {
    USERS_SHOWN = 3,  /* schedules that use the gate, in the message   */
    USERS_MAX = 1024, /* bytes of their names in the message           */
    POLICY_MORE = 32, /* bytes of the policy without the gate's name   */
};

#define CLOCK_TOLERANCE SPAN_MIN /* difference of the nodes' clocks */

/* The start of the policy `concurrency` as model/policies_json.c stores it. */
static struct str policy_text(const struct call *call)
{
    struct str name = call->params[0];
    struct buf out = {.cap = POLICY_MORE + json_str_room(name)};

    out.ptr = arena_take(call->arena, out.cap);
    buf_text(&out, "\"concurrency\":{\"key\":");
    json_write_str(&out, name);
    return buf_as_str(&out);
}

enum call_step gate_delete_begin(struct call *call)
{
    enum call_step step = request_named(call);
    struct err err;

    if (step == CALL_ANSWER)
        return step;
    change_command(call, COMMAND_UNGATE)->ungate = (struct ungate_args){
        policy_text(call), call->now - CLOCK_TOLERANCE};
    if (request_key(call, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return CALL_READ;
}

static enum call_step reject_used(struct call *call, const struct db_result *users)
{
    char names[USERS_MAX];
    struct buf out = BUF(names);

    for (int i = 0; i < users->rows && i < USERS_SHOWN; i++) {
        buf_text(&out, i > 0 ? ", \"" : "\"");
        buf_str(&out, db_at(users, i, 0)->bytes);
        buf_char(&out, '"');
    }
    return call_problem(call, 409, "bad_state",
                        "gate \"%.*s\" is the concurrency.key of schedules: %s%s; change or "
                        "delete them first",
                        STR_ARG(call->params[0]), names,
                        users->rows > USERS_SHOWN ? " and more" : "");
}

enum call_step gate_delete_read(struct call *call, struct db *db)
{
    const struct gate_use use = {call->namespace, 0, call->commands->ungate.policy};
    struct db_result users = {0};
    struct err err;

    gates_users(db, &use, USERS_SHOWN + 1, &users);
    if (db_flush(db, call->arena, &err) != RC_OK)
        return view_failed(call, &err);
    return users.rows > 0 ? reject_used(call, &users) : CALL_SETTLE;
}

static struct str print_gate_row(const struct call *call, const struct db_result *rows, int i,
                                 struct answer *out)
{
    struct gate_row row;

    (void)call;
    gates_read_row(rows, i, &row);
    print_gate(&row, out);
    return row.name;
}

enum call_step gate_list_read(struct call *call, struct db *db)
{
    static const struct named_list list = {"gates", gates_list, print_gate_row};

    return page_list_read(call, db, &list);
}
