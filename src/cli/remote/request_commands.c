/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the commands that a struct request_command or a struct lister describes, and reads the
 * options that become members of a request body.
 */
#include "cli/remote/request_commands.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/must.h"
#include "cli/frame/commands.h"
#include "cli/frame/report.h"
#include "io/clock.h"

const struct option plain_options[REMOTE_OPTIONS] = {REMOTE_OPTION_ROWS};
const struct option list_options[LIST_OPTIONS] = {REMOTE_OPTION_ROWS, LIST_OPTION_ROWS};

/* ---- option values ---- */

static char *read_stream(FILE *file, const char *path, size_t *ret_len)
{
    size_t len = 0, n;
    char *text = malloc(REMOTE_BODY_MAX + 2);

    must(text);
    while ((n = fread(text + len, 1, REMOTE_BODY_MAX + 1 - len, file)) > 0)
        len += n;
    if (len > REMOTE_BODY_MAX || ferror(file)) {
        if (ferror(file))
            report_note("cannot read %s: %s", path, strerror(errno));
        else
            report_note("%s exceeds %d bytes", path, REMOTE_BODY_MAX);
        free(text);
        return NULL;
    }
    text[len] = '\0';
    *ret_len = len;
    return text;
}

char *read_whole(const char *path, size_t *ret_len)
{
    bool is_input = strcmp(path, "-") == 0;
    FILE *file = is_input ? stdin : fopen(path, "re");
    char *text;

    if (!file) {
        report_note("cannot read %s: %s", path, strerror(errno));
        return NULL;
    }
    text = read_stream(file, path, ret_len);
    if (!is_input)
        fclose(file);
    return text;
}

static json_t *json_argument(const struct args *args, int option)
{
    const char *value = args->value[option], *name = args->command->options[option].name;
    struct str text = str_of(value);
    char *file = NULL;
    json_t *json = NULL;
    struct err err;

    if (value[0] == '@') {
        file = read_whole(value + 1, &text.len);
        if (!file)
            return NULL;
        text.ptr = file;
    }
    if (json_read(text, &json, &err) != RC_OK) {
        snprintf(err.field, sizeof err.field, "--%s", name);
        report_err(&err, text);
        json = NULL;
    }
    free(file);
    return json;
}

static json_t *number_argument(const struct args *args, int option)
{
    struct str s = str_of(args->value[option]);
    int64_t n = 0;

    if (str_take_number(&s, INT64_MAX - 1, &n) > 0 && s.len == 0)
        return json_new_int(n);
    report_note("--%s must be a whole number, not \"%.100s\"",
                args->command->options[option].name, args->value[option]);
    return NULL;
}

static json_t *time_argument(const struct args *args, int option, bool needs_offset)
{
    const char *typed = args->value[option];
    char time[INSTANT_TEXT_MAX];
    struct err err;
    enum rc rc = needs_offset
                     ? when_read(typed, NULL, clock_now(), time, &err)
                     : when_read_here(typed, args->value[REMOTE_UTC] != NULL, time, &err);

    if (rc == RC_OK)
        return json_new_str(str_of(time));
    report_note("--%s: %s", args->command->options[option].name, err.text);
    return NULL;
}

static json_t *text_argument(const struct args *args, int option)
{
    struct str text = str_of(args->value[option]);

    if (str_is_utf8(text))
        return json_new_str(text);
    report_note("--%s must be UTF-8", args->command->options[option].name);
    return NULL;
}

static json_t *part_value(const struct args *args, const struct part *part)
{
    switch (part->kind) {
    case PART_TEXT:
        return text_argument(args, part->option);
    case PART_NUMBER:
        return number_argument(args, part->option);
    case PART_TIME:
        return time_argument(args, part->option, false);
    case PART_INSTANT:
        return time_argument(args, part->option, true);
    case PART_JSON:
        return json_argument(args, part->option);
    case PART_TRUE:
        return json_true();
    }
    return NULL;
}

json_t *body_from_options(const struct args *args, const struct part *parts, int count)
{
    json_t *body = json_new_object();

    for (int i = 0; i < count; i++) {
        json_t *value;

        if (!args->value[parts[i].option])
            continue;
        value = part_value(args, &parts[i]);
        if (!value) {
            json_decref(body);
            return NULL;
        }
        json_put(body, parts[i].name, value);
    }
    return body;
}

/* ---- one request for each name ---- */

