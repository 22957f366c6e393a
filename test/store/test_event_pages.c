/* SPDX-License-Identifier: Apache-2.0 */
/* Which nodes have events, and who owns them, on both databases. */
#include "rows.h"

#include "store/event_pages.h"

static void add_node(struct fixture *f, int id, const char *name, int event)
{
    char sql[ASK_MAX];

    snprintf(sql, sizeof sql,
             "INSERT INTO nodes (id, name, boot, turn, lease_until, key_ms, event, started_at,"
             " state) VALUES (%d, '%s', 0, 0, 0, 0, %d, 0, 1)",
             id, name, event);
    exec(f->db, sql);
}

static void add_events(struct fixture *f, int node, int seq, int count)
{
    char sql[ASK_MAX];

    snprintf(sql, sizeof sql, "INSERT INTO events VALUES (%d, %d, %d, 0, CAST('' AS {blob}))",
             node, seq, count);
    exec(f->db, sql);
}

static void assert_node(const struct db_result *rows, int row, struct event_node expected)
{
    struct event_node got;

    event_nodes_read(rows, row, &got);
    assert_int_equal(got.id, expected.id);
    assert_str_equal(got.name, expected.name);
    assert_int_equal(got.oldest, expected.oldest);
    assert_int_equal(got.last, expected.last);
}

static void each_node_has_its_oldest_and_last_event(void **state)
{
    struct fixture *f = *state;
    struct db_result rows;

    add_node(f, 2, "many", 17); /* before its last turn */
    add_node(f, 1, "one", 0);
    add_node(f, 3, "pruned", 9);
    add_node(f, 4, "none", 0);
    add_events(f, 1, 1, 1);
    add_events(f, 2, 11, 7);
    add_events(f, 2, 18, 3);
    add_events(f, 9, 5, 1); /* of no node */
    event_nodes(f->db, &rows);
    flush(f);
    assert_int_equal(rows.rows, 4);
    assert_node(&rows, 0, (struct event_node){1, STR("one"), 1, 1});
    assert_node(&rows, 1, (struct event_node){2, STR("many"), 11, 20});
    assert_node(&rows, 2, (struct event_node){3, STR("pruned"), 10, 9});
    assert_node(&rows, 3, (struct event_node){4, STR("none"), 1, 0});
}

static void the_owner_of_an_event_is_a_schedule_or_a_zone(void **state)
{
    struct fixture *f = *state;
    struct db_result schedule, other, zone, nobody;
    struct event_owner owner;

    exec(f->db, "INSERT INTO namespaces (id, name, created_at) VALUES (7, 'acme', 0)");
    exec(f->db,
         "INSERT INTO schedules (id, namespace, version, deleted_at, packed, action, name,"
         " spec, policies, description, dialect, created_at, created_by, updated_at,"
         " updated_by, extra) VALUES (5, 7, 0, 10, CAST('' AS {blob}), '', 'gone', '', '', '',"
         " 3, 0, '', 0, '', '[1]')");
    exec(f->db, "INSERT INTO zones VALUES (6, 8, 'Asia/Tokyo', 0)");
    event_owners_get(f->db, 5, 3, &schedule);
    event_owners_get(f->db, 5, 2, &other);
    event_owners_get(f->db, 6, 0, &nobody);
    event_owners_get_zone(f->db, 6, &zone);
    flush(f);
    assert_int_equal(nobody.rows, 0);
    event_owners_read(&schedule, &owner);
    assert_int_equal(owner.id, 5);
    assert_int_equal(owner.namespace, 7);
    assert_str_equal(owner.name, STR("gone"));
    assert_str_equal(owner.namespace_name, STR("acme"));
    assert_int_equal(owner.dialect, 3);
    assert_str_equal(owner.extra, STR("[1]"));
    assert_true(owner.is_deleted);
    event_owners_read(&other, &owner);
    assert_int_equal(owner.dialect, 3);
    assert_int_equal(owner.extra.len, 0); /* of another dialect than requested */
    event_owners_read(&zone, &owner);
    assert_int_equal(owner.id, 6);
    assert_int_equal(owner.namespace, 8);
    assert_str_equal(owner.name, STR("Asia/Tokyo"));
    assert_int_equal(owner.namespace_name.len, 0);
    assert_int_equal(owner.dialect, -1);
    assert_false(owner.is_deleted);
}

static void every_statement_was_run(void **state)
{
    assert_every_statement_ran(*state, "src/store/event_pages.c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(each_node_has_its_oldest_and_last_event),
        STORE_TEST(the_owner_of_an_event_is_a_schedule_or_a_zone),
        cmocka_unit_test(every_statement_was_run),
    };

    return RUN_STORE_TESTS(tests);
}
