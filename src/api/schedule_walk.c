/* SPDX-License-Identifier: Apache-2.0 */
#include "api/schedule_walk.h"

#include "api/planned.h"
#include "model/schedule_json.h"

enum {
    PORTION = 200,           /* rows of one read                            */
    PORTION_BYTES = 1 << 30, /* of arena: schedules as large as they may be */
};

static enum rc look_at(struct schedule_walk *walk, struct db *db, const struct db_result *rows,
                       struct schedule_place *place, struct arena *scratch, struct err *reterr)
{
    struct schedule_view view;

    for (int i = 0; i < rows->rows && !walk->is_enough; i++) {
        schedule_views_read(rows, i, &view);
        *place = (struct schedule_place){.name = arena_str(walk->call->arena, view.row.name),
                                         .at = view.row.updated_at,
                                         .id = view.row.id};
        arena_reset(scratch);
        if (planned_next(walk->call, db, scratch, &view, reterr) != RC_OK ||
            walk->look(walk, &view, scratch, reterr) != RC_OK)
            return reterr->rc;
    }
    return RC_OK;
}

static enum rc look_at_portion(struct schedule_walk *walk, struct db *db,
                               struct schedule_place *place, struct arena *arenas[static 2],
                               struct err *reterr)
{
    const struct schedule_portion portion = {.namespace = walk->call->namespace,
                                             .order = walk->order,
                                             .is_descending = walk->is_descending,
                                             .after = *place,
                                             .limit = PORTION};
    bool is_created = walk->order == ORDER_CREATED;
    struct db_result rows = {0}, end = {0};
    enum rc rc;

    arena_reset(arenas[0]);
    schedule_pages_read(db, &portion, &rows);
    if (is_created)
        schedule_pages_end(db, &portion, &end);
    rc = db_flush(db, arenas[0], reterr);
    if (rc == RC_OK)
        rc = look_at(walk, db, &rows, place, arenas[1], reterr);
    walk->is_done = is_created ? end.rows == 0 : rows.rows < PORTION;
    if (is_created && end.rows == 1)
        place->id = db_int_at(&end, 0, 0);
    return rc;
}

enum rc schedule_walk(struct schedule_walk *walk, struct db *db, struct err *reterr)
{
    struct schedule_place place = schedule_place_begin(walk->is_descending);
    struct arena *arenas[] = {arena_new(PORTION_BYTES), arena_new(SCHEDULE_BYTES_MAX)};
    enum rc rc = RC_OK;

    for (int n = 0; rc == RC_OK && !walk->is_done && !walk->is_enough; n += PORTION) {
        if (n >= WALK_SCHEDULES_MAX)
            break;
        rc = look_at_portion(walk, db, &place, arenas, reterr);
    }
    arena_free(arenas[0]);
    arena_free(arenas[1]);
    return rc;
}
