/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reports of workers about their runs: many in one request, or one.
 *
 * An invalid item does not affect the others.  Two items about one run are applied in order.
 */
#include "api/call/answer.h"
#include "api/call/change.h"
#include "api/call/request.h"
#include "api/native/native.h"
#include "api/schedules/report_item.h"

enum { RESULT_BYTES = 160 }; /* of one result without an error */

struct item {
    struct str id;
    int report;            /* index into call->reports; -1: the item is invalid */
    const struct err *err; /* why it is invalid; NULL: it is valid              */
};

struct batch {
    struct item *items;
    int count;
    bool is_brief; /* return only results that need the worker's attention */
};

static void add_item(struct call *call, const json_t *value, int i, struct item *item)
{
    const json_t *id = json_object_get(value, "id");
    struct err error;

    if (json_is_string(id) && json_string_length(id) <= REPORT_ID_MAX)
        item->id = arena_str(call->arena,
                             (struct str){json_string_value(id), json_string_length(id)});
    if (report_item_read(call, value, NULL, &call->reports[call->report_count], &error) ==
        RC_OK) {
        item->report = call->report_count++;
        return;
    }
    item->err = change_item_err(call, i, &error);
    item->report = -1;
}

/* Which results to return: "all" (default) or "notOk". */
static enum rc read_results(const json_t *value, bool *ret_is_brief, struct err *reterr)
{
    struct str word = {json_string_value(value), json_string_length(value)};

    *ret_is_brief = json_is_string(value) && str_eq(word, STR("notOk"));
    if (!value || json_is_null(value) || *ret_is_brief ||
        (json_is_string(value) && str_eq(word, STR("all"))))
        return RC_OK;
    return err_field(reterr, "results", "must be all or notOk");
}

static enum rc read_batch(struct call *call, const json_t *json, struct err *reterr)
{
    static const char *const names[] = {"items", "results"};
    struct batch *batch = arena_take(call->arena, sizeof *batch);
    const json_t *items = json_object_get(json, "items");
    enum rc rc = json_check_names(json, names, 2, reterr);

    if (rc == RC_OK)
        rc = json_require(json, "items", reterr);
    if (rc == RC_OK)
        rc = read_results(json_object_get(json, "results"), &batch->is_brief, reterr);
    if (rc != RC_OK)
        return rc;
    rc = json_take_count(items, CALL_ITEMS_MAX, &batch->count, reterr);
    if (rc != RC_OK)
        return err_in(reterr, "items");
    batch->items = arena_array(call->arena, (size_t)batch->count, sizeof *batch->items);
    call->reports = arena_array(call->arena, (size_t)batch->count, sizeof *call->reports);
    for (int i = 0; i < batch->count; i++)
        add_item(call, json_array_get(items, (size_t)i), i, &batch->items[i]);
    call->arg = batch;
    return RC_OK;
}

enum call_step runs_report_begin(struct call *call)
{
    json_auto_t *json = NULL;
    enum call_step step;
    struct err err;

