/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A compiled spec as bytes, for the store.
 *
 * Pure.  The format is versioned and independent of the machine: fixed widths, little-endian.
 * Unpacking checks everything; any bytes give a valid spec or an error.
 */
#pragma once

#include "base/arena.h"
#include "base/buf.h"
#include "base/err.h"
#include "core/spec/spec.h"

enum { SPEC_PACK_VERSION = 1 };

/* Appends to *out; sets out->cut if the spec does not fit (SPEC_PACKED_MAX is enough). */
void spec_pack(const struct spec *spec, struct buf *out);

/* Returns RC_CORRUPT if the bytes are not a packed spec.  Zones are names until spec_bind(). */
MUST_USE enum rc spec_unpack(const void *bytes, size_t len, struct arena *arena,
                             struct spec *ret, struct err *reterr);

/* Looks up the zones of an unpacked spec. */
MUST_USE enum rc spec_bind(struct spec *spec, const struct zone_source *zones,
                           struct err *reterr);
