/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Unpacks, checks and packs protobuf messages.
 */
#include "wire/grpc/proto.h"

#include "base/must.h"
#include "wire/grpc/grpc.h"

enum wire_type { WIRE_VARINT = 0, WIRE_8 = 1, WIRE_BYTES = 2, WIRE_4 = 5 };

enum { VARINT_BYTES_MAX = 10, WIRE_TYPE_BITS = 3, FIELD_NUMBER_MAX = (1 << 29) - 1 };

/* ---- the wire ---- */

static bool read_varint(struct str *s, uint64_t *ret)
{
    uint64_t value = 0;

    for (size_t i = 0; i < s->len && i < VARINT_BYTES_MAX; i++) {
        unsigned char c = (unsigned char)s->ptr[i];

        value |= (uint64_t)(c & 127) << (7 * i);
        if (c < 128) {
            *s = str_from(*s, i + 1);
            *ret = value;
            return true;
        }
    }
    return false;
}

static bool read_bytes(struct str *s, uint64_t len, struct str *ret)
{
    if (len > s->len)
        return false;
    *ret = (struct str){s->ptr, (size_t)len};
    *s = str_from(*s, (size_t)len);
    return true;
}

/* One field; *ret is its content if it is bytes. */
static bool read_field(struct str *s, uint32_t *ret_number, bool *ret_is_bytes, struct str *ret)
{
    uint64_t tag, n;

    if (!read_varint(s, &tag) || tag >> WIRE_TYPE_BITS == 0 ||
        tag >> WIRE_TYPE_BITS > FIELD_NUMBER_MAX)
        return false;
    *ret_number = (uint32_t)(tag >> WIRE_TYPE_BITS);
    *ret_is_bytes = (tag & 7) == WIRE_BYTES;
    switch (tag & 7) {
    case WIRE_VARINT:
        return read_varint(s, &n);
    case WIRE_8:
        return read_bytes(s, 8, ret);
    case WIRE_4:
        return read_bytes(s, 4, ret);
    case WIRE_BYTES:
        return read_varint(s, &n) && read_bytes(s, n, ret);
    default:
        return false;
    }
}

bool proto_next_bytes(struct str *rest, uint32_t *ret_number, struct str *ret)
{
    struct str left = *rest;

    while (left.len > 0) {
        struct str value;
        bool is_bytes;
        uint32_t number;

        if (!read_field(&left, &number, &is_bytes, &value))
            return false;
        *rest = left;
        if (is_bytes) {
            *ret_number = number;
            *ret = value;
            return true;
        }
    }
    return false;
}

bool proto_find_text(struct str message, uint32_t number, struct str *ret)
{
    struct str rest = message, value, found = {0};
    bool is_found = false;
    uint32_t n;

    while (proto_next_bytes(&rest, &n, &value)) {
        if (n == number) {
            found = value;
            is_found = true; /* the last one counts */
        }
    }
    if (!is_found || rest.len > 0)
        return false;
    *ret = found;
    return true;
}

/* ---- texts ---- */

static enum rc check_text(const char *name, struct str text, struct err *reterr)
{
    if (memchr(text.ptr, '\0', text.len))
        err_set(reterr, RC_INVALID, -1, 0, "contains a NUL");
    else if (!str_is_utf8(text))
        err_set(reterr, RC_INVALID, -1, 0, "is not UTF-8");
    else
        return RC_OK;
    return err_in(reterr, "%s", name);
}

static enum rc check_texts(const ProtobufCMessageDescriptor *type, struct str bytes, int level,
                           struct err *reterr)
{
    enum rc rc = RC_OK;

    must(level < PROTO_LEVELS_MAX);
    while (bytes.len > 0 && rc == RC_OK) {
        const ProtobufCFieldDescriptor *field;
        struct str value = {0};
        uint32_t number;
        bool is_bytes;

        if (!read_field(&bytes, &number, &is_bytes, &value))
            return err_set(reterr, RC_INVALID, -1, 0, "malformed message");
        field = protobuf_c_message_descriptor_get_field(type, number);
        if (!field || !is_bytes || value.len == 0)
            continue;
        if (field->type == PROTOBUF_C_TYPE_STRING)
            rc = check_text(field->name, value, reterr);
        else if (field->type == PROTOBUF_C_TYPE_MESSAGE)
            rc = check_texts(field->descriptor, value, level + 1, reterr);
    }
    return rc;
}

/* ---- messages ---- */

struct budget {
    struct arena *arena;
    size_t left;
    bool is_over;
};

static void *budget_take(void *arg, size_t size)
{
    struct budget *budget = arg;

    if (size > budget->left) {
        budget->is_over = true;
        return NULL;
    }
    budget->left -= size;
    return arena_take(budget->arena, size);
}

static void budget_return(void *arg, void *memory)
{
    (void)arg;
    (void)memory; /* freed with its arena */
}

enum rc proto_unpack(const ProtobufCMessageDescriptor *type, struct str bytes,
                     struct arena *arena, ProtobufCMessage **ret, struct err *reterr)
{
    struct budget budget = {arena, PROTO_BUDGET, false};
    ProtobufCAllocator allocator = {budget_take, budget_return, &budget};
    enum rc rc = check_texts(type, bytes, 0, reterr);
    ProtobufCMessage *message;

    if (rc != RC_OK)
        return rc;
    message = protobuf_c_message_unpack(type, &allocator, bytes.len,
                                        (const uint8_t *)bytes.ptr);
    if (!message && budget.is_over)
        return err_set(reterr, RC_LIMIT, -1, 0,
                       "the message has too many parts; its limit in memory is %d MiB",
                       PROTO_BUDGET >> 20);
    if (!message)
        return err_set(reterr, RC_INVALID, -1, 0, "the message does not match this method");
    *ret = message;
    return RC_OK;
}

struct str proto_pack(const ProtobufCMessage *message, struct arena *arena)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    char *room = arena_take(arena, size);

    must(protobuf_c_message_pack(message, (uint8_t *)room) == size);
    return (struct str){room, size};
}

struct str proto_frame(const ProtobufCMessage *message, struct arena *arena)
{
    size_t size = protobuf_c_message_get_packed_size(message);
    struct buf out = {.cap = GRPC_PREFIX + size + 1};

    out.ptr = arena_take(arena, out.cap);
    grpc_prefix(size, &out);
    must(protobuf_c_message_pack(message, (uint8_t *)out.ptr + GRPC_PREFIX) == size);
    return (struct str){out.ptr, GRPC_PREFIX + size};
}
