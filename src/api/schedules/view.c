/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints schedules and runs of the store as native JSON.
 */
#include "api/schedules/view.h"

#include "api/call/api_dialect.h"
#include "api/schedules/part_cache.h"
#include "core/run_id.h"
#include "model/template.h"

enum {
    ETAG_MAX = 24,        /* a number in quotes                      */
    SCHEDULE_ROOM = 4096, /* bytes: enough for a typical schedule    */
    ROW_STEPS = 20,       /* of struct budget: a schedule with little text, 3 us */
    BYTES_PER_STEP = 4,
};

enum rc view_recall(const struct schedule_row *row, struct arena *arena,
                    struct schedule_doc *ret, struct err *reterr)
{
    const struct schedule_texts texts = {
        .spec = row->spec,
        .action = row->action,
        .policies = row->policies,
        .governor = row->governor,
        .labels = row->labels,
        .extra = row->extra,
    };

    *ret = schedule_doc_default();
    ret->id = row->name;
    ret->description = row->description;
    return schedule_recall(&texts, arena, ret, reterr);
}

/* The last automatic run; the cursor does not record the last trigger. */
static struct str last_run(const struct cursor *cursor, char text[static RUN_ID_TEXT_MAX])
{
    if (cursor->last_slot == INSTANT_NONE || cursor->pass > 0)
        return (struct str){NULL, 0};
    run_id_format(&(struct run_id){cursor->id, cursor->last_slot / SPAN_MS, 0}, text);
    return str_of(text);
}

static struct str print_json(const json_t *json, struct arena *arena)
{
    struct buf out = {.cap = json_length(json) + 1};

    out.ptr = arena_take_raw(arena, out.cap);
    json_print(json, JSON_STYLE_LINE, &out);
    return buf_as_str(&out);
}

static bool has_hint(const struct cursor *cursor)
{
    return cursor->hint_interval > 0 || cursor->hint_at != INSTANT_NEVER;
}

/* The full form of a part, from the thread's cache if it has one. */
static enum rc show_part(const struct call *call, enum schedule_part part, struct str stored,
                         struct arena *scratch, struct str *ret, struct err *reterr)
{
    struct part_cache *part_cache = call->context->part_cache;
    json_auto_t *json = NULL;
    enum rc rc;

    if (part_cache && part_cache_find(part_cache, part, stored, ret))
        return RC_OK;
    rc = schedule_part_show(part, stored, scratch, &json, reterr);
    if (rc != RC_OK)
        return rc;
    *ret = print_json(json, scratch);
    if (part_cache)
        part_cache_put(part_cache, part, stored, *ret);
    return RC_OK;
}

/* Prints the parts that face->fields selects. */
static enum rc show_parts(const struct call *call, const struct schedule_row *row,
                          struct arena *scratch, struct schedule_face *face, struct err *reterr)
{
    static const enum schedule_field fields[PART_COUNT] = {
        [PART_LABELS] = SCHEDULE_FIELD_LABELS, [PART_SPEC] = SCHEDULE_FIELD_SPEC,
        [PART_ACTION] = SCHEDULE_FIELD_ACTION, [PART_POLICIES] = SCHEDULE_FIELD_POLICIES,
        [PART_EXTRA] = SCHEDULE_FIELD_EXTRA,
    };
    const struct str stored[PART_COUNT] = {
        [PART_LABELS] = row->labels,     [PART_SPEC] = row->spec,   [PART_ACTION] = row->action,
        [PART_POLICIES] = row->policies, [PART_EXTRA] = row->extra,
    };
    json_auto_t *governor = NULL;
    enum rc rc = RC_OK;

    if (call->context->part_cache)
        part_cache_tidy(call->context->part_cache);
    for (int i = 0; i < PART_COUNT && rc == RC_OK; i++)
        if (fields_have(face->fields, fields[i]))
            rc = show_part(call, (enum schedule_part)i, stored[i], scratch, &face->parts[i],
                           reterr);
    if (rc != RC_OK || !fields_have(face->fields, SCHEDULE_FIELD_GOVERNOR))
        return rc;
    rc = schedule_governor_show(row->governor, face->state, scratch, &governor, reterr);
    if (rc == RC_OK)
        face->governor = print_json(governor, scratch);
    return rc;
}

