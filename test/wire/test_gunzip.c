/* SPDX-License-Identifier: Apache-2.0 */
/* Decompression; zlib's own encoder gives the compressed bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>
#include <zlib.h>

#include "wire/gunzip.h"

enum { PLAIN = 5000, PACKED_MAX = 2 * PLAIN, GZIP = 31, ZLIB = 15 };

static char plain[PLAIN], again[PLAIN], packed[PACKED_MAX];

/* In the format of these window bits; returns the number of bytes. */
static size_t pack(int bits)
{
    z_stream z = {.next_in = (z_const Bytef *)plain, .avail_in = PLAIN};

    for (size_t i = 0; i < PLAIN; i++)
        plain[i] = "{\"id\":\"belfry\"}, "[i % 17];
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
    z.next_out = (Bytef *)packed;
    z.avail_out = PACKED_MAX;
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return PACKED_MAX - z.avail_out;
}

static enum gunzip unpack(size_t len, size_t room)
{
    struct buf out = {.ptr = again, .cap = room};
    enum gunzip result = gunzip((struct str){packed, len}, &out);

    assert_true(result != GUNZIP_DONE || out.len == PLAIN);
    return result;
}

static void both_formats_are_decoded(void **state)
{
    (void)state;
    assert_int_equal(unpack(pack(GZIP), PLAIN), GUNZIP_DONE);
    assert_memory_equal(again, plain, PLAIN);
    memset(again, 0, sizeof again);
    assert_int_equal(unpack(pack(ZLIB), PLAIN), GUNZIP_DONE);
    assert_memory_equal(again, plain, PLAIN);
}

static void the_room_is_the_limit(void **state)
{
    (void)state;
    assert_int_equal(unpack(pack(GZIP), PLAIN - 1), GUNZIP_TOO_LARGE);
    assert_int_equal(unpack(pack(GZIP), 1), GUNZIP_TOO_LARGE);
}

static void incomplete_and_longer_bytes_are_broken(void **state)
{
    size_t len = pack(GZIP);

    (void)state;
    for (size_t n = 0; n < len; n++)
        assert_int_equal(unpack(n, PLAIN), GUNZIP_BROKEN);
    packed[len] = '\0';
    assert_int_equal(unpack(len + 1, PLAIN), GUNZIP_BROKEN);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_formats_are_decoded),
        cmocka_unit_test(the_room_is_the_limit),
        cmocka_unit_test(incomplete_and_longer_bytes_are_broken),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
