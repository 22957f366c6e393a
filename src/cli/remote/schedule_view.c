/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns and lines that show schedules, runs and slots.
 */
#include "cli/remote/schedule_view.h"

#include <string.h>

enum { RECENT_WORDS = 5 }; /* runs that the line of a schedule names */

/* ---- schedules ---- */

/* Adds the strings of a list, or the strings in a member of its objects. */
static void add_texts(const json_t *list, const char *member, const char *before,
                      struct buf *out)
{
    const json_t *item;
    size_t i;

    json_array_foreach(list, i, item)
    {
        const json_t *text = json_is_object(item) ? json_object_get(item, member) : item;

        if (!json_is_string(text))
            continue;
        buf_text(out, out->len > 0 ? "; " : "");
        buf_text(out, before);
        buf_text(out, json_string_value(text));
    }
}

static void show_spec(const json_t *schedule, struct buf *out)
{
    const json_t *spec = json_object_get(schedule, "spec");
    size_t calendars = json_array_size(json_object_get(spec, "calendars"));

    add_texts(json_object_get(spec, "cron"), "expr", "", out);
    add_texts(json_object_get(spec, "intervals"), "every", "every ", out);
    add_texts(json_object_get(spec, "timesOfDay"), "", "at ", out);
    add_texts(json_object_get(spec, "at"), "", "once ", out);
    if (calendars > 0)
        buf_printf(out, "%s%zu calendar%s", out->len > 0 ? "; " : "", calendars,
                   calendars == 1 ? "" : "s");
    if (out->len == 0)
        buf_text(out, "only when triggered");
}

static void show_argv(const json_t *argv, struct buf *out)
{
    const json_t *word;
    size_t i;

    json_array_foreach(argv, i, word)
        buf_printf(out, " %s", json_is_string(word) ? json_string_value(word) : "");
}

static void show_action(const json_t *schedule, struct buf *out)
{
    const json_t *action = json_object_get(schedule, "action");
    const char *type = member_text(action, "type");

    buf_text(out, type);
    if (strcmp(type, "http") == 0)
        buf_printf(out, " %s %s", member_text(action, "method"), member_text(action, "url"));
    else if (strcmp(type, "exec") == 0)
        show_argv(json_object_get(action, "argv"), out);
    else if (strcmp(type, "queue") == 0)
        buf_printf(out, " %s", member_text(action, "queue"));
    else if (strcmp(type, "workflow") == 0)
        buf_printf(out, " %s", member_text(action, "name"));
}

static void show_retry(const json_t *schedule, struct buf *out)
{
    const json_t *retry = member_at(schedule, "policies.retry");
    int64_t attempts = json_integer_value(json_object_get(retry, "attempts"));

    if (attempts > 1)
        buf_printf(out, "%lld attempts, %s from %s to %s", (long long)attempts,
                   member_text(retry, "backoff"), member_text(retry, "delay"),
                   member_text(retry, "max"));
}

/* Words for the newest runs, and a sum of all: "failed, succeeded; 1 of 32 failed". */
static void show_recent(const json_t *schedule, struct buf *out)
{
    const char *recent = json_string_value(member_at(schedule, "state.recent"));
    int count = recent ? (int)strlen(recent) : 0, failures = 0;

    for (int i = 0; i < count; i++) {
        failures += recent[i] == 'f';
        if (i < RECENT_WORDS)
            buf_printf(out, "%s%s", i > 0 ? ", " : "",
                       recent[i] == 's'   ? "succeeded"
                       : recent[i] == 'f' ? "failed"
                                          : "other");
    }
    if (count > RECENT_WORDS)
        buf_text(out, ", ...");
    if (count > 0)
        buf_printf(out, "; %d of %d failed", failures, count);
}

static const struct field schedule_columns[] = {
    {"ID", "id", SHAPE_TEXT, true, NULL},
    {"STATUS", "state.status", SHAPE_STATE, false, NULL},
    {"NEXT", "state.nextAt", SHAPE_TIME, false, NULL},
    {"RELATIVE", "state.nextAt", SHAPE_AWAY, false, NULL},
    {"LAST", "state.lastOutcome", SHAPE_STATE, false, NULL},
    {"WHEN", NULL, SHAPE_TEXT, true, show_spec},
    {"ACTION", NULL, SHAPE_TEXT, true, show_action},
    {"DESCRIPTION", "description", SHAPE_TEXT, true, NULL},
};

