/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs the commands that a struct request_command or a struct lister describes.
 */
#include "cli/remote/request_commands.h"

#include "cli/frame/commands.h"
#include "cli/frame/report.h"

const struct option plain_options[REMOTE_OPTIONS] = {REMOTE_OPTION_ROWS};
const struct option list_options[LIST_OPTIONS] = {REMOTE_OPTION_ROWS, LIST_OPTION_ROWS};

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

    report_note("%s: no run started: %s (%s); another run of the schedule is open", name,
                member_text(answer->json, "outcome"), member_text(answer->json, "reason"));
    return status == STATUS_OK ? STATUS_LATER : status;
}

/* Prints the new run, unless its end is the only output (JSON), and waits for the end. */
static int print_and_wait(struct remote *remote, const struct request_command *desc,
                          const struct remote_answer *answer, const char *name)
{
    int status = remote_output(remote) == OUTPUT_JSON
                     ? STATUS_OK
                     : request_command_print(remote, desc, answer, name);

    return status == STATUS_OK ? run_wait(remote, member_text(answer->json, "id")) : status;
}

static int send_for_name(struct remote *remote, const struct args *args, const json_t *body,
                         const char *name)
{
    const struct request_command *desc = args->command->arg;
    char path[REMOTE_PATH_MAX];
    struct buf out = BUF(path);
    struct remote_request request = {.method = desc->method, .path = path, .body = body};
    struct remote_answer answer;
    int status;

    path_object(&out, desc->kind, name, desc->tail);
    status = desc->method ? STATUS_OK : query_from_options(args, &out);
    if (status == STATUS_OK && (out.cut || name[0] == '\0')) {
        report_note("a name must have 1 to 1000 bytes");
        status = STATUS_USAGE;
    }
    if (status == STATUS_OK)
        status = remote_call(remote, &request, &answer);
    if (status != STATUS_OK)
        return status;
    if (desc->starts_run && member_text(answer.json, "outcome")[0] != '\0')
        status = print_skipped(remote, desc, &answer, name);
    else if (desc->can_wait && args->value[WAIT_OPTION])
        status = print_and_wait(remote, desc, &answer, name);
    else
        status = request_command_print(remote, desc, &answer, name);
    answer_free(&answer);
    return status;
}

int request_command_call(struct remote *remote, const struct args *args)
{
    const struct request_command *desc = args->command->arg;
    bool has_body = desc->method && strcmp(desc->method, "DELETE") != 0;
    json_auto_t *body = has_body ? body_from_options(args) : NULL;
    int status = STATUS_OK, last_failure = STATUS_OK;

    if (has_body && !body)
        return STATUS_USAGE;
    for (int i = 0; i < args->operands && status != STATUS_UNREACHABLE; i++) {
        status = send_for_name(remote, args, body, args->operand[i]);
        last_failure = status != STATUS_OK ? status : last_failure;
    }
    return last_failure;
}

int request_command_send(struct remote *remote, const struct request_command *desc,
                         const struct remote_request *request, const char *name)
{
    struct remote_answer answer;
    int status = remote_call(remote, request, &answer);

    if (status != STATUS_OK)
        return status;
    status = request_command_print(remote, desc, &answer, name);
    answer_free(&answer);
    return status;
}

int lister_call(struct remote *remote, const struct args *args)
{
    const struct lister *lister = args->command->arg;
    char path[REMOTE_PATH_MAX];
    struct buf out = BUF(path);
    int status;

    if (lister->tail)
        path_object(&out, lister->kind, args->operand[0], lister->tail);
    else
        buf_printf(&out, "/api/v1/%s", lister->kind);
    status = query_from_options(args, &out);
    if (status == STATUS_OK)
        status = path_check(&out);
    return status == STATUS_OK ? list_print(remote, args, lister->view, path) : status;
}
