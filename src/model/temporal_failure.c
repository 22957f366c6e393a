/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Keeps a workflow's failure as its packed message, with the fields that Belfry does not know.
 */
#include "model/temporal_failure.h"

#include "model/temporal_codec.h"
#include "wire/base64.h"

static struct str in_base64(struct str bytes, struct arena *arena)
{
    struct buf text = {.cap = BASE64_ROOM(bytes.len)};

    text.ptr = arena_take(arena, text.cap);
    base64_add(bytes, &text);
    return buf_as_str(&text);
}

static char *short_text(const char *text, struct arena *arena)
{
    return temporal_text(str_head(str_of(text), TEMPORAL_FAILURE_TEXT_MAX), arena);
}

static struct str pack_cut(const Temporal__Failure *failure, size_t size, struct arena *arena)
{
    Temporal__Failure cut = TEMPORAL__FAILURE__INIT;
    Temporal__ApplicationFailureInfo info = TEMPORAL__APPLICATION_FAILURE_INFO__INIT;
    char note[120];
    struct buf text = BUF(note);

    buf_printf(&text, "cut by Belfry: the failure has %zu bytes; the limit is %d", size,
               TEMPORAL_FAILURE_MAX);
    cut.message = short_text(failure->message, arena);
    cut.source = short_text(failure->source, arena);
    cut.stack_trace = note;
    if (failure->application_failure_info) {
        info.type = short_text(failure->application_failure_info->type, arena);
        info.non_retryable = failure->application_failure_info->non_retryable;
        cut.application_failure_info = &info;
    }
    return proto_pack(&cut.base, arena);
}

struct str temporal_failure_keep(const Temporal__Failure *failure, struct arena *arena)
{
    size_t size = protobuf_c_message_get_packed_size(&failure->base);

    return in_base64(size > TEMPORAL_FAILURE_MAX ? pack_cut(failure, size, arena)
                                                 : proto_pack(&failure->base, arena),
                     arena);
}

/* The message in base64; NULL: it cannot be read. */
static Temporal__Failure *unpack(const json_t *json, struct arena *arena)
{
    ProtobufCMessage *message;
    struct buf bytes;
    struct err unused;

    if (!json_is_string(json))
        return NULL;
    bytes = (struct buf){.cap = json_string_length(json) + 1};
    bytes.ptr = arena_take(arena, bytes.cap);
    if (base64_read((struct str){json_string_value(json), json_string_length(json)}, &bytes,
                    &unused) != RC_OK ||
        proto_unpack(&temporal__failure__descriptor, buf_as_str(&bytes), arena, &message,
                     &unused) != RC_OK)
        return NULL;
    return (Temporal__Failure *)(void *)message;
}

Temporal__Failure *temporal_failure_of(struct str stored, struct arena *arena)
{
    json_auto_t *json = stored.len > 0 ? json_of_kept(stored) : NULL;
    const char *message = json_string_value(json_object_get(json, "message"));
    Temporal__Failure *failure = unpack(json_object_get(json, "failure"), arena);

    if (failure || stored.len == 0)
        return failure;
    failure = arena_take(arena, sizeof *failure);
    temporal__failure__init(failure);
    failure->message = temporal_text(message ? str_of(message) : stored, arena);
    failure->source = temporal_text(STR("Belfry"), arena);
    return failure;
}
