/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where in a text an error is: the text on one line, carets under the part.
 *
 *       61 * * * *
 *       ^^
 */
#pragma once

#include "base/buf.h"
#include "base/str.h"

enum {
    CARET_WIDTH = 72,          /* columns of text that are shown; a longer one is cut around */
    CARET_TEXT_MAX = 4 * 1024, /* bytes that any two lines fit into                          */
};

/*
 * Two lines, each indented by two and ended.  `at` and `len` are bytes of `text`; len 0 is one
 * caret, at == text.len points behind the end.  What is not printable ASCII is shown
 * escaped, so that one character takes one column.
 */
void caret_lines(struct str text, size_t at, size_t len, struct buf *out);
