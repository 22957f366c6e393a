/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON text without intermediate values: for text that is written or searched for every run,
 * where building a tree would cost more than everything else.
 *
 * Writes as json_print() does.  Searching is for text that was checked before it was stored;
 * for any other text the result is incomplete or wrong, but never outside the text.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* In quotes, escaped; `s` is UTF-8. */
void json_write_str(struct buf *out, struct str s);
void json_write_int(struct buf *out, int64_t n);

/* Bytes that json_write_str() writes. */
size_t json_str_length(struct str s);

/* Maximum bytes that it writes. */
static inline size_t json_str_room(struct str s)
{
    return 6 * s.len + 2; /* each as \u0000 */
}

/*
 * Removes the first member from *rest, which is an object's text or the remainder of a previous
 * call.  The key comes without its quotes; both are as written.  False if there are no more.
 */
bool json_next_member(struct str *rest, struct str *ret_key, struct str *ret_value);

/*
 * The value of a member as written; empty if it is missing or null.  Names are compared as
 * written: a name that needs escapes is not found.
 */
struct str json_find_member(struct str object, struct str name);
