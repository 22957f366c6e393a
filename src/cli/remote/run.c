/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry run ...`: the table of commands.
 */
#include "cli/frame/commands.h"
#include "cli/remote/run_commands.h"
#include "cli/remote/schedule_view.h"

static const struct request_command get_request = {.kind = "runs", .view = &run_view};

enum list_filter {
    OPT_SCHEDULE = LIST_OPTIONS,
    OPT_STATE,
    OPT_OUTCOME,
    OPT_QUEUE,
    OPT_KIND,
    OPT_FROM,
    OPT_TO,
    LIST_COUNT
};

static const struct option list_rows[LIST_COUNT] = {
    REMOTE_OPTION_ROWS,
    LIST_OPTION_ROWS,
    [OPT_SCHEDULE] = {"schedule", 'S', "ID", "only runs of this schedule"},
    [OPT_STATE] = {"state", '\0', "STATE",
                   "only runs in this state: held, approval, ready, leased,\n"
                   "running, backoff, open (not ended) or ended"},
    [OPT_OUTCOME] = {"outcome", '\0', "OUTCOME",
                     "only runs with this outcome: succeeded, failed,\n"
                     "timedOut, cancelled, terminated or unknown"},
    [OPT_QUEUE] = {"queue", 'q', "NAME", "only runs of this queue"},
    [OPT_KIND] = {"kind", '\0', "KIND",
                  "only runs of this kind: slot, trigger, backfill,\n"
                  "direct or test"},
    [OPT_FROM] = {"from", '\0', "TIME", "only runs at or after TIME, such as -2h"},
    [OPT_TO] = {"to", '\0', "TIME", "only runs before TIME"},
};

static const struct filter run_filters[] = {
    {OPT_SCHEDULE, "schedule", FILTER_TEXT},
    {OPT_STATE, "state", FILTER_TEXT},
    {OPT_OUTCOME, "outcome", FILTER_TEXT},
    {OPT_QUEUE, "queue", FILTER_TEXT},
    {OPT_KIND, "kind", FILTER_TEXT},
    {OPT_FROM, "from", FILTER_TIME},
    {OPT_TO, "to", FILTER_TIME},
};

static const struct lister list_lister = {.kind = "runs",
                                          .list = {.view = &run_view, FILTERS(run_filters)}};

static const struct option logs_rows[LOGS_OPTION_COUNT] = {
    REMOTE_OPTION_ROWS,
    [LOGS_FOLLOW] = {"follow", 'f', NULL, "print new lines until the run ends"},
    [LOGS_TIMES] = {"times", 't', NULL, "print the time of each line"},
};

enum reason_option { OPT_REASON = REMOTE_OPTIONS, REASON_COUNT };

static const struct option reason_rows[REASON_COUNT] = {
    REMOTE_OPTION_ROWS,
    [OPT_REASON] = {"reason", 'r', "TEXT", "reason, recorded with the run"},
};

static const struct part reason_parts[] = {{OPT_REASON, "reason", PART_TEXT}};

static void print_id(const char *done, const json_t *answer, const char *name,
                     struct printer *out)
{
    const char *id = member_text(answer, "id");

    printer_safe(out, str_of(name));
    printer_printf(out, ": %s", done);
    if (id[0] != '\0' && strcmp(id, name) != 0) {
        printer_text(out, " as ");
        printer_safe(out, str_of(id));
    }
    printer_text(out, "\n");
}

static void print_cancelled(const json_t *answer, const char *name, const struct when *when,
                            struct printer *out)
{
    (void)when;
    /* The answer does not show whether a worker still has the run. */
    print_id("cancelled; a worker that has the run is asked to stop", answer, name, out);
}

static void print_terminated(const json_t *answer, const char *name, const struct when *when,
                             struct printer *out)
{
    (void)when;
    print_id("terminated", answer, name, out);
}

static void print_retried(const json_t *answer, const char *name, const struct when *when,
                          struct printer *out)
{
    (void)when;
    print_id("retried", answer, name, out);
}

static void print_approved(const json_t *answer, const char *name, const struct when *when,
                           struct printer *out)
{
    (void)when;
    print_id("approved", answer, name, out);
}

static void print_rejected(const json_t *answer, const char *name, const struct when *when,
                           struct printer *out)
{
    (void)when;
    print_id("rejected", answer, name, out);
}

static const struct request_command cancel_request = {
    .method = "POST", .kind = "runs", .tail = "/cancel", .print = print_cancelled};
static const struct request_command terminate_request = {
    .method = "POST", .kind = "runs", .tail = "/terminate", .print = print_terminated};
static const struct request_command retry_request = {.method = "POST",
                                                     .kind = "runs",
                                                     .tail = "/retry",
                                                     .view = &run_view,
                                                     .print = print_retried,
                                                     .starts_run = true};
static const struct request_command approve_request = {.method = "POST",
                                                       .kind = "runs",
                                                       .tail = "/approve",
                                                       PARTS(reason_parts),
                                                       .print = print_approved};
static const struct request_command reject_request = {.method = "POST",
                                                      .kind = "runs",
                                                      .tail = "/reject",
                                                      PARTS(reason_parts),
                                                      .print = print_rejected};

static const struct command commands[] = {
    {.name = "run list",
     .usage = "[OPTION]...",
     .summary = "List runs, newest first",
     .about = "",
     .examples = "  belfry run list --schedule nightly --outcome failed\n"
                 "  belfry run list --state open --all -o name\n",
     OPTIONS(list_rows),
     NO_NAME,
     .arg = &list_lister,
     .run = lister_run},
    {.name = "run get",
     .usage = "RUN... [OPTION]...",
     .summary = "Show a run",
     .about = "-o json also prints its attempts.\n",
     .examples = "  belfry run get r_0cm4w425a02011t4kqavj0\n",
     PLAIN,
     SOME_NAMES,
     .arg = &get_request,
     .run = request_command_run},
    {.name = "run logs",
     .usage = "RUN [OPTION]...",
     .summary = "Show the log of a run",
     .about = "",
     .examples = "  belfry run logs r_0cm4w425a02011t4kqavj0 -f\n",
     OPTIONS(logs_rows),
     ONE_NAME,
     .run = logs_run},
    {.name = "run cancel",
     .usage = "RUN... [OPTION]...",
     .summary = "Cancel a run; its worker is asked to stop",
     .about = "A run that no worker has ends at once.  To cancel a planned slot, give the RUN\n"
              "that `schedule slots` shows; the slot is cancelled when it is due.\n",
     .examples = "  belfry run cancel r_0cm4w425a02011t4kqavj0\n",
     PLAIN,
     SOME_NAMES,
     .arg = &cancel_request,
     .run = request_command_run},
    {.name = "run terminate",
     .usage = "RUN... [OPTION]...",
     .summary = "End a run at once, without waiting for its worker",
     .about = "The worker learns of it later, and its report is ignored.\n",
     .examples = "  belfry run terminate r_0cm4w425a02011t4kqavj0\n",
     PLAIN,
     SOME_NAMES,
     .arg = &terminate_request,
     .run = request_command_run},
    {.name = "run retry",
     .usage = "RUN... [OPTION]...",
     .summary = "Start an ended run again",
     .about =
         "Creates a new run of the same slot with the same input.  The schedule's overlap\n"
         "policy applies: if it skips the run, the exit status is 75.\n",
     .examples = "  belfry run retry r_0cm4w425a02011t4kqavj0\n",
     PLAIN,
     SOME_NAMES,
     .arg = &retry_request,
     .run = request_command_run},
    {.name = "run approve",
     .usage = "RUN... [OPTION]...",
     .summary = "Start a run that waits for approval",
     .about = "",
     .examples = "  belfry run list --state approval\n"
                 "  belfry run approve r_0cm4w425a02011t4kqavj0 --reason 'looked at it'\n",
     OPTIONS(reason_rows),
     SOME_NAMES,
     .arg = &approve_request,
     .run = request_command_run},
    {.name = "run reject",
     .usage = "RUN... [OPTION]...",
     .summary = "Reject a run that waits for approval",
     .about = "",
     .examples = "  belfry run reject r_0cm4w425a02011t4kqavj0 --reason 'not today'\n",
     OPTIONS(reason_rows),
     SOME_NAMES,
     .arg = &reject_request,
     .run = request_command_run},
};

const struct command_group run_group = {"run", "List, show, cancel, retry and approve runs",
                                        FIELDS(commands)};
