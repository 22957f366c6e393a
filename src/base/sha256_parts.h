/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Declarations shared by the files of SHA-256 and their test.  Other code uses sha256.h.
 */
#pragma once

#include "base/sha256.h"

enum { SHA256_ROUNDS = 64 };

/* One constant per round. */
extern const uint32_t sha256_constants[SHA256_ROUNDS];

/* Mixes one block into the state, in portable C. */
void sha256_mix(uint32_t state[8], const uint8_t *block);

/* The same with the SHA instructions of the processor, if it has them. */
bool sha256_has_instructions(void);
void sha256_mix_instructions(uint32_t state[8], const uint8_t *block);
