/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of schedules, and the answer of one schedule.
 */
#include "world.h"

#include "api/schedules/page.h"

static void make(const char *id)
{
    assert_int_equal(
        post("/api/v1/schedules", js("{'id':'%s','action':{'type':'queue','queue':'q'}}", id)),
        201);
}

/* The ids of a page, then its cursor: "a b | b". */
static const char *page(const char *query)
{
    static char text[4096];
    struct buf out = BUF(text);

    text[0] = '\0';
    assert_int_equal(get(js("/api/v1/schedules%s", query)), 200);
    for (size_t i = 0; i < json_array_size(json_object_get(world.json, "schedules")); i++)
        buf_printf(&out, "%s ", text_at(js("schedules.%zu.id", i)).ptr);
    buf_text(&out, json_is_null(json_object_get(world.json, "cursor")) ? "| end" : "| more");
    return text;
}

/* The page after the last answer. */
static const char *next_page(const char *query)
{
    return page(js("%s&cursor=%s", query, text_at("cursor").ptr));
}

static void schedules_are_listed_in_the_order_of_their_ids(void **state)
{
    (void)state;
    assert_string_equal(page(""), "| end");
    make("b");
    make("a");
    make("c");
    assert_string_equal(page(""), "a b c | end");
    assert_told("schedules.0.state.status", "'active'");
    assert_told("schedules.0.action.queue", "'q'");
    assert_int_equal(ask("DELETE /api/v1/schedules/b", NULL, NULL), 204);
    assert_string_equal(page(""), "a c | end");
}

static void a_page_goes_on_where_the_last_one_ended(void **state)
{
    (void)state;
    make("a");
    make("b");
    make("c");
    assert_string_equal(page("?limit=2"), "a b | more");
    assert_string_equal(next_page("?limit=2"), "c | end");
    assert_string_equal(page("?limit=3"), "a b c | end");
}

static void a_prefix_takes_its_own_name_too(void **state)
{
    (void)state;
    make("ab");
    make("abc");
    make("ab\xc3\xa9");
    make("aa");
    make("ac");
    assert_string_equal(page("?prefix=ab"), "ab abc ab\xc3\xa9 | end");
    assert_string_equal(page("?prefix=ab&limit=1"), "ab | more");
    assert_string_equal(next_page("?prefix=ab&limit=1"), "abc | more");
    assert_string_equal(page("?prefix=ab&limit=1"), "ab | more");
    assert_string_equal(next_page("?prefix=ab&limit=2"), "abc ab\xc3\xa9 | end");
    assert_string_equal(page("?prefix=x"), "| end");
}

static void other_namespaces_are_not_listed(void **state)
{
    (void)state;
    make("a");
    assert_int_equal(ask("PUT /api/v1/namespaces/n", NULL, ""), 201);
    assert_string_equal(page("?namespace=n"), "| end");
    assert_int_equal(post("/api/v1/schedules?namespace=n",
                          js("{'id':'a','action':{'type':'queue','queue':'q'}}")),
                     201);
    assert_string_equal(field("Location"), "/api/v1/schedules/a?namespace=n");
    assert_told("namespace", "'n'");
    assert_string_equal(page("?namespace=n"), "a | end");
    assert_string_equal(page(""), "a | end");
}

/* Schedules of half a megabyte each: the page ends before its limit, without losing any. */
static void a_page_of_large_schedules_ends_early(void **state)
{
    static char text[250 * 1024];
    int pages = 0, seen = 0;
    const char *cursor = "";

    (void)state;
    memset(text, 'x', sizeof text - 1);
    for (int i = 0; i < 24; i++)
        assert_int_equal(post("/api/v1/schedules",
                              js("{'id':'s%02d','action':{'type':'queue','queue':'q','input':"
                                 "{'a':'%s'}}}",
                                 i, text)),
                         201);
    do {
        assert_int_equal(get(js("/api/v1/schedules?limit=20&cursor=%s", cursor)), 200);
        assert_true(world.call.answer.len < 2 * PAGE_BYTES_MAX);
        for (size_t i = 0; i < json_array_size(json_object_get(world.json, "schedules")); i++)
            assert_string_equal(text_at(js("schedules.%zu.id", i)).ptr, js("s%02d", seen++));
        cursor = json_is_null(json_object_get(world.json, "cursor")) ? NULL
                                                                     : text_at("cursor").ptr;
        pages++;
    } while (cursor && pages < 10);
    assert_int_equal(seen, 24);
    assert_int_equal(pages, 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(schedules_are_listed_in_the_order_of_their_ids),
        SERVED(a_page_goes_on_where_the_last_one_ended),
        SERVED(a_prefix_takes_its_own_name_too),
        SERVED(other_namespaces_are_not_listed),
        SERVED(a_page_of_large_schedules_ends_early),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
