/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Each stream first reads the database for itself, until it has sent everything.  After that, a
 * stream of events follows the ring.  Each step stops when the client is slow and continues
 * when there is room.
 */
#include "server/frontend/streams.h"

#include <stdlib.h>

#include "api/call/api_dialect.h"
#include "base/must.h"
#include "io/clock.h"
#include "io/net/exchange.h"
#include "server/frontend/event_ring.h"
#include "server/frontend/frontend_parts.h"
#include "wire/sse.h"

#define POLL_EVERY SPAN_S /* for events of other nodes and expired tokens */

struct stream {
    struct streams *streams;
    struct stream *prev_stream, *next_stream;
    struct exchange *x; /* NULL: ended, but another thread owns the ticket */
    struct ticket *t;
    struct arena *ticket_arena;   /* of the ticket; reads use read_arena */
    struct arena *read_arena;     /* of one read                         */
    int line;                     /* next line to send of the last read  */
    bool is_blocked;              /* the client is slow; wait for room   */
    bool is_gone;                 /* the client has disconnected         */
    bool is_touched;              /* the database has more than was read */
    bool is_live;                 /* follows the ring                    */
    const struct event_batch *at; /* position; NULL: at the end          */
    int index;
};

struct streams {
    struct frontend *frontend;
    struct commit_signal *signal;
    struct loop_timer *poll_others, *reap;
    bool has_others;
    struct stream all; /* head of a circular list */
    int count;
    struct buf out; /* of one write: EXCHANGE_WRITE_MAX */

    struct event_ring ring;
    bool is_active;             /* at least one stream follows the ring */
    struct ticket *ring_ticket; /* reads the events for the ring        */
    struct event_watch watch;   /* all events, for the ring             */
    bool is_touched;
};

/* ---- ending ---- */

static void free_stream(struct stream *s)
{
    struct streams *streams = s->streams;

    s->prev_stream->next_stream = s->next_stream;
    s->next_stream->prev_stream = s->prev_stream;
    streams->count--;
    s->t->stream = NULL;
    s->t->call.arena = s->ticket_arena;
    frontend_ticket_end(streams->frontend, s->t);
    arena_free(s->read_arena);
    free(s);
}

static void end_stream(struct stream *s, bool is_orderly)
{
    struct exchange *x = s->x;

    s->x = NULL;
    s->is_live = false;
    s->at = NULL;
    if (x) {
        exchange_watch(x, NULL, NULL);
        (is_orderly && !s->is_gone ? exchange_end : exchange_cut)(x);
    }
    if (!s->t->is_away)
        free_stream(s);
}

/* ---- reading ---- */

static void read_more(struct stream *s)
{
    struct call *call = &s->t->call;

    if (!s->read_arena)
        s->read_arena = arena_new(CALL_ARENA_MAX);
    arena_reset(s->read_arena);
    call->arena = s->read_arena;
    call->stream->line_count = 0;
    s->line = 0;
    s->is_touched = false;
    frontend_send_to_reader(s->streams->frontend, s->t, CALL_READ);
}

static void read_ring(struct streams *streams)
{
    if (!streams->is_active)
        return;
    if (streams->ring_ticket->is_away) {
        streams->is_touched = true;
        return;
    }
    streams->is_touched = false;
    arena_reset(streams->ring_ticket->call.arena);
    frontend_send_to_reader(streams->frontend, streams->ring_ticket, CALL_READ);
}

/* The ring begins at the cursor of the first stream that needs it. */
static void begin_ring(struct streams *streams, const struct event_cursor *cursor)
{
    struct ticket *t = streams->ring_ticket;

    if (!t) {
        t = streams->ring_ticket = frontend_ticket_new(streams->frontend, NULL);
        t->call.operation = &event_feed;
        t->call.arg = &streams->watch;
        t->stream = streams;
    }
    event_ring_begin(&streams->ring, cursor);
    streams->watch.question.after = *cursor;
    streams->is_active = true;
    read_ring(streams);
}

/* ---- writing ---- */

/* Writes the collected bytes, all or nothing. */
static bool flush(struct stream *s)
{
    struct buf *out = &s->streams->out;

    if (out->len > 0)
        s->is_blocked = !exchange_write(s->x, buf_as_str(out));
    out->len = 0;
    return !s->is_blocked;
}

/* There is always room for the first event. */
static bool add_event(struct stream *s, struct str id, struct str name, struct str data)
{
    bool fits = sse_print(&(struct sse_event){id, name, data}, &s->streams->out);

    must(fits || s->streams->out.len > 0);
    return fits;
}

static bool write_lines(struct stream *s)
{
    const struct call_stream *stream = s->t->call.stream;

    while (s->line < stream->line_count) {
        int next = s->line;

        for (; next < stream->line_count; next++) {
            const struct call_line *line = &stream->lines[next];

            if (!add_event(s, line->id, line->name, line->data))
                break;
        }
        if (!flush(s))
            return false;
        s->line = next;
    }
    return true;
}

