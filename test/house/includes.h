/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The #include graph: every #include line of a tree, and the file that it names.
 */
#pragma once

#include "source.h"

enum { INCLUDED_FILES_MAX = 4000 }; /* twice what the tree has */

struct include {
    const char *name; /* as it is written */
    int line;
    bool external; /* <name>, not "name" */
    int target; /* the file that it names; -1 when the tree has none, as for generated ones */
};

struct included {
    const char *path;
    const struct include *includes;
    int count;
};

/* Stores the #include lines of one file; a source_check that reports nothing. */
int includes_note(const struct source *source);

/* Finds the file that each line names; call it after all files are stored. */
void includes_link(void);

int includes_file_count(void);
const struct included *includes_file(int index);

/* A header as others name it: "core/run.h" for src/core/run.h, "io/app.h" for test/io/app.h. */
const char *header_name(const char *path);
