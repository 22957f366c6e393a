/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of cli/apply/manifest.h share; nobody else includes it.
 */
#pragma once

#include "cli/apply/manifest.h"

/* Tells and counts what is wrong with a file; line 0: all of it. */
void manifest_file_error(struct manifest *manifest, const char *file, int line,
                         const char *text);

/* Adds what a value is; `place` says where it stands. */
void manifest_add(struct manifest *manifest, const json_t *value,
                  const struct manifest_entry *place);
void manifest_add_all(struct manifest *manifest, const json_t *value,
                      const struct manifest_entry *place);

/* Reads a text that is kept in the manifest's arena. */
void manifest_text(struct manifest *manifest, const char *name, struct str text);

/* Puts them in order, when all were added; the status. */
int manifest_finish(struct manifest *manifest);
