/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The hash of jitter [T-61]: FarmHash Fingerprint32 over the nominal time, in the binary form
 * of Go, and the seed.  A second implementation, from the published description of FarmHash.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum { ORACLE_SEED_MAX = 4096 }; /* bytes; longer than any seed of the program */

/* The delay in milliseconds, less than `most_ms`, of a time in microseconds since 1970. */
int64_t oracle_jitter(const char *seed, size_t seed_len, int64_t nominal_us, int64_t most_ms);
