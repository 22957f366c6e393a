/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A number for a run, for tables: two runs have the same only by chance.  Internal to the
 * engine.
 */
#pragma once

#include <stdint.h>

#include "base/hash.h"
#include "base/instant.h"

static inline int64_t run_key(int64_t schedule, instant slot, int64_t pass)
{
    return (int64_t)hash_u64(hash_u64(hash_u64((uint64_t)schedule) + (uint64_t)slot) +
                             (uint64_t)pass);
}
