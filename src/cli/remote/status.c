/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry status`: what runs, what needs attention and why.
 */
#include "cli/frame/commands.h"
#include "cli/frame/report.h"
#include "cli/remote/request_commands.h"

static const struct field state_lines[] = {
    {"Schedules", "tiles.total", SHAPE_TEXT, false, NULL},
    {"Running", "tiles.running", SHAPE_TEXT, false, NULL},
    {"Due within an hour", "tiles.dueNextHour", SHAPE_TEXT, false, NULL},
    {"Failed today", "tiles.failedToday", SHAPE_TEXT, false, NULL},
    {"Missed today", "tiles.missedToday", SHAPE_TEXT, false, NULL},
    {"Late", "tiles.late", SHAPE_TEXT, false, NULL},
    {"Paused", "tiles.paused", SHAPE_TEXT, false, NULL},
    {"Quarantined", "tiles.quarantined", SHAPE_TEXT, false, NULL},
    {"Waiting for approval", "tiles.waitingApproval", SHAPE_TEXT, false, NULL},
    {"Need attention", "attentionTotal", SHAPE_TEXT, false, NULL},
    {"Ledger", "balance.result", SHAPE_TEXT, false, NULL},
};

static const struct field attention_columns[] = {
    {"SCHEDULE", "schedule", SHAPE_TEXT, true, NULL},
    {"KIND", "kind", SHAPE_TEXT, false, NULL},
    {"REASON", "text", SHAPE_TEXT, true, NULL},
};

static const struct view state_view = {"attention", "schedule", FIELDS(attention_columns),
                                       FIELDS(state_lines)};

static void print_names(const json_t *attention, struct printer *out)
{
    const json_t *item;
    size_t i;

    json_array_foreach(attention, i, item)
    {
        const char *name = member_text(item, "schedule");

        if (name[0] == '\0')
            continue;
        printer_safe(out, str_of(name));
        printer_text(out, "\n");
    }
}

static int print_state(struct remote *remote, const struct remote_answer *answer)
{
    const json_t *attention = json_object_get(answer->json, "attention");
    struct printer out;

    remote_printer(remote, &out);
    if (remote_output(remote) == OUTPUT_JSON) {
        print_json_text(&out, answer);
    } else if (remote_output(remote) == OUTPUT_NAME) {
        print_names(attention, &out);
    } else {
        view_one(&state_view, answer->json, remote_when(remote), &out);
        if (json_array_size(attention) > 0) {
            printer_text(&out, "\n");
            view_rows(&state_view, attention, remote_when(remote), &out);
        }
    }
    return printer_close(&out);
}

/* Today, and the times in reasons, are those of the zone in which times are printed. */
static int status_call(struct remote *remote, const struct args *args)
{
    const struct when *when = remote_when(remote);
    char path[REMOTE_PATH_MAX];
    struct buf out = BUF(path);
    struct remote_request request = {.path = path};
    struct remote_answer answer;
    int status;

    (void)args;
    buf_text(&out, "/api/v1/overview");
    path_query(&out, "timezone", when->tz ? when->tz->name : NULL);
    status = remote_call(remote, &request, &answer);
    if (status != STATUS_OK)
        return status;
    status = print_state(remote, &answer);
    answer_free(&answer);
    return status;
}

const struct command status_command = {
    .name = "status",
    .usage = "[OPTION]...",
    .summary = "Show what runs and what needs attention",
    .about = "Lists at most 50 entries, the worst first.  -o name prints their schedules.\n",
    .examples = "  belfry status\n",
    PLAIN,
    NO_NAME,
    CALLS(status_call),
};
