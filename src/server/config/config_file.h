/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The file of the configuration as text: lines of `key = value`.
 *
 * Blank lines and lines that begin with # are skipped; behind a value a blank and # begin a
 * comment.  A value in double quotes may hold anything that is no control character, with \"
 * and \\ for these two.  What the keys mean is not known here.
 */
#pragma once

#include <stdbool.h>

#include "base/err.h"
#include "base/str.h"
#include "server/config/config.h"

struct config_file {
    struct str rest; /* what is not read yet   */
    int line;        /* of what was read last  */
};

struct config_line {
    struct str key;
    struct str value; /* without quotes and escapes; lives as long as this struct or the text */
    int line;
    int key_at, value_at; /* columns, in bytes from 0 */
    bool has_escapes;     /* then columns inside of the value are not known */
    char unescaped[CONFIG_VALUE_MAX];
};

void config_file_begin(struct config_file *file, struct str text);

/*
 * The next line that says something; *ret_found is false at the end.  On failure reterr->at is
 * the column, from 0, and file->line the line; what is in *ret, which is also the space to
 * work in, then means nothing.
 */
MUST_USE enum rc config_file_next(struct config_file *file, struct config_line *ret,
                                  bool *ret_found, struct err *reterr);

/* A value as config_file_next() reads it back: in quotes where it needs them. */
void config_file_write(struct str value, struct buf *out);
