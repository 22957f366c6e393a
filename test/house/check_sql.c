/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that SQL takes the numbers of enumerations from macros.
 *
 * A statement of the store or the engine that compares or sets such a column with a digit would
 * silently go wrong when the enumeration changes; a static_assert ties a macro to its enum.
 * Released migrations (store/schema.c) never change and are excepted.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lists.h"
#include "prose.h"
#include "source.h"

static const char columns[] = "dialect kind lane outcome reason role state";

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

static const char *skip_blanks(const char *p)
{
    while (is_blank(*p))
        p++;
    return p;
}

/* Skips a keyword and the text between it and the value; NULL if the keyword is not there. */
static const char *skip_keyword(const char *p, const char *keyword)
{
    for (; *keyword != '\0'; keyword++, p++)
        if ((*p & ~0x20) != *keyword)
            return NULL;
    return is_word_char(*p) ? NULL : skip_blanks(p);
}

/* The start of the value that a column is compared with; NULL if it is not compared. */
static const char *compared_with(const char *p)
{
    const char *value;

    p = skip_blanks(p);
    if (strchr("=<>!", *p))
        return skip_blanks(p + strspn(p, "=<>!"));
    value = skip_keyword(p, "NOT");
    p = value ? value : p;
    value = skip_keyword(p, "IN");
    if (value && *value == '(')
        return skip_blanks(value + 1);
    value = skip_keyword(p, "BETWEEN");
    return value ? value : skip_keyword(p, "WHEN");
}

static int check_sql(const struct source *source)
{
    char *sql;
    int found = 0;

    if (!list_has_path("src/store src/engine", source->path) ||
        path_is_below(source->path, "src/store/schema.c"))
        return 0;
    sql = literals_of(source);
    for (const char *p = sql; *p != '\0';) {
        const char *value = NULL;
        size_t len = 0;

        while (is_word_char(p[len]))
            len++;
        if (len > 0 && list_has(columns, p, len))
            value = compared_with(p + len);
        if (value && *value >= '0' && *value <= '9')
            found += source_complain(source, line_at(source, (size_t)(p - sql)),
                                     "'%.*s' with the number %.*s in SQL; use the macro "
                                     "next to the enum",
                                     (int)len, p, (int)strspn(value, "0123456789"), value);
        p += len > 0 ? len : 1;
    }
    free(sql);
    return found;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: check_sql ROOT\n");
        return 2;
    }
    return sources_check(argv[1], check_sql);
}
