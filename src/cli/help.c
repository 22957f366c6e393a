/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>

#include "cli/commands.h"
#include "cli/printer.h"

enum { COLUMN = 24 }; /* where the explanation of an option begins */

/* Further lines of an explanation stand under its first. */
static void print_lines(struct printer *out, const char *text)
{
    const char *end;

    while ((end = strchr(text, '\n')) != NULL) {
        printer_printf(out, "%.*s\n%*s", (int)(end - text), text, COLUMN, "");
        text = end + 1;
    }
    printer_printf(out, "%s\n", text);
}

static void print_option(struct printer *out, const struct option *option)
{
    char left[80];
    int n = option->letter
                ? snprintf(left, sizeof left, "  -%c, --%s", option->letter, option->name)
                : snprintf(left, sizeof left, "      --%s", option->name);

    if (option->value)
        n += snprintf(left + n, sizeof left - (size_t)n, "%s%s",
                      option->value[0] == '[' ? "" : " ", option->value);
    printer_printf(out, "%-*s", COLUMN, left);
    if (n >= COLUMN)
        printer_printf(out, "\n%*s", COLUMN, "");
    print_lines(out, option->help);
}

void help_print(const struct command *command, int fd)
{
    struct printer out;

    printer_open(&out, fd);
    printer_printf(&out, "belfry %s %s\n\n%s\n\n%s\nOptions:\n", command->name, command->usage,
                   command->summary, command->about);
    /* Those of the command itself first; it shares the others. */
    for (int i = 0; i < command->option_count; i++)
        print_option(&out, &command->options[(i + command->own_from) % command->option_count]);
    printer_printf(&out, "\nExamples:\n%s", command->examples);
    printer_close(&out);
}

void help_print_all(const struct command *const *commands, int count, int fd)
{
    struct printer out;

    printer_open(&out, fd);
    printer_text(&out, "Belfry, a durable scheduler\n\n");
    for (int i = 0; i < count; i++)
        printer_printf(&out, "  belfry %-10s %s\n", commands[i]->name, commands[i]->summary);
    printer_printf(&out, "  belfry %-10s %s\n", "help",
                   "Explain a command: belfry help COMMAND");
    printer_printf(&out, "  belfry %-10s %s\n", "version", "Print the version");
    printer_close(&out);
}
