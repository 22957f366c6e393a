/* SPDX-License-Identifier: Apache-2.0 */
/* Derives turns from events, and deliveries and reports from the journal.  See evidence.h. */
#include "evidence.h"

#include <stdlib.h>

#include "db/db.h"

static const struct db_stmt schedule_names = {"SELECT id, name FROM schedules ORDER BY id",
                                              NULL};

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

#define APPEND(record, array, count)                                   \
    ((record)->array = recorder_room((record)->array, (record)->count, \
                                     sizeof *(record)->array),         \
     &(record)->array[(record)->count++])

/* ---- turns ---- */

static int by_time(const void *a, const void *b)
{
    const struct rec_turn *x = a, *y = b;
    int c = compare(x->now, y->now);

    return c ? c : compare(x->node, y->node);
}

/* Events of one turn are adjacent. */
static void list_turns(struct evidence *e)
{
    struct record *r = &e->recorder->record;

    for (int i = 0; i < r->event_count; i++) {
        const struct rec_event *event = &r->events[i];

        if (i == 0 || event->node != event[-1].node || event->at != event[-1].at)
            *APPEND(r, turns, turn_count) = (struct rec_turn){.node = event->node,
                                                              .now = event->at};
    }
    if (r->turn_count > 0)
        qsort(r->turns, (size_t)r->turn_count, sizeof *r->turns, by_time);
    for (int i = 0; i < r->turn_count; i++)
        r->turns[i].order = 2 * (i + 1);
    e->turn_count = r->turn_count;
}

int64_t evidence_order(const struct evidence *e, instant at)
{
    const struct record *r = &e->recorder->record;
    int low = 0, high = e->turn_count;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (r->turns[middle].now <= at)
            low = middle + 1;
        else
            high = middle;
    }
    return low > 0 ? r->turns[low - 1].order : 0;
}

int64_t evidence_key(const struct evidence *e, struct str name)
{
    for (int i = 0; i < e->names.rows; i++)
        if (str_eq(db_text_at(&e->names, i, 1), name))
            return db_int_at(&e->names, i, 0);
    for (int i = 0; i < e->book->op_count; i++)
        if (e->book->ops[i].has_run && str_eq(e->book->ops[i].schedule, name))
            return e->book->ops[i].run.schedule;
    return 0;
}

/* ---- claims ---- */

static const struct record *sorted; /* whose events by_claim() compares */

static int compare_claim(const struct event *x, const struct event *y)
{
    int c = compare(x->schedule, y->schedule);

    c = c ? c : compare(x->slot, y->slot);
    c = c ? c : compare(x->pass, y->pass);
    return c ? c : compare(x->fence, y->fence);
}

static int by_claim(const void *a, const void *b)
{
    const int *x = a, *y = b;

    return compare_claim(&sorted->events[*x].event, &sorted->events[*y].event);
}

static void list_claims(struct evidence *e)
{
    const struct record *r = &e->recorder->record;

    e->claims = arena_array(e->recorder->arena, (size_t)r->event_count, sizeof *e->claims);
    for (int i = 0; i < r->event_count; i++)
        if (r->events[i].event.type == EVENT_RUN_CLAIMED)
            e->claims[e->claim_count++] = i;
    sorted = r;
    qsort(e->claims, (size_t)e->claim_count, sizeof *e->claims, by_claim);
}

/* The event of the claim under which a run was seen; NULL: the store has none. */
static const struct rec_event *claim_of(const struct evidence *e, const struct run_id *run,
                                        int64_t fence)
{
    const struct record *r = &e->recorder->record;
    struct event wanted = {.schedule = run->schedule,
                           .slot = run->slot_ms * SPAN_MS,
                           .pass = run->pass,
                           .fence = fence};
    int low = 0, high = e->claim_count;

    while (low < high) {
        int middle = low + (high - low) / 2;

        if (compare_claim(&r->events[e->claims[middle]].event, &wanted) < 0)
            low = middle + 1;
        else
            high = middle;
    }
    if (low == e->claim_count || compare_claim(&r->events[e->claims[low]].event, &wanted) != 0)
        return NULL;
    return &r->events[e->claims[low]];
}

/* ---- deliveries ---- */

/*
 * The clocks of two nodes do not give the order of deliveries; the journal does.  So with two
 * nodes each delivery gets its own turn after those of the store, in the order of the journal.
 * One more turn at the end has the last time.
 */
static bool is_by_arrival(const struct evidence *e)
{
    return e->recorder->record.node_count > 1;
}

static int64_t arrival(const struct evidence *e, int delivery)
{
    return 2 * ((int64_t)e->turn_count + 1 + delivery);
}

static int64_t order_of(const struct evidence *e, int delivery, const struct rec_event *claim)
{
    if (!claim)
        return -1;
    return is_by_arrival(e) ? arrival(e, delivery) : evidence_order(e, claim->at);
}

