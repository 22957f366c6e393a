/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Fills protobuf messages from JSON: see proto_json.h.
 */
#include "model/proto_json.h"

#include "base/must.h"
#include "core/limits.h"
#include "core/time/text.h"
#include "model/temporal_spec.h"
#include "wire/base64.h"
#include "wire/temporal.pb-c.h"

enum {
    NAME_MAX_BYTES = 64, /* of a field's name; the longest has 27 */
    TIME_TEXT_MAX = 64,  /* bytes of a time or duration; the longest valid text has 35 */
};

/* ---- times ---- */

/* Reads the digits after a point as nanoseconds and removes them from *s. */
static bool take_nanos(struct str *s, int32_t *ret)
{
    int32_t value = 0, weight = 100000000;
    size_t n = 0;

    if (s->len == 0 || s->ptr[0] != '.')
        return true;
    *s = str_from(*s, 1);
    for (; n < s->len && char_is_digit(s->ptr[n]); n++) {
        value += weight * (s->ptr[n] - '0');
        weight /= 10;
    }
    *s = str_from(*s, n);
    *ret = value;
    return n >= 1 && n <= 9;
}

/* Seconds with an s: "3600s", "1.5s". */
static enum rc read_duration(const json_t *value, Temporal__Duration *ret, struct err *reterr)
{
    struct str s, rest;
    bool is_negative;

    if (json_take_str(value, TIME_TEXT_MAX, &s, reterr) != RC_OK)
        return reterr->rc;
    is_negative = str_starts(s, STR("-"));
    rest = is_negative ? str_from(s, 1) : s;
    if (str_take_number(&rest, TEMPORAL_SECONDS_MAX, &ret->seconds) == 0 ||
        !take_nanos(&rest, &ret->nanos) || !str_eq(rest, STR("s")))
        return err_set(reterr, RC_INVALID, 0, (int)s.len,
                       "a duration is seconds with an s, such as \"3600s\" or \"1.5s\"");
    if (ret->seconds > TEMPORAL_SECONDS_MAX)
        return err_set(reterr, RC_INVALID, 0, (int)s.len, "a duration is at most 10000 years");
    if (is_negative) {
        ret->seconds = -ret->seconds;
        ret->nanos = -ret->nanos;
    }
    return RC_OK;
}

static enum rc read_timestamp(const json_t *value, Temporal__Timestamp *ret, struct err *reterr)
{
    struct str s, before, fraction;
    instant t;
    enum rc rc = json_take_str(value, TIME_TEXT_MAX, &s, reterr);

    if (rc == RC_OK)
        rc = instant_parse(s, &t, reterr);
    if (rc != RC_OK)
        return rc;
    ret->seconds = instant_seconds(t);
    if (str_cut(s, '.', &before, &fraction)) {
        fraction = str_from(s, before.len);
        must(take_nanos(&fraction, &ret->nanos));
    }
    return RC_OK;
}

/* ---- values ---- */

static enum rc read_text(const json_t *value, struct arena *arena, char **ret,
                         struct err *reterr)
{
    struct str s;
    enum rc rc = json_take_str(value, JSON_BYTES_MAX, &s, reterr);

    if (rc == RC_OK)
        *ret = (char *)(uintptr_t)arena_str(arena, s).ptr; /* protobuf-c does not write to it */
    return rc;
}

static enum rc read_bytes(const json_t *value, struct arena *arena, ProtobufCBinaryData *ret,
                          struct err *reterr)
{
    struct str s;
    struct buf out;
    enum rc rc = json_take_str(value, JSON_BYTES_MAX, &s, reterr);

    if (rc != RC_OK)
        return rc;
    out = (struct buf){.cap = s.len + 1};
    out.ptr = arena_take(arena, out.cap);
    rc = base64_read(s, &out, reterr);
    *ret = (ProtobufCBinaryData){out.len, (uint8_t *)out.ptr};
    return rc;
}

static enum rc read_int(const json_t *value, int32_t *ret, struct err *reterr)
{
    json_int_t number = json_integer_value(value);

