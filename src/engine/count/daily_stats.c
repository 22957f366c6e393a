/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A pass counts the rows between two keys.  Each batch moves the stored position forward.
 */
#include "engine/count/daily_stats.h"

#include "base/must.h"
#include "engine/engine_internal.h"
#include "engine/prune.h"
#include "store/key.h"

enum {
    COUNT_BATCH = 1024, /* rows of history that a turn counts, which takes milliseconds  */
    COUNT_PACE = 2,     /* more rows, for each row that was written since the last batch */
    COUNT_ROWS = 65536, /* uncounted rows that begin a pass: each query reads these rows */
};
/* Time between passes.  It is long, so that the row of a day is rarely written. */
#define COUNT_EVERY (15 * SPAN_MIN)
#define STATS_DAYS  400 /* kept: a year, plus time for a yearly review */

static bool is_for_other(const struct engine_memory *m)
{
    return m->reclaim_node != 0 && m->is_reclaim_counting;
}

void daily_stats_take_over(struct turn *turn, const struct node *node)
{
    struct engine_memory *m = &turn->memory;

    must(m->reclaim_node == node->id && node->id != turn->node);
    m->is_reclaim_counting = true;
    m->reclaim_counted_to = node->stats;
    m->reclaim_until = key_of((node->key_ms + 1) * SPAN_MS);
}

bool daily_stats_taken_over(const struct turn *turn)
{
    return !is_for_other(&turn->memory);
}

/* What to count next: history of a dead node, else of this one. */
static struct stats_range range_of(const struct turn *turn)
{
    const struct engine_memory *m = &turn->memory;

    if (is_for_other(m))
        return (struct stats_range){m->reclaim_node, m->reclaim_counted_to, m->reclaim_until};
    return (struct stats_range){turn->node, m->counted_to, m->count_until};
}

/*
 * Every key of this turn is greater than count_until.  The keys of earlier turns are less,
 * except those of the same millisecond: the next pass counts them.
 */
static void begin_pass(struct turn *turn)
{
    struct engine_memory *m = &turn->memory;

    must(!m->is_counting);
    m->is_counting = true;
    m->count_until = key_of(m->key_ms * SPAN_MS);
}

static bool is_pass_due(const struct turn *turn)
{
    const struct engine_memory *m = &turn->memory;

    return turn->is_periodic &&
           (turn->now >= m->count_at || m->count_at - turn->now > COUNT_EVERY ||
            m->uncounted >= COUNT_ROWS || prune_waits_for_stats(m));
}

void daily_stats_send(struct turn *turn)
{
    struct engine_memory *m = &turn->memory;
    int64_t limit = COUNT_BATCH + COUNT_PACE * m->uncounted;

    if (turn->in->rows == 0)
        return;
    if (!m->is_counting && is_pass_due(turn))
        begin_pass(turn);
    turn->has_count = m->is_counting || is_for_other(m);
    if (!turn->has_count)
        return;
    turn->count_range = range_of(turn);
    stats_batch_end(turn->db, &turn->count_range,
                    limit < DB_ROWS_MAX ? (int)limit : DB_ROWS_MAX, &turn->count_row);
    m->uncounted = 0;
}

static void end_pass(struct turn *turn)
{
    struct engine_memory *m = &turn->memory;

    m->is_counting = false;
    m->count_at = turn->now + COUNT_EVERY;
    stats_prune(turn->db, turn->now / SPAN_DAY - STATS_DAYS, COUNT_BATCH);
}

void daily_stats_read(struct turn *turn)
{
    struct engine_memory *m = &turn->memory;
    struct stats_range range = turn->count_range;
    bool is_over = turn->count_row.rows == 0, is_other = range.maker != turn->node;
    struct node node;

    if (!turn->has_count)
        return;
    must(!is_other || (m->is_reclaim_counting && range.maker == m->reclaim_node));
    must(is_other || (m->is_counting && range.after == m->counted_to));
    if (!is_over)
        range.until = db_int_at(&turn->count_row, 0, 0);
    node = (struct node){
        .id = range.maker, .state = is_other ? NODE_LOST : NODE_UP, .stats = range.after};
    nodes_count(turn->db, &node, range.until);
    if (!is_over)
        stats_add(turn->db, &range, turn->node);
    if (is_other) {
        m->reclaim_counted_to = range.until;
        m->is_reclaim_counting = !is_over;
        return;
    }
    m->counted_to = range.until;
    if (is_over)
        end_pass(turn);
}
