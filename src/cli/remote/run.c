/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry run ...`: the table of commands.
 */
#include "cli/frame/commands.h"
#include "cli/remote/run_commands.h"
#include "cli/remote/schedule_view.h"

static const struct option list_rows[] = {
    REMOTE_OPTION_ROWS,
    LIST_OPTION_ROWS,
    {"schedule", 'S', "ID", AS_TEXT("schedule"), "only runs of this schedule"},
    {"state", '\0', "STATE", AS_TEXT("state"),
     "only runs in this state: held, approval, ready, leased,\n"
     "running, backoff, open (not ended) or ended"},
    {"outcome", '\0', "OUTCOME", AS_TEXT("outcome"),
     "only runs with this outcome: succeeded, failed,\n"
     "timedOut, cancelled, terminated or unknown"},
    {"queue", 'q', "NAME", AS_TEXT("queue"), "only runs of this queue"},
    {"kind", '\0', "KIND", AS_TEXT("kind"),
     "only runs of this kind: slot, trigger, backfill,\n"
     "direct or test"},
    {"from", '\0', "TIME", AS_TIME("from"), "only runs at or after TIME, such as -2h"},
    {"to", '\0', "TIME", AS_TIME("to"), "only runs before TIME"},
};

static const struct option logs_rows[LOGS_OPTION_COUNT] = {
    REMOTE_OPTION_ROWS,
    [LOGS_FOLLOW] = {"follow", 'f', NULL, NULL, "print new lines until the run ends"},
    [LOGS_TIMES] = {"times", 't', NULL, NULL, "print the time of each line"},
};

static const struct option retry_rows[] = {
    REMOTE_OPTION_ROWS,
    WAIT_OPTION_ROW,
};

static const struct option reason_rows[] = {
    REMOTE_OPTION_ROWS,
    {"reason", 'r', "TEXT", AS_TEXT("reason"), "reason, recorded with the run"},
};

/* The answer does not show whether a worker still has the run. */
#define CANCELLED "cancelled; a worker that has the run is asked to stop"

static const struct command commands[] = {
    {.name = "run list",
     .usage = "[OPTION]...",
     .summary = "List runs, newest first",
     .examples = "  belfry run list --schedule nightly --outcome failed\n"
                 "  belfry run list --state open --all -o name\n",
     LISTER(list_rows, .kind = "runs", .view = &run_view)},
    {.name = "run get",
     .usage = "RUN... [OPTION]...",
     .summary = "Show a run and its attempts",
     .examples = "  belfry run get r_0cm4w425a02011t4kqavj0\n",
     REQUEST(plain_options, .kind = "runs", .view = &run_view, .print = run_print)},
    {.name = "run logs",
     .usage = "RUN [OPTION]...",
     .summary = "Show the log of a run",
     .examples = "  belfry run logs r_0cm4w425a02011t4kqavj0 -f\n",
     OPTIONS(logs_rows),
     ONE_NAME,
     CALLS(logs_call)},
    {.name = "run cancel",
     .usage = "RUN... [OPTION]...",
     .summary = "Cancel a run; its worker is asked to stop",
     .about = "A run that no worker has ends at once.  To cancel a planned slot, give the RUN\n"
              "that `schedule slots` shows; the slot is cancelled when it is due.\n",
     .examples = "  belfry run cancel r_0cm4w425a02011t4kqavj0\n",
     REQUEST(plain_options, .method = "POST", .kind = "runs", .tail = "/cancel",
             .done = CANCELLED)},
    {.name = "run terminate",
     .usage = "RUN... [OPTION]...",
     .summary = "End a run at once, without waiting for its worker",
     .about = "The worker learns of it later, and its report is ignored.\n",
     .examples = "  belfry run terminate r_0cm4w425a02011t4kqavj0\n",
     REQUEST(plain_options, .method = "POST", .kind = "runs", .tail = "/terminate",
             .done = "terminated")},
    {.name = "run retry",
     .usage = "RUN... [OPTION]...",
     .summary = "Start an ended run again",
     .about =
         "Creates a new run of the same slot with the same input.  The schedule's overlap\n"
         "policy applies: if it skips the run, the exit status is 75.\n",
     .examples = "  belfry run retry r_0cm4w425a02011t4kqavj0 --wait\n",
     REQUEST(retry_rows, .method = "POST", .kind = "runs", .tail = "/retry", .view = &run_view,
             .done = "retried", .starts_run = true, .can_wait = true)},
    {.name = "run approve",
     .usage = "RUN... [OPTION]...",
     .summary = "Start a run that waits for approval",
     .examples = "  belfry run list --state approval\n"
                 "  belfry run approve r_0cm4w425a02011t4kqavj0 --reason 'looked at it'\n",
     REQUEST(reason_rows, .method = "POST", .kind = "runs", .tail = "/approve",
             .done = "approved")},
    {.name = "run reject",
     .usage = "RUN... [OPTION]...",
     .summary = "Reject a run that waits for approval",
     .examples = "  belfry run reject r_0cm4w425a02011t4kqavj0 --reason 'not today'\n",
     REQUEST(reason_rows, .method = "POST", .kind = "runs", .tail = "/reject",
             .done = "rejected")},
};

const struct command_group run_group = {"run", "List, show, cancel, retry and approve runs",
                                        FIELDS(commands)};
