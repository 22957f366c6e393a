/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The import commands with their options and help; runs `belfry import temporal` and `belfry
 * import conductor`.
 */
#include <unistd.h>

#include "cli/frame/commands.h"
#include "cli/frame/report.h"
#include "cli/import/import.h"
#include "cli/import/move_sources.h"
#include "cli/remote/request_commands.h"

/* Opens what both commands need; an exit status. */
static int open_here(struct remote *remote, const struct args *args, struct move *move)
{
    char token[TOKEN_MAX] = "";
    struct client_options options = {
        .server = remote_server(remote),
        .namespace = setting_find(args->value[REMOTE_NAMESPACE], "BELFRY_NAMESPACE", ""),
        .token = token,
        .ca_file = setting_find(args->value[REMOTE_CACERT], "BELFRY_CACERT", NULL),
        .agent = "belfry/" BELFRY_VERSION,
    };
    struct err err;

    *move = (struct move){.remote = remote,
                          .output = remote_output(remote),
                          .is_dry = args->value[MOVE_DRY_RUN] != NULL,
                          .takes_over = args->value[MOVE_TAKE_OVER] != NULL,
                          .accepts_differences = args->value[MOVE_ACCEPT] != NULL};
    if (move->is_dry && move->takes_over) {
        err_set(&err, RC_INVALID, -1, 0, "--dry-run cannot be combined with --take-over");
        return report_usage(&err, args->command->name);
    }
    if (token_find(args->value[REMOTE_TOKEN], token, &err) != RC_OK ||
        rest_batch_new(&options, &move->here, &err) != RC_OK)
        return report_usage(&err, args->command->name);
    return STATUS_OK;
}

static int run_move(struct remote *remote, const struct args *args,
                    int (*open_source)(const struct args *args, struct move *move),
                    void (*close_source)(struct move *move))
{
    static struct move move;
    int status = open_here(remote, args, &move);

    if (status == STATUS_OK)
        status = open_source(args, &move);
    if (status == STATUS_OK) {
        remote_printer(remote, &move.out);
        move.json = json_new_list();
        progress_open(&move.progress, "Schedules");
        if (isatty(STDOUT_FILENO) && move.output != OUTPUT_JSON)
            move.progress.is_terminal = false; /* the schedules are printed there */
        status = move_run(&move);
        json_decref(move.json);
    }
    close_source(&move);
    rest_batch_free(move.here);
    return status;
}

static int temporal_call(struct remote *remote, const struct args *args)
{
    return run_move(remote, args, from_temporal_open, from_temporal_close);
}

static int conductor_call(struct remote *remote, const struct args *args)
{
    return run_move(remote, args, from_conductor_open, from_conductor_close);
}

#define MOVE_OPTION_ROWS                                                      \
    [MOVE_DRY_RUN] = {"dry-run", '\0', NULL, NULL,                            \
                      "print the schedules and their times; create\n"         \
                      "nothing"},                                             \
    [MOVE_TAKE_OVER] = {"take-over", '\0', NULL, NULL,                        \
                        "pause them there and resume them here"},             \
    [MOVE_ACCEPT] = {"accept-differences", '\0', NULL, NULL,                  \
                     "also take over schedules whose times differ"},          \
    [MOVE_SOURCE_CA] = {"source-ca", '\0', "FILE", NULL,                      \
                        "trusted certificates of the source, PEM (default:\n" \
                        "those of the system)"}

static const struct option conductor_options[MOVE_OPTIONS] = {
    REMOTE_OPTION_ROWS,
    MOVE_OPTION_ROWS,
};

static const struct option temporal_options[TEMPORAL_OPTIONS] = {
    REMOTE_OPTION_ROWS,
    MOVE_OPTION_ROWS,
    [TEMPORAL_NAMESPACE] = {"source-namespace", '\0', "NAME", NULL,
                            "namespace there (default: the same as here)"},
    [TEMPORAL_TLS] = {"tls", '\0', NULL, NULL,
                      "connect to the source with TLS (default with\n"
                      "--source-ca, --cert or an https address)"},
    [TEMPORAL_CERT] = {"cert", '\0', "FILE", NULL,
                       "client certificate for the source, PEM (default: none)"},
    [TEMPORAL_KEY] = {"key", '\0', "FILE", NULL, "private key of --cert, PEM"},
    [TEMPORAL_SERVER_NAME] = {"server-name", '\0', "NAME", NULL,
                              "name in the source's certificate (default: the host)"},
};

