/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The list of schedules: filters, orders and cursors.
 */
#include "world.h"

#include "api/schedules/page.h"

enum { LARGE = 70, INPUT = 250 * 1000 }; /* more than one database result can hold */

static void make(const char *id, const char *fields)
{
    assert_int_equal(ask(js("PUT /api/v1/schedules/%s", id), NULL,
                         js("{'action':{'type':'queue','queue':'q'}%s}", fields)),
                     201);
}

/* The ids of a page, with a * if there is another page. */
static const char *list(const char *query)
{
    static char text[4000];
    struct buf out = BUF(text);

    text[0] = '\0';
    assert_int_equal(get(js("/api/v1/schedules%s", query)), 200);
    for (size_t i = 0; i < json_array_size(json_object_get(world.json, "schedules")); i++)
        buf_printf(&out, "%s%s", i > 0 ? " " : "", text_at(js("schedules.%zu.id", i)).ptr);
    if (!json_is_null(json_object_get(world.json, "cursor")))
        buf_text(&out, "*");
    return text;
}

/* Reads all pages of an order with one entry each. */
static const char *one_by_one(const char *query)
{
    static char text[4000];
    struct buf out = BUF(text);
    struct str cursor = {NULL, 0};

    text[0] = '\0';
    for (int i = 0; i < 20; i++) {
        assert_int_equal(get(js("/api/v1/schedules?limit=1%s%s%s", query,
                                i > 0 ? "&cursor=" : "", i > 0 ? cursor.ptr : "")),
                         200);
        if (json_array_size(json_object_get(world.json, "schedules")) > 0)
            buf_printf(&out, "%s ", text_at("schedules.0.id").ptr);
        if (json_is_null(json_object_get(world.json, "cursor")))
            return text;
        cursor = text_at("cursor");
    }
    fail_msg("there is no end of pages: %s", text);
    return NULL;
}

/* Created as b, c, a; changed as c, b, a. */
static void make_three(void)
{
    static const char *const ids[] = {"b", "c", "a"};

    for (int i = 0; i < 3; i++) {
        make(ids[i], "");
        world.now += SPAN_S;
    }
    assert_int_equal(post("/api/v1/schedules/b/pause", ""), 200);
    world.now += SPAN_S;
    assert_int_equal(post("/api/v1/schedules/a/pause", ""), 200);
}

static void schedules_come_in_the_order_that_is_asked_for(void **state)
{
    (void)state;
    make_three();
    assert_string_equal(list(""), "a b c");
    assert_string_equal(list("?sort=id"), "a b c");
    assert_string_equal(list("?sort=-id"), "c b a");
    assert_string_equal(list("?sort=createdAt"), "b c a");
    assert_string_equal(list("?sort=-createdAt"), "a c b");
    assert_string_equal(list("?sort=updatedAt"), "c b a");
    assert_string_equal(list("?sort=-updatedAt"), "a b c");
    assert_string_equal(list("?sort=-updatedAt&limit=2"), "a b*");
    assert_string_equal(list("?sort=createdAt&limit=3"), "b c a");
}

static void a_deleted_schedule_is_not_listed(void **state)
{
    (void)state;
    assert_string_equal(list(""), "");
    make_three();
    assert_int_equal(ask("DELETE /api/v1/schedules/b", NULL, NULL), 204);
    assert_string_equal(list(""), "a c");
    assert_json("schedules.0.state.status", "'paused'");
    assert_json("schedules.0.action.queue", "'q'");
}

static void pages_continue_at_the_cursor(void **state)
{
    (void)state;
    make_three();
    assert_string_equal(one_by_one(""), "a b c ");
    assert_string_equal(one_by_one("&sort=-id"), "c b a ");
    assert_string_equal(one_by_one("&sort=createdAt"), "b c a ");
    assert_string_equal(one_by_one("&sort=-createdAt"), "a c b ");
    assert_string_equal(one_by_one("&sort=updatedAt"), "c b a ");
    assert_string_equal(one_by_one("&sort=-updatedAt"), "a b c ");
    assert_string_equal(one_by_one("&status=paused"), "a b ");
}

static void a_prefix_in_both_directions(void **state)
{
    (void)state;
    make("ab", "");
    make("ab.c", "");
    make("ab~", "");
    make("ac", "");
    make("a", "");
    assert_string_equal(list("?prefix=ab"), "ab ab.c ab~");
    assert_string_equal(list("?prefix=ab&sort=-id"), "ab~ ab.c ab");
    assert_string_equal(list("?prefix=ab&sort=createdAt"), "ab ab.c ab~");
    assert_string_equal(list("?prefix=ab&limit=1"), "ab*");
    assert_string_equal(list(js("?prefix=ab&limit=1&cursor=%s", text_at("cursor").ptr)),
                        "ab.c*");
    assert_string_equal(one_by_one("&prefix=ab"), "ab ab.c ab~ ");
    assert_string_equal(one_by_one("&prefix=ab&sort=-id"), "ab~ ab.c ab ");
    assert_string_equal(list("?prefix=zz"), "");
    make("ab%C3%A9", "");
    assert_string_equal(list("?prefix=ab"), "ab ab.c ab~ ab\xc3\xa9");
}

