/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Settings of namespaces, as the comments in model/namespace_settings.h specify them.
 */
#include "model/namespace_settings.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define KEY_A "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
#define KEY_B "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"

static struct arena *arena;
static struct namespace_settings settings;

static int make_arena(void **state)
{
    (void)state;
    arena = arena_new(16 << 20);
    settings = (struct namespace_settings){.key_count = -1};
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

    if (namespace_settings_read(str_of(json), arena, &settings, &err) != RC_OK)
        fail_msg("%s: %s", err.field, err.text);
}

static void assert_text(struct str s, const char *expected)
{
    assert_int_equal(s.len, strlen(expected));
    assert_memory_equal(s.ptr, expected, s.len);
}

static void nothing_is_set_by_default(void **state)
{
    (void)state;
    read_settings("{}");
    assert_false(settings.has_allows_private);
    assert_int_equal(settings.nets.count, 0);
    assert_int_equal(settings.key_count, 0);
    assert_int_equal(settings.upstream_count, 0);
    assert_null(upstream_settings(&settings, STR("")));
}

static void limits_are_whole_numbers_within_bounds(void **state)
{
    static const char *const wrong[] = {"-1", "1000001", "1.5", "\"5\"", "true"};

    (void)state;
    read_settings("{\"rateRead\":600,\"rateWrite\":1000000,\"quotaSchedules\":0}");
    assert_int_equal(settings.rate_read, 600);
    assert_int_equal(settings.rate_write, 1000000);
    assert_true(settings.has_quota);
    assert_int_equal(settings.quota_schedules, 0);
    read_settings("{}");
    assert_int_equal(settings.rate_read, 0);
    assert_false(settings.has_quota);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct err err = {0};
        char json[64];

        snprintf(json, sizeof json, "{\"rateWrite\":%s}", wrong[i]);
        assert_int_equal(namespace_settings_read(str_of(json), arena, &settings, &err),
                         RC_INVALID);
        assert_string_equal(err.field, "rateWrite");
    }
}

static void search_attributes_have_types(void **state)
{
    static const struct {
        const char *json, *field;
    } wrong[] = {
        {"{\"searchAttributes\":[]}", "searchAttributes"},
        {"{\"searchAttributes\":{\"Team\":\"keyword\"}}", "searchAttributes.Team"},
        {"{\"searchAttributes\":{\"Team\":2}}", "searchAttributes.Team"},
        {"{\"searchAttributes\":{\"RunId\":\"Keyword\"}}", "searchAttributes.RunId"},
        {"{\"searchAttributes\":{\"BuildIds\":\"Keyword\"}}", "searchAttributes.BuildIds"},
    };

    (void)state;
    read_settings("{}");
    assert_false(settings.has_attributes);
    read_settings("{\"searchAttributes\":{}}");
    assert_true(settings.has_attributes);
    assert_int_equal(settings.attributes.count, 0);
    read_settings("{\"searchAttributes\":{\"Team\":\"Keyword\",\"Tags\":\"KeywordList\"}}");
    assert_int_equal(search_attributes_type(&settings.attributes, STR("Team")),
                     ATTRIBUTE_KEYWORD);
    assert_int_equal(search_attributes_type(&settings.attributes, STR("Tags")),
                     ATTRIBUTE_KEYWORD_LIST);
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct err err = {0};

        assert_int_equal(namespace_settings_read(str_of(wrong[i].json), arena, &settings, &err),
                         RC_INVALID);
        assert_string_equal(err.field, wrong[i].field);
    }
}

static void every_setting_can_be_read(void **state)
{
    const struct upstream_settings *upstream;

    (void)state;
    read_settings(
        "{\"upstream\":\"b\",\"allowPrivate\":false,\"allowNetworks\":[\"10.1.0.0/16\"],"
        "\"keys\":{\"main\":[\"" KEY_A "\",\"" KEY_B "\"],\"other\":[\"" KEY_B "\"]},"
        "\"upstreams\":{\"a\":{\"url\":\"http://a:8080/api/\"},"
        "\"b\":{\"type\":\"conductor\",\"url\":\"https://b/api\","
        "\"headers\":{\"X-Authorization\":\"k\"}}}}");
    assert_true(settings.has_allows_private);
    assert_false(settings.allows_private);
    assert_int_equal(settings.nets.count, 1);
    assert_text(settings.nets.list[0], "10.1.0.0/16");
    assert_int_equal(settings.key_count, 2);
    assert_text(settings.keys[0].name, "main");
    assert_int_equal(settings.keys[0].secrets.count, 2);
    assert_text(settings.keys[0].secrets.list[1], KEY_B);
    assert_text(settings.keys[1].name, "other");
    assert_int_equal(settings.keys[1].secrets.count, 1);
    upstream = upstream_settings(&settings, STR("a"));
    assert_text(upstream->url, "http://a:8080/api");
    assert_int_equal(upstream->headers.count, 0);
    upstream = upstream_settings(&settings, STR(""));
    assert_text(upstream->name, "b");
    assert_int_equal(upstream->headers.count, 1);
    assert_text(upstream->headers.list[0].name, "X-Authorization");
    assert_text(upstream->headers.list[0].value, "k");
    assert_null(upstream_settings(&settings, STR("c")));
}

