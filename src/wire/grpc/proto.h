/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Messages of protobuf, in arenas: unpacked within a budget, checked, packed.
 *
 * protobuf-c neither bounds what a message takes nor looks at its texts: a byte of the wire may
 * become 28 of memory, and a text ends at its first NUL.  Both are seen to here.
 */
#pragma once

#include <protobuf-c/protobuf-c.h>

#include "base/arena.h"
#include "base/err.h"

enum {
    PROTO_BUDGET =
        16 << 20,          /* bytes of arena that one message may take: 16 times the largest */
    PROTO_LEVELS_MAX = 16, /* of messages in messages; the deepest of ours has 8             */
};

/*
 * The message, which lives in `arena` and is not to be freed.  RC_INVALID: it is broken, or a
 * text of it is not UTF-8 or has a NUL; RC_LIMIT: it takes more than the budget.
 */
MUST_USE enum rc proto_unpack(const ProtobufCMessageDescriptor *type, struct str bytes,
                              struct arena *arena, ProtobufCMessage **ret, struct err *reterr);

struct str proto_pack(const ProtobufCMessage *message, struct arena *arena);

/* Likewise, with the frame of gRPC before it. */
struct str proto_frame(const ProtobufCMessage *message, struct arena *arena);

/* The text of a field by its number, at the top of a message; false: there is none. */
bool proto_find_text(struct str message, uint32_t number, struct str *ret);
