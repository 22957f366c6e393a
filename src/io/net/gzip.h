/* SPDX-License-Identifier: Apache-2.0 */
/* Compresses to gzip (RFC 1952), whole or piece by piece for a stream. */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/* Memory use: a stream holds it as long as it lasts. */
enum gzip_size {
    GZIP_LARGE, /* 256 KiB */
    GZIP_SMALL, /* 32 KiB */
};

struct gzip; /* opaque */

struct gzip *gzip_new(enum gzip_size size);
struct gzip *gzip_free(struct gzip *gzip); /* accepts NULL, returns NULL */

/*
 * Appends the compressed form of all bytes so far, so that the other side can read it
 * immediately; with `is_last` also the end, and the next bytes begin a new stream.  False if
 * there is no room: discard what was appended; the next bytes begin a new stream.
 */
MUST_USE bool gzip_add(struct gzip *gzip, struct str plain, bool is_last, struct buf *out);

/* The maximum room that a piece of a stream can need. */
#define GZIP_ROOM(plain) ((plain) + (plain) / 4 + 64)
