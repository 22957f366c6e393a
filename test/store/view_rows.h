/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules and cursors for the tests of views. */
#pragma once

#include "rows.h"

#include "store/cursors.h"
#include "store/schedules.h"

static void add_schedule(struct fixture *f, int64_t id, int64_t namespace, const char *name,
                         instant deleted_at)
{
    struct schedule_row row = {
        .id = id,
        .namespace = namespace,
        .version = id + 100,
        .deleted_at = deleted_at,
        .packed = STR("packed"),
        .action = STR("{\"a\":1}"),
        .name = str_of(name),
        .spec = STR("{\"s\":1}"),
        .policies = STR("{\"p\":1}"),
        .governor = STR("{\"g\":1}"),
        .labels = STR("{\"l\":1}"),
        .extra = STR("{\"e\":1}"),
        .description = STR("what it is"),
        .reason = STR("why"),
        .dialect = 3,
        .created_at = DAY_ONE + 1,
        .updated_at = DAY_ONE + 2,
        .created_by = STR("ann"),
        .updated_by = STR("bob"),
    };

    schedules_insert(f->db, &row, NULL);
    flush(f);
}

/* All numbers differ. */
static struct cursor cursor_of(int64_t id)
{
    return (struct cursor){
        .id = id,
        .wake_at = DAY_ONE + 1,
        .mark = DAY_ONE + 2,
        .next_at = DAY_ONE + 3,
        .version = id + 100,
        .flags = CURSOR_PAUSED,
        .paused_until = DAY_ONE + 4,
        .open = 5,
        .waiting = 6,
        .failures = 7,
        .remaining = 8,
        .last_start = DAY_ONE + 9,
        .started = 10,
        .failed = 11,
    };
}

static void add_whole(struct fixture *f, int64_t id, int64_t namespace, const char *name)
{
    struct cursor cursor = cursor_of(id);

    add_schedule(f, id, namespace, name, 0);
    cursors_insert(f->db, &cursor);
    flush(f);
}
