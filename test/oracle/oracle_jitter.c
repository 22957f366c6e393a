/* SPDX-License-Identifier: Apache-2.0 */
/* The hash of jitter.  See oracle_jitter.h. */
#include "oracle_jitter.h"

#include <assert.h>
#include <string.h>

#include "oracle_civil.h"

enum {
    TIME_BYTES = 15, /* version, seconds since year 1, nanoseconds, offset of the zone */
    SHORT_MAX = 24,  /* bytes that are hashed without a loop */
    BLOCK = 20,      /* bytes of one turn of the loop */
    US_PER_SECOND = 1000000,
};

static const int64_t year_one_to_1970 = 62135596800; /* seconds */
static const uint32_t k1 = 0xcc9e2d51, k2 = 0x1b873593;

static uint32_t rotated(uint32_t v, unsigned bits)
{
    return (v >> bits) + (uint32_t)((uint64_t)v << (32 - bits));
}

/* Four bytes, the lowest first; `at` counts from the end if it is negative. */
static uint32_t fetch(const uint8_t *text, size_t len, int at)
{
    const uint8_t *p = at < 0 ? text + len - (size_t)-at : text + at;
    uint32_t v = 0;

    for (int i = 3; i >= 0; i--)
        v = v * 256 + p[i];
    return v;
}

static uint32_t stirred(uint32_t h)
{
    return rotated(h, 19) * 5 + 0xe6546b64;
}

static uint32_t scrambled(uint32_t v)
{
    return rotated(v * k1, 17) * k2;
}

static uint32_t murmur(uint32_t v, uint32_t h)
{
    return stirred(h ^ scrambled(v));
}

static uint32_t avalanche(uint32_t h)
{
    h ^= h >> 16;
    h *= 0x85ebca6b;
    h ^= h >> 13;
    h *= 0xc2b2ae35;
    return h ^ (h >> 16);
}

static uint32_t hash_short(const uint8_t *text, size_t len)
{
    int middle = (int)(len / 2);
    uint32_t a = fetch(text, len, middle - 4), b = fetch(text, len, 4);
    uint32_t c = fetch(text, len, -8), d = fetch(text, len, middle);
    uint32_t e = fetch(text, len, 0), f = fetch(text, len, -4);
    uint32_t h = d * k1 + (uint32_t)len;

    a = rotated(a, 12) + f;
    h = murmur(c, h) + a;
    a = rotated(a, 3) + c;
    h = murmur(e, h) + a;
    a = rotated(a + f, 12) + d;
    return avalanche(murmur(b, h) + a);
}

static uint32_t hash_long(const uint8_t *text, size_t len)
{
    uint32_t h = (uint32_t)len, g = k1 * h, f = g;

    h = murmur(fetch(text, len, -16), murmur(fetch(text, len, -4), h));
    g = murmur(fetch(text, len, -12), murmur(fetch(text, len, -8), g));
    f = rotated(f + scrambled(fetch(text, len, -20)), 19) + 113;
    for (size_t i = 0; i < (len - 1) / BLOCK; i++) {
        uint32_t v[5];

        for (int k = 0; k < 5; k++)
            v[k] = fetch(text, len, (int)i * BLOCK + 4 * k);
        h = murmur(v[3], h + v[0]) + v[4];
        g = murmur(v[2], g + v[1]) + v[0];
        f = murmur(v[1] + v[4] * k1, f + v[2]) + v[3];
        f += g;
        g += f;
    }
    g = rotated(rotated(g, 11) * k1, 17) * k1;
    f = rotated(rotated(f, 11) * k1, 17) * k1;
    h = rotated(stirred(h + g), 17) * k1;
    return rotated(stirred(h + f), 17) * k1;
}

int64_t oracle_jitter(const char *seed, size_t seed_len, int64_t nominal_us, int64_t most_ms)
{
    uint8_t text[TIME_BYTES + ORACLE_SEED_MAX] = {1};
    int64_t second = oracle_floor_div(nominal_us, US_PER_SECOND);
    uint64_t since = (uint64_t)(second + year_one_to_1970);
    uint64_t nanos = (uint64_t)(nominal_us - second * US_PER_SECOND) * 1000;
    size_t len = TIME_BYTES + seed_len;
    uint32_t hash;

    assert(seed_len <= ORACLE_SEED_MAX);
    for (int i = 8; i >= 1; i--, since /= 256)
        text[i] = (uint8_t)(since % 256);
    for (int i = 12; i >= 9; i--, nanos /= 256)
        text[i] = (uint8_t)(nanos % 256);
    text[13] = text[14] = 0xff; /* an offset of -1 minute means UTC */
    if (seed_len > 0)
        memcpy(text + TIME_BYTES, seed, seed_len);
    hash = len <= SHORT_MAX ? hash_short(text, len) : hash_long(text, len);
    return (int64_t)(((uint64_t)hash * (uint64_t)most_ms) >> 32);
}
