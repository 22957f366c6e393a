/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agents' schedules: create, list, get, update, delete.
 *
 * An agent and a project have at most one schedule; its name consists of both, which makes it
 * unique.  An update merges the request into what was read, and writes only if the schedule is
 * unchanged since.
 */
#include "api/agents/agents.h"
#include "api/agents/agents_replaced.h"
#include "api/call/change.h"
#include "api/call/request.h"
#include "api/schedules/schedule_times.h"
#include "api/schedules/view.h"

enum {
    UPDATE_TRIES_MAX = 20,     /* retries of an update after other edits */
    LIST_BYTES_MAX = 12 << 20, /* of one answer                          */
    PENDING_MAX = 900,         /* cancelled in one step; less than CALL_ITEMS_MAX */
};

/* ---- get ---- */

static json_t *schedule_json(const struct schedule_view *view,
                             const struct agents_schedule *schedule)
{
    bool is_at_rest = schedule_times_is_at_rest(&view->cursor);
    json_t *json = json_new_object();
    json_auto_t *members = agents_print(schedule);

    json_put(json, "scheduleId", json_new_str(view->row.name));
    (void)json_object_update(json, members);
    json_put(json, "nextExecutionAt",
             json_of_moment(is_at_rest ? INSTANT_NEVER : view->cursor.next_at));
    json_put(json, "version", json_new_int(view->row.version));
    json_put(json, "createdAt", json_of_moment(view->row.created_at));
    json_put(json, "updatedAt", json_of_moment(view->row.updated_at));
    json_put(json, "createdBy", json_of_text(view->row.created_by));
    json_put(json, "updatedBy", json_of_text(view->row.updated_by));
    return json;
}

/* After a create or an update, the answer also has warnings. */
static enum call_step answer_schedule(struct call *call, struct db *db,
                                      const struct schedule_view *view)
{
    struct answer out = answer_new(call->arena);
    bool is_changed = call->status != 0;
    struct agents_schedule schedule;
    struct str warning = {NULL, 0};
    json_t *json;
    struct err err;

    if (agents_stored_read(view->row.extra, call->arena, &schedule, &err) != RC_OK)
        return view_failed(call, &err);
    schedule.is_enabled = !(view->cursor.flags & CURSOR_DISABLED);
    if (is_changed)
        warning = agents_warning(call, db, view->row.name, schedule.agent);
    json = schedule_json(view, &schedule);
    if (warning.len > 0)
        json_put(json, "warnings", json_pack("[s#]", warning.ptr, (int)warning.len));
    answer_json(&out, json);
    view_etag(call, view->row.version);
    return call_answer(call, is_changed ? call->status : 200, answer_done(&out));
}

enum call_step agents_get_begin(struct call *call)
{
    struct err err;

