/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Buckets: 0 holds negative values, 1 holds zero, 1 + v the value v below HISTOGRAM_STEPS.
 * From there on, the position of the highest bit and the HISTOGRAM_STEP_BITS bits below it are
 * the number of the bucket.
 */
#include "core/histogram.h"

#include <string.h>

#include "base/must.h"

enum {
    NEGATIVE = 0,
    ZERO = 1,
    NUMBER_BITS = 7, /* of a packed byte */
    NUMBER_MORE = 1 << NUMBER_BITS,
};

static int bucket_of(span value)
{
    int top, shift;

    if (value <= 0)
        return value < 0 ? NEGATIVE : ZERO;
    if (value < HISTOGRAM_STEPS)
        return ZERO + (int)value;
    top = 63 - __builtin_clzll((unsigned long long)value);
    shift = top - HISTOGRAM_STEP_BITS;
    return ZERO + (shift + 1) * HISTOGRAM_STEPS + (int)(value >> shift & (HISTOGRAM_STEPS - 1));
}

/* The middle of a bucket. */
static span value_of(int bucket)
{
    int shift;
    span first;

    if (bucket <= ZERO)
        return 0;
    if (bucket - ZERO < 2 * HISTOGRAM_STEPS)
        return bucket - ZERO; /* its only value */
    shift = (bucket - ZERO) / HISTOGRAM_STEPS - 1;
    first = (span)(HISTOGRAM_STEPS + (bucket - ZERO) % HISTOGRAM_STEPS) << shift;
    return first + ((span)1 << shift) / 2;
}

void histogram_clear(struct histogram *h)
{
    *h = (struct histogram){.most = INT64_MIN};
}

void histogram_add(struct histogram *h, span value)
{
    h->total++;
    h->counts[bucket_of(value)]++;
    if (value > h->most)
        h->most = value;
}

void histogram_merge(struct histogram *to, const struct histogram *from)
{
    to->total += from->total;
    for (int i = 0; i < HISTOGRAM_BUCKETS; i++)
        to->counts[i] += from->counts[i];
    if (from->most > to->most)
        to->most = from->most;
}

span histogram_quantile(const struct histogram *h, int per_mille)
{
    int64_t rank, seen = 0;
    span value;
    int i = 0;

    must(h->total > 0 && per_mille >= 0 && per_mille <= 1000);
    /* The rank, rounded up, without an overflow of total × 1000. */
    rank = h->total / 1000 * per_mille + (h->total % 1000 * per_mille + 999) / 1000;
    rank = rank < 1 ? 1 : rank;
    for (;; i++) {
        must(i < HISTOGRAM_BUCKETS);
        seen += h->counts[i];
        if (seen >= rank)
            break;
    }
    value = value_of(i);
    return value <= h->most ? value : h->most < 0 ? 0 : h->most;
}

void pack_number(struct buf *to, uint64_t n)
{
    for (; n >= NUMBER_MORE; n >>= NUMBER_BITS)
        buf_char(to, (char)(unsigned char)(n | NUMBER_MORE));
    buf_char(to, (char)(unsigned char)n);
}

uint64_t unpack_number(struct unpack *in)
{
    uint64_t n = 0;

    for (int shift = 0; shift < 64; shift += NUMBER_BITS) {
        uint64_t byte = unpack_le(in, 1);

        if (shift + NUMBER_BITS > 64 && byte > 1)
            break;
        n |= (byte & (NUMBER_MORE - 1)) << shift;
        if (byte < NUMBER_MORE)
            return n;
    }
    in->is_bad = true;
    return 0;
}

/* The maximum with its sign in the lowest bit, so that small ones of both signs are short. */
static uint64_t fold_sign(span n)
{
    return n < 0 ? ~(uint64_t)n << 1 | 1 : (uint64_t)n << 1;
}

static span unfold_sign(uint64_t n)
{
    return (span)(n & 1 ? ~(n >> 1) : n >> 1);
}

/* The number of used buckets, the maximum, then for each the distance and its count. */
void histogram_pack(const struct histogram *h, struct buf *to)
{
    int used = 0, last = -1;

    for (int i = 0; i < HISTOGRAM_BUCKETS; i++)
        used += h->counts[i] > 0;
    must((used > 0) == (h->total > 0));
    pack_number(to, (uint64_t)used);
    if (used == 0)
        return;
    pack_number(to, fold_sign(h->most));
    for (int i = 0; i < HISTOGRAM_BUCKETS; i++) {
        if (h->counts[i] == 0)
            continue;
        pack_number(to, (uint64_t)(i - last));
        pack_number(to, (uint64_t)h->counts[i]);
        last = i;
    }
}

void histogram_unpack(struct histogram *h, struct unpack *in)
{
    uint64_t used = unpack_number(in);
    int64_t bucket = -1;
    span most;

    if (used == 0 || in->is_bad)
        return;
    most = unfold_sign(unpack_number(in));
    in->is_bad |= used > HISTOGRAM_BUCKETS;
    for (uint64_t i = 0; i < used && !in->is_bad; i++) {
        uint64_t step = unpack_number(in), count = unpack_number(in);

        in->is_bad |= step == 0 || step > HISTOGRAM_BUCKETS || count == 0 ||
                      count > (uint64_t)(INT64_MAX - h->total);
        if (in->is_bad)
            return;
        bucket += (int64_t)step;
        in->is_bad |= bucket >= HISTOGRAM_BUCKETS;
        if (in->is_bad)
            return;
        h->counts[bucket] += (int64_t)count;
        h->total += (int64_t)count;
    }
    if (!in->is_bad && most > h->most)
        h->most = most;
}
