/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writing of JSON answers: escaping, growth, invalid UTF-8.
 */
#include "api/call/answer.h"

#include "world.h"

static void every_ascii_character_can_be_quoted_and_read_back(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    struct answer out = answer_new(arena);
    char text[0x80 + 8];
    struct buf all = BUF(text);
    json_t *json = NULL;
    struct err err;

    (void)state;
    for (int c = 1; c < 0x80; c++)
        buf_char(&all, (char)c);
    buf_text(&all, "\xc3\xa9");
    answer_quoted(&out, buf_as_str(&all));
    assert_int_equal(json_read(answer_done(&out), &json, &err), RC_OK);
    assert_string_equal(json_string_value(json), text);
    json_decref(json);
    arena_free(arena);
}

static void invalid_utf_8_is_replaced(void **state)
{
    static const char bytes[] = "a\0b\xff\xc3\xa9\xc3\"";
    struct arena *arena = arena_new(1 << 20);
    struct answer out = answer_new(arena);
    json_t *json = NULL;
    struct err err;

    (void)state;
    answer_lossy(&out, (struct str){bytes, sizeof bytes - 1});
    assert_int_equal(json_read(answer_done(&out), &json, &err), RC_OK);
    assert_string_equal(json_string_value(json), "a\xef\xbf\xbd"
                                                 "b\xef\xbf\xbd\xc3\xa9\xef\xbf\xbd\"");
    json_decref(json);
    arena_free(arena);
}

static void an_answer_grows(void **state)
{
    struct arena *arena = arena_new(8 << 20);
    struct answer out = answer_new(arena);
    json_t *json = NULL;
    struct err err;

    (void)state;
    answer_text(&out, "[0");
    for (int i = 1; i < 100000; i++) {
        answer_text(&out, ",");
        answer_int(&out, i);
    }
    answer_text(&out, "]");
    assert_int_equal(json_read(answer_done(&out), &json, &err), RC_OK);
    assert_int_equal(json_array_size(json), 100000);
    assert_int_equal(json_integer_value(json_array_get(json, 99999)), 99999);
    json_decref(json);
    arena_free(arena);
}

static void instants_and_integers_are_printed(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    struct answer out = answer_new(arena);

    (void)state;
    answer_instant(&out, 0);
    answer_instant(&out, INSTANT_NONE);
    answer_instant(&out, INSTANT_NEVER);
    answer_int(&out, INT64_MIN);
    assert_string_equal(answer_done(&out).ptr,
                        "\"1970-01-01T00:00:00.000Z\"nullnull-9223372036854775808");
    arena_free(arena);
}

static void members_and_objects_write_their_own_commas(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    struct answer out = answer_new(arena);

    (void)state;
    answer_text(&out, "[");
    for (int i = 0; i < 2; i++) {
        answer_open(&out);
        answer_put_int(&out, "n", i);
        answer_put_bool(&out, "b", i == 0);
        answer_put_text(&out, "empty", STR(""));
        answer_put_some(&out, "none", STR(""));
        answer_put_some(&out, "some", STR("{"));
        answer_put_word(&out, "null", NULL);
        answer_put_instant(&out, "at", INSTANT_NONE);
        answer_text(&out, "}");
    }
    answer_text(&out, "]");
    assert_string_equal(answer_done(&out).ptr,
                        "[{\"n\":0,\"b\":true,\"empty\":\"\",\"none\":null,\"some\":\"{\","
                        "\"null\":null,\"at\":null},"
                        "{\"n\":1,\"b\":false,\"empty\":\"\",\"none\":null,\"some\":\"{\","
                        "\"null\":null,\"at\":null}]");
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_ascii_character_can_be_quoted_and_read_back),
        cmocka_unit_test(invalid_utf_8_is_replaced),
        cmocka_unit_test(an_answer_grows),
        cmocka_unit_test(instants_and_integers_are_printed),
        cmocka_unit_test(members_and_objects_write_their_own_commas),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
