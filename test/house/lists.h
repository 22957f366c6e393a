/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists of words in one string, separated by blanks: the form of every table in this folder.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

enum { WORD_BYTES_MAX = 200 }; /* longest word or path that a list holds */

/* Copies the first word of *list to `word` and moves *list past it; false at the end. */
bool next_word(const char **list, char word[WORD_BYTES_MAX]);

bool list_has(const char *list, const char *word, size_t len);

/* True when a word of the list is the path or a folder above it, or the list is "*". */
bool list_has_path(const char *list, const char *path);

/* True when a word of the list, with * and ? as in the shell, matches the name. */
bool list_matches(const char *list, const char *name);

/* The folder of a file's name: "core/time" of "core/time/tz.h". */
const char *folder_of(const char *name, char ret[WORD_BYTES_MAX]);

/*
 * True when a word covers the name of a file: "core" and "core/time" cover the files directly
 * in that folder, "core/" also all below it, "core/run.h" itself, "*" everything.
 */
bool word_covers(const char *word, const char *name);

/* True when a word of the list covers the name; sets its place in `used`, if not NULL. */
bool list_covers(const char *list, const char *name, bool *used);

/* True for the characters of identifiers. */
bool is_word_char(char c);
