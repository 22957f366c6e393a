/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A stream first writes the lines that its own reading brought, reads on while there is more,
 * and then, if it is one of events, goes along with the ring.  Each step stops where the
 * client is slow and goes on when there is room.
 */
#include "server/frontend/streams.h"

#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "io/clock.h"
#include "io/net/exchange.h"
#include "server/frontend/event_ring.h"
#include "server/frontend/frontend_parts.h"

#define LOOK_EVERY SPAN_S /* for what other nodes wrote, and for tokens that expire */

struct stream {
    struct streams *streams;
    struct stream *before, *behind;
    struct exchange *x; /* NULL: it has ended, and its ticket is still away */
    struct ticket *t;
    struct arena *life;     /* of the ticket; its own reading has another one */
    struct arena *portion;  /* of one reading                                 */
    int line;               /* the next of its own reading                    */
    bool is_stuck;          /* the client is slow: until there is room        */
    bool is_gone;           /* the client has left                            */
    bool is_touched;        /* there is more to read than was read            */
    bool is_live;           /* it goes along with the ring                    */
    const struct batch *at; /* where; NULL: behind all of it                 */
    int index;
};

struct streams {
    struct frontend *frontend;
    struct commit_signal *signal;
    struct loop_timer *look, *reap;
    bool has_others;
    struct stream all; /* head of a list in a circle */
    int count;
    struct buf out; /* of one write: EXCHANGE_WRITE_MAX */

    struct event_ring ring;
    bool is_on;            /* the ring is kept for somebody */
    struct ticket *reader; /* of the ring                   */
    struct event_watch *watch;
    bool is_touched;
};

/* ---- the end of one ---- */

static void free_stream(struct stream *s)
{
    struct streams *streams = s->streams;

    s->before->behind = s->behind;
    s->behind->before = s->before;
    streams->count--;
    s->t->stream = NULL;
    s->t->call.arena = s->life;
    frontend_ticket_end(streams->frontend, s->t);
    arena_free(s->portion);
    free(s);
}

static void end(struct stream *s, bool is_well)
{
    struct exchange *x = s->x;

    s->x = NULL;
    s->is_live = false;
    s->at = NULL;
    if (x) {
        exchange_watch(x, NULL, NULL);
        (is_well && !s->is_gone ? exchange_end : exchange_cut)(x);
    }
    if (!s->t->is_away)
        free_stream(s);
}

/* ---- reading ---- */

static void read_on(struct stream *s)
{
    struct call *call = &s->t->call;

    if (!s->portion)
        s->portion = arena_new(CALL_ARENA_MAX);
    arena_reset(s->portion);
    call->arena = s->portion;
    call->stream->line_count = 0;
    s->line = 0;
    s->is_touched = false;
    frontend_read(s->streams->frontend, s->t);
}

static void read_ring(struct streams *streams)
{
    if (!streams->is_on)
        return;
    if (streams->reader->is_away) {
        streams->is_touched = true;
        return;
    }
    streams->is_touched = false;
    arena_reset(streams->reader->call.arena);
    frontend_read(streams->frontend, streams->reader);
}

/* The ring begins where the first that needs it stands. */
static void begin_ring(struct streams *streams, const struct event_cursor *place)
{
    struct ticket *t = streams->reader;

    if (!t) {
        streams->watch = calloc(1, sizeof *streams->watch);
        must(streams->watch);
        streams->watch->question.filter.is_everything = true;
        streams->watch->question.has_own = true;
        streams->watch->question.start = EVENT_AFTER;
        streams->watch->question.limit = WATCH_LIMIT;
        t = streams->reader = frontend_ticket_new(streams->frontend, NULL);
        t->call.operation = &event_feed;
        t->call.arg = streams->watch;
        t->stream = streams;
    }
    event_ring_begin(&streams->ring, place);
    streams->watch->question.after = *place;
    streams->is_on = true;
    read_ring(streams);
}

/* ---- writing ---- */

/* What was gathered, all or nothing. */
static bool flush(struct stream *s)
{
    struct buf *out = &s->streams->out;

    if (out->len > 0)
        s->is_stuck = !exchange_write(s->x, buf_as_str(out));
    out->len = 0;
    return !s->is_stuck;
}

/* Room for the first there always is. */
static bool gather(struct stream *s, struct str id, struct str name, struct str data)
{
    bool fits = sse_print(&(struct sse_event){id, name, data}, &s->streams->out);

    must(fits || s->streams->out.len > 0);
    return fits;
}

