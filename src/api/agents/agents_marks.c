/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Walks through the attempts and keeps those that match: see agents_marks.h.
 */
#include "api/agents/agents_marks.h"

#include <stdlib.h>

#include "base/map.h"
#include "store/event_pages.h"
#include "store/key.h"

enum {
    READ_ROWS = 1000,      /* attempts of one read                             */
    READ_BYTES = 1 << 30,  /* of arena: their schedules may have the maximum size */
    SCAN_MAX = 500 * 1000, /* attempts of one walk: about a second; older ones are found only
                              by their ids */
    ROOM = 256,
};

/* Whether a schedule is of this API and matches the filter. */
enum { OWNER_OTHER, OWNER_MATCHES };

struct search {
    struct call *call;
    struct db *db;
    const struct agents_query *query;
    struct arena *rows;
    struct map *owners; /* key to OWNER_OTHER or OWNER_MATCHES */
    struct agents_marks found;
    int64_t room;
};

const char *agents_result_status(enum outcome outcome)
{
    if (outcome == OUTCOME_SUCCEEDED)
        return "SUCCESS";
    return outcome_is_failure(outcome) ? "FAIL" : "CANCELLED";
}

instant agents_start_time(instant started_at, instant ended_at)
{
    return started_at != INSTANT_NONE ? started_at : ended_at;
}

/* ---- schedules ---- */

static int check_owner(const struct search *s, const struct event_owner *owner)
{
    struct agents_schedule schedule;
    struct err unused;

    if (owner->dialect != DIALECTS_AGENTS || owner->namespace != s->call->namespace ||
        agents_stored_read(owner->extra, s->rows, &schedule, &unused) != RC_OK)
        return OWNER_OTHER;
    return agents_filter_matches(&s->query->filter, &schedule) ? OWNER_MATCHES : OWNER_OTHER;
}

static enum rc read_owners(struct search *s, const struct attempt_mark *marks, int count,
                           struct err *reterr)
{
    struct db_result *results = arena_array(s->rows, (size_t)count, sizeof *results);
    int64_t *keys = arena_array(s->rows, (size_t)count, sizeof *keys);
    int new_count = 0;
    enum rc rc;

    for (int i = 0; i < count; i++) {
        if (map_find(s->owners, marks[i].schedule) != MAP_NONE)
            continue;
        map_put(s->owners, marks[i].schedule, OWNER_OTHER);
        keys[new_count] = marks[i].schedule;
        event_owners_get(s->db, marks[i].schedule, DIALECTS_AGENTS, &results[new_count++]);
    }
    if (new_count == 0)
        return RC_OK;
    rc = db_flush(s->db, s->rows, reterr);
    for (int i = 0; rc == RC_OK && i < new_count; i++) {
        struct event_owner owner;

        if (results[i].rows == 0)
            continue;
        event_owners_read(&results[i], &owner);
        map_put(s->owners, keys[i], check_owner(s, &owner));
    }
    return rc;
}

/* ---- attempts ---- */

static void add_mark(struct search *s, instant start, int64_t id)
{
    if (s->found.count == s->room) {
        struct agents_mark *more;

        s->room = s->room == 0 ? ROOM : 2 * s->room;
        more = arena_array(s->call->arena, (size_t)s->room, sizeof *more);
        for (int64_t i = 0; i < s->found.count; i++)
            more[i] = s->found.list[i];
        s->found.list = more;
    }
    s->found.list[s->found.count++] = (struct agents_mark){start, id};
}

static void check_mark(struct search *s, const struct attempt_mark *mark)
{
    const struct agents_query *q = s->query;
    instant start = agents_start_time(mark->started_at, mark->ended_at);

    if (mark->kind != RUN_TEST && map_find(s->owners, mark->schedule) == OWNER_MATCHES &&
        start >= q->range.from && start < q->range.until &&
        (q->status.len == 0 || str_eq(q->status, str_of(agents_result_status(mark->outcome)))))
        add_mark(s, start, mark->id);
}

/* False: no more rows, or an error; see reterr->rc. */
static bool read_batch(struct search *s, int64_t *before, int64_t least, struct err *reterr)
{
    struct db_result rows = {0};
    struct attempt_mark *marks;

    reterr->rc = RC_OK;
    arena_reset(s->rows);
    attempt_marks_list(s->db, *before, least, READ_ROWS, &rows);
    if (db_flush(s->db, s->rows, reterr) != RC_OK)
        return false;
    marks = arena_array(s->rows, (size_t)rows.rows, sizeof *marks);
    for (int i = 0; i < rows.rows; i++)
        attempt_marks_read(&rows, i, &marks[i]);
    if (read_owners(s, marks, rows.rows, reterr) != RC_OK)
        return false;
    for (int i = 0; i < rows.rows; i++)
        check_mark(s, &marks[i]);
    if (rows.rows > 0)
        *before = marks[rows.rows - 1].id;
    return rows.rows == READ_ROWS;
}

static int compare_newest_first(const void *a, const void *b)
{
    const struct agents_mark *x = a, *y = b;

    if (x->start != y->start)
        return x->start < y->start ? 1 : -1;
    return (x->id < y->id) - (x->id > y->id);
}

enum rc agents_marks_find(struct call *call, struct db *db, const struct agents_query *query,
                          struct agents_marks *ret, struct err *reterr)
{
    struct search s = {.call = call,
                       .db = db,
                       .query = query,
                       .rows = arena_new(READ_BYTES),
                       .owners = map_new(0)};
    int64_t before = INT64_MAX, least = 0;
    int scanned = READ_ROWS;

    /* An attempt that started after `from` also ended after it. */
    if (query->range.from != INSTANT_NONE)
        least = key_of(query->range.from);
    while (read_batch(&s, &before, least, reterr) && scanned < SCAN_MAX)
        scanned += READ_ROWS;
    arena_free(s.rows);
    map_free(s.owners);
    if (reterr->rc != RC_OK)
        return reterr->rc;
    if (s.found.count > 0)
        qsort(s.found.list, (size_t)s.found.count, sizeof *s.found.list, compare_newest_first);
    *ret = s.found;
    return RC_OK;
}
