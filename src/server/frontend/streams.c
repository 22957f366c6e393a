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
    struct feed *feed;
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

struct feed {
    struct door *door;
    struct news *news;
    struct loop_timer *look, *reap;
    bool has_others;
    struct stream all; /* head of a list in a circle */
    int count;
    struct buf out; /* of one write: EXCHANGE_WRITE_MAX */

    struct ring ring;
    bool is_on;            /* the ring is kept for somebody */
    struct ticket *reader; /* of the ring                   */
    struct event_watch *watch;
    bool is_touched;
};

/* ---- the end of one ---- */

static void free_stream(struct stream *s)
{
    struct feed *feed = s->feed;

    s->before->behind = s->behind;
    s->behind->before = s->before;
    feed->count--;
    s->t->stream = NULL;
    s->t->call.arena = s->life;
    door_ticket_end(feed->door, s->t);
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
    door_read(s->feed->door, s->t);
}

static void read_ring(struct feed *feed)
{
    if (!feed->is_on)
        return;
    if (feed->reader->is_away) {
        feed->is_touched = true;
        return;
    }
    feed->is_touched = false;
    arena_reset(feed->reader->call.arena);
    door_read(feed->door, feed->reader);
}

/* The ring begins where the first that needs it stands. */
static void begin_ring(struct feed *feed, const struct event_cursor *place)
{
    struct ticket *t = feed->reader;

    if (!t) {
        feed->watch = calloc(1, sizeof *feed->watch);
        must(feed->watch);
        feed->watch->question.filter.is_everything = true;
        feed->watch->question.has_own = true;
        feed->watch->question.start = EVENT_AFTER;
        feed->watch->question.limit = WATCH_LIMIT;
        t = feed->reader = door_ticket_new(feed->door, NULL);
        t->call.operation = &event_feed;
        t->call.with = feed->watch;
        t->stream = feed;
    }
    ring_begin(&feed->ring, place);
    feed->watch->question.after = *place;
    feed->is_on = true;
    read_ring(feed);
}

/* ---- writing ---- */

/* What was gathered, all or nothing. */
static bool flush(struct stream *s)
{
    struct buf *out = &s->feed->out;

    if (out->len > 0)
        s->is_stuck = !exchange_write(s->x, buf_as_str(out));
    out->len = 0;
    return !s->is_stuck;
}

