/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The manual pages, in roff, of the same table as the help.
 */
#include <string.h>

#include "cli/frame/commands.h"
#include "cli/frame/printer.h"

/* Text whose backslashes, dashes and dots at the start of a line are itself. */
static void print_text(struct printer *out, struct str s)
{
    bool is_first = true;

    for (size_t i = 0; i < s.len; i++) {
        if (is_first && (s.ptr[i] == '.' || s.ptr[i] == '\''))
            printer_text(out, "\\&");
        is_first = s.ptr[i] == '\n';
        if (s.ptr[i] == '\\')
            printer_text(out, "\\e");
        else if (s.ptr[i] == '-')
            printer_text(out, "\\-");
        else
            printer_add(out, &s.ptr[i], 1);
    }
}

/* Paragraphs: an empty line is one that begins. */
static void print_paragraphs(struct printer *out, const char *text)
{
    struct str rest = str_of(text), line;

    while (str_cut(rest, '\n', &line, &rest)) {
        if (line.len == 0)
            printer_text(out, ".PP");
        print_text(out, line);
        printer_text(out, "\n");
    }
    if (rest.len > 0) {
        print_text(out, rest);
        printer_text(out, "\n");
    }
}

static void print_option(struct printer *out, const struct option *option)
{
    printer_text(out, ".TP\n");
    if (option->letter)
        printer_printf(out, "\\fB\\-%c\\fR, ", option->letter);
    printer_text(out, "\\fB\\-\\-");
    print_text(out, str_of(option->name));
    printer_text(out, "\\fR");
    if (option->value) {
        printer_text(out, option->value[0] == '[' ? "\\fI" : " \\fI");
        print_text(out, str_of(option->value));
        printer_text(out, "\\fR");
    }
    printer_text(out, "\n");
    print_paragraphs(out, option->help);
}

static void print_options(struct printer *out, const struct command *command, int from, int to)
{
    for (int i = from; i < to; i++)
        print_option(out, &command->options[i]);
}

static void print_synopsis(struct printer *out, const struct command *command)
{
    printer_text(out, ".B belfry ");
    print_text(out, str_of(command->name));
    printer_text(out, "\n");
    print_text(out, str_of(command->usage));
    printer_text(out, "\n.br\n");
}

static void print_command(struct printer *out, const struct command *command, bool is_whole)
{
    if (!is_whole) {
        printer_text(out, ".SS belfry ");
        print_text(out, str_of(command->name));
        printer_text(out, " ");
        print_text(out, str_of(command->usage));
        printer_text(out, "\n");
    }
    print_text(out, str_of(command->summary));
    printer_text(out, ".\n");
    if (command->about[0] != '\0')
        printer_text(out, ".PP\n");
    print_paragraphs(out, command->about);
    print_options(out, command, command->own_from, command->option_count);
}

static void print_examples(struct printer *out, const struct command *command)
{
    printer_text(out, ".nf\n");
    print_text(out, str_of(command->examples));
    printer_text(out, ".fi\n");
}

static void print_end(struct printer *out, const struct command *command)
{
    if (command->own_from > 0) {
        printer_text(out, ".SH OPTIONS OF ALL OF THEM\n");
        print_options(out, command, 0, command->own_from);
    }
    printer_text(out, ".SH EXAMPLES\n");
}

static void print_name(struct printer *out, const char *word, const char *summary)
{
    char upper[64];
    size_t n = strlen(word);

    for (size_t i = 0; i <= n && i < sizeof upper - 1; i++)
        upper[i] = word[i] >= 'a' && word[i] <= 'z' ? (char)(word[i] - 'a' + 'A') : word[i];
    upper[n < sizeof upper ? n : sizeof upper - 1] = '\0';
    printer_printf(out,
                   ".\\\" SPDX-License-Identifier: Apache-2.0\n"
                   ".\\\" Made by `belfry help --roff %s`.\n"
                   ".TH BELFRY\\-%s 1 \"\" \"Belfry %s\" \"User Commands\"\n"
                   ".SH NAME\nbelfry\\-%s \\- ",
                   word, upper, BELFRY_VERSION, word);
    print_text(out, str_of(summary));
    printer_text(out, "\n.SH SYNOPSIS\n");
}

static bool is_about(const struct command *command, const char *word)
{
    size_t n = strlen(word);

    return strncmp(command->name, word, n) == 0 &&
           (command->name[n] == '\0' || command->name[n] == ' ');
}

void manual_print(const char *word, struct printer *out)
{
    const struct command_group *group = group_find(word);
    const struct command *command, *last = NULL;
    const char *summary = group ? group->summary : NULL;

    for (int i = 0; !summary && (command = command_at(i)) != NULL; i++)
        summary = is_about(command, word) ? command->summary : NULL;
    print_name(out, word, summary ? summary : "");
    for (int i = 0; (command = command_at(i)) != NULL; i++)
        if (is_about(command, word))
            print_synopsis(out, command);
    printer_text(out, ".SH DESCRIPTION\n");
    for (int i = 0; (command = command_at(i)) != NULL; i++) {
        if (!is_about(command, word))
            continue;
        print_command(out, command, !group);
        /* Those with options of their own know where the shared ones end. */
        last = !last || command->own_from > 0 ? command : last;
    }
    if (!last)
        return;
    print_end(out, last);
    for (int i = 0; (command = command_at(i)) != NULL; i++)
        if (is_about(command, word))
            print_examples(out, command);
    printer_text(out, ".SH SEE ALSO\n.BR belfry (1)\n");
}
