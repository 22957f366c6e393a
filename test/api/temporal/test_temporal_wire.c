/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recorded requests and answers of Temporal's own client, from the test vectors.
 *
 * Each request is unpacked, compared with its recorded content, packed again to the same bytes,
 * and sent to the API.
 */
#include "world.h"

#include <stdlib.h>

#include "api/temporal/temporal.h"
#include "wire/base64.h"
#include "wire/grpc/grpc.h"
#include "wire/temporal.pb-c.h"

#define VECTORS "test/data/vectors/temporal-wire.json"

enum { BYTES_MAX = 8192, NAME_MAX_BYTES = 64 };

static json_t *vectors;

static int load(void **state)
{
    json_error_t error;

    (void)state;
    vectors = json_load_file(VECTORS, JSON_REJECT_DUPLICATES, &error);
    return vectors ? 0 : -1;
}

static int unload(void **state)
{
    (void)state;
    json_decref(vectors);
    return 0;
}

static const char *member_text(const json_t *object, const char *name)
{
    return json_string_value(json_object_get(object, name));
}

static struct str bytes_of(const json_t *one, const char *name, char *room)
{
    const char *hex = member_text(one, name);
    size_t len = strlen(hex) / 2;

    assert_true(len <= BYTES_MAX);
    for (size_t i = 0; i < len; i++) {
        char digits[3] = {hex[2 * i], hex[2 * i + 1], '\0'};

        room[i] = (char)strtol(digits, NULL, 16);
    }
    return (struct str){room, len};
}

static const ProtobufCMessageDescriptor *type_of(const char *rpc)
{
    static const struct {
        const char *name;
        const ProtobufCMessageDescriptor *type;
    } list[] = {
        {"CreateSchedule", &temporal__create_schedule_request__descriptor},
        {"DescribeSchedule", &temporal__describe_schedule_request__descriptor},
        {"DeleteSchedule", &temporal__describe_schedule_request__descriptor},
        {"UpdateSchedule", &temporal__update_schedule_request__descriptor},
        {"PatchSchedule", &temporal__patch_schedule_request__descriptor},
        {"ListSchedules", &temporal__list_schedules_request__descriptor},
        {"GetSystemInfo",
         &temporal__get_system_info_response__descriptor}, /* the request is empty */
    };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (strcmp(strrchr(rpc, '/') + 1, list[i].name) == 0)
            return list[i].type;
    fail_msg("%s", rpc);
    return NULL;
}

/* ---- a message against its JSON ---- */

/* NULL: our messages do not have the field. */
static const ProtobufCFieldDescriptor *field_of(const ProtobufCMessageDescriptor *type,
                                                const char *name)
{
    static const char *const left_out[] = {"identity"};
    const ProtobufCFieldDescriptor *found;
    char snake[NAME_MAX_BYTES];
    struct buf out = BUF(snake);

    for (const char *p = name; *p; p++) {
        if (*p != char_lower(*p))
            buf_char(&out, '_');
        buf_char(&out, char_lower(*p));
    }
    if (strcmp(name, "indexedFields") == 0)
        snprintf(snake, sizeof snake, "fields");
    if (type == &temporal__opaque__descriptor)
        return NULL;
    found = protobuf_c_message_descriptor_get_field_by_name(type, snake);
    for (size_t i = 0; !found && i < sizeof left_out / sizeof left_out[0]; i++)
        if (strcmp(name, left_out[i]) == 0)
            return NULL;
    if (!found)
        fail_msg("there is no field %s", name);
    return found;
}

