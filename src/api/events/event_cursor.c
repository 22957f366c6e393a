/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Parses and prints event cursors; the nodes are sorted by id.
 */
#include "api/events/event_cursor.h"

#include <inttypes.h>
#include <string.h>

#include "store/nodes.h"

/* The index of a node in the list, or the index at which to insert it. */
static int node_index(const struct event_cursor *cursor, int64_t node)
{
    int i = 0;

    while (i < cursor->count && cursor->at[i].node < node)
        i++;
    return i;
}

static bool parse_pair(struct str *rest, int64_t *ret_node, int64_t *ret_seq)
{
    if (str_take_number(rest, NODES_MAX, ret_node) == 0 || rest->len == 0 ||
        rest->ptr[0] != '.')
        return false;
    *rest = str_from(*rest, 1);
    return str_take_number(rest, INT64_MAX - 2, ret_seq) > 0;
}

enum rc event_cursor_parse(struct str text, struct event_cursor *ret, struct err *reterr)
{
    struct event_cursor cursor = {0};
    struct str rest = text;
    bool is_valid = true;

    for (;;) {
        int64_t node = 0, seq = 0, last = cursor.count;

        is_valid = parse_pair(&rest, &node, &seq) &&
                   (last == 0 || node > cursor.at[last - 1].node) &&
                   (node == 0 || event_cursor_set(&cursor, node, seq));
        if (!is_valid || rest.len == 0)
            break;
        is_valid = rest.ptr[0] == '_';
        if (!is_valid)
            break;
        rest = str_from(rest, 1);
    }
    if (!is_valid)
        return err_set(reterr, RC_INVALID, 0, (int)text.len,
                       "invalid cursor; use the cursor of an earlier answer, now or oldest");
    *ret = cursor;
    return RC_OK;
}

void event_cursor_print(const struct event_cursor *cursor, struct buf *out)
{
    if (cursor->count == 0)
        buf_text(out, "0.0"); /* before all events of all nodes */
    for (int i = 0; i < cursor->count; i++)
        buf_printf(out, "%s%" PRId64 ".%" PRId64, i > 0 ? "_" : "", cursor->at[i].node,
                   cursor->at[i].seq);
}

int64_t event_cursor_get(const struct event_cursor *cursor, int64_t node)
{
    int i = node_index(cursor, node);

    return i < cursor->count && cursor->at[i].node == node ? cursor->at[i].seq : 0;
}

bool event_cursor_set(struct event_cursor *cursor, int64_t node, int64_t seq)
{
    int i = node_index(cursor, node);

    if (i < cursor->count && cursor->at[i].node == node) {
        cursor->at[i].seq = seq;
        return true;
    }
    if (cursor->count == EVENT_CURSOR_NODES)
        return false;
    memmove(&cursor->at[i + 1], &cursor->at[i],
            (size_t)(cursor->count - i) * sizeof cursor->at[0]);
    cursor->at[i].node = node;
    cursor->at[i].seq = seq;
    cursor->count++;
    return true;
}
