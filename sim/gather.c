/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rows are read by the functions of the store, key by key; the keys are those of every table
 * that names a schedule, so that a row whose schedule is missing is seen too.
 */
#include "sim/gather.h"

#include <stdlib.h>

#include "base/must.h"
#include "store/cursors.h"
#include "store/events_requests.h"
#include "store/exceptions_backfills.h"
#include "store/history.h"
#include "store/named_objects.h"
#include "store/nodes.h"
#include "store/runs.h"
#include "store/schema.h"

enum { BATCH_ROWS = 8192 }; /* rows that are read at once */

static const struct db_stmt schedule_keys = {
    "SELECT id FROM schedules UNION SELECT id FROM cursors UNION SELECT schedule FROM runs"
    " UNION SELECT schedule FROM history UNION SELECT schedule FROM ledger"
    " UNION SELECT schedule FROM backfills ORDER BY 1",
    NULL};
static const struct db_stmt gate_keys = {"SELECT id FROM gates ORDER BY id", NULL};
static const struct db_stmt check = {"PRAGMA integrity_check", NULL};
static const struct db_stmt no_check = {"SELECT CAST('ok' AS TEXT)", NULL};
static const struct db_stmt versions = {"SELECT count(*) FROM migrations", NULL};

/* The state of reading. */
struct reading {
    struct db *db;
    struct recorder *recorder;
    struct err *reterr;
};

static enum rc flush(struct reading *r)
{
    return db_flush(r->db, r->recorder->arena, r->reterr);
}

#define APPEND(record, array, count)                                   \
    ((record)->array = recorder_room((record)->array, (record)->count, \
                                     sizeof *(record)->array),         \
     &(record)->array[(record)->count++])

/* Of one schedule. */

static enum rc read_runs(struct reading *r, int64_t schedule, bool held)
{
    struct db_result found;
    enum rc rc;

    runs_of_schedule(r->db, schedule, held, BATCH_ROWS, &found);
    rc = flush(r);
    for (int i = 0; rc == RC_OK && i < found.rows; i++)
        runs_read(&found, i, APPEND(&r->recorder->record, runs, run_count));
    return rc;
}

static enum rc read_history(struct reading *r, int64_t schedule)
{
    int64_t before = INT64_MAX;
    struct db_result found = {.rows = BATCH_ROWS};
    enum rc rc = RC_OK;

    while (rc == RC_OK && found.rows == BATCH_ROWS) {
        history_of_schedule(r->db, schedule, before, BATCH_ROWS, &found);
        rc = flush(r);
        for (int i = 0; rc == RC_OK && i < found.rows; i++) {
            struct history_row *row = APPEND(&r->recorder->record, history, history_count);

            history_read(&found, i, row);
            before = row->id;
        }
    }
    return rc;
}

static enum rc read_ledger(struct reading *r, int64_t schedule)
{
    struct db_result found;
    enum rc rc;

    ledger_of_schedule(r->db, schedule, INSTANT_NONE, DB_ROWS_MAX, &found);
    rc = flush(r);
    for (int i = 0; rc == RC_OK && i < found.rows; i++)
        ledger_read(&found, i, APPEND(&r->recorder->record, ledger, ledger_count));
    return rc;
}

static enum rc read_cursor_and_backfills(struct reading *r, int64_t schedule)
{
    struct db_result cursor, backfills;
    enum rc rc;

    cursors_peek(r->db, schedule, &cursor);
    backfills_of(r->db, schedule, BATCH_ROWS, &backfills);
    rc = flush(r);
    for (int i = 0; rc == RC_OK && i < cursor.rows; i++)
        cursors_read(&cursor, i, APPEND(&r->recorder->record, cursors, cursor_count));
    for (int i = 0; rc == RC_OK && i < backfills.rows; i++)
        backfills_read(&backfills, i, APPEND(&r->recorder->record, backfills, backfill_count));
    return rc;
}

static enum rc read_schedules(struct reading *r)
{
    struct db_result keys;
    enum rc rc;

    db_send(r->db, &schedule_keys, NULL, &keys);
    rc = flush(r);
    for (int i = 0; rc == RC_OK && i < keys.rows; i++) {
        int64_t key = db_int_at(&keys, i, 0);

        rc = read_cursor_and_backfills(r, key);
        if (rc == RC_OK)
            rc = read_runs(r, key, false);
        if (rc == RC_OK)
            rc = read_runs(r, key, true);
        if (rc == RC_OK)
            rc = read_history(r, key);
        if (rc == RC_OK)
            rc = read_ledger(r, key);
    }
    return rc;
}

