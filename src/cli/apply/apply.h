/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `belfry apply`, `diff` and `import --apply` share: a manifest against a server.
 */
#pragma once

#include "cli/apply/manifest.h"
#include "cli/remote/remote.h"

enum {
    APPLY_BATCH_MAX = 1000,    /* schedules of a request, as the server takes them       */
    APPLY_BATCH_BYTES = 900000 /* of them together: a request has a megabyte             */
};

struct apply {
    struct remote *remote;
    struct manifest *manifest;
    json_t *pruned;               /* names of schedules that the files lack     */
    int counts[DIFF_INVALID + 1]; /* entries by fate                            */
    int failed;                   /* that the server did not take               */
};

/* Asks the server what each entry would change; entries that are wrong are told. */
int apply_compare(struct apply *apply);

/* Schedules that have the label KEY=VALUE and that no file has. */
int apply_find_pruned(struct apply *apply, const char *label);

bool apply_is_different(const struct apply *apply);

/* apply_show.c: what would be done, and when schedules would run before and after. */
void apply_show(const struct apply *apply);
int apply_show_times(const struct apply *apply);
/* The same as JSON; the times are asked for where they are wanted. */
int apply_show_json(const struct apply *apply, bool with_times);

/* Does it; each entry that the server does not take is told. */
int apply_do(struct apply *apply);

/* "2 created, 1 changed, 7 unchanged" */
void apply_print_summary(const struct apply *apply);

void apply_free(struct apply *apply);
