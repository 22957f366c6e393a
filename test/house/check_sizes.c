/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the size limits of files, functions, lines, nesting and parameter lists.
 *
 * They are limits, not aims: code that comes near one should be split.  The parser below knows
 * just enough C to find the statements in a function body.  It reads tokens, so neither layout
 * nor comments nor literals mislead it; preprocessor lines are skipped.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source.h"
#include "tokens.h"

enum {
    LINES_OF_C_MAX = 600,
    LINES_OF_H_MAX = 150,
    LINES_OF_FUNCTION_MAX = 70,
    NESTING_MAX = 3,
    PARAMETERS_MAX = 6,
    COLUMNS_MAX = 96,
};

struct file {
    const struct source *source;
    struct token *tokens;
    int found;
};

/* Skips the declaration or expression at `t` and its semicolon. */
static const struct token *skip_plain(const struct token *t)
{
    while (t->len > 0 && !token_is(t, ";") && !token_is(t, "}"))
        t = strchr("([{", t->at[0]) ? skip_group(t) : t + 1;
    return token_is(t, ";") ? t + 1 : t;
}

static const struct token *statement(struct file *file, const struct token *t, int level);

static const struct token *block(struct file *file, const struct token *t, int level)
{
    t++;
    while (t->len > 0 && !token_is(t, "}"))
        t = statement(file, t, level);
    return t->len > 0 ? t + 1 : t;
}

/* The statement under an `if`, a loop or a switch: one level deeper. */
static const struct token *governed(struct file *file, const struct token *keyword,
                                    const struct token *t, int level)
{
    if (level == NESTING_MAX)
        file->found += source_complain(file->source, keyword->line,
                                       "'%.*s' nested deeper than %d; return early, or make "
                                       "the inner part a function",
                                       keyword->len, keyword->at, NESTING_MAX);
    return statement(file, t, level + 1);
}

static const struct token *if_statement(struct file *file, const struct token *t, int level)
{
    const struct token *keyword = t;

    t = governed(file, keyword, skip_group(t + 1), level);
    if (!token_is(t, "else"))
        return t;
    if (token_is(t + 1, "if")) /* a chain is one decision: no deeper than its first if */
        return if_statement(file, t + 1, level);
    return statement(file, t + 1, level + 1);
}

static const struct token *do_statement(struct file *file, const struct token *t, int level)
{
    return skip_plain(governed(file, t, t + 1, level));
}

/* A macro in the place of a loop head: FOR_EACH(x, list) { ... */
static bool is_loop_macro(const struct token *t)
{
    return token_is_word(t) && token_is(t + 1, "(") && token_is(skip_group(t + 1), "{");
}

static const struct token *statement(struct file *file, const struct token *t, int level)
{
    static const char *const heads[] = {"for", "while", "switch", NULL};

    if (token_is(t, "{"))
        return block(file, t, level);
    if (token_is(t, "if"))
        return if_statement(file, t, level);
    if (token_is(t, "do"))
        return do_statement(file, t, level);
    if (token_is_one_of(t, heads) || is_loop_macro(t))
        return governed(file, t, skip_group(t + 1), level);
    if (token_is(t, "case") || token_is(t, "default")) {
        while (t->len > 0 && !token_is(t, ":"))
            t++;
        return t->len > 0 ? t + 1 : t;
    }
    return skip_plain(t);
}

/* A type that occurs only in parameter lists that a library prescribes. */
static bool is_dictated(const struct token *t)
{
    static const char *const types[] = {"nghttp2_data_source", NULL};

    return token_is_one_of(t, types);
}

static void check_parameters(struct file *file, const struct token *name)
{
    const struct token *end = skip_group(name + 1);
    int count = 1;

    for (const struct token *t = name + 2; t < end - 1;) {
        if (token_is(t, ",") && !token_is(t + 1, "."))
            count++;
        if (is_dictated(t))
            return;
        t = strchr("([{", t->at[0]) ? skip_group(t) : t + 1;
    }
    if (count > PARAMETERS_MAX)
        file->found += source_complain(file->source, name->line,
                                       "%.*s() has %d parameters, at most %d; give it a struct",
                                       name->len, name->at, count, PARAMETERS_MAX);
}

static void check_function(struct file *file, const struct declaration *declaration)
{
    const struct token *end = block(file, declaration->body, 0);
    int lines = end[-1].line - declaration->from->line + 1;

    if (lines > LINES_OF_FUNCTION_MAX)
        file->found += source_complain(file->source, declaration->from->line,
                                       "%.*s() has %d lines, at most %d; take out a step that "
                                       "deserves a name",
                                       declaration->name->len, declaration->name->at, lines,
                                       LINES_OF_FUNCTION_MAX);
}

static void check_functions(struct file *file)
{
    const struct token *t = file->tokens;
    struct declaration declaration;

    while (next_declaration(&t, &declaration)) {
        if (!declaration.name)
            continue;
        check_parameters(file, declaration.name);
        if (declaration.body)
            check_function(file, &declaration);
    }
}

/* Counts the columns of a line: every byte that does not continue a UTF-8 sequence. */
static int columns(const char *line)
{
    int count = 0;

    for (; *line != '\0' && *line != '\n'; line++)
        if (((unsigned char)*line & 0xc0) != 0x80)
            count++;
    return count;
}

static int check_lines(const struct source *source)
{
    int max = path_ends(source->path, ".h") ? LINES_OF_H_MAX : LINES_OF_C_MAX;
    int found = 0, line = 0;

    for (const char *p = source->text; *p != '\0';) {
        line++;
        if (columns(p) > COLUMNS_MAX)
            found += source_complain(source, line, "%d columns, at most %d; break the line",
                                     columns(p), COLUMNS_MAX);
        p += strcspn(p, "\n");
        p += *p == '\n' ? 1 : 0;
    }
    if (line > max)
        found += source_complain(source, line,
                                 "%d lines, at most %d; split the file by subject", line, max);
    return found;
}

static int check_sizes(const struct source *source)
{
    struct file file = {.source = source, .tokens = tokens_of(source)};

    check_functions(&file);
    free(file.tokens);
    return file.found + check_lines(source);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: check_sizes ROOT\n");
        return 2;
    }
    return sources_check(argv[1], check_sizes);
}
