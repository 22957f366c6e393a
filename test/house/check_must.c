/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that the code that decides about runs states enough invariants.
 *
 * Counts the calls of must() for each 1,000 lines of code (no blank lines, no comments) in the
 * engine and in the files of the core that decide.  static_assert does not count: it states
 * nothing about a run.  Prints the figures in any case.
 *
 * With --whole, a file of the list that does not exist is a finding too.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "source.h"
#include "tokens.h"

enum {
    ENGINE_MIN = 20, /* of 1,000 lines */
    CORE_MIN = 15,
    SMALL_MAX = 60, /* a shorter file of the core needs no must() */
    PER = 1000,
};

struct tally {
    const char *name; /* a folder, or a source and its header without their endings */
    int lines, calls;
};

static struct tally engine = {.name = "src/engine"};
static struct tally core = {.name = "src/core, the files that decide"};
static struct tally deciding[] = {
    {.name = "src/core/advance"},
    {.name = "src/core/outcome"},
    {.name = "src/core/plan"},
    {.name = "src/core/policy/governor"},
    {.name = "src/core/policy/overlap"},
    {.name = "src/core/policy/retry"},
    {.name = "src/core/run"},
    {.name = "src/core/spec/window"},
};

enum { DECIDING_COUNT = sizeof deciding / sizeof deciding[0] };

static int count_lines(const char *code)
{
    int count = 0;
    bool has_code = false;

    for (const char *p = code; *p != '\0'; p++) {
        has_code = has_code || !strchr(" \t\n", *p);
        if (*p == '\n') {
            count += has_code ? 1 : 0;
            has_code = false;
        }
    }
    return count + (has_code ? 1 : 0);
}

static int count_calls(const struct source *source)
{
    struct token *tokens = tokens_of(source);
    int count = 0;

    for (const struct token *t = tokens; t->len > 0; t++)
        count += token_is(t, "must") && token_is(t + 1, "(") ? 1 : 0;
    free(tokens);
    return count;
}

static void add(struct tally *tally, const struct source *source)
{
    tally->lines += count_lines(source->code);
    tally->calls += count_calls(source);
}

/* A source_check that finds nothing by itself. */
static int count_file(const struct source *source)
{
    if (path_is_below(source->path, engine.name))
        add(&engine, source);
    for (int i = 0; i < DECIDING_COUNT; i++) {
        size_t len = strlen(deciding[i].name);

        if (strncmp(source->path, deciding[i].name, len) == 0 &&
            strlen(source->path) == len + 2) {
            add(&deciding[i], source);
            add(&core, source);
        }
    }
    return 0;
}

/* Prints the figures; returns 1 if there are fewer than `min` in 1,000 lines. */
static int check_density(const struct tally *tally, int min)
{
    int64_t tenths;
    bool is_low = tally->calls * PER < min * tally->lines;

    if (tally->lines == 0)
        return 0;
    tenths = (int64_t)tally->calls * PER * 10 / tally->lines;
    printf("%s: %d must() in %d lines of code, %d.%d in %d", tally->name, tally->calls,
           tally->lines, (int)(tenths / 10), (int)(tenths % 10), PER);
    printf(is_low ? "; at least %d\n" : " (at least %d)\n", min);
    return is_low ? 1 : 0;
}

static int check_deciding(const struct tally *tally, bool whole)
{
    if (tally->lines == 0 && whole) {
        printf("%s.c: does not exist; correct test/house/check_must.c\n", tally->name);
        return 1;
    }
    if (tally->lines <= SMALL_MAX || tally->calls > 0)
        return 0;
    printf("%s.c: no must() in %d lines of code; state what would be a lost or doubled run\n",
           tally->name, tally->lines);
    return 1;
}

int main(int argc, char **argv)
{
    bool whole = argc == 3 && strcmp(argv[1], "--whole") == 0;
    const char *root = argv[argc - 1];
    int files = 0, found = 0;

    if (argc != 2 && !whole) {
        fprintf(stderr, "usage: check_must [--whole] ROOT\n");
        return 2;
    }
    sources_visit_c(root, count_file, &files);
    found += check_density(&engine, ENGINE_MIN);
    found += check_density(&core, CORE_MIN);
    for (int i = 0; i < DECIDING_COUNT; i++)
        found += check_deciding(&deciding[i], whole);
    return sources_report(root, found, files);
}
