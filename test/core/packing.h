/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Packing and unpacking in tests, with the checks that apply to every call.  The test includes
 * cmocka.
 */
#pragma once

#include <stdlib.h>

#include "core/spec/spec_pack.h"

enum { PACKED_ROOM = 4096 }; /* bytes: enough for any spec of these tests */

/* Bytes on the heap, of exact length, so that a sanitizer detects an access beyond the end. */
struct bytes {
    unsigned char *ptr;
    size_t len;
};

static inline struct bytes pack(const struct spec *spec)
{
    static char room[PACKED_ROOM];
    struct buf out = BUF(room);
    struct bytes packed;

    spec_pack(spec, &out);
    assert_false(out.cut);
    packed = (struct bytes){malloc(out.len), out.len};
    assert_non_null(packed.ptr);
    memcpy(packed.ptr, room, out.len);
    return packed;
}

static inline enum rc unpack(const void *bytes, size_t len, struct arena *arena,
                             struct spec *ret)
{
    struct spec before = {.at_count = 77}, out = before;
    struct err err = {.rc = RC_COUNT};
    enum rc rc = spec_unpack(bytes, len, arena, &out, &err);

    if (rc != RC_OK) {
        assert_int_equal(rc, RC_CORRUPT);
        assert_int_equal(err.rc, RC_CORRUPT);
        assert_true(err.text[0] != '\0' && err.at >= 0 && (size_t)err.at <= len);
        assert_memory_equal(&out, &before, sizeof out);
    } else {
        assert_int_equal(err.rc, RC_COUNT);
        *ret = out;
    }
    return rc;
}

static inline int start_arena(void **state)
{
    *state = arena_new(64 << 20);
    return 0;
}

static inline int end_arena(void **state)
{
    *state = arena_free(*state);
    return 0;
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, start_arena, end_arena)
