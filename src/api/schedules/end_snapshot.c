/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds, parses and prints the snapshot of ended runs that a list carries in its cursors.
 */
#include "api/schedules/end_snapshot.h"

#include <inttypes.h>

#include "store/key.h"
#include "store/nodes.h"
#include "store/views.h"

/* The lowest key that an uncommitted turn may still use; 0: fewer than two nodes are up. */
static int64_t lowest_uncommitted(const struct db_result *nodes)
{
    int64_t lowest = INT64_MAX;
    int up = 0;

    for (int i = 0; i < nodes->rows; i++) {
        struct node node;
        int64_t key;

        nodes_read(nodes, i, &node);
        if (node.state != NODE_UP)
            continue;
        key = key_of((node.key_ms - KEY_RESERVE_MS) * SPAN_MS);
        lowest = key < lowest ? key : lowest;
        up++;
    }
    return up > 1 ? lowest : 0;
}

/*
 * If there are too many marks, none are kept.  Recent ends then count as not visible: these
 * runs are listed by their creation times.  This is rare, and no run is missing.
 */
static void read_marks(const struct db_result *rows, struct end_snapshot *ret)
{
    int64_t seen = 0;

    for (int i = 0; i < rows->rows; i++)
        seen += db_int_at(rows, i, 1);
    if (seen >= HISTORY_LAST_KEYS_SCAN || rows->rows > END_SNAPSHOT_MARKS_MAX)
        return;
    for (int i = 0; i < rows->rows; i++)
        ret->marks[ret->mark_count++] = db_int_at(rows, i, 0);
}

enum rc end_snapshot_find(const struct call *call, struct db *db, struct end_snapshot *ret,
                          struct err *reterr)
{
    const struct view_page page = {.before = INT64_MAX, .scan = 1};
    struct db_result nodes = {0}, last = {0}, rows = {0};
    enum rc rc;

    *ret = (struct end_snapshot){0};
    nodes_list(db, &nodes); /* first: a turn that commits between the two reads is then seen */
    attempt_views_end(db, &page, &last);
    rc = db_flush(db, call->arena, reterr);
    if (rc != RC_OK)
        return rc;
    ret->from = lowest_uncommitted(&nodes);
    if (ret->from == 0) {
        ret->from = last.rows > 0 ? db_int_at(&last, 0, 0) + 1 : 1;
        return RC_OK;
    }
    history_last_keys(db, ret->from, &rows);
    rc = db_flush(db, call->arena, reterr);
    if (rc == RC_OK)
        read_marks(&rows, ret);
    return rc;
}

bool end_snapshot_saw(const struct end_snapshot *ends, int64_t key)
{
    if (key < ends->from)
        return true;
    for (int i = 0; i < ends->mark_count; i++)
        if (key_node(ends->marks[i]) == key_node(key))
            return key <= ends->marks[i];
    return false;
}

int64_t end_snapshot_top(const struct end_snapshot *ends)
{
    int64_t top = ends->from;

    for (int i = 0; i < ends->mark_count; i++)
        top = ends->marks[i] < top ? top : ends->marks[i] + 1;
    return top;
}

bool end_snapshot_read(struct str text, struct end_snapshot *ret)
{
    int64_t above;

    *ret = (struct end_snapshot){0};
    if (str_take_number(&text, INT64_MAX - 1, &ret->from) == 0 || ret->from == 0)
        return false;
    while (text.len > 0 && text.ptr[0] == '.' && ret->mark_count < END_SNAPSHOT_MARKS_MAX) {
        text = str_from(text, 1);
        if (str_take_number(&text, INT64_MAX - 1, &above) == 0 ||
            above >= INT64_MAX - ret->from)
            return false;
        ret->marks[ret->mark_count++] = ret->from + above;
    }
    return text.len == 0;
}

void end_snapshot_write(const struct end_snapshot *ends, struct buf *out)
{
    buf_printf(out, "%" PRId64, ends->from);
    for (int i = 0; i < ends->mark_count; i++)
        buf_printf(out, ".%" PRId64, ends->marks[i] - ends->from);
}
