/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs of a schedule, a queue or a namespace, open ones and those that are over in one order:
 * that of their keys, which is when an open one was made and when another has ended, the
 * latest first.
 *
 * One that ends while the pages are read would come to the front and be missed.  So the first
 * page notes which ends it could see, and whatever ends later stands where it stood while it
 * was open: the order does not change any more.  A cursor is a key, and those ends.
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
    BEHIND_MAX = 100,     /* runs, seen already, among which one may stand that was not */
    ROWS_BYTES = 1 << 30, /* of arena: what three sources bring, twice, and a run's JSON  */
};

/* Where runs come from: open ones, those that are over, and those that ended meanwhile. */
enum source_kind { SOURCE_OPEN, SOURCE_ENDED, SOURCE_MOVED, SOURCES };

/* What a page asks for: as sent, then with keys. */
struct asked {
    struct page page;
    struct str schedule, queue; /* names; empty: any */
    struct view_page view;      /* but for the limit */
    int64_t from;               /* no key below it   */
    field_set fields;           /* of each run       */
    bool wants_open, wants_ended;
    struct end_snapshot ends; /* that the first page has seen */
};

/* The rows of one source, the latest first, and down to which key they are all there. */
struct source_rows {
    enum source_kind kind;
    struct db_result rows;
    int next;
    int64_t floor; /* 0: there are no more */
};

/* ---- what is asked for ---- */

static enum rc wrong_word(struct str text, const char *name, const char *words,
                          struct err *reterr)
{
    err_set(reterr, RC_INVALID, 0, (int)text.len, "must be %s", words);
    err_in(reterr, "%s", name);
    return RC_INVALID;
}

static enum rc read_state(struct str text, struct asked *asked, struct err *reterr)
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

    asked->wants_open = asked->wants_ended = text.len == 0;
    if (text.len == 0)
        return RC_OK;
    if (str_eq(text, STR("ended"))) {
        asked->wants_ended = true;
        return RC_OK;
    }
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (str_eq(text, str_of(words[i].text))) {
            asked->view.states = words[i].states;
            asked->wants_open = true;
            return RC_OK;
        }
    return wrong_word(text, "state",
                      "open, held, approval, ready, leased, running, backoff or ended", reterr);
}

/* Only what is over has one. */
static enum rc read_outcome(struct str text, struct asked *asked, struct err *reterr)
{
    if (text.len == 0)
        return RC_OK;
    asked->wants_open = false;
    for (int i = OUTCOME_SUCCEEDED; i <= OUTCOME_UNKNOWN; i++)
        if (str_eq(text, str_of(outcome_text((enum outcome)i)))) {
            asked->view.outcome = i;
            return RC_OK;
        }
    return wrong_word(text, "outcome",
                      "succeeded, failed, timedOut, cancelled, terminated or unknown", reterr);
}

static enum rc read_kind(struct str text, struct asked *asked, struct err *reterr)
{
    for (int i = 0; text.len > 0 && i <= RUN_TEST; i++)
        if (str_eq(text, str_of(run_kind_text((enum run_kind)i))))
            asked->view.kind = i + 1;
    if (text.len == 0 || asked->view.kind > 0)
        return RC_OK;
    return wrong_word(text, "kind", "slot, trigger, backfill, direct or test", reterr);
}

/* `to` is not among them, as the time of day at which the next page of a diary begins. */
static enum rc read_times(struct call *call, struct asked *asked, struct err *reterr)
{
    instant from = INSTANT_NONE, to = INSTANT_NEVER;
    enum rc rc = request_query_range(call, &from, &to, reterr);

    if (rc != RC_OK)
        return rc;
    asked->from = from == INSTANT_NONE ? 0 : key_of(from);
    asked->view.before = to == INSTANT_NEVER ? INT64_MAX : key_of(to);
    return RC_OK;
}

/* "KEY" or, where open ones and others are read, "KEY-ENDS". */
static enum rc read_cursor(struct str text, struct asked *asked, struct err *reterr)
{
    struct str rest = text;
    int64_t before = 0;
    bool is_right;

