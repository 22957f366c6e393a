/* SPDX-License-Identifier: Apache-2.0 */
#include "api/schedules/schedule_walk.h"

#include "api/call/read_size.h"
#include "base/must.h"
#include "model/schedule_json.h"

enum {
    READ_ROWS = 200,      /* rows of one read                            */
    READ_BYTES = 1 << 30, /* of arena: schedules as large as they may be */
};

/* How far a walk has come. */
struct stand {
    struct schedule_place place;
    char name[SCHEDULE_ID_MAX + 1]; /* of the place */
    struct read_size portion;
    int64_t looked_at;
    struct arena *rows, *scratch;
};

static void move_on(struct stand *stand, const struct schedule_row *row)
{
    struct buf name = BUF(stand->name);

    buf_str(&name, row->name);
    must(!name.cut);
    stand->place = (struct schedule_place){
        .name = buf_as_str(&name), .at = row->updated_at, .id = row->id};
}

static enum rc look_at(struct schedule_walk *walk, const struct db_result *rows,
                       struct stand *stand, struct err *reterr)
{
    struct schedule_view view;

    for (int i = 0; i < rows->rows && !walk->is_enough; i++) {
        schedule_views_read(rows, i, &view);
        move_on(stand, &view.row);
        arena_reset(stand->scratch);
        if (walk->look(walk, &view, stand->scratch, reterr) != RC_OK)
            return reterr->rc;
    }
    return RC_OK;
}

static enum rc look_at_portion(struct schedule_walk *walk, struct stand *stand,
                               struct err *reterr)
{
    const struct schedule_batch portion = {.namespace = walk->call->namespace,
                                           .order = walk->order,
                                           .is_descending = walk->is_descending,
                                           .after = stand->place,
                                           .limit = stand->portion.rows};
    bool is_created = walk->order == ORDER_CREATED;
    struct db_result rows = {0}, end = {0};
    enum rc rc;

    arena_reset(stand->rows);
    schedule_pages_read(walk->db, &portion, &rows);
    if (is_created)
        schedule_pages_end(walk->db, &portion, &end);
    rc = db_flush(walk->db, stand->rows, reterr);
    if (read_size_is_cut(&stand->portion, walk->db, rc))
        return RC_OK;
    if (rc == RC_OK)
        rc = look_at(walk, &rows, stand, reterr);
    walk->is_done = is_created ? end.rows == 0 : rows.rows < portion.limit;
    if (is_created && end.rows == 1)
        stand->place.id = db_int_at(&end, 0, 0);
    stand->looked_at += portion.limit;
    return rc;
}

enum rc schedule_walk(struct schedule_walk *walk, struct err *reterr)
{
    struct stand stand = {.place = schedule_place_begin(walk->is_descending),
                          .portion = read_size_of(READ_ROWS),
                          .rows = arena_new(READ_BYTES),
                          .scratch = arena_new(SCHEDULE_BYTES_MAX)};
    enum rc rc = RC_OK;

    if (walk->after.len > 0)
        stand.place.name = walk->after;
    while (rc == RC_OK && !walk->is_done && !walk->is_enough &&
           stand.looked_at < WALK_SCHEDULES_MAX)
        rc = look_at_portion(walk, &stand, reterr);
    arena_free(stand.rows);
    arena_free(stand.scratch);
    return rc;
}
