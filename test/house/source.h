/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Iterates over the C files of a tree, for the checks in this folder.
 *
 * A check is a function that reads one file and returns how many findings it reported.
 * This file contains no rule itself.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

struct source {
    const char *path; /* from the root of the tree: "src/core/time/tz.c" */
    const char *text;
    size_t len;

    /*
     * Same length as the text, but comments and the insides of string and character
     * literals are blanks (newlines stay).  A line comment keeps its two slashes.
     */
    const char *code;
};

typedef int source_check(const struct source *source);

/*
 * Runs `check` on every .c and .h below src, sim, test, fuzz and bench of `root`, in order
 * of their names, but not on the trees test/house/bad and test/house/good.  Returns
 * the exit status of a test program: 0 if files were read and nothing was found.
 */
int sources_check(const char *root, source_check *check);

/* The two halves of sources_check(), for a check that needs the whole tree for its findings. */
int sources_visit_c(const char *root, source_check *check, int *files);
int sources_report(const char *root, int found, int files);

/* Runs `check` on the files below `folder` of the root ("" for all) that `wants` accepts. */
struct visit {
    const char *root;
    bool (*wants)(const char *path);
    source_check *check;
};

int sources_visit(const struct visit *visit, const char *folder, int *files);

/* Prints "path:line: message" and returns 1, so that callers add up findings. */
int source_complain(const struct source *source, int line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

bool path_is_below(const char *path, const char *folder);
bool path_ends(const char *path, const char *ending);
bool path_is_c(const char *path);
