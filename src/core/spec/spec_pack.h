/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compiled spec as bytes, for the store.
 *
 * Pure.  The form is versioned and independent of the machine: fixed widths, little-endian.
 * Unpacking checks everything; bytes from anywhere give a valid spec or an error.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "core/spec/spec.h"

enum { SPEC_PACK_VERSION = 1 };

/* Appends to *out; out->cut tells when it did not fit (SPEC_PACKED_MAX always does). */
void spec_pack(const struct spec *spec, struct buf *out);

/* RC_CORRUPT when the bytes are not a packed spec.  Zones are names until spec_bind(). */
MUST_USE enum rc spec_unpack(const void *bytes, size_t len, struct arena *arena,
                             struct spec *ret, struct err *reterr);

/* Looks up the zones of an unpacked spec. */
MUST_USE enum rc spec_bind(struct spec *spec, const struct zone_source *zones,
                           struct err *reterr);