/* The rest. */

static enum rc read_gates(struct reading *r)
{
    struct db_result keys, found;
    enum rc rc;

    db_send(r->db, &gate_keys, NULL, &keys);
    rc = flush(r);
    for (int i = 0; rc == RC_OK && i < keys.rows; i++) {
        gates_lock(r->db, db_int_at(&keys, i, 0), &found);
        rc = flush(r);
        if (rc == RC_OK && found.rows == 1)
            gates_read(&found, 0, APPEND(&r->recorder->record, gates, gate_count));
    }
    return rc;
}

static enum rc unpack(struct reading *r, int64_t node, const struct db_result *found, int row)
{
    int64_t number = db_int_at(found, row, 0);
    struct str body = db_blob_at(found, row, 3);
    bool any = true;
    enum rc rc = RC_OK;

    while (rc == RC_OK && any) {
        struct rec_event event = {
            .node = node, .number = number++, .at = db_int_at(found, row, 2)};

        rc = event_unpack(&body, &event.event, &any, r->reterr);
        if (rc == RC_OK && any)
            *APPEND(&r->recorder->record, events, event_count) = event;
    }
    return rc;
}

static enum rc read_events(struct reading *r, int64_t node)
{
    struct db_result found = {.rows = BATCH_ROWS};
    int64_t seq = 0;
    enum rc rc = RC_OK;

    while (rc == RC_OK && found.rows == BATCH_ROWS) {
        events_of(r->db, node, seq, BATCH_ROWS, &found);
        rc = flush(r);
        for (int i = 0; rc == RC_OK && i < found.rows; i++) {
            seq = db_int_at(&found, i, 0) + db_int_at(&found, i, 1);
            rc = unpack(r, node, &found, i);
        }
    }
    return rc;
}

static enum rc read_nodes(struct reading *r)
{
    struct record *record = &r->recorder->record;
    struct db_result found;
    enum rc rc;

    nodes_list(r->db, &found);
    rc = flush(r);
    for (int i = 0; rc == RC_OK && i < found.rows; i++) {
        nodes_read(&found, i, APPEND(record, nodes, node_count));
        rc = read_events(r, record->nodes[i].id);
    }
    return rc;
}

static enum rc read_health(struct reading *r)
{
    bool has_server = db_kind(r->db) == DB_POSTGRES; /* which checks itself */
    struct db_result health, count;
    enum rc rc;

    db_send(r->db, has_server ? &no_check : &check, NULL, &health);
    db_send(r->db, &versions, NULL, &count);
    rc = flush(r);
    if (rc == RC_OK)
        r->recorder->record.integrity_ok = health.rows == 1 &&
                                           str_eq(db_text_at(&health, 0, 0), STR("ok")) &&
                                           db_int_at(&count, 0, 0) == schema_migration_count;
    return rc;
}

/* Sorting, and the digest of everything. */

static int compare(int64_t a, int64_t b)
{
    return (a > b) - (a < b);
}

static int by_id(const void *a, const void *b)
{
    const struct history_row *x = a, *y = b;

    return compare(x->id, y->id);
}

static int by_slot(const void *a, const void *b)
{
    const struct ledger_entry *x = a, *y = b;

    if (x->schedule != y->schedule)
        return compare(x->schedule, y->schedule);
    if (x->pass != y->pass)
        return compare(x->pass, y->pass);
    return compare(x->account.first, y->account.first);
}

static void sort(struct record *record)
{
    if (record->history_count > 0)
        qsort(record->history, (size_t)record->history_count, sizeof *record->history, by_id);
    if (record->ledger_count > 0)
        qsort(record->ledger, (size_t)record->ledger_count, sizeof *record->ledger, by_slot);
}

enum rc gather(struct db *db, struct recorder *recorder, struct err *reterr)
{
    struct reading r = {.db = db, .recorder = recorder, .reterr = reterr};
    enum rc rc = read_schedules(&r);

    if (rc == RC_OK)
        rc = read_gates(&r);
    if (rc == RC_OK)
        rc = read_nodes(&r);
    if (rc == RC_OK)
        rc = read_health(&r);
    if (rc != RC_OK)
        return rc;
    sort(&recorder->record);
    recorder_digest_store(recorder);
    return RC_OK;
}
