/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists the runs of a schedule, a queue or a namespace.  Open and ended runs are in one order,
 * latest first: by their keys, which are the creation time of an open run and the end time of
 * an ended run.
 *
 * A run that ends while a client reads the pages would move to the front and be missed.  So the
 * first page records which ends it could see (end_snapshot.h); a run that ends later keeps the
 * place that it had as an open run, and the order does not change.  A cursor consists of a key
 * and this snapshot.
 */
#include <inttypes.h>

#include "api/call/read_size.h"
#include "api/native/native.h"
#include "api/schedules/end_snapshot.h"
#include "api/schedules/page.h"
#include "api/schedules/view.h"
#include "core/outcome.h"
#include "store/key.h"
#include "store/named_objects.h"

enum {
    CURSOR_TEXT_MAX = 24 + END_SNAPSHOT_TEXT_MAX,
    PEEK_MAX = 100,       /* rows in which to look for a run after the page */
    ROWS_BYTES = 1 << 30, /* of arena: the rows of three sources, twice, and a run's JSON */
};

/* Open runs, ended runs, and runs that ended after the first page was read. */
enum source_kind { ROWS_OPEN, ROWS_ENDED, ROWS_MOVED, SOURCES };

/* The parameters of the request; find_keys() adds the keys of the names. */
struct run_query {
    struct page page;
    struct str schedule, queue; /* names; empty: any             */
    struct view_page view;      /* its limit is that of the page */
    int64_t from;               /* the lowest key to list        */
    field_set fields;           /* of each run                   */
    bool wants_open, wants_ended;
    struct end_snapshot ends; /* visible to the first page */
};

/* The rows of one source, latest first; complete down to the key `floor`. */
struct source_rows {
    enum source_kind kind;
    struct db_result rows;
    int next;
    int64_t floor; /* 0: all rows have been read */
};

/* ---- the request ---- */

static enum rc wrong_word(struct str text, const char *name, const char *words,
                          struct err *reterr)
{
    err_set(reterr, RC_INVALID, 0, (int)text.len, "must be %s", words);
    return err_in(reterr, "%s", name);
}

static enum rc read_state(struct str text, struct run_query *query, struct err *reterr)
{
    static const struct {
        const char *text;
        int64_t states;
    } words[] = {
        {"held", 1 << RUN_HELD | 1 << RUN_GATED},
        {"approval", 1 << RUN_APPROVAL},
        {"ready", 1 << RUN_READY},
        {"leased", 1 << RUN_LEASED},
        {"running", 1 << RUN_RUNNING},
        {"backoff", 1 << RUN_BACKOFF},
        {"open", 0},
    };

    query->wants_open = query->wants_ended = text.len == 0;
    if (text.len == 0)
        return RC_OK;
    if (str_eq(text, STR("ended"))) {
        query->wants_ended = true;
        return RC_OK;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (str_eq(text, str_of(words[i].text))) {
            query->view.states = words[i].states;
            query->wants_open = true;
            return RC_OK;
        }
    return wrong_word(text, "state",
                      "open, held, approval, ready, leased, running, backoff or ended", reterr);
}

/* Only ended runs have an outcome. */
static enum rc read_outcome(struct str text, struct run_query *query, struct err *reterr)
{
    if (text.len == 0)
        return RC_OK;
    query->wants_open = false;
    for (int i = OUTCOME_SUCCEEDED; i <= OUTCOME_UNKNOWN; i++)
        if (str_eq(text, str_of(outcome_text((enum outcome)i)))) {
            query->view.outcome = i;
            return RC_OK;
        }
    return wrong_word(text, "outcome",
                      "succeeded, failed, timedOut, cancelled, terminated or unknown", reterr);
}

static enum rc read_kind(struct str text, struct run_query *query, struct err *reterr)
{
    for (int i = 0; text.len > 0 && i <= RUN_TEST; i++)
        if (str_eq(text, str_of(run_kind_text((enum run_kind)i))))
            query->view.kind = i + 1;
    if (text.len == 0 || query->view.kind > 0)
        return RC_OK;
    return wrong_word(text, "kind", "slot, trigger, backfill, direct or test", reterr);
}

/* `to` is exclusive, so that consecutive ranges do not overlap. */
static enum rc read_times(struct call *call, struct run_query *query, struct err *reterr)
{
    instant from = INSTANT_NONE, to = INSTANT_NEVER;

