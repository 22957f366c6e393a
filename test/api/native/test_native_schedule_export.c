/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The export of a namespace, and applying it again.
 */
#include "world.h"

#include "model/schedule_json.h"

enum { CALENDARS_BODY = 200000 }; /* 10,000 dates */

static void make(const char *id)
{
    assert_int_equal(ask(js("PUT /api/v1/schedules/%s", id), NULL,
                         js("{'spec':{'cron':['0 9 * * *']},'governor':{},"
                            "'action':{'type':'queue','queue':'q'}}")),
                     201);
}

static void a_page_has_calendars_gates_and_documents(void **state)
{
    (void)state;
    assert_int_equal(
        ask("PUT /api/v1/calendars/holidays", NULL, js("{'dates':['2026-12-25']}")), 201);
    assert_int_equal(ask("PUT /api/v1/gates/db", NULL, js("{'limit':2}")), 200);
    make("a");
    make("b");
    assert_int_equal(get("/api/v1/export"), 200);
    assert_json("items.0", "{'calendar':'holidays','dates':['2026-12-25']}");
    assert_json("items.1", "{'gate':'db','limit':2}");
    assert_json("items.2", "{'id':'a','spec':{'cron':['0 9 * * *']},"
                           "'action':{'type':'queue','queue':'q'},'governor':{}}");
    assert_json("items.3.id", "'b'");
    assert_json("items.4", "absent");
    assert_json("cursor", "null");
}

/* 40 calendars of 10,000 dates are 5 MB, more than a page: 4 MiB. */
static void large_calendars_take_several_pages(void **state)
{
    static char body[CALENDARS_BODY];
    struct buf out = BUF(body);
    int calendars = 0, gates = 0, schedules = 0, pages = 0;
    char cursor[300] = "";
    const char *next;

    (void)state;
    buf_text(&out, "{\"dates\":[\"2000-01-01\"");
    for (int i = 1; i < 10000; i++)
        buf_printf(&out, ",\"%04d-%02d-%02d\"", 2001 + i / 336, 1 + i / 28 % 12, 1 + i % 28);
    buf_text(&out, "]}");
    assert_false(out.cut);
    for (int i = 0; i < 40; i++)
        assert_int_equal(ask(js("PUT /api/v1/calendars/c%02d", i), NULL, body), 201);
    assert_int_equal(ask("PUT /api/v1/gates/db", NULL, js("{'limit':2}")), 200);
    make("a");
    do {
        assert_int_equal(get(js("/api/v1/export?cursor=%s", cursor)), 200);
        pages++;
        for (size_t i = 0; i < json_array_size(json_object_get(world.json, "items")); i++) {
            const json_t *item = json_array_get(json_object_get(world.json, "items"), i);

            calendars += json_object_get(item, "calendar") != NULL;
            gates += json_object_get(item, "gate") != NULL;
            schedules += json_object_get(item, "id") != NULL;
        }
        next = json_string_value(json_object_get(world.json, "cursor"));
        snprintf(cursor, sizeof cursor, "%s", next ? next : "");
    } while (cursor[0] != '\0' && pages < 10);
    assert_int_equal(pages, 2);
    assert_int_equal(calendars, 40);
    assert_int_equal(gates, 1);
    assert_int_equal(schedules, 1);
}

/* Applying an export restores the same objects. */
static void an_export_can_be_applied(void **state)
{
    char text[2000];

    (void)state;
    make("a");
    assert_int_equal(post("/api/v1/schedules/a/pause", ""), 200);
    assert_int_equal(get("/api/v1/export"), 200);
    snprintf(text, sizeof text, "{'items':%s}", json_at("items"));
    assert_int_equal(ask("DELETE /api/v1/schedules/a", NULL, NULL), 204);
    assert_int_equal(post("/api/v1/bulk/schedules/put", js("%s", text)), 200);
    assert_json("results.0.status", "'ok'");
    assert_int_equal(get("/api/v1/export"), 200);
    assert_string_equal(js("%s", js("{'items':%s}", json_at("items"))), js("%s", text));
}

