/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expected values: the published vectors of FNV-1a 64 and of splitmix64; for the digest, its
 * definition in base/hash.h worked out in Python on top of those two.
 */
#include "base/hash.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/prng.h"

static void bytes_are_hashed_as_published(void **state)
{
    static const struct {
        const char *bytes;
        size_t len;
        uint64_t expected;
    } vectors[] = {
        {NULL, 0, UINT64_C(0xcbf29ce484222325)},
        {"", 0, UINT64_C(0xcbf29ce484222325)},
        {"a", 1, UINT64_C(0xaf63dc4c8601ec8c)},
        {"b", 1, UINT64_C(0xaf63df4c8601f1a5)},
        {"foo", 3, UINT64_C(0xdcb27518fed9d577)},
        {"foobar", 6, UINT64_C(0x85944171f73967e8)},
        {"ch", 3, UINT64_C(0xf5fadd190cf8edaa)}, /* the zero is part of it */
        {"chongo was here!\n", 17, UINT64_C(0x46810940eff5f915)},
    };

    (void)state;
    for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++)
        assert_int_equal(hash_bytes(vectors[i].bytes, vectors[i].len, 0), vectors[i].expected);
}

static void bytes_above_127_are_not_negative(void **state)
{
    /* FNV-1a of one octet is (basis ^ octet) * prime. */
    (void)state;
    assert_int_equal(hash_bytes("\xff", 1, 0),
                     (UINT64_C(0xcbf29ce484222325) ^ 0xff) * UINT64_C(0x100000001b3));
}

static void a_seed_changes_the_hash(void **state)
{
    (void)state;
    assert_int_equal(hash_bytes("foobar", 6, 7), UINT64_C(0x9ee3949285b2ef9e));
    assert_int_equal(hash_bytes("", 0, 7), UINT64_C(0x63cbe1e459320dd7));
}

static void a_number_hashes_to_the_first_output_of_splitmix64(void **state)
{
    (void)state;
    assert_int_equal(hash_u64(0), UINT64_C(0xe220a8397b1dcdaf));
    assert_int_equal(hash_u64(HASH_STEP), UINT64_C(0x6e789e6aa1b965f4));
    assert_int_equal(hash_u64(1234567), UINT64_C(6457827717110365317));
    assert_int_equal(hash_u64(UINT64_MAX), UINT64_C(0xe4d971771b652c20));
}

static void a_digest_follows_its_definition(void **state)
{
    struct digest digest = {0};

    (void)state;
    digest_int(&digest, 0);
    assert_int_equal(digest.sum, UINT64_C(0xe220a8397b1dcdaf));
    digest_int(&digest, 1);
    digest_int(&digest, -1);
    digest_int(&digest, INT64_MIN);
    assert_int_equal(digest.sum, UINT64_C(0xc4ab567b958bea24));
    digest_add(&digest, "foobar", 6);
    assert_int_equal(digest.sum, UINT64_C(0x3a0eecbfd000d311));
    digest_add(&digest, NULL, 0);
    assert_int_equal(digest.sum, UINT64_C(0x63acd93a2c823084));
}

static void where_a_text_ends_changes_the_digest(void **state)
{
    struct digest a = {0}, b = {0};

    (void)state;
    digest_add(&a, "ab", 2);
    digest_add(&a, "c", 1);
    digest_add(&b, "a", 1);
    digest_add(&b, "bc", 2);
    assert_int_not_equal(a.sum, b.sum);
}

static uint64_t digest_of(const int64_t *values, size_t count)
{
    struct digest digest = {0};

    for (size_t i = 0; i < count; i++)
        digest_int(&digest, values[i]);
    return digest.sum;
}

static void any_change_of_a_sequence_changes_the_digest(void **state)
{
    enum { LENGTH = 64 };
    int64_t values[LENGTH];
    struct prng prng;
    uint64_t sum;

    (void)state;
    prng_seed(&prng, 1);
    for (size_t i = 0; i < LENGTH; i++)
        values[i] = prng_between(&prng, -2, 2);
    sum = digest_of(values, LENGTH);
    assert_int_equal(digest_of(values, LENGTH), sum);
    assert_int_not_equal(digest_of(values, LENGTH - 1), sum);
    for (size_t i = 0; i < LENGTH; i++) {
        int64_t kept = values[i];

        for (int bit = 0; bit < 64; bit++) {
            values[i] = (int64_t)((uint64_t)kept ^ UINT64_C(1) << bit);
            assert_int_not_equal(digest_of(values, LENGTH), sum);
        }
        values[i] = kept;
    }
}

static void the_order_of_a_sequence_changes_the_digest(void **state)
{
    const int64_t one_two[] = {1, 2}, two_one[] = {2, 1};

    (void)state;
    assert_int_not_equal(digest_of(one_two, 2), digest_of(two_one, 2));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bytes_are_hashed_as_published),
        cmocka_unit_test(bytes_above_127_are_not_negative),
        cmocka_unit_test(a_seed_changes_the_hash),
        cmocka_unit_test(a_number_hashes_to_the_first_output_of_splitmix64),
        cmocka_unit_test(a_digest_follows_its_definition),
        cmocka_unit_test(where_a_text_ends_changes_the_digest),
        cmocka_unit_test(any_change_of_a_sequence_changes_the_digest),
        cmocka_unit_test(the_order_of_a_sequence_changes_the_digest),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