    if (request_query_check(call, NULL, 0, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (!request_json(call, false, &json, &step))
        return step;
    if (read_batch(call, json, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return call->report_count > 0 ? CALL_REPORTS : runs_report_settled(call);
}

/* Results. */

static const char *status_text(enum rc rc)
{
    switch (rc) {
    case RC_OK:
        return "ok";
    case RC_CONFLICT:
    case RC_NOT_FOUND:
        return "stale";
    case RC_BUSY:
        return "busy";
    case RC_INVALID:
    case RC_LIMIT:
        return "invalid";
    default:
        return "unknown";
    }
}

static void print_reply(const struct report_reply *reply, enum report_kind kind,
                        struct answer *out)
{
    answer_put_word(out, "status", status_text(reply->rc));
    if (reply->rc != RC_OK || kind != REPORT_ALIVE)
        return;
    if (reply->is_cancelled)
        answer_put_bool(out, "cancelled", true);
    answer_put_instant(out, "leaseUntil", reply->lease_until);
}

static void print_error(const struct err *err, struct answer *out)
{
    answer_text(out, ",\"status\":\"invalid\",\"error\":{");
    answer_put_word(out, "code", call_code(err));
    answer_put_word(out, "message", err->text);
    answer_put_word(out, "field", err->field);
    answer_text(out, "}");
}

static const struct report_reply *find_reply(const struct call *call, const struct item *item)
{
    return item->err ? NULL : &call->report_replies[item->report];
}

/* The report was accepted and needs no reaction of the worker. */
static bool is_plain_ok(const struct call *call, const struct item *item)
{
    const struct report_reply *reply = find_reply(call, item);

    return reply && reply->rc == RC_OK && !reply->is_cancelled;
}

/* `index` is -1 if all results are returned, so that their order identifies the items. */
static void print_item(const struct call *call, const struct item *item, int index,
                       struct answer *out)
{
    const struct report_reply *reply = find_reply(call, item);

    answer_open(out);
    if (index >= 0)
        answer_put_int(out, "index", index);
    answer_put_some(out, "id", item->id);
    if (reply)
        print_reply(reply, call->reports[item->report].kind, out);
    else
        print_error(item->err, out);
    answer_text(out, "}");
}

static void print_all(const struct call *call, const struct batch *batch, struct answer *out)
{
    answer_reserve(out, (size_t)batch->count * RESULT_BYTES);
    answer_text(out, "{\"results\":[");
    for (int i = 0; i < batch->count; i++)
        print_item(call, &batch->items[i], -1, out);
    answer_text(out, "]}");
}

/* Each item is either listed or counted as ok. */
static void print_brief(const struct call *call, const struct batch *batch, struct answer *out)
{
    int listed = 0;

    answer_text(out, "{\"results\":[");
    for (int i = 0; i < batch->count; i++) {
        if (is_plain_ok(call, &batch->items[i]))
            continue;
        print_item(call, &batch->items[i], i, out);
        listed++;
    }
    answer_text(out, "]");
    answer_put_int(out, "ok", batch->count - listed);
    answer_text(out, "}");
}

enum call_step runs_report_settled(struct call *call)
{
    const struct batch *batch = call->arg;
    struct answer out = answer_new(call->arena);

    if (batch->is_brief)
        print_brief(call, batch, &out);
    else
        print_all(call, batch, &out);
    return call_answer(call, 200, answer_done(&out));
}

/* The run that the path names. */

static enum rc read_one(struct call *call, const json_t *json, struct err *reterr)
{
    struct run_id id;
    enum rc rc = request_run(call, 0, &id, reterr);

    call->reports = arena_take(call->arena, sizeof *call->reports);
    call->report_count = 1;
    return rc == RC_OK ? report_item_read(call, json, &id, call->reports, reterr) : rc;
}

enum call_step run_report_begin(struct call *call)
{
    json_auto_t *json = NULL;
    enum call_step step;
    struct err err;

    if (request_query_check(call, NULL, 0, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (!request_json(call, false, &json, &step))
        return step;
    if (read_one(call, json, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    return CALL_REPORTS;
}

enum call_step run_report_settled(struct call *call)
{
    const struct report_reply *reply = call->report_replies;
    struct answer out = answer_new(call->arena);
    struct err err;

    if (reply->rc == RC_CONFLICT || reply->rc == RC_NOT_FOUND)
        return call_problem(call, 409, "stale_fence",
                            "the run is not held with this fence: it has ended, another worker "
                            "holds it, or it never existed");
    if (reply->rc != RC_OK) {
        err_set(&err, reply->rc, -1, 0, "the run could not be changed; try again");
        return call_refuse(call, NULL, &err);
    }
    answer_open(&out);
    answer_put_text(&out, "id", call->params[0]);
    print_reply(reply, call->reports->kind, &out);
    answer_text(&out, "}");
    return call_answer(call, 200, answer_done(&out));
}
