/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Protobuf messages in arenas: unpacked within a budget, checked, packed.
 *
 * protobuf-c neither limits the memory of a message nor checks its texts: one byte on the wire
 * may become 28 in memory, and a NUL silently ends a text.  This file limits and checks both.
 */
#pragma once

#include <protobuf-c/protobuf-c.h>

#include "base/arena.h"
#include "base/err.h"

enum {
    PROTO_BUDGET = 16 << 20, /* arena bytes per message: 16 times the largest message */
    PROTO_LEVELS_MAX = 16,   /* of nested messages; the deepest of ours has 8 */
};

/*
 * The message lives in `arena` and must not be freed.  RC_INVALID: it is malformed, or a text
 * is not UTF-8 or contains a NUL; RC_LIMIT: it exceeds the budget.
 */
MUST_USE enum rc proto_unpack(const ProtobufCMessageDescriptor *type, struct str bytes,
                              struct arena *arena, ProtobufCMessage **ret, struct err *reterr);

struct str proto_pack(const ProtobufCMessage *message, struct arena *arena);

/* The same with the frame of gRPC before it. */
struct str proto_frame(const ProtobufCMessage *message, struct arena *arena);

/* The text of a field by its number, at the top level of a message; false: it is missing. */
bool proto_find_text(struct str message, uint32_t number, struct str *ret);

/*
 * Takes the first field that has bytes, and all fields before it, from *rest.  False: there is
 * none; if *rest is not empty then, the message is malformed.
 */
bool proto_next_bytes(struct str *rest, uint32_t *ret_number, struct str *ret);
