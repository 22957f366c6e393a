/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a run has said: a page of it, or all of it as it comes until the run ends.
 *
 * A log is told by its parts, each of them whole; a stream is told line by line, and the place
 * behind a line is "PART.LINES": the place of the part, and how many lines of it were told.
 */
#include <inttypes.h>

#include "api/call/request.h"
#include "api/native/native.h"
#include "api/schedules/run_lookup.h"
#include "store/logs.h"

enum {
    LINES_DEFAULT = 1000,
    STREAM_LINES = 4000,     /* that one reading brings, and the rest of a part               */
    LINES_MAX = 100000,      /* a log that is full, of short lines                           */
    PARTS_MAX = 10000,       /* of a log: reports of one line or so                          */
    PLACE_MAX = 48,          /* bytes of a place as text                                     */
    STREAM_LINE_MAX = 60000, /* bytes of a line as JSON: it fits into one event            */
    STREAM_TEXT_MAX = 9000,  /* of a longer one so much is told: six times that at most     */
};

struct log_asked {
    struct run_id id;
    int64_t after, limit;
    int64_t lines; /* of the part behind `after` that were told; streams only */
};

/* ---- what is asked for ---- */

static bool is_place(struct str text, struct log_asked *asked)
{
    struct str rest = text;

    if (str_take_number(&rest, INT64_MAX - 1, &asked->after) == 0 || rest.len == 0 ||
        rest.ptr[0] != '.')
        return false;
    rest = str_from(rest, 1);
    return str_take_number(&rest, INT64_MAX - 1, &asked->lines) > 0 && rest.len == 0;
}

static enum rc read_follow(struct call *call, struct log_asked *asked, struct err *reterr)
{
    struct str text = request_query(call, "follow"), id;

    if (text.len > 0 && !str_eq(text, STR("true")) && !str_eq(text, STR("false"))) {
        err_set(reterr, RC_INVALID, 0, (int)text.len, "must be true or false");
        err_in(reterr, "follow");
        return RC_INVALID;
    }
    if (!str_eq(text, STR("true")))
        return RC_OK;
    call->stream = arena_take(call->arena, sizeof *call->stream);
    call->stream->run = asked->id;
    if (!http1_find(call->request, STR("Last-Event-ID"), &id) || id.len == 0 ||
        is_place(id, asked))
        return RC_OK;
    err_set(reterr, RC_INVALID, 0, (int)id.len, "is no place that this log gave");
    err_in(reterr, "Last-Event-ID");
    return RC_INVALID;
}

enum call_step run_logs_begin(struct call *call)
{
    static const char *const names[] = {"after", "limit", "follow"};
    struct log_asked *asked = arena_take(call->arena, sizeof *asked);
    struct err err;

    asked->limit = LINES_DEFAULT;
    if (request_run(call, 0, &asked->id, &err) != RC_OK ||
        request_query_check(call, names, 3, &err) != RC_OK ||
        request_query_int(call, "after", 0, INT64_MAX - 1, &asked->after, &err) != RC_OK ||
        request_query_int(call, "limit", 1, LINES_MAX, &asked->limit, &err) != RC_OK ||
        read_follow(call, asked, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    call->arg = asked;
    return CALL_READ;
}

static enum rc read_parts(const struct call *call, struct db *db, struct db_result *ret,
                          struct err *reterr)
{
    const struct log_asked *asked = call->arg;
    const struct log_part run = {.schedule = asked->id.schedule,
                                 .slot = asked->id.slot_ms * SPAN_MS,
                                 .pass = asked->id.pass};

    logs_of_run(db, &run, asked->after, PARTS_MAX, ret);
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
    answer_text(out, "{\"at\":");
    answer_instant(out, line->at);
    answer_text(out, ",\"stream\":\"");
    answer_text(out, stream_text(line->stream));
    answer_text(out, "\",\"attempt\":");
    answer_int(out, part->attempt);
    answer_text(out, ",\"text\":");
    answer_lossy(out, line->text);
    answer_text(out, "}");
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
        if (!is_first || count > 0)
            answer_text(out, ",");
        print_line(part, &line, out);
        count++;
    }
    return -1;
}

/* ---- a page ---- */

/*
 * Whole parts, until there are as many lines as were asked for.  No lines are the answer of a
 * run that is there only: an id with a slip in it must not look like a run that said nothing.
 */
static enum call_step answer_page(struct call *call, struct db *db)
{
    const struct log_asked *asked = call->arg;
    struct run_lookup found;
    struct log_part part = {.total = asked->after};
    struct answer out = answer_new(call->arena);
    struct db_result rows = {0};
    int64_t lines = 0;
    struct err err;