static bool say_lines(struct stream *s)
{
    const struct call_stream *stream = s->t->call.stream;

    while (s->line < stream->line_count) {
        int next = s->line;

        for (; next < stream->line_count; next++) {
            const struct call_line *line = &stream->lines[next];

            if (!gather(s, line->id, line->name, line->data))
                break;
        }
        if (!flush(s))
            return false;
        s->line = next;
    }
    return true;
}

static bool wants(const struct event_query *question, const struct event_note *note)
{
    return note->seq > event_cursor_get(&question->after, note->node) &&
           event_filter_wants(&question->filter, note);
}

/* Its place moves on also over what it does not want. */
static void pass(struct stream *s, int until)
{
    struct event_cursor *place = &s->t->call.stream->watch->question.after;

    for (; s->index < until; s->index++) {
        const struct event_note *note = &s->at->notes[s->index];

        if (note->seq > event_cursor_get(place, note->node))
            must(event_cursor_set(place, note->node, note->seq));
    }
}

static void say_ring(struct stream *s)
{
    const struct event_query *question = &s->t->call.stream->watch->question;

    while (s->at) {
        int next = s->index;

        for (; next < s->at->count; next++) {
            const struct event_note *note = &s->at->notes[next];

            if (wants(question, note) &&
                !gather(s, note->id, event_note_name(&question->filter, note),
                        event_note_json(&question->filter, note)))
                break;
        }
        if (!flush(s))
            return;
        pass(s, next);
        if (s->index < s->at->count)
            continue;
        s->at = s->at->next;
        s->index = 0;
    }
}

/* False: what it lacks is not in the ring any more. */
static bool join(struct stream *s)
{
    struct streams *streams = s->streams;
    const struct event_cursor *place = &s->t->call.stream->watch->question.after;

    /* One that is being read for those before is not begun anew under its hands. */
    if (!streams->is_on && !(streams->reader && streams->reader->is_away))
        begin_ring(streams, place);
    if (!streams->is_on || !event_ring_holds(&streams->ring, place))
        return false;
    s->is_live = true;
    s->at = streams->ring.first;
    s->index = 0;
    return true;
}

static void pump(struct stream *s)
{
    const struct call_stream *stream = s->t->call.stream;

    if (!s->x || s->is_gone || s->is_stuck || s->t->is_away)
        return;
    if (!s->is_live) {
        if (!say_lines(s))
            return;
        if (stream->is_over) {
            end(s, true);
            return;
        }
        if (stream->has_more || s->is_touched || (stream->watch && !join(s))) {
            read_on(s);
            return;
        }
    }
    say_ring(s);
}

/* ---- what comes ---- */

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
    s->is_stuck = false;
    pump(s);
}

static const struct exchange_watch watch = {.on_gone = on_gone, .on_room = on_room};

/* Nobody goes along with it any more. */
static void look_at_ring(struct streams *streams)
{
    static const struct event_cursor nowhere;

    for (struct stream *s = streams->all.behind; s != &streams->all; s = s->behind)
        if (s->is_live)
            return;
    streams->is_on = false;
    event_ring_begin(&streams->ring, &nowhere);
    if (streams->count == 0)
        atomic_store(&streams->signal->is_heard, false);
}

static void reap(void *arg)
{
    struct streams *streams = arg;

    for (struct stream *s = streams->all.behind, *next; s != &streams->all; s = next) {
        next = s->behind;
        if (s->is_gone && s->x)
            end(s, false);
    }
    look_at_ring(streams);
}

static void wake_all(struct streams *streams, uint64_t touched)
{
    read_ring(streams);
    for (struct stream *s = streams->all.behind, *next; s != &streams->all; s = next) {
        const struct call_stream *stream = s->t->call.stream;

        next = s->behind;
        if (stream->watch || !(commit_signal_bit(&stream->run) & touched))
            continue;
        s->is_touched = true;
        pump(s);
    }
}

void streams_news(struct streams *streams)
{
    atomic_store(&streams->signal->is_wanted, true);
    wake_all(streams, atomic_exchange(&streams->signal->touched, 0));
}

static void look(void *arg)
{
    struct streams *streams = arg;

    if (streams->has_others)
        wake_all(streams, UINT64_MAX);
    else if (streams->is_touched)
        read_ring(streams); /* what failed before */
    streams_check(streams, streams->frontend->admission);
    look_at_ring(streams);
    if (streams->count > 0)
        loop_timer_set(streams->look, LOOK_EVERY);
}

/* Those that still stand in the oldest batches go back to reading for themselves. */
static void trim_ring(struct streams *streams)
{
    const struct batch *batch;

    while ((batch = event_ring_excess(&streams->ring))) {
        for (struct stream *s = streams->all.behind; s != &streams->all; s = s->behind)
            if (s->at == batch) {
                s->is_live = false;
                s->at = NULL;
            }
        event_ring_drop(&streams->ring);
    }
}

