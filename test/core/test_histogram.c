/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Quantiles compared with those of the sorted values, for random and adversarial data.
 */
#include "core/histogram.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"

enum { VALUES_MAX = 20000, ROUNDS = 60 };

static span values[VALUES_MAX];

static int by_value(const void *a, const void *b)
{
    span x = *(const span *)a, y = *(const span *)b;

    return (x > y) - (x < y);
}

/* The nearest-rank quantile by its definition. */
static span exact_quantile(int count, int per_mille)
{
    int64_t rank = ((int64_t)count * per_mille + 999) / 1000;

    return values[rank < 1 ? 0 : rank - 1];
}

static void assert_near(span got, span exact)
{
    if (exact <= 0) {
        assert_int_equal(got, 0);
        return;
    }
    assert_true(got >= exact - exact / 10);
    assert_true(got - exact <= exact / 10);
}

static void check_values(int count)
{
    static const int wanted[] = {1, 10, 100, 250, 500, 900, 950, 990, 999, 1000};
    static struct histogram h;

    histogram_clear(&h);
    for (int i = 0; i < count; i++)
        histogram_add(&h, values[i]);
    qsort(values, (size_t)count, sizeof *values, by_value);
    assert_int_equal(h.total, count);
    assert_int_equal(h.most, values[count - 1]);
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_near(histogram_quantile(&h, wanted[i]), exact_quantile(count, wanted[i]));
}

static span draw(struct prng *prng, int round)
{
    int bits = 1 + (int)prng_below(prng, 62);

    switch (round % 5) {
    case 0: /* any size */
        return (span)(prng_next(prng) >> (64 - bits));
    case 1: /* around a power of two */
        return ((span)1 << bits) - 2 + (span)prng_below(prng, 4);
    case 2: /* two clusters far from each other */
        return prng_chance(prng, 1, 2) ? 1500 : SPAN_DAY + (span)prng_below(prng, SPAN_S);
    case 3: /* milliseconds, some negative */
        return (span)prng_below(prng, 50 * SPAN_MS) - SPAN_MS;
    default:
        return (span)prng_below(prng, 1 + (uint64_t)round);
    }
}

static void quantiles_are_within_ten_percent(void **state)
{
    struct prng prng;

    (void)state;
    prng_seed(&prng, 58);
    for (int round = 0; round < ROUNDS; round++) {
        int count = 1 + (int)prng_below(&prng, round < 20 ? 10 : VALUES_MAX - 1);

        for (int i = 0; i < count; i++)
            values[i] = draw(&prng, round);
        check_values(count);
    }
}

/* Every value of a bucket is as far as possible from the estimate at one of its edges. */
static void edges_of_every_bucket_are_within_ten_percent(void **state)
{
    static struct histogram h;

    (void)state;
    for (int top = 0; top < 63; top++)
        for (int step = 0; step < 16; step++) {
            span first = ((span)1 << top) + (top > 4 ? ((span)step << (top - 4)) : step);

            for (int i = -1; i <= 1; i++) {
                histogram_clear(&h);
                histogram_add(&h, first + i);
                histogram_add(&h, INT64_MAX);
                assert_near(histogram_quantile(&h, 500), first + i);
            }
        }
}

static void zero_and_negative_values_have_their_buckets(void **state)
{
    static struct histogram h;

    (void)state;
    histogram_clear(&h);
    histogram_add(&h, INT64_MIN);
    histogram_add(&h, -1);
    assert_int_equal(histogram_quantile(&h, 1000), 0);
    assert_int_equal(h.most, -1);
    histogram_add(&h, 0);
    assert_int_equal(h.counts[0], 2);
    assert_int_equal(h.counts[1], 1);
    histogram_add(&h, INT64_MAX);
    assert_int_equal(h.counts[HISTOGRAM_BUCKETS - 1], 1);
    assert_int_equal(h.most, INT64_MAX);
}

static void a_packed_histogram_is_the_same(void **state)
{
    static struct histogram h, got, twice;
    static char bytes[HISTOGRAM_PACKED_MAX];
    struct prng prng;

    (void)state;
    prng_seed(&prng, 59);
    for (int round = 0; round < ROUNDS; round++) {
        struct buf packed = BUF(bytes);
        struct unpack in;

        histogram_clear(&h);
        for (uint64_t n = prng_below(&prng, 300); n > 0; n--)
            histogram_add(&h, draw(&prng, round));
        histogram_pack(&h, &packed);
        assert_false(packed.cut);
        in = (struct unpack){.left = buf_as_str(&packed)};
        histogram_clear(&got);
        histogram_unpack(&got, &in);
        assert_false(in.is_bad);
        assert_int_equal(in.left.len, 0);
        assert_memory_equal(&got, &h, sizeof h);
        in = (struct unpack){.left = buf_as_str(&packed)};
        histogram_unpack(&got, &in);
        twice = h;
        histogram_merge(&twice, &h);
        assert_memory_equal(&got, &twice, sizeof twice);
    }
}

/* The largest histogram fits; each of its beginnings is damaged. */
static void damaged_bytes_are_found(void **state)
{
    static struct histogram h, got;
    static char bytes[HISTOGRAM_PACKED_MAX];
    struct buf packed = BUF(bytes);

    (void)state;
    histogram_clear(&h);
    histogram_add(&h, -7);
    for (int i = 0; i < HISTOGRAM_BUCKETS; i++) {
        h.counts[i] = INT64_MAX / HISTOGRAM_BUCKETS;
        h.total += h.counts[i];
    }
    h.total -= 1;
    histogram_pack(&h, &packed);
    assert_false(packed.cut);
    for (size_t len = 0; len < packed.len; len++) {
        struct unpack in = {.left = {bytes, len}};

        histogram_clear(&got);
        histogram_unpack(&got, &in);
        assert_true(in.is_bad);
    }
    for (int twice = 0; twice < 2; twice++) { /* the sum of two overflows */
        struct unpack in = {.left = buf_as_str(&packed)};

        if (twice == 0)
            histogram_clear(&got);
        histogram_unpack(&got, &in);
        assert_int_equal(in.is_bad, twice);
    }
}

static void numbers_of_every_length_are_read_back(void **state)
{
    (void)state;
    for (int shift = 0; shift < 64; shift++)
        for (uint64_t less = 0; less < 2; less++) {
            uint64_t n = (UINT64_C(1) << shift) - less;
            char bytes[16];
            struct buf packed = BUF(bytes);
            struct unpack in;

            pack_number(&packed, n);
            in = (struct unpack){.left = buf_as_str(&packed)};
            assert_int_equal(unpack_number(&in), n);
            assert_false(in.is_bad);
            assert_int_equal(in.left.len, 0);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_are_within_ten_percent),
        cmocka_unit_test(edges_of_every_bucket_are_within_ten_percent),
        cmocka_unit_test(zero_and_negative_values_have_their_buckets),
        cmocka_unit_test(a_packed_histogram_is_the_same),
        cmocka_unit_test(damaged_bytes_are_found),
        cmocka_unit_test(numbers_of_every_length_are_read_back),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