/* The number of a value of Temporal's enums, which JSON names. */
static int64_t number_of(const json_t *json)
{
    static const char *const names[] = {
        "TASK_QUEUE_KIND_NORMAL=1", "SCHEDULE_OVERLAP_POLICY_SKIP=1",
        "SCHEDULE_OVERLAP_POLICY_BUFFER_ONE=2", "SCHEDULE_OVERLAP_POLICY_BUFFER_ALL=3",
        "SCHEDULE_OVERLAP_POLICY_ALLOW_ALL=6"};

    if (json_is_integer(json))
        return json_integer_value(json);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        size_t len = strlen(names[i]) - 2;

        if (json_string_length(json) == len &&
            strncmp(json_string_value(json), names[i], len) == 0)
            return names[i][len + 1] - '0';
    }
    fail_msg("%s has no number", json_string_value(json));
    return -1;
}

static void assert_message(const ProtobufCMessage *message, const json_t *json);

static void assert_value(const ProtobufCFieldDescriptor *field, const void *at,
                         const json_t *json)
{
    char room[BYTES_MAX];
    struct buf out = BUF(room);
    const ProtobufCBinaryData *bytes = at;

    switch (field->type) {
    case PROTOBUF_C_TYPE_STRING:
        assert_string_equal(*(char *const *)at, json_string_value(json));
        break;
    case PROTOBUF_C_TYPE_BYTES:
        base64_add((struct str){(const char *)bytes->data, bytes->len}, &out);
        assert_string_equal(room, json_string_value(json));
        break;
    case PROTOBUF_C_TYPE_INT64:
        assert_int_equal(*(const int64_t *)at, number_of(json));
        break;
    case PROTOBUF_C_TYPE_INT32:
        assert_int_equal(*(const int32_t *)at, number_of(json));
        break;
    case PROTOBUF_C_TYPE_BOOL:
        assert_int_equal(*(const protobuf_c_boolean *)at, json_is_true(json));
        break;
    case PROTOBUF_C_TYPE_DOUBLE:
        assert_true(*(const double *)at == json_number_value(json));
        break;
    default:
        assert_message(*(ProtobufCMessage *const *)at, json);
        break;
    }
}

/* Map entries have the key as field 1 and the value as field 2. */
static void assert_entry(const ProtobufCMessage *entry, const json_t *map)
{
    const ProtobufCFieldDescriptor *fields = entry->descriptor->fields;
    const char *base = (const char *)entry;
    const char *key = *(char *const *)(const void *)(base + fields[0].offset);

    assert_non_null(json_object_get(map, key));
    assert_value(&fields[1], base + fields[1].offset, json_object_get(map, key));
}

static void assert_repeated(const ProtobufCFieldDescriptor *field, const char *message,
                            const json_t *json)
{
    size_t count = *(const size_t *)(const void *)(message + field->quantifier_offset);
    char *const *list = *(char *const *const *)(const void *)(message + field->offset);

    assert_int_equal(count,
                     json_is_object(json) ? json_object_size(json) : json_array_size(json));
    for (size_t i = 0; i < count; i++)
        if (json_is_object(json))
            assert_entry((const ProtobufCMessage *)(const void *)list[i], json);
        else
            assert_value(field, &list[i], json_array_get(json, i));
}

static void assert_message(const ProtobufCMessage *message, const json_t *json)
{
    const char *name;
    json_t *value;

    assert_non_null(message);
    json_object_foreach((json_t *)(uintptr_t)json, name, value)
    {
        const ProtobufCFieldDescriptor *field = field_of(message->descriptor, name);

        if (!field)
            continue;
        if (field->label == PROTOBUF_C_LABEL_REPEATED)
            assert_repeated(field, (const char *)message, value);
        else
            assert_value(field, (const char *)message + field->offset, value);
    }
}

static void every_request_has_its_recorded_content(void **state)
{
    const json_t *list = json_object_get(vectors, "requests");
    struct arena *arena = arena_new(64 << 20);
    char room[BYTES_MAX];

    (void)state;
    assert_true(json_array_size(list) >= 15);
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        struct str bytes = bytes_of(one, "requestHex", room);
        ProtobufCMessage *message;
        struct err err;

        assert_int_equal(
            proto_unpack(type_of(member_text(one, "rpc")), bytes, arena, &message, &err),
            RC_OK);
        assert_message(message, json_object_get(one, "requestJson"));
        assert_true(str_eq(proto_pack(message, arena), bytes));
    }
    arena_free(arena);
}

