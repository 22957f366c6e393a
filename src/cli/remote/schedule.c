/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry schedule ...`: the table of commands.
 */
#include "cli/frame/commands.h"
#include "cli/remote/schedule_commands.h"
#include "cli/remote/schedule_view.h"

/* ---- get, list ---- */

static const struct request_command get_request = {.kind = "schedules", .view = &schedule_view};

enum list_filter {
    OPT_SEARCH = LIST_OPTIONS,
    OPT_PREFIX,
    OPT_LABEL,
    OPT_STATUS,
    OPT_ACTION,
    OPT_QUEUE,
    OPT_SORT,
    LIST_COUNT
};

static const struct option list_rows[LIST_COUNT] = {
    REMOTE_OPTION_ROWS,
    LIST_OPTION_ROWS,
    [OPT_SEARCH] = {"search", 'S', "TEXT", "only ids or descriptions that contain TEXT"},
    [OPT_PREFIX] = {"prefix", '\0', "TEXT", "only ids that begin with TEXT"},
    [OPT_LABEL] = {"label", 'l', "KEY=VALUE", "only this label; KEY alone matches any value"},
    [OPT_STATUS] = {"status", '\0', "STATUS", "only this status: active, paused or closed"},
    [OPT_ACTION] = {"action", '\0', "TYPE", "only this action: http, exec, queue or workflow"},
    [OPT_QUEUE] = {"queue", 'q', "NAME", "only schedules that use this queue"},
    [OPT_SORT] = {"sort", '\0', "FIELD",
                  "sort by id, createdAt or updatedAt; -FIELD sorts in\n"
                  "descending order (default id)"},
};

static const struct filter schedule_filters[] = {
    {OPT_SEARCH, "search", FILTER_TEXT}, {OPT_PREFIX, "prefix", FILTER_TEXT},
    {OPT_LABEL, "label", FILTER_TEXT},   {OPT_STATUS, "status", FILTER_TEXT},
    {OPT_ACTION, "action", FILTER_TEXT}, {OPT_QUEUE, "queue", FILTER_TEXT},
    {OPT_SORT, "sort", FILTER_TEXT},
};

static const struct lister list_lister = {
    .kind = "schedules", .list = {.view = &schedule_view, FILTERS(schedule_filters)}};

/* ---- delete, pause ---- */

static void print_deleted(const json_t *answer, const char *name, const struct when *when,
                          struct printer *out)
{
    (void)answer;
    (void)when;
    printer_safe(out, str_of(name));
    printer_text(out, ": deleted\n");
}

static void print_paused(const json_t *answer, const char *name, const struct when *when,
                         struct printer *out)
{
    (void)name;
    print_schedule("paused", answer, when, out);
}

static void print_reset(const json_t *answer, const char *name, const struct when *when,
                        struct printer *out)
{
    (void)name;
    print_schedule("failure count reset", answer, when, out);
}

static void print_archived(const json_t *answer, const char *name, const struct when *when,
                           struct printer *out)
{
    (void)name;
    print_schedule("archived", answer, when, out);
}

enum pause_option { OPT_REASON = REMOTE_OPTIONS, OPT_UNTIL, PAUSE_COUNT };

static const struct option pause_rows[PAUSE_COUNT] = {
    REMOTE_OPTION_ROWS,
    [OPT_REASON] = {"reason", 'r', "TEXT", "reason, shown while the schedule is paused"},
    [OPT_UNTIL] = {"until", 'u', "TIME",
                   "resume automatically at TIME, such as +2h (default:\n"
                   "stay paused)"},
};

static const struct part pause_parts[] = {{OPT_REASON, "reason", PART_TEXT},
                                          {OPT_UNTIL, "until", PART_TIME}};

static const struct request_command delete_request = {
    .method = "DELETE", .kind = "schedules", .print = print_deleted};
static const struct request_command pause_request = {.method = "POST",
                                                     .kind = "schedules",
                                                     .tail = "/pause",
                                                     PARTS(pause_parts),
                                                     .print = print_paused};
static const struct request_command archive_request = {
    .method = "POST", .kind = "schedules", .tail = "/archive", .print = print_archived};
static const struct request_command reset_request = {
    .method = "POST", .kind = "schedules", .tail = "/reset-failures", .print = print_reset};

static const struct option resume_rows[RESUME_OPTION_COUNT] = {
    REMOTE_OPTION_ROWS,
    [RESUME_DRY_RUN] = {"dry-run", '\0', NULL, "print what would happen; change nothing"},
    [RESUME_YES] = {"yes", 'y', NULL, "do not ask for confirmation"},
};

/* ---- trigger, test, backfill, skip-next ---- */

enum trigger_option { OPT_INPUT = REMOTE_OPTIONS, OPT_OVERLAP, OPT_SCHEDULED, TRIGGER_COUNT };

static const struct option trigger_rows[TRIGGER_COUNT] = {
    REMOTE_OPTION_ROWS,
    [OPT_INPUT] = {"input", 'i', "JSON",
                   "input that is merged over the schedule's own; JSON or\n"
                   "@FILE"},
    [OPT_OVERLAP] = {"overlap", '\0', "POLICY",
                     "overlap policy for this run (default: the schedule's)"},
    [OPT_SCHEDULED] = {"scheduled-time", '\0', "TIME",
                       "scheduled time that the run reports (default now)"},
};

static const struct option test_rows[] = {
    REMOTE_OPTION_ROWS,
    [OPT_INPUT] = {"input", 'i', "JSON",
                   "input that is merged over the schedule's own; JSON or\n"
                   "@FILE"},
};

static const struct part trigger_parts[] = {{OPT_INPUT, "input", PART_JSON},
                                            {OPT_OVERLAP, "overlap", PART_TEXT},
                                            {OPT_SCHEDULED, "scheduledTime", PART_TIME}};

static void print_triggered(const json_t *answer, const char *name, const struct when *when,
                            struct printer *out)
{
    (void)when;
    printer_safe(out, str_of(name));
    printer_printf(out, ": created run %s\n", member_text(answer, "id"));
}

static const struct request_command trigger_request = {.method = "POST",
                                                       .kind = "schedules",
                                                       .tail = "/trigger",
                                                       PARTS(trigger_parts),
                                                       .view = &run_view,
                                                       .print = print_triggered,
                                                       .starts_run = true};
static const struct request_command test_request = {.method = "POST",
                                                    .kind = "schedules",
                                                    .tail = "/test",
                                                    .parts = trigger_parts,
                                                    .part_count = 1,
                                                    .view = &run_view,
                                                    .print = print_triggered};

static const struct option backfill_rows[BACKFILL_OPTION_COUNT] = {
    REMOTE_OPTION_ROWS,
    [BACKFILL_FROM] = {"from", '\0', "TIME", "start of the range, such as -7d (required)"},
    [BACKFILL_TO] = {"to", '\0', "TIME", "end of the range (default now)"},
    [BACKFILL_OVERLAP] = {"overlap", '\0', "POLICY",
                          "overlap policy of the runs (default: the schedule's)"},
    [BACKFILL_DRY_RUN] = {"dry-run", '\0', NULL, "count the runs; start nothing"},
    [BACKFILL_YES] = {"yes", 'y', NULL, "do not ask for confirmation"},
    [BACKFILL_WAIT] = {"wait", 'w', NULL,
                       "wait until the schedule has no open runs; shows a\n"
                       "progress bar"},
};

enum skip_option { OPT_COUNT = REMOTE_OPTIONS, SKIP_COUNT };

static const struct option skip_rows[SKIP_COUNT] = {
    REMOTE_OPTION_ROWS,
    [OPT_COUNT] = {"count", 'n', "N", "number of slots to cancel (default 1)"},
};

static const struct part skip_parts[] = {{OPT_COUNT, "count", PART_NUMBER}};

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

static const struct request_command skip_request = {.method = "POST",
                                                    .kind = "schedules",
                                                    .tail = "/skip-next",
                                                    PARTS(skip_parts),
                                                    .print = print_skipped};

/* ---- next, slots, explain, health ---- */

enum next_option { NEXT_COUNT = REMOTE_OPTIONS, NEXT_FROM, NEXT_OPTIONS };

static const struct option next_rows[NEXT_OPTIONS] = {
    REMOTE_OPTION_ROWS,
    [NEXT_COUNT] = {"count", 'n', "N", "number of times to print (default 10)"},
    [NEXT_FROM] = {"from", '\0', "TIME", "start of the list (default now)"},
};

static const struct filter next_filters[] = {{NEXT_COUNT, "count", FILTER_TEXT},
                                             {NEXT_FROM, "from", FILTER_TIME}};

static const struct request_command next_request = {
    .kind = "schedules", .tail = "/next", FILTERS(next_filters), .print = print_next};

enum slots_option { SLOTS_FROM = LIST_OPTIONS, SLOTS_TO, SLOTS_OPTIONS };

static const struct option slots_rows[SLOTS_OPTIONS] = {
    REMOTE_OPTION_ROWS,
    LIST_OPTION_ROWS,
    [SLOTS_FROM] = {"from", '\0', "TIME", "start of the range, such as -2h (default -1d)"},
    [SLOTS_TO] = {"to", '\0', "TIME", "end of the range, such as +2h (default +1d)"},
};

static const struct filter slots_filters[] = {{SLOTS_FROM, "from", FILTER_TIME},
                                              {SLOTS_TO, "to", FILTER_TIME}};

static const struct lister slots_lister = {
    .kind = "schedules",
    .tail = "/slots",
    .list = {.view = &slot_view, FILTERS(slots_filters)}};

enum explain_option { EXPLAIN_AT = REMOTE_OPTIONS, EXPLAIN_OPTIONS };

static const struct option explain_rows[EXPLAIN_OPTIONS] = {
    REMOTE_OPTION_ROWS,
    [EXPLAIN_AT] = {"at", '\0', "TIME",
                    "time to explain: 2026-11-16T02:30:00Z, or without the Z\n"
                    "in the schedule's time zone (default now)"},
};

static const struct filter explain_filters[] = {{EXPLAIN_AT, "at", FILTER_TEXT}};
static const struct request_command explain_request = {.kind = "schedules",
                                                       .tail = "/explain",
                                                       FILTERS(explain_filters),
                                                       .print = print_explained};
static const struct request_command health_request = {
    .kind = "schedules", .tail = "/health", .print = print_health};

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
     .options = create_options,
     .option_count = CREATE_OPTION_COUNT,
     .own_from = REMOTE_OPTIONS,
     .takes_program = true,
     .counts_operands = true,
     .most = 1,
     .run = create_run},
    {.name = "schedule get",
     .usage = "ID... [OPTION]...",
     .summary = "Show a schedule",
     .about =
         "-o json prints the whole schedule, which `schedule create -f` and `apply` read.\n",
     .examples = "  belfry schedule get nightly\n"
                 "  belfry schedule get nightly -o json > nightly.json\n",
     PLAIN,
     SOME_NAMES,
     .arg = &get_request,
     .run = request_command_run},
    {.name = "schedule list",
     .usage = "[OPTION]...",
     .summary = "List schedules",
     .about = "",
     .examples = "  belfry schedule list --status paused\n"
                 "  belfry schedule list -l team=billing --all -o name\n",
     OPTIONS(list_rows),
     NO_NAME,
     .arg = &list_lister,
     .run = lister_run},
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
     .run = edit_run},
    {.name = "schedule delete",
     .usage = "ID... [OPTION]...",
     .summary = "Delete a schedule",
     .about =
         "Runs in progress finish their attempt, waiting runs end.  The history is kept.\n",
     .examples = "  belfry schedule delete nightly\n",
     PLAIN,
     SOME_NAMES,
     .arg = &delete_request,
     .run = request_command_run},
    {.name = "schedule pause",
     .usage = "ID... [OPTION]...",
     .summary = "Pause a schedule, until a time or until it is resumed",
     .about = "Slots during the pause are recorded as missed.  Triggers and backfills still\n"
              "run.\n",
     .examples = "  belfry schedule pause nightly --reason 'database moves'\n"
                 "  belfry schedule pause nightly --until +2h\n",
     OPTIONS(pause_rows),
     SOME_NAMES,
     .arg = &pause_request,
     .run = request_command_run},
    {.name = "schedule resume",
     .usage = "ID... [OPTION]...",
     .summary = "Resume a schedule",
     .about = "First prints what happens to the slots of the pause and, on a terminal, asks\n"
              "for confirmation.\n",
     .examples = "  belfry schedule resume nightly --dry-run\n"
                 "  belfry schedule resume nightly --yes\n",
     OPTIONS(resume_rows),
     SOME_NAMES,
     .run = resume_run},
    {.name = "schedule trigger",
     .usage = "ID... [OPTION]...",
     .summary = "Start a run of a schedule now",
     .about =
         "The schedule's overlap policy applies.  With skip, the default, no run starts\n"
         "while another is open, and the exit status is 75; `--overlap allowAll` starts a\n"
         "run anyway.\n",
     .examples = "  belfry schedule trigger nightly\n"
                 "  belfry schedule trigger nightly --input '{\"day\":\"2026-11-15\"}'\n",
     OPTIONS(trigger_rows),
     SOME_NAMES,
     .arg = &trigger_request,
     .run = request_command_run},
    {.name = "schedule test",
     .usage = "ID... [OPTION]...",
     .summary = "Run the action of a schedule once as a test",
     .about = "The schedule's counters and last outcome do not change.\n",
     .examples = "  belfry schedule test nightly\n",
     OPTIONS(test_rows),
     SOME_NAMES,
     .arg = &test_request,
     .run = request_command_run},
    {.name = "schedule backfill",
     .usage = "ID --from TIME [--to TIME] [OPTION]...",
     .summary = "Run the slots of a time range in the past",
     .about =
         "First counts the runs and asks for confirmation; without a terminal use --yes.\n",
     .examples = "  belfry schedule backfill nightly --from -7d --dry-run\n"
                 "  belfry schedule backfill nightly --from 2026-11-01 --to 2026-11-08 \\\n"
                 "      --overlap bufferAll --yes --wait\n",
     OPTIONS(backfill_rows),
     ONE_NAME,
     .run = backfill_run},
    {.name = "schedule skip-next",
     .usage = "ID... [OPTION]...",
     .summary = "Cancel the next planned slots of a schedule",
     .about = "They are recorded as cancelled when they are due.\n",
     .examples = "  belfry schedule skip-next nightly\n"
                 "  belfry schedule skip-next nightly --count 3\n",
     OPTIONS(skip_rows),
     SOME_NAMES,
     .arg = &skip_request,
     .run = request_command_run},
    {.name = "schedule next",
     .usage = "ID... [OPTION]...",
     .summary = "Show when a schedule will run",
     .about = "`belfry next EXPR` does the same for an expression, without a server.\n",
     .examples = "  belfry schedule next nightly -n 3\n",
     OPTIONS(next_rows),
     SOME_NAMES,
     .arg = &next_request,
     .run = request_command_run},
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
     .run = lister_run},
    {.name = "schedule explain",
     .usage = "ID... [OPTION]...",
     .summary = "Explain why a schedule runs or does not run at a time",
     .about = "`belfry explain EXPR` does the same for an expression, without a server.\n",
     .examples = "  belfry schedule explain nightly --at 2026-03-29T02:30:00\n",
     OPTIONS(explain_rows),
     SOME_NAMES,
     .arg = &explain_request,
     .run = request_command_run},
    {.name = "schedule health",
     .usage = "ID... [OPTION]...",
     .summary = "Show whether a schedule is late or failing, and its warnings",
     .about = "",
     .examples = "  belfry schedule health nightly\n",
     PLAIN,
     SOME_NAMES,
     .arg = &health_request,
     .run = request_command_run},
    {.name = "schedule archive",
     .usage = "ID... [OPTION]...",
     .summary = "Close a schedule forever, keeping it and its history",
     .about = "An archived schedule cannot be triggered or edited, only deleted.  Fails while\n"
              "runs are open: pause the schedule first and wait until they end.\n",
     .examples = "  belfry schedule archive nightly\n",
     PLAIN,
     SOME_NAMES,
     .arg = &archive_request,
     .run = request_command_run},
    {.name = "schedule reset-failures",
     .usage = "ID... [OPTION]...",
     .summary = "Reset the count of consecutive failures",
     .about = "",
     .examples = "  belfry schedule reset-failures nightly\n",
     PLAIN,
     SOME_NAMES,
     .arg = &reset_request,
     .run = request_command_run},
};

const struct command_group schedule_group = {
    "schedule", "Create, show, change, run and explain schedules", FIELDS(commands)};