static void a_pause_is_exported_and_applied_with_reason_and_end(void **state)
{
    char text[2000];

    (void)state;
    make("a");
    make("b");
    make("c");
    assert_int_equal(post("/api/v1/schedules/a/pause",
                          js("{'reason':'holidays','until':'2026-01-06T00:00:00Z'}")),
                     200);
    assert_int_equal(post("/api/v1/schedules/b/pause", ""), 200);
    assert_int_equal(get("/api/v1/export"), 200);
    assert_json("items.0.paused", "{'reason':'holidays','until':'2026-01-06T00:00:00.000Z'}");
    assert_json("items.1.paused", "true");
    assert_json("items.2.paused", "absent");
    snprintf(text, sizeof text, "{'items':%s}", json_at("items"));
    for (const char *id = "abc"; *id != '\0'; id++)
        assert_int_equal(ask(js("DELETE /api/v1/schedules/%c", *id), NULL, NULL), 204);
    assert_int_equal(post("/api/v1/bulk/schedules/put", js("%s", text)), 200);
    assert_int_equal(get("/api/v1/schedules/a"), 200);
    assert_json("state.status", "'paused'");
    assert_json("state.pausedReason", "'holidays'");
    assert_json("state.pausedUntil", "'2026-01-06T00:00:00.000Z'");
    assert_json("state.nextAt", "'2026-01-06T09:00:00.000Z'");
    assert_int_equal(get("/api/v1/schedules/b"), 200);
    assert_json("state.status", "'paused'");
    assert_json("state.pausedReason", "null");
    assert_json("state.nextAt", "null");
    assert_int_equal(get("/api/v1/schedules/c"), 200);
    assert_json("state.status", "'active'");
    assert_int_equal(get("/api/v1/export"), 200);
    assert_string_equal(js("%s", js("{'items':%s}", json_at("items"))), js("%s", text));
    /* The pause ends at its time. */
    pass_time(15 * SPAN_H);
    assert_int_equal(get("/api/v1/schedules/a"), 200);
    assert_json("state.status", "'active'");
}

static void what_one_namespace_exports_can_be_applied_to_another(void **state)
{
    (void)state;
    assert_int_equal(ask("PUT /api/v1/namespaces/red", NULL, ""), 201);
    assert_int_equal(ask("PUT /api/v1/namespaces/blue", NULL, ""), 201);
    assert_int_equal(ask("PUT /api/v1/schedules/a?namespace=red", NULL,
                         js("{'action':{'type':'queue','queue':'q'}}")),
                     201);
    assert_int_equal(get("/api/v1/export?namespace=red"), 200);
    assert_json("items", "[{'id':'a','action':{'type':'queue','queue':'q'}}]");
    assert_int_equal(
        post("/api/v1/bulk/schedules/put?namespace=blue", js("{'items':%s}", json_at("items"))),
        200);
    assert_json("results.0.status", "'ok'");
}

static void the_cursor_of_ndjson_is_in_a_header(void **state)
{
    struct str line, rest;
    char cursor[64];

    (void)state;
    assert_int_equal(ask("PUT /api/v1/gates/db", NULL, js("{'limit':2}")), 200);
    make("a%20b");
    make("c");
    world.may_be_text = true;
    assert_int_equal(get("/api/v1/export?format=ndjson&limit=1"), 200);
    assert_string_equal(world.call.content_type, "application/x-ndjson");
    snprintf(cursor, sizeof cursor, "%s", field("Belfry-Cursor"));
    assert_null(strchr(cursor, ' '));
    assert_true(str_cut(world.call.answer, '\n', &line, &rest));
    assert_true(str_eq(line, str_of(js("{'gate':'db','limit':2}"))));
    assert_true(str_cut(rest, '\n', &line, &rest));
    assert_true(str_starts(line, str_of(js("{'id':'a b',"))));
    assert_int_equal(rest.len, 0);
    assert_int_equal(get(js("/api/v1/export?format=ndjson&limit=1&cursor=%s", cursor)), 200);
    assert_string_equal(field("Belfry-Cursor"), "");
    assert_true(str_starts(world.call.answer, str_of(js("{'id':'c',"))));
}

static void a_filtered_export_has_only_schedules(void **state)
{
    (void)state;
    assert_int_equal(ask("PUT /api/v1/gates/db", NULL, js("{'limit':2}")), 200);
    make("a");
    make("b");
    assert_int_equal(get("/api/v1/export?prefix=b"), 200);
    assert_json("items.0.id", "'b'");
    assert_json("items.1", "absent");
}

static void an_empty_namespace_is_an_empty_list(void **state)
{
    (void)state;
    assert_int_equal(get("/api/v1/export"), 200);
    assert_json("", "{'items':[],'cursor':null}");
    world.may_be_text = true;
    assert_int_equal(get("/api/v1/export?format=ndjson"), 200);
    assert_int_equal(world.call.answer.len, 0);
}

static void errors_name_the_field(void **state)
{
    (void)state;
    assert_refused(get("/api/v1/export?format=xml"), 400, "invalid_field", "format");
    assert_refused(get("/api/v1/export?form=json"), 400, "invalid_field", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_page_has_calendars_gates_and_documents),
        API_TEST(large_calendars_take_several_pages),
        API_TEST(an_export_can_be_applied),
        API_TEST(a_pause_is_exported_and_applied_with_reason_and_end),
        API_TEST(what_one_namespace_exports_can_be_applied_to_another),
        API_TEST(the_cursor_of_ndjson_is_in_a_header),
        API_TEST(a_filtered_export_has_only_schedules),
        API_TEST(an_empty_namespace_is_an_empty_list),
        API_TEST(errors_name_the_field),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
