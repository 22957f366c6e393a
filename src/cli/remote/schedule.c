/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry schedule ...`: the table.
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
    [OPT_SEARCH] = {"search", 'S', "TEXT", "id or description contains this"},
    [OPT_PREFIX] = {"prefix", '\0', "TEXT", "id begins with this"},
    [OPT_LABEL] = {"label", 'l', "KEY=VALUE", "has this label, or KEY with any value"},
    [OPT_STATUS] = {"status", '\0', "STATUS", "active, paused or closed"},
    [OPT_ACTION] = {"action", '\0', "TYPE", "http, exec, queue or workflow"},
    [OPT_QUEUE] = {"queue", 'q', "NAME", "works through this queue"},
    [OPT_SORT] = {"sort", '\0', "FIELD", "id, createdAt or updatedAt; -FIELD: downwards"},
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
    print_schedule("its failures are forgotten", answer, when, out);
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
    [OPT_REASON] = {"reason", 'r', "TEXT", "why, for those who see it paused"},
    [OPT_UNTIL] = {"until", 'u', "TIME", "resume by itself then: a time, or +2h"},
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
    [RESUME_DRY_RUN] = {"dry-run", '\0', NULL, "only say what it would do"},
    [RESUME_YES] = {"yes", 'y', NULL, "do not ask"},
};

/* ---- trigger, test, backfill, skip-next ---- */

enum trigger_option { OPT_INPUT = REMOTE_OPTIONS, OPT_OVERLAP, OPT_SCHEDULED, TRIGGER_COUNT };

static const struct option trigger_rows[TRIGGER_COUNT] = {
    REMOTE_OPTION_ROWS,
    [OPT_INPUT] = {"input", 'i', "JSON", "put over the schedule's own input; JSON, or @FILE"},
    [OPT_OVERLAP] = {"overlap", '\0', "POLICY", "instead of the schedule's own"},
    [OPT_SCHEDULED] = {"scheduled-time", '\0', "TIME", "the time that the run is told"},
};

static const struct option test_rows[] = {
    REMOTE_OPTION_ROWS,
    [OPT_INPUT] = {"input", 'i', "JSON", "put over the schedule's own input; JSON, or @FILE"},
};

static const struct part trigger_parts[] = {{OPT_INPUT, "input", PART_JSON},
                                            {OPT_OVERLAP, "overlap", PART_TEXT},
                                            {OPT_SCHEDULED, "scheduledTime", PART_TIME}};

static void print_triggered(const json_t *answer, const char *name, const struct when *when,
                            struct printer *out)
{
    (void)when;
    printer_safe(out, str_of(name));
    printer_printf(out, ": run %s\n", member_text(answer, "id"));
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
    [BACKFILL_FROM] = {"from", '\0', "TIME", "the first slot: a time, or -2h, -7d"},
    [BACKFILL_TO] = {"to", '\0', "TIME", "the last one; default now"},
    [BACKFILL_OVERLAP] = {"overlap", '\0', "POLICY", "instead of the schedule's own"},
    [BACKFILL_DRY_RUN] = {"dry-run", '\0', NULL, "only count the runs"},
    [BACKFILL_YES] = {"yes", 'y', NULL, "do not ask"},
    [BACKFILL_WAIT] = {"wait", 'w', NULL,
                       "wait, with a progress bar, until the schedule has no open run left"},
};

enum skip_option { OPT_COUNT = REMOTE_OPTIONS, SKIP_COUNT };

static const struct option skip_rows[SKIP_COUNT] = {
    REMOTE_OPTION_ROWS,
    [OPT_COUNT] = {"count", 'n', "N", "how many slots; default 1"},
};

static const struct part skip_parts[] = {{OPT_COUNT, "count", PART_NUMBER}};

static void print_skipped(const json_t *answer, const char *name, const struct when *when,
                          struct printer *out)
{
    static const struct field columns[] = {
        {"CANCELLED", "slot", SHAPE_TIME, false, NULL},
        {"AWAY", "slot", SHAPE_AWAY, false, NULL},
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
    [NEXT_COUNT] = {"count", 'n', "N", "how many times; default 10"},
    [NEXT_FROM] = {"from", '\0', "TIME", "not before"},
};

static const struct filter next_filters[] = {{NEXT_COUNT, "count", FILTER_TEXT},
                                             {NEXT_FROM, "from", FILTER_TIME}};

static const struct request_command next_request = {
    .kind = "schedules", .tail = "/next", FILTERS(next_filters), .print = print_next};

enum slots_option { SLOTS_FROM = LIST_OPTIONS, SLOTS_TO, SLOTS_OPTIONS };

static const struct option slots_rows[SLOTS_OPTIONS] = {
    REMOTE_OPTION_ROWS,
    LIST_OPTION_ROWS,
    [SLOTS_FROM] = {"from", '\0', "TIME", "the first: a time, or -2h; default a day ago"},
    [SLOTS_TO] = {"to", '\0', "TIME", "the last: a time, or +2h; default in a day"},
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
                    "the moment: 2026-11-16T02:30:00Z, or without its Z on the\n"
                    "schedule's own clock; default now"},
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
     .about =
         "Say when (--cron, --every, --daily, --at), what (--http, --queue, --workflow or\n"
         "--exec), and how.  A file of -f is a whole document as the API knows it, which\n"
         "the other options change.  Without ID one is made.\n",
     .examples =
         "  belfry schedule create nightly --cron '30 2 * * MON-FRI' --tz Europe/Berlin "
         "\\\n      --http https://example.com/report\n"
         "  belfry schedule create tick --every 15m --queue ticks --input '{\"n\":1}'\n"
         "  belfry schedule create tidy --daily 04:00 --exec -- /usr/bin/find /tmp/x "
         "-delete\n"
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
     .about = "With -o json the whole document, which `schedule create -f` and `apply` read.\n",
     .examples = "  belfry schedule get nightly\n"
                 "  belfry schedule get nightly -o json > nightly.json\n",
     PLAIN,
     SOME_NAMES,
     .arg = &get_request,
     .run = request_command_run},
    {.name = "schedule list",
     .usage = "[OPTION]...",
     .summary = "List schedules",
     .about = "A page of 100 by id, or all with --all.\n",
     .examples = "  belfry schedule list --status paused\n"
                 "  belfry schedule list -l team=billing --all -o name\n",
     OPTIONS(list_rows),
     NO_NAME,
     .arg = &list_lister,
     .run = lister_run},
    {.name = "schedule edit",
     .usage = "ID [OPTION]...",
     .summary = "Change a schedule in an editor",
     .about = "Opens the document in VISUAL, EDITOR or vi, and sends it when it was changed.\n"
              "When somebody else has changed the schedule in the meantime, or the server\n"
              "refuses the text, nothing is changed and the text is kept in a file.\n",
     .examples = "  belfry schedule edit nightly\n"
                 "  EDITOR='code --wait' belfry schedule edit nightly\n",
     PLAIN,
     ONE_NAME,
     .run = edit_run},
    {.name = "schedule delete",
     .usage = "ID... [OPTION]...",
     .summary = "Delete a schedule",
     .about = "What is open runs on; its history stays.\n",
     .examples = "  belfry schedule delete nightly\n",
     PLAIN,
     SOME_NAMES,
     .arg = &delete_request,
     .run = request_command_run},
    {.name = "schedule pause",
     .usage = "ID... [OPTION]...",
     .summary = "Pause a schedule, until a time or until it is resumed",
     .about = "Slots of the pause are recorded as missed.  Triggers and backfills still run.\n",
     .examples = "  belfry schedule pause nightly --reason 'database moves'\n"
                 "  belfry schedule pause nightly --until +2h\n",
     OPTIONS(pause_rows),
     SOME_NAMES,
     .arg = &pause_request,
     .run = request_command_run},
    {.name = "schedule resume",
     .usage = "ID... [OPTION]...",
     .summary = "Resume a schedule",
     .about = "Says first what becomes of the slots of the pause, and asks on a terminal.\n",
     .examples = "  belfry schedule resume nightly --dry-run\n"
                 "  belfry schedule resume nightly --yes\n",
     OPTIONS(resume_rows),
     SOME_NAMES,
     .run = resume_run},
    {.name = "schedule trigger",
     .usage = "ID... [OPTION]...",
     .summary = "Start a run of a schedule now",
     .about =
         "The schedule's overlap policy counts: where it is skip, as by default, and a run is\n"
         "open, none is started.  That is told, and the exit status is 75: later it may be.\n"
         "`--overlap allowAll` starts one beside it.\n",
     .examples = "  belfry schedule trigger nightly\n"
                 "  belfry schedule trigger nightly --input '{\"day\":\"2026-11-15\"}'\n",
     OPTIONS(trigger_rows),
     SOME_NAMES,
     .arg = &trigger_request,
     .run = request_command_run},
    {.name = "schedule test",
     .usage = "ID... [OPTION]...",
     .summary = "Run the action of a schedule once, leaving no trace on it",
     .about = "Neither its counters nor its last outcome change.\n",
     .examples = "  belfry schedule test nightly\n",
     OPTIONS(test_rows),
     SOME_NAMES,
     .arg = &test_request,
     .run = request_command_run},
    {.name = "schedule backfill",
     .usage = "ID --from TIME [--to TIME] [OPTION]...",
     .summary = "Run the slots of times that have passed",
     .about = "Counts the runs first, and asks on a terminal; elsewhere say --yes.\n",
     .examples = "  belfry schedule backfill nightly --from -7d --dry-run\n"
                 "  belfry schedule backfill nightly --from 2026-11-01T00:00:00Z --to "
                 "2026-11-08T00:00:00Z \\\n      --overlap bufferAll --yes --wait\n",
     OPTIONS(backfill_rows),
     ONE_NAME,
     .run = backfill_run},
    {.name = "schedule skip-next",
     .usage = "ID... [OPTION]...",
     .summary = "Cancel the next planned slots of a schedule",
     .about = "They are recorded as cancelled when their time comes.\n",
     .examples = "  belfry schedule skip-next nightly\n"
                 "  belfry schedule skip-next nightly --count 3\n",
     OPTIONS(skip_rows),
     SOME_NAMES,
     .arg = &skip_request,
     .run = request_command_run},
    {.name = "schedule next",
     .usage = "ID... [OPTION]...",
     .summary = "Show when a schedule will run",
     .about = "`belfry next EXPR` answers the same for an expression, without a server.\n",
     .examples = "  belfry schedule next nightly -n 3\n",
     OPTIONS(next_rows),
     SOME_NAMES,
     .arg = &next_request,
     .run = request_command_run},
    {.name = "schedule slots",
     .usage = "ID [OPTION]...",
     .summary = "Show what became of the slots of a schedule, and which are planned",
     .about =
         "Past and planned in one list, the earliest first.  Slots in a row that were left\n"
         "out alike are one line, with TO and COUNT, where their times cannot be told any\n"
         "more: the schedule was edited, or they hang on its runs.  RUN is the run of a\n"
         "slot, or the one that a planned slot will have; what was left out has none.\n",
     .examples = "  belfry schedule slots nightly --from -7d --to +1d\n",
     OPTIONS(slots_rows),
     ONE_NAME,
     .arg = &slots_lister,
     .run = lister_run},
    {.name = "schedule explain",
     .usage = "ID... [OPTION]...",
     .summary = "Say why a schedule did, did not, will or will not run at a moment",
     .about = "`belfry explain EXPR` answers for an expression, without a server.\n",
     .examples = "  belfry schedule explain nightly --at 2026-03-29T02:30:00\n",
     OPTIONS(explain_rows),
     SOME_NAMES,
     .arg = &explain_request,
     .run = request_command_run},
    {.name = "schedule health",
     .usage = "ID... [OPTION]...",
     .summary = "Show how a schedule is: late, failing, and what its owner should know",
     .about = "",
     .examples = "  belfry schedule health nightly\n",
     PLAIN,
     SOME_NAMES,
     .arg = &health_request,
     .run = request_command_run},
    {.name = "schedule archive",
     .usage = "ID... [OPTION]...",
     .summary = "Keep a schedule and its history, and never run it again",
     .about =
         "It takes no triggers and no edits any more; only deleting is left.  Refused while\n"
         "runs of it are open: pause it first, and wait for them.\n",
     .examples = "  belfry schedule archive nightly\n",
     PLAIN,
     SOME_NAMES,
     .arg = &archive_request,
     .run = request_command_run},
    {.name = "schedule reset-failures",
     .usage = "ID... [OPTION]...",
     .summary = "Forget the failures of a schedule",
     .about = "",
     .examples = "  belfry schedule reset-failures nightly\n",
     PLAIN,
     SOME_NAMES,
     .arg = &reset_request,
     .run = request_command_run},
};

const struct command_group schedule_group = {
    "schedule", "Create, show, change and explain schedules", FIELDS(commands)};
