/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of SHA-256 share, and its test.
 */
#pragma once

#include "base/sha256.h"

enum { SHA256_ROUNDS = 64 };

extern const uint32_t sha256_rounds[SHA256_ROUNDS];

/* One block into the state: by hand, anywhere. */
void sha256_mix(uint32_t state[8], const uint8_t *block);

/* The same by a unit of the processor's, where it has one. */
bool sha256_has_unit(void);
void sha256_mix_unit(uint32_t state[8], const uint8_t *block);