/* Room for the first there always is. */
static bool gather(struct stream *s, struct str id, struct str name, struct str data)
{
    bool fits = sse_print(&(struct sse_event){id, name, data}, &s->feed->out);

    must(fits || s->feed->out.len > 0);
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

static bool wants(const struct event_question *question, const struct event_note *note)
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
    const struct event_question *question = &s->t->call.stream->watch->question;

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
    struct feed *feed = s->feed;
    const struct event_cursor *place = &s->t->call.stream->watch->question.after;

    /* One that is being read for those before is not begun anew under its hands. */
    if (!feed->is_on && !(feed->reader && feed->reader->is_away))
        begin_ring(feed, place);
    if (!feed->is_on || !ring_holds(&feed->ring, place))
        return false;
    s->is_live = true;
    s->at = feed->ring.first;
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

static void on_gone(void *with, struct exchange *x)
{
    struct stream *s = with;

    (void)x;
    s->is_gone = true;
    loop_timer_set(s->feed->reap, 0);
}

static void on_room(void *with, struct exchange *x)
{
    struct stream *s = with;

    (void)x;
    s->is_stuck = false;
    pump(s);
}

static const struct exchange_watch watch = {.on_gone = on_gone, .on_room = on_room};

/* Nobody goes along with it any more. */
static void look_at_ring(struct feed *feed)
{
    static const struct event_cursor nowhere;

    for (struct stream *s = feed->all.behind; s != &feed->all; s = s->behind)
        if (s->is_live)
            return;
    feed->is_on = false;
    ring_begin(&feed->ring, &nowhere);
    if (feed->count == 0)
        atomic_store(&feed->news->is_heard, false);
}

static void reap(void *with)
{
    struct feed *feed = with;

    for (struct stream *s = feed->all.behind, *next; s != &feed->all; s = next) {
        next = s->behind;
        if (s->is_gone && s->x)
            end(s, false);
    }
    look_at_ring(feed);
}

static void wake_all(struct feed *feed, uint64_t touched)
{
    read_ring(feed);
    for (struct stream *s = feed->all.behind, *next; s != &feed->all; s = next) {
        const struct call_stream *stream = s->t->call.stream;

        next = s->behind;
        if (stream->watch || !(news_bit(&stream->run) & touched))
            continue;
        s->is_touched = true;
        pump(s);
    }
}

void feed_news(struct feed *feed)
{
    atomic_store(&feed->news->is_wanted, true);
    wake_all(feed, atomic_exchange(&feed->news->touched, 0));
}

static void look(void *with)
{
    struct feed *feed = with;

    if (feed->has_others)
        wake_all(feed, UINT64_MAX);
    else if (feed->is_touched)
        read_ring(feed); /* what failed before */
    feed_check(feed, feed->door->porter);
    look_at_ring(feed);
    if (feed->count > 0)
        loop_timer_set(feed->look, LOOK_EVERY);
}

/* Those that still stand in the oldest batches go back to reading for themselves. */
static void trim_ring(struct feed *feed)
{
    const struct batch *batch;

    while ((batch = ring_excess(&feed->ring))) {
        for (struct stream *s = feed->all.behind; s != &feed->all; s = s->behind)
            if (s->at == batch) {
                s->is_live = false;
                s->at = NULL;
            }
        ring_drop(&feed->ring);
    }
}

/* What goes along with the ring lacks something: it asks again, from where it stood. */
static void break_ring(struct feed *feed)
{
    for (struct stream *s = feed->all.behind, *next; s != &feed->all; s = next) {
        next = s->behind;
        if (s->is_live)
            end(s, false);
    }
    look_at_ring(feed);
}

static void hand_out(struct feed *feed, const struct batch *batch)
{
    for (struct stream *s = feed->all.behind, *next; s != &feed->all; s = next) {
        next = s->behind;
        if (s->is_live && !s->at) {
            s->at = batch;
            s->index = 0;
        }
        pump(s);
    }
}

static void ring_back(struct feed *feed)
{
    const struct batch *batch;

    if (!feed->is_on)
        return;
    if (feed->reader->step != CALL_STREAM) {
        feed->is_touched = true; /* the database is away: once more at the next look */
        return;
    }
    if (feed->watch->portion.is_lost) {
        break_ring(feed);
        return;
    }
    batch = ring_add(&feed->ring, &feed->watch->portion);
    if (batch)
        hand_out(feed, batch);
    trim_ring(feed);
    if (feed->is_touched || feed->watch->portion.has_more)
        read_ring(feed);
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

void feed_back(struct feed *feed, struct ticket *t)
{
    if (t == feed->reader)
        ring_back(feed);
    else
        stream_back(t->stream);
}

/* ---- from begin to end ---- */

void feed_adopt(struct feed *feed, struct ticket *t)
{
    struct stream *s = calloc(1, sizeof *s);

    must(s);
    /* What was committed after its first reading, before news are asked for, is read too. */
    *s = (struct stream){
        .feed = feed, .x = t->x, .t = t, .life = t->call.arena, .is_touched = true};
    atomic_store(&feed->news->is_heard, true);
    atomic_store(&feed->news->is_wanted, true);
    s->before = feed->all.before;
    s->behind = &feed->all;
    s->before->behind = s->behind->before = s;
    if (feed->count++ == 0)
        loop_timer_set(feed->look, LOOK_EVERY);
    t->x = NULL;
    t->stream = s;
    exchange_watch(s->x, &watch, s);
    exchange_begin_events(s->x, t->call.request_id);
    if (str_eq(s->x->request->method, STR("HEAD")))
        end(s, true);
    else
        pump(s);
}

bool feed_is_full(const struct feed *feed)
{
    return feed->count >= STREAMS_MAX;
}

void feed_check(struct feed *feed, const struct porter *porter)
{
    instant now = clock_now();

    for (struct stream *s = feed->all.behind, *next; s != &feed->all; s = next) {
        next = s->behind;
        if (s->x && !porter_knows(porter, &s->t->call.caller, now))
            end(s, true);
    }
}

void feed_close(struct feed *feed)
{
    for (struct stream *s = feed->all.behind, *next; s != &feed->all; s = next) {
        next = s->behind;
        if (s->x)
            end(s, true);
    }
}

void feed_abandon(struct feed *feed)
{
    for (struct stream *s = feed->all.behind, *next; s != &feed->all; s = next) {
        next = s->behind;
        s->t->is_away = false;
        end(s, false);
    }
    look_at_ring(feed);
    if (!feed->reader)
        return;
    feed->reader->is_away = false;
    feed->reader->stream = NULL;
    door_ticket_end(feed->door, feed->reader);
    feed->reader = NULL;
}

struct feed *feed_new(struct door *door, struct news *news, struct loop *loop, bool has_others)
{
    struct feed *feed = calloc(1, sizeof *feed);

    must(feed);
    feed->door = door;
    feed->news = news;
    feed->has_others = has_others;
    feed->all.before = feed->all.behind = &feed->all;
    feed->out = (struct buf){.ptr = malloc(EXCHANGE_WRITE_MAX), .cap = EXCHANGE_WRITE_MAX};
    must(feed->out.ptr);
    feed->look = loop_timer_new(loop, look, feed);
    feed->reap = loop_timer_new(loop, reap, feed);
    return feed;
}

struct feed *feed_free(struct feed *feed)
{
    if (!feed)
        return NULL;
    must(feed->count == 0);
    loop_timer_free(feed->look);
    loop_timer_free(feed->reap);
    free(feed->watch);
    free(feed->out.ptr);
    free(feed);
    return NULL;
}
