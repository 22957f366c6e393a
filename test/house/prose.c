/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Extracts the prose of C files and documents.
 */
#include "prose.h"

#include <stdlib.h>
#include <string.h>

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

static char *copy_of(const struct source *source)
{
    char *copy = malloc(source->len + 1);

    if (!copy)
        abort();
    memcpy(copy, source->text, source->len + 1);
    return copy;
}

/* Copies a comment without its delimiters; returns where it ends. */
static size_t copy_comment(const char *text, size_t at, char *prose)
{
    const char *close = strstr(text + at + 2, "*/");
    size_t end = close ? (size_t)(close - text) : strlen(text);
    bool fresh = false; /* nothing but blanks and stars on this line so far */

    for (size_t i = at + 2; i < end; i++) {
        fresh = text[i] == '\n' || (fresh && (is_blank(text[i]) || text[i] == '*'));
        prose[i] = fresh && text[i] == '*' ? ' ' : text[i];
    }
    return close ? end + 2 : end;
}

/* Copies the inside of a literal, if `prose` is not NULL; returns where it ends. */
static size_t copy_literal(const char *text, size_t at, char *prose)
{
    char quote = text[at++];

    while (text[at] != '\0' && text[at] != '\n' && text[at] != quote) {
        size_t n = text[at] == '\\' && text[at + 1] != '\0' ? 2 : 1;

        if (prose && n == 1)
            prose[at] = text[at];
        else if (prose)
            memset(prose + at, ' ', n);
        at += n;
    }
    return text[at] == quote ? at + 1 : at;
}

/* Joins a literal that ends before `at` with the one that follows it, if one does. */
static void join_literals(const char *text, size_t at, char *prose)
{
    size_t next = at;

    while (is_blank(text[next]))
        next++;
    if (text[next] != '"' || text[at - 1] != '"')
        return;
    for (size_t i = at - 1; i <= next; i++)
        prose[i] = text[i] == '\n' ? '\n' : ' ';
}

static char *copy_parts(const struct source *source, bool comments)
{
    const char *text = source->text;
    char *prose = copy_of(source);
    size_t at = 0;

    memset(prose, PROSE_BREAK, source->len);
    while (at < source->len) {
        if (text[at] == '"') {
            at = copy_literal(text, at, prose);
            join_literals(text, at, prose);
        } else if (text[at] == '\'') {
            at = copy_literal(text, at, NULL);
        } else if (text[at] == '/' && text[at + 1] == '*' && comments) {
            at = copy_comment(text, at, prose);
        } else if (text[at] == '/' && text[at + 1] == '*') {
            const char *close = strstr(text + at + 2, "*/");

            at = close ? (size_t)(close - text) + 2 : source->len;
        } else {
            at++;
        }
    }
    return prose;
}

/* Blanks out the signs that open comment lines in scripts. */
static void blank_openings(char *prose)
{
    for (char *p = prose; *p != '\0'; p++)
        if (*p == '#' && (p == prose || p[-1] == '\n' || p[-1] == '#'))
            *p = ' ';
}

char *prose_of(const struct source *source)
{
    char *prose;

    if (path_is_c(source->path))
        return copy_parts(source, true);
    prose = copy_of(source);
    blank_openings(prose);
    return prose;
}

char *literals_of(const struct source *source)
{
    return copy_parts(source, false);
}

int line_at(const struct source *source, size_t at)
{
    int line = 1;

    for (size_t i = 0; i < at; i++)
        line += source->text[i] == '\n' ? 1 : 0;
    return line;
}
