/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares many documents with the stored schedules, field by field, and changes nothing.
 *
 * Both sides are in canonical form with this server's defaults, so that two documents with the
 * same meaning have no differences.
 */
#include "api/call/answer.h"
#include "api/call/change.h"
#include "api/call/read_size.h"
#include "api/call/request.h"
#include "api/native/native.h"
#include "api/native/native_document.h"
#include "api/native/native_draft.h"
#include "api/native/native_errors.h"
#include "base/must.h"
#include "model/schedule_json.h"

enum {
    AT_ONCE = 50,         /* rows per read: each holds a whole document    */
    FIELD_PATH_MAX = 512, /* bytes of a field's path; a longer one is cut  */
};

struct diff_item {
    struct str id;
    const struct draft *draft; /* NULL: the item is invalid */
    struct str reason;         /* of its pause              */
    instant until;
    struct native_errors errors; /* of an invalid item */
};

struct bulk_diff {
    struct diff_item *items;
    int count;
};

static enum rc read_item(struct call *call, const json_t *json, struct diff_item *item,
                         struct err *reterr)
{
    struct command command = command_new(COMMAND_PUT);
    struct wanted_hint hint;
    enum rc rc = RC_OK;

    if (arena_used(call->arena) > SCHEDULE_BYTES_MAX)
        return err_set(reterr, RC_LIMIT, -1, 0,
                       "the schedules of this request are too large together; send fewer");
    if (json_is_object(json))
        rc = json_require(json, "id", reterr);
    if (rc == RC_OK)
        rc = native_draft(call, json, (struct str){NULL, 0}, &command, &hint, reterr);
    if (rc != RC_OK)
        return rc;
    item->id = command.name;
    item->draft = command.save.draft;
    item->reason = command.save.reason;
    item->until = command.save.pause_until;
    return RC_OK;
}

static enum rc read_again(struct call *call, const json_t *json, struct err *reterr)
{
    struct diff_item ignored;

    return read_item(call, json, &ignored, reterr);
}

static void read_items(struct call *call, const json_t *items, struct bulk_diff *diff)
{
    size_t bytes = NATIVE_ERRORS_BYTES;

    diff->items = arena_array(call->arena, (size_t)diff->count, sizeof *diff->items);
    for (int i = 0; i < diff->count; i++) {
        const json_t *json = json_array_get(items, (size_t)i);
        struct err err;

        if (read_item(call, json, &diff->items[i], &err) == RC_OK)
            continue;
        diff->items[i].id = change_item_id(call, json);
        diff->items[i].errors = native_errors_find(call, json, read_again, &err, &bytes);
        for (int j = 0; j < diff->items[i].errors.count; j++)
            err_in(&diff->items[i].errors.list[j], "items[%d]", i);
    }
}

enum call_step schedule_bulk_diff_begin(struct call *call)
{
    static const char *const names[] = {"items"};
    struct bulk_diff *diff = arena_take(call->arena, sizeof *diff);
    json_auto_t *json = NULL;
    enum call_step step;
    struct err err;

