/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry version`: prints the version of this program, and of the server if it answers.
 */
#include <unistd.h>

#include "cli/frame/commands.h"
#include "cli/frame/report.h"
#include "cli/remote/request_commands.h"

enum version_option { OPT_CLIENT = REMOTE_OPTIONS, OPT_COUNT };

static const struct option options[OPT_COUNT] = {
    REMOTE_OPTION_ROWS,
    [OPT_CLIENT] = {"client", '\0', NULL, NULL, "print only the version of this program"},
};

static int print_client(const struct args *args)
{
    enum output output;
    struct printer out;
    struct err err;

    if (output_read(args->value[REMOTE_OUTPUT], &output, &err) != RC_OK)
        return report_usage(&err, "version");
    printer_open(&out, STDOUT_FILENO);
    printer_text(&out, output == OUTPUT_JSON ? "{\"client\":\"" BELFRY_VERSION "\"}\n"
                                             : "belfry " BELFRY_VERSION "\n");
    return printer_close(&out);
}

static void print_versions(struct remote *remote, const json_t *server, struct printer *out)
{
    printer_text(out, "belfry " BELFRY_VERSION "\n");
    printer_safe(out, str_of(remote_server(remote)));
    printer_text(out, ": ");
    printer_safe(out, str_of(member_text(server, "name")));
    printer_text(out, " ");
    printer_safe(out, str_of(member_text(server, "version")));
    printer_text(out, "\n");
}

static int print_both(struct remote *remote)
{
    static const struct remote_request request = {.path = "/version"};
    json_auto_t *both = json_new_object();
    struct remote_answer answer;
    struct printer out;
    int closed, status = remote_call(remote, &request, &answer);

    remote_printer(remote, &out);
    if (remote_output(remote) == OUTPUT_JSON) {
        json_put(both, "client", json_new_str(STR(BELFRY_VERSION)));
        json_put(both, "server", status == STATUS_OK ? json_incref(answer.json) : json_null());
        print_json(&out, both);
    } else if (status != STATUS_OK) {
        printer_text(&out, "belfry " BELFRY_VERSION "\n");
    } else {
        print_versions(remote, answer.json, &out);
    }
    closed = printer_close(&out);
    if (status == STATUS_OK)
        answer_free(&answer);
    /* An unreachable server is not a failure: this program's version was printed. */
    return status != STATUS_OK && status != STATUS_UNREACHABLE ? status : closed;
}

static int version_run(const struct args *args)
{
    struct remote *remote;
    int status;

    if (args->value[OPT_CLIENT])
        return print_client(args);
    status = remote_open(args, &remote);
    if (status != STATUS_OK)
        return status;
    status = print_both(remote);
    remote_close(remote);
    return status;
}

const struct command version_command = {
    .name = "version",
    .usage = "[OPTION]...",
    .summary = "Print the versions of this program and the server",
    .about = "If the server does not answer, only the version of this program is printed.\n"
             "`belfry --version` does not contact the server.\n",
    .examples = "  belfry version\n"
                "  belfry version --client\n",
    OPTIONS(options),
    NO_NAME,
    .run = version_run,
};
