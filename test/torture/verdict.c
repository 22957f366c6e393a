/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the journal and the store of a torture world and judges them.
 */
#include "verdict.h"

#include "db/db.h"
#include "evidence.h"
#include "sim/gather.h"
#include "sim/judge_facts.h"

enum {
    BOOK_BYTES_MAX = 256 << 20,  /* of a parsed journal */
    FACTS_BYTES_MAX = 512 << 20, /* for the judge of a world of 1,000 cycles */
    STORE_BYTES_MAX = 128 << 20, /* of one answer of the database */
    STORE_MS = 60000,            /* the machine may be slow during torture */
};

/* ---- checks of the journal alone ---- */

static enum rc check_delivery(const struct delivery *s, struct err *reterr)
{
    if (s->at < s->run.slot_ms * SPAN_MS)
        return judge_fail(reterr, 12, "%s was sent %lld ms before its slot", s->id,
                          (long long)(s->run.slot_ms - s->at / SPAN_MS));
    if (s->is_grant)
        return RC_OK;
    if (!str_eq(s->key, str_of(s->id)))
        return judge_fail(reterr, 8, "%s was sent with the key `%.*s`", s->id, STR_ARG(s->key));
    if (s->slot_ms != s->run.slot_ms)
        return judge_fail(reterr, 8, "%s was sent with a slot of %lld ms", s->id,
                          (long long)s->slot_ms);
    return RC_OK;
}

static enum rc check_deliveries(const struct book *book, struct err *reterr)
{
    enum rc rc = RC_OK;

    for (int i = 0; i < book->delivery_count && rc == RC_OK; i++)
        rc = check_delivery(&book->deliveries[i], reterr);
    return rc;
}

/* At the end all requests are executed, and no executor is working. */
static enum rc check_quiet(const struct record *r, struct err *reterr)
{
    if (r->run_count > 0)
        return judge_fail(reterr, 25,
                          "%d runs are open when all should be over; one is of %lld",
                          r->run_count, (long long)r->runs[0].schedule);
    return RC_OK;
}

/*
 * At the end every schedule runs: the operators have resumed what they paused, and no schedule
 * has a program, which alone may be quarantined.
 */
static enum rc check_active(const struct record *r, struct err *reterr)
{
    for (int i = 0; i < r->cursor_count; i++)
        if (r->cursors[i].flags & (CURSOR_PAUSED | CURSOR_QUARANTINED))
            return judge_fail(reterr, 1, "schedule %lld is paused or quarantined",
                              (long long)r->cursors[i].id);
    for (int i = 0; i < r->event_count; i++)
        if (r->events[i].event.type == EVENT_SCHEDULE_QUARANTINED)
            return judge_fail(reterr, 1, "schedule %lld was quarantined, but has no program",
                              (long long)r->events[i].event.schedule);
    return RC_OK;
}

/* An at-most-once run is never sent again, however it ended. */
static enum rc check_repeats(const struct facts *facts, const struct book *book,
                             struct err *reterr)
{
    for (int i = 0; i < book->delivery_count; i++) {
        const struct delivery *delivery = &book->deliveries[i];
        const struct schedule *s = facts_schedule(facts, delivery->run.schedule);
        bool is_once = s != NULL;

        for (int k = 0; s && k < s->version_count; k++)
            is_once = is_once && s->versions[k].draft->policies.at_most_once;
        if (delivery->is_repeat && is_once)
            return judge_fail(reterr, 8,
                              "%s was sent twice with fence %lld although it is at most once",
                              delivery->id, (long long)delivery->fence);
    }
    return RC_OK;
}

/* ---- the judge ---- */

/*
 * The times of two nodes' turns may differ by this, including the length of a turn: a slot this
 * close to an edit may belong to the old version, the new one, or neither.
 */
#define NODES_APART (250 * SPAN_MS)

static void widen(struct facts *facts)
{
    for (int i = 0; i < facts->schedule_count; i++) {
        struct schedule *s = &facts->schedules[i];

        for (int k = 0; k < s->version_count; k++) {
            s->versions[k].latest_from += NODES_APART;
            s->versions[k].latest_until += NODES_APART;
        }
    }
}

static enum rc judge_all(struct facts *facts, struct err *reterr)
{
    /* The order in which two nodes committed is unknown, and overlap depends on it. */
    bool is_alone = facts->record->node_count == 1;
    enum rc (*const parts[])(struct facts *, struct err *) = {
        judge_runs,
        judge_sent,
        judge_account,
        judge_ledger,
        is_alone ? judge_overlap : NULL,
        judge_gates,
        judge_commands,
        judge_counts,
    };
    enum rc rc = facts_open(facts, reterr);

    if (rc == RC_OK && !is_alone)
        widen(facts);
    for (size_t i = 0; i < sizeof parts / sizeof parts[0] && rc == RC_OK; i++)
        if (parts[i])
            rc = parts[i](facts, reterr);
    return rc;
}

static enum rc judge_record(const struct record *record, const struct book *book,
                            struct verdict_counts *ret, struct err *reterr)
{
    struct facts facts = {
        .record = record, .arena = arena_new(FACTS_BYTES_MAX), .zones = judge_zones_new()};
    enum rc rc = judge_all(&facts, reterr);

    if (rc == RC_OK)
        rc = check_repeats(&facts, book, reterr);
    ret->schedules = facts.schedule_count;
    ret->runs = facts.run_count;
    ret->attempts = record->history_count;
    ret->deliveries = record->delivery_count;
    ret->reports = record->report_count;
    for (int i = 0; i < record->ledger_count; i++)
        ret->skipped += (int)record->ledger[i].account.count;
    judge_zones_free(facts.zones);
    arena_free(facts.arena);
    return rc;
}

static enum rc judge_store(struct db *db, const struct book *book, struct verdict_counts *ret,
                           struct err *reterr)
{
    struct recorder recorder;
    struct evidence evidence = {.book = book, .recorder = &recorder};
    enum rc rc;

    recorder_begin(&recorder, 0);
    rc = gather(db, &recorder, reterr);
    if (rc == RC_OK)
        rc = check_quiet(&recorder.record, reterr);
    if (rc == RC_OK)
        rc = check_active(&recorder.record, reterr);
    if (rc == RC_OK)
        rc = evidence_make(&evidence, db, reterr);
    if (rc == RC_OK)
        rc = judge_record(&recorder.record, book, ret, reterr);
    recorder_end(&recorder);
    return rc;
}

enum rc verdict(const char *url, struct str journal, struct verdict_counts *ret,
                struct err *reterr)
{
    struct arena *arena = arena_new(BOOK_BYTES_MAX);
    struct db_options options = {.bytes_max = STORE_BYTES_MAX, .deadline_ms = STORE_MS};
    struct book book = {0};
    struct db *db = NULL;
    enum rc rc = book_read(journal, arena, &book, reterr);

    *ret = (struct verdict_counts){.ops = book.op_count};
    for (int i = 0; i < book.op_count; i++)
        ret->infos += book.ops[i].end == OP_INFO;
    if (rc == RC_OK)
        rc = check_deliveries(&book, reterr);
    if (rc == RC_OK)
        rc = db_open(url, &options, &db, reterr);
    if (rc == RC_OK)
        rc = judge_store(db, &book, ret, reterr);
    db_close(db);
    arena_free(arena);
    return rc;
}