static const struct field schedule_lines[] = {
    {"Schedule", "id", SHAPE_TEXT, false, NULL},
    {"Namespace", "namespace", SHAPE_TEXT, false, NULL},
    {"Description", "description", SHAPE_TEXT, false, NULL},
    {"Labels", "labels", SHAPE_TEXT, false, NULL},
    {"Status", "state.status", SHAPE_STATE, false, NULL},
    {"Pause reason", "state.pausedReason", SHAPE_TEXT, false, NULL},
    {"Paused until", "state.pausedUntil", SHAPE_BOTH, false, NULL},
    {"When", NULL, SHAPE_TEXT, false, show_spec},
    {"Time zone", "spec.timezone", SHAPE_TEXT, false, NULL},
    {"Action", NULL, SHAPE_TEXT, false, show_action},
    {"Input", "action.input", SHAPE_TEXT, false, NULL},
    {"Next run", "state.nextAt", SHAPE_BOTH, false, NULL},
    {"Last run", "state.lastRunAt", SHAPE_BOTH, false, NULL},
    {"Last outcome", "state.lastOutcome", SHAPE_STATE, false, NULL},
    {"Last success", "state.lastSuccessAt", SHAPE_BOTH, false, NULL},
    {"Last lateness", "state.lastLateness", SHAPE_TEXT, false, NULL},
    {"Recent runs", NULL, SHAPE_TEXT, false, show_recent},
    {"Last run ID", "state.lastRunId", SHAPE_TEXT, false, NULL},
    {"Open runs", "state.open", SHAPE_TEXT, false, NULL},
    {"Waiting", "state.waiting", SHAPE_TEXT, false, NULL},
    {"Consecutive failures", "state.failures", SHAPE_TEXT, false, NULL},
    {"Slots", "state.counters", SHAPE_TEXT, false, NULL},
    {"Overlap", "policies.overlap", SHAPE_TEXT, false, NULL},
    {"Catch-up", "policies.catchup.mode", SHAPE_TEXT, false, NULL},
    {"Retries", NULL, SHAPE_TEXT, false, show_retry},
    {"Version", "state.version", SHAPE_TEXT, false, NULL},
    {"Created", "state.createdAt", SHAPE_TIME, false, NULL},
    {"Updated", "state.updatedAt", SHAPE_TIME, false, NULL},
    {"Updated by", "state.updatedBy", SHAPE_TEXT, false, NULL},
};

const struct view schedule_view = {"schedules", "id", FIELDS(schedule_columns),
                                   FIELDS(schedule_lines)};

/* ---- runs and slots ---- */

static void show_state(const json_t *run, struct buf *out)
{
    const char *outcome = member_text(run, "outcome");

    buf_text(out, outcome[0] != '\0' ? outcome : member_text(run, "state"));
}

static void show_error(const json_t *run, struct buf *out)
{
    const char *code = member_text(run, "error.code"),
               *message = member_text(run, "error.message");

    buf_printf(out, "%s%s%s", code, code[0] != '\0' && message[0] != '\0' ? ": " : "", message);
}

static void show_duration(const json_t *run, struct buf *out)
{
    struct err err;
    instant from, to;

    if (instant_parse(str_of(member_text(run, "startedAt")), &from, &err) == RC_OK &&
        instant_parse(str_of(member_text(run, "endedAt")), &to, &err) == RC_OK && to >= from)
        duration_format(to - from, out);
}

static const struct field run_columns[] = {
    {"ID", "id", SHAPE_TEXT, false, NULL},
    {"SCHEDULE", "schedule", SHAPE_TEXT, true, NULL},
    {"KIND", "kind", SHAPE_TEXT, false, NULL},
    {"STATE", NULL, SHAPE_STATE, false, show_state},
    {"SLOT", "slot", SHAPE_TIME, false, NULL},
    {"ATTEMPT", "attempt", SHAPE_NUMBER, false, NULL},
    {"DURATION", NULL, SHAPE_TEXT, false, show_duration},
    {"ERROR", NULL, SHAPE_TEXT, true, show_error},
};