    if (request_query_range(call, &from, &to, reterr) != RC_OK)
        return reterr->rc;
    query->from = from == INSTANT_NONE ? 0 : key_of(from);
    query->view.before = to == INSTANT_NEVER ? INT64_MAX : key_of(to);
    return RC_OK;
}

/* "KEY", or "KEY-SNAPSHOT" if both open and ended runs are listed. */
static enum rc read_cursor(struct str text, struct run_query *query, struct err *reterr)
{
    struct str rest = text;
    int64_t before = 0;
    bool is_valid;

    if (text.len == 0)
        return RC_OK;
    query->ends = END_SNAPSHOT_ALL;
    is_valid = str_take_number(&rest, INT64_MAX - 1, &before) > 0;
    if (is_valid && rest.len > 0)
        is_valid = rest.ptr[0] == '-' && end_snapshot_read(str_from(rest, 1), &query->ends);
    if (!is_valid)
        return err_field(reterr, "cursor", "invalid cursor; start without it");
    if (before < query->view.before)
        query->view.before = before;
    return RC_OK;
}

enum call_step run_list_begin(struct call *call)
{
    static const char *const names[] = {"schedule", "state", "outcome", "queue",
                                        "kind",     "from",  "to",      "fields"};
    struct run_query *query = arena_take(call->arena, sizeof *query);
    struct err err;

    if (page_begin(call, names, sizeof names / sizeof names[0], &query->page, &err) != RC_OK ||
        read_state(request_query(call, "state"), query, &err) != RC_OK ||
        read_outcome(request_query(call, "outcome"), query, &err) != RC_OK ||
        read_kind(request_query(call, "kind"), query, &err) != RC_OK ||
        read_times(call, query, &err) != RC_OK ||
        read_cursor(query->page.after, query, &err) != RC_OK ||
        request_fields(call, &run_list_fields, &query->fields, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    query->schedule = request_query(call, "schedule");
    query->queue = request_query(call, "queue");
    query->view.scan = VIEW_SCAN_MAX;
    query->view.limit = query->page.limit;
    call->arg = query;
    return CALL_READ;
}

/* A deleted schedule keeps its history; a new one of the same name comes first. */
static enum rc find_schedule(const struct call *call, struct db *db, struct str name,
                             int64_t *ret, struct err *reterr)
{
    struct db_result current = {0}, deleted = {0};
    const struct db_result *found = &current;
    enum rc rc;

    schedules_find(db, call->namespace, name, &current);
    schedules_find_deleted(db, call->namespace, name, &deleted);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    if (current.rows == 0)
        found = &deleted;
    if (found->rows == 0)
        return err_set(reterr, RC_NOT_FOUND, -1, 0, "schedule \"%.*s\" does not exist",
                       STR_ARG(name));
    *ret = db_int_at(found, 0, 0);
    return RC_OK;
}

/* Finds the keys of the schedule and the queue. */
static enum rc find_keys(const struct call *call, struct db *db, struct run_query *query,
                         struct err *reterr)
{
    struct db_result queue = {0};
    enum rc rc = RC_OK;

    query->view.namespace = call->namespace;
    if (query->schedule.len > 0)
        rc = find_schedule(call, db, query->schedule, &query->view.schedule, reterr);
    if (rc != RC_OK)
        return rc;
    if (query->queue.len > 0)
        queues_find(db, call->namespace, query->queue, &queue);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    if (query->queue.len > 0 && queue.rows == 0)
        return err_set(reterr, RC_NOT_FOUND, -1, 0, "queue \"%.*s\" does not exist",
                       STR_ARG(query->queue));
    query->view.queue = queue.rows > 0 ? db_int_at(&queue, 0, 0) : 0;
    return RC_OK;
}

/* ---- rows ---- */

/* run_views_list(), run_views_end(), or the same functions for attempts. */
typedef void page_fn(struct db *db, const struct view_page *page, struct db_result *ret);

/* Sets *ret to the key of the last row that was scanned, if the table has more rows. */
static enum rc find_floor(const struct call *call, struct db *db, page_fn *end, int64_t *ret,
                          struct err *reterr)
{
    struct view_page page = ((const struct run_query *)call->arg)->view;
    struct db_result scanned = {0}, more = {0};
    enum rc rc;

    end(db, &page, &scanned);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK || scanned.rows == 0)
        return rc;
    page.before = db_int_at(&scanned, 0, 0);
    page.scan = 1;
    end(db, &page, &more);
    rc = db_flush(db, call->arena, reterr);
    if (rc == RC_OK && more.rows == 1)
        *ret = page.before;
    return rc;
}

static int64_t key_at(const struct source_rows *source, int row)
{
    return source->kind == ROWS_MOVED ? attempt_views_run_key(&source->rows, row)
                                      : db_int_at(&source->rows, row, 0);
}

static enum rc read_source(const struct call *call, struct db *db, page_fn *list, page_fn *end,
                           struct source_rows *ret, struct err *reterr)
{
    const struct run_query *query = call->arg;
    enum rc rc;

