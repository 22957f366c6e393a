/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads a list of capabilities, test/mission/NAME.txt: each line with the tests that prove it.
 *
 * docs/decisions/0038 defines the format.  This file does not check that the tests exist.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* A test that proves a line: a case of a file, or a Meson test by its name. */
struct test_ref {
    const char *path; /* from the root of the tree; NULL: a Meson test        */
    const char *name; /* C function, title of a Node.js test, or Meson's name */
    int line;
    struct test_ref *next;
};

/* One line of a list. */
struct promise {
    const char *id;    /* "17", "S3", "13.2"         */
    const char *words; /* the capability             */
    const char *note;  /* NULL: none                 */
    const char *unmet; /* why it is not met, or NULL */
    const char *group; /* its heading, or NULL       */
    int line;
    struct test_ref *tests;
    struct promise *next;
};

struct table {
    const char *file; /* "test/mission/rows.txt" */
    const char *title;
    const char *about;
    int rows;     /* the number of lines that the list must have */
    int findings; /* invalid lines; a message was printed for each */
    struct promise *promises;
};

/* Prints a message and returns NULL if the file cannot be read. */
struct table *table_read(struct arena *arena, const char *root, const char *file);

/* A line is not met if it has `unmet`, or no test. */
int promise_is_met(const struct promise *promise);

/* Returns the content of a file, NUL-terminated, or NULL if it cannot be read. */
char *file_text(struct arena *arena, const char *root, const char *path);

/* Prints "file:line: message" and returns 1. */
int print_finding(const char *file, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
