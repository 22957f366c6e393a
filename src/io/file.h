/* SPDX-License-Identifier: Apache-2.0 */
/* Reads small files, and protects the three standard descriptors. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/*
 * Reads up to `room` bytes from the start of a file below the directory `dir`, and returns
 * their number.  -1 with errno; EISDIR for everything that is not a regular file.  Never
 * blocks, for any kind of file.
 */
ssize_t file_read_at(int dir, const char *name, void *bytes, size_t room);

/*
 * Opens standard input, output and error as unusable files if the parent process closed them:
 * otherwise the next file or connection would get such a number, and messages for users would
 * be written into it.  Call it at the start of main().
 */
void file_fill_standard(void);
