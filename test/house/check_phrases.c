/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds phrases that are not plain English, and says what to write instead.
 *
 * Reads the comments and string literals of C files, the documents, the manual, the scripts and
 * the description of the API.  A phrase may continue on the next line, but not in the next
 * paragraph.  Names of functions are not prose.
 *
 * With --count, prints the number of findings in each folder instead of the findings.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lists.h"
#include "prose.h"
#include "source.h"

struct phrase {
    const char *words;      /* * at the end: and another word */
    const char *instead;    /* NULL: good English, although one below is part of it */
    const char *not_after;  /* words before it with which it is good English */
    const char *not_before; /* words after it with which it is               */
};

/* "is no longer" and "there is no limit" are good, "that is no number" is not. */
#define THERE "there"
#define DEGREES                                                                            \
    "longer more less better worse nearer later earlier shorter larger smaller different " \
    "greater higher lower older newer fewer deeper slower faster use one"

/* "of late slots" is good, "of late" for "recently" is not. */
#define LATE_THINGS \
    "slot slots run runs start starts answer answers event events report reports row rows"

static const struct phrase phrases[] = {
    {"is told", "name who says it: the server returns, reports, logs", "", ""},
    {"are told", "name who says it: the server returns, reports, logs", "", ""},
    {"was told", "name who said it: the server returned, reported, logged", "", ""},
    {"were told", "name who said it: the server returned, reported, logged", "", ""},
    {"is no such", "does not exist, is not found, is unknown", "", ""},
    {"are no such", "do not exist, are not found, are unknown", "", ""},
    {"is no *", "is not a, is not, is invalid", THERE, DEGREES},
    {"are no *", "are not, are invalid", THERE, DEGREES},
    {"was no *", "was not a, was not, was invalid", THERE, DEGREES},
    {"were no *", "were not, were invalid", THERE, DEGREES},
    {"whoever", "the client, the caller, any user who", "", ""},
    {"whatever", "any, all, regardless of", "", ""},
    {"hangs on", "depends on", "", ""},
    {"hang on", "depend on", "", ""},
    {"hung on", "depended on", "", ""},
    {"anew", "again", "", ""},
    {"of late", "recently", "", LATE_THINGS},
    {"may everything", "has full access", "", ""},
    {"comes to its end", "ends, finishes", "", ""},
    {"come to their end", "end, finish", "", ""},
    {"that which", "what, the one that", "", ""},
    {"of somebody", "of another user, of a client", "", ""},
    {"is to be had", "is available", "", ""},
    {"are to be had", "are available", "", ""},
    {"besides", "also, in addition to, except", "", ""},
    {"apart by", "separated by", "", ""},
    {"nobody asked", "name who did not ask: no client requested", "", ""},
    {"stands in for", NULL, "", ""},
    {"stands in the way", NULL, "", ""},
    {"stands in", "is in", "", ""},
    {"a portion a turn", "a limited number in each turn", "", ""},
};

enum { FOLDERS_MAX = 500 };

static struct folder {
    char path[WORD_BYTES_MAX];
    int found;
} folders[FOLDERS_MAX];

static int folder_count;
static bool counting;

