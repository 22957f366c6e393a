/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs all checks of a database: schema, integrity of SQLite's tables, orphans, gates and
 * calendars here; schedules, attempts, events and audit log in the other files.
 */
#include "server/check/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>

#include "server/check/check_parts.h"
#include "store/check/check_rows.h"
#include "store/schema.h"

enum {
    READ_ROWS = 20000,       /* rows per transaction of the orphan checks: 100 ms */
    ARENA_MAX = 512 << 20,   /* a batch of schedules with their documents         */
    PAGE_MAX = 64 << 20,     /* DB_BYTES_MAX and the overhead of a page           */
    CALENDARS_AT_ONCE = 100, /* named calendars per read: 4,096 days each         */
};

void check_found(struct check *check, struct str schedule, int64_t key, instant slot,
                 const char *fmt, ...)
{
    struct check_finding finding = {.schedule = schedule, .key = key, .slot = slot};
    va_list args;

    va_start(args, fmt);
    vsnprintf(finding.text, sizeof finding.text, fmt, args);
    va_end(args);
    check->counts.findings++;
    check->options->finding(check->options->arg, &finding);
}

void check_progress(const struct check *check, const char *what, int64_t done, int64_t all)
{
    if (check->options->progress)
        check->options->progress(check->options->arg, what, done, all);
}

static void report_table(struct check *check, struct str name, const struct db_result *rows)
{
    for (int i = 0; i < rows->rows; i++) {
        struct str text = db_text_at(rows, i, 0);

        if (!str_eq(text, STR("ok")))
            check_found(check, NO_PLACE, "table %.*s: %.*s", STR_ARG(name), STR_ARG(text));
    }
}

/* Checks one table per read. */
static enum rc check_integrity(struct check *check, struct err *reterr)
{
    struct db_result tables = {0};
    enum rc rc;

    if (db_kind(check->db) != DB_SQLITE)
        return RC_OK;
    check_tables(check->db, &tables);
    rc = db_flush(check->db, check->arena, reterr);
    for (int i = 0; rc == RC_OK && i < tables.rows; i++) {
        struct str name = db_text_at(&tables, i, 0);
        struct db_result rows = {0};

        check_progress(check, "tables", i, tables.rows);
        check_table(check->db, name, &rows);
        rc = db_flush(check->db, check->page, reterr);
        if (rc == RC_OK)
            report_table(check, name, &rows);
        check->counts.tables++;
        arena_reset(check->page);
    }
    /* A table that SQLite cannot read at all is a finding and ends the check. */
    if (rc == RC_CORRUPT)
        check_found(check, NO_PLACE, "%s", reterr->text);
    return rc;
}

static enum rc check_orphans_of(struct check *check, enum check_orphans kind,
                                struct err *reterr)
{
    struct db_result end = {0}, rows = {0};
    int64_t after = 0;
    enum rc rc = RC_OK;

    do {
        arena_reset(check->page);
        check_orphans_end(check->db, kind, after, READ_ROWS, &end);
        rc = db_flush(check->db, check->page, reterr);
        if (rc != RC_OK || end.rows == 0)
            break;
        check_orphans(check->db, kind, after, db_int_at(&end, 0, 0), &rows);
        after = db_int_at(&end, 0, 0);
        rc = db_flush(check->db, check->page, reterr);
        for (int i = 0; rc == RC_OK && i < rows.rows; i++)
            check_found(check, (struct str){NULL, 0}, db_int_at(&rows, i, 1), INSTANT_NONE,
                        "%s (key %" PRId64 ")", check_orphans_text(kind),
                        db_int_at(&rows, i, 0));
    } while (rc == RC_OK);
    return rc;
}

static enum rc check_gate_counts(struct check *check, struct err *reterr)
{
    struct db_result rows = {0};
    enum rc rc;

    check_gates(check->db, &rows);
    rc = db_flush(check->db, check->page, reterr);
    for (int i = 0; rc == RC_OK && i < rows.rows; i++)
        check_found(check, NO_PLACE,
                    "gate %.*s counts %" PRId64 " open runs and %" PRId64
                    " waiting ones; there are %" PRId64 " and %" PRId64,
                    STR_ARG(db_text_at(&rows, i, 0)), db_int_at(&rows, i, 1),
                    db_int_at(&rows, i, 2), db_int_at(&rows, i, 3), db_int_at(&rows, i, 4));
    arena_reset(check->page);
    return rc;
}

static bool are_days(struct str bytes)
{
    int32_t last = INT32_MIN;

    for (size_t i = 0; i + 4 <= bytes.len; i += 4) {
        const unsigned char *b = (const unsigned char *)bytes.ptr + i;
        int32_t day = (int32_t)((uint32_t)b[0] | (uint32_t)b[1] << 8 | (uint32_t)b[2] << 16 |
                                (uint32_t)b[3] << 24);

        if (i > 0 && day <= last)
            return false;
        last = day;
    }
    return bytes.len % 4 == 0;
}

static enum rc check_calendar_days(struct check *check, struct err *reterr)
{
    struct db_result rows = {0};
    int64_t after = 0;
    enum rc rc;

    do {
        arena_reset(check->page);
        check_calendars(check->db, after, CALENDARS_AT_ONCE, &rows);
        rc = db_flush(check->db, check->page, reterr);
        for (int i = 0; rc == RC_OK && i < rows.rows; i++) {
            after = db_int_at(&rows, i, 0);
            if (!are_days(db_blob_at(&rows, i, 2)))
                check_found(check, NO_PLACE, "the days of calendar %.*s cannot be read",
                            STR_ARG(db_text_at(&rows, i, 1)));
        }
    } while (rc == RC_OK && rows.rows == CALENDARS_AT_ONCE);
    return rc;
}

static enum rc run_checks(struct check *check, struct err *reterr)
{
    enum rc rc = schema_check_reader(check->db, check->page, reterr);

    if (rc == RC_OK)
        rc = check_integrity(check, reterr);
    for (int kind = 0; rc == RC_OK && kind < ORPHANS_COUNT; kind++) {
        check_progress(check, "orphans", kind, ORPHANS_COUNT);
        rc = check_orphans_of(check, (enum check_orphans)kind, reterr);
    }
    if (rc == RC_OK)
        rc = check_gate_counts(check, reterr);
    if (rc == RC_OK)
        rc = check_calendar_days(check, reterr);
    if (rc == RC_OK)
        rc = check_all_schedules(check, reterr);
    if (rc == RC_OK)
        rc = check_events(check, reterr);
    return rc == RC_OK ? check_audit(check, reterr) : rc;
}

enum rc check_database(struct db *db, const struct check_options *options,
                       struct check_counts *ret, struct err *reterr)
{
    struct check check = {.db = db,
                          .options = options,
                          .arena = arena_new(ARENA_MAX),
                          .page = arena_new(PAGE_MAX)};
    enum rc rc = run_checks(&check, reterr);

    arena_free(check.arena);
    arena_free(check.page);
    *ret = check.counts;
    /* The damage was reported, and nothing more can be read. */
    return rc == RC_CORRUPT && check.counts.findings > 0 ? RC_OK : rc;
}