static void a_word_is_looked_for_in_ids_and_descriptions(void **state)
{
    (void)state;
    make("nightly-report", "");
    make("other", ",'description':'The REPORT of the week'");
    make("third", ",'description':'nothing'");
    assert_string_equal(list("?search=report"), "nightly-report other");
    assert_string_equal(list("?search=Report&prefix=o"), "other");
    assert_string_equal(list("?search=xyz"), "");
}

static void schedules_can_be_filtered_by_label_status_action_and_queue(void **state)
{
    (void)state;
    make("a", ",'labels':{'team':'ops','env':'prod'}");
    make("b", ",'labels':{'team':'dev'}");
    assert_int_equal(ask("PUT /api/v1/schedules/c", NULL,
                         js("{'action':{'type':'http','url':'http://example.com/'}}")),
                     201);
    assert_int_equal(
        ask("PUT /api/v1/schedules/d", NULL, js("{'action':{'type':'workflow','name':'wf'}}")),
        201);
    assert_int_equal(post("/api/v1/schedules/b/pause", ""), 200);
    assert_string_equal(list("?label=team:ops"), "a");
    assert_string_equal(list("?label=team"), "a b");
    assert_string_equal(list("?label=team:x"), "");
    assert_string_equal(list("?label=team%3Dops"), "a");
    assert_string_equal(list("?label=team=dev"), "b");
    assert_string_equal(list("?label=team%3Dx"), "");
    assert_string_equal(list("?status=paused"), "b");
    assert_string_equal(list("?status=active"), "a c d");
    assert_string_equal(list("?action=http"), "c");
    assert_string_equal(list("?queue=q"), "a b");
    assert_string_equal(list("?queue=wf"), "d");
    assert_string_equal(list("?queue=q&status=active&label=env:prod"), "a");
    make("e", ",'labels':{'k8s:app':'a=b'}");
    assert_string_equal(list("?label=k8s:app%3Da%3Db"), "e");
}

/* More rows than one read scans; the matching one is at the end. */
static void a_filter_finds_a_match_beyond_the_first_read(void **state)
{
    static char body[CALL_BODY_MAX];
    struct buf out = BUF(body);

    (void)state;
    buf_text(&out, "{\"items\":[");
    for (int i = 0; i < CALL_ITEMS_MAX; i++)
        buf_printf(&out, "%s%s", i > 0 ? "," : "",
                   js("{'id':'s%04d','description':'%s','action':{'type':'queue','queue':'q'}}",
                      i, i == 999 ? "needle" : "hay"));
    buf_text(&out, "]}");
    assert_int_equal(post("/api/v1/bulk/schedules", body), 200);
    assert_string_equal(list("?search=needle"), "s0999");
    assert_string_equal(list("?search=needle&sort=-createdAt"), "s0999");
    assert_string_equal(list("?search=hay&limit=2"), "s0000 s0001*");
    list("?limit=1000");
    assert_json("cursor", "null");
    assert_json("schedules.999.id", "'s0999'");
}

static void another_namespace_is_another_list(void **state)
{
    (void)state;
    assert_int_equal(ask("PUT /api/v1/namespaces/other", NULL, ""), 201);
    make("a", "");
    assert_int_equal(ask("PUT /api/v1/schedules/x?namespace=other", NULL,
                         js("{'action':{'type':'queue','queue':'q'}}")),
                     201);
    assert_string_equal(field("Location"), "/api/v1/schedules/x?namespace=other");
    assert_json("namespace", "'other'");
    make("b", "");
    assert_string_equal(one_by_one("&sort=createdAt"), "a b ");
    assert_string_equal(one_by_one("&sort=-createdAt"), "b a ");
    assert_string_equal(one_by_one("&namespace=other&sort=updatedAt"), "x ");
}

static void errors_name_the_field(void **state)
{
    (void)state;
    assert_refused(get("/api/v1/schedules?sort=name"), 400, "invalid_field", "sort");
    assert_refused(get("/api/v1/schedules?status=on"), 400, "invalid_field", "status");
    assert_refused(get("/api/v1/schedules?action=mail"), 400, "invalid_field", "action");
    assert_refused(get("/api/v1/schedules?sort=createdAt&cursor=x"), 400, "invalid_field",
                   "cursor");
    assert_refused(get("/api/v1/schedules?sort=updatedAt&cursor=7"), 400, "invalid_field",
                   "cursor");
    assert_refused(get("/api/v1/schedules?sort=updatedAt&cursor=7.x"), 400, "invalid_field",
                   "cursor");
    assert_refused(get("/api/v1/schedules?labels=a"), 400, "invalid_field", "");
}

