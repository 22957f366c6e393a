/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/out.h"

enum { COLUMN = 24 }; /* where the explanation of an option begins */

/* Further lines of an explanation stand under its first. */
static void print_lines(struct out *out, const char *text)
{
    const char *end;

    while ((end = strchr(text, '\n')) != NULL) {
        out_printf(out, "%.*s\n%*s", (int)(end - text), text, COLUMN, "");
        text = end + 1;
    }
    out_printf(out, "%s\n", text);
}

static void print_option(struct out *out, const struct option *option)
{
    char left[80];
    int n = option->letter
                ? snprintf(left, sizeof left, "  -%c, --%s", option->letter, option->name)
                : snprintf(left, sizeof left, "      --%s", option->name);

    if (option->value)
        n += snprintf(left + n, sizeof left - (size_t)n, "%s%s",
                      option->value[0] == '[' ? "" : " ", option->value);
    out_printf(out, "%-*s", COLUMN, left);
    if (n >= COLUMN)
        out_printf(out, "\n%*s", COLUMN, "");
    print_lines(out, option->help);
}

void help_print(const struct command *command, int fd)
{
    struct out out;

    out_open(&out, fd);
    out_printf(&out, "belfry %s %s\n\n%s\n\n%s\nOptions:\n", command->name, command->usage,
               command->summary, command->about);
    /* Those of the command itself first; it shares the others. */
    for (int i = 0; i < command->option_count; i++)
        print_option(&out, &command->options[(i + command->own_from) % command->option_count]);
    out_printf(&out, "\nExamples:\n%s", command->examples);
    out_close(&out);
}

void help_print_all(const struct command *const *commands, int count, int fd)
{
    struct out out;

    out_open(&out, fd);
    out_text(&out, "Belfry, a durable scheduler\n\n");
    for (int i = 0; i < count; i++)
        out_printf(&out, "  belfry %-10s %s\n", commands[i]->name, commands[i]->summary);
    out_printf(&out, "  belfry %-10s %s\n", "help", "Explain a command: belfry help COMMAND");
    out_printf(&out, "  belfry %-10s %s\n", "version", "Print the version");
    out_close(&out);
}
