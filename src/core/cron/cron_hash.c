/* SPDX-License-Identifier: Apache-2.0 */
/*
 * MD5 (RFC 1321) and the generator of java.util.Random, as far as `H` needs them.
 */
#include "core/cron/cron_hash.h"

#include <string.h>

#include "base/must.h"

enum { MD5_BLOCK = 64, MD5_ROUNDS = 64, MD5_LENGTH_AT = 56 };

struct md5 {
    uint32_t word[4];
};

/* floor(2^32 × |sin(i + 1)|), from RFC 1321. */
static const uint32_t md5_sine[MD5_ROUNDS] = {
    0xd76aa478, 0xe8c7b756, 0x242070db, 0xc1bdceee, 0xf57c0faf, 0x4787c62a, 0xa8304613,
    0xfd469501, 0x698098d8, 0x8b44f7af, 0xffff5bb1, 0x895cd7be, 0x6b901122, 0xfd987193,
    0xa679438e, 0x49b40821, 0xf61e2562, 0xc040b340, 0x265e5a51, 0xe9b6c7aa, 0xd62f105d,
    0x02441453, 0xd8a1e681, 0xe7d3fbc8, 0x21e1cde6, 0xc33707d6, 0xf4d50d87, 0x455a14ed,
    0xa9e3e905, 0xfcefa3f8, 0x676f02d9, 0x8d2a4c8a, 0xfffa3942, 0x8771f681, 0x6d9d6122,
    0xfde5380c, 0xa4beea44, 0x4bdecfa9, 0xf6bb4b60, 0xbebfbc70, 0x289b7ec6, 0xeaa127fa,
    0xd4ef3085, 0x04881d05, 0xd9d4d039, 0xe6db99e5, 0x1fa27cf8, 0xc4ac5665, 0xf4292244,
    0x432aff97, 0xab9423a7, 0xfc93a039, 0x655b59c3, 0x8f0ccc92, 0xffeff47d, 0x85845dd1,
    0x6fa87e4f, 0xfe2ce6e0, 0xa3014314, 0x4e0811a1, 0xf7537e82, 0xbd3af235, 0x2ad7d2bb,
    0xeb86d391,
};

static const uint8_t md5_shift[4][4] = {
    {7, 12, 17, 22}, {5, 9, 14, 20}, {4, 11, 16, 23}, {6, 10, 15, 21}};

static uint32_t load_le(const uint8_t *p)
{
    return (uint32_t)p[0] | (uint32_t)p[1] << 8 | (uint32_t)p[2] << 16 | (uint32_t)p[3] << 24;
}

static uint32_t md5_mix(int i, const uint32_t *w, const uint8_t *block)
{
    uint32_t b = w[1], c = w[2], d = w[3], f;
    int k;

    switch (i / 16) {
    case 0:
        f = (b & c) | (~b & d);
        k = i;
        break;
    case 1:
        f = (d & b) | (~d & c);
        k = (5 * i + 1) % 16;
        break;
    case 2:
        f = b ^ c ^ d;
        k = (3 * i + 5) % 16;
        break;
    default:
        f = c ^ (b | ~d);
        k = 7 * i % 16;
        break;
    }
    return w[0] + f + md5_sine[i] + load_le(block + 4 * k);
}

static void md5_block(struct md5 *md5, const uint8_t *block)
{
    uint32_t w[4];

    memcpy(w, md5->word, sizeof w);
    for (int i = 0; i < MD5_ROUNDS; i++) {
        uint32_t f = md5_mix(i, w, block);
        int s = md5_shift[i / 16][i % 4];

        w[0] = w[3];
        w[3] = w[2];
        w[2] = w[1];
        w[1] += f << s | f >> (32 - s);
    }
    for (int i = 0; i < 4; i++)
        md5->word[i] += w[i];
}

static struct md5 md5_of(struct str text)
{
    struct md5 md5 = {{0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476}};
    uint8_t tail[2 * MD5_BLOCK] = {0};
    uint64_t bits = (uint64_t)text.len * 8;
    size_t whole = text.len / MD5_BLOCK * MD5_BLOCK;
    size_t rest = text.len - whole;
    size_t tail_len = rest < MD5_LENGTH_AT ? MD5_BLOCK : 2 * MD5_BLOCK;

    for (size_t i = 0; i < whole; i += MD5_BLOCK)
        md5_block(&md5, (const uint8_t *)text.ptr + i);
    memcpy(tail, text.ptr + whole, rest);
    tail[rest] = 0x80;
    for (size_t i = 0; i < 8; i++)
        tail[tail_len - 8 + i] = (uint8_t)(bits >> (8 * i));
    for (size_t i = 0; i < tail_len; i += MD5_BLOCK)
        md5_block(&md5, tail + i);
    return md5;
}

/* The bytes of two words of a digest, which begin with the lowest, as one number. */
static uint64_t big_endian(uint32_t high, uint32_t low)
{
    return (uint64_t)__builtin_bswap32(high) << 32 | __builtin_bswap32(low);
}

/* The constants of java.util.Random: 48 bits of state, of which it returns the upper ones. */
#define RANDOM_MULTIPLIER UINT64_C(0x5DEECE66D)
#define RANDOM_ADDEND     UINT64_C(0xB)
#define RANDOM_MASK       ((UINT64_C(1) << 48) - 1)

static int32_t next_31_bits(struct cron_hash *hash)
{
    hash->state = (hash->state * RANDOM_MULTIPLIER + RANDOM_ADDEND) & RANDOM_MASK;
    return (int32_t)(hash->state >> 17);
}

static void seed_generator(struct cron_hash *hash)
{
    struct md5 md5 = md5_of(hash->seed);
    uint64_t folded = big_endian(md5.word[0] ^ md5.word[2], md5.word[1] ^ md5.word[3]);

    hash->state = (folded ^ RANDOM_MULTIPLIER) & RANDOM_MASK;
    hash->started = true;
}

int cron_hash_draw(struct cron_hash *hash, int bound)
{
    int64_t bits, value;

    must(bound > 0);
    if (hash->seed.len == 0)
        return 0;
    if (!hash->started)
        seed_generator(hash);
    if ((bound & (bound - 1)) == 0)
        return (int)((int64_t)bound * next_31_bits(hash) >> 31);
    /* Draws again for values after the last multiple of `bound`, as Java does. */
    do {
        bits = next_31_bits(hash);
        value = bits % bound;
    } while (bits - value + bound - 1 > INT32_MAX);
    return (int)value;
}
