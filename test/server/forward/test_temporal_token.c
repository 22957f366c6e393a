/* SPDX-License-Identifier: Apache-2.0 */
/* Messages by the field numbers of Temporal's API; e2e/forward_access has the rest. */
#include "server/forward/temporal_token.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>

#include <cmocka.h>

static void the_id_of_a_namespace_is_read_from_its_description(void **state)
{
    struct str id = {0};

    (void)state;
    assert_true(temporal_token_read_id(STR("\0\0\0\0\x0b\x0a\x09\x0a\1n\x32\4abcd"), &id));
    assert_memory_equal(id.ptr, "abcd", 4);
    assert_int_equal(id.len, 4);
    assert_false(temporal_token_read_id(STR("\1\0\0\0\x0b\x0a\x09\x0a\1n\x32\4abcd"), &id));
    assert_false(temporal_token_read_id(STR("\0\0\0\0\5\x0a\3\x0a\1n"), &id));
    assert_false(temporal_token_read_id(STR(""), &id));
}

/* A field may be repeated: the last one counts, as in every implementation. */
static void the_last_of_several_ids_counts(void **state)
{
    (void)state;
    assert_true(temporal_token_is_of(STR("\x0a\1a\x0a\1b"), STR("b")));
    assert_false(temporal_token_is_of(STR("\x0a\1a\x0a\1b"), STR("a")));
    assert_false(
        temporal_token_is_of(STR("\x0a\1a\x72\1\x0b"), STR("a"))); /* a bad reference */
}

/* A server that merges repeated references would use the other namespace. */
static void every_reference_counts(void **state)
{
    static const char other_first[] = "\x0a\1a\x72\3\x0a\1b\x72\0";

    (void)state;
    assert_false(
        temporal_token_is_of((struct str){other_first, sizeof other_first - 1}, STR("a")));
    assert_false(temporal_token_is_of(STR("\x0a\1a\x72\3\x0a\1b\x72\3\x0a\1a"), STR("a")));
    assert_true(temporal_token_is_of(STR("\x0a\1a\x72\3\x0a\1a\x72\3\x0a\1a"), STR("a")));
}

static void ids_are_kept_by_url_and_name_up_to_the_limit(void **state)
{
    struct namespace_ids *ids = namespace_ids_new();
    struct str url = STR("http://a"), other = STR("http://b");
    char name[16];

    (void)state;
    namespace_ids_set(ids, url, STR("n"), STR("1"));
    namespace_ids_set(ids, other, STR("n"), STR("2"));
    namespace_ids_set(ids, url, STR("n"), STR("3"));
    assert_memory_equal(namespace_ids_find(ids, url, STR("n")).ptr, "3", 1);
    assert_memory_equal(namespace_ids_find(ids, other, STR("n")).ptr, "2", 1);
    assert_int_equal(namespace_ids_find(ids, url, STR("m")).len, 0);
    for (int i = 0; i < NAMESPACE_IDS_MAX - 1; i++) {
        snprintf(name, sizeof name, "n%d", i);
        namespace_ids_set(ids, url, str_of(name), STR("4"));
    }
    assert_int_equal(namespace_ids_find(ids, url, STR("n")).len, 0);
    assert_int_equal(namespace_ids_find(ids, other, STR("n")).len, 1);
    namespace_ids_free(ids);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_id_of_a_namespace_is_read_from_its_description),
        cmocka_unit_test(the_last_of_several_ids_counts),
        cmocka_unit_test(every_reference_counts),
        cmocka_unit_test(ids_are_kept_by_url_and_name_up_to_the_limit),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
