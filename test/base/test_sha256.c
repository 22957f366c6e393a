/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expected values: NIST's examples for FIPS 180-4, and RFC 4231 for HMAC.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/sha256_parts.h"

static const char *hex(const uint8_t bytes[SHA256_BYTES])
{
    static char text[2 * SHA256_BYTES + 1];

    for (int i = 0; i < SHA256_BYTES; i++)
        snprintf(text + 2 * i, 3, "%02x", bytes[i]);
    return text;
}

static const char *hash_of(struct str text)
{
    struct sha256 sha;
    uint8_t out[SHA256_BYTES];

    sha256_begin(&sha);
    sha256_add(&sha, text.ptr, text.len);
    sha256_end(&sha, out);
    return hex(out);
}

static void published_messages_have_their_hashes(void **state)
{
    (void)state;
    assert_string_equal(hash_of(STR("")),
                        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert_string_equal(hash_of(STR("abc")),
                        "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    assert_string_equal(
        hash_of(STR("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq")),
        "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1");
    assert_string_equal(
        hash_of(STR("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnop"
                    "jklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu")),
        "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1");
}

/* NIST's long message, in pieces of several lengths up to two blocks. */
static void a_million_letters_in_pieces_have_their_hash(void **state)
{
    static char letters[1000];
    uint8_t out[SHA256_BYTES];
    struct sha256 sha;

    (void)state;
    memset(letters, 'a', sizeof letters);
    for (size_t piece = 1; piece < 2 * SHA256_BLOCK; piece += 9) {
        sha256_begin(&sha);
        for (size_t left = 1000000; left > 0;) {
            size_t n = left < piece ? left : piece;

            sha256_add(&sha, letters, n);
            left -= n;
        }
        sha256_end(&sha, out);
        assert_string_equal(hex(out),
                            "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0");
    }
}

/* The one-block example of FIPS 180-4 by both implementations; then many blocks. */
static void the_portable_code_and_the_instructions_agree(void **state)
{
    static const uint32_t first[8] = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                      0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
    static const uint32_t last[8] = {0xba7816bf, 0x8f01cfea, 0x414140de, 0x5dae2223,
                                     0xb00361a3, 0x96177a9c, 0xb410ff61, 0xf20015ad};
    uint8_t block[SHA256_BLOCK] = {'a', 'b', 'c', 0x80, [SHA256_BLOCK - 1] = 24};
    uint32_t portable[8], by_instructions[8];

    (void)state;
    memcpy(portable, first, sizeof first);
    memcpy(by_instructions, first, sizeof first);
    sha256_mix(portable, block);
    assert_memory_equal(portable, last, sizeof last);
    if (!sha256_has_instructions())
        skip();
    sha256_mix_instructions(by_instructions, block);
    for (int i = 0; i < 1000; i++) {
        assert_memory_equal(by_instructions, portable, sizeof portable);
        memcpy(block + i % 33, portable, sizeof portable);
        sha256_mix(portable, block);
        sha256_mix_instructions(by_instructions, block);
    }
}

static const char *mac_of(struct str key, struct str message)
{
    uint8_t out[SHA256_BYTES];

    sha256_hmac(key, message, out);
    return hex(out);
}

static void the_cases_of_rfc_4231_have_their_codes(void **state)
{
    static char key[131], data[50];

    (void)state;
    memset(key, 0x0b, 20);
    assert_string_equal(mac_of((struct str){key, 20}, STR("Hi There")),
                        "b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7");
    assert_string_equal(mac_of(STR("Jefe"), STR("what do ya want for nothing?")),
                        "5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843");
    memset(key, 0xaa, sizeof key);
    memset(data, 0xdd, sizeof data);
    assert_string_equal(mac_of((struct str){key, 20}, (struct str){data, 50}),
                        "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe");
    assert_string_equal(mac_of((struct str){key, 131},
                               STR("Test Using Larger Than Block-Size Key - Hash Key First")),
                        "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54");
}

static void hashes_that_differ_in_one_bit_are_not_equal(void **state)
{
    uint8_t a[SHA256_BYTES] = {1, 2, 3}, b[SHA256_BYTES] = {1, 2, 3};

    (void)state;
    assert_true(sha256_eq(a, b));
    for (int i = 0; i < SHA256_BYTES * 8; i++) {
        b[i / 8] ^= (uint8_t)(1 << i % 8);
        assert_false(sha256_eq(a, b));
        b[i / 8] ^= (uint8_t)(1 << i % 8);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(published_messages_have_their_hashes),
        cmocka_unit_test(a_million_letters_in_pieces_have_their_hash),
        cmocka_unit_test(the_portable_code_and_the_instructions_agree),
        cmocka_unit_test(the_cases_of_rfc_4231_have_their_codes),
        cmocka_unit_test(hashes_that_differ_in_one_bit_are_not_equal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