/* A key of Temporal's cloud is a token of some 700 bytes. */
static void a_long_key_is_kept_whole(void **state)
{
    char text[1024], key[701];

    (void)state;
    memset(key, 'k', sizeof key - 1);
    key[sizeof key - 1] = '\0';
    snprintf(text, sizeof text,
             "{\"upstreams\":{\"a\":{\"type\":\"temporal\",\"url\":\"http://t\","
             "\"apiKey\":\"%s\"}}}",
             key);
    read_settings(text);
    assert_int_equal(upstream_settings(&settings, STR("a"))->headers.list[0].value.len,
                     sizeof "Bearer " - 1 + sizeof key - 1);
}

static void a_temporal_upstream_has_a_namespace_and_a_key(void **state)
{
    const struct upstream_settings *upstream;

    (void)state;
    read_settings(
        "{\"upstreams\":{\"a\":{\"apiKey\":\"secret\",\"namespace\":\"prod\",\"headers\":"
        "{\"x-a\":\"1\"},\"url\":\"https://t:7233/\",\"type\":\"temporal\"},"
        "\"b\":{\"type\":\"temporal\",\"url\":\"http://t\"}}}");
    upstream = upstream_settings(&settings, STR("a"));
    assert_int_equal(upstream->type, UPSTREAM_TEMPORAL);
    assert_text(upstream->url, "https://t:7233");
    assert_text(upstream->namespace, "prod");
    assert_int_equal(upstream->headers.count, 2);
    assert_text(upstream->headers.list[0].name, "x-a");
    assert_text(upstream->headers.list[1].name, "authorization");
    assert_text(upstream->headers.list[1].value, "Bearer secret");
    upstream = upstream_settings(&settings, STR("b"));
    assert_text(upstream->namespace, "default");
    assert_int_equal(upstream->headers.count, 0);
}

