/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The syntax of the configuration file: lines of `key = value`.
 *
 * Blank lines and lines that begin with # are skipped; after a value, a blank and # begin a
 * comment.  A value in double quotes may contain everything except control characters, with \"
 * and \\ for these two.  This file does not know the keys.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "server/config/config.h"

struct config_file {
    struct str rest; /* not read yet            */
    int line;        /* number of the last line */
};

struct config_line {
    struct str key;
    struct str value; /* without quotes and escapes; valid as long as struct and text */
    int line;
    int key_at, value_at; /* columns in bytes, from 0                  */
    bool has_escapes;     /* then columns inside the value are unknown */
    char unescaped[CONFIG_VALUE_MAX];
};

void config_file_begin(struct config_file *file, struct str text);

/*
 * Reads the next line with a key; *ret_found is false at the end.  On failure, reterr->at is
 * the column, from 0, file->line is the line, and the content of *ret is undefined, because it
 * also serves as a buffer.
 */
MUST_USE enum rc config_file_next(struct config_file *file, struct config_line *ret,
                                  bool *ret_found, struct err *reterr);

/* Prints a value so that config_file_next() reads it back; adds quotes if needed. */
void config_file_write(struct str value, struct buf *out);