/* What goes along with the ring lacks something: it asks again, from where it stood. */
static void break_ring(struct streams *streams)
{
    for (struct stream *s = streams->all.behind, *next; s != &streams->all; s = next) {
        next = s->behind;
        if (s->is_live)
            end(s, false);
    }
    look_at_ring(streams);
}

static void hand_out(struct streams *streams, const struct batch *batch)
{
    for (struct stream *s = streams->all.behind, *next; s != &streams->all; s = next) {
        next = s->behind;
        if (s->is_live && !s->at) {
            s->at = batch;
            s->index = 0;
        }
        pump(s);
    }
}

static void event_ring_back(struct streams *streams)
{
    const struct batch *batch;

    if (!streams->is_on)
        return;
    if (streams->reader->step != CALL_STREAM) {
        streams->is_touched = true; /* the database is away: once more at the next look */
        return;
    }
    if (streams->watch->portion.is_lost) {
        break_ring(streams);
        return;
    }
    batch = event_ring_add(&streams->ring, &streams->watch->portion);
    if (batch)
        hand_out(streams, batch);
    trim_ring(streams);
    if (streams->is_touched || streams->watch->portion.has_more)
        read_ring(streams);
}

static void stream_back(struct stream *s)
{
    if (!s->x)
        free_stream(s);
    else if (s->is_gone || s->t->step != CALL_STREAM)
        end(s, false);
    else
        pump(s);
}

void streams_back(struct streams *streams, struct ticket *t)
{
    if (t == streams->reader)
        event_ring_back(streams);
    else
        stream_back(t->stream);
}

/* ---- from begin to end ---- */

void streams_adopt(struct streams *streams, struct ticket *t)
{
    struct stream *s = calloc(1, sizeof *s);

    must(s);
    /* What was committed after its first reading, before news are asked for, is read too. */
    *s = (struct stream){
        .streams = streams, .x = t->x, .t = t, .life = t->call.arena, .is_touched = true};
    atomic_store(&streams->signal->is_heard, true);
    atomic_store(&streams->signal->is_wanted, true);
    s->before = streams->all.before;
    s->behind = &streams->all;
    s->before->behind = s->behind->before = s;
    if (streams->count++ == 0)
        loop_timer_set(streams->look, LOOK_EVERY);
    t->x = NULL;
    t->stream = s;
    exchange_watch(s->x, &watch, s);
    exchange_begin_events(s->x, t->call.request_id);
    if (str_eq(s->x->request->method, STR("HEAD")))
        end(s, true);
    else
        pump(s);
}

bool streams_is_full(const struct streams *streams)
{
    return streams->count >= STREAMS_MAX;
}

void streams_check(struct streams *streams, const struct admission *admission)
{
    instant now = clock_now();

    for (struct stream *s = streams->all.behind, *next; s != &streams->all; s = next) {
        next = s->behind;
        if (s->x && !admission_still_allows(admission, &s->t->call.caller, now))
            end(s, true);
    }
}

void streams_close(struct streams *streams)
{
    for (struct stream *s = streams->all.behind, *next; s != &streams->all; s = next) {
        next = s->behind;
        if (s->x)
            end(s, true);
    }
}

void streams_abandon(struct streams *streams)
{
    for (struct stream *s = streams->all.behind, *next; s != &streams->all; s = next) {
        next = s->behind;
        s->t->is_away = false;
        end(s, false);
    }
    look_at_ring(streams);
    if (!streams->reader)
        return;
    streams->reader->is_away = false;
    streams->reader->stream = NULL;
    frontend_ticket_end(streams->frontend, streams->reader);
    streams->reader = NULL;
}

struct streams *streams_new(struct frontend *frontend, struct commit_signal *signal,
                            struct loop *loop, bool has_others)
{
    struct streams *streams = calloc(1, sizeof *streams);

    must(streams);
    streams->frontend = frontend;
    streams->signal = signal;
    streams->has_others = has_others;
    streams->all.before = streams->all.behind = &streams->all;
    streams->out = (struct buf){.ptr = malloc(EXCHANGE_WRITE_MAX), .cap = EXCHANGE_WRITE_MAX};
    must(streams->out.ptr);
    streams->look = loop_timer_new(loop, look, streams);
    streams->reap = loop_timer_new(loop, reap, streams);
    return streams;
}

struct streams *streams_free(struct streams *streams)
{
    if (!streams)
        return NULL;
    must(streams->count == 0);
    loop_timer_free(streams->look);
    loop_timer_free(streams->reap);
    free(streams->watch);
    free(streams->out.ptr);
    free(streams);
    return NULL;
}
