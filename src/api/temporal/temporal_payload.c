/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Payloads of any encoding as JSON, and back.
 */
#include "api/temporal/temporal_codec.h"
#include "wire/base64.h"

static json_t *bytes_json(ProtobufCBinaryData bytes, struct arena *arena)
{
    struct buf text = {.cap = BASE64_ROOM(bytes.len)};

    text.ptr = arena_take(arena, text.cap);
    base64_add((struct str){(const char *)bytes.data, bytes.len}, &text);
    return json_new_str(buf_as_str(&text));
}

/* An entry of a map may lack its value. */
static json_t *payload_json(const Temporal__Payload *payload, struct arena *arena)
{
    static const Temporal__Payload empty = TEMPORAL__PAYLOAD__INIT;
    json_t *json = json_new_object(), *metadata = json_new_object();

    payload = payload ? payload : &empty;
    for (size_t i = 0; i < payload->n_metadata; i++)
        json_put(metadata, payload->metadata[i]->key,
                 bytes_json(payload->metadata[i]->value, arena));
    json_put(json, "metadata", metadata);
    json_put(json, "data", bytes_json(payload->data, arena));
    return json;
}

json_t *temporal_payloads_json(const Temporal__Payloads *payloads, struct arena *arena)
{
    json_t *json = json_new_object(), *list;

    if (!payloads || payloads->n_payloads == 0)
        return json;
    list = json_new_list();
    for (size_t i = 0; i < payloads->n_payloads; i++)
        json_add(list, payload_json(payloads->payloads[i], arena));
    json_put(json, "payloads", list);
    return json;
}

json_t *temporal_fields_json(const Temporal__Fields *fields, struct arena *arena)
{
    json_t *json = json_new_object();

    for (size_t i = 0; fields && i < fields->n_fields; i++)
        json_put(json, fields->fields[i]->key, payload_json(fields->fields[i]->value, arena));
    return json;
}

/* Empty if it is not base64: a user may have edited the stored text. */
static ProtobufCBinaryData bytes_of(const json_t *json, struct arena *arena)
{
    const char *text = json_string_value(json);
    struct str encoded = str_of(text ? text : "");
    struct buf out = {.cap = encoded.len + 1};
    struct err err;

    out.ptr = arena_take(arena, out.cap);
    if (base64_read(encoded, &out, &err) != RC_OK)
        out.len = 0;
    return (ProtobufCBinaryData){out.len, (uint8_t *)out.ptr};
}

static Temporal__Payload *payload_of(const json_t *json, struct arena *arena)
{
    Temporal__Payload *payload = arena_take(arena, sizeof *payload);
    json_t *metadata = json_object_get(json, "metadata"), *value;
    const char *key;

    temporal__payload__init(payload);
    payload->data = bytes_of(json_object_get(json, "data"), arena);
    payload->metadata = arena_array(arena, json_object_size(metadata),
                                    sizeof *payload->metadata);
    json_object_foreach(metadata, key, value)
    {
        Temporal__Payload__MetadataEntry *entry = arena_take(arena, sizeof *entry);

        temporal__payload__metadata_entry__init(entry);
        entry->key = temporal_text(str_of(key), arena);
        entry->value = bytes_of(value, arena);
        payload->metadata[payload->n_metadata++] = entry;
    }
    return payload;
}

Temporal__Payloads *temporal_payloads_of(const json_t *json, struct arena *arena)
{
    const json_t *list = json_object_get(json, "payloads");
    Temporal__Payloads *payloads;

    if (json_array_size(list) == 0)
        return NULL;
    payloads = arena_take(arena, sizeof *payloads);
    temporal__payloads__init(payloads);
    payloads->payloads = arena_array(arena, json_array_size(list), sizeof *payloads->payloads);
    for (size_t i = 0; i < json_array_size(list); i++)
        payloads->payloads[payloads->n_payloads++] = payload_of(json_array_get(list, i), arena);
    return payloads;
}

Temporal__Fields *temporal_fields_of(const json_t *json, struct arena *arena)
{
    json_t *object = (json_t *)(uintptr_t)json, *value; /* jansson iterates over non-const */
    Temporal__Fields *fields;
    const char *key;

    if (json_object_size(json) == 0)
        return NULL;
    fields = arena_take(arena, sizeof *fields);
    temporal__fields__init(fields);
    fields->fields = arena_array(arena, json_object_size(json), sizeof *fields->fields);
    json_object_foreach(object, key, value)
    {
        Temporal__Fields__FieldsEntry *entry = arena_take(arena, sizeof *entry);

        temporal__fields__fields_entry__init(entry);
        entry->key = temporal_text(str_of(key), arena);
        entry->value = payload_of(value, arena);
        fields->fields[fields->n_fields++] = entry;
    }
    return fields;
}
