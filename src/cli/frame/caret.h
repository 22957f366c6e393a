/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shows where in a text an error is: the text on one line, carets below the error.
 *
 *       61 * * * *
 *       ^^
 */
#pragma once

#include "base/buf.h"
#include "base/str.h"

enum {
    CARET_WIDTH = 72,      /* columns of text shown; a longer text is cut around the error */
    CARET_TEXT_MAX = 4096, /* bytes; more than both lines need                             */
};

/*
 * Appends two lines, each indented by two spaces and ended by a line break.  `at` and `len` are
 * bytes of `text`; len 0 gives one caret, at == text.len points after the end.  Bytes that are
 * not printable ASCII are shown as escapes, so that the width does not depend on the terminal.
 */
void caret_lines(struct str text, size_t at, size_t len, struct buf *out);
