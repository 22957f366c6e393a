/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A hash of a run's identity, as a key of maps; different runs may have the same.  Internal to
 * the engine.
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
