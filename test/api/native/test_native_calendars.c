/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Named calendars: create, replace, delete, list, and schedules that exclude them.
 */
#include "world.h"

static int put(const char *body)
{
    return ask("PUT /api/v1/calendars/holidays", NULL, js("%s", body));
}

static void make(const char *shift)
{
    assert_int_equal(
        ask("PUT /api/v1/schedules/s", NULL,
            js("{'spec':{'cron':['0 9 * * *'],'exclude':{'named':['holidays'],'shift':'%s'}},"
               "'action':{'type':'queue','queue':'q'}}",
               shift)),
        201);
}

static void a_calendar_is_put_shown_and_deleted(void **state)
{
    (void)state;
    assert_int_equal(put("{'dates':['2026-12-25','2026-01-01','2026-12-25']}"), 201);
    assert_json("", "{'name':'holidays','dates':['2026-01-01','2026-12-25'],'version':1,"
                    "'updatedAt':'2026-01-05T10:00:00.000Z'}");
    assert_int_equal(put("{'dates':[]}"), 200);
    assert_json("version", "2");
    assert_int_equal(get("/api/v1/calendars/holidays"), 200);
    assert_json("dates", "[]");
    assert_int_equal(ask("DELETE /api/v1/calendars/holidays", NULL, NULL), 204);
    assert_refused(get("/api/v1/calendars/holidays"), 404, "not_found", "");
    assert_refused(ask("DELETE /api/v1/calendars/holidays", NULL, NULL), 404, "not_found", "");
}

static void an_edit_of_a_calendar_moves_the_next_slot(void **state)
{
    (void)state;
    make("none");
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.nextAt", "'2026-01-06T09:00:00.000Z'");
    assert_int_equal(put("{'dates':['2026-01-06','2026-01-07']}"), 201);
    pass_time(SPAN_S);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.nextAt", "'2026-01-08T09:00:00.000Z'");
    assert_int_equal(get("/api/v1/schedules/s/next?count=2"), 200);
    assert_json("times.0.slot", "'2026-01-08T09:00:00.000Z'");
    assert_int_equal(ask("DELETE /api/v1/calendars/holidays", NULL, NULL), 204);
    pass_time(SPAN_S);
    assert_int_equal(get("/api/v1/schedules/s"), 200);
    assert_json("state.nextAt", "'2026-01-06T09:00:00.000Z'");
}

static void a_slot_may_move_to_the_next_free_day(void **state)
{
    (void)state;
    assert_int_equal(put("{'dates':['2026-01-06','2026-01-07']}"), 201);
    assert_int_equal(
        ask("PUT /api/v1/schedules/s", NULL,
            js("{'spec':{'cron':['0 9 6 * *'],'exclude':{'named':['holidays'],'shift':'next'}},"
               "'action':{'type':'queue','queue':'q'}}")),
        201);
    assert_json("state.nextAt", "'2026-01-08T09:00:00.000Z'");
}

static void calendars_are_listed_in_pages(void **state)
{
    (void)state;
    assert_int_equal(ask("PUT /api/v1/calendars/b", NULL, js("{'dates':[]}")), 201);
    assert_int_equal(ask("PUT /api/v1/calendars/a", NULL, js("{'dates':['2026-01-06']}")), 201);
    assert_int_equal(get("/api/v1/calendars?limit=1"), 200);
    assert_json("calendars.0.name", "'a'");
    assert_json("calendars.0.count", "1");
    assert_json("calendars.1", "absent");
    assert_json("cursor", "'a'");
    assert_int_equal(get("/api/v1/calendars?cursor=a"), 200);
    assert_json("calendars.0.name", "'b'");
    assert_json("cursor", "null");
}

static void errors_name_the_field(void **state)
{
    (void)state;
    assert_refused(put("{}"), 400, "invalid_field", "dates");
    assert_refused(put("{'dates':'2026-01-01'}"), 400, "invalid_field", "dates");
    assert_refused(put("{'dates':['2026-01-01','2026-02-30']}"), 400, "invalid_field",
                   "dates[1]");
    assert_refused(put("{'date':[]}"), 400, "invalid_field", "date");
    assert_non_null(strstr(json_at("detail"), "dates"));
    assert_refused(ask("PUT /api/v1/calendars/a%01b", NULL, js("{'dates':[]}")), 400,
                   "invalid_field", "");
    assert_refused(get("/api/v1/calendars/none"), 404, "not_found", "");
}