    if (text.len == 0)
        return RC_OK;
    asked->ends = END_SNAPSHOT_ALL;
    is_right = str_take_number(&rest, INT64_MAX - 1, &before) > 0;
    if (is_right && rest.len > 0)
        is_right = rest.ptr[0] == '-' && end_snapshot_read(str_from(rest, 1), &asked->ends);
    if (!is_right) {
        err_set(reterr, RC_INVALID, -1, 0, "is not one that this list gave");
        err_in(reterr, "cursor");
        return RC_INVALID;
    }
    if (before < asked->view.before)
        asked->view.before = before;
    return RC_OK;
}

enum call_step run_list_begin(struct call *call)
{
    static const char *const names[] = {"schedule", "state", "outcome", "queue",
                                        "kind",     "from",  "to",      "fields"};
    struct asked *asked = arena_take(call->arena, sizeof *asked);
    struct err err;

    if (page_begin(call, names, sizeof names / sizeof names[0], &asked->page, &err) != RC_OK ||
        read_state(request_query(call, "state"), asked, &err) != RC_OK ||
        read_outcome(request_query(call, "outcome"), asked, &err) != RC_OK ||
        read_kind(request_query(call, "kind"), asked, &err) != RC_OK ||
        read_times(call, asked, &err) != RC_OK ||
        read_cursor(asked->page.after, asked, &err) != RC_OK ||
        request_fields(call, &run_list_fields, &asked->fields, &err) != RC_OK)
        return call_refuse(call, NULL, &err);
    asked->schedule = request_query(call, "schedule");
    asked->queue = request_query(call, "queue");
    asked->view.scan = VIEW_SCAN_MAX;
    asked->view.limit = asked->page.limit;
    call->arg = asked;
    return CALL_READ;
}

/* The keys of what was named. */
static enum rc find_keys(const struct call *call, struct db *db, struct asked *asked,
                         struct err *reterr)
{
    struct db_result schedule = {0}, queue = {0};
    enum rc rc;

    asked->view.namespace = call->namespace;
    if (asked->schedule.len > 0)
        schedules_find(db, call->namespace, asked->schedule, &schedule);
    if (asked->queue.len > 0)
        queues_find(db, call->namespace, asked->queue, &queue);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    if (asked->schedule.len > 0 && schedule.rows == 0)
        return err_set(reterr, RC_NOT_FOUND, -1, 0, "there is no schedule `%.*s`",
                       STR_ARG(asked->schedule));
    if (asked->queue.len > 0 && queue.rows == 0)
        return err_set(reterr, RC_NOT_FOUND, -1, 0, "there is no queue `%.*s`",
                       STR_ARG(asked->queue));
    asked->view.schedule = schedule.rows > 0 ? db_int_at(&schedule, 0, 0) : 0;
    asked->view.queue = queue.rows > 0 ? db_int_at(&queue, 0, 0) : 0;
    return RC_OK;
}

/* ---- rows ---- */

/* run_views_list() and run_views_end(), or those of attempts. */
typedef void page_fn(struct db *db, const struct view_page *page, struct db_result *ret);

/* Down to the last row that was looked at, unless that was all there is. */
static enum rc find_floor(const struct call *call, struct db *db, page_fn *end, int64_t *ret,
                          struct err *reterr)
{
    struct view_page page = ((const struct asked *)call->arg)->view;
    struct db_result looked_at = {0}, more = {0};
    enum rc rc;

    end(db, &page, &looked_at);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK || looked_at.rows == 0)
        return rc;
    page.before = db_int_at(&looked_at, 0, 0);
    page.scan = 1;
    end(db, &page, &more);
    rc = db_flush(db, call->arena, reterr);
    if (rc == RC_OK && more.rows == 1)
        *ret = page.before;
    return rc;
}

static int64_t key_at(const struct source_rows *source, int row)
{
    return source->kind == SOURCE_MOVED ? attempt_views_made(&source->rows, row)
                                        : db_int_at(&source->rows, row, 0);
}

