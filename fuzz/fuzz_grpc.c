/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Bytes as a gRPC frame, as its header fields, and as a message of Temporal's API.
 *
 * A message that is unpacked and packed is the same when it is unpacked again; a field found
 * without unpacking is the one that unpacking finds; base64 that is read is written back the
 * same, and so is the message of a status.
 */
#include <string.h>

#include "base/must.h"
#include "wire/base64.h"
#include "wire/grpc/grpc.h"
#include "wire/grpc/proto.h"
#include "wire/temporal.pb-c.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len);

static void check_message(struct str bytes, struct arena *arena)
{
    const ProtobufCMessageDescriptor *type = &temporal__create_schedule_request__descriptor;
    ProtobufCMessage *message, *again;
    struct str packed, found;
    struct err err;

    if (proto_unpack(type, bytes, arena, &message, &err) != RC_OK)
        return;
    packed = proto_pack(message, arena);
    must(proto_unpack(type, packed, arena, &again, &err) == RC_OK);
    must(str_eq(proto_pack(again, arena), packed));
    found = (struct str){0};
    proto_find_text(bytes, 1, &found);
    must(str_eq(found, str_of(((Temporal__CreateScheduleRequest *)message)->namespace_)));
}

static void check_base64(struct str text, struct arena *arena)
{
    struct buf bytes = {.cap = text.len + 1}, back = {.cap = BASE64_ROOM(text.len)};
    struct err err;

    bytes.ptr = arena_take(arena, bytes.cap);
    back.ptr = arena_take(arena, back.cap);
    if (base64_read(text, &bytes, &err) != RC_OK)
        return;
    must(!bytes.cut);
    base64_add(buf_as_str(&bytes), &back);
    must(!back.cut && str_starts(buf_as_str(&back), text));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t len)
{
    struct str text = {(const char *)bytes, len}, message;
    struct arena *arena = arena_new(256 << 20);
    struct buf words = {.cap = GRPC_MESSAGE_ROOM(len)}, back = {.cap = len + 1};
    bool is_compressed;
    struct err err;
    span within;

    words.ptr = arena_take(arena, words.cap);
    grpc_escape_message(text, &words);
    must(!words.cut);
    back.ptr = arena_take(arena, back.cap);
    grpc_unescape_message(buf_as_str(&words), &back);
    must(!back.cut && str_eq(buf_as_str(&back), text));
    must(grpc_status_read(text) <= GRPC_UNAUTHENTICATED);
    if (grpc_timeout(text, &within))
        must(within >= 0);
    if (grpc_unframe(text, &is_compressed, &message, &err) == RC_OK) {
        must(message.len + GRPC_PREFIX == len);
        check_message(message, arena);
    }
    check_message(text, arena);
    check_base64(text, arena);
    arena_free(arena);
    return 0;
}
