/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The text of a file that people read: comments and string literals of C, or a whole document.
 */
#pragma once

#include "source.h"

/*
 * Returns a copy of the text, of the same length, in which everything but prose is PROSE_BREAK.
 * The stars that open the lines of a comment, the escapes of a literal and the text between two
 * literals that the compiler joins are blanks.  The caller frees it.
 */
char *prose_of(const struct source *source);

/* The same for string literals only. */
char *literals_of(const struct source *source);

#define PROSE_BREAK '\1'

/* The line number, from 1, of a position in the text. */
int line_at(const struct source *source, size_t at);
