/* SPDX-License-Identifier: Apache-2.0 */
/* Compression; zlib's own decoder gives the expected bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "base/prng.h"
#include "io/net/gzip.h"

enum { BYTES_MAX = 64 * 1024 };

static char plain[BYTES_MAX], packed_room[GZIP_ROOM(BYTES_MAX)], again[BYTES_MAX + 1];

static void fill(bool is_noise)
{
    struct prng prng;

    prng_seed(&prng, 1);
    for (size_t i = 0; i < BYTES_MAX; i++)
        plain[i] = is_noise ? (char)prng_next(&prng) : "{\"id\":\"belfry\"}, "[i % 17];
}

/* The number of bytes that `reader` decodes; the end must come exactly when it is expected. */
static size_t read_back(z_stream *reader, struct str bytes, bool is_end)
{
    int rc;

    reader->next_in = (z_const Bytef *)(uintptr_t)bytes.ptr;
    reader->avail_in = (uInt)bytes.len;
    reader->next_out = (Bytef *)again;
    reader->avail_out = sizeof again;
    rc = inflate(reader, Z_SYNC_FLUSH);
    assert_int_equal(rc, is_end ? Z_STREAM_END : Z_OK);
    assert_int_equal(reader->avail_in, 0);
    return sizeof again - reader->avail_out;
}

static void any_length_can_be_decoded(void **state)
{
    struct gzip *gzip = gzip_new(GZIP_LARGE);

    (void)state;
    for (int is_noise = 0; is_noise < 2; is_noise++) {
        fill(is_noise);
        for (size_t len = 0; len <= BYTES_MAX; len = len * 2 + 1) {
            z_stream reader = {0};
            struct buf out = BUF(packed_room);

            assert_int_equal(inflateInit2(&reader, 31), Z_OK);
            assert_true(gzip_add(gzip, (struct str){plain, len}, true, &out));
            assert_int_equal(read_back(&reader, buf_as_str(&out), true), len);
            assert_memory_equal(again, plain, len);
            inflateEnd(&reader);
        }
    }
    gzip_free(gzip);
}

static void a_piece_can_be_read_when_it_is_written(void **state)
{
    static const size_t pieces[] = {1, 3, 1000, 17, BYTES_MAX, 2, 40000, 0, BYTES_MAX};
    struct gzip *gzip = gzip_new(GZIP_SMALL);
    struct buf out = BUF(packed_room);

    (void)state;
    for (int is_noise = 0; is_noise < 2; is_noise++) {
        z_stream reader = {0};

        fill(is_noise);
        assert_int_equal(inflateInit2(&reader, 31), Z_OK);
        for (size_t i = 0; i < sizeof pieces / sizeof pieces[0]; i++) {
            out.len = 0;
            assert_true(gzip_add(gzip, (struct str){plain, pieces[i]}, false, &out));
            if (out.len > 0)
                assert_int_equal(read_back(&reader, buf_as_str(&out), false), pieces[i]);
            assert_memory_equal(again, plain, pieces[i]);
        }
        out.len = 0;
        assert_true(gzip_add(gzip, STR(""), true, &out));
        assert_int_equal(read_back(&reader, buf_as_str(&out), true), 0);
        inflateEnd(&reader);
    }
    gzip_free(gzip);
}

static void a_result_that_does_not_fit_is_refused_and_the_next_is_complete(void **state)
{
    struct gzip *gzip = gzip_new(GZIP_LARGE);
    z_stream reader = {0};
    struct buf out = {.ptr = packed_room, .cap = 1000};

    (void)state;
    fill(true);
    assert_false(gzip_add(gzip, (struct str){plain, 1000}, true, &out));
    out.len = 0;
    assert_false(gzip_add(gzip, (struct str){plain, 1000}, false, &out));
    out.len = 0;
    assert_true(gzip_add(gzip, (struct str){plain, 900}, true, &out));
    assert_int_equal(inflateInit2(&reader, 31), Z_OK);
    assert_int_equal(read_back(&reader, buf_as_str(&out), true), 900);
    assert_memory_equal(again, plain, 900);
    inflateEnd(&reader);
    gzip_free(gzip);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_length_can_be_decoded),
        cmocka_unit_test(a_piece_can_be_read_when_it_is_written),
        cmocka_unit_test(a_result_that_does_not_fit_is_refused_and_the_next_is_complete),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
