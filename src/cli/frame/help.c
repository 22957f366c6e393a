/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Prints the help of a command, of a group of commands, and the list of all commands.
 */
#include <stdio.h>
#include <string.h>

#include "cli/frame/commands.h"
#include "cli/frame/printer.h"

enum { COLUMN = 24 }; /* where the text of an option begins */

/* Indents all lines after the first to COLUMN. */
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

int help_print(const struct command *command, int fd)
{
    struct printer out;

    printer_open(&out, fd);
    printer_printf(&out, "Usage: belfry %s %s\n\n%s\n\n", command->name, command->usage,
                   command->summary);
    if (command->about)
        printer_printf(&out, "%s\n", command->about);
    printer_text(&out, "Options:\n");
    /* The command's own options first, then the shared ones. */
    for (int i = 0; i < command->option_count; i++)
        print_option(&out, &command->options[(i + command->own_from) % command->option_count]);
    printer_printf(&out, "\nExamples:\n%s", command->examples);
    return printer_close(&out);
}

int help_print_group(const struct command_group *group, int fd)
{
    struct printer out;

    printer_open(&out, fd);
    printer_printf(&out, "Usage: belfry %s COMMAND [OPTION]...\n\n%s\n\nCommands:\n",
                   group->name, group->summary);
    for (int i = 0; i < group->count; i++)
        printer_printf(&out, "  %-15s %s\n", group->commands[i].name + strlen(group->name) + 1,
                       group->commands[i].summary);
    printer_printf(&out, "\nSee `belfry help %s COMMAND` for the options of a command.\n",
                   group->name);
    return printer_close(&out);
}

/* ---- all commands, by topic ---- */

struct topic {
    const char *title;
    const char *words; /* separated by spaces */
};

static const struct topic topics[] = {
    {"Schedules:", "schedule backfill calendar next explain"},
    {"Runs and history:", "status run events audit"},
    {"Queues and workers:", "queue gate worker"},
    {"Namespaces and access:", "apply diff export import namespace token"},
    {"Server:", "serve config node check backup"},
};

enum { TOPICS = sizeof topics / sizeof topics[0] };

static bool has_word(const char *words, const char *word)
{
    struct str rest = str_of(words), one;

    while (str_cut(rest, ' ', &one, &rest))
        if (str_eq(one, str_of(word)))
            return true;
    return str_eq(rest, str_of(word));
}

/* Topic number TOPICS holds the words of no other topic. */
static bool is_in_topic(const char *word, int topic)
{
    bool any = false;

    if (topic < TOPICS)
        return has_word(topics[topic].words, word);
    for (int i = 0; i < TOPICS; i++)
        any = any || has_word(topics[i].words, word);
    return !any;
}

int help_print_all(int fd)
{
    const char *word, *summary;
    struct printer out;

    printer_open(&out, fd);
    printer_text(&out, "Belfry, a durable scheduler\n\nUsage: belfry COMMAND [OPTION]...\n");
    for (int topic = 0; topic <= TOPICS; topic++) {
        printer_printf(&out, "\n%s\n", topic < TOPICS ? topics[topic].title : "Other:");
        for (int i = 0; (word = first_word_at(i, &summary)) != NULL; i++)
            if (is_in_topic(word, topic))
                printer_printf(&out, "  %-11s %s\n", word, summary);
    }
    printer_printf(&out, "  %-11s %s\n", "help", "Show the help of a command");
    printer_text(&out, "\nSee `belfry help COMMAND` for a command and its options.\n");
    return printer_close(&out);
}
