/* SPDX-License-Identifier: Apache-2.0 */
#include "api/agents/agents_marks.h"

#include <stdlib.h>

#include "base/map.h"
#include "store/event_pages.h"
#include "store/key.h"

enum {
    READ_ROWS = 1000,     /* attempts of one read                                        */
    READ_BYTES = 1 << 30, /* of arena: schedules of so many, as large as they may be     */
    LOOKED_AT_MAX = 500 * 1000, /* attempts of one walk: about a second; what is older is
                                   found by its id alone                                     */
    ROOM = 256,
};

/* What is known of a schedule. */
enum { OTHERS, FITS };

struct search {
    struct call *call;
    struct db *db;
    const struct agents_query *question;
    struct arena *rows;
    struct map *owners; /* key to OTHERS or FITS */
    struct agents_marks found;
    int64_t room;
};

const char *agents_result(enum outcome outcome)
{
    if (outcome == OUTCOME_SUCCEEDED)
        return "SUCCESS";
    return outcome_is_failure(outcome) ? "FAIL" : "CANCELLED";
}

instant agents_begin(instant started_at, instant ended_at)
{
    return started_at != INSTANT_NONE ? started_at : ended_at;
}

/* ---- whose they are ---- */

static int judge(const struct search *s, const struct event_owner *owner)
{
    struct agents_schedule schedule;
    struct err unused;

    if (owner->dialect != DIALECTS_AGENTS || owner->namespace != s->call->namespace ||
        agents_recall(owner->extra, s->rows, &schedule, &unused) != RC_OK)
        return OTHERS;
    return agents_filter_fits(&s->question->filter, &schedule) ? FITS : OTHERS;
}

static enum rc learn_owners(struct search *s, const struct attempt_mark *marks, int count,
                            struct err *reterr)
{
    struct db_result *asked = arena_array(s->rows, (size_t)count, sizeof *asked);
    int64_t *keys = arena_array(s->rows, (size_t)count, sizeof *keys);
    int unknown = 0;
    enum rc rc;

    for (int i = 0; i < count; i++) {
        if (map_find(s->owners, marks[i].schedule) != MAP_NONE)
            continue;
        map_put(s->owners, marks[i].schedule, OTHERS);
        keys[unknown] = marks[i].schedule;
        event_owners_get(s->db, marks[i].schedule, DIALECTS_AGENTS, &asked[unknown++]);
    }
    if (unknown == 0)
        return RC_OK;
    rc = db_flush(s->db, s->rows, reterr);
    for (int i = 0; rc == RC_OK && i < unknown; i++) {
        struct event_owner owner;

        if (asked[i].rows == 0)
            continue;
        event_owners_read(&asked[i], &owner);
        map_put(s->owners, keys[i], judge(s, &owner));
    }
    return rc;
}

/* ---- what fits ---- */

static void keep(struct search *s, instant begin, int64_t id)
{
    if (s->found.count == s->room) {
        struct agents_mark *more;

        s->room = s->room == 0 ? ROOM : 2 * s->room;
        more = arena_array(s->call->arena, (size_t)s->room, sizeof *more);
        for (int64_t i = 0; i < s->found.count; i++)
            more[i] = s->found.list[i];
        s->found.list = more;
    }
    s->found.list[s->found.count++] = (struct agents_mark){begin, id};
}

static void take(struct search *s, const struct attempt_mark *mark)
{
    const struct agents_query *q = s->question;
    instant begin = agents_begin(mark->started_at, mark->ended_at);

    if (mark->kind != RUN_TEST && map_find(s->owners, mark->schedule) == FITS &&
        begin >= q->range.from && begin < q->range.until &&
        (q->status.len == 0 || str_eq(q->status, str_of(agents_result(mark->outcome)))))
        keep(s, begin, mark->id);
}

/* False: there are no more. */
static bool take_portion(struct search *s, int64_t *before, int64_t least, struct err *reterr)
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
    if (learn_owners(s, marks, rows.rows, reterr) != RC_OK)
        return false;
    for (int i = 0; i < rows.rows; i++)
        take(s, &marks[i]);
    if (rows.rows > 0)
        *before = marks[rows.rows - 1].id;
    return rows.rows == READ_ROWS;
}

static int latest_first(const void *a, const void *b)
{
    const struct agents_mark *x = a, *y = b;

    if (x->begin != y->begin)
        return x->begin < y->begin ? 1 : -1;
    return (x->id < y->id) - (x->id > y->id);
}

enum rc agents_marks_find(struct call *call, struct db *db, const struct agents_query *question,
                          struct agents_marks *ret, struct err *reterr)
{
    struct search s = {.call = call,
                       .db = db,
                       .question = question,
                       .rows = arena_new(READ_BYTES),
                       .owners = map_new(0)};
    int64_t before = INT64_MAX, least = 0;
    int looked_at = READ_ROWS;

    /* What began after `from` ended after it, too. */
    if (question->range.from != INSTANT_NONE)
        least = key_of(question->range.from);
    while (take_portion(&s, &before, least, reterr) && looked_at < LOOKED_AT_MAX)
        looked_at += READ_ROWS;
    arena_free(s.rows);
    map_free(s.owners);
    if (reterr->rc != RC_OK)
        return reterr->rc;
    if (s.found.count > 0)
        qsort(s.found.list, (size_t)s.found.count, sizeof *s.found.list, latest_first);
    *ret = s.found;
    return RC_OK;
}
