/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds words that the tree may not contain, or only in one place.
 *
 * These are calls of the clock, of the locale and of functions that cannot be used safely;
 * notes to self; line comments; goto in the core.  Two lines are required: the licence at the
 * top of every file, and `#pragma once` in every header.
 */
#include <stdio.h>
#include <string.h>

#include "lists.h"
#include "source.h"

struct banned {
    const char *names; /* functions, separated by blanks                     */
    const char *where; /* the folder in which they are banned; "" for all    */
    const char *home;  /* a place in it where they are allowed, or NULL      */
    const char *hint;
};

static const struct banned banned[] = {
    {"time clock clock_gettime gettimeofday timespec_get ftime localtime localtime_r gmtime "
     "gmtime_r mktime timegm timelocal strftime strptime asctime ctime difftime tzset",
     "", "src/io/clock.c test/core/time/test_tz_type.c test/io/test_clock.c bench",
     "time is handed in; io/clock.h reads it"},
    {"sleep usleep nanosleep clock_nanosleep", "", "bench",
     "wait for the event itself; a test that sleeps is slow or flaky"},
    {"strtol strtoll strtoul strtoull strtod strtof atoi atol atoll atof sscanf "
     "strtok strtok_r",
     "src", NULL, "it skips, wraps, writes or heeds the locale; parse with base/str.h"},
    {"isalnum isalpha isdigit isspace isupper islower ispunct isprint isxdigit toupper "
     "tolower strcasecmp strncasecmp strcoll setlocale",
     "src", NULL, "it heeds the locale; see base/str.h"},
    {"gets strcpy strncpy strcat strncat sprintf vsprintf alloca", "", NULL,
     "it cannot be bounded well; see base/buf.h and base/str.h"},
    {"rand srand random srandom drand48 rand_r", "", NULL,
     "chance comes from a seeded generator, so that a failure can be repeated"},
    {"malloc calloc realloc reallocarray free strdup strndup asprintf vasprintf", "src",
     /* The rows of the catalogue come and go as long as the node runs: decision 59. */
     "src/base src/io src/cli src/server src/api/catalogue",
     "memory comes from an arena (base/arena.h)"},
    {"getenv setenv putenv secure_getenv", "src", "src/io src/cli src/server",
     "the environment is read where the program starts; pass the value"},
};

static int check_call(const struct source *source, int line, const char *word, size_t len)
{
    for (size_t i = 0; i < sizeof banned / sizeof banned[0]; i++) {
        const struct banned *ban = &banned[i];

        if (!list_has(ban->names, word, len) ||
            (ban->home && list_has_path(ban->home, source->path)))
            continue;
        if (ban->where[0] == '\0' || path_is_below(source->path, ban->where))
            return source_complain(source, line, "%.*s() is banned here: %s", (int)len, word,
                                   ban->hint);
    }
    return 0;
}

/* True for a name with an argument list, unless it is a member. */
static bool is_called(const char *code, const char *word, size_t len)
{
    const char *after = word + len + strspn(word + len, " \n");

    if (word > code && (word[-1] == '.' || (word[-1] == '>' && word[-2] == '-')))
        return false;
    return *after == '(';
}

static int check_code(const struct source *source)
{
    bool in_core = path_is_below(source->path, "src/core");
    int found = 0, line = 1;

    for (const char *p = source->code; *p != '\0';) {
        size_t len = 0;

        while (is_word_char(p[len]))
            len++;
        if (len > 0 && is_called(source->code, p, len))
            found += check_call(source, line, p, len);
        if (in_core && len == 4 && memcmp(p, "goto", 4) == 0)
            found += source_complain(source, line, "goto in the core: return from a function");
        if (p[0] == '/' && p[1] == '/') {
            found += source_complain(source, line, "line comment: write it as /* ... */");
            len = 2;
        }
        line += *p == '\n' ? 1 : 0;
        p += len > 0 ? len : 1;
    }
    return found;
}

static int check_notes(const struct source *source)
{
    static const char notes[] = "TO"
                                "DO FIX"
                                "ME"; /* in halves, or this file would fail */
    int found = 0, line = 1;

    for (const char *p = source->text; *p != '\0';) {
        size_t len = 0;

        while (is_word_char(p[len]))
            len++;
        if (len > 0 && list_has(notes, p, len))
            found += source_complain(source, line, "%.*s: do it now, or open an issue",
                                     (int)len, p);
        line += *p == '\n' ? 1 : 0;
        p += len > 0 ? len : 1;
    }
    return found;
}

static int check_words(const struct source *source)
{
    static const char licence[] = "/* SPDX-License-Identifier: Apache-2.0 */\n";
    int found = 0;

    if (strncmp(source->text, licence, strlen(licence)) != 0)
        found += source_complain(source, 1, "the first line must be: %.*s",
                                 (int)strlen(licence) - 1, licence);
    if (path_ends(source->path, ".h") && !strstr(source->code, "\n#pragma once\n"))
        found += source_complain(source, 1, "a header needs the line: #pragma once");
    return found + check_code(source) + check_notes(source);
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: check_words ROOT\n");
        return 2;
    }
    return sources_check(argv[1], check_words);
}
