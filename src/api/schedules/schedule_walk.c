/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Visits all schedules of a namespace in batches.
 */
#include "api/schedules/schedule_walk.h"

#include "api/call/read_size.h"
#include "api/schedules/view.h"
#include "base/must.h"
#include "model/schedule_json.h"

enum {
    READ_ROWS = 200,      /* rows of one read                          */
    READ_BYTES = 1 << 30, /* of arena: enough for rows of maximum size */
};

/* The progress of a walk. */
struct progress {
    struct schedule_position place;
    char name[SCHEDULE_ID_MAX + 1]; /* of the place */
    struct read_size size;
    int64_t scanned; /* rows */
    struct arena *rows, *scratch;
};

static void advance_position(struct progress *progress, const struct schedule_row *row)
{
    struct buf name = BUF(progress->name);

    buf_str(&name, row->name);
    must(!name.cut);
    progress->place = (struct schedule_position){
        .name = buf_as_str(&name), .at = row->updated_at, .id = row->id};
}

/* Stops when the caller has enough; *ret is the number of visited rows. */
static enum rc visit_rows(struct schedule_walk *walk, const struct db_result *rows,
                          struct progress *progress, int *ret, struct err *reterr)
{
    struct schedule_view view;
    int i;

    for (i = 0; i < rows->rows && !walk->is_enough; i++) {
        schedule_views_read(rows, i, &view);
        advance_position(progress, &view.row);
        arena_reset(progress->scratch);
        if (view_count(walk->call, &view.row, reterr) != RC_OK ||
            walk->look(walk, &view, progress->scratch, reterr) != RC_OK)
            return reterr->rc;
    }
    *ret = i;
    return RC_OK;
}

static enum rc visit_batch(struct schedule_walk *walk, struct progress *progress,
                           struct err *reterr)
{
    const struct schedule_batch batch = {.namespace = walk->call->namespace,
                                         .order = walk->order,
                                         .is_descending = walk->is_descending,
                                         .after = progress->place,
                                         .limit = progress->size.rows};
    bool is_created = walk->order == ORDER_CREATED;
    struct db_result rows = {0}, end = {0};
    int visited = 0;
    enum rc rc;

    arena_reset(progress->rows);
    schedule_pages_read(walk->db, &batch, &rows);
    if (is_created)
        schedule_pages_end(walk->db, &batch, &end);
    rc = db_flush(walk->db, progress->rows, reterr);
    if (read_size_is_cut(&progress->size, walk->db, rc))
        return RC_OK;
    if (rc == RC_OK)
        rc = visit_rows(walk, &rows, progress, &visited, reterr);
    if (rc != RC_OK || visited < rows.rows)
        return rc;
    walk->is_done = is_created ? end.rows == 0 : rows.rows < batch.limit;
    if (is_created && end.rows == 1)
        progress->place.id = db_int_at(&end, 0, 0);
    progress->scanned += batch.limit;
    return rc;
}

enum rc schedule_walk(struct schedule_walk *walk, struct err *reterr)
{
    struct progress progress = {.place = schedule_position_begin(walk->is_descending),
                                .size = read_size_of(READ_ROWS),
                                .rows = arena_new(READ_BYTES),
                                .scratch = arena_new(SCHEDULE_BYTES_MAX)};
    enum rc rc = RC_OK;

    if (walk->after.len > 0)
        progress.place.name = walk->after;
    while (rc == RC_OK && !walk->is_done && !walk->is_enough &&
           progress.scanned < WALK_SCHEDULES_MAX)
        rc = visit_batch(walk, &progress, reterr);
    arena_free(progress.rows);
    arena_free(progress.scratch);
    return rc;
}
