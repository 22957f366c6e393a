/* SPDX-License-Identifier: Apache-2.0 */
/*
 * FNV-1a and the digest over a sequence.
 */
#include "base/hash.h"

/* The constants of FNV-1a for 64 bits (Fowler, Noll, Vo). */
#define FNV_BASIS UINT64_C(0xcbf29ce484222325)
#define FNV_PRIME UINT64_C(0x100000001b3)

uint64_t hash_bytes(const void *bytes, size_t len, uint64_t seed)
{
    const unsigned char *p = bytes;
    uint64_t hash = seed == 0 ? FNV_BASIS : hash_u64(seed);

    for (size_t i = 0; i < len; i++)
        hash = (hash ^ p[i]) * FNV_PRIME;
    return hash;
}

void digest_int(struct digest *digest, int64_t value)
{
    digest->sum = hash_u64(digest->sum ^ (uint64_t)value);
}

void digest_add(struct digest *digest, const void *bytes, size_t len)
{
    digest_int(digest, (int64_t)len);
    digest_int(digest, (int64_t)hash_bytes(bytes, len, 0));
}
