/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds the command that the command line names, reads its options and runs it; prints help,
 * and suggests the nearest name for a misspelt command.
 */
#include "cli/cli.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/must.h"
#include "base/str.h"
#include "cli/frame/commands.h"
#include "cli/frame/printer.h"
#include "cli/frame/report.h"
#include "cli/remote/request_commands.h"

enum { WORDS_MAX = 64 }; /* names that a misspelt word is compared with */

static const struct command_group *const groups[] = {
    &schedule_group, &run_group,   &backfill_group, &queue_group,
    &calendar_group, &gate_group,  &token_group,    &namespace_group,
    &node_group,     &audit_group, &import_group,
};

static const struct command *const commands[] = {
    &next_command,    &explain_command,    &worker_command, &events_command, &status_command,
    &version_command, &completion_command, &apply_command,  &diff_command,   &export_command,
};

enum {
    GROUPS = sizeof groups / sizeof groups[0],
    COMMANDS = sizeof commands / sizeof commands[0],
};

/* Commands of higher layers; set once, by cli_main(). */
static const struct command *const *extra_commands;
static int extra_count;

/* ---- all commands ---- */

static const struct command *single_at(int i)
{
    if (i < COMMANDS)
        return commands[i];
    return i - COMMANDS < extra_count ? extra_commands[i - COMMANDS] : NULL;
}

const struct command *command_at(int i)
{
    for (int g = 0; g < GROUPS; g++) {
        if (i < groups[g]->count)
            return &groups[g]->commands[i];
        i -= groups[g]->count;
    }
    return single_at(i);
}

const struct command_group *group_find(const char *name)
{
    for (int i = 0; i < GROUPS; i++)
        if (strcmp(groups[i]->name, name) == 0)
            return groups[i];
    return NULL;
}

const char *first_word_at(int i, const char **ret_summary)
{
    const struct command *command;

    if (i < GROUPS) {
        *ret_summary = groups[i]->summary;
        return groups[i]->name;
    }
    command = single_at(i - GROUPS);
    if (!command)
        return NULL;
    *ret_summary = command->summary;
    return command->name;
}

static const struct command *single_find(const char *name)
{
    const struct command *command;

    for (int i = 0; (command = single_at(i)) != NULL; i++)
        if (strcmp(command->name, name) == 0)
            return command;
    return NULL;
}

/* The command's name without the group's name and the space. */
static const char *verb_name(const struct command_group *group, int i)
{
    return group->commands[i].name + strlen(group->name) + 1;
}

static const struct command *verb_find(const struct command_group *group, const char *verb)
{
    for (int i = 0; i < group->count; i++)
        if (strcmp(verb_name(group, i), verb) == 0)
            return &group->commands[i];
    return NULL;
}

/* ---- misspelt names ---- */

static int unknown_word(const char *word)
{
    const char *names[WORDS_MAX] = {"help"}, *summary;
    struct err err;
    int count = 1, near;

    while (count < WORDS_MAX && (names[count] = first_word_at(count - 1, &summary)) != NULL)
        count++;
    near = str_nearest(str_of(word), names, count);
    if (near >= 0)
        err_set(&err, RC_INVALID, -1, 0, "unknown command \"%.100s\"; did you mean \"%s\"?",
                word, names[near]);
    else
        err_set(&err, RC_INVALID, -1, 0, "unknown command \"%.100s\"", word);
    return report_usage(&err, NULL);
}

static int unknown_verb(const struct command_group *group, const char *verb)
{
    const char *names[WORDS_MAX];
    struct err err;
    int near;

    must(group->count <= WORDS_MAX);
    for (int i = 0; i < group->count; i++)
        names[i] = verb_name(group, i);
    near = str_nearest(str_of(verb), names, group->count);
    if (near >= 0)
        err_set(&err, RC_INVALID, -1, 0,
                "unknown command \"%s %.100s\"; did you mean \"%s %s\"?", group->name, verb,
                group->name, names[near]);
    else
        err_set(&err, RC_INVALID, -1, 0, "unknown command \"%s %.100s\"", group->name, verb);
    return report_usage(&err, group->name);
}

