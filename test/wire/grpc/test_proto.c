/* SPDX-License-Identifier: Apache-2.0 */
/* Bytes in the encoding of protobuf: a tag is number × 8 + type, type 2 has a length. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "wire/grpc/proto.h"
#include "wire/temporal.pb-c.h"

#define BYTES(literal) ((struct str){literal, sizeof(literal) - 1})

static struct arena *arena;

static int set_up(void **state)
{
    (void)state;
    arena = arena_new(64 << 20);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    arena = arena_free(arena);
    return 0;
}

static enum rc unpack(struct str bytes, Temporal__CreateScheduleRequest **ret, struct err *err)
{
    ProtobufCMessage *message;
    enum rc rc = proto_unpack(&temporal__create_schedule_request__descriptor, bytes, arena,
                              &message, err);

    if (rc == RC_OK)
        *ret = (Temporal__CreateScheduleRequest *)message;
    return rc;
}

static void a_message_is_unpacked_and_packed(void **state)
{
    /* namespace "n", schedule_id "s", schedule { spec { cron_string "@daily" } } */
    struct str bytes = BYTES("\x0a\x01n\x12\x01s\x1a\x0a\x0a\x08\x42\x06@daily");
    Temporal__CreateScheduleRequest *request;
    struct str packed;
    struct err err;

    (void)state;
    assert_int_equal(unpack(bytes, &request, &err), RC_OK);
    assert_string_equal(request->namespace_, "n");
    assert_string_equal(request->schedule->spec->cron_string[0], "@daily");
    assert_true(str_eq(proto_pack(&request->base, arena), bytes));
    packed = proto_frame(&request->base, arena);
    assert_int_equal(packed.len, 5 + bytes.len);
    assert_memory_equal(packed.ptr, "\0\0\0\0", 4);
    assert_int_equal(packed.ptr[4], bytes.len);
    assert_true(str_eq(str_from(packed, 5), bytes));
}

static void unknown_fields_are_kept(void **state)
{
    struct str bytes = BYTES("\x0a\x01n\x9a\x06\x03new\xa0\x06\x05"); /* 99: "new", 100: 5 */
    Temporal__CreateScheduleRequest *request;
    struct err err;

    (void)state;
    assert_int_equal(unpack(bytes, &request, &err), RC_OK);
    assert_true(str_eq(proto_pack(&request->base, arena), bytes));
}

/* protobuf-c would read "a" from "a\0b": two ids, one schedule. */
static void a_text_has_no_nul(void **state)
{
    Temporal__CreateScheduleRequest *request;
    struct err err;

    (void)state;
    assert_int_equal(unpack(BYTES("\x12\x03"
                                  "a\0b"),
                            &request, &err),
                     RC_INVALID);
    assert_string_equal(err.field, "schedule_id");
}

static void a_text_is_utf8_at_any_depth(void **state)
{
    Temporal__CreateScheduleRequest *request;
    struct err err;

    (void)state;
    assert_int_equal(unpack(BYTES("\x1a\x05\x0a\x03\x42\x01\xff"), &request, &err), RC_INVALID);
    assert_string_equal(err.field, "cron_string");
    assert_int_equal(unpack(BYTES("\x1a\x06\x0a\x04\x42\x02\xc3\xbc"), &request, &err), RC_OK);
}

static void malformed_messages_are_refused(void **state)
{
    static const struct str wrong[] = {
        {"\x0a", 1},             /* no length */
        {"\x0a\x05n", 3},        /* shorter than announced */
        {"\x0b", 1},             /* a group */
        {"\x1a\x02\x0a\x05", 4}, /* shorter than announced, nested */
        {"\x08\x01", 2},         /* a number as a text */
        {"\x80\x00\x00", 3},     /* field 0, in two bytes */
        {"\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff", 11},
        {"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11},
    };

    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        Temporal__CreateScheduleRequest *request;
        struct err err;

        if (unpack(wrong[i], &request, &err) != RC_INVALID)
            fail_msg("%zu was unpacked", i);
    }
}

/* A megabyte of empty map entries would take 28 MB of memory. */
static void the_memory_of_a_message_is_limited(void **state)
{
    enum { LEN = 1 << 20 };
    char *bytes = malloc(LEN);
    Temporal__CreateScheduleRequest *request;
    struct err err;

    (void)state;
    assert_non_null(bytes);
    /* memo { fields {} {} … } */
    memcpy(bytes, "\x3a\xfc\xff\x3f", 4);
    for (int i = 4; i < LEN; i += 2)
        memcpy(bytes + i, "\x0a\x00", 2);
    assert_int_equal(unpack((struct str){bytes, LEN}, &request, &err), RC_LIMIT);
    free(bytes);
}

static void a_field_of_a_message_is_found(void **state)
{
    struct str found;

    (void)state;
    assert_true(proto_find_text(BYTES("\x10\x01\x0a\x03one\x0a\x03two"), 1, &found));
    assert_true(str_eq(found, STR("two"))); /* the last one, as in unpacking */
    assert_false(proto_find_text(BYTES("\x12\x01n"), 1, &found));
    assert_false(proto_find_text(BYTES("\x0a\x01n\x12"), 1, &found));
}

static void the_fields_with_bytes_are_walked_in_order(void **state)
{
    struct str rest = BYTES("\x10\x01\x0a\x01x\x1a\x00\x10\x02"), value;
    uint32_t number;

    (void)state;
    assert_true(proto_next_bytes(&rest, &number, &value));
    assert_int_equal(number, 1);
    assert_true(str_eq(value, STR("x")));
    assert_true(proto_next_bytes(&rest, &number, &value));
    assert_int_equal(number, 3);
    assert_int_equal(value.len, 0);
    assert_false(proto_next_bytes(&rest, &number, &value));
    assert_int_equal(rest.len, 0); /* the end */
    rest = BYTES("\x10\x02\x0a\x05x");
    assert_false(proto_next_bytes(&rest, &number, &value));
    assert_int_equal(rest.len, 3); /* malformed */
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_message_is_unpacked_and_packed),
        TEST(unknown_fields_are_kept),
        TEST(a_text_has_no_nul),
        TEST(a_text_is_utf8_at_any_depth),
        TEST(malformed_messages_are_refused),
        TEST(the_memory_of_a_message_is_limited),
        TEST(a_field_of_a_message_is_found),
        TEST(the_fields_with_bytes_are_walked_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
