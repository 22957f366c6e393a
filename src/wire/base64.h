/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as text and back: base64 of RFC 4648, section 4.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"

/* Room for the text of `len` bytes, with the terminating zero of a buf. */
#define BASE64_ROOM(len) (((len) + 2) / 3 * 4 + 1)

/* Appends, with padding; out->cut tells when it did not fit. */
void base64_add(struct str bytes, struct buf *out);

/*
 * Appends the bytes that the text stands for.  Padding may be left out; anything else that is
 * not base64, and bits that no byte has, are refused.
 */
MUST_USE enum rc base64_read(struct str text, struct buf *out, struct err *reterr);
