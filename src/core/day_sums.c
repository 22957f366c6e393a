/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packed: a version, for each kind a set of bits that says which counts follow, the counts, and
 * the two histograms.
 */
#include "core/day_sums.h"

#include "base/must.h"

enum { PACKED_VERSION = 1 };

enum day_kind day_kind_of(enum run_kind kind)
{
    return kind == RUN_SLOT ? DAY_SLOT : kind == RUN_BACKFILL ? DAY_BACKFILL : DAY_TRIGGER;
}

enum day_count day_count_of(enum outcome outcome)
{
    switch (outcome) {
    case OUTCOME_SUCCEEDED:
        return DAY_SUCCEEDED;
    case OUTCOME_TIMED_OUT:
        return DAY_TIMED_OUT;
    case OUTCOME_CANCELLED:
    case OUTCOME_TERMINATED:
        return DAY_CANCELLED;
    case OUTCOME_SKIPPED:
        return DAY_SKIPPED;
    case OUTCOME_MISSED:
        return DAY_MISSED;
    case OUTCOME_DROPPED:
        return DAY_DROPPED;
    case OUTCOME_SLOT_CANCELLED:
        return DAY_WITHDRAWN;
    default:
        return DAY_FAILED;
    }
}

void day_sums_clear(struct day_sums *f)
{
    *f = (struct day_sums){0};
    histogram_clear(&f->late);
    histogram_clear(&f->took);
}

void day_sums_add(struct day_sums *f, const struct day_sample *sample)
{
    must(sample->what < DAY_COUNTS && sample->kind < DAY_KINDS);
    if (sample->what >= 0)
        f->counts[sample->kind][sample->what] += sample->count;
    if (sample->late != DAY_NO_TIME)
        histogram_add(&f->late, sample->late);
    if (sample->took != DAY_NO_TIME)
        histogram_add(&f->took, sample->took);
}

void day_sums_pack(const struct day_sums *f, struct buf *to)
{
    pack_number(to, PACKED_VERSION);
    for (int kind = 0; kind < DAY_KINDS; kind++) {
        uint64_t used = 0;

        for (int i = 0; i < DAY_COUNTS; i++)
            used |= (uint64_t)(f->counts[kind][i] > 0) << i;
        pack_number(to, used);
        for (int i = 0; i < DAY_COUNTS; i++)
            if (f->counts[kind][i] > 0)
                pack_number(to, (uint64_t)f->counts[kind][i]);
    }
    histogram_pack(&f->late, to);
    histogram_pack(&f->took, to);
}

static void unpack_counts(struct unpack *in, int64_t counts[DAY_COUNTS])
{
    uint64_t used = unpack_number(in);

    in->is_bad |= used >> DAY_COUNTS != 0;
    for (int i = 0; i < DAY_COUNTS; i++) {
        uint64_t n = used >> i & 1 ? unpack_number(in) : 0;

        if (n > (uint64_t)(INT64_MAX - counts[i]))
            in->is_bad = true;
        else
            counts[i] += (int64_t)n;
    }
}

bool day_sums_unpack(struct day_sums *f, struct str packed)
{
    struct unpack in = {.left = packed};

    in.is_bad = unpack_number(&in) != PACKED_VERSION || in.is_bad;
    for (int kind = 0; kind < DAY_KINDS; kind++)
        unpack_counts(&in, f->counts[kind]);
    histogram_unpack(&f->late, &in);
    histogram_unpack(&f->took, &in);
    return !in.is_bad && in.left.len == 0;
}

int64_t day_in_utc(instant at)
{
    return at / SPAN_DAY - (at % SPAN_DAY < 0);
}

int64_t day_share(int64_t count, int64_t parts, int64_t i)
{
    must(parts >= 1 && i >= 0 && i < parts);
    return count / parts + (i < count % parts);
}
