/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Cancels planned slots, the next ones or one by its time, and restores cancelled ones.
 */
#include "api/call/change.h"
#include "api/call/request.h"
#include "api/native/native.h"
#include "api/schedules/page.h"
#include "api/schedules/schedule_times.h"
#include "core/time/text.h"
#include "store/exceptions_backfills.h"

struct skip_body {
    int64_t count;
};

static const struct member skip_list[] = {
    {"count", MEMBER_INT64, .offset = offsetof(struct skip_body, count), .low = 1,
     .high = EXCEPTIONS_MAX},
};

static const struct members skip_members = MEMBERS(skip_list);

/* Makes one command per slot to skip; schedule_skip_read() finds the slots. */
enum call_step schedule_skip_begin(struct call *call)
{
    struct skip_body body = {.count = 1};
    json_auto_t *json = NULL;
    enum call_step step;

    /* The number of commands must be set before change_begin() sets their idempotency keys. */
    if (!request_json(call, true, &json, &step))
        return step;
    if (json_is_integer(json_object_get(json, "count")))
        body.count = json_integer_value(json_object_get(json, "count"));
    if (body.count >= 1 && body.count <= EXCEPTIONS_MAX) {
        call->commands = arena_array(call->arena, (size_t)body.count, sizeof *call->commands);
        call->command_count = (int)body.count;
    }
    return change_begin(call, &skip_members, &body, &step) ? CALL_READ : step;
}

static void fill_command(struct call *call, int i, const struct schedule_times *p, instant slot)
{
    struct command *command = &call->commands[i];

    command->kind = COMMAND_SKIP;
    command->name = call->params[0];
    command->run.id = (struct run_id){p->view.cursor.id, slot / SPAN_MS, 0};
}

/* Fills in the next slots that are not cancelled yet; returns their number. */
static int choose_slots(struct call *call, const struct schedule_times *p)
{
    const struct cursor *cursor = &p->view.cursor;
    struct spec_walk walk;
    struct slot slot;
    int count = 0;

    if (p->plan.is_governed || p->plan.follows) {
        if (cursor->next_at == INSTANT_NEVER || schedule_times_is_cancelled(p, cursor->next_at))
            return 0;
        fill_command(call, 0, p, cursor->next_at);
        return 1;
    }
    spec_walk_begin(&walk, &p->plan.spec, &p->ctx,
                    (cursor->flags & CURSOR_BARRED) && cursor->mark < call->now ? call->now
                                                                                : cursor->mark);
    while (count < call->command_count && spec_walk_next(&walk, &slot))
        if (!schedule_times_is_cancelled(p, slot.at))
            fill_command(call, count++, p, slot.at);
    return count;
}

enum call_step schedule_skip_read(struct call *call, struct db *db)
{
    struct schedule_times *p = arena_take(call->arena, sizeof *p);
    struct err err;

    if (schedule_times_read(call, db, p, &err) != RC_OK)
        return view_failed(call, &err);
    call->command_count = choose_slots(call, p);
    if (call->command_count == 0)
        return call_problem(call, 409, "bad_state", "the schedule has no planned slot to skip");
    return CALL_COMMANDS;
}

static void print_slot(const struct run_id *run, struct answer *out)
{
    char id[RUN_ID_TEXT_MAX];

    run_id_format(run, id);
    answer_open(out);
    answer_put_instant(out, "slot", run->slot_ms * SPAN_MS);
    answer_put_word(out, "id", id);
    answer_text(out, "}");
}

/* A slot may have started between the read and the turn; it is then not listed as skipped. */
enum call_step schedule_skip_settled(struct call *call)
{
    struct answer out = answer_new(call->arena);
    int printed = 0;

    answer_open(&out);
    answer_put_text(&out, "schedule", call->params[0]);
    answer_text(&out, ",\"skipped\":[");
    for (int i = 0; i < call->command_count; i++) {
        if (call->replies[i].rc != RC_OK)
            continue;
        print_slot(&call->replies[i].run, &out);
        printed++;
    }
    if (printed == 0)
        return call_refused(call, call->commands, call->replies);
    answer_text(&out, "]}");
    return call_answer(call, 200, answer_done(&out));
}

/* One slot by its time, the last segment of the path. */

enum call_step schedule_exception_begin(struct call *call)
{
    enum call_step step = change_named_begin(call);
    instant slot;
    struct err err;

    if (step == CALL_ANSWER)
        return step;
    if (instant_parse(call->params[1], &slot, &err) != RC_OK) {
        err_in(&err, "slot");
        return call_refuse(call, NULL, &err);
    }
    call->commands->run.id.slot_ms = slot / SPAN_MS;
    return CALL_COMMANDS;
}

enum call_step schedule_exception_settled(struct call *call)
{
    const struct command *command = call->commands;
    const struct reply *reply = call->replies;
    struct answer out = answer_new(call->arena);
    struct run_id run = reply->run;

    if (reply->rc != RC_OK)
        return call_refused(call, command, reply);
    if (command->kind == COMMAND_UNSKIP && reply->count == 0)
        return call_problem(call, 404, "not_found", "this slot is not skipped");
    if (command->kind == COMMAND_UNSKIP)
        return call_answer(call, 204, (struct str){NULL, 0});
    run.schedule = reply->schedule;
    print_slot(&run, &out);
    return call_answer(call, reply->count > 0 ? 201 : 200, answer_done(&out));
}

/* The list of cancelled slots, which always fits into one page. */

enum call_step schedule_exceptions_read(struct call *call, struct db *db)
{
    struct answer out = answer_new(call->arena);
    struct schedule_view view;
    struct db_result rows = {0};
    struct err err;

    if (view_find(call, db, &view, &err) != RC_OK)
        return view_failed(call, &err);
    exceptions_of(db, view.cursor.id, view.cursor.mark, EXCEPTIONS_MAX, &rows);
    if (db_flush(db, call->arena, &err) != RC_OK)
        return view_failed(call, &err);
    page_open(&out, "exceptions");
    for (int i = 0; i < rows.rows; i++) {
        struct run_id run = {view.cursor.id, db_int_at(&rows, i, 0) / SPAN_MS, 0};

        print_slot(&run, &out);
    }
    page_close(&out, (struct str){NULL, 0});
    return call_answer(call, 200, answer_done(&out));
}
