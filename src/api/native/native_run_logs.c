/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The log of a run, as a page or as a stream that ends with the run.
 *
 * A page consists of whole parts of the log.  A stream sends single lines; the position after a
 * line is "PART.LINES": the position of the part, and the number of its lines that were sent.
 */
#include <inttypes.h>

#include "api/call/request.h"
#include "api/native/native.h"
#include "api/schedules/run_lookup.h"
#include "store/logs.h"

enum {
    LINES_DEFAULT = 1000,
    STREAM_LINES = 4000,     /* lines of one read, plus the rest of a part                */
    LINES_MAX = 100000,      /* a full log of short lines                                 */
    PARTS_MAX = 10000,       /* of a log: reports of about one line each                  */
    POSITION_MAX = 48,       /* bytes of a position as text                               */
    STREAM_LINE_MAX = 60000, /* bytes of a line as JSON, so that it fits into one event   */
    STREAM_TEXT_MAX = 9000,  /* bytes of a longer line that are sent; at most 6 × as JSON */
};

struct log_query {
    struct run_id id;
    int64_t after, limit;
    int64_t lines; /* streams only: lines sent from the part that begins at `after` */
};

/* ---- the request ---- */

static bool parse_position(struct str text, struct log_query *query)
{
    struct str rest = text;

    if (str_take_number(&rest, INT64_MAX - 1, &query->after) == 0 || rest.len == 0 ||
        rest.ptr[0] != '.')
        return false;
    rest = str_from(rest, 1);
    return str_take_number(&rest, INT64_MAX - 1, &query->lines) > 0 && rest.len == 0;
}

static enum rc read_follow(struct call *call, struct log_query *query, struct err *reterr)
{
    struct str text = request_query(call, "follow"), id;

    if (text.len > 0 && !str_eq(text, STR("true")) && !str_eq(text, STR("false"))) {
        err_set(reterr, RC_INVALID, 0, (int)text.len, "must be true or false");
        return err_in(reterr, "follow");
    }
    if (!str_eq(text, STR("true")))
        return RC_OK;
    call->stream = arena_take(call->arena, sizeof *call->stream);
    call->stream->run = query->id;
    if (!http1_find(call->request, STR("Last-Event-ID"), &id) || id.len == 0 ||
        parse_position(id, query))
        return RC_OK;
    err_set(reterr, RC_INVALID, 0, (int)id.len,
            "invalid position; use the id of an event of this log");
    return err_in(reterr, "Last-Event-ID");
}

enum call_step run_logs_begin(struct call *call)
{
    static const char *const names[] = {"after", "limit", "follow"};
    struct log_query *query = arena_take(call->arena, sizeof *query);
    struct err err;