static const struct option crontab_options[CRONTAB_OPTIONS] = {
    REMOTE_OPTION_ROWS,
    [CRONTAB_OPT_SYSTEM] = {"system", '\0', "[=BOOL]", NULL,
                            "lines have a user column, like /etc/crontab; with\n"
                            "false they have none even if commands begin with users\n"
                            "(default: they have none, which is checked)"},
    [CRONTAB_OPT_TZ] = {"tz", 'z', "ZONE", NULL,
                        "time zone of lines without CRON_TZ (default: the local\n"
                        "zone)"},
    [CRONTAB_OPT_PREFIX] = {"prefix", '\0', "TEXT", NULL,
                            "prefix of the schedules' ids (default cron)"},
    [CRONTAB_OPT_AS] = {"as", '\0', "TYPE", NULL,
                        "exec: the server runs the commands; queue: workers get\n"
                        "them as argv, cwd, env and user in the run's input\n"
                        "(default exec)"},
    [CRONTAB_OPT_QUEUE] = {"queue", 'Q', "NAME", NULL, "queue of --as queue (default cron)"},
    [CRONTAB_OPT_TO] = {"to", '\0', "FILE", NULL,
                        "write a file for `belfry apply`; - is standard output"},
    [CRONTAB_OPT_APPLY] = {"apply", '\0', NULL, NULL,
                           "create or change the schedules on the server"},
    [CRONTAB_OPT_ZONEINFO] = {"zoneinfo", '\0', "DIR", NULL,
                              "directory of time zone files (default: the system's)"},
};

#define ABOUT                                                                                 \
    "Reads all schedules, creates them paused and prints the next 10 times of each on both\n" \
    "servers.  A schedule that exists here and was not created by an import is reported\n"    \
    "and not changed.\n"                                                                      \
    "\n"                                                                                      \
    "With --take-over, pauses each schedule there, waits until it is known which slots\n"     \
    "were started there, and resumes it here from the next slot on: no slot is lost and\n"    \
    "none runs twice.  A schedule that is paused there stays paused.  The clocks of the\n"    \
    "servers and of this machine must agree within two seconds.\n"                            \
    "\n"                                                                                      \
    "The command can be repeated at any time, also after it was interrupted: it continues\n"  \
    "where it ended.  Its exit status is 1 if a schedule was not imported.  The\n"            \
    "environment variable BELFRY_SOURCE_TOKEN holds the "

static const struct command import_commands[] = {
    {.name = "import crontab",
     .usage = "FILE [OPTION]...",
     .summary = "Convert a crontab into schedules and verify their times",
     .about =
         "Prints for each line its meaning and its next times, and verifies them: the\n"
         "next 1,000 times of the schedule, or those of 100 years if there are fewer,\n"
         "must equal those of a second implementation of crontab(5), clock changes\n"
         "included.\n"
         "\n"
         "Settings above a line become its environment, SHELL its shell, HOME its\n"
         "directory, CRON_TZ its time zone, the comment directly above it its\n"
         "description, and the text after % its input.  As with cron, runs may overlap\n"
         "and missed runs are not repeated.  Output is not mailed to MAILTO.  The ids are\n"
         "made from the programs, and if several lines run the same, their arguments.\n"
         "\n"
         "@reboot lines are reported and skipped.  If another line cannot be converted,\n"
         "or lines seem to have a user column and --system is missing, the reason is\n"
         "printed and nothing is written.  The commands run on the server, which must be\n"
         "started with --exec, or with --as queue by workers.\n",
     .examples = "  belfry import crontab /etc/crontab --system --to crontab.yaml\n"
                 "  crontab -l | belfry import crontab -\n"
                 "  crontab -l | belfry import crontab - --tz Europe/Dublin --apply\n",
     OPTIONS(crontab_options),
     ONE_NAME,
     .run = import_crontab_run},
    {.name = "import temporal",
     .usage = "ADDRESS [OPTION]...",
     .summary = "Import the schedules of a running Temporal server",
     .about = ABOUT "API key of the source, if it\nneeds one.\n",
     .examples = "  belfry import temporal temporal.example:7233 --namespace prod\n"
                 "  belfry import temporal localhost:7233 --take-over\n"
                 "  belfry import temporal temporal.example:7233 --source-ca ca.pem \\\n"
                 "      --cert client.pem --key client.key --dry-run\n",
     OPTIONS(temporal_options),
     ONE_NAME,
     CALLS(temporal_call)},
    {.name = "import conductor",
     .usage = "URL [OPTION]...",
     .summary = "Import the schedules of a running Conductor server",
     .about = ABOUT "access token of the source,\nif it needs one.\n",
     .examples = "  belfry import conductor http://conductor.example:8080/api\n"
                 "  belfry import conductor http://localhost:8080/api --take-over\n",
     OPTIONS(conductor_options),
     ONE_NAME,
     CALLS(conductor_call)},
};

const struct command_group import_group = {
    "import", "Import schedules from crontabs and running servers", import_commands,
    sizeof import_commands / sizeof import_commands[0]};
