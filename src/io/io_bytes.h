/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes that wait for the kernel or the encryption: a growing buffer whose memory is kept until
 * it is freed.  Its users limit the length.
 */
#pragma once

#include <stddef.h>

#include "base/str.h"

struct io_bytes {
    char *ptr;
    size_t len, cap;
};

/* Appends a copy of `more`. */
void io_bytes_add(struct io_bytes *bytes, struct str more);

/* Frees the memory; the buffer is empty and can be used again. */
void io_bytes_free(struct io_bytes *bytes);
