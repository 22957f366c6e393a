/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares what the cursor says about the last runs with history: invariant 15.
 *
 * Keys of one node ascend in the order in which its turns end runs.  If several nodes ended
 * runs of the schedule, their order is unknown, and only numbers are compared.
 */
#include <inttypes.h>

#include "core/recent.h"
#include "server/check/check_parts.h"
#include "store/check/check_rows.h"
#include "store/key.h"
#include "store/views.h"

/* The runs that have ended, without tests. */
struct ended {
    const struct check_attempt *newest[RECENT_MAX]; /* by key, newest first */
    const struct check_attempt *automatic;          /* the newest that began */
    int64_t count, kinds[RECENT_OTHER + 1];
    bool is_of_one_node, has_last_ok;
};

/* Keeps the newest rows in order. */
static void insert_newest(struct ended *ended, const struct check_attempt *a)
{
    int kept = ended->count < RECENT_MAX ? (int)ended->count : RECENT_MAX;
    int at = kept < RECENT_MAX ? kept : RECENT_MAX - 1;

    if (kept == RECENT_MAX && ended->newest[at]->id > a->id)
        return;
    for (; at > 0 && ended->newest[at - 1]->id < a->id; at--)
        ended->newest[at] = ended->newest[at - 1];
    ended->newest[at] = a;
}

static void read_ended(const struct check_rows *rows, struct ended *ret)
{
    const struct cursor *c = &rows->view->cursor;
    int64_t node = -1;

    *ret = (struct ended){.is_of_one_node = true};
    for (int i = 0; i < rows->attempt_count; i++) {
        const struct check_attempt *a = &rows->attempts[i];

        if (!a->last || a->kind == RUN_TEST || a->outcome < OUTCOME_SUCCEEDED ||
            a->outcome > OUTCOME_UNKNOWN)
            continue;
        insert_newest(ret, a);
        ret->is_of_one_node = ret->is_of_one_node && (node < 0 || key_node(a->id) == node);
        node = key_node(a->id);
        ret->count++;
        ret->kinds[recent_of(a->outcome)]++;
        ret->has_last_ok = ret->has_last_ok ||
                           (a->outcome == OUTCOME_SUCCEEDED && a->ended_at == c->last_ok);
        if (a->kind == RUN_SLOT && a->attempt > 0 &&
            (!ret->automatic || ret->automatic->id < a->id))
            ret->automatic = a;
    }
}

static void report_cursor(struct check *check, const struct check_rows *rows, const char *text)
{
    check_found(check, rows->view->row.name, rows->view->row.id, INSTANT_NONE, "%s", text);
}

static void check_ends(struct check *check, const struct check_rows *rows,
                       const struct ended *ended)
{
    int64_t recent = rows->view->cursor.recent;
    int64_t kept = ended->count < RECENT_MAX ? ended->count : RECENT_MAX;
    int count = recent_count(recent);

    if (!recent_is_sound(recent))
        report_cursor(check, rows, "the ends of its last runs have a gap");
    else if (count < kept || (count > kept && !rows->is_pruned))
        check_found(check, rows->view->row.name, rows->view->row.id, INSTANT_NONE,
                    "the cursor has the ends of %d runs; there are %" PRId64, count, kept);
    for (int i = 0; i < kept && count == kept && ended->is_of_one_node && !rows->is_pruned; i++)
        if (recent_at(recent, i) != recent_of(ended->newest[i]->outcome)) {
            check_found(check, rows->view->row.name, rows->view->row.id, ended->newest[i]->slot,
                        "the cursor has another end of this run");
            return;
        }
}

static void check_last_ok(struct check *check, const struct check_rows *rows,
                          const struct ended *ended)
{
    bool is_none = rows->view->cursor.last_ok == INSTANT_NONE;

    if (is_none && ended->kinds[RECENT_SUCCEEDED] > 0)
        report_cursor(check, rows, "the cursor knows no success; there is one");
    else if (!is_none && !ended->has_last_ok && !rows->is_pruned)
        report_cursor(check, rows, "no run succeeded at the last success of the cursor");
}

/* The lateness of a run is that of its first attempt. */
static void check_last_late(struct check *check, const struct check_rows *rows,
                            const struct ended *ended)
{
    const struct check_attempt *end = ended->automatic;
    span late = rows->view->cursor.last_late;

    if (late < CURSOR_LATE_UNKNOWN || (end && late == CURSOR_LATE_UNKNOWN)) {
        report_cursor(check, rows, "the cursor has no valid lateness");
        return;
    }
    if (!end || !ended->is_of_one_node || rows->is_pruned)
        return;
    for (int i = 0; i < rows->attempt_count; i++) {
        const struct check_attempt *a = &rows->attempts[i];
        span found = a->started_at > a->due ? a->started_at - a->due : 0;

        if (a->slot != end->slot || a->pass != end->pass || a->attempt != 1)
            continue;
        if (found != late)
            check_found(check, rows->view->row.name, rows->view->row.id, a->slot,
                        "the run was %" PRId64 " us late; the cursor has %" PRId64, found,
                        late);
        return;
    }
}

void check_recent(struct check *check, const struct check_rows *rows)
{
    struct ended ended;

    read_ended(rows, &ended);
    check_ends(check, rows, &ended);
    check_last_ok(check, rows, &ended);
    check_last_late(check, rows, &ended);
}
