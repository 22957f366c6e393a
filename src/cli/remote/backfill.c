/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry schedule backfill` and `belfry backfill ...`: start, list, watch and stop backfills.
 */
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>

#include "cli/frame/commands.h"
#include "cli/frame/confirm.h"
#include "cli/frame/progress.h"
#include "cli/frame/report.h"
#include "cli/remote/run_wait.h"
#include "cli/remote/schedule_commands.h"
#include "io/clock.h"

enum { TAIL_MAX = 64 };

/* A list of the backfills of one schedule omits the first column. */
static const struct field backfill_columns[] = {
    {"SCHEDULE", "schedule", SHAPE_TEXT, false, NULL},
    {"ID", "id", SHAPE_NUMBER, false, NULL},
    {"STATE", "state", SHAPE_STATE, false, NULL},
    {"FROM", "from", SHAPE_TIME, false, NULL},
    {"TO", "to", SHAPE_TIME, false, NULL},
    {"ONLY", "only", SHAPE_TEXT, false, NULL},
    {"SLOTS", "slots", SHAPE_NUMBER, false, NULL},
    {"STARTED", "started", SHAPE_NUMBER, false, NULL},
    {"SKIPPED", "skipped", SHAPE_NUMBER, false, NULL},
    {"BUFFERED", "buffered", SHAPE_NUMBER, false, NULL},
    {"SUCCEEDED", "succeeded", SHAPE_NUMBER, false, NULL},
    {"FAILED", "failed", SHAPE_NUMBER, false, NULL},
    {"CANCELLED", "cancelled", SHAPE_NUMBER, false, NULL},
};

static const struct field backfill_lines[] = {
    {"Backfill", "id", SHAPE_TEXT, false, NULL},
    {"Schedule", "schedule", SHAPE_TEXT, false, NULL},
    {"State", "state", SHAPE_STATE, false, NULL},
    {"From", "from", SHAPE_TIME, false, NULL},
    {"To", "to", SHAPE_TIME, false, NULL},
    {"Overlap", "overlap", SHAPE_TEXT, false, NULL},
    {"Only", "only", SHAPE_TEXT, false, NULL},
    {"Slots", "slots", SHAPE_TEXT, false, NULL},
    {"Pending", "pending", SHAPE_TEXT, false, NULL},
    {"Started", "started", SHAPE_TEXT, false, NULL},
    {"Skipped", "skipped", SHAPE_TEXT, false, NULL},
    {"Buffered", "buffered", SHAPE_TEXT, false, NULL},
    {"Open", "open", SHAPE_TEXT, false, NULL},
    {"Succeeded", "succeeded", SHAPE_TEXT, false, NULL},
    {"Failed", "failed", SHAPE_TEXT, false, NULL},
    {"Cancelled", "cancelled", SHAPE_TEXT, false, NULL},
    {"Stopped", "stopped", SHAPE_TEXT, false, NULL},
    {"Expired", "expired", SHAPE_TEXT, false, NULL},
    {"Created", "createdAt", SHAPE_BOTH, false, NULL},
    {"Created by", "createdBy", SHAPE_TEXT, false, NULL},
    {"Ended", "endedAt", SHAPE_BOTH, false, NULL},
};

#define WITHOUT_FIRST(array) (array) + 1, sizeof(array) / sizeof(array)[0] - 1
static const struct view backfill_view = {"backfills", "id", WITHOUT_FIRST(backfill_columns),
                                          FIELDS(backfill_lines)};
static const struct view all_schedules_view = {
    "backfills", "schedule id", FIELDS(backfill_columns), FIELDS(backfill_lines)};

static int64_t number_of(const json_t *object, const char *name)
{
    return json_integer_value(json_object_get(object, name));
}

/* GET, or POST if `verb` is set: /schedules/SCHEDULE/backfills/ID and "/VERB". */
static int call_backfill(struct remote *remote, const char *schedule, const char *id,
                         const char *verb, struct remote_answer *ret)
{
    char path[REMOTE_PATH_MAX], tail[TAIL_MAX];
    struct buf out = BUF(path);
    struct remote_request request = {.method = verb ? "POST" : NULL, .path = path};

    if (snprintf(tail, sizeof tail, "/backfills/%s%s%s", id, verb ? "/" : "",
                 verb ? verb : "") >= TAIL_MAX) {
        report_note(
            "invalid backfill \"%.20s\"; use the number that `belfry backfill list` prints",
            id);
        return STATUS_USAGE;
    }
    path_object(&out, "schedules", schedule, tail);
    return remote_call(remote, &request, ret);
}

/* ---- watch ---- */

static void print_ended(const json_t *answer, const char *name, const struct when *when,
                        struct printer *out)
{
    (void)when;
    printer_safe(out, str_of(name));
    printer_printf(out,
                   ": backfill %" PRId64 " %s: %" PRId64 " started, %" PRId64
                   " skipped; %" PRId64 " succeeded, %" PRId64 " failed, %" PRId64
                   " cancelled\n",
                   number_of(answer, "id"),
                   json_is_true(json_object_get(answer, "stopped")) ? "stopped" : "ended",
                   number_of(answer, "started"), number_of(answer, "skipped"),
                   number_of(answer, "succeeded"), number_of(answer, "failed"),
                   number_of(answer, "cancelled"));
    if (json_is_true(json_object_get(answer, "expired")))
        printer_text(out, "Slots whose record was deleted meanwhile were left out.\n");
}

/* Waits for the end of a backfill and prints it; STATUS_OK only if all runs succeeded. */
static int watch_backfill(struct remote *remote, const char *schedule, const char *id)
{
    static const struct request_command ended = {.print = print_ended, .view = &backfill_view};
    struct progress progress;
    struct remote_answer answer = {0};
    int status;

    progress_open(&progress, "Backfill");
    for (;;) {
        int64_t done;

        status = call_backfill(remote, schedule, id, NULL, &answer);
        if (status != STATUS_OK)
            break;
        done = number_of(answer.json, "skipped") + number_of(answer.json, "succeeded") +
               number_of(answer.json, "failed") + number_of(answer.json, "cancelled");
        progress_show(&progress, done, number_of(answer.json, "slots"));
        if (strcmp(member_text(answer.json, "state"), "ended") == 0)
            break;
        answer_free(&answer);
        poll(NULL, 0, WAIT_POLL_MS);
    }
    progress_close(&progress);
    if (status != STATUS_OK)
        return status;
    status = request_command_print(remote, &ended, &answer, schedule);
    if (status == STATUS_OK &&
        (number_of(answer.json, "skipped") > 0 || number_of(answer.json, "failed") > 0 ||
         number_of(answer.json, "cancelled") > 0 ||
         json_is_true(json_object_get(answer.json, "expired"))))
        status = STATUS_RUN_FAILED;
    answer_free(&answer);
    return status;
}

/* ---- start ---- */

static void print_dry(const json_t *answer, const char *name, const struct when *when,
                      struct printer *out)
{
    static const struct field columns[] = {
        {"FIRST", "first", SHAPE_TIME, false, NULL},
        {"LAST", "last", SHAPE_TIME, false, NULL},
        {"RUNS", "count", SHAPE_NUMBER, false, NULL},
    };
    static const struct view view = {"ranges", "", FIELDS(columns), NULL, 0};
    int64_t count = number_of(answer, "count");

    printer_safe(out, str_of(name));
    printer_printf(out, ": %s%" PRId64 " run%s\n",
                   json_is_true(json_object_get(answer, "more")) ? "more than " : "", count,
                   count == 1 ? "" : "s");
    view_rows(&view, json_object_get(answer, "ranges"), when, out);
}

static const json_t *first_range(const json_t *answer)
{
    return json_array_get(json_object_get(answer, "ranges"), 0);
}

static void print_started(const json_t *answer, const char *name, const struct when *when,
                          struct printer *out)
{
    (void)when;
    printer_safe(out, str_of(name));
    printer_printf(out,
                   ": backfill %" PRId64 " of %" PRId64 " slot%s: %" PRId64 " started, %" PRId64
                   " skipped, %" PRId64 " buffered so far\n",
                   number_of(first_range(answer), "id"), number_of(answer, "count"),
                   number_of(answer, "count") == 1 ? "" : "s", number_of(answer, "started"),
                   number_of(answer, "skipped"), number_of(answer, "buffered"));
}

static int post_backfill(struct remote *remote, const char *schedule, const json_t *body,
                         struct remote_answer *ret)
{
    char path[REMOTE_PATH_MAX];
    struct buf out = BUF(path);
    struct remote_request request = {.method = "POST",
                                     .path = path,
                                     .body = body,
                                     .only_reads = json_is_true(member_at(body, "dryRun"))};

    path_object(&out, "schedules", schedule, "/backfill");
    return remote_call(remote, &request, ret);
}

static int start_backfill(struct remote *remote, const struct args *args, json_t *body)
{
    static const struct request_command started = {.print = print_started};
    const char *schedule = args->operand[0];
    struct remote_answer answer;
    char id[TAIL_MAX];
    int64_t skipped;
    int status;

    json_object_del(body, "dryRun");
    status = post_backfill(remote, schedule, body, &answer);
    if (status != STATUS_OK)
        return status;
    snprintf(id, sizeof id, "%" PRId64, number_of(first_range(answer.json), "id"));
    skipped = number_of(answer.json, "skipped");
    if (!args->value[BACKFILL_WAIT])
        status = request_command_print(remote, &started, &answer, schedule);
    answer_free(&answer);
    if (args->value[BACKFILL_WAIT])
        return watch_backfill(remote, schedule, id);
    if (status == STATUS_OK && skipped > 0) {
        report_note("%s: overlap skipped %" PRId64 " slot%s", schedule, skipped,
                    skipped == 1 ? "" : "s");
        status = STATUS_LATER;
    }
    return status;
}

int backfill_call(struct remote *remote, const struct args *args)
{
    static const struct request_command dry = {.print = print_dry};
    const char *schedule = args->operand[0];
    json_auto_t *body = body_from_options(args);
    struct remote_answer answer;
    int64_t count;
    int status;

    if (!body)
        return STATUS_USAGE;
    if (!args->value[BACKFILL_FROM]) {
        struct err err;

        err_set(&err, RC_INVALID, -1, 0, "missing option: --from TIME");
        return report_usage(&err, "schedule backfill");
    }
    if (!args->value[BACKFILL_TO]) {
        char now[INSTANT_TEXT_MAX];
        struct buf out = BUF(now);

        instant_format_ms(clock_now(), &out);
        json_put(body, "to", json_new_str(buf_as_str(&out)));
    }
    json_put(body, "dryRun", json_true());
    status = post_backfill(remote, schedule, body, &answer);
    if (status != STATUS_OK)
        return status;
    count = number_of(answer.json, "count");
    if (args->value[BACKFILL_DRY_RUN])
        status = request_command_print(remote, &dry, &answer, schedule);
    else if (count == 0)
        report_note("%s has no %sslots in that range", schedule,
                    strcmp(member_text(answer.json, "only"), "missed") == 0 ? "missed " : "");
    else if (!args->value[BACKFILL_YES])
        status = confirm("Start %" PRId64 " run%s of %s?", count, count == 1 ? "" : "s",
                         schedule);
    answer_free(&answer);
    if (status != STATUS_OK || count == 0 || args->value[BACKFILL_DRY_RUN])
        return status;
    return start_backfill(remote, args, body);
}

/* ---- get, watch, stop ---- */

static int get_call(struct remote *remote, const struct args *args)
{
    static const struct request_command desc = {.view = &backfill_view};
    struct remote_answer answer;
    int status = call_backfill(remote, args->operand[0], args->operand[1], NULL, &answer);

    if (status != STATUS_OK)
        return status;
    status = request_command_print(remote, &desc, &answer, args->operand[1]);
    answer_free(&answer);
    return status;
}

static int watch_call(struct remote *remote, const struct args *args)
{
    return watch_backfill(remote, args->operand[0], args->operand[1]);
}

static void print_stopped(const json_t *answer, const char *name, const struct when *when,
                          struct printer *out)
{
    (void)when;
    printer_safe(out, str_of(name));
    printer_printf(out,
                   ": backfill %" PRId64 " stopped: %" PRId64 " cancelled, %" PRId64
                   " run%s still open\n",
                   number_of(answer, "id"), number_of(answer, "cancelled"),
                   number_of(answer, "open"), number_of(answer, "open") == 1 ? "" : "s");
}

static int stop_call(struct remote *remote, const struct args *args)
{
    static const struct request_command desc = {.print = print_stopped, .view = &backfill_view};
    struct remote_answer answer;
    int status = call_backfill(remote, args->operand[0], args->operand[1], "stop", &answer);

    if (status != STATUS_OK)
        return status;
    status = request_command_print(remote, &desc, &answer, args->operand[0]);
    answer_free(&answer);
    return status;
}

/* ---- list ---- */

static const struct option list_rows[] = {
    REMOTE_OPTION_ROWS,
    LIST_OPTION_ROWS,
    {"state", '\0', "STATE", AS_TEXT("state"),
     "only backfills in this state: running or ended"},
};

static int list_call(struct remote *remote, const struct args *args)
{
    const struct view *view = args->operands > 0 ? &backfill_view : &all_schedules_view;
    char path[REMOTE_PATH_MAX];
    struct buf out = BUF(path);
    int status;

    if (args->operands > 0)
        path_object(&out, "schedules", args->operand[0], "/backfills");
    else
        buf_text(&out, "/api/v1/backfills");
    status = query_from_options(args, &out);
    if (status == STATUS_OK)
        status = path_check(&out);
    return status == STATUS_OK ? list_print(remote, args, view, path) : status;
}

#define SCHEDULE_AND_ID .counts_operands = true, .least = 2, .most = 2

static const struct command commands[] = {
    {.name = "backfill list",
     .usage = "[SCHEDULE] [OPTION]...",
     .summary = "List the backfills of a schedule or of all, newest first",
     .about = "Lists the backfills that are running and, for each schedule, the last 100 that\n"
              "have ended.  `belfry schedule backfill` starts a backfill.\n",
     .examples = "  belfry backfill list --state running\n"
                 "  belfry backfill list nightly\n",
     OPTIONS(list_rows),
     .counts_operands = true,
     .least = 0,
     .most = 1,
     CALLS(list_call)},
    {.name = "backfill get",
     .usage = "SCHEDULE ID [OPTION]...",
     .summary = "Show a backfill and its progress",
     .examples = "  belfry backfill get nightly 7\n",
     PLAIN,
     SCHEDULE_AND_ID,
     CALLS(get_call)},
    {.name = "backfill watch",
     .usage = "SCHEDULE ID [OPTION]...",
     .summary = "Wait for the end of a backfill",
     .about =
         "Shows a progress bar on a terminal.  The exit status is 0 if all runs succeeded,\n"
         "and 3 if some were skipped, failed or cancelled.\n",
     .examples = "  belfry backfill watch nightly 7\n",
     PLAIN,
     SCHEDULE_AND_ID,
     CALLS(watch_call)},
    {.name = "backfill stop",
     .usage = "SCHEDULE ID [OPTION]...",
     .summary = "Stop a backfill",
     .about = "It starts no more slots, and its runs that wait are cancelled.  Runs that have\n"
              "started continue.\n",
     .examples = "  belfry backfill stop nightly 7\n",
     PLAIN,
     SCHEDULE_AND_ID,
     CALLS(stop_call)},
};

const struct command_group backfill_group = {"backfill", "List, watch and stop backfills",
                                             FIELDS(commands)};