static void add_turn(struct evidence *e, int delivery, int64_t node, instant now)
{
    struct record *r = &e->recorder->record;

    *APPEND(r, turns, turn_count) = (struct rec_turn){
        .order = arrival(e, delivery), .node = node, .now = now};
}

/* A delivery without a claim gets an order that no turn has; the judge rejects it. */
static void add_deliveries(struct evidence *e)
{
    struct record *r = &e->recorder->record;

    for (int i = 0; i < e->book->delivery_count; i++) {
        const struct delivery *s = &e->book->deliveries[i];
        const struct rec_event *claim = claim_of(e, &s->run, s->fence);
        struct rec_delivery *d;

        if (s->is_repeat)
            continue;
        d = APPEND(r, deliveries, delivery_count);
        *d = (struct rec_delivery){
            .order = order_of(e, i, claim),
            .at = claim ? claim->at : s->at,
            .node = claim ? claim->node : 0,
            .run = {.schedule = s->run.schedule,
                    .slot = s->run.slot_ms * SPAN_MS,
                    .pass = s->run.pass,
                    .overlap = OVERLAP_DEFAULT,
                    .due = s->run.slot_ms * SPAN_MS,
                    .attempt = s->attempt,
                    .fence = s->fence},
            .is_grant = s->is_grant,
        };
        memcpy(d->id, s->id, sizeof d->id);
        if (claim && is_by_arrival(e))
            add_turn(e, i, claim->node, claim->at);
    }
    if (is_by_arrival(e) && e->turn_count > 0)
        add_turn(e, e->book->delivery_count, r->turns[0].node, r->turns[e->turn_count - 1].now);
}

/* ---- reports ---- */

/*
 * The row that a report wrote.  A run that waits for its next attempt and is then ended has a
 * second row with the same fence, and the keys of two nodes are not in order of time.  So a row
 * with the reported outcome is preferred, then a cancelled one, then any.
 */
static const struct history_row *row_of(const struct record *r, const struct worker_report *s)
{
    const struct history_row *found = NULL;

    for (int i = 0; i < r->history_count; i++) {
        const struct history_row *h = &r->history[i];

        if (h->schedule != s->run.schedule || h->slot != s->run.slot_ms * SPAN_MS ||
            h->pass != s->run.pass || h->fence != s->fence)
            continue;
        if (h->outcome == s->outcome)
            return h;
        if (!found || h->outcome == OUTCOME_CANCELLED)
            found = h;
    }
    return found;
}

/* The order of the delivery that a report follows. */
static int64_t claim_order(const struct evidence *e, const struct worker_report *s,
                           const struct rec_event *claim)
{
    const struct book *book = e->book;

    for (int i = 0; is_by_arrival(e) && i < book->delivery_count; i++) {
        const struct delivery *seen = &book->deliveries[i];

        if (seen->fence == s->fence && seen->run.schedule == s->run.schedule &&
            seen->run.slot_ms == s->run.slot_ms && seen->run.pass == s->run.pass)
            return arrival(e, i);
    }
    return evidence_order(e, claim->at);
}

/*
 * Decides when a report was accepted: an end in the turn that recorded it, a release directly
 * after its claim, all others at the time of the journal.  The clocks of two nodes may differ,
 * but no report precedes its claim.
 */
static struct rec_report order_report(const struct evidence *e, const struct worker_report *s)
{
    const struct rec_event *claim = claim_of(e, &s->run, s->fence);
    const struct history_row *row = NULL;
    struct rec_report report = {.at = s->at,
                                .node = claim ? claim->node : 0,
                                .kind = s->kind,
                                .run = s->run,
                                .fence = s->fence,
                                .outcome = s->outcome,
                                .rc = s->rc};
    int64_t claimed = claim ? claim_order(e, s, claim) : -1;

    if (s->kind == REPORT_DONE && s->rc == RC_OK)
        row = row_of(&e->recorder->record, s);
    if (row)
        report.at = row->ended_at;
    else if (claim && s->kind == REPORT_RELEASE)
        report.at = claim->at;
    report.order = evidence_order(e, report.at) + (row ? 0 : 1);
    if (report.order <= claimed || is_by_arrival(e))
        report.order = claimed + 1;
    return report;
}

static void add_reports(struct evidence *e)
{
    struct record *r = &e->recorder->record;

    for (int i = 0; i < e->book->report_count; i++) {
        struct rec_report report = order_report(e, &e->book->reports[i]);

        *APPEND(r, reports, report_count) = report;
    }
}

enum rc evidence_make(struct evidence *e, struct db *db, struct err *reterr)
{
    struct record *r = &e->recorder->record;
    enum rc rc;

    db_send(db, &schedule_names, NULL, &e->names);
    rc = db_flush(db, e->recorder->arena, reterr);
    if (rc != RC_OK)
        return rc;
    r->begin = e->book->begin;
    r->healed = r->end = e->book->end;
    list_turns(e);
    list_claims(e);
    add_deliveries(e);
    add_reports(e);
    return evidence_ops(e, reterr);
}
