/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ends of the last runs: see recent.h.
 */
#include "core/recent.h"

#include "base/must.h"

enum { BITS = 2, MASK = (1 << BITS) - 1 };

enum recent recent_of(enum outcome outcome)
{
    must(outcome >= OUTCOME_SUCCEEDED && outcome <= OUTCOME_UNKNOWN);
    if (outcome == OUTCOME_SUCCEEDED)
        return RECENT_SUCCEEDED;
    return outcome_is_failure(outcome) ? RECENT_FAILED : RECENT_OTHER;
}

int64_t recent_push(int64_t recent, enum recent newest)
{
    must(newest > RECENT_NONE && newest <= RECENT_OTHER); /* else the older ones are lost */
    return (int64_t)((uint64_t)recent << BITS | (uint64_t)newest);
}

enum recent recent_at(int64_t recent, int n)
{
    must(n >= 0 && n < RECENT_MAX);
    return (enum recent)((uint64_t)recent >> (n * BITS) & MASK);
}

int recent_count(int64_t recent)
{
    int count = 0;

    while (count < RECENT_MAX && recent_at(recent, count) != RECENT_NONE)
        count++;
    return count;
}

int recent_failures(int64_t recent, int last)
{
    int failures = 0;

    for (int i = 0; i < last && i < RECENT_MAX; i++)
        failures += recent_at(recent, i) == RECENT_FAILED;
    return failures;
}

bool recent_is_sound(int64_t recent)
{
    int count = recent_count(recent);

    return count == RECENT_MAX || (uint64_t)recent >> (count * BITS) == 0;
}

void recent_format(int64_t recent, struct buf *out)
{
    static const char letters[] = {
        [RECENT_SUCCEEDED] = 's', [RECENT_FAILED] = 'f', [RECENT_OTHER] = 'o'};

    for (int i = 0; i < recent_count(recent); i++)
        buf_char(out, letters[recent_at(recent, i)]);
}
