/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events in order, as pages or as a stream.
 *
 * Each event has a cursor that is valid for both.  When the events after a cursor have been
 * pruned, the client gets 410, or an event "lost" in a stream.
 */
#include "api/events/event_watch.h"
#include "api/native/native.h"
#include "api/schedules/page.h"
#include "api/schedules/view.h"

static struct str cursor_text(const struct event_cursor *cursor, struct arena *arena)
{
    char text[EVENT_CURSOR_TEXT_MAX];
    struct buf out = BUF(text);

    event_cursor_print(cursor, &out);
    return arena_str(arena, buf_as_str(&out));
}

/* ---- the request ---- */

static enum rc read_start(struct str text, enum event_start otherwise,
                          struct event_query *query, struct err *reterr)
{
    query->start = EVENT_AFTER;
    if (text.len == 0)
        query->start = otherwise;
    else if (str_eq(text, STR("now")))
        query->start = EVENT_NOW;
    else if (str_eq(text, STR("oldest")))
        query->start = EVENT_OLDEST;
    else
        return event_cursor_parse(text, &query->after, reterr);
    return RC_OK;
}

/* Last-Event-ID overrides `after`: a browser reconnects with the original URL. */
static enum rc read_position(struct call *call, struct event_query *question,
                             struct err *reterr)
{
    struct str id, after = request_query(call, "after");
    bool is_stream = call->stream != NULL, is_header;
    enum rc rc;

    is_header = is_stream && http1_find(call->request, STR("Last-Event-ID"), &id) && id.len > 0;
    rc = read_start(is_header ? id : after, is_stream ? EVENT_NOW : EVENT_OLDEST, question,
                    reterr);
    return rc == RC_OK ? RC_OK : err_in(reterr, is_header ? "Last-Event-ID" : "after");
}

static bool wants_stream(const struct call *call)
{
    struct str accept;

    return http1_find(call->request, STR("Accept"), &accept) &&
           memmem(accept.ptr, accept.len, "text/event-stream", 17) != NULL;
}

enum call_step event_watch_begin(struct call *call, const struct event_asking *asking)
{
    struct event_watch *watch = arena_take(call->arena, sizeof *watch);
    struct event_query *question = &watch->question;
    struct err err;

    if (wants_stream(call)) {
        call->stream = arena_take(call->arena, sizeof *call->stream);
        call->stream->watch = watch;
    }
    if (request_query_check(call, asking->parameters, asking->count, &err) != RC_OK ||
        request_limit(call, &question->limit, &err) != RC_OK ||
        asking->read(call, &question->filter, &err) != RC_OK ||
        read_position(call, question, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    if (question->filter.is_everything &&
        !(call->caller.is_everywhere && call->caller.role == ROLE_ADMIN))
        return call_deny(call, 403, "everything requires an admin of all namespaces");
    if (call->stream)
        question->limit = WATCH_LIMIT;
    question->terms = question->filter.terms;
    call->arg = watch;
    return CALL_READ;
}

enum call_step event_list_begin(struct call *call)
{
    static const char *const names[] = {"after", "limit", EVENT_FILTER_PARAMETERS};

    return event_watch_begin(
        call, &(struct event_asking){names, 2 + EVENT_FILTER_COUNT, event_filter_read});
}

/* ---- pages ---- */

static enum call_step answer_lost(struct call *call, const struct event_read *portion)
{
    struct str oldest = cursor_text(&portion->cursor, call->arena);

    call_problem(call, 410, "not_found",
                 "events after this cursor have been pruned, or it is of another database; "
                 "start with after=oldest");
    call_field(call, STR("Belfry-Oldest"), oldest);
    return CALL_ANSWER;
}

static enum call_step answer_page(struct call *call, const struct event_watch *watch)
{
    const struct event_filter *filter = &watch->question.filter;
    const struct event_read *portion = &watch->portion;
    struct answer out = answer_new(call->arena);

    page_open(&out, "events");
    for (int i = 0; i < portion->count; i++) {
        if (i > 0)
            answer_text(&out, ",");
        answer_str(&out, event_note_json(filter, &portion->notes[i]));
    }
    answer_text(&out, "]");
    answer_put_text(&out, "cursor", cursor_text(&portion->cursor, call->arena));
    answer_text(&out, portion->has_more ? ",\"more\":true}" : ",\"more\":false}");
    return call_answer(call, 200, answer_done(&out));
}

/* ---- streams ---- */

static void add_line(struct call_stream *stream, struct str id, struct str name,
                     struct str data)
{
    stream->lines[stream->line_count++] = (struct call_line){id, name, data};
}

/* {"id":CURSOR}: where a stream begins, or where it continues after lost events. */
static void add_position(struct call *call, struct call_stream *stream, const char *name,
                         const struct event_cursor *cursor)
{
    struct answer out = answer_new(call->arena);
    struct str id = cursor_text(cursor, call->arena);

    answer_open(&out);
    answer_put_text(&out, "id", id);
    answer_text(&out, "}");
    add_line(stream, id, str_of(name), answer_done(&out));
}

static enum call_step stream_batch(struct call *call, struct event_watch *watch)
{
    const struct event_filter *filter = &watch->question.filter;
    const struct event_read *portion = &watch->portion;
    struct call_stream *stream = call->stream;

    stream->lines = arena_array(call->arena, (size_t)portion->count + 1, sizeof *stream->lines);
    stream->line_count = 0;
    if (portion->is_lost)
        add_position(call, stream, "lost", &portion->cursor);
    else if (!watch->has_begun)
        add_position(call, stream, "begin", &portion->first);
    for (int i = 0; i < portion->count; i++) {
        const struct event_note *note = &portion->notes[i];

        add_line(stream, note->id, event_note_name(filter, note),
                 event_note_json(filter, note));
    }
    stream->has_more = portion->has_more || portion->is_lost;
    watch->has_begun = true;
    watch->question.start = EVENT_AFTER;
    watch->question.after = portion->cursor;
    return CALL_STREAM;
}

static enum rc read_batch(struct call *call, struct db *db, struct event_watch *watch,
                          struct err *reterr)
{
    if (!watch->question.filter.is_everything)
        watch->question.filter.namespace = call->namespace;
    return event_read_batch(db, call->arena, &watch->question, &watch->portion, reterr);
}

enum call_step event_list_read(struct call *call, struct db *db)
{
    struct event_watch *watch = call->arg;
    struct err err;

    if (read_batch(call, db, watch, &err) != RC_OK)
        return view_failed(call, &err);
    if (call->stream)
        return stream_batch(call, watch);
    return watch->portion.is_lost ? answer_lost(call, &watch->portion)
                                  : answer_page(call, watch);
}

/* ---- the feed of the server's streams ---- */

static enum call_step feed_read(struct call *call, struct db *db)
{
    struct event_watch *watch = call->arg;
    struct err err;

    if (read_batch(call, db, watch, &err) != RC_OK)
        return view_failed(call, &err);
    watch->question.after = watch->portion.cursor;
    return CALL_STREAM;
}

const struct operation event_feed = {.id = "event.feed", .read = feed_read};
