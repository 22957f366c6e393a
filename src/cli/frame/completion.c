/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry completion bash`: made of the table of commands.
 */
#include <string.h>
#include <unistd.h>

#include "cli/frame/commands.h"
#include "cli/frame/printer.h"
#include "cli/frame/report.h"

enum { OPT_HELP_FLAG, OPT_COUNT };

static const struct option options[OPT_COUNT] = {
    [OPT_HELP_FLAG] = {"help", 'h', NULL, "print this"},
};

/* The words of a group's commands. */
static void print_verbs(struct printer *out)
{
    const struct command_group *group;
    const char *word, *summary;

    for (int i = 0; (word = word_at(i, &summary)) != NULL; i++) {
        group = group_find(word);
        if (!group)
            continue;
        printer_printf(out, "    [%s]=\"", word);
        for (int k = 0; k < group->count; k++)
            printer_printf(out, "%s%s", k > 0 ? " " : "",
                           group->commands[k].name + strlen(word) + 1);
        printer_text(out, "\"\n");
    }
}

static void print_options(struct printer *out)
{
    const struct command *command;

    for (int i = 0; (command = command_at(i)) != NULL; i++) {
        printer_printf(out, "    [\"%s\"]=\"", command->name);
        for (int k = 0; k < command->option_count; k++)
            printer_printf(out, "%s--%s", k > 0 ? " " : "", command->options[k].name);
        printer_text(out, "\"\n");
    }
}

/* Options whose value is a word of the next argument. */
static void print_valued(struct printer *out)
{
    const struct command *command;

    for (int i = 0; (command = command_at(i)) != NULL; i++) {
        printer_printf(out, "    [\"%s\"]=\"", command->name);
        for (int k = 0; k < command->option_count; k++) {
            const struct option *option = &command->options[k];

            if (!option->value || option->value[0] == '[')
                continue;
            printer_printf(out, " --%s ", option->name);
            if (option->letter)
                printer_printf(out, " -%c ", option->letter);
        }
        printer_text(out, "\"\n");
    }
}

static void print_words(struct printer *out)
{
    const char *word, *summary;

    for (int i = 0; (word = word_at(i, &summary)) != NULL; i++)
        printer_printf(out, "%s ", word);
    printer_text(out, "help");
}

static const char head[] =
    "# bash completion of belfry; made by `belfry completion bash`.\n"
    "# Put it where bash-completion looks, or: source <(belfry completion bash)\n\n"
    "_belfry()\n"
    "{\n"
    "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]}\n"
    "    local command=${COMP_WORDS[1]} at=2 values words i\n";

static const char tail[] =
    "    COMPREPLY=()\n"
    "    if ((COMP_CWORD == 1)) || [[ $command == help && COMP_CWORD -eq 2 ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$first\" -- \"$cur\")\n"
    "        return\n"
    "    fi\n"
    "    if [[ $command == help ]]; then\n"
    "        words=${verbs[${COMP_WORDS[2]}]-}\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
    "        return\n"
    "    fi\n"
    "    if [[ -n ${verbs[$command]-} ]]; then\n"
    "        if ((COMP_CWORD == 2)); then\n"
    "            mapfile -t COMPREPLY < <(compgen -W \"${verbs[$command]}\" -- \"$cur\")\n"
    "            return\n"
    "        fi\n"
    "        command=\"$command ${COMP_WORDS[2]}\"\n"
    "        at=3\n"
    "    fi\n"
    "    # Behind -- stands another program.\n"
    "    for ((i = at; i < COMP_CWORD; i++)); do\n"
    "        [[ ${COMP_WORDS[i]} == -- ]] && return\n"
    "    done\n"
    "    if [[ ${valued[$command]-} == *\" $prev \"* ]]; then\n"
    "        case $prev in\n"
    "        -o | --output) words='table json name' ;;\n"
    "        --overlap)\n"
    "            words='skip bufferOne bufferAll cancelOther terminateOther allowAll'\n"
    "            ;;\n"
    "        --status) words='active paused closed' ;;\n"
    "        --state)\n"
    "            words='held approval ready leased running backoff open ended'\n"
    "            ;;\n"
    "        --outcome)\n"
    "            words='succeeded failed timedOut cancelled terminated unknown'\n"
    "            ;;\n"
    "        --catchup) words='latest all oldest none' ;;\n"
    "        --sort)\n"
    "            words='id createdAt updatedAt -id -createdAt -updatedAt'\n"
    "            ;;\n"
    "        --format) words='yaml json' ;;\n"
    "        --log) words='logfmt json' ;;\n"
    "        --log-level) words='debug info warn error' ;;\n"
    "        --role) words='viewer operator editor admin worker' ;;\n"
    "        *)\n"
    "            compopt -o default 2> /dev/null\n"
    "            return\n"
    "            ;;\n"
    "        esac\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$cur\")\n"
    "    elif [[ $cur == -* ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W \"${options[$command]-}\" -- \"$cur\")\n"
    "    elif [[ $command == completion ]]; then\n"
    "        mapfile -t COMPREPLY < <(compgen -W bash -- \"$cur\")\n"
    "    else\n"
    "        compopt -o default 2> /dev/null\n"
    "    fi\n"
    "}\n\n"
    "complete -F _belfry belfry\n";

static int completion_run(const struct args *args)
{
    struct printer out;

    if (strcmp(args->operand[0], "bash") != 0) {
        report_note("there is a completion for bash, not for %.100s", args->operand[0]);
        return STATUS_USAGE;
    }
    printer_open(&out, STDOUT_FILENO);
    printer_text(&out, head);
    printer_text(&out, "    local first=\"");
    print_words(&out);
    printer_text(&out, "\"\n    local -A verbs=(\n");
    print_verbs(&out);
    printer_text(&out, "    )\n    local -A options=(\n");
    print_options(&out);
    printer_text(&out, "    )\n    local -A valued=(\n");
    print_valued(&out);
    printer_text(&out, "    )\n");
    printer_text(&out, tail);
    return printer_close(&out);
}

const struct command completion_command = {
    .name = "completion",
    .usage = "bash",
    .summary = "Print the completion for bash",
    .about = "Made of the same table as the help, so it knows every command and option.\n",
    .examples = "  source <(belfry completion bash)\n"
                "  belfry completion bash > /usr/share/bash-completion/completions/belfry\n",
    .options = options,
    .option_count = OPT_COUNT,
    .counts_operands = true,
    .least = 1,
    .most = 1,
    .run = completion_run,
};