static bool matches(const struct event_query *question, const struct event_note *note)
{
    return note->seq > event_cursor_get(&question->after, note->node) &&
           event_filter_wants(&question->filter, note);
}

/* Also moves over events that do not match. */
static void advance_cursor(struct stream *s, int until)
{
    struct event_cursor *cursor = &s->t->call.stream->watch->question.after;

    for (; s->index < until; s->index++) {
        const struct event_note *note = &s->at->notes[s->index];

        if (note->seq > event_cursor_get(cursor, note->node))
            must(event_cursor_set(cursor, note->node, note->seq));
    }
}

static void write_ring(struct stream *s)
{
    while (s->at) {
        const struct event_query *question = &s->t->call.stream->watch->question;
        int next = s->index;

        for (; next < s->at->count; next++) {
            const struct event_note *note = &s->at->notes[next];

            if (matches(question, note) &&
                !add_event(s, note->id, event_note_name(&question->filter, note),
                           event_note_json(&question->filter, note)))
                break;
        }
        if (!flush(s))
            return;
        advance_cursor(s, next);
        if (s->index < s->at->count)
            continue;
        s->at = s->at->next;
        s->index = 0;
    }
}

/* Returns false if the ring has lost events that the stream needs. */
static bool join_ring(struct stream *s)
{
    struct streams *streams = s->streams;
    const struct event_cursor *cursor = &s->t->call.stream->watch->question.after;

    /* Do not restart the ring while its previous read is in progress. */
    if (!streams->is_active && !(streams->ring_ticket && streams->ring_ticket->is_away))
        begin_ring(streams, cursor);
    if (!streams->is_active || !event_ring_holds(&streams->ring, cursor))
        return false;
    s->is_live = true;
    s->at = streams->ring.first;
    s->index = 0;
    return true;
}

static void pump_stream(struct stream *s)
{
    const struct call_stream *stream = s->t->call.stream;

    if (!s->x || s->is_gone || s->is_blocked || s->t->is_away)
        return;
    if (!s->is_live) {
        if (!write_lines(s))
            return;
        if (stream->is_over) {
            end_stream(s, true);
            return;
        }
        if (stream->has_more || s->is_touched || (stream->watch && !join_ring(s))) {
            read_more(s);
            return;
        }
    }
    write_ring(s);
}

/* ---- events ---- */

static void on_gone(void *arg, struct exchange *x)
{
    struct stream *s = arg;

    (void)x;
    s->is_gone = true;
    loop_timer_set(s->streams->reap, 0);
}

static void on_room(void *arg, struct exchange *x)
{
    struct stream *s = arg;

    (void)x;
    s->is_blocked = false;
    pump_stream(s);
}

static const struct exchange_watch watch = {.on_gone = on_gone, .on_room = on_room};

/* Empties the ring when no stream follows it any more. */
static void stop_idle_ring(struct streams *streams)
{
    static const struct event_cursor start;

    for (struct stream *s = streams->all.next_stream; s != &streams->all; s = s->next_stream)
        if (s->is_live)
            return;
    streams->is_active = false;
    event_ring_begin(&streams->ring, &start);
    if (streams->count == 0)
        atomic_store(&streams->signal->has_listeners, false);
}

static void reap(void *arg)
{
    struct streams *streams = arg;

    for (struct stream *s = streams->all.next_stream, *next; s != &streams->all; s = next) {
        next = s->next_stream;
        if (s->is_gone && s->x)
            end_stream(s, false);
    }
    stop_idle_ring(streams);
}

static void wake_all(struct streams *streams, uint64_t touched)
{
    read_ring(streams);
    for (struct stream *s = streams->all.next_stream, *next; s != &streams->all; s = next) {
        const struct call_stream *stream = s->t->call.stream;

        next = s->next_stream;
        if (stream->watch || !(commit_signal_bit(&stream->run) & touched))
            continue;
        s->is_touched = true;
        pump_stream(s);
    }
}

void streams_on_commit(struct streams *streams)
{
    atomic_store(&streams->signal->is_wanted, true);
    wake_all(streams, atomic_exchange(&streams->signal->touched, 0));
}

static void poll_others(void *arg)
{
    struct streams *streams = arg;

    if (streams->has_others)
        wake_all(streams, UINT64_MAX);
    else if (streams->is_touched)
        read_ring(streams); /* retry a failed read */
    streams_close_denied(streams, streams->frontend->admission);
    stop_idle_ring(streams);
    if (streams->count > 0)
        loop_timer_set(streams->poll_others, POLL_EVERY);
}

/* Streams at the oldest batches continue with their own reads. */
static void trim_ring(struct streams *streams)
{
    const struct event_batch *batch;

    while ((batch = event_ring_excess(&streams->ring))) {
        for (struct stream *s = streams->all.next_stream; s != &streams->all;
             s = s->next_stream)
            if (s->at == batch) {
                s->is_live = false;
                s->at = NULL;
            }
        event_ring_drop(&streams->ring);
    }
}

