/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SHA-256 (FIPS 180-4), HMAC-SHA-256 (RFC 2104) and a comparison in constant time, for stored
 * secrets and hash chains.
 *
 * Not from a library, because some layers that need it may not use one: docs/decisions/0030.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/str.h"

enum { SHA256_BYTES = 32, SHA256_BLOCK = 64 };

struct sha256 {
    uint32_t state[8];
    uint64_t length; /* bytes so far */
    uint8_t block[SHA256_BLOCK];
};

void sha256_begin(struct sha256 *sha);
/* `bytes` may be NULL if len is 0. */
void sha256_add(struct sha256 *sha, const void *bytes, size_t len);
void sha256_end(struct sha256 *sha, uint8_t ret[SHA256_BYTES]);

void sha256_hmac(struct str key, struct str message, uint8_t ret[SHA256_BYTES]);

/* Constant time: the duration does not depend on the bytes. */
bool sha256_eq(const uint8_t a[SHA256_BYTES], const uint8_t b[SHA256_BYTES]);