int view_warnings(const struct call *call, struct str action, struct arena *arena,
                  struct str ret[static VIEW_WARNINGS_MAX])
{
    const struct api_context *context = call->context;
    const struct context_action asked = {call->namespace_name, action};
    int count = 0;

    if (context->has_no_exec && str_starts(action, STR("{\"type\":\"exec\"")))
        ret[count++] = STR("its runs fail, because this server runs no programs; set "
                           "exec = true in its configuration");
    if (template_is_foreign(action))
        ret[count++] = STR("\"{{\" is sent as it is; a value is written ${name}, such as "
                           "${scheduledTime}");
    if (context->action_warnings)
        count += context->action_warnings(context->arg, &asked, arena, ret + count);
    return count;
}

enum { ALL_WARNINGS_MAX = VIEW_WARNINGS_MAX + 2 };

/* Those about the action, a hint of both kinds, and a workflow that was not started. */
static int all_warnings(const struct call *call, const struct schedule_view *view,
                        struct arena *arena, struct str ret[static ALL_WARNINGS_MAX])
{
    const struct cursor *c = &view->cursor;
    int count = view_warnings(call, view->row.action, arena, ret);

    if (c->hint_interval != 0 && c->hint_at != INSTANT_NEVER)
        ret[count++] = STR("its hint has both interval and at: the earlier of the two times "
                           "applies, and the spec is ignored until the hint expires");
    if (c->flags & CURSOR_UNSTARTED)
        ret[count++] = STR("the upstream did not start the workflow of its last run; the "
                           "error of the run says why");
    return count;
}

/* A later version may have written the row. */
static const char *dialect_name(int64_t dialect)
{
    bool is_known = dialect >= 0 && dialect < DIALECTS_COUNT;

    return api_dialects[is_known ? dialect : DIALECTS_NATIVE].name;
}

/* A schedule to print. */
struct shown {
    const struct schedule_view *view;
    field_set fields;
    struct str no_next;
};

static enum rc print_schedule(const struct call *call, const struct shown *shown,
                              struct arena *scratch, struct answer *out, struct err *reterr)
{
    const struct schedule_view *view = shown->view;
    const struct schedule_row *row = &view->row;
    struct str warnings[ALL_WARNINGS_MAX];
    int warning_count = fields_have(shown->fields, SCHEDULE_FIELD_STATE)
                            ? all_warnings(call, view, scratch, warnings)
                            : 0;
    char id[RUN_ID_TEXT_MAX];
    const struct schedule_state state = {
        .cursor = &view->cursor,
        .paused_reason = view->cursor.flags & CURSOR_PAUSED ? row->reason
                                                            : (struct str){NULL, 0},
        .hint_reason = has_hint(&view->cursor) ? row->hint_reason : (struct str){NULL, 0},
        .no_next = shown->no_next,
        .last_run = last_run(&view->cursor, id),
        .warnings = warnings,
        .warning_count = warning_count,
        .dialect = str_of(dialect_name(row->dialect)),
        .created_at = row->created_at,
        .created_by = row->created_by,
        .updated_at = row->updated_at,
        .updated_by = row->updated_by,
    };
    struct schedule_face face = {.id = row->name,
                                 .namespace = call->namespace_name,
                                 .description = row->description,
                                 .fields = shown->fields,
                                 .state = &state};
    enum rc rc = show_parts(call, row, scratch, &face, reterr);
    size_t before = out->buf.len;

    for (size_t room = SCHEDULE_ROOM; rc == RC_OK; room *= 2) {
        answer_reserve(out, room);
        schedule_show(&face, &out->buf);
        if (!out->buf.cut)
            break;
        out->buf.len = before;
        out->buf.cut = false;
    }
    return rc;
}

enum rc view_schedule(const struct call *call, const struct schedule_view *view,
                      field_set fields, struct arena *scratch, struct answer *out,
                      struct err *reterr)
{
    const struct shown shown = {.view = view, .fields = fields};

    return print_schedule(call, &shown, scratch, out, reterr);
}

enum call_step view_failed(struct call *call, const struct err *err)
{
    /* A read changes nothing, so after a lost connection the client can simply retry. */
    if (err->rc == RC_LOST || err->rc == RC_UNKNOWN || err->rc == RC_BUSY)
        return call_problem(call, 503, "unavailable", "%s", err->text);
    return call_refuse(call, NULL, err);
}