/* Events are missing: the streams end, and their clients reconnect with their last cursor. */
static void end_live_streams(struct streams *streams)
{
    for (struct stream *s = streams->all.next_stream, *next; s != &streams->all; s = next) {
        next = s->next_stream;
        if (s->is_live)
            end_stream(s, false);
    }
    stop_idle_ring(streams);
}

static void distribute(struct streams *streams, const struct event_batch *batch)
{
    for (struct stream *s = streams->all.next_stream, *next; s != &streams->all; s = next) {
        next = s->next_stream;
        if (s->is_live && !s->at) {
            s->at = batch;
            s->index = 0;
        }
        pump_stream(s);
    }
}

static void finish_ring_read(struct streams *streams)
{
    const struct event_batch *batch;

    if (!streams->is_active)
        return;
    if (streams->ring_ticket->step != CALL_STREAM) {
        streams->is_touched = true; /* the database is unavailable: retry at the next poll */
        return;
    }
    if (streams->watch.portion.is_lost) {
        end_live_streams(streams);
        return;
    }
    batch = event_ring_add(&streams->ring, &streams->watch.portion);
    if (batch)
        distribute(streams, batch);
    trim_ring(streams);
    if (streams->is_touched || streams->watch.portion.has_more)
        read_ring(streams);
}

static void finish_stream_read(struct stream *s)
{
    if (!s->x)
        free_stream(s);
    else if (s->is_gone || s->t->step != CALL_STREAM)
        end_stream(s, false);
    else
        pump_stream(s);
}

void streams_ticket_returned(struct streams *streams, struct ticket *t)
{
    if (t == streams->ring_ticket)
        finish_ring_read(streams);
    else
        finish_stream_read(t->stream);
}

/* ---- start and stop ---- */

void streams_adopt(struct streams *streams, struct ticket *t)
{
    struct stream *s = calloc(1, sizeof *s);

    must(s);
    /* Reads again, because a commit after the first read may not have raised a signal. */
    *s = (struct stream){.streams = streams,
                         .x = t->x,
                         .t = t,
                         .ticket_arena = t->call.arena,
                         .is_touched = true};
    atomic_store(&streams->signal->has_listeners, true);
    atomic_store(&streams->signal->is_wanted, true);
    s->prev_stream = streams->all.prev_stream;
    s->next_stream = &streams->all;
    s->prev_stream->next_stream = s->next_stream->prev_stream = s;
    if (streams->count++ == 0)
        loop_timer_set(streams->poll_others, POLL_EVERY);
    t->x = NULL;
    t->stream = s;
    exchange_watch(s->x, &watch, s);
    exchange_begin_events(s->x, t->call.request_id);
    if (str_eq(s->x->request->method, STR("HEAD")))
        end_stream(s, true);
    else
        pump_stream(s);
}

bool streams_is_full(const struct streams *streams)
{
    return streams->count >= STREAMS_MAX;
}

void streams_close_denied(struct streams *streams, const struct admission *admission)
{
    instant now = clock_now();

    for (struct stream *s = streams->all.next_stream, *next; s != &streams->all; s = next) {
        next = s->next_stream;
        if (s->x && !admission_still_allows(admission, &s->t->call.caller, now))
            end_stream(s, true);
    }
}

void streams_close(struct streams *streams)
{
    for (struct stream *s = streams->all.next_stream, *next; s != &streams->all; s = next) {
        next = s->next_stream;
        if (s->x)
            end_stream(s, true);
    }
}

void streams_abandon(struct streams *streams)
{
    for (struct stream *s = streams->all.next_stream, *next; s != &streams->all; s = next) {
        next = s->next_stream;
        s->t->is_away = false;
        end_stream(s, false);
    }
    stop_idle_ring(streams);
    if (!streams->ring_ticket)
        return;
    streams->ring_ticket->is_away = false;
    streams->ring_ticket->stream = NULL;
    frontend_ticket_end(streams->frontend, streams->ring_ticket);
    streams->ring_ticket = NULL;
}

struct streams *streams_new(struct frontend *frontend, struct commit_signal *signal,
                            struct loop *loop, bool has_others)
{
    struct streams *streams = calloc(1, sizeof *streams);

    must(streams);
    streams->frontend = frontend;
    streams->signal = signal;
    streams->has_others = has_others;
    streams->all.prev_stream = streams->all.next_stream = &streams->all;
    streams->out = (struct buf){.ptr = malloc(EXCHANGE_WRITE_MAX), .cap = EXCHANGE_WRITE_MAX};
    must(streams->out.ptr);
    streams->watch.question = (struct event_query){
        .filter = {.is_everything = true},
        .terms = api_dialects[DIALECTS_AGENTS].events,
        .start = EVENT_AFTER,
        .limit = WATCH_LIMIT,
    };
    streams->poll_others = loop_timer_new(loop, poll_others, streams);
    streams->reap = loop_timer_new(loop, reap, streams);
    return streams;
}

struct streams *streams_free(struct streams *streams)
{
    if (!streams)
        return NULL;
    must(streams->count == 0);
    loop_timer_free(streams->poll_others);
    loop_timer_free(streams->reap);
    free(streams->out.ptr);
    free(streams);
    return NULL;
}
