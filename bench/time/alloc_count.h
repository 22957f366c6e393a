/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts every allocation of the process by replacing the allocation functions of the C
 * library.  glibc only.
 */
#pragma once

#include <stdint.h>

/* Calls of malloc, calloc, realloc and their aligned variants since the start. */
int64_t alloc_count(void);
