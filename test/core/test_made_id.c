/* SPDX-License-Identifier: Apache-2.0 */
/* The format: nine letters of milliseconds since 1970 and twelve random ones, 5 bits each. */
#include "core/made_id.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"

enum { MANY = 100000 };

struct id {
    char text[MADE_ID_LEN + 1];
};

static struct id id_of(instant now, uint64_t chance)
{
    struct id id = {{0}};

    made_id(now, chance, id.text);
    return id;
}

static int by_bytes(const void *a, const void *b)
{
    return memcmp(a, b, MADE_ID_LEN);
}

static void assert_all_differ(struct id *ids, size_t count)
{
    qsort(ids, count, sizeof *ids, by_bytes);
    for (size_t i = 1; i < count; i++)
        assert_string_not_equal(ids[i - 1].text, ids[i].text);
}

/* By hand: 32 ms are "10"; 2^45 - 1 ms are nine times the last letter. */
static void letters_are_worth_what_base32_says(void **state)
{
    const instant last = ((INT64_C(1) << 45) - 1) * SPAN_MS;

    (void)state;
    assert_string_equal(id_of(0, 0).text, "000000000000000000000");
    assert_string_equal(id_of(999, 0).text, "000000000000000000000");
    assert_string_equal(id_of(32 * SPAN_MS, 31).text, "00000001000000000000z");
    assert_string_equal(id_of(last, UINT64_MAX).text, "zzzzzzzzzzzzzzzzzzzzz");
    assert_string_equal(id_of(INSTANT_MAX, UINT64_MAX).text, "zzzzzzzzzzzzzzzzzzzzz");
    assert_string_equal(id_of(-1, 1).text, "000000000000000000001");
    assert_string_equal(id_of(INSTANT_MIN, 1).text, "000000000000000000001");
}

static void every_id_is_of_letters_and_digits_in_lower_case(void **state)
{
    struct prng chance;

    (void)state;
    prng_seed(&chance, 1);
    for (int i = 0; i < MANY; i++) {
        struct id id = id_of(prng_between(&chance, 0, INSTANT_MAX), prng_next(&chance));

        assert_int_equal(strspn(id.text, "0123456789abcdefghjkmnpqrstvwxyz"), MADE_ID_LEN);
    }
}

static void every_random_bit_counts_and_no_bit_of_time_is_lost(void **state)
{
    struct id zero = id_of(0, 0);

    (void)state;
    for (int bit = 0; bit < 5 * MADE_ID_RANDOM; bit++)
        assert_string_not_equal(id_of(0, UINT64_C(1) << bit).text, zero.text);
    for (int bit = 0; bit < 5 * MADE_ID_TIME; bit++)
        assert_string_not_equal(id_of((INT64_C(1) << bit) * SPAN_MS, 0).text, zero.text);
}

static void ids_of_a_later_millisecond_sort_after(void **state)
{
    struct prng chance;

    (void)state;
    prng_seed(&chance, 2);
    for (int i = 0; i < MANY; i++) {
        instant now = prng_between(&chance, 0, 4102444800 * SPAN_S); /* until 2100 */
        instant later = now + prng_between(&chance, SPAN_MS, i % 2 ? 2 * SPAN_MS : SPAN_DAY);
        struct id first = id_of(now, prng_next(&chance));
        struct id second = id_of(later, prng_next(&chance));

        assert_true(by_bytes(&first, &second) < 0);
    }
}

static void no_two_of_100000_ids_of_one_millisecond_are_equal(void **state)
{
    struct id *ids = calloc(MANY, sizeof *ids);
    struct prng chance;

    (void)state;
    prng_seed(&chance, 3);
    for (int i = 0; i < MANY; i++)
        ids[i] = id_of(1767607200 * SPAN_S, prng_next(&chance));
    assert_all_differ(ids, MANY);
    free(ids);
}

/* Three nodes, each with its own clock that stops, runs, and is set back. */
static void clocks_that_are_set_back_make_no_id_twice(void **state)
{
    struct id *ids = calloc(MANY, sizeof *ids);

    (void)state;
    for (uint64_t seed = 10; seed < 30; seed++) {
        instant clocks[3] = {1767607200 * SPAN_S, 1767607200 * SPAN_S, 1767607200 * SPAN_S};
        struct prng chance;

        prng_seed(&chance, seed);
        for (int i = 0; i < MANY / 10; i++) {
            instant *clock = &clocks[prng_below(&chance, 3)];

            if (prng_chance(&chance, 1, 100))
                *clock -= prng_between(&chance, 0, SPAN_S);
            else
                *clock += prng_between(&chance, 0, SPAN_MS / 2);
            ids[i] = id_of(*clock, prng_next(&chance));
        }
        assert_all_differ(ids, MANY / 10);
    }
    free(ids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(letters_are_worth_what_base32_says),
        cmocka_unit_test(every_id_is_of_letters_and_digits_in_lower_case),
        cmocka_unit_test(every_random_bit_counts_and_no_bit_of_time_is_lost),
        cmocka_unit_test(ids_of_a_later_millisecond_sort_after),
        cmocka_unit_test(no_two_of_100000_ids_of_one_millisecond_are_equal),
        cmocka_unit_test(clocks_that_are_set_back_make_no_id_twice),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