    if (view_owner(call, db, asked->id.schedule, &err) != RC_OK ||
        read_parts(call, db, &rows, &err) != RC_OK)
        return view_failed(call, &err);
    if (rows.rows == 0 && run_lookup_last(call, db, &asked->id, &found, &err) != RC_OK)
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

/* ---- a stream ---- */

static struct str place(struct call *call, int64_t after, int64_t lines)
{
    struct buf text = {.ptr = arena_take(call->arena, PLACE_MAX), .cap = PLACE_MAX};

    buf_printf(&text, "%" PRId64 ".%" PRId64, after, lines);
    return buf_as_str(&text);
}

/* `out` is for all lines, one after the other. */
static struct str event_of(struct call *call, const struct log_part *part,
                           struct log_line *line, struct answer *out)
{
    out->buf.len = 0;
    print_line(part, line, out);
    if (out->buf.len > STREAM_LINE_MAX) {
        line->text.len = STREAM_TEXT_MAX;
        out->buf.len = 0;
        print_line(part, line, out);
    }
    return arena_str(call->arena, answer_done(out));
}

/* The lines of a part behind those that were told; asked->after is the place before it. */
static enum rc stream_part(struct call *call, const struct log_part *part, struct answer *out,
                           struct err *reterr)
{
    struct log_asked *asked = call->arg;
    struct call_stream *stream = call->stream;
    struct str body = part->body;
    struct log_line line;
    bool any = true;

    for (int64_t n = 1; any; n++) {
        enum rc rc = log_line_unpack(&body, &line, &any, reterr);

        if (rc != RC_OK)
            return rc;
        if (any && n > asked->lines)
            stream->lines[stream->line_count++] = (struct call_line){
                place(call, asked->after, n), STR("line"), event_of(call, part, &line, out)};
    }
    asked->after = part->total;
    asked->lines = 0;
    return RC_OK;
}

static size_t most_lines(const struct db_result *rows)
{
    size_t bytes = 0;

    for (int i = 0; i < rows->rows; i++) {
        struct log_part part;

        logs_read(rows, i, &part);
        bytes += part.body.len;
    }
    return bytes / LOG_LINE_HEAD;
}

/* The last word: how the run has ended. */
static enum rc stream_end(struct call *call, const struct run_lookup *found, struct err *reterr)
{
    const struct log_asked *asked = call->arg;
    struct call_stream *stream = call->stream;
    struct answer out = answer_new(call->arena);
    struct run_doc doc;
    enum rc rc = view_attempt(&found->attempts[found->attempt_count - 1], RUN_FIELDS_ATTEMPT,
                              call->arena, &doc, reterr);

    if (rc != RC_OK)
        return rc;
    answer_text(&out, "{\"outcome\":");
    answer_quoted(&out, str_of(outcome_text(doc.outcome)));
    answer_text(&out, ",\"endedAt\":");
    answer_instant(&out, doc.ended_at);
    answer_text(&out,
                asked->after >= LOG_RUN_MAX ? ",\"truncated\":true}" : ",\"truncated\":false}");
    stream->lines[stream->line_count++] = (struct call_line){
        place(call, asked->after, asked->lines), STR("end"), answer_done(&out)};
    stream->is_over = true;
    return RC_OK;
}

static enum rc stream_on(struct call *call, struct db *db, struct err *reterr)
{
    struct log_asked *asked = call->arg;
    struct call_stream *stream = call->stream;
    struct answer out = answer_new(call->arena);
    struct db_result rows = {0};
    struct run_lookup found;
    struct log_part part;
    int i = 0;
    enum rc rc = run_lookup_read(call, db, &asked->id, &found, reterr);

    if (rc == RC_OK)
        rc = read_parts(call, db, &rows, reterr);
    if (rc != RC_OK)
        return rc;
    stream->line_count = 0;
    stream->lines = arena_array(call->arena, most_lines(&rows) + 1, sizeof *stream->lines);
    for (; rc == RC_OK && i < rows.rows && stream->line_count < STREAM_LINES; i++) {
        logs_read(&rows, i, &part);
        rc = stream_part(call, &part, &out, reterr);
    }
    stream->has_more = i < rows.rows || rows.rows == PARTS_MAX;
    if (rc == RC_OK && !found.is_open && !stream->has_more)
        rc = stream_end(call, &found, reterr);
    return rc;
}

enum call_step run_logs_read(struct call *call, struct db *db)
{
    struct log_asked before = *(struct log_asked *)call->arg;
    struct err err;

    if (!call->stream)
        return answer_page(call, db);
    if (stream_on(call, db, &err) == RC_OK)
        return CALL_STREAM;
    *(struct log_asked *)call->arg = before; /* it may be tried again */
    return view_failed(call, &err);
}