void view_etag(struct call *call, int64_t version)
{
    struct buf tag = {.ptr = arena_take(call->arena, ETAG_MAX), .cap = ETAG_MAX};

    buf_char(&tag, '"');
    buf_int(&tag, version);
    buf_char(&tag, '"');
    call_field(call, STR("ETag"), buf_as_str(&tag));
}

enum call_step view_schedule_answer(struct call *call, const struct schedule_view *view,
                                    field_set fields, struct str no_next)
{
    const struct shown shown = {view, fields, no_next};
    struct answer out = answer_new(call->arena);
    struct err err;

    if (print_schedule(call, &shown, call->arena, &out, &err) != RC_OK)
        return view_failed(call, &err);
    view_etag(call, view->cursor.version);
    return call_answer(call, call->status != 0 ? call->status : 200, answer_done(&out));
}

/* A schedule costs ROW_STEPS, and one step for each BYTES_PER_STEP bytes of its texts. */
enum rc view_count(const struct call *call, const struct schedule_row *row, struct err *reterr)
{
    size_t text = row->spec.len + row->action.len + row->policies.len + row->governor.len +
                  row->labels.len + row->extra.len + row->description.len;

    if (budget_try(call->budget, ROW_STEPS + (int64_t)(text / BYTES_PER_STEP)))
        return RC_OK;
    return err_set(reterr, RC_LIMIT, -1, 0, "the schedules are too large for a short read");
}

enum rc view_find(const struct call *call, struct db *db, struct schedule_view *ret,
                  struct err *reterr)
{
    struct db_result found = {0};
    enum rc rc;

    schedule_views_find(db, call->namespace, call->params[0], &found);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    if (found.rows == 0)
        return err_set(reterr, RC_NOT_FOUND, -1, 0, "schedule \"%.*s\" does not exist",
                       STR_ARG(call->params[0]));
    schedule_views_read(&found, 0, ret);
    return view_count(call, &ret->row, reterr);
}

enum rc view_check_owner(const struct call *call, struct db *db, int64_t schedule,
                         struct err *reterr)
{
    struct db_result result = {0};
    struct schedule_row row = {0};
    enum rc rc;

    schedules_get(db, schedule, &result);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    if (result.rows == 1)
        schedules_read(&result, 0, &row);
    if (result.rows == 0 || row.namespace != call->namespace)
        return err_set(reterr, RC_NOT_FOUND, -1, 0, "run \"%.*s\" does not exist",
                       STR_ARG(call->params[0]));
    return RC_OK;
}

/* The schedule of a direct run is internal; it is not shown. */
static struct str shown_schedule(enum run_kind kind, const struct run_owner *owner)
{
    return kind == RUN_DIRECT ? (struct str){NULL, 0} : owner->schedule;
}

struct run_doc view_run(const struct run_view *view)
{
    struct run_doc doc = run_doc_of(&view->run);

    doc.schedule = shown_schedule(doc.kind, &view->owner);
    doc.queue = view->owner.queue;
    return doc;
}

struct run_doc view_attempt(const struct attempt_view *view, field_set fields,
                            struct arena *arena)
{
    const struct history_row *row = &view->row;
    struct run_doc doc = {
        .id = {row->schedule, row->slot / SPAN_MS, (uint32_t)row->pass},
        .schedule = shown_schedule((enum run_kind)row->kind, &view->owner),
        .kind = (enum run_kind)row->kind,
        .slot = row->slot,
        .due = row->due,
        .state = RUN_ENDED,
        .attempt = (int32_t)row->attempt,
        .fence = row->fence,
        .queue = view->owner.queue,
        .worker = row->worker,
        .lease_until = INSTANT_NEVER,
        .source = row->source,
        .created_at = row->created_at,
        .started_at = row->started_at,
        .ended_at = row->ended_at,
        .outcome = row->outcome,
        .reason = row->reason,
        .error = row->error,
        .last_run_at = INSTANT_NONE,
    };
    struct err err;

    if (fields & RUN_FIELDS_RESULT &&
        run_result_recall(row->result, arena, &doc.result, &err) != RC_OK) {
        doc.result = (struct run_result){0};
        if (doc.error.len == 0)
            doc.error = STR("the stored result is damaged");
    }
    return doc;
}
