/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry events`: lists recorded events; -f follows new ones.
 */

#include "cli/frame/commands.h"
#include "cli/frame/report.h"
#include "cli/remote/request_commands.h"

enum events_option {
    OPT_FOLLOW = REMOTE_OPTIONS,
    OPT_AFTER,
    OPT_LIMIT,
    OPT_ALL,
    OPT_TYPE,
    OPT_SCHEDULE,
    OPT_RUN,
    OPT_EVERYTHING,
    OPT_COUNT
};

enum { TYPES_MAX = 32, TYPE_MAX = 32, PAGES_MAX = 1000 * 1000 };

static const struct option options[OPT_COUNT] = {
    REMOTE_OPTION_ROWS,
    [OPT_FOLLOW] = {"follow", 'f', NULL, NULL, "print new events until interrupted"},
    [OPT_AFTER] = {"after", '\0', "ID", NULL,
                   "start after this event; `now` or `oldest` (default\n"
                   "oldest; with -f now)"},
    [OPT_LIMIT] = {"limit", '\0', "N", NULL,
                   "maximum number of events (default 100, maximum 1000);\n"
                   "-f exits after N events (default: no limit)"},
    [OPT_ALL] = {"all", 'a', NULL, NULL, "print all pages"},
    [OPT_TYPE] = {"type", 't', "TYPE", NULL,
                  "only this type, such as run.ended; may be repeated"},
    [OPT_SCHEDULE] = {"schedule", 'S', "ID", AS_TEXT("schedule"),
                      "only events of this schedule"},
    [OPT_RUN] = {"run", '\0', "ID", AS_TEXT("run"), "only events of this run"},
    [OPT_EVERYTHING] = {"everything", '\0', "[=BOOL]", AS_TEXT("everything"),
                        "events of all namespaces and of the server itself;\n"
                        "needs an admin of all namespaces (default false)"},
};

static const struct field columns[] = {
    {"TIME", "at", SHAPE_TIME, false, NULL},
    {"TYPE", "type", SHAPE_TEXT, false, NULL},
    {"SCHEDULE", "schedule", SHAPE_TEXT, true, NULL},
    {"RUN", "run", SHAPE_TEXT, false, NULL},
    {"OUTCOME", "outcome", SHAPE_STATE, false, NULL},
    {"REASON", "reason", SHAPE_TEXT, true, NULL},
    {"COUNT", "count", SHAPE_NUMBER, false, NULL},
};

static const struct view view = {"events", "id", FIELDS(columns), NULL, 0};

/* One event per line; without columns, since the width of later events is unknown. */
static void print_event(struct remote *remote, const json_t *event, struct printer *out)
{
    bool any = false;

    if (remote_output(remote) == OUTPUT_JSON) {
        print_json(out, event);
        return;
    }
    if (remote_output(remote) == OUTPUT_NAME) {
        printer_safe(out, str_of(member_text(event, "id")));
        printer_text(out, "\n");
        return;
    }
    for (int i = 0; i < view.column_count; i++) {
        char text[VIEW_TEXT_MAX] = "";
        struct buf cell = BUF(text);
        enum tint tint = field_text(&columns[i], event, remote_when(remote), &cell);

        if (cell.len == 0)
            continue;
        printer_text(out, any ? "  " : "");
        printer_tint(out, tint);
        printer_safe(out, buf_as_str(&cell));
        printer_tint(out, tint == TINT_NONE ? TINT_NONE : TINT_END);
        any = true;
    }
    printer_text(out, "\n");
}

/* ---- following ---- */

struct following {
    struct remote *remote;
    struct printer *out;
    int64_t remaining; /* events to print before the end; -1: no limit */
};

static bool on_event(void *arg, struct str id, struct str name, struct str data)
{
    struct following *f = arg;
    json_auto_t *event = json_loadb(data.ptr, data.len, 0, NULL);

    (void)id;
    if (str_eq(name, STR("begin")))
        return true;
    if (str_eq(name, STR("lost"))) {
        report_note("some requested events are no longer stored");
        return true;
    }
    if (json_is_object(event))
        print_event(f->remote, event, f->out);
    printer_flush(f->out);
    f->remaining -= f->remaining > 0;
    return f->remaining != 0 && !printer_has_failed(f->out);
}

/* ---- pages ---- */

static int get_page(struct remote *remote, const struct args *args, const char *query,
                    const char *after, struct remote_answer *ret)
{
    char path[REMOTE_PATH_MAX];
    struct buf out = BUF(path);
    struct remote_request request = {.path = path};
    const char *limit = args->value[OPT_LIMIT];
    int status;

    buf_text(&out, query);
    path_query(&out, "after", after);
    path_query(&out, "limit", !limit && args->value[OPT_ALL] ? "1000" : limit);
    status = path_check(&out);
    if (status == STATUS_OK)
        status = remote_call(remote, &request, ret);
    if (status == STATUS_OK && !json_is_array(json_object_get(ret->json, "events"))) {
        report_note("response from %s has no events; is it a Belfry server?",
                    remote_server(remote));
        answer_free(ret);
        status = STATUS_PROTOCOL;
    }
    return status;
}

static int print_pages(struct remote *remote, const struct args *args, const char *query,
                       struct printer *out)
{
    struct remote_answer page = {.status = 0};
    json_auto_t *events = json_new_list();
    const char *after = args->value[OPT_AFTER];
    bool goes_on = true, has_more = false;
    int status = STATUS_OK;

    for (int i = 0; i < PAGES_MAX && goes_on; i++) {
        struct remote_answer next;

        status = get_page(remote, args, query, after, &next);
        answer_free(&page);
        if (status != STATUS_OK)
            return status;
        page = next;
        json_array_extend(events, json_object_get(page.json, "events"));
        after = member_text(page.json, "cursor");
        has_more = json_is_true(json_object_get(page.json, "more"));
        goes_on = has_more && args->value[OPT_ALL];
    }
    if (remote_output(remote) == OUTPUT_JSON && !args->value[OPT_ALL]) {
        print_json_text(out, &page);
    } else if (remote_output(remote) == OUTPUT_JSON) {
        print_json(out, events);
    } else if (remote_output(remote) == OUTPUT_NAME) {
        json_t *event;
        size_t i;

        json_array_foreach(events, i, event) print_event(remote, event, out);
    } else {
        view_rows(&view, events, remote_when(remote), out);
        printer_flush(out); /* print the table before the note below */
        if (has_more)
            report_note("more events; use --all, or --after %s for the next page", after);
    }
    answer_free(&page);
    return STATUS_OK;
}

static int follow(struct remote *remote, const struct args *args, const char *path,
                  struct printer *out)
{
    struct following f = {.remote = remote, .out = out, .remaining = -1};
    struct str limit = str_of(args->value[OPT_LIMIT]);
    char query[REMOTE_PATH_MAX];
    struct buf full_path = BUF(query);
    int status;

    if (limit.ptr && (str_take_number(&limit, INT32_MAX, &f.remaining) == 0 || limit.len > 0 ||
                      f.remaining == 0)) {
        report_note("--limit must be a whole number of at least 1, not \"%.100s\"",
                    args->value[OPT_LIMIT]);
        return STATUS_USAGE;
    }
    buf_text(&full_path, path);
    path_query(&full_path, "after", args->value[OPT_AFTER]);
    status = path_check(&full_path);
    return status == STATUS_OK ? remote_stream(remote, query, on_event, &f) : status;
}

static int events_call(struct remote *remote, const struct args *args)
{
    const char *types[TYPES_MAX];
    int count = args_all(args, OPT_TYPE, types, TYPES_MAX), closed, status;
    char path[REMOTE_PATH_MAX], list[TYPES_MAX * TYPE_MAX];
    struct buf out = BUF(path), all = BUF(list);
    struct printer printer;

    for (int i = 0; i < count && i < TYPES_MAX; i++)
        buf_printf(&all, "%s%s", i > 0 ? "," : "", types[i]);
    if (count > TYPES_MAX || all.cut) {
        report_note(count > TYPES_MAX ? "--type may be given at most %d times"
                                      : "the types are too long; use at most %d",
                    TYPES_MAX);
        return STATUS_USAGE;
    }
    buf_text(&out, "/api/v1/events");
    path_query(&out, "type", count > 0 ? list : NULL);
    status = query_from_options(args, &out);
    if (status == STATUS_OK)
        status = path_check(&out);
    remote_printer(remote, &printer);
    if (status == STATUS_OK)
        status = args->value[OPT_FOLLOW] ? follow(remote, args, path, &printer)
                                         : print_pages(remote, args, path, &printer);
    closed = printer_close(&printer);
    return status != STATUS_OK ? status : closed;
}

const struct command events_command = {
    .name = "events",
    .usage = "[OPTION]...",
    .summary = "Show events; -f follows",
    .about = "The server stores events for a limited time and returns them in order.  -f\n"
             "reconnects when the connection breaks and continues after the last event; it\n"
             "reports events that the server no longer has.\n",
    .examples = "  belfry events -f\n"
                "  belfry events --type run.ended --type run.late --schedule nightly --all\n"
                "  belfry events -f -o json | jq -r .type\n",
    OPTIONS(options),
    NO_NAME,
    CALLS(events_call),
};
