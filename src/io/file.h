/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reading of small files, and the three that every program has.
 */
#pragma once

#include <stddef.h>
#include <sys/types.h>

/*
 * Reads the first `room` bytes, or all when there are fewer, of a file below the directory
 * `dir`, and returns how many.  -1 with errno; EISDIR for everything that is not a regular
 * file.  Never waits, whatever the name stands for.
 */
ssize_t file_read_at(int dir, const char *name, void *bytes, size_t room);

/*
 * Standard input, output and error that whoever started the program has closed are made files
 * that cannot be used: else the next file or connection would get the number, and what is meant
 * for people would be written into it.  For the beginning of main().
 */
void file_hold_standard(void);
