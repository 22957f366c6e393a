/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry run ...`: the table of commands.
 */
#include "cli/frame/commands.h"
#include "cli/remote/run_commands.h"
#include "cli/remote/schedule_view.h"

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

/* The answer does not show whether a worker still has the run. */
#define CANCELLED "cancelled; a worker that has the run is asked to stop"

static const struct command commands[] = {
    {.name = "run list",
     .usage = "[OPTION]...",
     .summary = "List runs, newest first",
     .examples = "  belfry run list --schedule nightly --outcome failed\n"
                 "  belfry run list --state open --all -o name\n",
     LISTER(list_rows, .kind = "runs", .list = {.view = &run_view, FILTERS(run_filters)})},
    {.name = "run get",
     .usage = "RUN... [OPTION]...",
     .summary = "Show a run",
     .about = "-o json also prints its attempts.\n",
     .examples = "  belfry run get r_0cm4w425a02011t4kqavj0\n",
     REQUEST(plain_options, .kind = "runs", .view = &run_view)},
    {.name = "run logs",
     .usage = "RUN [OPTION]...",
     .summary = "Show the log of a run",
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
     .examples = "  belfry run retry r_0cm4w425a02011t4kqavj0\n",
     REQUEST(plain_options, .method = "POST", .kind = "runs", .tail = "/retry",
             .view = &run_view, .done = "retried", .starts_run = true)},
    {.name = "run approve",
     .usage = "RUN... [OPTION]...",
     .summary = "Start a run that waits for approval",
     .examples = "  belfry run list --state approval\n"
                 "  belfry run approve r_0cm4w425a02011t4kqavj0 --reason 'looked at it'\n",
     REQUEST(reason_rows, .method = "POST", .kind = "runs", .tail = "/approve",
             PARTS(reason_parts), .done = "approved")},
    {.name = "run reject",
     .usage = "RUN... [OPTION]...",
     .summary = "Reject a run that waits for approval",
     .examples = "  belfry run reject r_0cm4w425a02011t4kqavj0 --reason 'not today'\n",
     REQUEST(reason_rows, .method = "POST", .kind = "runs", .tail = "/reject",
             PARTS(reason_parts), .done = "rejected")},
};

const struct command_group run_group = {"run", "List, show, cancel, retry and approve runs",
                                        FIELDS(commands)};
