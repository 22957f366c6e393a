/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry schedule ...`: the table of commands.
 */
#include "cli/frame/commands.h"
#include "cli/remote/schedule_commands.h"
#include "cli/remote/schedule_view.h"

/* ---- list ---- */

static const struct option list_rows[] = {
    REMOTE_OPTION_ROWS,
    LIST_OPTION_ROWS,
    {"search", 'S', "TEXT", AS_TEXT("search"), "only ids or descriptions that contain TEXT"},
    {"prefix", '\0', "TEXT", AS_TEXT("prefix"), "only ids that begin with TEXT"},
    {"label", 'l', "KEY=VALUE", AS_TEXT("label"),
     "only this label; KEY alone matches any value"},
    {"status", '\0', "STATUS", AS_TEXT("status"), "only this status: active, paused or closed"},
    {"action", '\0', "TYPE", AS_TEXT("action"),
     "only this action: http, exec, queue or workflow"},
    {"queue", 'q', "NAME", AS_TEXT("queue"), "only schedules that use this queue"},
    {"sort", '\0', "FIELD", AS_TEXT("sort"),
     "sort by id, createdAt, updatedAt, nextAt, lastRunAt,\n"
     "lastOutcome, failures or lateness; -FIELD sorts in\n"
     "descending order (default id)"},
    {"health", '\0', "HEALTH", AS_TEXT("health"),
     "only this health: ok, late, failing, paused or closed;\n"
     "or a comma-separated list"},
    {"outcome", '\0', "OUTCOME", AS_TEXT("outcome"),
     "only this outcome of the last run, such as failed, or\n"
     "none; or a comma-separated list"},
    {"zone", '\0', "ZONE", AS_TEXT("zone"), "only this time zone"},
};

/* ---- pause, resume ---- */

static const struct option pause_rows[] = {
    REMOTE_OPTION_ROWS,
    {"reason", 'r', "TEXT", AS_TEXT("reason"), "reason, shown while the schedule is paused"},
    {"until", 'u', "TIME", AS_TIME("until"),
     "resume automatically at TIME, such as +2h (default:\n"
     "stay paused)"},
};

static const struct option resume_rows[RESUME_OPTION_COUNT] = {
    REMOTE_OPTION_ROWS,
    [RESUME_FROM] = {"from", '\0', "TIME", AS_TIME("from"),
                     "also run the slots since TIME, such as -10m, that were\n"
                     "not started (default: none)"},
    [RESUME_DRY_RUN] = {"dry-run", '\0', NULL, NULL, "print what would happen; change nothing"},
    [RESUME_YES] = {"yes", 'y', NULL, NULL, "do not ask for confirmation"},
};

/* ---- hint ---- */

static const struct option hint_rows[] = {
    REMOTE_OPTION_ROWS,
    {"interval", 'i', "DURATION", AS_TEXT("interval"),
     "run this often, such as 5m, until the hint expires"},
    {"at", '\0', "TIME", AS_TIME("at"),
     "run once at TIME, such as +10m, if that is earlier than\n"
     "the next run"},
    {"expires", '\0', "TIME", AS_TIME("expires"),
     "ignore the hint from TIME on (default: in one hour, or\n"
     "one hour after its run if that comes later)"},
    {"reason", 'r', "TEXT", AS_TEXT("reason"), "reason, shown with the hint"},
};

/* ---- trigger, test, backfill, skip-next ---- */

static const struct option trigger_rows[] = {
    REMOTE_OPTION_ROWS,
    WAIT_OPTION_ROW,
    {"input", 'i', "JSON", AS_JSON("input"),
     "input that is merged over the schedule's own; JSON or\n"
     "@FILE"},
    {"overlap", '\0', "POLICY", AS_TEXT("overlap"),
     "overlap policy for this run (default: the schedule's)"},
    {"scheduled-time", '\0', "TIME", AS_TIME("scheduledTime"),
     "scheduled time that the run reports (default now)"},
};

static const struct option test_rows[] = {
    REMOTE_OPTION_ROWS,
    WAIT_OPTION_ROW,
    {"input", 'i', "JSON", AS_JSON("input"),
     "input that is merged over the schedule's own; JSON or\n"
     "@FILE"},
};

static void print_triggered(const json_t *answer, const char *name, const struct when *when,
                            struct printer *out)
{
    (void)when;
    printer_safe(out, str_of(name));
    printer_text(out, ": created run ");
    printer_safe(out, str_of(member_text(answer, "id")));
    printer_text(out, "\n");
}

static const struct option backfill_rows[BACKFILL_OPTION_COUNT] = {
    REMOTE_OPTION_ROWS,
    [BACKFILL_FROM] = {"from", '\0', "TIME", AS_TIME("from"),
                       "start of the range, such as -7d (required)"},
    [BACKFILL_TO] = {"to", '\0', "TIME", AS_TIME("to"), "end of the range (default now)"},
    [BACKFILL_OVERLAP] = {"overlap", '\0', "POLICY", AS_TEXT("overlap"),
                          "overlap policy of the runs (default: allowAll if that is\n"
                          "the schedule's, else bufferAll)"},
    [BACKFILL_ONLY] = {"only", '\0', "WHICH", AS_TEXT("only"),
                       "missed: only slots that were not started; all (default\n"
                       "all)"},
    [BACKFILL_INCLUDE] = {"include", '\0', "WHICH", PART("include", TEXTS, NULL),
                          "with --only missed, also slots that were cancelled, or\n"
                          "that the governor skipped: cancelled, governor; may be\n"
                          "repeated"},
    [BACKFILL_DRY_RUN] = {"dry-run", '\0', NULL, NULL, "count the runs; start nothing"},
    [BACKFILL_YES] = {"yes", 'y', NULL, NULL, "do not ask for confirmation"},
    [BACKFILL_WAIT] = {"wait", 'w', NULL, NULL,
                       "wait for the end of all runs; shows a progress bar; the\n"
                       "exit status is 3 unless all succeeded"},
};

static const struct option skip_rows[] = {
    REMOTE_OPTION_ROWS,
    {"count", 'n', "N", AS_NUMBER("count"), "number of slots to cancel (default 1)"},
};

static void print_skipped(const json_t *answer, const char *name, const struct when *when,
                          struct printer *out)
{
    static const struct field columns[] = {
        {"CANCELLED", "slot", SHAPE_TIME, false, NULL},
        {"RELATIVE", "slot", SHAPE_AWAY, false, NULL},
    };
    static const struct view view = {"skipped", "slot", FIELDS(columns), NULL, 0};

    (void)name;
    view_rows(&view, json_object_get(answer, "skipped"), when, out);
}

/* ---- next, slots, explain, health ---- */

static const struct option next_rows[] = {
    REMOTE_OPTION_ROWS,
    {"count", 'n', "N", AS_TEXT("count"), "number of times to print (default 10)"},
    {"from", '\0', "TIME", AS_TIME("from"), "start of the list (default now)"},
};

static const struct option slots_rows[] = {
    REMOTE_OPTION_ROWS,
    LIST_OPTION_ROWS,
    {"from", '\0', "TIME", AS_TIME("from"), "start of the range, such as -2h (default -1d)"},
    {"to", '\0', "TIME", AS_TIME("to"), "end of the range, such as +2h (default +1d)"},
};

static const struct lister slots_lister = {
    .kind = "schedules", .tail = "/slots", .view = &slot_view};

static const struct option days_rows[] = {
    REMOTE_OPTION_ROWS,
    {"year", '\0', "YEAR", AS_TEXT("year"), "year to show (default the current one)"},
};

static void print_days(const json_t *answer, const char *name, const struct when *when,
                       struct printer *out)
{
    static const struct field columns[] = {
        {"DAY", "date", SHAPE_TEXT, false, NULL},
        {"OK", "slots.succeeded", SHAPE_NUMBER, false, NULL},
        {"FAILED", "slots.failed", SHAPE_NUMBER, false, NULL},
        {"TIMED OUT", "slots.timedOut", SHAPE_NUMBER, false, NULL},
        {"CANCELLED", "slots.cancelled", SHAPE_NUMBER, false, NULL},
        {"SKIPPED", "slots.skipped", SHAPE_NUMBER, false, NULL},
        {"MISSED", "slots.missed", SHAPE_NUMBER, false, NULL},
        {"DROPPED", "slots.dropped", SHAPE_NUMBER, false, NULL},
        {"WITHDRAWN", "slots.withdrawn", SHAPE_NUMBER, false, NULL},
        {"TRIGGERS OK", "triggers.succeeded", SHAPE_NUMBER, false, NULL},
        {"BACKFILLS OK", "backfills.succeeded", SHAPE_NUMBER, false, NULL},
    };
    static const struct view view = {"days", "date", FIELDS(columns), NULL, 0};

    (void)name;
    view_rows(&view, json_object_get(answer, "days"), when, out);
}

static const struct option explain_rows[] = {
    REMOTE_OPTION_ROWS,
    {"at", '\0', "TIME", AS_TEXT("at"),
     "time to explain: 2026-11-16T02:30:00Z, or without the Z\n"
     "in the schedule's time zone (default now)"},
};

/* ---- the table ---- */

static const struct command commands[] = {
    {.name = "schedule create",
     .usage = "[ID] [OPTION]... [-- PROGRAM [ARG]...]",
     .summary = "Create a schedule",
     .about = "Options give the times (--cron, --every, --daily, --at), the action (--http,\n"
              "--queue, --workflow or --exec) and the policies.  -f reads a whole schedule as\n"
              "JSON, which the other options change.  Without ID the server generates one.\n",
     .examples =
         "  belfry schedule create nightly --cron '30 2 * * MON-FRI' --tz Europe/Berlin "
         "\\\n      --http https://example.com/report\n"
         "  belfry schedule create tick --every 15m --queue ticks --input '{\"n\":1}'\n"
         "  belfry schedule create tidy --daily 04:00 --exec -- /usr/bin/find /tmp/x \\\n"
         "      -delete\n"
         "  belfry schedule create -f nightly.json --paused\n"
         "  belfry schedule create x --cron '0 9 * * *' --queue q --dry-run\n",
     OPTIONS(create_options),
     .takes_program = true,
     .counts_operands = true,
     .most = 1,
     CALLS(create_call)},
    {.name = "schedule get",
     .usage = "ID... [OPTION]...",
     .summary = "Show a schedule",
     .about =
         "-o json prints the whole schedule, which `schedule create -f` and `apply` read.\n",
     .examples = "  belfry schedule get nightly\n"
                 "  belfry schedule get nightly -o json > nightly.json\n",
     REQUEST(plain_options, .kind = "schedules", .view = &schedule_view)},
    {.name = "schedule list",
     .usage = "[OPTION]...",
     .summary = "List schedules",
     .examples = "  belfry schedule list --status paused\n"
                 "  belfry schedule list -l team=billing --all -o name\n",
     LISTER(list_rows, .kind = "schedules", .view = &schedule_view)},
    {.name = "schedule edit",
     .usage = "ID [OPTION]...",
     .summary = "Change a schedule in an editor",
     .about = "Opens the schedule as JSON in VISUAL, EDITOR or vi and sends the changed text.\n"
              "If another client changed the schedule in the meantime, or the server refuses\n"
              "the text, nothing is changed and the text is kept in a file.\n",
     .examples = "  belfry schedule edit nightly\n"
                 "  EDITOR='code --wait' belfry schedule edit nightly\n",
     PLAIN,
     ONE_NAME,
     CALLS(edit_call)},
    {.name = "schedule delete",
     .usage = "ID... [OPTION]...",
     .summary = "Delete a schedule",
     .about =
         "Runs in progress finish their attempt, waiting runs end.  The history is kept.\n",
     .examples = "  belfry schedule delete nightly\n",
     REQUEST(plain_options, .method = "DELETE", .kind = "schedules", .done = "deleted")},
    {.name = "schedule pause",
     .usage = "ID... [OPTION]...",
     .summary = "Pause a schedule, until a time or until it is resumed",
     .about = "Slots during the pause are recorded as missed.  Triggers and backfills still\n"
              "run.\n",
     .examples = "  belfry schedule pause nightly --reason 'database moves'\n"
                 "  belfry schedule pause nightly --until +2h\n",
     REQUEST(pause_rows, .method = "POST", .kind = "schedules", .tail = "/pause",
             .done = "paused", .print_done = print_schedule_done)},
    {.name = "schedule resume",
     .usage = "ID... [OPTION]...",
     .summary = "Resume a schedule",
     .about = "First prints what happens to the slots of the pause and, on a terminal, asks\n"
              "for confirmation.  With --from, resumes at once and runs the slots since that\n"
              "time that were not started; the schedule must be paused.\n",
     .examples = "  belfry schedule resume nightly --dry-run\n"
                 "  belfry schedule resume nightly --yes\n"
                 "  belfry schedule resume nightly --from -10m\n",
     OPTIONS(resume_rows),
     SOME_NAMES,
     CALLS(resume_call)},
    {.name = "schedule hint",
     .usage = "ID... [--interval DURATION] [--at TIME] [OPTION]...",
     .summary = "Set the hint of an adaptive schedule",
     .about =
         "The new hint replaces the old one.  Only a schedule with a governor takes hints.\n"
         "A hint that has expired never starts a run.\n",
     .examples = "  belfry schedule hint poll --interval 1m --expires +2h\n"
                 "  belfry schedule hint poll --at +10m --reason 'deployment'\n",
     REQUEST(hint_rows, .method = "PUT", .kind = "schedules", .tail = "/hint",
             .done = "hint set", .print_done = print_schedule_done)},
    {.name = "schedule show-hint",
     .usage = "ID... [OPTION]...",
     .summary = "Show the hint of an adaptive schedule",
     .examples = "  belfry schedule show-hint poll\n",
     REQUEST(plain_options, .kind = "schedules", .print = print_hint)},
    {.name = "schedule clear-hint",
     .usage = "ID... [OPTION]...",
     .summary = "Remove the hint of an adaptive schedule",
     .about = "A next run that the hint has moved stays where it is.\n",
     .examples = "  belfry schedule clear-hint poll\n",
     REQUEST(plain_options, .method = "DELETE", .kind = "schedules", .tail = "/hint",
             .done = "hint removed", .print_done = print_schedule_done)},
    {.name = "schedule trigger",
     .usage = "ID... [OPTION]...",
     .summary = "Start a run of a schedule now",
     .about =
         "The schedule's overlap policy applies.  With skip, the default, no run starts\n"
         "while another is open, and the exit status is 75; `--overlap allowAll` starts a\n"
         "run anyway.\n",
     .examples = "  belfry schedule trigger nightly\n"
                 "  belfry schedule trigger nightly --input '{\"day\":\"2026-11-15\"}'\n",
     REQUEST(trigger_rows, .method = "POST", .kind = "schedules", .tail = "/trigger",
             .view = &run_view, .print = print_triggered, .starts_run = true,
             .can_wait = true)},
    {.name = "schedule test",
     .usage = "ID... [OPTION]...",
     .summary = "Run the action of a schedule once as a test",
     .about = "The schedule's counters and last outcome do not change.\n",
     .examples = "  belfry schedule test nightly --wait\n",
     REQUEST(test_rows, .method = "POST", .kind = "schedules", .tail = "/test",
             .view = &run_view, .print = print_triggered, .can_wait = true)},
    {.name = "schedule backfill",
     .usage = "ID --from TIME [--to TIME] [OPTION]...",
     .summary = "Run the slots of a time range in the past",
     .about = "First counts the runs and asks for confirmation; without a terminal use --yes.\n"
              "If the overlap policy skips slots at once, the exit status is 75.  `belfry\n"
              "backfill` lists, watches and stops backfills.\n",
     .examples = "  belfry schedule backfill nightly --from -7d --dry-run\n"
                 "  belfry schedule backfill nightly --from -7d --only missed --yes\n"
                 "  belfry schedule backfill nightly --from 2026-11-01 --to 2026-11-08 \\\n"
                 "      --overlap allowAll --yes --wait\n",
     OPTIONS(backfill_rows),
     ONE_NAME,
     CALLS(backfill_call)},
    {.name = "schedule skip-next",
     .usage = "ID... [OPTION]...",
     .summary = "Cancel the next planned slots of a schedule",
     .about = "They are recorded as cancelled when they are due.\n",
     .examples = "  belfry schedule skip-next nightly\n"
                 "  belfry schedule skip-next nightly --count 3\n",
     REQUEST(skip_rows, .method = "POST", .kind = "schedules", .tail = "/skip-next",
             .print = print_skipped)},
    {.name = "schedule next",
     .usage = "ID... [OPTION]...",
     .summary = "Show when a schedule will run",
     .about = "`belfry next EXPR` does the same for an expression, without a server.\n",
     .examples = "  belfry schedule next nightly -n 3\n",
     REQUEST(next_rows, .kind = "schedules", .tail = "/next", .print = print_next)},
    {.name = "schedule slots",
     .usage = "ID [OPTION]...",
     .summary = "Show the past and planned slots of a schedule",
     .about =
         "The earliest slot is first, and each slot has a line.  Exception: if the times\n"
         "of slots are no longer known (the schedule was edited, or they depend on earlier\n"
         "runs), consecutive slots that did not run for the same reason share one line,\n"
         "with TO and COUNT.  RUN is the run of a slot, or the run that a planned slot\n"
         "will have; it is empty for a slot that did not run.\n",
     .examples = "  belfry schedule slots nightly --from -7d --to +1d\n",
     OPTIONS(slots_rows),
     ONE_NAME,
     .arg = &slots_lister,
     CALLS(lister_call)},
    {.name = "schedule days",
     .usage = "ID... [OPTION]...",
     .summary = "Show what became of the slots of a schedule on each day",
     .about = "Days on which nothing happened are left out.  `-o json` also shows the other\n"
              "outcomes of triggers and backfills.\n",
     .examples = "  belfry schedule days nightly --year 2026\n",
     REQUEST(days_rows, .kind = "schedules", .tail = "/days", .print = print_days)},
    {.name = "schedule explain",
     .usage = "ID... [OPTION]...",
     .summary = "Explain why a schedule runs or does not run at a time",
     .about = "`belfry explain EXPR` does the same for an expression, without a server.\n",
     .examples = "  belfry schedule explain nightly --at 2026-03-29T02:30:00\n",
     REQUEST(explain_rows, .kind = "schedules", .tail = "/explain", .print = print_explained)},
    {.name = "schedule health",
     .usage = "ID... [OPTION]...",
     .summary = "Show whether a schedule is late or failing, and its warnings",
     .examples = "  belfry schedule health nightly\n",
     REQUEST(plain_options, .kind = "schedules", .tail = "/health", .print = print_health)},
    {.name = "schedule archive",
     .usage = "ID... [OPTION]...",
     .summary = "Close a schedule forever, keeping it and its history",
     .about = "An archived schedule cannot be triggered or edited, only deleted.  A schedule\n"
              "with open runs cannot be archived: pause it first, and wait until they end.\n",
     .examples = "  belfry schedule archive nightly\n",
     REQUEST(plain_options, .method = "POST", .kind = "schedules", .tail = "/archive",
             .done = "archived", .print_done = print_schedule_done)},
    {.name = "schedule release",
     .usage = "ID... [OPTION]...",
     .summary = "Release a schedule from quarantine",
     .about = "A schedule is quarantined if its program was the only one that ran when its\n"
              "server died, three times for one run.  Correct the program first.\n",
     .examples = "  belfry schedule release nightly\n",
     REQUEST(plain_options, .method = "POST", .kind = "schedules", .tail = "/release",
             .done = "released", .print_done = print_schedule_done)},
    {.name = "schedule reset-failures",
     .usage = "ID... [OPTION]...",
     .summary = "Reset the count of consecutive failures",
     .examples = "  belfry schedule reset-failures nightly\n",
     REQUEST(plain_options, .method = "POST", .kind = "schedules", .tail = "/reset-failures",
             .done = "failure count reset", .print_done = print_schedule_done)},
};

const struct command_group schedule_group = {
    "schedule", "Create, show, change, run and explain schedules", FIELDS(commands)};