static enum rc read_source(const struct call *call, struct db *db, page_fn *list, page_fn *end,
                           struct source_rows *ret, struct err *reterr)
{
    const struct asked *asked = call->arg;
    enum rc rc;

    list(db, &asked->view, &ret->rows);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    if (ret->rows.rows == asked->view.limit)
        ret->floor = key_at(ret, ret->rows.rows - 1);
    else if (end)
        rc = find_floor(call, db, end, &ret->floor, reterr);
    return rc;
}

/* Ends that came meanwhile are read last: a run may be found twice then, and is never lost. */
static enum rc read_sources(const struct call *call, struct db *db, struct source_rows *ret,
                            struct err *reterr)
{
    struct asked *asked = call->arg;
    bool is_of = asked->view.schedule != 0, is_mixed = asked->wants_open && asked->wants_ended;
    int64_t before = asked->view.before;
    enum rc rc = RC_OK;

    if (!is_mixed)
        asked->ends = END_SNAPSHOT_ALL;
    else if (asked->ends.from == 0)
        rc = end_snapshot_find(call, db, &asked->ends, reterr);
    for (int i = 0; i < SOURCES; i++)
        ret[i] = (struct source_rows){.kind = (enum source_kind)i};
    if (rc == RC_OK && asked->wants_open)
        rc = read_source(call, db, run_views_list, is_of ? NULL : run_views_end,
                         &ret[SOURCE_OPEN], reterr);
    if (end_snapshot_top(&asked->ends) < before)
        asked->view.before = end_snapshot_top(&asked->ends);
    if (rc == RC_OK && asked->wants_ended)
        rc = read_source(call, db, attempt_views_list, attempt_views_end, &ret[SOURCE_ENDED],
                         reterr);
    asked->view.before = before;
    asked->view.since = asked->ends.from;
    if (rc == RC_OK && is_mixed)
        rc = read_source(call, db, attempt_views_moved, NULL, &ret[SOURCE_MOVED], reterr);
    return rc;
}

/* An end stands where it was made, or where it ended: not in both places. */
static bool stands_here(const struct source_rows *source, const struct end_snapshot *ends)
{
    int64_t key = db_int_at(&source->rows, source->next, 0);

    return source->kind == SOURCE_OPEN ||
           end_snapshot_saw(ends, key) == (source->kind == SOURCE_ENDED);
}

static int64_t next_key(struct source_rows *source, const struct end_snapshot *ends)
{
    while (source->next < source->rows.rows && !stands_here(source, ends))
        source->next++;
    return source->next < source->rows.rows ? key_at(source, source->next) : -1;
}

/* Whose row is next; one that has just ended before its own as an open one. */
static struct source_rows *next_source(struct source_rows *sources,
                                       const struct end_snapshot *ends)
{
    struct source_rows *next = &sources[SOURCE_MOVED];

    for (int i = 0; i < SOURCE_MOVED; i++)
        if (next_key(&sources[i], ends) > next_key(next, ends))
            next = &sources[i];
    return next;
}

static enum rc read_doc(const struct call *call, struct source_rows *source,
                        struct run_doc *ret, bool *ret_is_run, struct err *reterr)
{
    const struct asked *asked = call->arg;
    struct attempt_view attempt;
    struct run_view run;

    *ret_is_run = true;
    if (source->kind == SOURCE_OPEN) {
        run_views_read(&source->rows, source->next++, &run);
        *ret = view_run(&run);
        return RC_OK;
    }
    attempt_views_read(&source->rows, source->next++, &attempt);
    *ret_is_run = attempt.row.last; /* the last attempt is the run */
    return view_attempt(&attempt, asked->fields, call->arena, ret, reterr);
}

/* ---- the page ---- */

struct telling {
    struct answer out;
    int count;
    int64_t cursor; /* 0: there is no more */
};

static int64_t floor_of(const struct source_rows *sources)
{
    int64_t floor = 0;

    for (int i = 0; i < SOURCES; i++)
        floor = sources[i].floor > floor ? sources[i].floor : floor;
    return floor;
}

