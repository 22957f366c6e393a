/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Makes keys of rows.  Each key is greater than all that this node made before.
 */
#include "base/must.h"
#include "engine/engine_internal.h"
#include "store/key.h"

void turn_set_key_after(struct turn *turn, int64_t key)
{
    struct engine_memory *m = &turn->memory;
    int64_t ms = (key >> (KEY_NODE_BITS + KEY_COUNT_BITS)) + KEY_EPOCH_MS;

    if (ms < m->key_ms)
        return;
    m->key_ms = ms + 1;
    m->key_count = 0;
}

/* Turns may share a millisecond: otherwise keys of many short turns run ahead of the clock. */
void turn_set_key_time(struct turn *turn, instant now)
{
    struct engine_memory *m = &turn->memory;
    int64_t ms = key_ms_at(now);

    if (ms <= m->key_ms)
        return;
    m->key_ms = ms;
    m->key_count = 0;
}

int64_t turn_key(struct turn *turn)
{
    struct engine_memory *m = &turn->memory;

    must(turn->node >= 1 && turn->node < 1 << KEY_NODE_BITS); /* nodes share no key */
    must(m->key_ms >= KEY_EPOCH_MS);
    if (++m->key_count >= 1 << KEY_COUNT_BITS) {
        m->key_ms++;
        m->key_count = 0;
    }
    return (m->key_ms - KEY_EPOCH_MS) << (KEY_NODE_BITS + KEY_COUNT_BITS) |
           turn->node << KEY_COUNT_BITS | m->key_count;
}