    if (request_name(call, 0, "schedule", &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return CALL_READ;
}

enum call_step agents_get_read(struct call *call, struct db *db)
{
    struct schedule_view view;
    struct err err;

    if (agents_find(call, db, &view, &err) != RC_OK)
        return view_failed(call, &err);
    return answer_schedule(call, db, &view);
}

/* ---- the list ---- */

struct listing {
    struct agents_filter filter;
    struct answer out;
    int count;
};

enum call_step agents_list_begin(struct call *call)
{
    struct listing *listing = arena_take(call->arena, sizeof *listing);
    struct err err;

    call->arg = listing;
    if (agents_filter_read(call, &listing->filter, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return CALL_READ;
}

static enum rc list_schedule(const struct schedule_view *view,
                             const struct agents_schedule *schedule, void *arg,
                             struct err *reterr)
{
    struct listing *listing = arg;

    if (listing->out.buf.len > LIST_BYTES_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0,
                       "too many schedules for one list; filter by agentId");
    if (listing->count++ > 0)
        answer_text(&listing->out, ",");
    answer_json(&listing->out, schedule_json(view, schedule));
    return RC_OK;
}

enum call_step agents_list_read(struct call *call, struct db *db)
{
    struct listing *listing = call->arg;
    struct err err;

    listing->count = 0;
    listing->out = answer_new(call->arena);
    answer_text(&listing->out, "[");
    if (agents_each(call, db, &listing->filter, list_schedule, listing, &err) != RC_OK)
        return agents_failed(call, &err);
    answer_text(&listing->out, "]");
    return call_answer(call, 200, answer_done(&listing->out));
}

/* ---- create ---- */

/* The state of a write between its steps. */
struct writing {
    struct str patch; /* the body of an update                        */
    int64_t version;  /* in the request; 0: none                      */
    bool is_unsent;   /* the commands have to be sent                 */
    int tries;
    bool is_voiding; /* the update is written; further commands cancel runs, newest first  */
    int64_t before;  /* runs with this key and higher ones are done; 0: all are            */
    int64_t last;    /* the lowest key of the runs of this step; 0: this is the last step  */
};

enum call_step agents_create_begin(struct call *call)
{
    struct writing *writing = arena_take(call->arena, sizeof *writing);
    struct agents_schedule schedule = agents_initial(call->context->default_timezone);
    struct command *command;
    json_auto_t *json = NULL;
    enum call_step step;
    struct draft *draft;
    struct err err;

    call->arg = writing;
    if (!request_json(call, false, &json, &step))
        return step;
    if (agents_read(json, call->arena, &schedule, &err) != RC_OK ||
        agents_check(&schedule, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    call->params[0] = agents_name(schedule.agent, schedule.project, call->arena);
    command = change_command(call, COMMAND_CREATE);
    command->save.start.priority = AGENTS_NOW_PRIORITY;
    if (request_key(call, &err) != RC_OK ||
        agents_draft(call, &schedule, call->params[0], &draft, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    draft->trigger = schedule.type == AGENTS_NOW && schedule.is_enabled;
    command->save.draft = draft;
    request_trace(call);
    return CALL_COMMANDS;
}

/* ---- update ---- */

enum call_step agents_update_begin(struct call *call)
{
    struct writing *writing = arena_take(call->arena, sizeof *writing);
    struct agents_schedule schedule = agents_initial((struct str){NULL, 0});
    json_auto_t *json = NULL;
    enum call_step step;
    struct err err;

    call->arg = writing;
    if (request_name(call, 0, "schedule", &err) != RC_OK ||
        request_version(call, &writing->version, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (!request_json(call, false, &json, &step))
        return step;
    if (agents_read(json, call->arena, &schedule, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (writing->version == 0)
        writing->version = schedule.version;
    writing->patch = arena_str(call->arena, call->body);
    return CALL_READ;
}

/*
 * Merges the request into the schedule that was read.  The times of a schedule that had planned
 * items are kept: the plan of the day shows those that this edit voids.
 */
static enum rc merge_request(struct call *call, const struct schedule_view *view,
                             struct agents_schedule *ret, struct err *reterr)
{
    const struct writing *writing = call->arg;
    struct agents_schedule old;
    json_auto_t *json = NULL;
    struct str name;
    enum rc rc = agents_stored_read(view->row.extra, call->arena, ret, reterr);

    ret->is_enabled = !(view->cursor.flags & CURSOR_DISABLED);
    old = *ret;
    if (rc == RC_OK)
        rc = json_read(writing->patch, &json, reterr);
    if (rc == RC_OK)
        rc = agents_read(json, call->arena, ret, reterr);
    if (rc == RC_OK)
        rc = agents_check(ret, reterr);
    if (rc != RC_OK)
        return rc;
    name = agents_name(ret->agent, ret->project, call->arena);
    if (!str_eq(name, view->row.name))
        return err_field(
            reterr, "agentId",
            "agent and project of a schedule cannot change; create a new schedule and delete "
            "this one");
    if ((view->cursor.flags & CURSOR_BARRED) == 0)
        agents_replaced_add(&old, call->now, call->now - call->context->future_ttl, call->arena,
                            ret);
    return RC_OK;
}

static struct command void_command(const struct call *call, const struct run *run)
{
    struct command command = command_new(COMMAND_CANCEL);

    command.name = call->params[0];
    command.schedule = run->schedule;
    command.run = (struct run_args){
        .id = {run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass},
        .is_voided = true,
    };
    return command;
}

/* Makes the commands that cancel the runs of a batch whose slots the schedule no longer has. */
static enum rc find_voided(struct call *call, struct db *db, const struct schedule_view *view,
                           struct err *reterr)
{
    struct writing *writing = call->arg;
    struct view_page page = {.namespace = call->namespace,
                             .schedule = view->row.id,
                             .kind = RUN_SLOT + 1,
                             .states = 1 << RUN_READY | 1 << RUN_GATED | 1 << RUN_APPROVAL |
                                       1 << RUN_BACKOFF,
                             .before = writing->before,
                             .limit = PENDING_MAX,
                             .is_brief = true};
    struct schedule_times times = {.view = *view};
    struct db_result rows = {0};
    struct run_view run = {0};
    struct slot slot;
    enum rc rc = schedule_times_fill(call, db, &times, reterr);

    run_views_list(db, &page, &rows);
    if (rc == RC_OK)
        rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    call->commands = arena_array(call->arena, (size_t)rows.rows, sizeof *call->commands);
    call->command_count = 0;
    for (int i = 0; i < rows.rows; i++) {
        run_views_read(&rows, i, &run);
        if (!spec_next(&times.plan.spec, &times.ctx, run.run.slot - 1, &slot) ||
            slot.at != run.run.slot)
            call->commands[call->command_count++] = void_command(call, &run.run);
    }
    writing->last = rows.rows == PENDING_MAX ? run.run.id : 0;
    return RC_OK;
}

/*
 * Executions that were due before the update and that nobody has claimed are cancelled, unless
 * the schedule still has their times.  A claim in between wins.
 */
static enum call_step void_runs(struct call *call, struct db *db,
                                const struct schedule_view *view)
{
    struct writing *writing = call->arg;
    struct err err;

    if (writing->before == 0)
        return answer_schedule(call, db, view);
    if (find_voided(call, db, view, &err) != RC_OK)
        return view_failed(call, &err);
    if (call->command_count == 0 && writing->last == 0)
        return answer_schedule(call, db, view);
    writing->is_unsent = call->command_count > 0;
    return CALL_SETTLE;
}

enum call_step agents_update_read(struct call *call, struct db *db)
{
    struct writing *writing = call->arg;
    struct command *commands = arena_array(call->arena, 2, sizeof *commands);
    struct agents_schedule schedule;
    struct schedule_view view;
    bool was_disabled;
    struct draft *draft;
    struct err err;

    if (agents_find(call, db, &view, &err) != RC_OK)
        return view_failed(call, &err);
    if (call->status != 0)
        return void_runs(call, db, &view);
    if (merge_request(call, &view, &schedule, &err) != RC_OK)
        return agents_failed(call, &err);
    was_disabled = (view.cursor.flags & CURSOR_DISABLED) != 0;
    commands[0] = *change_command(call, COMMAND_UPDATE);
    if (agents_draft(call, &schedule, call->params[0], &draft, &err) != RC_OK)
        return agents_failed(call, &err);
    commands[0].save.draft = draft;
    commands[0].schedule = view.row.id;
    commands[0].version = writing->version != 0 ? writing->version : view.cursor.version;
    commands[1] = *change_command(call, COMMAND_TRIGGER);
    commands[1].schedule = view.row.id;
    commands[1].start.priority = AGENTS_NOW_PRIORITY;
    call->commands = commands;
    call->command_count = 1;
    if (schedule.type == AGENTS_NOW && schedule.is_enabled && was_disabled)
        call->command_count = 2; /* enabling an immediate schedule runs it */
    writing->is_unsent = true;
    return CALL_SETTLE;
}

enum call_step agents_write_settled(struct call *call)
{
    struct writing *writing = call->arg;
    const struct command *command = call->commands;
    const struct reply *reply = call->replies;

    if (writing->is_unsent) {
        writing->is_unsent = false;
        return CALL_COMMANDS;
    }
    if (writing->is_voiding) { /* a run that is not cancelled has ended or was claimed */
        writing->before = writing->last;
        return CALL_READ;
    }
    if (reply->rc == RC_CONFLICT && command->kind == COMMAND_UPDATE && writing->version == 0 &&
        writing->tries++ < UPDATE_TRIES_MAX)
        return CALL_READ;
    if (reply->rc == RC_CONFLICT && command->kind == COMMAND_CREATE)
        return call_problem(call, 409, "exists",
                            "the agent already has a schedule for this project: \"%.*s\"",
                            STR_ARG(command->name));
    for (int i = 0; i < call->command_count; i++)
        if (reply[i].rc != RC_OK)
            return call_refused(call, &command[i], &reply[i]);
    call->status = command->kind == COMMAND_CREATE ? 201 : 200;
    writing->is_voiding = command->kind == COMMAND_UPDATE;
    writing->before = INT64_MAX;
    if (command->kind == COMMAND_CREATE)
        change_location(call, "/api/schedules/", command->name);
    return CALL_READ;
}

/* ---- delete ---- */

struct deleting {
    const struct command *last; /* deletes the schedule                             */
    bool is_unsent;             /* the commands have to be sent                     */
    bool is_last;               /* they delete the schedule: no claimed run is left */
};

enum call_step agents_delete_begin(struct call *call)
{
    struct deleting *deleting = arena_take(call->arena, sizeof *deleting);
    struct err err;

    call->arg = deleting;
    deleting->last = change_command(call, COMMAND_DELETE);
    if (request_name(call, 0, "schedule", &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return CALL_READ;
}

/*
 * Waiting runs end with the schedule.  Runs that are claimed but not started are cancelled
 * before it, in batches.
 */
enum call_step agents_delete_read(struct call *call, struct db *db)
{
    struct deleting *deleting = call->arg;
    const struct command last = *deleting->last;
    struct view_page page = {.namespace = call->namespace,
                             .before = INT64_MAX,
                             .states = 1 << RUN_LEASED,
                             .limit = PENDING_MAX,
                             .is_brief = true};
    struct db_result rows = {0};
    struct schedule_view view;
    struct err err;

    if (agents_find(call, db, &view, &err) != RC_OK)
        return view_failed(call, &err);
    page.schedule = view.row.id;
    run_views_list(db, &page, &rows);
    if (db_flush(db, call->arena, &err) != RC_OK)
        return view_failed(call, &err);
    call->commands = arena_array(call->arena, (size_t)rows.rows + 1, sizeof last);
    for (int i = 0; i < rows.rows; i++) {
        struct run_view run;

        run_views_read(&rows, i, &run);
        call->commands[i] = last;
        call->commands[i].kind = COMMAND_CANCEL;
        call->commands[i].schedule = view.row.id;
        call->commands[i].run = (struct run_args){
            .id = {view.row.id, run.run.slot / SPAN_MS, (uint32_t)run.run.pass},
            .keeps_started = true,
        };
    }
    call->commands[rows.rows] = last;
    call->commands[rows.rows].schedule = view.row.id;
    deleting->is_last = rows.rows < PENDING_MAX;
    deleting->is_unsent = true;
    call->command_count = rows.rows + deleting->is_last;
    return CALL_SETTLE;
}

enum call_step agents_delete_settled(struct call *call)
{
    struct deleting *deleting = call->arg;
    int last = call->command_count - 1;

    if (deleting->is_unsent) {
        deleting->is_unsent = false;
        return CALL_COMMANDS;
    }
    if (!deleting->is_last)
        return CALL_READ;
    if (call->replies[last].rc != RC_OK)
        return call_refused(call, &call->commands[last], &call->replies[last]);
    return call_answer(call, 204, (struct str){NULL, 0});
}
