/* SPDX-License-Identifier: Apache-2.0 */
/*
 * JSON text without values in between: for what is written or looked through at every fire,
 * where building a tree costs more than all the rest.
 *
 * Writing is as json_print() writes.  Looking through is for text that was checked before,
 * when it was kept; any other text gives less, or nonsense, but never bytes that are not its.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/str.h"

/* In quotes, escaped; `s` is UTF-8. */
void json_write_str(struct buf *out, struct str s);
void json_write_int(struct buf *out, int64_t n);

/* Bytes that json_write_str() takes. */
size_t json_str_length(struct str s);

/* Bytes that it takes at the most. */
static inline size_t json_str_room(struct str s)
{
    return 6 * s.len + 2; /* each as \u0000 */
}

/*
 * Takes the first member of *rest, an object's text or what this left of it.  The key comes
 * without its quotes, both as they are written.  False when there is none.
 */
bool json_next_member(struct str *rest, struct str *ret_key, struct str *ret_value);

/* The value of the member as it is written; empty when there is none or it is null. */
struct str json_find_member(struct str object, struct str name);
