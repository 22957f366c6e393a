/* SPDX-License-Identifier: Apache-2.0 */
/* Paths for an upstream: RFC 9112 section 3.2 has both forms of a target. */
#include "server/forward/forward_path.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "base/buf.h"

static void assert_text(struct str text, const char *expected)
{
    assert_int_equal(text.len, strlen(expected));
    assert_memory_equal(text.ptr, expected, text.len);
}

static void a_url_is_split_after_its_host(void **state)
{
    struct str origin, path;

    (void)state;
    forward_path_split(STR("https://h:8080/base/api"), &origin, &path);
    assert_text(origin, "https://h:8080");
    assert_text(path, "/base/api");
    forward_path_split(STR("http://[::1]"), &origin, &path);
    assert_text(origin, "http://[::1]");
    assert_text(path, "");
}

static void what_follows_api_is_unchanged(void **state)
{
    static const struct {
        const char *target, *base, *expected;
    } cases[] = {
        {"/api/tasks/a%20b?x=%2F", "/api", "/api/tasks/a%20b?x=%2F"},
        {"/%61pi/queue/", "/base/api", "/base/api/queue/"},
        {"http://h:1/api/workflow/w?q=/api/", "", "/workflow/w?q=/api/"},
    };
    struct arena *arena = arena_new(1 << 16);

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const struct http1_request request = {.target = str_of(cases[i].target),
                                              .is_absolute = cases[i].target[0] == 'h'};

        assert_text(forward_path(&request, str_of(cases[i].base), arena), cases[i].expected);
    }
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_url_is_split_after_its_host),
        cmocka_unit_test(what_follows_api_is_unchanged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
