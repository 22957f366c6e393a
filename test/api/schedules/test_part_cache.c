/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cache returns what was stored, only for the same part and text.
 */
#include "api/schedules/part_cache.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct part_cache *part_cache;

static int set_up(void **state)
{
    (void)state;
    part_cache = part_cache_new();
    return 0;
}

static int end(void **state)
{
    (void)state;
    part_cache = part_cache_free(part_cache);
    return 0;
}

static void a_text_is_found_only_for_its_part(void **state)
{
    struct str shown;

    (void)state;
    assert_false(part_cache_find(part_cache, PART_SPEC, STR("{}"), &shown));
    part_cache_put(part_cache, PART_SPEC, STR("{}"), STR("a spec"));
    assert_true(part_cache_find(part_cache, PART_SPEC, STR("{}"), &shown));
    assert_true(str_eq(shown, STR("a spec")));
    assert_false(part_cache_find(part_cache, PART_POLICIES, STR("{}"), &shown));
    assert_false(part_cache_find(part_cache, PART_SPEC, STR("{ }"), &shown));
}

static void an_empty_text_is_cached(void **state)
{
    struct str shown;

    (void)state;
    assert_false(part_cache_find(part_cache, PART_LABELS, (struct str){NULL, 0}, &shown));
    part_cache_put(part_cache, PART_LABELS, (struct str){NULL, 0}, STR("{}"));
    assert_true(part_cache_find(part_cache, PART_LABELS, STR(""), &shown));
    assert_true(str_eq(shown, STR("{}")));
}

static void a_long_text_is_not_cached(void **state)
{
    static char text[PART_CACHE_TEXT_MAX];
    struct str shown;

    (void)state;
    memset(text, 'x', sizeof text);
    part_cache_put(part_cache, PART_EXTRA, (struct str){text, PART_CACHE_TEXT_MAX}, STR("y"));
    assert_false(part_cache_find(part_cache, PART_EXTRA,
                                 (struct str){text, PART_CACHE_TEXT_MAX}, &shown));
    part_cache_put(part_cache, PART_EXTRA, (struct str){text, PART_CACHE_TEXT_MAX - 1},
                   STR("y"));
    assert_true(part_cache_find(part_cache, PART_EXTRA,
                                (struct str){text, PART_CACHE_TEXT_MAX - 1}, &shown));
}

/* More entries than fit: some are dropped, none is confused with another. */
static void a_full_cache_drops_entries_but_never_mixes_them(void **state)
{
    char kept[1024], expected[32];
    struct str shown, first;
    int found = 0;

    (void)state;
    part_cache_put(part_cache, PART_SPEC, STR("first"), STR("as it was"));
    assert_true(part_cache_find(part_cache, PART_SPEC, STR("first"), &first));
    for (int round = 0; round < 2; round++)
        for (int i = 0; i < 20000; i++) {
            int len = snprintf(kept, sizeof kept, "{\"number\":%d,\"x\":\"%0900d\"}", i, i);

            snprintf(expected, sizeof expected, "shown %d", i);
            if (part_cache_find(part_cache, PART_ACTION, (struct str){kept, (size_t)len},
                                &shown)) {
                found++;
                assert_true(str_eq(shown, str_of(expected)));
            }
            part_cache_put(part_cache, PART_ACTION, (struct str){kept, (size_t)len},
                           str_of(expected));
        }
    assert_true(found > 0);
    assert_true(str_eq(first, STR("as it was"))); /* valid until part_cache_tidy() */
    part_cache_tidy(part_cache);
    assert_false(part_cache_find(part_cache, PART_SPEC, STR("first"), &shown));
    part_cache_put(part_cache, PART_SPEC, STR("new"), STR("n"));
    part_cache_tidy(part_cache);
    assert_true(part_cache_find(part_cache, PART_SPEC, STR("new"), &shown));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(a_text_is_found_only_for_its_part, set_up, end),
        cmocka_unit_test_setup_teardown(an_empty_text_is_cached, set_up, end),
        cmocka_unit_test_setup_teardown(a_long_text_is_not_cached, set_up, end),
        cmocka_unit_test_setup_teardown(a_full_cache_drops_entries_but_never_mixes_them, set_up,
                                        end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