    query->limit = LINES_DEFAULT;
    if (request_run(call, 0, &query->id, &err) != RC_OK ||
        request_query_check(call, names, 3, &err) != RC_OK ||
        request_query_int(call, "after", 0, INT64_MAX - 1, &query->after, &err) != RC_OK ||
        request_query_int(call, "limit", 1, LINES_MAX, &query->limit, &err) != RC_OK ||
        read_follow(call, query, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    call->arg = query;
    return CALL_READ;
}

static enum rc read_parts(const struct call *call, struct db *db, struct db_result *ret,
                          struct err *reterr)
{
    const struct log_query *query = call->arg;
    const struct log_part run = {.schedule = query->id.schedule,
                                 .slot = query->id.slot_ms * SPAN_MS,
                                 .pass = query->id.pass};

    logs_of_run(db, &run, query->after, PARTS_MAX, ret);
    return db_flush(db, call->arena, reterr);
}

/* ---- lines ---- */

static const char *stream_text(enum log_stream stream)
{
    static const char *const texts[LOG_STREAM_COUNT] = {"stdout", "stderr", "worker"};

    return texts[stream];
}

static void print_line(const struct log_part *part, const struct log_line *line,
                       struct answer *out)
{
    answer_open(out);
    answer_put_instant(out, "at", line->at);
    answer_put_word(out, "stream", stream_text(line->stream));
    answer_put_int(out, "attempt", part->attempt);
    answer_name(out, "text");
    answer_lossy(out, line->text);
    answer_text(out, "}");
}

/* Removes one line from *body; false: there is none.  One line stands for a damaged rest. */
static bool next_line(const struct log_part *part, struct str *body, struct log_line *ret)
{
    struct err err;
    bool any;

    if (log_line_unpack(body, ret, &any, &err) == RC_OK)
        return any;
    *ret = (struct log_line){part->at, LOG_WORKER,
                             STR("the log is damaged; lines are missing")};
    body->len = 0;
    return true;
}

/* Prints the lines of a part and returns their number. */
static int64_t print_part(const struct log_part *part, struct answer *out)
{
    struct str body = part->body;
    struct log_line line;
    int64_t count = 0;

    for (; next_line(part, &body, &line); count++)
        print_line(part, &line, out);
    return count;
}

/* ---- a page ---- */

/*
 * Prints whole parts until the limit of lines is reached.  If there are no lines, the run must
 * exist: a mistyped id must not look like a run without a log.
 */
static enum call_step answer_page(struct call *call, struct db *db)
{
    const struct log_query *query = call->arg;
    struct run_lookup found;
    struct log_part part = {.total = query->after};
    struct answer out = answer_new(call->arena);
    struct db_result rows = {0};
    int64_t lines = 0;
    struct err err;

    if (view_check_owner(call, db, query->id.schedule, &err) != RC_OK ||
        read_parts(call, db, &rows, &err) != RC_OK)
        return view_failed(call, &err);
    if (rows.rows == 0 && run_lookup_last(call, db, &query->id, &found, &err) != RC_OK)
        return view_failed(call, &err);
    answer_text(&out, "{\"lines\":[");
    for (int i = 0; i < rows.rows && lines < query->limit; i++) {
        logs_read(&rows, i, &part);
        lines += print_part(&part, &out);
    }
    answer_text(&out, "]");
    answer_put_int(&out, "cursor", part.total);
    answer_text(&out, log_is_full(&part) ? ",\"truncated\":true}" : ",\"truncated\":false}");
    return call_answer(call, 200, answer_done(&out));
}

/* ---- a stream ---- */

static struct str print_position(struct call *call, int64_t after, int64_t lines)
{
    struct buf text = {.ptr = arena_take(call->arena, POSITION_MAX), .cap = POSITION_MAX};

    buf_printf(&text, "%" PRId64 ".%" PRId64, after, lines);
    return buf_as_str(&text);
}

/* The JSON of a line.  `out` is reused for all lines. */
static struct str line_json(struct call *call, const struct log_part *part,
                            struct log_line *line, struct answer *out)
{
    out->buf.len = 0;
    print_line(part, line, out);
    if (out->buf.len > STREAM_LINE_MAX) {
        line->text = str_head(line->text, STREAM_TEXT_MAX);
        out->buf.len = 0;
        print_line(part, line, out);
    }
    return arena_str(call->arena, answer_done(out));
}

/* Adds the lines of a part that were not sent yet; query->after is the position before it. */
static void stream_part(struct call *call, const struct log_part *part, struct answer *out)
{
    struct log_query *query = call->arg;
    struct call_stream *stream = call->stream;
    struct str body = part->body;
    struct log_line line;

    for (int64_t n = 1; next_line(part, &body, &line); n++)
        if (n > query->lines)
            stream->lines[stream->line_count++] = (struct call_line){
                print_position(call, query->after, n), STR("line"),
                line_json(call, part, &line, out)};
    query->after = part->total;
    query->lines = 0;
}

/* An upper bound of the number of lines. */
static size_t max_lines(const struct db_result *rows)
{
    size_t bytes = 0;

    for (int i = 0; i < rows->rows; i++) {
        struct log_part part;

        logs_read(rows, i, &part);
        bytes += part.body.len;
    }
    return bytes / LOG_LINE_HEAD + (size_t)rows->rows; /* one for a damaged rest of each */
}

/* Adds the last event: the outcome of the run. */
static void stream_end(struct call *call, const struct run_lookup *found)
{
    const struct log_query *query = call->arg;
    struct call_stream *stream = call->stream;
    struct answer out = answer_new(call->arena);
    struct run_doc doc = view_attempt(&found->attempts[found->attempt_count - 1],
                                      RUN_FIELDS_ATTEMPT, call->arena);

    answer_open(&out);
    answer_put_word(&out, "outcome", outcome_text(doc.outcome));
    answer_put_instant(&out, "endedAt", doc.ended_at);
    answer_text(&out,
                query->after >= LOG_RUN_MAX ? ",\"truncated\":true}" : ",\"truncated\":false}");
    stream->lines[stream->line_count++] = (struct call_line){
        print_position(call, query->after, query->lines), STR("end"), answer_done(&out)};
    stream->is_over = true;
}

static enum rc stream_batch(struct call *call, struct db *db, struct err *reterr)
{
    struct log_query *query = call->arg;
    struct call_stream *stream = call->stream;
    struct answer out = answer_new(call->arena);
    struct db_result rows = {0};
    struct run_lookup found;
    struct log_part part;
    int i = 0;
    enum rc rc = run_lookup_read(call, db, &query->id, &found, reterr);

    if (rc == RC_OK)
        rc = read_parts(call, db, &rows, reterr);
    if (rc != RC_OK)
        return rc;
    stream->line_count = 0;
    stream->lines = arena_array(call->arena, max_lines(&rows) + 1, sizeof *stream->lines);
    for (; i < rows.rows && stream->line_count < STREAM_LINES; i++) {
        logs_read(&rows, i, &part);
        stream_part(call, &part, &out);
    }
    stream->has_more = i < rows.rows || rows.rows == PARTS_MAX;
    if (!found.is_open && !stream->has_more)
        stream_end(call, &found);
    return RC_OK;
}

enum call_step run_logs_read(struct call *call, struct db *db)
{
    struct log_query before = *(struct log_query *)call->arg;
    struct err err;

    if (!call->stream)
        return answer_page(call, db);
    if (stream_batch(call, db, &err) == RC_OK)
        return CALL_STREAM;
    *(struct log_query *)call->arg = before; /* the read may be retried */
    return view_failed(call, &err);
}
