/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whether a test that is named exists, and is run.
 *
 * A case of C must stand in a list of cases, in a file that belongs to a program which Meson
 * runs as a test; a case of a script must be one of a file that a test of Meson runs.  What
 * Meson runs is read from meson-info/ of the build directory, as Meson itself wrote it.
 */
#pragma once

#include "base/arena.h"
#include "table.h"

struct proofs; /* opaque */

/* NULL, said on standard output, when the build directory does not tell. */
struct proofs *proofs_open(struct arena *arena, const char *root, const char *build);
struct proofs *proofs_close(struct proofs *proofs); /* accepts NULL, returns NULL */

/* How many tests of the table are not there, or not run; each is said. */
int proofs_check(const struct proofs *proofs, const struct table *table);
