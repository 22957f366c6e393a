/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the manifest*.c files; not for others.
 */
#pragma once

#include "cli/apply/manifest.h"

/* Prints and counts an error in a file; line 0: in the whole file. */
void manifest_file_error(struct manifest *manifest, const char *file, int line,
                         const char *text);

/*
 * Sets kind and id of the entry and reports its errors.  True: the caller adds it.  A schedule
 * with a wrong id is added too, so that the server reports its other errors.
 */
bool manifest_check(struct manifest *manifest, const json_t *value,
                    struct manifest_entry *entry);

/* Adds a value as one entry, or as all entries of a list; `place` is its position. */
void manifest_add(struct manifest *manifest, const json_t *value,
                  const struct manifest_entry *place);
void manifest_add_all(struct manifest *manifest, const json_t *value,
                      const struct manifest_entry *place);

/* Adds the entries of a text that is in the manifest's arena. */
void manifest_add_text(struct manifest *manifest, const char *name, struct str text);

/* Sorts the entries after all were added; returns the exit status. */
int manifest_finish(struct manifest *manifest);
