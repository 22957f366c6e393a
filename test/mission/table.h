/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A list of what was promised, each line with the tests that show it.
 *
 * Reads test/mission/NAME.txt; how it is written is said in docs/decisions/0038.  Nothing here
 * knows whether the tests exist.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* One test that shows a promise: a case of a file, or a test of Meson by its name. */
struct shown {
    const char *path; /* from the root of the tree; NULL: `name` is Meson's  */
    const char *name; /* the case: a function of C, or the title of a script's */
    int line;
    struct shown *next;
};

struct promise {
    const char *id;    /* "17", "S3", "13.2" */
    const char *words; /* the capability     */
    const char *note;  /* NULL: nothing      */
    const char *unmet; /* why it is not met; NULL: its tests speak  */
    const char *group; /* the heading under which it stands, or NULL */
    int line;
    struct shown *tests;
    struct promise *next;
};

struct table {
    const char *file; /* "test/mission/rows.txt" */
    const char *title;
    const char *about;
    int rows;     /* how many promises there must be */
    int findings; /* lines that could not be read; each was said */
    struct promise *promises;
};

/* NULL, said on standard output, when the file cannot be read. */
struct table *table_read(struct arena *arena, const char *root, const char *file);

/* Not met: says so, or has no test. */
int promise_is_met(const struct promise *promise);

/* The whole of a file, terminated; NULL when it cannot be read. */
char *file_text(struct arena *arena, const char *root, const char *path);

/* Prints "file:line: message" and returns 1. */
int complain(const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
