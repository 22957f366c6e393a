/* SPDX-License-Identifier: Apache-2.0 */
/* SQLite's own integrity check, table by table.  PostgreSQL checks itself. */
#include "store/check/check_rows.h"

static const struct db_stmt tables = {
    "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
    " ORDER BY name",
    NULL};
static const struct db_stmt table = {
    "SELECT integrity_check FROM pragma_integrity_check($1) LIMIT 20", "t"};

void check_tables(struct db *db, struct db_result *ret)
{
    db_send(db, &tables, NULL, ret);
}

void check_table(struct db *db, struct str name, struct db_result *ret)
{
    db_send(db, &table, (struct db_value[]){db_text(name)}, ret);
}
