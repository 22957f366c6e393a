/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry check`: checks a database and prints the findings as text or JSON.
 */
#include "server/commands/check_command.h"

#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "cli/frame/commands.h"
#include "cli/frame/printer.h"
#include "cli/frame/progress.h"
#include "cli/frame/report.h"
#include "core/time/text.h"
#include "io/clock.h"
#include "io/zoneinfo.h"
#include "server/check/check.h"
#include "server/commands/direct_db.h"

enum {
    OPT_ZONEINFO = DIRECT_DB_OPTIONS,
    OPT_OUTPUT,
    OPT_COUNT,
    DEADLINE_MS = 30 * 60 * 1000, /* per read: enough for a table of a hundred gigabytes */
    SHOWN_MAX = 1000,             /* findings to print; more are only counted            */
};

struct check_output {
    struct printer out;
    struct progress progress;
    bool is_json;
    int64_t shown;
};

static void print_slot(struct printer *out, instant slot)
{
    char text[INSTANT_TEXT_MAX];
    struct buf buf = BUF(text);

    if (slot == INSTANT_NEVER)
        buf_text(&buf, "never");
    else
        instant_format_ms(slot, &buf);
    printer_str(out, buf_as_str(&buf));
}

static void print_json(struct check_output *t, const struct check_finding *f)
{
    printer_text(&t->out, t->shown > 0 ? ",{\"schedule\":" : "{\"schedule\":");
    if (f->schedule.len > 0)
        printer_json(&t->out, f->schedule);
    else
        printer_text(&t->out, "null");
    printer_text(&t->out, ",\"slot\":");
    if (f->slot == INSTANT_NONE) {
        printer_text(&t->out, "null");
    } else {
        printer_text(&t->out, "\"");
        print_slot(&t->out, f->slot);
        printer_text(&t->out, "\"");
    }
    printer_text(&t->out, ",\"finding\":");
    printer_json(&t->out, str_of(f->text));
    printer_text(&t->out, "}");
}

static void print_line(struct check_output *t, const struct check_finding *f)
{
    if (f->schedule.len > 0) {
        printer_text(&t->out, "schedule ");
        printer_json(&t->out, f->schedule);
        printer_text(&t->out, f->slot != INSTANT_NONE ? ", " : ": ");
    } else if (f->key != 0) {
        printer_printf(&t->out, "schedule with key %" PRId64 "%s", f->key,
                       f->slot != INSTANT_NONE ? ", " : ": ");
    }
    if (f->slot != INSTANT_NONE) {
        print_slot(&t->out, f->slot);
        printer_text(&t->out, ": ");
    }
    printer_printf(&t->out, "%s\n", f->text);
}

static void print_finding(void *arg, const struct check_finding *f)
{
    struct check_output *t = arg;

    if (t->shown >= SHOWN_MAX)
        return;
    progress_close(&t->progress);
    if (t->is_json)
        print_json(t, f);
    else
        print_line(t, f);
    t->shown++;
}

static void show_progress(void *arg, const char *what, int64_t done, int64_t all)
{
    struct check_output *t = arg;

    t->progress.what = what;
    progress_show(&t->progress, done, all);
}

static void print_counts(struct check_output *t, const struct check_counts *c, bool has_tables,
                         bool is_complete)
{
    struct printer *out = &t->out;

    if (t->is_json) {
        printer_printf(out,
                       "],\"findingCount\":%" PRId64 ",\"tables\":%" PRId64
                       ",\"schedules\":%" PRId64 ",\"accounts\":%" PRId64
                       ",\"attempts\":%" PRId64 ",\"openRuns\":%" PRId64 ",\"events\":%" PRId64
                       ",\"audit\":%" PRId64 ",\"finished\":%s}\n",
                       c->findings, c->tables, c->schedules, c->accounts, c->attempts, c->runs,
                       c->events, c->audit, is_complete ? "true" : "false");
        return;
    }
    if (c->findings > t->shown)
        printer_printf(out, "… and %" PRId64 " more\n", c->findings - t->shown);
    if (has_tables)
        printer_printf(out, "%8" PRId64 " tables with their indexes\n", c->tables);
    printer_printf(
        out,
        "%8" PRId64 " schedules (%" PRId64 " of them with slots that cannot be recomputed)\n"
        "%8" PRId64 " slot records: runs and ranges of the ledger\n"
        "%8" PRId64 " attempts in history, %" PRId64 " open runs\n"
        "%8" PRId64 " events, %" PRId64 " entries of the audit log\n",
        c->schedules, c->unproven, c->accounts, c->attempts, c->runs, c->events, c->audit);
    if (c->findings == 0)
        printer_text(out, is_complete ? "no problems found\n" : "no findings so far\n");
    else
        printer_printf(out, "%" PRId64 " %s\n", c->findings,
                       c->findings == 1 ? "finding" : "findings");
}

static int run_check(const struct args *args, struct db *db, struct zoneinfo *zones)
{
    static struct check_output t;
    const char *form = args->value[OPT_OUTPUT];
    struct check_options options = {.zones = {.find = zoneinfo_find_in, .user = &zones},
                                    .now = clock_now(),
                                    .finding = print_finding,
                                    .progress = show_progress,
                                    .arg = &t};
    struct check_counts counts;
    struct err err;
    enum rc rc;
    int status;

    t.is_json = form && strcmp(form, "json") == 0;
    printer_open(&t.out, STDOUT_FILENO);
    progress_open(&t.progress, "");
    if (t.is_json)
        printer_text(&t.out, "{\"findings\":[");
    rc = check_database(db, &options, &counts, &err);
    progress_close(&t.progress);
    print_counts(&t, &counts, db_kind(db) == DB_SQLITE, rc == RC_OK);
    status = printer_close(&t.out);
    if (rc != RC_OK) {
        report_note("cannot finish the check: %s", err.text);
        return STATUS_FAILED;
    }
    return status != STATUS_OK ? status : counts.findings > 0 ? STATUS_FAILED : STATUS_OK;
}

static int check_run_command(const struct args *args)
{
    const struct db_options options = {.readonly = true, .deadline_ms = DEADLINE_MS};
    const char *form = args->value[OPT_OUTPUT];
    struct zoneinfo *zones;
    struct db *db = NULL;
    struct err err;
    int status;

    if (args->operands > 0 ||
        (form && strcmp(form, "json") != 0 && strcmp(form, "table") != 0)) {
        err_set(&err, RC_INVALID, -1, 0, "%s",
                args->operands > 0 ? "unexpected argument; name a database with --db"
                                   : "--output must be table or json");
        return report_usage(&err, "check");
    }
    zones = zoneinfo_open(args->value[OPT_ZONEINFO], &err);
    if (!zones) {
        report_note("%s", err.text);
        return STATUS_FAILED;
    }
    status = direct_db_open(args, &options, &db);
    if (status == STATUS_OK)
        status = run_check(args, db, zones);
    db_close(db);
    zoneinfo_close(zones);
    return status;
}

const struct command *check_command(void)
{
    static const struct option options[OPT_COUNT] = {
        DIRECT_DB_OPTION_ROWS,
        [OPT_ZONEINFO] = {"zoneinfo", '\0', "DIR", NULL,
                          "directory of time zone files (default: the system's)"},
        [OPT_OUTPUT] = {"output", 'o', "FORMAT", NULL,
                        "output format: table or json (default table)"},
    };
    static const struct command command = {
        .name = "check",
        .usage = "[--db URL]",
        .summary = "Check the consistency of a database",
        .about =
            "Reads a whole database, also while the server runs, and changes nothing.  It\n"
            "checks that the tables of SQLite are undamaged; that documents, plans, events\n"
            "and the audit log are readable, and that no event or audit entry is missing;\n"
            "that every slot of a schedule, since its last change and as far back as its\n"
            "history reaches, has exactly one recorded outcome, and nothing else has one;\n"
            "that attempts and fences are in order; that the counts of cursors and gates are\n"
            "correct; that cursors wake in time; and that no row refers to a missing one.\n"
            "The exit status is 1 if there are findings.\n",
        .examples = "  belfry check\n"
                    "  belfry check --db sqlite:/mnt/backup/belfry.db\n"
                    "  belfry check --db postgres://belfry@db/belfry -o json\n",
        .options = options,
        .option_count = OPT_COUNT,
        .own_from = DIRECT_DB_OPTIONS,
        .run = check_run_command,
    };

    return &command;
}
