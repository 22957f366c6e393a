/* SPDX-License-Identifier: Apache-2.0 */
/* base64 of RFC 4648, section 4, in both directions. */
#pragma once

#include "base/buf.h"
#include "base/err.h"

/* Size of the text of `len` bytes, with the terminating zero of a buf. */
#define BASE64_ROOM(len) (((len) + 2) / 3 * 4 + 1)

/* Appends, with padding; out->cut is true if it did not fit. */
void base64_add(struct str bytes, struct buf *out);

/*
 * Appends the decoded bytes.  Padding may be omitted; all other deviations, and unused bits
 * that are not zero, are rejected.
 */
MUST_USE enum rc base64_read(struct str text, struct buf *out, struct err *reterr);
