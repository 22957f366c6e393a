/* SPDX-License-Identifier: Apache-2.0 */
/* Packed sums of days, shares of days, and how outcomes count. */
#include "core/day_sums.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/prng.h"

static struct day_sample draw_sample(struct prng *prng)
{
    return (struct day_sample){
        .kind = (enum day_kind)prng_below(prng, DAY_KINDS),
        .what = (int)prng_below(prng, DAY_COUNTS + 1) - 1,
        .count = 1 + (int64_t)prng_below(prng, 1000000),
        .late = prng_chance(prng, 1, 2) ? (span)prng_below(prng, SPAN_H) : DAY_NO_TIME,
        .took = prng_chance(prng, 1, 2) ? (span)prng_below(prng, SPAN_DAY) : DAY_NO_TIME,
    };
}

/* As two nodes do that count different rows of a day. */
static void packed_sums_add_up(void **state)
{
    static struct day_sums parts[2], whole, sum;
    static char bytes[DAY_PACKED_MAX];
    struct prng prng;

    (void)state;
    prng_seed(&prng, 1);
    day_sums_clear(&parts[0]);
    day_sums_clear(&parts[1]);
    day_sums_clear(&whole);
    day_sums_clear(&sum);
    for (int i = 0; i < 1000; i++) {
        struct day_sample sample = draw_sample(&prng);

        day_sums_add(&parts[i % 2], &sample);
        day_sums_add(&whole, &sample);
    }
    for (int i = 0; i < 2; i++) {
        struct buf packed = BUF(bytes);

        day_sums_pack(&parts[i], &packed);
        assert_false(packed.cut);
        assert_true(day_sums_unpack(&sum, buf_as_str(&packed)));
    }
    assert_memory_equal(&sum, &whole, sizeof sum);
}

static void a_day_with_one_run_takes_few_bytes(void **state)
{
    static struct day_sums f, got;
    static char bytes[DAY_PACKED_MAX];
    struct buf packed = BUF(bytes);

    (void)state;
    day_sums_clear(&f);
    day_sums_clear(&got);
    day_sums_add(&f, &(struct day_sample){.kind = DAY_SLOT,
                                          .what = DAY_SUCCEEDED,
                                          .count = 1,
                                          .late = 2 * SPAN_MS,
                                          .took = 3 * SPAN_S});
    day_sums_pack(&f, &packed);
    assert_in_range(packed.len, 5, 24);
    for (size_t len = 0; len < packed.len; len++)
        assert_false(day_sums_unpack(&got, (struct str){bytes, len}));
    buf_char(&packed, 'x');
    assert_false(day_sums_unpack(&got, buf_as_str(&packed)));
}

static void shares_of_days_add_up(void **state)
{
    (void)state;
    for (int64_t parts = 1; parts < 40; parts++)
        for (int64_t count = 0; count < 100; count++) {
            int64_t sum = 0;

            for (int64_t i = 0; i < parts; i++) {
                assert_in_range(day_share(count, parts, i), count / parts, count / parts + 1);
                sum += day_share(count, parts, i);
            }
            assert_int_equal(sum, count);
        }
}

static void every_outcome_counts(void **state)
{
    (void)state;
    assert_int_equal(day_count_of(OUTCOME_SUCCEEDED), DAY_SUCCEEDED);
    assert_int_equal(day_count_of(OUTCOME_FAILED), DAY_FAILED);
    assert_int_equal(day_count_of(OUTCOME_UNKNOWN), DAY_FAILED);
    assert_int_equal(day_count_of(OUTCOME_TIMED_OUT), DAY_TIMED_OUT);
    assert_int_equal(day_count_of(OUTCOME_CANCELLED), DAY_CANCELLED);
    assert_int_equal(day_count_of(OUTCOME_TERMINATED), DAY_CANCELLED);
    assert_int_equal(day_count_of(OUTCOME_SKIPPED), DAY_SKIPPED);
    assert_int_equal(day_count_of(OUTCOME_MISSED), DAY_MISSED);
    assert_int_equal(day_count_of(OUTCOME_DROPPED), DAY_DROPPED);
    assert_int_equal(day_count_of(OUTCOME_SLOT_CANCELLED), DAY_WITHDRAWN);
    assert_int_equal(day_kind_of(RUN_SLOT), DAY_SLOT);
    assert_int_equal(day_kind_of(RUN_TRIGGER), DAY_TRIGGER);
    assert_int_equal(day_kind_of(RUN_BACKFILL), DAY_BACKFILL);
    assert_int_equal(day_kind_of(RUN_DIRECT), DAY_TRIGGER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(packed_sums_add_up),
        cmocka_unit_test(a_day_with_one_run_takes_few_bytes),
        cmocka_unit_test(shares_of_days_add_up),
        cmocka_unit_test(every_outcome_counts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