    list(db, &query->view, &ret->rows);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    if (ret->rows.rows == query->view.limit)
        ret->floor = key_at(ret, ret->rows.rows - 1);
    else if (end)
        rc = find_floor(call, db, end, &ret->floor, reterr);
    return rc;
}

/* Recent ends are read last, so that a run may be found twice but is never missed. */
static enum rc read_sources(const struct call *call, struct db *db, struct source_rows *ret,
                            struct err *reterr)
{
    struct run_query *query = call->arg;
    bool has_schedule = query->view.schedule != 0,
         is_mixed = query->wants_open && query->wants_ended;
    int64_t before = query->view.before;
    enum rc rc = RC_OK;

    if (!is_mixed)
        query->ends = END_SNAPSHOT_ALL;
    else if (query->ends.from == 0)
        rc = end_snapshot_find(call, db, &query->ends, reterr);
    for (int i = 0; i < SOURCES; i++)
        ret[i] = (struct source_rows){.kind = (enum source_kind)i};
    if (rc == RC_OK && query->wants_open)
        rc = read_source(call, db, run_views_list, has_schedule ? NULL : run_views_end,
                         &ret[ROWS_OPEN], reterr);
    if (end_snapshot_top(&query->ends) < before)
        query->view.before = end_snapshot_top(&query->ends);
    if (rc == RC_OK && query->wants_ended)
        rc = read_source(call, db, attempt_views_list, attempt_views_end, &ret[ROWS_ENDED],
                         reterr);
    query->view.before = before;
    query->view.since = query->ends.from;
    if (rc == RC_OK && is_mixed)
        rc = read_source(call, db, attempt_views_ended_since, NULL, &ret[ROWS_MOVED], reterr);
    return rc;
}

/* An ended run is listed at its creation or at its end, never at both. */
static bool is_listed_here(const struct source_rows *source, const struct end_snapshot *ends)
{
    int64_t key = db_int_at(&source->rows, source->next, 0);

    return source->kind == ROWS_OPEN ||
           end_snapshot_saw(ends, key) == (source->kind == ROWS_ENDED);
}

static int64_t next_key(struct source_rows *source, const struct end_snapshot *ends)
{
    while (source->next < source->rows.rows && !is_listed_here(source, ends))
        source->next++;
    return source->next < source->rows.rows ? key_at(source, source->next) : -1;
}

/* The source of the next row; of equal keys, an ended run comes before its open row. */
static struct source_rows *next_source(struct source_rows *sources,
                                       const struct end_snapshot *ends)
{
    struct source_rows *next = &sources[ROWS_MOVED];

    for (int i = 0; i < ROWS_MOVED; i++)
        if (next_key(&sources[i], ends) > next_key(next, ends))
            next = &sources[i];
    return next;
}

static struct run_doc read_doc(const struct call *call, struct source_rows *source,
                               bool *ret_is_run)
{
    const struct run_query *query = call->arg;
    struct attempt_view attempt;
    struct run_view run;

    *ret_is_run = true;
    if (source->kind == ROWS_OPEN) {
        run_views_read(&source->rows, source->next++, &run);
        return view_run(&run);
    }
    attempt_views_read(&source->rows, source->next++, &attempt);
    *ret_is_run = attempt.row.last; /* the last attempt is the run */
    return view_attempt(&attempt, query->fields, call->arena);
}

/* ---- the page ---- */

struct listing {
    struct answer out;
    int count;
    int64_t cursor; /* 0: this is the last page */
};

static int64_t highest_floor(const struct source_rows *sources)
{
    int64_t floor = 0;

    for (int i = 0; i < SOURCES; i++)
        floor = sources[i].floor > floor ? sources[i].floor : floor;
    return floor;
}

static void print_page(const struct call *call, struct source_rows *sources, struct listing *t)
{
    const struct run_query *query = call->arg;
    int64_t floor = highest_floor(sources), printed = -1;

    t->cursor = floor > query->from ? floor : 0;
    for (;;) {
        struct source_rows *source = next_source(sources, &query->ends);
        int64_t key = next_key(source, &query->ends);
        struct run_doc doc;
        bool is_run;

        if (key < floor || key < query->from)
            return;
        if (key == printed) { /* the run ended after it was read as an open run */
            source->next++;
            continue;
        }
        if (t->count == query->page.limit || t->out.buf.len >= PAGE_BYTES_MAX) {
            t->cursor = key + 1;
            return;
        }
        printed = key;
        doc = read_doc(call, source, &is_run);
        if (!is_run)
            continue;
        if (t->count++ > 0)
            answer_text(&t->out, ",");
        answer_json(&t->out, run_to_json(&doc, query->fields));
    }
}

/* Clears the cursor if no run follows it.  print_page() cannot know this of a full page. */
static enum rc check_cursor(const struct call *call, struct db *db, struct listing *t,
                            struct err *reterr)
{
    struct run_query *query = call->arg;
    const struct end_snapshot *ends = &query->ends;
    struct source_rows sources[SOURCES];
    int64_t next;
    enum rc rc;