static void another_namespace_has_its_own(void **state)
{
    (void)state;
    assert_int_equal(ask("PUT /api/v1/namespaces/other", NULL, ""), 201);
    assert_int_equal(put("{'dates':['2026-01-06']}"), 201);
    assert_refused(get("/api/v1/calendars/holidays?namespace=other"), 404, "not_found", "");
    assert_refused(ask("DELETE /api/v1/calendars/holidays?namespace=other", NULL, NULL), 404,
                   "not_found", "");
}

/* RFC 9110, 13.1.1: a request whose precondition fails is not executed. */
static void a_change_of_another_version_is_refused(void **state)
{
    const char *path = "PUT /api/v1/calendars/holidays";

    (void)state;
    assert_refused(ask(path, "If-Match: \"1\"\r\n", js("{'dates':[]}")), 404, "not_found", "");
    assert_int_equal(put("{'dates':['2026-01-06']}"), 201);
    assert_string_equal(field("ETag"), "\"1\"");
    assert_int_equal(ask(path, "If-Match: \"1\"\r\n", js("{'dates':['2026-01-07']}")), 200);
    assert_string_equal(field("ETag"), "\"2\"");
    assert_refused(ask(path, "If-Match: \"1\"\r\n", js("{'dates':[]}")), 412,
                   "version_conflict", "");
    assert_refused(ask(path, "If-Match: \"1\"\r\nIdempotency-Key: k\r\n", js("{'dates':[]}")),
                   412, "version_conflict", "");
    assert_refused(
        ask("PUT /api/v1/calendars/holidays", "If-None-Match: *\r\n", js("{'dates':[]}")), 400,
        "invalid_field", "If-None-Match");
    assert_refused(ask("DELETE /api/v1/calendars/holidays", "If-Match: \"1\"\r\n", NULL), 412,
                   "version_conflict", "");
    assert_int_equal(get("/api/v1/calendars/holidays"), 200);
    assert_json("dates", "['2026-01-07']");
    assert_refused(ask(path, "If-Match: 2\r\n", js("{'dates':[]}")), 400, "invalid_field",
                   "If-Match");
    assert_int_equal(ask("DELETE /api/v1/calendars/holidays", "If-Match: \"2\"\r\n", NULL),
                     204);
}

static void a_change_that_is_sent_again_does_not_undo_a_later_one(void **state)
{
    const char *path = "PUT /api/v1/calendars/holidays";
    const char *key = "Idempotency-Key: first\r\n";

    (void)state;
    assert_int_equal(ask(path, key, js("{'dates':['2026-01-06']}")), 201);
    assert_int_equal(put("{'dates':['2026-01-07']}"), 200);
    assert_int_equal(ask(path, key, js("{'dates':['2026-01-06']}")), 200);
    assert_json("dates", "['2026-01-07']");
    assert_json("version", "2");
    key = "Idempotency-Key: gone\r\n";
    assert_int_equal(ask("DELETE /api/v1/calendars/holidays", key, NULL), 204);
    assert_int_equal(put("{'dates':['2026-01-08']}"), 201);
    assert_int_equal(ask("DELETE /api/v1/calendars/holidays", key, NULL), 204);
    assert_int_equal(get("/api/v1/calendars/holidays"), 200);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        API_TEST(a_calendar_is_put_shown_and_deleted),
        API_TEST(an_edit_of_a_calendar_moves_the_next_slot),
        API_TEST(a_slot_may_move_to_the_next_free_day),
        API_TEST(calendars_are_listed_in_pages),
        API_TEST(errors_name_the_field),
        API_TEST(another_namespace_has_its_own),
        API_TEST(a_change_of_another_version_is_refused),
        API_TEST(a_change_that_is_sent_again_does_not_undo_a_later_one),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
