/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides after each commit whether to signal; for the writer, except commit_signal_bit().
 */
#include "server/commit_signal.h"

#include "api/events/event_filter.h"
#include "base/hash.h"

enum { BIT_MASK = 63 };

uint64_t commit_signal_bit(const struct run_id *run)
{
    uint64_t sum = hash_u64((uint64_t)run->schedule) ^ (uint64_t)run->slot_ms ^
                   (uint64_t)run->pass << 32;

    return UINT64_C(1) << (hash_u64(sum) & BIT_MASK);
}

static uint64_t touched(const struct turn_in *in, const struct turn_out *out)
{
    uint64_t bits = 0;

    for (int i = 0; i < in->report_count; i++)
        if (in->reports[i].log.len > 0)
            bits |= commit_signal_bit(&in->reports[i].run);
    for (int i = 0; i < out->event_count; i++) {
        const struct event *e = &out->events[i];

        if (event_has_run(e))
            bits |= commit_signal_bit(
                &(struct run_id){e->schedule, e->slot / SPAN_MS, (uint32_t)e->pass});
    }
    return bits;
}

static bool raise_signal(struct commit_signal *signal, uint64_t bits)
{
    atomic_fetch_or(&signal->touched, bits);
    return atomic_exchange(&signal->is_wanted, false);
}

bool commit_signal_turn(struct commit_signal *signal, const struct turn_in *in,
                        const struct turn_out *out)
{
    uint64_t bits;

    if (!atomic_load(&signal->has_listeners))
        return false;
    bits = touched(in, out);
    return (bits != 0 || out->event_count > 0) && raise_signal(signal, bits);
}

bool commit_signal_other_nodes(struct commit_signal *signal)
{
    return atomic_load(&signal->has_listeners) && raise_signal(signal, UINT64_MAX);
}
