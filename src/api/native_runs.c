/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run: shown with its attempts and its log, cancelled, terminated.
 */
#include "api/answer.h"
#include "api/native.h"
#include "api/request.h"
#include "api/view.h"
#include "store/logs.h"

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

    if (reply->rc != RC_OK)
        return call_refused(call, call->commands, reply);
    answer_text(&out, "{\"id\":");
    answer_quoted(&out, call->params[0]);
    answer_text(&out, "}");
    return call_answer(call, call->commands->kind == COMMAND_CANCEL ? 202 : 200,
                       answer_done(&out));
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

/* What is known of a run: open, or the attempts that are over, or both. */
struct found {
    bool is_open;
    struct run_view open;
    struct attempt_view *attempts;
    int attempt_count;
};

/* From when on its attempts can have ended; a trigger may be for a time to come. */
static instant first_end(const struct call *call, const struct found *found)
{
    const struct run_id *id = call->with;
    instant slot = id->slot_ms * SPAN_MS;

    if (found->is_open)
        return found->open.run.created_at;
    return slot < call->now ? slot : call->now - SPAN_DAY;
}

static enum rc find_run(const struct call *call, struct db *db, struct found *ret,
                        struct err *reterr)
{
    const struct run_id *id = call->with;
    struct db_result open = {0}, attempts = {0};
    struct found found = {0};
    int64_t namespace = call->namespace;
    enum rc rc;

    run_views_get(db, id, &open);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    found.is_open = open.rows == 1;
    if (found.is_open) {
        run_views_read(&open, 0, &found.open);
        namespace = found.open.owner.namespace;
    }
    attempt_views_of_run(db, id, first_end(call, &found), &attempts);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    found.attempt_count = attempts.rows;
    found.attempts = arena_array(call->arena, (size_t)attempts.rows, sizeof *found.attempts);
    for (int i = 0; i < attempts.rows; i++) {
        attempt_views_read(&attempts, i, &found.attempts[i]);
        namespace = found.attempts[i].owner.namespace;
    }
    if ((!found.is_open && attempts.rows == 0) || namespace != call->namespace)
        return err_set(reterr, RC_NOT_FOUND, -1, 0, "there is no run `%.*s`",
                       STR_ARG(call->params[0]));
    *ret = found;
    return RC_OK;
}

static json_t *attempt_json(const json_t *run)
{
    static const char *const names[] = {"attempt", "fence",   "worker", "startedAt",
                                        "endedAt", "outcome", "reason", "error"};
    json_t *json = json_new_object();

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        json_put(json, names[i], json_incref(json_object_get(run, names[i])));
    return json;
}

/* The run is its last attempt; all that are over are listed beside it. */
enum call_step run_get_read(struct call *call, struct db *db)
{
    json_auto_t *attempts = json_new_list();
    struct answer out = answer_new(call->arena);
    struct found found;
    struct err err;
    json_t *run = NULL;

    if (find_run(call, db, &found, &err) != RC_OK)
        return view_failed(call, &err);
    for (int i = 0; i < found.attempt_count; i++) {
        struct run_doc doc;

        json_decref(run);
        run = NULL;
        if (view_attempt(&found.attempts[i], call->arena, &doc, &err) != RC_OK)
            return view_failed(call, &err);
        run = run_to_json(&doc);
        json_add(attempts, attempt_json(run));
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

/* Logs. */

enum {
    LINES_DEFAULT = 1000,
    LINES_MAX = 100000, /* a log that is full, of short lines    */
    PARTS_MAX = 10000,  /* of a log: reports of one line or so   */
};

struct log_asked {
    struct run_id id;
    int64_t after, limit;
};

enum call_step run_logs_begin(struct call *call)
{
    static const char *const names[] = {"after", "limit"};
    struct log_asked *asked = arena_take(call->arena, sizeof *asked);
    struct err err;

    asked->limit = LINES_DEFAULT;
    if (request_run(call, 0, &asked->id, &err) != RC_OK ||
        request_query_check(call, names, 2, &err) != RC_OK ||
        request_query_int(call, "after", 0, INT64_MAX - 1, &asked->after, &err) != RC_OK ||
        request_query_int(call, "limit", 1, LINES_MAX, &asked->limit, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    call->with = asked;
    return CALL_READ;
}

static const char *stream_text(enum log_stream stream)
{
    static const char *const texts[LOG_STREAM_COUNT] = {"stdout", "stderr", "worker"};

    return texts[stream];
}

/* Returns how many lines it has; -1 when they cannot be read. */
static int64_t tell_part(const struct log_part *part, bool is_first, struct answer *out,
                         struct err *reterr)
{
    struct str body = part->body;
    struct log_line line;
    bool any = true;
    int64_t count = 0;

    while (log_line_unpack(&body, &line, &any, reterr) == RC_OK) {
        if (!any)
            return count;
        answer_text(out, is_first && count == 0 ? "{\"at\":" : ",{\"at\":");
        answer_instant(out, line.at);
        answer_text(out, ",\"stream\":\"");
        answer_text(out, stream_text(line.stream));
        answer_text(out, "\",\"attempt\":");
        answer_int(out, part->attempt);
        answer_text(out, ",\"text\":");
        answer_lossy(out, line.text);
        answer_text(out, "}");
        count++;
    }
    return -1;
}

/* Whole parts, until there are as many lines as were asked for. */
enum call_step run_logs_read(struct call *call, struct db *db)
{
    const struct log_asked *asked = call->with;
    const struct log_part run = {.schedule = asked->id.schedule,
                                 .slot = asked->id.slot_ms * SPAN_MS,
                                 .pass = asked->id.pass};
    struct log_part part = {.total = asked->after};
    struct answer out = answer_new(call->arena);
    struct db_result rows = {0};
    int64_t lines = 0;
    struct err err;

    if (view_owner(call, db, asked->id.schedule, &err) != RC_OK)
        return view_failed(call, &err);
    logs_of_run(db, &run, asked->after, PARTS_MAX, &rows);
    if (db_flush(db, call->arena, &err) != RC_OK)
        return view_failed(call, &err);
    answer_text(&out, "{\"lines\":[");
    for (int i = 0; i < rows.rows && lines < asked->limit; i++) {
        int64_t told;

        logs_read(&rows, i, &part);
        told = tell_part(&part, lines == 0, &out, &err);
        if (told < 0)
            return view_failed(call, &err);
        lines += told;
    }
    answer_text(&out, "],\"cursor\":");
    answer_int(&out, part.total);
    answer_text(&out, log_is_full(&part) ? ",\"truncated\":true}" : ",\"truncated\":false}");
    return call_answer(call, 200, answer_done(&out));
}