    if (t->cursor == 0)
        return RC_OK;
    query->view.before = t->cursor;
    if (ends->mark_count == 0)
        query->view.limit = 1;
    else if (query->view.limit > PEEK_MAX)
        query->view.limit = PEEK_MAX;
    rc = read_sources(call, db, sources, reterr);
    if (rc != RC_OK)
        return rc;
    next = next_key(next_source(sources, ends), ends);
    if (highest_floor(sources) <= query->from && (next < 0 || next < query->from))
        t->cursor = 0;
    return RC_OK;
}

static void write_cursor(const struct run_query *query, int64_t key, struct buf *out)
{
    if (key > 0)
        buf_printf(out, "%" PRId64, key);
    if (key > 0 && query->wants_open && query->wants_ended) {
        buf_text(out, "-");
        end_snapshot_write(&query->ends, out);
    }
}

static enum rc read_page(const struct call *call, struct db *db, struct listing *t,
                         struct err *reterr)
{
    struct source_rows sources[SOURCES];
    enum rc rc;

    page_open(&t->out, "runs");
    rc = find_keys(call, db, call->arg, reterr);
    if (rc == RC_OK)
        rc = read_sources(call, db, sources, reterr);
    if (rc != RC_OK)
        return rc;
    print_page(call, sources, t);
    return check_cursor(call, db, t, reterr);
}

enum call_step run_list_read(struct call *call, struct db *db)
{
    struct run_query *query = call->arg, before = *query;
    struct read_size size = read_size_of(before.view.limit);
    struct call inner = *call; /* with an arena that is reset between tries */
    char text[CURSOR_TEXT_MAX] = "";
    struct buf cursor = BUF(text);
    struct listing t;
    struct err err;
    enum rc rc;

    inner.arena = arena_new(ROWS_BYTES);
    do { /* a page has fewer runs if their results are large */
        arena_reset(inner.arena);
        *query = before;
        query->view.limit = size.rows;
        t = (struct listing){.out = answer_new(call->arena)};
        rc = read_page(&inner, db, &t, &err);
    } while (read_size_is_cut(&size, db, rc));
    arena_free(inner.arena);
    write_cursor(query, t.cursor, &cursor);
    *query = before; /* the read may be retried */
    if (rc != RC_OK)
        return view_failed(call, &err);
    page_close(&t.out, buf_as_str(&cursor));
    return call_answer(call, 200, answer_done(&t.out));
}
