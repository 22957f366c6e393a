/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the results of schedule commands as text.
 */
#include "cli/remote/schedule_view.h"

static void print_time(const json_t *value, const struct when *when, struct printer *out)
{
    static const struct field field = {"", "t", SHAPE_BOTH, false, NULL};
    json_auto_t *object = json_new_object();
    char text[VIEW_TEXT_MAX] = "";
    struct buf shown = BUF(text);

    json_put(object, "t", json_incref((json_t *)(uintptr_t)value));
    field_text(&field, object, when, &shown);
    printer_safe(out, buf_as_str(&shown));
}

static void print_lines(const json_t *list, const char *before, struct printer *out)
{
    const json_t *line;
    size_t i;

    json_array_foreach(list, i, line)
    {
        printer_text(out, before);
        printer_safe(out, str_of(json_string_value(line)));
        printer_text(out, "\n");
    }
}

/* Prints why no run is planned, if the server gave a reason. */
static void print_reason(const char *reason, struct printer *out)
{
    if (reason[0] == '\0')
        return;
    printer_text(out, ": ");
    printer_safe(out, str_of(reason));
}

void print_schedule_done(const char *done, const json_t *schedule, const struct when *when,
                         struct printer *out)
{
    const json_t *next = member_at(schedule, "state.nextAt");
    const json_t *until = member_at(schedule, "state.pausedUntil");

    printer_safe(out, str_of(member_text(schedule, "id")));
    printer_printf(out, ": %s", done);
    if (until) {
        printer_text(out, " until ");
        print_time(until, when, out);
    } else if (next) {
        printer_text(out, "; next run ");
        print_time(next, when, out);
    } else if (strcmp(member_text(schedule, "state.status"), "active") == 0) {
        bool is_open = json_integer_value(member_at(schedule, "state.open")) > 0;

        printer_text(out, is_open ? "; a run is open, no further run is planned"
                                  : "; no run is planned");
        if (!is_open)
            print_reason(member_text(schedule, "state.noNextReason"), out);
    }
    printer_text(out, "\n");
    print_lines(member_at(schedule, "state.warnings"), "! ", out);
}

/* A note of the server about all times of the answer. */
static void print_note(const json_t *answer, struct printer *out)
{
    const char *note = member_text(answer, "note");

    if (note[0] == '\0')
        return;
    printer_text(out, "! ");
    printer_safe(out, str_of(note));
    printer_text(out, "\n");
}

void print_next(const json_t *answer, const char *name, const struct when *when,
                struct printer *out)
{
    static const struct field columns[] = {
        {"TIME", "due", SHAPE_TIME, false, NULL},
        {"RELATIVE", "due", SHAPE_AWAY, false, NULL},
        {"SOURCE", "source", SHAPE_TEXT, true, NULL},
    };
    static const struct view view = {"times", "slot", FIELDS(columns), NULL, 0};
    const json_t *times = json_object_get(answer, "times");

    if (json_array_size(times) > 0) {
        view_rows(&view, times, when, out);
    } else {
        printer_safe(out, str_of(name));
        printer_text(out, " has no planned runs");
        print_reason(member_text(answer, "noNextReason"), out);
        printer_text(out, "\n");
    }
    if (strcmp(member_text(answer, "later"), "dependsOnRuns") == 0)
        printer_text(out, "Later times depend on earlier runs.\n");
    print_note(answer, out);
}

void print_explained(const json_t *answer, const char *name, const struct when *when,
                     struct printer *out)
{
    static const struct field lines[] = {
        {"Previous slot", "previous", SHAPE_BOTH, false, NULL},
        {"Next slot", "next", SHAPE_BOTH, false, NULL},
    };
    static const struct view view = {"", "", FIELDS(lines), NULL, 0};
    const json_t *moment;
    size_t i;

    (void)name;
    json_array_foreach(json_object_get(answer, "moments"), i, moment)
    {
        const json_t *at = member_at(moment, "at");

        if (at) {
            printer_tint(out, TINT_STRONG);
            print_time(at, when, out);
            printer_tint(out, TINT_END);
            printer_text(out, "\n");
        }
        print_lines(json_object_get(moment, "sentences"), "  ", out);
        view_one(&view, moment, when, out);
    }
    print_note(answer, out);
}

void print_health(const json_t *answer, const char *name, const struct when *when,
                  struct printer *out)
{
    static const struct field lines[] = {
        {"Schedule", "schedule", SHAPE_TEXT, false, NULL},
        {"Health", "health", SHAPE_STATE, false, NULL},
        {"Late since", "lateSince", SHAPE_BOTH, false, NULL},
        {"Failing since", "failingSince", SHAPE_BOTH, false, NULL},
        {"Next run", "nextAt", SHAPE_BOTH, false, NULL},
        {"Last run", "lastRunAt", SHAPE_BOTH, false, NULL},
        {"Open runs", "open", SHAPE_TEXT, false, NULL},
        {"Waiting", "waiting", SHAPE_TEXT, false, NULL},
        {"Consecutive failures", "failures", SHAPE_TEXT, false, NULL},
        {"Recent runs", "runs", SHAPE_TEXT, false, NULL},
        {"Succeeded", "succeeded", SHAPE_TEXT, false, NULL},
        {"Failed", "failed", SHAPE_TEXT, false, NULL},
    };
    static const struct view view = {"", "schedule", FIELDS(lines), NULL, 0};

    (void)name;
    view_one(&view, answer, when, out);
    print_lines(json_object_get(answer, "warnings"), "! ", out);
    print_note(answer, out);
}

void print_hint(const json_t *answer, const char *name, const struct when *when,
                struct printer *out)
{
    static const struct field lines[] = {
        {"Schedule", "id", SHAPE_TEXT, false, NULL},
        {"Interval", "governor.hint.interval", SHAPE_TEXT, false, NULL},
        {"At", "governor.hint.at", SHAPE_BOTH, false, NULL},
        {"Expires", "governor.hint.expires", SHAPE_BOTH, false, NULL},
        {"Reason", "governor.hint.reason", SHAPE_TEXT, false, NULL},
        {"Next run", "state.nextAt", SHAPE_BOTH, false, NULL},
        {"Decided by", "state.nextSource", SHAPE_TEXT, false, NULL},
    };
    static const struct view view = {"", "id", FIELDS(lines), NULL, 0};

    if (!member_at(answer, "governor.hint.expires")) {
        printer_safe(out, str_of(name));
        printer_text(out, member_at(answer, "governor")
                              ? ": no hint\n"
                              : ": no hint; the schedule has no governor\n");
        return;
    }
    view_one(&view, answer, when, out);
    print_lines(member_at(answer, "state.warnings"), "! ", out);
}

void print_preview(const json_t *answer, const char *name, const struct when *when,
                   struct printer *out)
{
    static const struct field columns[] = {
        {"TIME", "due", SHAPE_TIME, false, NULL},
        {"RELATIVE", "due", SHAPE_AWAY, false, NULL},
    };
    static const struct view view = {"next", "slot", FIELDS(columns), NULL, 0};

    (void)name;
    printer_safe(out, str_of(member_text(answer, "description")));
    printer_printf(out, "\nabout %lld per day, time zone ",
                   (long long)json_integer_value(json_object_get(answer, "perDay")));
    printer_safe(out, str_of(member_text(answer, "timezone")));
    printer_text(out, "\n");
    view_rows(&view, json_object_get(answer, "next"), when, out);
    print_lines(json_object_get(answer, "warnings"), "! ", out);
}
