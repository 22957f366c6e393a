/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table zones on both databases.
 */
#include "rows.h"

#include "store/zones.h"

static void add(struct fixture *f, int64_t id, int64_t namespace, struct str name, instant at)
{
    zones_insert(f->db, &(struct zone_row){id, namespace, name, at});
    flush(f);
}

static void assert_due(struct fixture *f, instant now, int limit, const char *expected)
{
    struct db_result got;

    zones_due(f->db, now, limit, &got);
    flush(f);
    assert_ids(&got, expected);
}

static void every_field_of_a_zone_has_its_column(void **state)
{
    struct fixture *f = *state;
    struct db_result got;
    struct zone_row back;

    add(f, 3, 4, STR("Asia/Tokyo"), DAY_ONE + 5);
    zones_due(f->db, DAY_ONE + 5, 1, &got);
    flush(f);
    zones_read(&got, 0, &back);
    assert_int_equal(back.id, 3);
    assert_int_equal(back.namespace, 4);
    assert_str_equal(back.name, STR("Asia/Tokyo"));
    assert_int_equal(back.next_at, DAY_ONE + 5);
    assert_int_column(f, "zones", "namespace", 4);
    assert_int_column(f, "zones", "next_at", DAY_ONE + 5);
    assert_text_column(f, "zones", "name", STR("Asia/Tokyo"));
}

static void a_namespace_has_a_zone_once(void **state)
{
    struct fixture *f = *state;

    add(f, 1, 1, STR("UTC"), 10);
    add(f, 2, 1, STR("UTC"), 5);
    add(f, 3, 2, STR("UTC"), 20);
    assert_due(f, 100, 9, "1 3");
}

static void the_zones_of_a_namespace_are_ordered_by_name(void **state)
{
    struct fixture *f = *state;
    struct db_result got;
    struct zone_row back;

    add(f, 1, 1, STR("UTC"), 10);
    add(f, 2, 1, STR("Asia/Tokyo"), 5);
    add(f, 3, 2, STR("UTC"), 20);
    zones_of(f->db, 1, &got);
    flush(f);
    assert_ids(&got, "2 1");
    zones_read(&got, 0, &back);
    assert_str_equal(back.name, STR("Asia/Tokyo"));
    assert_int_equal(back.next_at, 5);
}

static void due_midnights_are_ordered_by_time_and_can_be_moved(void **state)
{
    struct fixture *f = *state;

    add(f, 1, 1, STR("a"), 30);
    add(f, 2, 1, STR("b"), 20);
    add(f, 3, 1, STR("c"), 10);
    assert_due(f, 9, 9, "");
    assert_due(f, 20, 9, "3 2");
    assert_due(f, 99, 2, "3 2");
    zones_move(f->db, 3, 40);
    assert_due(f, 40, 9, "2 1 3");
}

static void assert_planned(struct fixture *f, int rows, struct str version)
{
    struct db_result got = {0};

    zones_planned_find(f->db, &got);
    flush(f);
    assert_int_equal(got.rows, rows);
    if (rows == 1)
        assert_str_equal(db_blob_at(&got, 0, 0), version);
}

static void the_zone_version_of_the_plans_is_stored_once_or_not_at_all(void **state)
{
    struct fixture *f = *state;

    assert_planned(f, 0, STR(""));
    zones_planned_put(f->db, STR(""));
    assert_planned(f, 1, STR(""));
    zones_planned_put(f->db, STR("2026a"));
    assert_planned(f, 1, STR("2026a"));
    zones_planned_drop(f->db);
    assert_planned(f, 0, STR(""));
}

static void only_the_last_pass_ends_the_planning(void **state)
{
    struct fixture *f = *state;

    zones_planned_put(f->db, STR("pass 1"));
    zones_planned_end(f->db, STR("pass 1"), STR("2026a"));
    assert_planned(f, 1, STR("2026a"));
    zones_planned_put(f->db, STR("pass 2"));
    zones_planned_put(f->db, STR("pass 3"));
    zones_planned_end(f->db, STR("pass 2"), STR("2026a"));
    assert_planned(f, 1, STR("pass 3"));
    zones_planned_drop(f->db);
    zones_planned_end(f->db, STR("pass 3"), STR("2026a"));
    assert_planned(f, 0, STR(""));
}

static void every_statement_was_run(void **state)
{
    assert_every_statement_ran(*state, "src/store/zones.c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(every_field_of_a_zone_has_its_column),
        STORE_TEST(a_namespace_has_a_zone_once),
        STORE_TEST(the_zones_of_a_namespace_are_ordered_by_name),
        STORE_TEST(due_midnights_are_ordered_by_time_and_can_be_moved),
        STORE_TEST(the_zone_version_of_the_plans_is_stored_once_or_not_at_all),
        STORE_TEST(only_the_last_pass_ends_the_planning),
        cmocka_unit_test(every_statement_was_run),
    };

    return RUN_STORE_TESTS(tests);
}