static bool is_blank(char c)
{
    return c == ' ' || c == '\t' || c == '\n';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Skips blanks; NULL if they contain an empty line, because a paragraph ends there. */
static const char *skip_blanks(const char *p)
{
    int lines = 0;

    for (; is_blank(*p); p++)
        lines += *p == '\n' ? 1 : 0;
    return lines < 2 ? p : NULL;
}

/* The end of the phrase that begins at `p`; NULL if other text is there. */
static const char *match(const char *p, const char *words)
{
    for (; *words != '\0'; words++) {
        if (*words == '*')
            return is_word_char(*p) ? p : NULL;
        if (*words == ' ') {
            if (!is_blank(*p))
                return NULL;
            p = skip_blanks(p);
            if (!p)
                return NULL;
        } else if (lower(*p++) != *words) {
            return NULL;
        }
    }
    return is_word_char(*p) ? NULL : p;
}

static bool list_has_lower(const char *list, const char *word, size_t len)
{
    char copy[WORD_BYTES_MAX];

    if (len >= sizeof copy)
        return false;
    for (size_t i = 0; i < len; i++)
        copy[i] = lower(word[i]);
    return list_has(list, copy, len);
}

static bool is_after(const char *prose, const char *at, const char *list)
{
    const char *end = at;
    size_t len = 0;

    while (end > prose && is_blank(end[-1]))
        end--;
    while (end - len > prose && is_word_char(end[-1 - (ptrdiff_t)len]))
        len++;
    return list_has_lower(list, end - len, len);
}

static bool is_before(const char *end, const char *list)
{
    const char *word = skip_blanks(end);
    size_t len = 0;

    while (word && is_word_char(word[len]))
        len++;
    return word && list_has_lower(list, word, len);
}

static void count_finding(const char *path)
{
    char folder[WORD_BYTES_MAX];
    int i = 0;

    folder_of(path, folder);
    while (i < folder_count && strcmp(folders[i].path, folder) != 0)
        i++;
    if (i == FOLDERS_MAX)
        abort();
    if (i == folder_count)
        memcpy(folders[folder_count++].path, folder, sizeof folder);
    folders[i].found++;
}

static int complain(const struct source *source, size_t at, const struct phrase *phrase)
{
    count_finding(source->path);
    if (counting)
        return 1;
    return source_complain(source, line_at(source, at), "\"%s\": write plainly: %s",
                           phrase->words, phrase->instead);
}

static const struct phrase *find_phrase(const char *prose, const char *at)
{
    for (size_t i = 0; i < sizeof phrases / sizeof phrases[0]; i++) {
        const struct phrase *phrase = &phrases[i];
        const char *end = match(at, phrase->words);

        if (end && !is_after(prose, at, phrase->not_after) &&
            !is_before(end, phrase->not_before))
            return phrase;
    }
    return NULL;
}

static int check_phrases(const struct source *source)
{
    char *prose = prose_of(source);
    int found = 0;

    for (const char *p = prose; *p != '\0'; p++) {
        const struct phrase *phrase = NULL;

        if (is_word_char(*p) && (p == prose || !is_word_char(p[-1])))
            phrase = find_phrase(prose, p);
        if (phrase && phrase->instead)
            found += complain(source, (size_t)(p - prose), phrase);
    }
    free(prose);
    return found;
}

/*
 * Accepts the files that people read: not data that others wrote, not the table above, and not
 * the page that script/mission generates from the lists in test/mission.
 */
static bool is_read(const char *path)
{
    if (list_has_path("test/data fuzz/corpus docs/mission.md test/house/check_phrases.c "
                      "src/store/schema.c",
                      path))
        return false;
    if (path_is_c(path) || path_ends(path, ".md") || path_ends(path, "meson.build"))
        return true;
    if (list_has_path("man packaging script", path))
        return true;
    if (path_is_below(path, "test/mission") && path_ends(path, ".txt"))
        return true;
    return path_is_below(path, "src/api/openapi") && path_ends(path, ".json");
}

int main(int argc, char **argv)
{
    struct visit visit = {.root = argv[argc - 1], .wants = is_read, .check = check_phrases};
    int files = 0, found;

    counting = argc == 3 && strcmp(argv[1], "--count") == 0;
    if (argc != 2 && !counting) {
        fprintf(stderr, "usage: check_phrases [--count] ROOT\n");
        return 2;
    }
    found = sources_visit(&visit, "", &files);
    for (int i = 0; counting && i < folder_count; i++)
        printf("%6d %s\n", folders[i].found, folders[i].path[0] ? folders[i].path : ".");
    return sources_report(visit.root, found, files);
}
