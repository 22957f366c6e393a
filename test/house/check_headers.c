/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that every C file opens with a comment that says what the file is for.
 *
 * The comment must follow the licence line, before everything else, and have some words.
 */
#include <stdio.h>
#include <string.h>

#include "lists.h"
#include "source.h"

enum { WORDS_MIN = 3 }; /* fewer only repeat the name of the file */

static int count_words(const char *from, const char *to)
{
    int count = 0;

    for (const char *p = from; p < to; p++)
        count += is_word_char(*p) && !is_word_char(p[1]) ? 1 : 0;
    return count;
}

static int check_header(const struct source *source)
{
    const char *p = source->text, *end;

    if (strncmp(p, "/* SPDX-", 8) == 0)
        p += strcspn(p, "\n");
    p += strspn(p, " \n");
    end = strncmp(p, "/*", 2) == 0 ? strstr(p, "*/") : NULL;
    if (end && count_words(p, end) >= WORDS_MIN)
        return 0;
    return source_complain(source, 2, "no comment that says what the file is for");
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: check_headers ROOT\n");
        return 2;
    }
    return sources_check(argv[1], check_header);
}
