/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Compares a manifest with a server and applies it; used by `belfry apply`, `diff` and
 * `import --apply`.
 */
#pragma once

#include "cli/apply/manifest.h"
#include "cli/remote/remote.h"

enum {
    APPLY_BATCH_MAX = 1000,    /* schedules per request: the server's limit            */
    APPLY_BATCH_BYTES = 900000 /* of several together: a larger request delays other
                                  clients.  A schedule above this is sent alone.       */
};

struct apply {
    struct remote *remote;
    struct manifest *manifest;
    json_t *pruned; /* ids of schedules that are in no file; JSON null: not deleted */
    /* Entries by result of the comparison; those that the server then refused are invalid. */
    int counts[DIFF_INVALID + 1];
    int failed; /* entries that the server refused      */
};

/* Asks the server what each entry would change; reports invalid entries. */
int apply_compare(struct apply *apply);

/* Finds the schedules that have the label KEY=VALUE and are in no file. */
int apply_find_pruned(struct apply *apply, const char *label);

bool apply_is_different(const struct apply *apply);

/*
 * apply_show.c: prints the changes, and the times of schedules before and after.  These
 * functions return the exit status.
 */
int apply_show(const struct apply *apply);
int apply_show_times(const struct apply *apply);
/* Prints the changes as JSON; `with_times` also fetches and prints the times. */
int apply_show_json(const struct apply *apply, bool with_times);

/* Makes the changes; reports each entry that the server refuses. */
int apply_do(struct apply *apply);

/* Prints "2 created, 1 changed, 7 unchanged": what was done, without what failed. */
int apply_print_summary(const struct apply *apply);

void apply_free(struct apply *apply);