static void errors_name_the_field(void **state)
{
    static const struct {
        const char *json, *field, *says;
    } cases[] = {
        {"", "", "line 1"},
        {"[]", "", "an object"},
        {"{\"allowPrivte\":true}", "allowPrivte", "allowPrivate"},
        {"{\"allowPrivate\":1}", "allowPrivate", "true or false"},
        {"{\"allowNetworks\":[\"10.0.0.0/8\",1]}", "allowNetworks[1]", "a string"},
        {"{\"keys\":{\"main\":\"" KEY_A "\"}}", "keys.main", "a list"},
        {"{\"keys\":{\"main\":[]}}", "keys.main", "is empty"},
        {"{\"keys\":{\"main\":[\"" KEY_A "\",\"" KEY_A "\",\"" KEY_A "\"]}}", "keys.main",
         "the limit is 2"},
        {"{\"keys\":{\"main\":[\"" KEY_A "\",7]}}", "keys.main[1]", "a string"},
        {"{\"keys\":{\"\":[\"" KEY_A "\"]}}", "keys", "empty"},
        {"{\"upstreams\":{\"a\":{}}}", "upstreams.a.url", "missing"},
        {"{\"upstreams\":{\"a\":{\"url\":\"ftp://x\"}}}", "upstreams.a.url", "http://"},
        {"{\"upstreams\":{\"a\":{\"url\":\"http://x/?q\"}}}", "upstreams.a.url", "/workflow"},
        {"{\"upstreams\":{\"a\":{\"url\":\"http://x/\",\"type\":\"airflow\"}}}",
         "upstreams.a.type", "conductor or temporal"},
        {"{\"upstreams\":{\"a\":{\"url\":\"http://x:7233/api\",\"type\":\"temporal\"}}}",
         "upstreams.a.url", "no path"},
        {"{\"upstreams\":{\"a\":{\"url\":\"http://x/\",\"namespace\":\"n\"}}}",
         "upstreams.a.namespace", "type temporal"},
        {"{\"upstreams\":{\"a\":{\"url\":\"http://x/\",\"tls\":{}}}}", "upstreams.a.tls",
         "https://"},
        {"{\"upstreams\":{\"a\":{\"url\":\"http://x/\",\"type\":\"temporal\",\"tls\":{}}}}",
         "upstreams.a.tls", "https://"},
        {"{\"upstreams\":{\"a\":{\"url\":\"https://x/\",\"type\":\"temporal\",\"tls\":"
         "{\"cert\":\"c\"}}}}",
         "upstreams.a.tls", "require each other"},
        {"{\"upstreams\":{\"a\":{\"url\":\"https://x/\",\"type\":\"temporal\",\"tls\":"
         "{\"pem\":\"c\"}}}}",
         "upstreams.a.tls.pem", "unknown"},
        {"{\"upstreams\":{\"a\":{\"url\":\"http://x/\",\"apiKey\":\"k\"}}}",
         "upstreams.a.apiKey", "type temporal"},
        {"{\"upstreams\":{\"a\":{\"url\":\"http://x/\",\"type\":\"temporal\",\"apiKey\":"
         "\"k\\n\"}}}",
         "upstreams.a.apiKey", ""},
        {"{\"upstreams\":{\"a\":{\"url\":\"http://x/\",\"type\":\"temporal\",\"apiKey\":"
         "\"k\",\"headers\":{\"Authorization\":\"x\"}}}}",
         "upstreams.a.apiKey", "among the headers"},
        {"{\"upstreams\":{\"a\":{\"url\":\"http://x/\",\"headers\":{\"a b\":\"\"}}}}",
         "upstreams.a.headers", "not the name"},
        {"{\"upstream\":\"a\"}", "upstream", "\"a\""},
        {"{\"upstream\":\"\"}", "upstream", "unknown upstream"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct err err = {0};

        if (namespace_settings_read(str_of(cases[i].json), arena, &settings, &err) == RC_OK ||
            strcmp(err.field, cases[i].field) != 0 || !strstr(err.text, cases[i].says))
            fail_msg("%s: %s: %s", cases[i].json, err.field, err.text);
        assert_int_equal(settings.key_count, -1);
    }
}

static void an_error_never_repeats_a_secret(void **state)
{
    struct err err;

    (void)state;
    assert_int_not_equal(
        namespace_settings_read(STR("{\"upstreams\":{\"a\":{\"url\":\"http://x/\","
                                    "\"headers\":{\"a\":\"TopSecret\\u0001\"}}}}"),
                                arena, &settings, &err),
        RC_OK);
    assert_null(strstr(err.text, "TopSecret"));
}

static void too_many_keys_and_too_long_settings_are_refused(void **state)
{
    static char text[NAMESPACE_SETTINGS_BYTES_MAX * 2];
    struct buf out = BUF(text);
    struct err err;

    (void)state;
    buf_text(&out, "{\"keys\":{");
    for (int i = 0; i <= NAMESPACE_SETTINGS_KEYS_MAX; i++)
        buf_printf(&out, "%s\"k%d\":[\"" KEY_A "\"]", i == 0 ? "" : ",", i);
    buf_text(&out, "}}");
    assert_int_equal(namespace_settings_read(buf_as_str(&out), arena, &settings, &err),
                     RC_LIMIT);
    memset(text, ' ', sizeof text);
    text[0] = '{';
    text[NAMESPACE_SETTINGS_BYTES_MAX] = '}';
    assert_int_equal(
        namespace_settings_read((struct str){text, NAMESPACE_SETTINGS_BYTES_MAX + 1}, arena,
                                &settings, &err),
        RC_LIMIT);
    text[NAMESPACE_SETTINGS_BYTES_MAX - 1] = '}';
    assert_int_equal(namespace_settings_read((struct str){text, NAMESPACE_SETTINGS_BYTES_MAX},
                                             arena, &settings, &err),
                     RC_OK);
}

static void an_upstream_has_its_own_tls(void **state)
{
    const struct upstream_settings *upstream;

    (void)state;
    read_settings(
        "{\"upstreams\":{\"a\":{\"type\":\"temporal\",\"url\":\"https://t:7233\","
        "\"tls\":{\"serverName\":\"n\",\"ca\":\"A\",\"cert\":\"C\",\"key\":\"K\"}}}}");
    upstream = upstream_settings(&settings, STR("a"));
    assert_text(upstream->tls.ca, "A");
    assert_text(upstream->tls.cert, "C");
    assert_text(upstream->tls.key, "K");
    assert_text(upstream->tls.server_name, "n");
}

/* The default one if it has the type, otherwise the only one of the type. */
static void requests_are_forwarded_to_one_upstream_of_a_type(void **state)
{
    static const char two[] = "{\"upstream\":\"%s\",\"upstreams\":{"
                              "\"c\":{\"url\":\"http://c/api\"},"
                              "\"s\":{\"type\":\"temporal\",\"url\":\"http://s:1\"},"
                              "\"t\":{\"type\":\"temporal\",\"url\":\"http://t:1\"}}}";
    char text[512];

    (void)state;
    snprintf(text, sizeof text, two, "t");
    read_settings(text);
    assert_text(upstream_of_type(&settings, UPSTREAM_TEMPORAL)->name, "t");
    assert_text(upstream_of_type(&settings, UPSTREAM_CONDUCTOR)->name, "c");
    snprintf(text, sizeof text, two, "c");
    read_settings(text);
    assert_null(upstream_of_type(&settings, UPSTREAM_TEMPORAL));
    assert_text(upstream_of_type(&settings, UPSTREAM_CONDUCTOR)->name, "c");
    read_settings("{}");
    assert_null(upstream_of_type(&settings, UPSTREAM_TEMPORAL));
}

static void shown_settings_have_no_secrets(void **state)
{
    (void)state;
    assert_text(
        namespace_settings_show(
            STR("{\"upstreams\":{\"a\":{\"tls\":{\"cert\":\"C\",\"key\":\"K\"}}}}"), arena),
        "{\"upstreams\":{\"a\":{\"tls\":{\"cert\":\"C\",\"key\":\"set\"}}}}");
    assert_text(
        namespace_settings_show(STR("{\"upstreams\":{\"a\":{\"type\":\"temporal\",\"apiKey\":"
                                    "\"k\",\"namespace\":\"n\"}}}"),
                                arena),
        "{\"upstreams\":{\"a\":{\"type\":\"temporal\",\"apiKey\":\"set\","
        "\"namespace\":\"n\"}}}");
    assert_text(
        namespace_settings_show(STR("{\"keys\":{\"main\":[\"" KEY_A "\",\"" KEY_B "\"]},"
                                    "\"upstreams\":{\"a\":{\"url\":\"http://x\",\"headers\":"
                                    "{\"X-A\":\"k\"}}},\"allowPrivate\":true}"),
                                arena),
        "{\"keys\":{\"main\":[\"set\",\"set\"]},\"upstreams\":{\"a\":{\"url\":"
        "\"http://x\",\"headers\":{\"X-A\":\"set\"}}},\"allowPrivate\":true}");
    assert_text(
        namespace_settings_show(STR("{\"keys\":{\"main\":\"" KEY_A "\"},\"upstreams\":{\"a\":"
                                    "{\"headers\":\"k\"}}}"),
                                arena),
        "{\"keys\":{\"main\":\"set\"},\"upstreams\":{\"a\":{\"headers\":\"set\"}}}");
    assert_text(namespace_settings_show(STR("{}"), arena), "{}");
    assert_text(namespace_settings_show(STR("broken"), arena), "{}");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_is_set_by_default, make_arena, free_arena),
        cmocka_unit_test_setup_teardown(limits_are_whole_numbers_within_bounds, make_arena,
                                        free_arena),
        cmocka_unit_test_setup_teardown(search_attributes_have_types, make_arena, free_arena),
        cmocka_unit_test_setup_teardown(every_setting_can_be_read, make_arena, free_arena),
        cmocka_unit_test_setup_teardown(a_long_key_is_kept_whole, make_arena, free_arena),
        cmocka_unit_test_setup_teardown(a_temporal_upstream_has_a_namespace_and_a_key,
                                        make_arena, free_arena),
        cmocka_unit_test_setup_teardown(errors_name_the_field, make_arena, free_arena),
        cmocka_unit_test_setup_teardown(an_error_never_repeats_a_secret, make_arena,
                                        free_arena),
        cmocka_unit_test_setup_teardown(too_many_keys_and_too_long_settings_are_refused,
                                        make_arena, free_arena),
        cmocka_unit_test_setup_teardown(shown_settings_have_no_secrets, make_arena, free_arena),
        cmocka_unit_test_setup_teardown(an_upstream_has_its_own_tls, make_arena, free_arena),
        cmocka_unit_test_setup_teardown(requests_are_forwarded_to_one_upstream_of_a_type,
                                        make_arena, free_arena),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
