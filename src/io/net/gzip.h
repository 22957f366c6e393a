/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes made smaller, as gzip (RFC 1952): whole, or piece by piece for a stream; and made
 * whole again.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/str.h"

/* How much memory it takes: a stream keeps it for as long as it lasts. */
enum gzip_size {
    GZIP_LARGE, /* 256 KiB */
    GZIP_SMALL, /* 32 KiB  */
};

struct gzip; /* opaque */

struct gzip *gzip_new(enum gzip_size size);
struct gzip *gzip_free(struct gzip *gzip); /* accepts NULL, returns NULL */

/*
 * Appends all that has come so far, so that the other side can read it at once; with
 * `is_last` also the end, and the next bytes begin anew.  False when there is no room: what
 * was appended is to be forgotten, and the next bytes begin anew.
 */
MUST_USE bool gzip_add(struct gzip *gzip, struct str plain, bool is_last, struct buf *out);

/* The most room that a piece of a stream can need. */
#define GZIP_ROOM(plain) ((plain) + (plain) / 4 + 64)

enum gunzip {
    GUNZIP_DONE,
    GUNZIP_BROKEN,    /* it is not gzip or zlib, not all of it, or something follows it */
    GUNZIP_TOO_LARGE, /* it does not fit                                              */
};

/* Appends what was made smaller, as far as there is room: that is the bound. */
MUST_USE enum gunzip gunzip(struct str packed, struct buf *out);
