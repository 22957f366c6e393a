/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/must.h"
#include "base/str.h"
#include "cli/commands.h"
#include "cli/report.h"

enum { OWN = 3, COMMANDS_MAX = OWN + CLI_FURTHER_MAX, BUILT_IN = 2 };

/* All commands there are; set once, by cli_main(). */
static const struct command *commands[COMMANDS_MAX] = {&next_command, &explain_command,
                                                       &worker_command};
static int command_count = OWN;

static const struct command *find_command(const char *name)
{
    for (int i = 0; i < command_count; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

static int unknown_command(const char *word)
{
    const char *names[COMMANDS_MAX + BUILT_IN] = {"help", "version"};
    struct err err;
    int near;

    for (int i = 0; i < command_count; i++)
        names[BUILT_IN + i] = commands[i]->name;
    near = str_nearest(str_of(word), names, command_count + BUILT_IN);
    if (near >= 0)
        err_set(&err, RC_INVALID, -1, 0, "unknown command %.100s; did you mean %s?", word,
                names[near]);
    else
        err_set(&err, RC_INVALID, -1, 0, "unknown command %.100s", word);
    return report_usage(&err, NULL);
}

static int run_help(int argc, char **argv)
{
    const struct command *command;

    if (argc == 0) {
        help_print_all(commands, command_count, STDOUT_FILENO);
        return STATUS_OK;
    }
    command = find_command(argv[0]);
    if (!command)
        return unknown_command(argv[0]);
    help_print(command, STDOUT_FILENO);
    return STATUS_OK;
}

static bool asks_for_help(const struct command *command, const struct args *args)
{
    for (int i = 0; i < command->option_count; i++)
        if (args->value[i] && strcmp(command->options[i].name, "help") == 0)
            return true;
    return false;
}

/* How many words stand before `--`. */
static int words_before_program(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--") == 0)
            return i;
    return argc;
}

static int run_command(const struct command *command, int argc, char **argv)
{
    int count = command->takes_program ? words_before_program(argc, argv) : argc;
    struct args args;
    struct err err;

    if (args_read(count, argv, command->options, command->option_count, &args, &err) != RC_OK)
        return report_usage(&err, command->name);
    if (count < argc)
        args.program = argv + count + 1;
    if (asks_for_help(command, &args)) {
        help_print(command, STDOUT_FILENO);
        return STATUS_OK;
    }
    return command->run(&args);
}

int cli_main(int argc, char **argv, const struct command *const *further, int count)
{
    const char *word = argc > 1 ? argv[1] : "help";
    const struct command *command;

    must(count <= CLI_FURTHER_MAX);
    for (command_count = OWN; command_count < OWN + count; command_count++)
        commands[command_count] = further[command_count - OWN];
    command = find_command(word);
    /* A reader that goes away is seen at the write, and ends the program quietly. */
    must(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
    if (command)
        return run_command(command, argc - 2, argv + 2);
    if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0)
        return run_help(argc > 2 ? argc - 2 : 0, argv + 2);
    if (strcmp(word, "version") == 0 || strcmp(word, "--version") == 0 ||
        strcmp(word, "-V") == 0) {
        printf("belfry %s\n", BELFRY_VERSION);
        return fflush(stdout) == 0 ? STATUS_OK : STATUS_FAILED;
    }
    return unknown_command(word);
}