    if (request_query_check(call, NULL, 0, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (!request_json(call, false, &json, &step))
        return step;
    if (json_check_names(json, names, 1, &err) != RC_OK ||
        json_require(json, "items", &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (json_take_count(json_object_get(json, "items"), CALL_ITEMS_MAX, &diff->count, &err) !=
        RC_OK) {
        err_in(&err, "items");
        return call_refuse(call, NULL, &err);
    }
    read_items(call, json_object_get(json, "items"), diff);
    call->arg = diff;
    return CALL_READ;
}

/* ---- two documents ---- */

struct comparison {
    struct answer *out;
    char path[FIELD_PATH_MAX];
    struct buf at;
};

static void print_change(struct comparison *t, const json_t *from, const json_t *to)
{
    answer_open(t->out);
    answer_put_text(t->out, "field", buf_as_str(&t->at));
    answer_name(t->out, "from");
    answer_json(t->out, from ? json_incref((json_t *)from) : json_null());
    answer_name(t->out, "to");
    answer_json(t->out, to ? json_incref((json_t *)to) : json_null());
    answer_text(t->out, "}");
}

static void compare(struct comparison *t, const json_t *from, const json_t *to);

static void compare_member(struct comparison *t, const char *key, const json_t *from,
                           const json_t *to)
{
    struct buf before = t->at;

    if (t->at.len > 0)
        buf_char(&t->at, '.');
    buf_text(&t->at, key);
    compare(t, from, to);
    t->at = before;
    t->path[before.len] = '\0';
}

static void compare_objects(struct comparison *t, const json_t *from, const json_t *to)
{
    const char *key;
    json_t *value;

    json_object_foreach((json_t *)from, key, value)
        compare_member(t, key, value, json_object_get(to, key));
    json_object_foreach((json_t *)to, key, value)
    {
        if (!json_object_get(from, key))
            compare_member(t, key, NULL, value);
    }
}

/* Recursive; the parser has checked that the depth is at most JSON_DEPTH_MAX. */
static void compare(struct comparison *t, const json_t *from, const json_t *to)
{
    struct buf before = t->at;

    if (json_is_object(from) && json_is_object(to)) {
        compare_objects(t, from, to);
    } else if (json_is_array(from) && json_array_size(from) == json_array_size(to)) {
        for (size_t i = 0; i < json_array_size(to); i++) {
            buf_printf(&t->at, "[%zu]", i);
            compare(t, json_array_get(from, i), json_array_get(to, i));
            t->at = before;
            t->path[before.len] = '\0';
        }
    } else if (!from || !to || !json_equal((json_t *)from, (json_t *)to)) {
        print_change(t, from, to);
    }
}

/* The schedule as it would be stored. */
static struct schedule_view make_view(const struct diff_item *item)
{
    const struct draft *draft = item->draft;

    return (struct schedule_view){
        .row = {.name = item->id,
                .spec = draft->spec,
                .action = draft->action,
                .policies = draft->policies,
                .governor = draft->governor,
                .labels = draft->labels,
                .extra = draft->extra,
                .description = draft->description,
                .reason = item->reason},
        .cursor = {.flags = (draft->is_disabled ? CURSOR_DISABLED : 0) |
                            (draft->is_paused ? CURSOR_PAUSED : 0),
                   .paused_until = item->until},
    };
}

/* A document that does not mention the pause does not change it. */
static void normalize_pause(json_t *document, bool is_mentioned)
{
    if (!is_mentioned)
        json_object_del(document, "paused");
    else if (!json_object_get(document, "paused"))
        json_put(document, "paused", json_false());
}

static enum rc print_changes(const struct call *call, const struct schedule_view *old,
                             const struct diff_item *item, struct arena *scratch,
                             struct answer *out, struct err *reterr)
{
    struct schedule_view new = make_view(item);
    struct comparison t = {.out = out};
    json_auto_t *from = NULL, *to = NULL;
    enum rc rc = native_document(call, old, scratch, SPEC_FULL, &from, reterr);

    if (rc == RC_OK)
        rc = native_document(call, &new, scratch, SPEC_FULL, &to, reterr);
    if (rc != RC_OK)
        return rc;
    normalize_pause(from, item->draft->sets_pause);
    normalize_pause(to, item->draft->sets_pause);
    t.at = BUF(t.path);
    if (json_equal(from, to)) {
        answer_text(out, ",\"status\":\"same\"");
    } else {
        answer_text(out, ",\"status\":\"change\",\"changes\":[");
        compare(&t, from, to);
        answer_text(out, "]");
    }
    answer_put_int(out, "version", old->cursor.version);
    return RC_OK;
}

static void print_error(const struct err *err, struct answer *out)
{
    answer_open(out);
    answer_put_word(out, "code", change_item_code(err));
    answer_put_word(out, "message", err->text);
    if (err->field[0] != '\0')
        answer_put_word(out, "field", err->field);
    answer_text(out, "}");
}

static void print_errors(const struct native_errors *errors, struct answer *out)
{
    answer_text(out, ",\"status\":\"error\",\"error\":");
    print_error(&errors->list[0], out);
    answer_text(out, ",\"errors\":[");
    for (int i = 0; i < errors->count; i++)
        print_error(&errors->list[i], out);
    answer_text(out, "]");
    if (errors->has_more)
        answer_text(out, ",\"hasMoreErrors\":true");
}

static enum rc print_item(const struct call *call, const struct diff_item *item,
                          const struct db_result *row, struct arena *scratch,
                          struct answer *out, struct err *reterr)
{
    struct schedule_view view;

    answer_open(out);
    answer_put_some(out, "id", item->id);
    if (item->errors.count > 0) {
        print_errors(&item->errors, out);
    } else if (row->rows == 0) {
        answer_text(out, ",\"status\":\"create\"");
    } else {
        enum rc rc;

        schedule_views_read(row, 0, &view);
        rc = print_changes(call, &view, item, scratch, out, reterr);
        if (rc != RC_OK)
            return rc;
    }
    answer_text(out, "}");
    return RC_OK;
}

/* The items of one read. */
struct diff_batch {
    int from;
    struct read_size size; /* documents may be large: 50 of them exceed DB_BYTES_MAX */
};

/* Reads and prints the next items, and moves the batch after them. */
static enum rc print_batch(const struct call *call, struct db *db, struct diff_batch *batch,
                           struct arena *scratch, struct answer *out, struct err *reterr)
{
    const struct bulk_diff *diff = call->arg;
    const struct diff_item *items = diff->items + batch->from;
    int left = diff->count - batch->from;
    int count = left < batch->size.rows ? left : batch->size.rows;
    struct db_result rows[AT_ONCE] = {0};
    enum rc rc;

    must(count > 0 && count <= AT_ONCE);
    for (int i = 0; i < count; i++)
        if (items[i].errors.count == 0)
            schedule_views_find(db, call->namespace, items[i].id, &rows[i]);
    rc = db_flush(db, scratch, reterr);
    if (read_size_is_cut(&batch->size, db, rc))
        return RC_OK;
    for (int i = 0; rc == RC_OK && i < count; i++)
        rc = print_item(call, &items[i], &rows[i], scratch, out, reterr);
    batch->from += count;
    return rc;
}

enum call_step schedule_bulk_diff_read(struct call *call, struct db *db)
{
    const struct bulk_diff *diff = call->arg;
    struct diff_batch batch = {.size = read_size_of(AT_ONCE)};
    struct arena *scratch = arena_new(CALL_ARENA_MAX);
    struct answer out = answer_new(call->arena);
    enum rc rc = RC_OK;
    struct err err;

    answer_text(&out, "{\"results\":[");
    while (rc == RC_OK && batch.from < diff->count) {
        rc = print_batch(call, db, &batch, scratch, &out, &err);
        arena_reset(scratch);
    }
    arena_free(scratch);
    if (rc != RC_OK)
        return view_failed(call, &err);
    answer_text(&out, "]}");
    return call_answer(call, 200, answer_done(&out));
}
