/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads protobuf messages from JSON, as protobuf's JSON mapping defines it, guided by their
 * descriptors.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "wire/grpc/proto.h"
#include "wire/json/json.h"

/*
 * For messages of texts, bytes, 32-bit integers, times, durations, other such messages, and
 * lists of texts and messages.  Unknown fields are ignored, as in every dialect except the
 * native one.  Errors name the field.  The message is in the arena.
 */
MUST_USE enum rc proto_from_json(const ProtobufCMessageDescriptor *type, const json_t *json,
                                 struct arena *arena, ProtobufCMessage **ret,
                                 struct err *reterr);