/* ---- help ---- */

static bool is_help(const char *word)
{
    return strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0;
}

static int run_manual(const char *word)
{
    struct printer out;

    if (!group_find(word) && !single_find(word))
        return unknown_word(word);
    printer_open(&out, STDOUT_FILENO);
    manual_print(word, &out);
    return printer_close(&out);
}

static const struct option help_options[] = {
    {"roff", '\0', "COMMAND", NULL, "print the manual page of a command as roff (default no)"},
};

/* Not in the table of commands: its operands are commands. */
static const struct command help_command = {
    .name = "help",
    .usage = "[COMMAND]...",
    .summary = "Show the help of a command",
    .about =
        "Without COMMAND, lists all commands; with a group such as schedule, the commands\n"
        "of the group.  `belfry COMMAND --help` prints the same.\n",
    .examples = "  belfry help\n"
                "  belfry help schedule\n"
                "  belfry help schedule create\n"
                "  belfry help --roff apply | man -l -\n",
    .options = help_options,
    .option_count = 1,
};

static int run_help(int argc, char **argv)
{
    const struct command_group *group = argc > 0 ? group_find(argv[0]) : NULL;
    const struct command *command = argc > 0 ? single_find(argv[0]) : NULL;

    if (argc == 2 && strcmp(argv[0], "--roff") == 0)
        return run_manual(argv[1]);
    if (argc > 0 && is_help(argv[0]))
        command = &help_command;
    if (argc > 1 && group)
        command = verb_find(group, argv[1]);
    if (command)
        return help_print(command, STDOUT_FILENO);
    if (argc > 1 && group)
        return unknown_verb(group, argv[1]);
    if (group)
        return help_print_group(group, STDOUT_FILENO);
    return argc > 0 ? unknown_word(argv[0]) : help_print_all(STDOUT_FILENO);
}

static bool wants_help(const struct command *command, const struct args *args)
{
    for (int i = 0; i < command->option_count; i++)
        if (args->value[i] && strcmp(command->options[i].name, "help") == 0)
            return true;
    return false;
}

/* ---- one command ---- */

static int words_before_program(int argc, char **argv)
{
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--") == 0)
            return i;
    return argc;
}

/* The name of operand `i` in the usage line, which begins with the operands. */
static struct str operand_name(const struct command *command, int i)
{
    struct str rest = str_of(command->usage), word = rest;

    do {
        if (!str_cut(rest, ' ', &word, &rest))
            word = rest;
    } while (i-- > 0 && rest.len > 0);
    while (word.len > 1 && word.ptr[word.len - 1] == '.')
        word.len--;
    return word;
}

static int check_operands(const struct command *command, const struct args *args)
{
    struct str name = operand_name(command, args->operands);
    struct err err;

    if (!command->counts_operands ||
        (args->operands >= command->least && args->operands <= command->most))
        return STATUS_OK;
    if (args->operands < command->least)
        err_set(&err, RC_INVALID, -1, 0, "missing argument: %.*s", STR_ARG(name));
    else
        err_set(&err, RC_INVALID, -1, 0, "unexpected argument \"%.100s\"",
                args->operand[command->most]);
    return report_usage(&err, command->name);
}

static int run_command(const struct command *command, int argc, char **argv)
{
    int count = command->takes_program ? words_before_program(argc, argv) : argc;
    int status;
    struct args args;
    struct err err;

    if (args_read(count, argv, command->options, command->option_count, &args, &err) != RC_OK)
        return report_usage(&err, command->name);
    args.command = command;
    if (count < argc)
        args.program = argv + count + 1;
    if (wants_help(command, &args))
        return help_print(command, STDOUT_FILENO);
    status = check_operands(command, &args);
    return status == STATUS_OK ? command->run(&args) : status;
}

