/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Checks that the tests which the lists name exist and are run.
 *
 * A C test case must be in the case list of its file, and the file must belong to a program
 * that Meson runs as a test.  A Node.js test must be in a file that a Meson test runs.  The
 * tests that Meson runs are read from meson-info/ of the build directory, as Meson wrote it.
 */
#pragma once

#include "base/arena.h"
#include "table.h"

struct proofs; /* opaque */

/* Prints a message and returns NULL if meson-info/ of `build` cannot be read. */
struct proofs *proofs_open(struct arena *arena, const char *root, const char *build);
struct proofs *proofs_close(struct proofs *proofs); /* accepts NULL, returns NULL */

/* Prints each test of the table that is missing or not run; returns their number. */
int proofs_check(const struct proofs *proofs, const struct table *table);
