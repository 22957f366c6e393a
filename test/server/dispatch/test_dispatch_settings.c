/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the networks and keys of a namespace's settings; test/model tests the other settings.
 * The first key comes from Standard Webhooks.
 */
#include "server/dispatch/dispatch_settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#define KEY_A "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
#define KEY_B "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"

static struct arena *arena;
static struct dispatch_settings settings;

static int make_arena(void **state)
{
    (void)state;
    arena = arena_new(16 << 20);
    settings = (struct dispatch_settings){.plain.key_count = -1};
    return 0;
}

static int free_arena(void **state)
{
    (void)state;
    arena = arena_free(arena);
    return 0;
}

static void read_settings(const char *json)
{
    struct err err = {0};

    if (dispatch_settings_read(str_of(json), arena, &settings, &err) != RC_OK)
        fail_msg("%s: %s", err.field, err.text);
}

static void nothing_is_set_by_default(void **state)
{
    (void)state;
    read_settings("{}");
    assert_int_equal(settings.plain.nets.count, 0);
    assert_null(signing_keys(&settings, STR("main")));
}

static void networks_and_keys_are_parsed(void **state)
{
    const struct signing_keys *key;

    (void)state;
    read_settings("{\"allowNetworks\":[\"10.1.0.0/16\",\"[fd00::/8]:443\"],"
                  "\"keys\":{\"main\":[\"" KEY_A "\",\"" KEY_B "\"],\"other\":[\"" KEY_B
                  "\"]}}");
    assert_int_equal(settings.plain.nets.count, 2);
    assert_int_equal(settings.nets[0].bits, 96 + 16);
    assert_int_equal(settings.nets[1].bits, 8);
    assert_int_equal(settings.nets[1].port, 443);
    key = signing_keys(&settings, STR("main"));
    assert_non_null(key);
    assert_int_equal(key->count, 2);
    assert_int_equal(key->keys[0].len, 24);
    assert_int_equal(key->keys[0].bytes[0], 0x31); /* "Mf": 001100 011111 */
    assert_int_equal(key->keys[1].bytes[1], 1);
    assert_int_equal(signing_keys(&settings, STR("other"))->count, 1);
    assert_null(signing_keys(&settings, STR("third")));
}

static void an_error_names_the_field_and_no_secret(void **state)
{
    static const struct {
        const char *json, *field, *says;
    } cases[] = {
        {"{\"allowPrivate\":1}", "allowPrivate", "true or false"},
        {"{\"allowNetworks\":[\"10.0.0.0/8\",\"x\"]}", "allowNetworks[1]", "`x`"},
        {"{\"keys\":{\"main\":[\"" KEY_A "\",\"TopSecret\"]}}", "keys.main[1]", "whsec_"},
        {"{\"keys\":{\"main\":[\"whsec_TopSecret\"]}}", "keys.main[0]", "base64"},
        {"{\"upstreams\":{\"a\":{\"type\":\"temporal\",\"url\":\"https://t:1\",\"tls\":"
         "{\"ca\":\"TopSecret\"}}}}",
         "upstreams.a.tls", "PEM"},
        {"{\"upstreams\":{\"a\":{\"type\":\"temporal\",\"url\":\"https://t:1\",\"tls\":"
         "{\"cert\":\"TopSecret\",\"key\":\"TopSecret\"}}}}",
         "upstreams.a.tls", "PEM"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err = {0};

        if (dispatch_settings_read(str_of(cases[i].json), arena, &settings, &err) !=
                RC_INVALID ||
            strcmp(err.field, cases[i].field) != 0 || !strstr(err.text, cases[i].says) ||
            strstr(err.text, "TopSecret"))
            fail_msg("%s: %s: %s", cases[i].json, err.field, err.text);
        assert_int_equal(settings.plain.key_count, -1);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_set_by_default, make_arena, free_arena),
        cmocka_unit_test_setup_teardown(networks_and_keys_are_parsed, make_arena, free_arena),
        cmocka_unit_test_setup_teardown(an_error_names_the_field_and_no_secret, make_arena,
                                        free_arena),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