static const struct field run_lines[] = {
    {"Run", "id", SHAPE_TEXT, false, NULL},
    {"Schedule", "schedule", SHAPE_TEXT, false, NULL},
    {"Kind", "kind", SHAPE_TEXT, false, NULL},
    {"State", "state", SHAPE_STATE, false, NULL},
    {"Outcome", "outcome", SHAPE_STATE, false, NULL},
    {"Reason", "reason", SHAPE_TEXT, false, NULL},
    {"Error", NULL, SHAPE_TEXT, false, show_error},
    {"Slot", "slot", SHAPE_TIME, false, NULL},
    {"Due", "due", SHAPE_BOTH, false, NULL},
    {"Started", "startedAt", SHAPE_BOTH, false, NULL},
    {"Ended", "endedAt", SHAPE_BOTH, false, NULL},
    {"Duration", NULL, SHAPE_TEXT, false, show_duration},
    {"Attempt", "attempt", SHAPE_TEXT, false, NULL},
    {"Queue", "queue", SHAPE_TEXT, false, NULL},
    {"Worker", "worker", SHAPE_TEXT, false, NULL},
    {"Lease until", "leaseUntil", SHAPE_BOTH, false, NULL},
    {"Source", "source", SHAPE_TEXT, false, NULL},
    {"Input", "input", SHAPE_TEXT, false, NULL},
    {"Progress", "progress", SHAPE_TEXT, false, NULL},
    {"Result", "result", SHAPE_TEXT, false, NULL},
    {"Summary", "summary", SHAPE_TEXT, false, NULL},
};

const struct view run_view = {"runs", "id", FIELDS(run_columns), FIELDS(run_lines)};

static const struct field attempt_columns[] = {
    {"ATTEMPT", "attempt", SHAPE_NUMBER, false, NULL},
    {"OUTCOME", "outcome", SHAPE_STATE, false, NULL},
    {"REASON", "reason", SHAPE_TEXT, true, NULL},
    {"STARTED", "startedAt", SHAPE_TIME, false, NULL},
    {"DURATION", NULL, SHAPE_TEXT, false, show_duration},
    {"WORKER", "worker", SHAPE_TEXT, true, NULL},
    {"ERROR", NULL, SHAPE_TEXT, true, show_error},
};

static const struct view attempt_view = {"attempts", "attempt", FIELDS(attempt_columns), NULL,
                                         0};

void run_print(const json_t *run, const char *name, const struct when *when,
               struct printer *out)
{
    const json_t *attempts = json_object_get(run, "attempts");

    (void)name;
    view_one(&run_view, run, when, out);
    if (json_array_size(attempts) == 0)
        return;
    printer_text(out, "\nEnded attempts\n");
    view_rows(&attempt_view, attempts, when, out);
}

/* A slot with neither an outcome nor a run is in the future. */
static void show_outcome(const json_t *slot, struct buf *out)
{
    const char *outcome = member_text(slot, "outcome"), *run = member_text(slot, "run.outcome");

    if (run[0] == '\0')
        run = member_text(slot, "run.state");
    buf_text(out, run[0] != '\0' ? run : outcome[0] != '\0' ? outcome : "planned");
}

/* The run's id, also of a planned slot; empty for a slot that did not run. */
static void show_run(const json_t *slot, struct buf *out)
{
    if (json_is_object(json_object_get(slot, "run")) || member_text(slot, "outcome")[0] == '\0')
        buf_text(out, member_text(slot, "id"));
}

static const struct field slot_columns[] = {
    {"SLOT", "slot", SHAPE_TIME, false, NULL},
    {"RELATIVE", "slot", SHAPE_AWAY, false, NULL},
    {"TO", "last", SHAPE_TIME, false, NULL},
    {"COUNT", "count", SHAPE_NUMBER, false, NULL},
    {"OUTCOME", NULL, SHAPE_STATE, false, show_outcome},
    {"REASON", "reason", SHAPE_TEXT, true, NULL},
    {"RUN", NULL, SHAPE_TEXT, true, show_run},
};

const struct view slot_view = {"slots", "id", FIELDS(slot_columns), NULL, 0};
