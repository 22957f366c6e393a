/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry backup`: copies a SQLite database into a file while the server may be running.
 */
#include "server/commands/backup_command.h"

#include "cli/frame/commands.h"
#include "cli/frame/progress.h"
#include "cli/frame/report.h"
#include "db/backup.h"
#include "server/commands/direct_db.h"

enum { OPT_FORCE = DIRECT_DB_OPTIONS, OPT_COUNT };

static void show(void *arg, int64_t done, int64_t all)
{
    progress_show(arg, done, all);
}

static int backup_run(const struct args *args)
{
    const struct db_options options = {.readonly = true};
    struct progress progress;
    struct db_backup what = {.file = args->operand[0],
                             .replace = args->value[OPT_FORCE] != NULL,
                             .progress = show,
                             .arg = &progress};
    struct db *db = NULL;
    struct err err;
    int status;
    enum rc rc;

    status = direct_db_open(args, &options, &db);
    if (status != STATUS_OK)
        return status;
    progress_open(&progress, "Pages");
    rc = db_backup(db, &what, &err);
    progress_close(&progress);
    db_close(db);
    if (rc == RC_OK)
        return STATUS_OK;
    report_note("%s", err.text);
    return rc == RC_CONFLICT ? STATUS_USAGE : STATUS_FAILED;
}

const struct command *backup_command(void)
{
    static const struct option options[OPT_COUNT] = {
        DIRECT_DB_OPTION_ROWS,
        [OPT_FORCE] = {"force", '\0', NULL, NULL, "replace FILE if it exists (default false)"},
    };
    static const struct command command = {
        .name = "backup",
        .usage = "FILE",
        .summary = "Copy the database while the server runs",
        .about =
            "FILE gets the data that is committed when the backup begins; only its owner can\n"
            "read it.  FILE appears when it is complete and on the disk; a backup that fails\n"
            "leaves nothing.  The server continues meanwhile; only its WAL grows.  To\n"
            "restore, stop the server, remove belfry.db, belfry.db-wal and belfry.db-shm, and\n"
            "move FILE to belfry.db.  Belfry continues the runs that were in progress as\n"
            "after a crash.  `belfry check --db sqlite:FILE` checks a backup.\n"
            "\n"
            "For PostgreSQL, use pg_dump --format=custom --file FILE URL, and\n"
            "pg_restore --dbname URL FILE into an empty database.\n",
        .examples = "  belfry backup /var/backups/belfry.db\n"
                    "  belfry backup --db sqlite:/srv/belfry.db --force /mnt/belfry.db\n",
        .options = options,
        .option_count = OPT_COUNT,
        .own_from = DIRECT_DB_OPTIONS,
        .counts_operands = true,
        .least = 1,
        .most = 1,
        .run = backup_run,
    };

    return &command;
}
