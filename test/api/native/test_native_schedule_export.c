/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The export of a namespace, and applying it again.
 */
#include "world.h"

#include "model/schedule_json.h"

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
    assert_told("items.0", "{'calendar':'holidays','dates':['2026-12-25']}");
    assert_told("items.1", "{'gate':'db','limit':2}");
    assert_told("items.2", "{'id':'a','spec':{'cron':['0 9 * * *']},"
                           "'action':{'type':'queue','queue':'q'},'governor':{}}");
    assert_told("items.3.id", "'b'");
    assert_told("items.4", "absent");
    assert_told("cursor", "null");
}

/* Applying an export restores the same objects. */
static void an_export_can_be_applied(void **state)
{
    char text[2000];

    (void)state;
    make("a");
    assert_int_equal(post("/api/v1/schedules/a/pause", ""), 200);
    assert_int_equal(get("/api/v1/export"), 200);
    snprintf(text, sizeof text, "{'items':%s}", told("items"));
    assert_int_equal(ask("DELETE /api/v1/schedules/a", NULL, NULL), 204);
    assert_int_equal(post("/api/v1/bulk/schedules/put", js("%s", text)), 200);
    assert_told("results.0.status", "'ok'");
    assert_int_equal(get("/api/v1/export"), 200);
    assert_string_equal(js("%s", js("{'items':%s}", told("items"))), js("%s", text));
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
    assert_told("items.0.paused", "{'reason':'holidays','until':'2026-01-06T00:00:00.000Z'}");
    assert_told("items.1.paused", "true");
    assert_told("items.2.paused", "absent");
    snprintf(text, sizeof text, "{'items':%s}", told("items"));
    for (const char *id = "abc"; *id != '\0'; id++)
        assert_int_equal(ask(js("DELETE /api/v1/schedules/%c", *id), NULL, NULL), 204);
    assert_int_equal(post("/api/v1/bulk/schedules/put", js("%s", text)), 200);
    assert_int_equal(get("/api/v1/schedules/a"), 200);
    assert_told("state.status", "'paused'");
    assert_told("state.pausedReason", "'holidays'");
    assert_told("state.pausedUntil", "'2026-01-06T00:00:00.000Z'");
    assert_told("state.nextAt", "'2026-01-06T09:00:00.000Z'");
    assert_int_equal(get("/api/v1/schedules/b"), 200);
    assert_told("state.status", "'paused'");
    assert_told("state.pausedReason", "null");
    assert_told("state.nextAt", "null");
    assert_int_equal(get("/api/v1/schedules/c"), 200);
    assert_told("state.status", "'active'");
    assert_int_equal(get("/api/v1/export"), 200);
    assert_string_equal(js("%s", js("{'items':%s}", told("items"))), js("%s", text));
    /* The pause ends at its time. */
    pass(15 * SPAN_H);
    assert_int_equal(get("/api/v1/schedules/a"), 200);
    assert_told("state.status", "'active'");
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
    assert_told("items", "[{'id':'a','action':{'type':'queue','queue':'q'}}]");
    assert_int_equal(
        post("/api/v1/bulk/schedules/put?namespace=blue", js("{'items':%s}", told("items"))),
        200);
    assert_told("results.0.status", "'ok'");
}

static void lines_say_in_a_header_where_they_go_on(void **state)
{
    struct str line, rest;
    char cursor[64];

    (void)state;
    assert_int_equal(ask("PUT /api/v1/gates/db", NULL, js("{'limit':2}")), 200);
    make("a%20b");
    make("c");
    world.is_lines = true;
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

static void a_filter_leaves_out_what_schedules_name(void **state)
{
    (void)state;
    assert_int_equal(ask("PUT /api/v1/gates/db", NULL, js("{'limit':2}")), 200);
    make("a");
    make("b");
    assert_int_equal(get("/api/v1/export?prefix=b"), 200);
    assert_told("items.0.id", "'b'");
    assert_told("items.1", "absent");
}

static void an_empty_namespace_is_an_empty_list(void **state)
{
    (void)state;
    assert_int_equal(get("/api/v1/export"), 200);
    assert_told("", "{'items':[],'cursor':null}");
    world.is_lines = true;
    assert_int_equal(get("/api/v1/export?format=ndjson"), 200);
    assert_int_equal(world.call.answer.len, 0);
}

static void what_is_wrong_is_named(void **state)
{
    (void)state;
    assert_refused(get("/api/v1/export?format=xml"), 400, "invalid_field", "format");
    assert_refused(get("/api/v1/export?form=json"), 400, "invalid_field", "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        SERVED(a_page_has_calendars_gates_and_documents),
        SERVED(an_export_can_be_applied),
        SERVED(a_pause_is_exported_and_applied_with_reason_and_end),
        SERVED(what_one_namespace_exports_can_be_applied_to_another),
        SERVED(lines_say_in_a_header_where_they_go_on),
        SERVED(a_filter_leaves_out_what_schedules_name),
        SERVED(an_empty_namespace_is_an_empty_list),
        SERVED(what_is_wrong_is_named),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
