/* SPDX-License-Identifier: Apache-2.0 */
#include "api/events/event_cursor.h"

#include <inttypes.h>
#include <string.h>

#include "store/nodes.h"

/* Where a node stands in the list, or would. */
static int place_of(const struct event_cursor *cursor, int64_t node)
{
    int i = 0;

    while (i < cursor->count && cursor->at[i].node < node)
        i++;
    return i;
}

static bool take_pair(struct str *rest, int64_t *ret_node, int64_t *ret_seq)
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
    bool is_good = true;

    for (;;) {
        int64_t node = 0, seq = 0, last = cursor.count;

        is_good = take_pair(&rest, &node, &seq) &&
                  (last == 0 || node > cursor.at[last - 1].node) &&
                  (node == 0 || event_cursor_set(&cursor, node, seq));
        if (!is_good || rest.len == 0)
            break;
        is_good = rest.ptr[0] == '_';
        if (!is_good)
            break;
        rest = str_from(rest, 1);
    }
    if (!is_good)
        return err_set(reterr, RC_INVALID, 0, (int)text.len,
                       "is no place that the events gave; try now or oldest");
    *ret = cursor;
    return RC_OK;
}

void event_cursor_print(const struct event_cursor *cursor, struct buf *out)
{
    if (cursor->count == 0)
        buf_text(out, "0.0"); /* before anything of anybody */
    for (int i = 0; i < cursor->count; i++)
        buf_printf(out, "%s%" PRId64 ".%" PRId64, i > 0 ? "_" : "", cursor->at[i].node,
                   cursor->at[i].seq);
}

int64_t event_cursor_get(const struct event_cursor *cursor, int64_t node)
{
    int i = place_of(cursor, node);

    return i < cursor->count && cursor->at[i].node == node ? cursor->at[i].seq : 0;
}

bool event_cursor_set(struct event_cursor *cursor, int64_t node, int64_t seq)
{
    int i = place_of(cursor, node);

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
