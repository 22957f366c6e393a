/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts every allocation of the process, whoever makes it, by standing in front of the
 * C library's allocator.  glibc only.
 */
#pragma once

#include <stdint.h>

/* Calls of malloc, calloc, realloc and their aligned relatives since the start. */
int64_t alloc_count(void);
