/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keys of rows: milliseconds since 2020, node, counter.  Rows are therefore ordered by
 * creation, and a time can be used as a position among them.
 */
#pragma once

#include <stdint.h>

#include "base/instant.h"

enum {
    KEY_NODE_BITS = 10,
    KEY_COUNT_BITS = 12,
    KEY_RESERVE_MS = 1000, /* time that a turn reserves for its keys; see node.key_ms */
};
#define KEY_EPOCH_MS INT64_C(1577836800000)   /* 2020-01-01T00:00:00Z */
#define KEY_MS_MAX   ((INT64_C(1) << 41) - 1) /* about seventy years */

/*
 * The millisecond of keys that are made at `now`.  A time outside the range is wrong and counts
 * as the first millisecond, so that no key is negative.
 */
static inline int64_t key_ms_at(instant now)
{
    int64_t ms = now / SPAN_MS;

    return ms < KEY_EPOCH_MS || ms - KEY_EPOCH_MS > KEY_MS_MAX ? KEY_EPOCH_MS : ms;
}

/* When a key was made; if many are made at once, keys run ahead of the clock. */
static inline instant key_time(int64_t key)
{
    return ((key >> (KEY_NODE_BITS + KEY_COUNT_BITS)) + KEY_EPOCH_MS) * SPAN_MS;
}

static inline int64_t key_node(int64_t key)
{
    return (key >> KEY_COUNT_BITS) & ((1 << KEY_NODE_BITS) - 1);
}

/* The smallest key that can be made at `at`. */
static inline int64_t key_of(instant at)
{
    int64_t ms = at / SPAN_MS - KEY_EPOCH_MS;

    ms = ms < 0 ? 0 : ms > KEY_MS_MAX ? KEY_MS_MAX : ms;
    return ms << (KEY_NODE_BITS + KEY_COUNT_BITS);
}
