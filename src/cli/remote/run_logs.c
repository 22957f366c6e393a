/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry run logs`: prints a run's log; -f follows it.
 */
#include <stdio.h>
#include <unistd.h>

#include "cli/frame/commands.h"
#include "cli/frame/report.h"
#include "cli/remote/run_commands.h"

enum { AFTER_TEXT_MAX = 24 };

static void print_line(const json_t *line, const struct args *args, struct remote *remote,
                       struct printer *out)
{
    const json_t *text = json_object_get(line, "text");

    if (remote_output(remote) == OUTPUT_JSON) {
        print_json(out, line);
        return;
    }
    if (args->value[LOGS_TIMES]) {
        static const struct field at = {"", "at", SHAPE_TIME, false, NULL};
        char time[WHEN_TEXT_MAX] = "";
        struct buf shown = BUF(time);

        field_text(&at, line, remote_when(remote), &shown);
        printer_tint(out, TINT_FAINT);
        printer_safe(out, buf_as_str(&shown));
        printer_tint(out, TINT_END);
        printer_text(out, " ");
    }
    printer_tint(out,
                 strcmp(member_text(line, "stream"), "stderr") == 0 ? TINT_WARN : TINT_NONE);
    /* A file or pipe gets the bytes that the program wrote, unescaped. */
    if (isatty(out->fd))
        printer_safe(out, str_of(json_string_value(text)));
    else
        printer_add(out, json_string_value(text), json_string_length(text));
    printer_tint(out, out->colours ? TINT_END : TINT_NONE);
    printer_text(out, "\n");
}

/* Prints one page of lines; *after becomes the start of the next page. */
static int print_page(struct remote *remote, const struct args *args, struct printer *out,
                      json_int_t *after, size_t *ret_count)
{
    char path[REMOTE_PATH_MAX], number[AFTER_TEXT_MAX];
    struct buf where = BUF(path);
    struct remote_request request = {.path = path};
    struct remote_answer answer;
    const json_t *lines, *line, *cursor;
    size_t i;
    int status;

    snprintf(number, sizeof number, "%lld", (long long)*after);
    path_object(&where, "runs", args->operand[0], "/logs");
    path_query(&where, "after", *after > 0 ? number : NULL);
    path_query(&where, "limit", "1000");
    status = remote_call(remote, &request, &answer);
    if (status != STATUS_OK)
        return status;
    lines = json_object_get(answer.json, "lines");
    json_array_foreach(lines, i, line) print_line(line, args, remote, out);
    *ret_count = json_array_size(lines);
    cursor = json_object_get(answer.json, "cursor");
    if (json_is_integer(cursor))
        *after = json_integer_value(cursor);
    if (json_is_true(json_object_get(answer.json, "truncated")) && *ret_count < 1000)
        report_note("the log is truncated: it exceeded the size that the server stores");
    answer_free(&answer);
    return STATUS_OK;
}

struct following {
    const struct args *args;
    struct remote *remote;
    struct printer *out;
};

static bool on_event(void *arg, struct str id, struct str name, struct str data)
{
    const struct following *f = arg;
    json_auto_t *line = json_loadb(data.ptr, data.len, 0, NULL);

    (void)id;
    if (str_eq(name, STR("end")))
        return false;
    if (json_is_object(line) && json_is_string(json_object_get(line, "text")))
        print_line(line, f->args, f->remote, f->out);
    printer_flush(f->out);
    return !printer_has_failed(f->out);
}

static int follow(struct remote *remote, const struct args *args, struct printer *out)
{
    struct following f = {args, remote, out};
    char path[REMOTE_PATH_MAX];
    struct buf where = BUF(path);

    path_object(&where, "runs", args->operand[0], "/logs");
    path_query(&where, "follow", "true");
    return remote_stream(remote, path, on_event, &f);
}

int logs_call(struct remote *remote, const struct args *args)
{
    struct printer out;
    json_int_t after = 0, before = -1;
    size_t count = 1;
    int closed, status = STATUS_OK;

    remote_printer(remote, &out);
    if (args->value[LOGS_FOLLOW])
        status = follow(remote, args, &out);
    while (!args->value[LOGS_FOLLOW] && status == STATUS_OK && count > 0 && after > before) {
        before = after;
        status = print_page(remote, args, &out, &after, &count);
        if (printer_has_failed(&out))
            break; /* nobody reads the rest */
    }
    closed = printer_close(&out);
    return status != STATUS_OK ? status : closed;
}
