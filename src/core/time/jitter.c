/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FarmHash Fingerprint32 over the nominal second and the seed, computed as Temporal does, so
 * that a schedule imported from Temporal keeps its times.
 */
#include "core/time/jitter.h"

#include "base/must.h"
#include "core/limits.h"

#define C1 UINT32_C(0xcc9e2d51)
#define C2 UINT32_C(0x1b873593)

enum { PREFIX = 15 }; /* bytes before the seed */

static uint32_t ror(uint32_t x, int by)
{
    return x >> by | x << (32 - by);
}

static uint32_t word(const unsigned char *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t mix_after(uint32_t h)
{
    return ror(h, 19) * 5 + UINT32_C(0xe6546b64);
}

static uint32_t mix_before(uint32_t a)
{
    return ror(a * C1, 17) * C2;
}

static uint32_t mur(uint32_t a, uint32_t h)
{
    return mix_after(h ^ mix_before(a));
}

static uint32_t finish(uint32_t h)
{
    h = (h ^ h >> 16) * UINT32_C(0x85ebca6b);
    h = (h ^ h >> 13) * UINT32_C(0xc2b2ae35);
    return h ^ h >> 16;
}

/* 13 to 24 bytes. */
static uint32_t hash_short(const unsigned char *p, size_t n)
{
    uint32_t a = word(p + n / 2 - 4), b = word(p + 4), c = word(p + n - 8);
    uint32_t d = word(p + n / 2), e = word(p), f = word(p + n - 4);
    uint32_t h = d * C1 + (uint32_t)n;

    a = ror(a, 12) + f;
    h = mur(c, h) + a;
    a = ror(a, 3) + c;
    h = mur(e, h) + a;
    a = ror(a + f, 12) + d;
    h = mur(b, h) + a;
    return finish(h);
}

static uint32_t fold_in(uint32_t h, uint32_t x)
{
    x = ror(x, 11) * C1;
    x = ror(x, 17) * C1;
    return ror(mix_after(h + x), 17) * C1;
}

/* More than 24 bytes: three sums over the last twenty bytes, then over blocks of twenty. */
static uint32_t hash_long(const unsigned char *p, size_t n)
{
    uint32_t h = (uint32_t)n, g = C1 * (uint32_t)n, f = g;

    h = mix_after(h ^ mix_before(word(p + n - 4)));
    h = mix_after(h ^ mix_before(word(p + n - 16)));
    g = mix_after(g ^ mix_before(word(p + n - 8)));
    g = mix_after(g ^ mix_before(word(p + n - 12)));
    f = ror(f + mix_before(word(p + n - 20)), 19) + 113;
    for (size_t blocks = (n - 1) / 20; blocks > 0; blocks--, p += 20) {
        uint32_t a = word(p), b = word(p + 4), c = word(p + 8), d = word(p + 12);
        uint32_t e = word(p + 16);

        h += a;
        g += b;
        f += c;
        h = mur(d, h) + e;
        g = mur(c, g) + a;
        f = mur(b + e * C1, f) + d;
        f += g;
        g += f;
    }
    h = fold_in(h, g);
    return fold_in(h, f);
}

span jitter_effective(span most)
{
    const span limit = (span)UINT32_MAX * SPAN_MS;

    return most < 0 ? 0 : most < limit ? most : limit;
}

span jitter_delay(struct str seed, instant nominal, span most)
{
    unsigned char bytes[PREFIX + SEED_MAX]; /* only the first n are set */
    /* Go's binary form of a time, which is hashed, begins with the seconds since year 1. */
    uint64_t s = (uint64_t)(instant_seconds(nominal) + INT64_C(62135596800));
    uint32_t ns = (uint32_t)(nominal - instant_of_seconds(instant_seconds(nominal))) * 1000;
    uint64_t most_ms = (uint64_t)(jitter_effective(most) / SPAN_MS);
    size_t n = PREFIX + seed.len;
    uint32_t hash;

    must(seed.len <= SEED_MAX);
    bytes[0] = 1;
    for (int i = 0; i < 8; i++)
        bytes[1 + i] = (unsigned char)(s >> (56 - 8 * i));
    for (int i = 0; i < 4; i++)
        bytes[9 + i] = (unsigned char)(ns >> (24 - 8 * i));
    bytes[13] = bytes[14] = 0xff;
    if (seed.len > 0)
        memcpy(bytes + PREFIX, seed.ptr, seed.len);
    hash = n <= 24 ? hash_short(bytes, n) : hash_long(bytes, n);
    return (span)(hash * most_ms >> 32) * SPAN_MS;
}
