/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 in portable C, HMAC, and the choice between portable code and SHA instructions.
 */
#include "base/sha256_parts.h"

#include <string.h>

enum { LENGTH_AT = SHA256_BLOCK - 8, PAD_IN = 0x36, PAD_OUT = 0x5c };

static const uint32_t initial_state[8] = {
    0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
    0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19,
};

const uint32_t sha256_constants[SHA256_ROUNDS] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4,
    0xab1c5ed5, 0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe,
    0x9bdc06a7, 0xc19bf174, 0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f,
    0x4a7484aa, 0x5cb0a9dc, 0x76f988da, 0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7,
    0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967, 0x27b70a85, 0x2e1b2138, 0x4d2c6dfc,
    0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85, 0xa2bfe8a1, 0xa81a664b,
    0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070, 0x19a4c116,
    0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7,
    0xc67178f2,
};

static uint32_t rotate_right(uint32_t x, int n)
{
    return x >> n | x << (32 - n);
}

static uint32_t load(const uint8_t *p)
{
    return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

static void store(uint8_t *p, uint32_t x)
{
    for (int i = 0; i < 4; i++)
        p[i] = (uint8_t)(x >> (24 - 8 * i));
}

static void expand(const uint8_t *block, uint32_t w[SHA256_ROUNDS])
{
    for (int i = 0; i < 16; i++)
        w[i] = load(block + 4 * i);
    for (int i = 16; i < SHA256_ROUNDS; i++) {
        uint32_t a = w[i - 15], b = w[i - 2];

        w[i] = w[i - 16] + (rotate_right(a, 7) ^ rotate_right(a, 18) ^ a >> 3) + w[i - 7] +
               (rotate_right(b, 17) ^ rotate_right(b, 19) ^ b >> 10);
    }
}

void sha256_mix(uint32_t state[8], const uint8_t *block)
{
    uint32_t a = state[0], b = state[1], c = state[2], d = state[3];
    uint32_t e = state[4], f = state[5], g = state[6], h = state[7];
    uint32_t w[SHA256_ROUNDS] = {0};

    expand(block, w);
    for (int i = 0; i < SHA256_ROUNDS; i++) {
        uint32_t e_mix = rotate_right(e, 6) ^ rotate_right(e, 11) ^ rotate_right(e, 25);
        uint32_t a_mix = rotate_right(a, 2) ^ rotate_right(a, 13) ^ rotate_right(a, 22);
        uint32_t t1 = h + e_mix + ((e & f) ^ (~e & g)) + sha256_constants[i] + w[i];
        uint32_t t2 = a_mix + ((a & b) ^ (a & c) ^ (b & c));

        h = g, g = f, f = e, e = d + t1;
        d = c, c = b, b = a, a = t1 + t2;
    }
    state[0] += a, state[1] += b, state[2] += c, state[3] += d;
    state[4] += e, state[5] += f, state[6] += g, state[7] += h;
}

static void mix(struct sha256 *sha, const uint8_t *block)
{
    if (sha256_has_instructions())
        sha256_mix_instructions(sha->state, block);
    else
        sha256_mix(sha->state, block);
}

void sha256_begin(struct sha256 *sha)
{
    memcpy(sha->state, initial_state, sizeof initial_state);
    sha->length = 0;
}

void sha256_add(struct sha256 *sha, const void *bytes, size_t len)
{
    const uint8_t *p = bytes;
    size_t used = (size_t)(sha->length % SHA256_BLOCK);

    sha->length += len;
    while (len > 0) {
        size_t n = SHA256_BLOCK - used < len ? SHA256_BLOCK - used : len;

        if (n == SHA256_BLOCK) {
            mix(sha, p);
        } else {
            memcpy(sha->block + used, p, n);
            if (used + n == SHA256_BLOCK)
                mix(sha, sha->block);
        }
        used = (used + n) % SHA256_BLOCK;
        p += n;
        len -= n;
    }
}

void sha256_end(struct sha256 *sha, uint8_t ret[SHA256_BYTES])
{
    static const uint8_t pad[SHA256_BLOCK] = {0x80};
    uint64_t bits = sha->length * 8;
    size_t used = (size_t)(sha->length % SHA256_BLOCK);
    uint8_t length[8];

    store(length, (uint32_t)(bits >> 32));
    store(length + 4, (uint32_t)bits);
    sha256_add(sha, pad, used < LENGTH_AT ? LENGTH_AT - used : LENGTH_AT + SHA256_BLOCK - used);
    sha256_add(sha, length, sizeof length);
    for (int i = 0; i < 8; i++)
        store(ret + 4 * i, sha->state[i]);
}

static void begin_padded(struct sha256 *sha, const uint8_t key[SHA256_BLOCK], uint8_t pad)
{
    uint8_t padded[SHA256_BLOCK];

    for (int i = 0; i < SHA256_BLOCK; i++)
        padded[i] = key[i] ^ pad;
    sha256_begin(sha);
    sha256_add(sha, padded, sizeof padded);
}

void sha256_hmac(struct str key, struct str message, uint8_t ret[SHA256_BYTES])
{
    uint8_t block[SHA256_BLOCK] = {0};
    struct sha256 sha;

    if (key.len > SHA256_BLOCK) {
        sha256_begin(&sha);
        sha256_add(&sha, key.ptr, key.len);
        sha256_end(&sha, block);
    } else if (key.len > 0) {
        memcpy(block, key.ptr, key.len);
    }
    begin_padded(&sha, block, PAD_IN);
    sha256_add(&sha, message.ptr, message.len);
    sha256_end(&sha, ret);
    begin_padded(&sha, block, PAD_OUT);
    sha256_add(&sha, ret, SHA256_BYTES);
    sha256_end(&sha, ret);
}

bool sha256_eq(const uint8_t a[SHA256_BYTES], const uint8_t b[SHA256_BYTES])
{
    volatile uint8_t differs = 0;

    for (int i = 0; i < SHA256_BYTES; i++)
        differs |= a[i] ^ b[i];
    return differs == 0;
}