/* Answers of CreateSchedule, and empty answers, equal those that the client received. */
static void every_request_is_answered(void **state)
{
    const json_t *list = json_object_get(vectors, "requests");
    char room[BYTES_MAX];

    (void)state;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *one = json_array_get(list, i);
        const char *rpc = member_text(one, "rpc");
        bool is_empty = strstr(rpc, "Patch") || strstr(rpc, "Update") || strstr(rpc, "Delete");
        struct str answer;

        if (ask_rpc(rpc, bytes_of(one, "requestHex", room)) != 200)
            fail_msg("%s: %s %s", member_text(one, "case"), field("grpc-status"),
                     field("grpc-message"));
        assert_string_equal(world.call.content_type, "application/grpc");
        answer = str_from(world.call.answer, GRPC_PREFIX);
        if (is_empty)
            assert_int_equal(answer.len, 0);
        else if (strstr(rpc, "CreateSchedule"))
            assert_true(str_eq(answer, bytes_of(one, "responseHex", room)));
        else
            assert_true(answer.len > 0);
    }
}

/* ---- errors ---- */

static const json_t *trailers_of(const char *which)
{
    const json_t *list = json_object_get(vectors, "errorTrailers");

    for (size_t i = 0; i < json_array_size(list); i++)
        if (strcmp(member_text(json_array_get(list, i), "case"), which) == 0)
            return json_array_get(list, i);
    fail_msg("there is no %s", which);
    return NULL;
}

static void assert_bytes(const char *got, const char *expected)
{
    char rooms[2][512];
    struct buf a = BUF(rooms[0]), b = BUF(rooms[1]);
    struct err err;

    assert_int_equal(base64_read(str_of(got), &a, &err), RC_OK);
    assert_int_equal(base64_read(str_of(expected), &b, &err), RC_OK);
    assert_true(str_eq(buf_as_str(&a), buf_as_str(&b)));
}

static void assert_trailers(const char *which)
{
    const json_t *expected = trailers_of(which);

    assert_int_equal(atoi(field("grpc-status")),
                     json_integer_value(json_object_get(expected, "grpc-status")));
    assert_string_equal(field("grpc-message"), member_text(expected, "grpc-message"));
    assert_bytes(field("grpc-status-details-bin"),
                 member_text(expected, "grpc-status-details-bin"));
    assert_int_equal(world.call.answer.len, 0);
}

#define SERVICE "/temporal.api.workflowservice.v1.WorkflowService"

/* Sends a recorded request with another request id: the last value of a field counts. */
static int create(const char *request_id)
{
    const json_t *one = json_array_get(json_object_get(vectors, "requests"), 1);
    static char room[BYTES_MAX];
    struct str bytes = bytes_of(one, "requestHex", room);
    int more = snprintf(room + bytes.len, sizeof room - bytes.len, "2%c%s",
                        (char)strlen(request_id), request_id);

    return ask_rpc(SERVICE "/CreateSchedule", (struct str){room, bytes.len + (size_t)more});
}

static void errors_are_those_that_the_client_recognizes(void **state)
{
    (void)state;
    assert_int_equal(create("one"), 200);
    assert_int_equal(create("one"), 200); /* the same request again */
    assert_int_equal(create("two"), 409);
    assert_trailers("schedule already exists");
    assert_int_equal(ask_rpc(SERVICE "/DescribeSchedule", STR("\n\007default\022\001x")), 404);
    assert_trailers("schedule not found");
    assert_int_equal(ask_rpc(SERVICE "/DescribeSchedule", STR("\n\004nope\022\001x")), 404);
    assert_trailers("namespace not found");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_request_has_its_recorded_content),
        API_TEST(every_request_is_answered),
        API_TEST(errors_are_those_that_the_client_recognizes),
    };

    return cmocka_run_group_tests(tests, load, unload);
}