static int run_in_group(const struct command_group *group, int argc, char **argv)
{
    const struct command *command;

    if (argc == 0) {
        (void)help_print_group(group, STDERR_FILENO);
        return STATUS_USAGE;
    }
    if (is_help(argv[0]) && argc == 1)
        return help_print_group(group, STDOUT_FILENO);
    command = verb_find(group, argv[is_help(argv[0])]);
    if (!command)
        return unknown_verb(group, argv[is_help(argv[0])]);
    if (is_help(argv[0])) /* `belfry schedule help create` */
        return help_print(command, STDOUT_FILENO);
    return run_command(command, argc - 1, argv + 1);
}

/* ---- options before the command ---- */

/* The number of words of an option and its value; 0: not one of REMOTE_OPTION_ROWS. */
static int count_option_words(const char *word)
{
    struct str name = str_of(word), value;
    bool is_long = word[0] == '-' && word[1] == '-', is_whole;

    is_whole = is_long ? str_cut(name, '=', &name, &value) : name.len > 2;
    for (int i = 0; i < REMOTE_OPTIONS; i++) {
        const struct option *option = &plain_options[i];

        if (is_long ? str_eq(str_from(name, 2), str_of(option->name))
                    : word[1] != '\0' && word[1] == option->letter)
            return option->value && !is_whole ? 2 : 1;
    }
    return 0;
}

/*
 * `belfry --server URL schedule list`: moves such options after the words that name the
 * command, which then reads them.  `help` does not need them.
 */
static int move_options_after_command(int *ret_argc, char **argv)
{
    int argc = *ret_argc;
    char *named[2];
    int at = 1, taken = 1, count = 0;
    struct err err;

    while (at < argc && argv[at][0] == '-' && !is_help(argv[at]) && taken > 0)
        at += taken = count_option_words(argv[at]);
    if (at >= argc) {
        err_set(&err, RC_INVALID, -1, 0, "missing argument: COMMAND");
        return report_usage(&err, NULL);
    }
    if (at == 1 || (argv[at][0] == '-' && !is_help(argv[at]))) {
        err_set(&err, RC_INVALID, -1, 0,
                "option \"%.100s\" before the command; use belfry COMMAND [OPTION]...",
                argv[at]);
        return report_usage(&err, NULL);
    }
    if (is_help(argv[at])) {
        memmove(argv + 1, argv + at, (size_t)(argc - at) * sizeof *argv);
        *ret_argc = argc - at + 1;
        return STATUS_OK;
    }
    named[count++] = argv[at];
    if (group_find(argv[at]) && at + 1 < argc)
        named[count++] = argv[at + 1];
    memmove(argv + 1 + count, argv + 1, (size_t)(at - 1) * sizeof *argv);
    memcpy(argv + 1, named, (size_t)count * sizeof *argv);
    return STATUS_OK;
}

static bool is_version(const char *word)
{
    return strcmp(word, "--version") == 0 || strcmp(word, "-V") == 0;
}

int cli_main(int argc, char **argv, const struct command *const *extra, int count)
{
    const char *word = argc > 1 ? argv[1] : "help";
    const struct command_group *group;
    const struct command *command;

    extra_commands = extra;
    extra_count = count;
    /* A closed pipe makes write() fail, which ends the output quietly. */
    must(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
    if (word[0] == '-' && !is_help(word) && !is_version(word)) {
        if (move_options_after_command(&argc, argv) != STATUS_OK)
            return STATUS_USAGE;
        word = argv[1];
    }
    group = group_find(word);
    command = single_find(word);
    if (group)
        return run_in_group(group, argc - 2, argv + 2);
    if (command)
        return run_command(command, argc - 2, argv + 2);
    if (is_help(word))
        return run_help(argc > 2 ? argc - 2 : 0, argv + 2);
    if (is_version(word)) {
        printf("belfry %s\n", BELFRY_VERSION);
        return fflush(stdout) == 0 ? STATUS_OK : STATUS_FAILED;
    }
    return unknown_word(word);
}
