/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks the lists in test/mission: no line is missing, every test that a line names exists
 * and is run, and docs/mission.md is what the lists generate.  With --write, writes that page.
 */
#include <stdio.h>
#include <string.h>

#include "page.h"
#include "proof.h"
#include "table.h"

enum { MEMORY = 1 << 29 }; /* the test files; one that several lines name is read each time */

static const char page_path[] = "docs/mission.md";

static const char *const lists[] = {
    "test/mission/rows.txt",   "test/mission/conductor.txt", "test/mission/hints.txt",
    "test/mission/agents.txt", "test/mission/jobs.txt",      "test/mission/knobs.txt",
};

enum { LISTS = sizeof lists / sizeof lists[0] };

static int write_page(const char *root, const char *text)
{
    char path[4096];
    FILE *file;
    int failed;

    snprintf(path, sizeof path, "%s/%s", root, page_path);
    file = fopen(path, "wb");
    if (!file || fputs(text, file) < 0) {
        perror(path);
        return 1;
    }
    failed = fclose(file) != 0;
    return failed;
}

static int check_page(struct arena *arena, const char *root, const char *text)
{
    const char *got = file_text(arena, root, page_path);
    int line = 1;

    if (got && strcmp(got, text) == 0)
        return 0;
    for (const char *a = text, *b = got; b && *a == *b; a++, b++)
        line += *a == '\n' ? 1 : 0;
    return print_finding(page_path, line,
                         "differs from the lists in test/mission; run script/mission");
}

static int check(struct arena *arena, const char *root, const char *build, int writing)
{
    struct table *tables[LISTS] = {NULL};
    struct proofs *proofs = proofs_open(arena, root, build);
    int found = 0;
    const char *text;

    if (!proofs)
        return 2;
    for (size_t i = 0; i < LISTS; i++) {
        tables[i] = table_read(arena, root, lists[i]);
        found += tables[i] ? tables[i]->findings + proofs_check(proofs, tables[i]) : 1;
    }
    proofs_close(proofs);
    if (found > 0)
        return 1;
    text = page_text(arena, tables, LISTS);
    return writing ? write_page(root, text) : check_page(arena, root, text);
}

int main(int argc, char **argv)
{
    int writing = argc > 1 && strcmp(argv[1], "--write") == 0;
    struct arena *arena;
    int status;

    if (argc != 3 + writing) {
        fprintf(stderr, "usage: mission [--write] ROOT BUILD\n");
        return 2;
    }
    arena = arena_new(MEMORY);
    status = check(arena, argv[1 + writing], argv[2 + writing], writing);
    arena_free(arena);
    return status;
}