/* "NAME: DONE", and the id of a new object. */
static void print_done(const char *done, const json_t *answer, const char *name,
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

int request_command_print(struct remote *remote, const struct request_command *desc,
                          const struct remote_answer *answer, const char *name)
{
    const char *id = desc->view ? member_text(answer->json, desc->view->id) : "";
    struct printer out;

    remote_printer(remote, &out);
    if (remote_output(remote) == OUTPUT_JSON) {
        print_json_text(&out, answer);
    } else if (remote_output(remote) == OUTPUT_NAME) {
        printer_safe(&out, str_of(id[0] != '\0' ? id : name));
        printer_text(&out, "\n");
    } else if (desc->print) {
        desc->print(answer->json, name, remote_when(remote), &out);
    } else if (desc->print_done) {
        desc->print_done(desc->done, answer->json, remote_when(remote), &out);
    } else if (desc->done) {
        print_done(desc->done, answer->json, name, &out);
    } else {
        view_one(desc->view, answer->json, remote_when(remote), &out);
    }
    return printer_close(&out);
}

/* Reports that no run was started; JSON output prints the whole answer as well. */
static int print_skipped(struct remote *remote, const struct request_command *desc,
                         const struct remote_answer *answer, const char *name)
{
    int status = remote_output(remote) == OUTPUT_JSON
                     ? request_command_print(remote, desc, answer, name)
                     : STATUS_OK;

    report_note("%.*s: no run started: %s (%s); another run of the schedule is open", 255, name,
                member_text(answer->json, "outcome"), member_text(answer->json, "reason"));
    return status == STATUS_OK ? STATUS_LATER : status;
}

static int request_command_one(struct remote *remote, const struct args *args,
                               const json_t *body, const char *name)
{
    const struct request_command *desc = args->command->arg;
    char path[REMOTE_PATH_MAX];
    struct buf out = BUF(path);
    struct remote_request request = {.method = desc->method, .path = path, .body = body};
    struct remote_answer answer;
    int status;

    path_object(&out, desc->kind, name, desc->tail);
    status = list_filters(args, desc->filters, desc->filter_count, &out);
    if (status == STATUS_OK && (out.cut || name[0] == '\0')) {
        report_note("a name must have 1 to 255 bytes");
        status = STATUS_USAGE;
    }
    if (status == STATUS_OK)
        status = remote_call(remote, &request, &answer);
    if (status != STATUS_OK)
        return status;
    if (desc->starts_run && member_text(answer.json, "outcome")[0] != '\0')
        status = print_skipped(remote, desc, &answer, name);
    else
        status = request_command_print(remote, desc, &answer, name);
    answer_free(&answer);
    return status;
}

int request_command_run(const struct args *args)
{
    const struct request_command *desc = args->command->arg;
    bool has_body = desc->method && strcmp(desc->method, "DELETE") != 0;
    json_auto_t *body = has_body ? body_from_options(args, desc->parts, desc->part_count)
                                 : NULL;
    struct remote *remote;
    int status, worst = STATUS_OK;

    if (has_body && !body)
        return STATUS_USAGE;
    status = remote_open(args, args->command->name, &remote);
    if (status != STATUS_OK)
        return status;
    for (int i = 0; i < args->operands; i++) {
        status = request_command_one(remote, args, body, args->operand[i]);
        worst = status != STATUS_OK ? status : worst;
        if (status == STATUS_UNREACHABLE)
            break;
    }
    remote_close(remote);
    return worst;
}

int request_command_send(const struct args *args, const struct request_command *desc,
                         const struct remote_request *request)
{
    struct remote_answer answer;
    struct remote *remote;
    int status = remote_open(args, args->command->name, &remote);

    if (status != STATUS_OK)
        return status;
    status = remote_call(remote, request, &answer);
    if (status == STATUS_OK) {
        status = request_command_print(remote, desc, &answer, args->operand[0]);
        answer_free(&answer);
    }
    remote_close(remote);
    return status;
}

int lister_run(const struct args *args)
{
    const struct lister *lister = args->command->arg;
    char path[REMOTE_PATH_MAX];
    struct buf out = BUF(path);
    struct remote *remote;
    int status = remote_open(args, args->command->name, &remote);

    if (status != STATUS_OK)
        return status;
    if (lister->tail)
        path_object(&out, lister->kind, args->operand[0], lister->tail);
    else
        buf_printf(&out, "/api/v1/%s", lister->kind);
    status = list_filters(args, lister->list.filters, lister->list.filter_count, &out);
    if (status == STATUS_OK)
        status = list_print(remote, args, &lister->list, path);
    remote_close(remote);
    return status;
}