/* docs/api.md: a cursor is opaque and valid only for its list. */
static void a_cursor_of_another_order_or_filter_is_refused(void **state)
{
    static const char *const lists[] = {
        "?sort=id",        "?sort=-id",         "?sort=createdAt", "?sort=-createdAt",
        "?sort=updatedAt", "?prefix=a",         "?search=a",       "?label=l",
        "?label=l=x",      "?label=l&sort=-id", "?status=active",  "?action=queue",
        "?queue=q",        "?namespace=n",
    };
    enum { LISTS = sizeof lists / sizeof lists[0] };

    (void)state;
    assert_int_equal(ask("PUT /api/v1/namespaces/n", NULL, ""), 201);
    for (int i = 0; i < 3; i++) {
        make(js("a%d", i), ",'labels':{'l':'x'}");
        assert_int_equal(post("/api/v1/schedules?namespace=n",
                              js("{'id':'a%d','action':{'type':'queue','queue':'q'}}", i)),
                         201);
    }
    for (int from = 0; from < LISTS; from++) {
        char cursor[64];

        assert_int_equal(get(js("/api/v1/schedules%s&limit=1", lists[from])), 200);
        snprintf(cursor, sizeof cursor, "%s", text_at("cursor").ptr);
        for (int to = 0; to < LISTS; to++) {
            int status = get(js("/api/v1/schedules%s&cursor=%s", lists[to], cursor));

            if (from == to)
                assert_int_equal(status, 200);
            else
                assert_refused(status, 400, "invalid_field", "cursor");
        }
    }
}

static void an_invalid_cursor_is_refused(void **state)
{
    static const char *const wrong[] = {"zzz",        "a", "~",          "~00000000",
                                        "a~00000000", "1", "a0~zzzzzzzz"};

    (void)state;
    make("a0", "");
    make("a1", "");
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        assert_refused(get(js("/api/v1/schedules?cursor=%s", wrong[i])), 400, "invalid_field",
                       "cursor");
        assert_refused(get(js("/api/v1/export?cursor=%s", wrong[i])), 400, "invalid_field",
                       "cursor");
    }
}

/* Schedules are deleted and edited between pages; the list continues after the cursor. */
static void a_cursor_stays_valid_while_schedules_change(void **state)
{
    char cursor[64];

    (void)state;
    make("a", "");
    make("b", "");
    make("d", "");
    assert_string_equal(list("?limit=2"), "a b*");
    snprintf(cursor, sizeof cursor, "%s", text_at("cursor").ptr);
    assert_int_equal(ask("DELETE /api/v1/schedules/b", NULL, NULL), 204);
    make("c", "");
    assert_string_equal(list(js("?limit=1&sort=id&cursor=%s", cursor)), "c*");
    assert_string_equal(list(js("?fields=enabled&cursor=%s", cursor)), "c d");
    assert_string_equal(list(js("?namespace=default&cursor=%s", cursor)), "c d");
    assert_string_equal(list("?cursor="), "a c d");
}

static void make_large(int i)
{
    static char text[INPUT + 1], body[INPUT + 200];
    struct buf out = BUF(body);

    memset(text, 'x', INPUT);
    buf_printf(&out,
               "{\"action\":{\"type\":\"queue\",\"queue\":\"q\",\"input\":{\"x\":\"%s\"}}}",
               text);
    assert_int_equal(ask(js("PUT /api/v1/schedules/s%02d", i), NULL, body), 201);
}

static void a_page_of_large_schedules_ends_early(void **state)
{
    char cursor[64] = "";
    size_t seen = 0;
    int pages = 0;

    (void)state;
    for (int i = 0; i < LARGE; i++)
        make_large(i);
    for (; pages < LARGE && seen < LARGE; pages++) {
        assert_int_equal(get(js("/api/v1/schedules?limit=100%s", cursor)), 200);
        assert_true(world.call.answer.len < 2 * PAGE_BYTES_MAX);
        for (size_t i = 0; i < json_array_size(json_object_get(world.json, "schedules")); i++)
            assert_string_equal(text_at(js("schedules.%zu.id", i)).ptr, js("s%02zu", seen++));
        if (seen < LARGE)
            snprintf(cursor, sizeof cursor, "&cursor=%s", text_at("cursor").ptr);
    }
    assert_int_equal(seen, LARGE);
    assert_true(pages > 1); /* although the limit is 100 */
    assert_int_equal(get("/api/v1/schedules?limit=100&fields=id"), 200);
    assert_int_equal(json_array_size(json_object_get(world.json, "schedules")), LARGE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(schedules_come_in_the_order_that_is_asked_for),
        API_TEST(a_deleted_schedule_is_not_listed),
        API_TEST(pages_continue_at_the_cursor),
        API_TEST(a_prefix_in_both_directions),
        API_TEST(a_word_is_looked_for_in_ids_and_descriptions),
        API_TEST(schedules_can_be_filtered_by_label_status_action_and_queue),
        API_TEST(a_filter_finds_a_match_beyond_the_first_read),
        API_TEST(another_namespace_is_another_list),
        API_TEST(errors_name_the_field),
        API_TEST(a_cursor_of_another_order_or_filter_is_refused),
        API_TEST(an_invalid_cursor_is_refused),
        API_TEST(a_cursor_stays_valid_while_schedules_change),
        API_TEST(a_page_of_large_schedules_ends_early),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