    if (!json_is_integer(value))
        return json_wrong_type(value, "a whole number", reterr);
    if (number < INT32_MIN || number > INT32_MAX)
        return err_set(reterr, RC_INVALID, -1, 0, "does not fit into 32 bits");
    *ret = (int32_t)number;
    return RC_OK;
}

/* `to` points to the field in the struct of its message, or to an item of its list. */
static enum rc read_value(const ProtobufCFieldDescriptor *field, const json_t *value,
                          struct arena *arena, void *to, struct err *reterr)
{
    switch (field->type) {
    case PROTOBUF_C_TYPE_STRING:
        return read_text(value, arena, to, reterr);
    case PROTOBUF_C_TYPE_BYTES:
        return read_bytes(value, arena, to, reterr);
    case PROTOBUF_C_TYPE_MESSAGE:
        return proto_from_json(field->descriptor, value, arena, to, reterr);
    default:
        must(field->type == PROTOBUF_C_TYPE_INT32);
        return read_int(value, to, reterr);
    }
}

/* ---- fields ---- */

static enum rc read_list(const ProtobufCFieldDescriptor *field, const json_t *value,
                         struct arena *arena, ProtobufCMessage *message, struct err *reterr)
{
    size_t *ret_count = (size_t *)(void *)((char *)message + field->quantifier_offset);
    void ***ret = (void ***)(void *)((char *)message + field->offset);
    int count = 0;
    enum rc rc = json_take_count(value, SPEC_ENTRIES_MAX, &count, reterr);

    must(field->type == PROTOBUF_C_TYPE_STRING || field->type == PROTOBUF_C_TYPE_MESSAGE);
    *ret = arena_array(arena, (size_t)count, sizeof **ret);
    for (int i = 0; i < count && rc == RC_OK; i++) {
        rc = read_value(field, json_array_get(value, (size_t)i), arena, &(*ret)[i], reterr);
        if (rc != RC_OK)
            err_in(reterr, "[%d]", i);
    }
    *ret_count = (size_t)count;
    return rc;
}

/* day_of_week as dayOfWeek. */
static void write_name(const char *name, struct buf *out)
{
    for (; *name != '\0'; name++) {
        bool is_new_word = *name == '_';

        name += is_new_word;
        buf_char(out, is_new_word ? (char)(*name - 'a' + 'A') : *name);
    }
    must(!out->cut);
}

static enum rc read_field(const ProtobufCFieldDescriptor *field, const json_t *json,
                          struct arena *arena, ProtobufCMessage *message, struct err *reterr)
{
    char text[NAME_MAX_BYTES];
    struct buf name = BUF(text);
    const json_t *value;
    enum rc rc;

    must(!(field->flags & PROTOBUF_C_FIELD_FLAG_ONEOF));
    write_name(field->name, &name);
    value = json_object_get(json, text);
    if (!value || json_is_null(value))
        return RC_OK;
    rc = field->label == PROTOBUF_C_LABEL_REPEATED
             ? read_list(field, value, arena, message, reterr)
             : read_value(field, value, arena, (char *)message + field->offset, reterr);
    return rc == RC_OK ? RC_OK : err_in(reterr, "%s", text);
}

/* Recurses through its fields, at most as deep as the JSON: JSON_DEPTH_MAX. */
enum rc proto_from_json(const ProtobufCMessageDescriptor *type, const json_t *json,
                        struct arena *arena, ProtobufCMessage **ret, struct err *reterr)
{
    ProtobufCMessage *message = arena_take(arena, type->sizeof_message);
    enum rc rc = RC_OK;

    protobuf_c_message_init(type, message);
    *ret = message;
    if (type == &temporal__duration__descriptor)
        return read_duration(json, (Temporal__Duration *)message, reterr);
    if (type == &temporal__timestamp__descriptor)
        return read_timestamp(json, (Temporal__Timestamp *)message, reterr);
    if (!json_is_object(json))
        return json_wrong_type(json, "an object", reterr);
    for (unsigned i = 0; i < type->n_fields && rc == RC_OK; i++)
        rc = read_field(&type->fields[i], json, arena, message, reterr);
    return rc;
}