static enum rc tell_page(const struct call *call, struct source_rows *sources,
                         struct telling *t, struct err *reterr)
{
    const struct asked *asked = call->arg;
    int64_t floor = floor_of(sources), told = -1;

    t->cursor = floor > asked->from ? floor : 0;
    for (;;) {
        struct source_rows *source = next_source(sources, &asked->ends);
        int64_t key = next_key(source, &asked->ends);
        struct run_doc doc;
        bool is_run;
        enum rc rc;

        if (key < floor || key < asked->from)
            return RC_OK;
        if (key == told) { /* it has ended since it was read as an open one */
            source->next++;
            continue;
        }
        if (t->count == asked->page.limit || t->out.buf.len >= PAGE_BYTES_MAX) {
            t->cursor = key + 1;
            return RC_OK;
        }
        told = key;
        rc = read_doc(call, source, &doc, &is_run, reterr);
        if (rc != RC_OK)
            return rc;
        if (!is_run)
            continue;
        if (t->count++ > 0)
            answer_text(&t->out, ",");
        answer_json(&t->out, run_to_json(&doc, asked->fields));
    }
}

/* Whether anything stands behind the cursor, which a page that was just full cannot know. */
static enum rc look_behind(const struct call *call, struct db *db, struct telling *t,
                           struct err *reterr)
{
    struct asked *asked = call->arg;
    const struct end_snapshot *ends = &asked->ends;
    struct source_rows sources[SOURCES];
    int64_t next;
    enum rc rc;

    if (t->cursor == 0)
        return RC_OK;
    asked->view.before = t->cursor;
    if (ends->mark_count == 0)
        asked->view.limit = 1;
    else if (asked->view.limit > BEHIND_MAX)
        asked->view.limit = BEHIND_MAX;
    rc = read_sources(call, db, sources, reterr);
    if (rc != RC_OK)
        return rc;
    next = next_key(next_source(sources, ends), ends);
    if (floor_of(sources) <= asked->from && (next < 0 || next < asked->from))
        t->cursor = 0;
    return RC_OK;
}

static void write_cursor(const struct asked *asked, int64_t key, struct buf *out)
{
    if (key > 0)
        buf_printf(out, "%" PRId64, key);
    if (key > 0 && asked->wants_open && asked->wants_ended) {
        buf_text(out, "-");
        end_snapshot_write(&asked->ends, out);
    }
}

static enum rc read_page(const struct call *call, struct db *db, struct telling *t,
                         struct err *reterr)
{
    struct source_rows sources[SOURCES];
    enum rc rc;

    page_open(&t->out, "runs");
    rc = find_keys(call, db, call->arg, reterr);
    if (rc == RC_OK)
        rc = read_sources(call, db, sources, reterr);
    if (rc == RC_OK)
        rc = tell_page(call, sources, t, reterr);
    return rc == RC_OK ? look_behind(call, db, t, reterr) : rc;
}

enum call_step run_list_read(struct call *call, struct db *db)
{
    struct asked *asked = call->arg, before = *asked;
    struct read_size portion = read_size_of(before.view.limit);
    struct call within = *call; /* whose arena is emptied between tries */
    char text[CURSOR_TEXT_MAX] = "";
    struct buf cursor = BUF(text);
    struct telling t;
    struct err err;
    enum rc rc;

    within.arena = arena_new(ROWS_BYTES);
    do { /* of runs with large results a page has fewer */
        arena_reset(within.arena);
        *asked = before;
        asked->view.limit = portion.rows;
        t = (struct telling){.out = answer_new(call->arena)};
        rc = read_page(&within, db, &t, &err);
    } while (read_size_is_cut(&portion, db, rc));
    arena_free(within.arena);
    write_cursor(asked, t.cursor, &cursor);
    *asked = before; /* it may be read again */
    if (rc != RC_OK)
        return view_failed(call, &err);
    page_close(&t.out, buf_as_str(&cursor));
    return call_answer(call, 200, answer_done(&t.out));
}
