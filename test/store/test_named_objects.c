/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables namespaces, queues, gates and calendars on both databases.
 */
#include <inttypes.h>

#include "rows.h"

#include "store/named_objects.h"

static int64_t make_namespace(struct fixture *f, int64_t id, struct str name)
{
    struct db_result got = {.changed = -1};

    namespaces_insert(f->db, id, name, DAY_ONE + 1, &got);
    flush(f);
    return got.changed;
}

static void a_namespace_is_made_once_and_found_by_name(void **state)
{
    struct fixture *f = *state;
    struct db_result found, upper, nobody;

    assert_int_equal(make_namespace(f, 7, STR("\xC3\xA9quipe")), 1);
    assert_int_column(f, "namespaces", "id", 7);
    assert_text_column(f, "namespaces", "name", STR("\xC3\xA9quipe"));
    assert_text_column(f, "namespaces", "settings", STR(""));
    assert_int_column(f, "namespaces", "created_at", DAY_ONE + 1);
    assert_int_equal(make_namespace(f, 8, STR("\xC3\xA9quipe")), 0);
    assert_int_equal(make_namespace(f, 7, STR("other")), 0);
    assert_int_equal(make_namespace(f, 9, STR("\xC3\xA9QUIPE")), 1);
    namespaces_find(f->db, STR("\xC3\xA9quipe"), &found);
    namespaces_find(f->db, STR("\xC3\xA9QUIPE"), &upper);
    namespaces_find(f->db, STR("other"), &nobody);
    flush(f);
    assert_ids(&found, "7");
    assert_ids(&upper, "9");
    assert_ids(&nobody, "");
}

static struct namespace_row read_namespace(struct fixture *f, int64_t id)
{
    struct namespace_row row;
    struct db_result got;

    namespaces_get(f->db, id, &got);
    flush(f);
    assert_int_equal(got.rows, 1);
    namespaces_read(&got, 0, &row);
    return row;
}

static void a_namespace_keeps_its_settings(void **state)
{
    struct fixture *f = *state;
    struct namespace_row row;
    struct db_result nobody;

    assert_int_equal(make_namespace(f, 7, STR("one")), 1);
    assert_int_equal(make_namespace(f, 8, STR("two")), 1);
    namespaces_set(f->db, 7, STR("{\"sign\":\"\xC3\xA9\"}"));
    row = read_namespace(f, 7);
    assert_int_equal(row.id, 7);
    assert_str_equal(row.name, STR("one"));
    assert_str_equal(row.settings, STR("{\"sign\":\"\xC3\xA9\"}"));
    assert_int_equal(row.created_at, DAY_ONE + 1);
    assert_str_equal(read_namespace(f, 8).settings, STR(""));
    namespaces_set(f->db, 7, STR(""));
    assert_str_equal(read_namespace(f, 7).settings, STR(""));
    namespaces_get(f->db, 9, &nobody);
    flush(f);
    assert_int_equal(nobody.rows, 0);
}

/* In byte order, regardless of the server's locale. */
static void namespaces_are_listed_by_name(void **state)
{
    struct fixture *f = *state;
    struct db_result all, some, rest, none;
    struct namespace_row row;

    assert_int_equal(make_namespace(f, 1, STR("b")), 1);
    assert_int_equal(make_namespace(f, 2, STR("\xC3\xA9")), 1);
    assert_int_equal(make_namespace(f, 3, STR("a")), 1);
    assert_int_equal(make_namespace(f, 4, STR("B")), 1);
    namespaces_set(f->db, 3, STR("{}"));
    namespaces_list(f->db, STR(""), 10, &all);
    namespaces_list(f->db, STR(""), 2, &some);
    namespaces_list(f->db, STR("a"), 10, &rest);
    namespaces_list(f->db, STR("\xC3\xA9"), 10, &none);
    flush(f);
    assert_ids(&all, "4 3 1 2");
    assert_ids(&some, "4 3");
    assert_ids(&rest, "1 2");
    assert_ids(&none, "");
    namespaces_read(&all, 1, &row);
    assert_str_equal(row.settings, STR("{}"));
}

static void a_queue_is_made_once_and_found_by_name(void **state)
{
    struct fixture *f = *state;
    struct db_result first, second, nobody;

    queues_insert(f->db, 11, 2, STR("mail"));
    flush(f);
    assert_int_column(f, "queues", "id", 11);
    assert_int_column(f, "queues", "namespace", 2);
    assert_text_column(f, "queues", "name", STR("mail"));
    assert_int_column(f, "queues", "paused", 0);
    assert_int_column(f, "queues", "most", 0);
    queues_insert(f->db, 12, 2, STR("mail"));
    queues_insert(f->db, 13, 3, STR("mail"));
    queues_find(f->db, 2, STR("mail"), &first);
    queues_find(f->db, 3, STR("mail"), &second);
    queues_find(f->db, 2, STR("post"), &nobody);
    flush(f);
    assert_ids(&first, "11");
    assert_ids(&second, "13");
    assert_ids(&nobody, "");
}

static struct queue_row queue_of(struct fixture *f, int64_t id)
{
    struct db_result got;
    struct queue_row row;

    queues_get(f->db, id, &got);
    flush(f);
    assert_int_equal(got.rows, 1);
    queues_read(&got, 0, &row);
    return row;
}

static void queues_are_paused_and_limited_one_by_one(void **state)
{
    struct fixture *f = *state;

    queues_insert(f->db, 1, 1, STR("a"));
    queues_insert(f->db, 2, 1, STR("b"));
    queues_pause(f->db, 1, true);
    queues_limit(f->db, 2, 1000000);
    flush(f);
    assert_true(queue_of(f, 1).is_paused);
    assert_int_equal(queue_of(f, 1).most, 0);
    assert_false(queue_of(f, 2).is_paused);
    assert_int_equal(queue_of(f, 2).most, 1000000);
    queues_pause(f->db, 1, false);
    queues_limit(f->db, 2, 0);
    flush(f);
    assert_false(queue_of(f, 1).is_paused);
    assert_int_equal(queue_of(f, 2).most, 0);
}

/* At most once in ten minutes. */
static void a_poll_of_a_queue_is_recorded(void **state)
{
    struct fixture *f = *state;

    queues_insert(f->db, 1, 1, STR("a"));
    queues_insert(f->db, 2, 1, STR("b"));
    flush(f);
    assert_int_equal(queue_of(f, 1).polled_at, INSTANT_NONE);
    queues_note_poll(f->db, 1, DAY_ONE);
    flush(f);
    assert_int_equal(queue_of(f, 1).polled_at, DAY_ONE);
    assert_int_equal(queue_of(f, 2).polled_at, INSTANT_NONE);
    queues_note_poll(f->db, 1, DAY_ONE + 10 * SPAN_MIN - 1);
    flush(f);
    assert_int_equal(queue_of(f, 1).polled_at, DAY_ONE);
    queues_note_poll(f->db, 1, DAY_ONE + 10 * SPAN_MIN);
    flush(f);
    assert_int_equal(queue_of(f, 1).polled_at, DAY_ONE + 10 * SPAN_MIN);
}

static void queues_that_are_paused_or_limited_are_found_by_key(void **state)
{
    static const char *const names[] = {"e", "d", "c", "b", "a"};
    struct fixture *f = *state;
    struct db_result all, some;
    struct queue_row row;

    for (int i = 0; i < 5; i++)
        queues_insert(f->db, i + 1, 1, str_of(names[i]));
    queues_pause(f->db, 4, true);
    queues_limit(f->db, 4, 3);
    queues_limit(f->db, 2, 7);
    queues_pause(f->db, 5, true);
    queues_pause(f->db, 3, true);
    queues_pause(f->db, 3, false);
    queues_list_restricted(f->db, 10, &all);
    queues_list_restricted(f->db, 2, &some);
    flush(f);
    assert_ids(&all, "2 4 5");
    assert_ids(&some, "2 4");
    queues_read(&all, 0, &row);
    assert_false(row.is_paused);
    assert_int_equal(row.most, 7);
    queues_read(&all, 1, &row);
    assert_true(row.is_paused);
    assert_int_equal(row.most, 3);
}

static void a_queue_is_locked_by_key_or_by_name(void **state)
{
    struct fixture *f = *state;
    struct db_result by_key, by_name, nobody, no_name;
    struct queue_row row;

    queues_insert(f->db, 1, 2, STR("a"));
    queues_insert(f->db, 2, 3, STR("a"));
    queues_limit(f->db, 2, 4);
    flush(f);
    db_begin(f->db);
    queues_lock(f->db, 2, &by_key);
    queues_lock_name(f->db, 3, STR("a"), &by_name);
    queues_lock(f->db, 3, &nobody);
    queues_lock_name(f->db, 4, STR("a"), &no_name);
    OK(db_commit(f->db, f->arena, err));
    assert_ids(&by_key, "2");
    assert_ids(&by_name, "2");
    assert_ids(&nobody, "");
    assert_ids(&no_name, "");
    queues_read(&by_key, 0, &row);
    assert_int_equal(row.most, 4);
    queues_read(&by_name, 0, &row);
    assert_int_equal(row.most, 4);
}

static void queues_of_a_namespace_are_listed_by_name(void **state)
{
    struct fixture *f = *state;
    struct db_result all, some, rest, one, nobody;
    struct queue_row row;

    queues_insert(f->db, 1, 2, STR("b"));
    queues_insert(f->db, 2, 2, STR("a"));
    queues_insert(f->db, 3, 2, STR("B"));
    queues_insert(f->db, 4, 3, STR("c"));
    queues_pause(f->db, 2, true);
    queues_limit(f->db, 2, 9);
    queues_list(f->db, 2, STR(""), 10, &all);
    queues_list(f->db, 2, STR(""), 2, &some);
    queues_list(f->db, 2, STR("a"), 10, &rest);
    queues_get(f->db, 2, &one);
    queues_get(f->db, 5, &nobody);
    flush(f);
    assert_ids(&all, "3 2 1");
    assert_ids(&some, "3 2");
    assert_ids(&rest, "1");
    assert_int_equal(nobody.rows, 0);
    queues_read(&one, 0, &row);
    assert_int_equal(row.id, 2);
    assert_str_equal(row.name, STR("a"));
    assert_true(row.is_paused);
    assert_int_equal(row.most, 9);
    queues_read(&all, 0, &row);
    assert_str_equal(row.name, STR("B"));
    assert_false(row.is_paused);
    assert_int_equal(row.most, 0);
}

static struct gate lock_gate(struct fixture *f, int64_t id)
{
    struct db_result got;
    struct gate gate;

    gates_lock(f->db, id, &got);
    flush(f);
    assert_int_equal(got.rows, 1);
    gates_read(&got, 0, &gate);
    return gate;
}

static void assert_gate(const struct gate *got, int64_t most, int64_t open, int64_t waiting)
{
    assert_int_equal(got->most, most);
    assert_int_equal(got->open, open);
    assert_int_equal(got->waiting, waiting);
}

static void a_gate_is_made_once_and_counts(void **state)
{
    struct fixture *f = *state;
    struct gate gate, other;
    struct db_result first, second, nobody;

    gates_insert(f->db, 21, 2, STR("db"), 4);
    gates_insert(f->db, 22, 2, STR("db"), 5);
    gates_insert(f->db, 23, 3, STR("db"), INT64_MAX);
    gates_find(f->db, 2, STR("db"), &first);
    gates_find(f->db, 3, STR("db"), &second);
    gates_find(f->db, 2, STR("disk"), &nobody);
    flush(f);
    assert_ids(&first, "21");
    assert_ids(&second, "23");
    assert_ids(&nobody, "");
    gate = lock_gate(f, 21);
    assert_gate(&gate, 4, 0, 0);
    gates_update(f->db, &(struct gate){.id = 21, .most = 31, .open = 32, .waiting = 33});
    gate = lock_gate(f, 21);
    assert_int_equal(gate.id, 21);
    assert_gate(&gate, 31, 32, 33);
    other = lock_gate(f, 23);
    assert_gate(&other, INT64_MAX, 0, 0);
    gates_lock(f->db, 24, &nobody);
    flush(f);
    assert_int_equal(nobody.rows, 0);
}

/* A schedule of namespace 2 with these policies. */
static void add_gate_user(struct fixture *f, int64_t id, const char *policies, instant changed)
{
    char sql[512];

    snprintf(sql, sizeof sql,
             "INSERT INTO schedules (id, namespace, version, deleted_at, packed, action, name,"
             " spec, policies, description, dialect, created_at, created_by, updated_at,"
             " updated_by) VALUES (%" PRId64 ", 2, 1, 0, CAST('' AS {blob}), '', 's%" PRId64
             "', '', '%s', '',"
             " 0, 0, '', %" PRId64 ", '')",
             id, id, policies, changed);
    flush(f);
    exec(f->db, sql);
}

static void a_gate_can_be_deleted_when_nothing_uses_it(void **state)
{
    struct fixture *f = *state;
    const struct gate_use all = {2, 0, STR("\"key\":\"db\"")};
    const struct gate_use late = {2, 501, all.policy}, other = {3, 0, all.policy};
    struct db_result users, none, first, second, third;

    gates_insert(f->db, 21, 2, STR("db"), 4);
    add_gate_user(f, 31, "\"key\":\"DB\"", 400);
    gates_users(f->db, &all, 9, &none);
    add_gate_user(f, 32, "\"key\":\"db\"", 500);
    gates_users(f->db, &all, 9, &users);
    gates_delete(f->db, 21, &all, &first); /* a schedule uses it */
    gates_update(f->db, &(struct gate){.id = 21, .most = 4, .waiting = 1});
    gates_delete(f->db, 21, &late, &second); /* a run waits */
    gates_update(f->db, &(struct gate){.id = 21, .most = 4});
    gates_delete(f->db, 21, &late, &third);
    flush(f);
    assert_int_equal(none.rows, 0);
    assert_int_equal(users.rows, 1);
    assert_str_equal(db_at(&users, 0, 0)->bytes, STR("s32"));
    assert_int_equal(first.changed, 0);
    assert_int_equal(second.changed, 0);
    assert_int_equal(third.changed, 1);
    gates_users(f->db, &other, 9, &none);
    gates_users(f->db, &late, 9, &users);
    flush(f);
    assert_int_equal(none.rows + users.rows, 0);
}

static void every_field_of_a_gate_has_its_column(void **state)
{
    struct fixture *f = *state;

    gates_insert(f->db, 21, 22, STR("\xF0\x9F\x9A\xAA"), 23);
    gates_update(f->db, &(struct gate){.id = 21, .most = 23, .open = 24, .waiting = 25});
    flush(f);
    assert_int_column(f, "gates", "id", 21);
    assert_int_column(f, "gates", "namespace", 22);
    assert_text_column(f, "gates", "name", STR("\xF0\x9F\x9A\xAA"));
    assert_int_column(f, "gates", "most", 23);
    assert_int_column(f, "gates", "open", 24);
    assert_int_column(f, "gates", "waiting", 25);
}

static void gates_with_room_have_a_free_place_and_a_waiting_run(void **state)
{
    static const struct gate gates[] = {
        {.id = 5, .most = 2, .open = 1, .waiting = 1},
        {.id = 4, .most = 2, .open = 2, .waiting = 9},
        {.id = 3, .most = 2, .open = 0, .waiting = 0},
        {.id = 2, .most = 2, .open = 3, .waiting = 9},
        {.id = 1, .most = 9, .open = 0, .waiting = 3},
    };
    struct fixture *f = *state;
    struct db_result all, some;
    struct gate gate;

    for (size_t i = 0; i < sizeof gates / sizeof gates[0]; i++) {
        gates_insert(f->db, gates[i].id, gates[i].id, STR("g"), 0);
        gates_update(f->db, &gates[i]);
    }
    gates_with_room(f->db, 10, &all);
    gates_with_room(f->db, 1, &some);
    flush(f);
    assert_ids(&all, "1 5");
    assert_ids(&some, "1");
    gates_read(&all, 1, &gate);
    assert_gate(&gate, 2, 1, 1);
}

static void assert_calendar(struct fixture *f, int64_t namespace, int64_t id, int64_t version,
                            struct str days)
{
    struct db_result got;

    calendars_find(f->db, namespace, STR("holidays"), &got);
    flush(f);
    assert_int_equal(got.rows, 1);
    assert_int_equal(db_int_at(&got, 0, 0), id);
    assert_int_equal(db_int_at(&got, 0, 1), version);
    assert_str_equal(db_blob_at(&got, 0, 2), days);
}

static void a_second_put_of_a_calendar_keeps_the_key_and_raises_the_version(void **state)
{
    struct fixture *f = *state;
    struct str large = big_blob(f);
    struct db_result nobody;

    calendars_put(f->db, 31, 2, STR("holidays"), (struct str){"\0\xFF", 2}, DAY_ONE + 4);
    flush(f);
    assert_int_column(f, "calendars", "id", 31);
    assert_int_column(f, "calendars", "namespace", 2);
    assert_text_column(f, "calendars", "name", STR("holidays"));
    assert_int_column(f, "calendars", "version", 1);
    assert_text_column(f, "calendars", "days", (struct str){"\0\xFF", 2});
    assert_int_column(f, "calendars", "updated_at", DAY_ONE + 4);
    calendars_put(f->db, 32, 2, STR("holidays"), large, DAY_ONE + 5);
    flush(f);
    assert_int_column(f, "calendars", "updated_at", DAY_ONE + 5);
    assert_calendar(f, 2, 31, 2, large);
    calendars_put(f->db, 33, 3, STR("holidays"), (struct str){NULL, 0}, DAY_ONE + 6);
    assert_calendar(f, 3, 33, 1, (struct str){NULL, 0});
    assert_calendar(f, 2, 31, 2, large);
    calendars_find(f->db, 4, STR("holidays"), &nobody);
    flush(f);
    assert_int_equal(nobody.rows, 0);
}

static void gates_of_a_namespace_are_listed_by_name(void **state)
{
    struct fixture *f = *state;
    struct db_result all, some, rest, one, nobody;
    struct gate_row row;

    gates_insert(f->db, 1, 2, STR("b"), 5);
    gates_insert(f->db, 2, 2, STR("a"), 6);
    gates_insert(f->db, 3, 3, STR("a"), 7);
    gates_update(f->db, &(struct gate){.id = 2, .most = 6, .open = 4, .waiting = 3});
    gates_list(f->db, 2, STR(""), 10, &all);
    gates_list(f->db, 2, STR(""), 1, &some);
    gates_list(f->db, 2, STR("a"), 10, &rest);
    gates_get(f->db, 2, STR("a"), &one);
    gates_get(f->db, 4, STR("a"), &nobody);
    flush(f);
    assert_ids(&all, "2 1");
    assert_ids(&some, "2");
    assert_ids(&rest, "1");
    assert_ids(&nobody, "");
    assert_int_equal(one.rows, 1);
    gates_read_row(&one, 0, &row);
    assert_int_equal(row.gate.id, 2);
    assert_int_equal(row.gate.most, 6);
    assert_int_equal(row.gate.open, 4);
    assert_int_equal(row.gate.waiting, 3);
    assert_str_equal(row.name, STR("a"));
}

static void calendars_are_listed_and_deleted(void **state)
{
    struct fixture *f = *state;
    struct db_result all, some, rest, one, gone, again, left;
    struct calendar_row row;

    calendars_put(f->db, 1, 2, STR("b"), (struct str){"\0\1", 2}, DAY_ONE + 1);
    calendars_put(f->db, 2, 2, STR("a"), (struct str){NULL, 0}, DAY_ONE + 2);
    calendars_put(f->db, 3, 2, STR("b"), (struct str){"\0\2", 2}, DAY_ONE + 3);
    calendars_put(f->db, 4, 3, STR("a"), (struct str){NULL, 0}, DAY_ONE + 4);
    calendars_list(f->db, 2, STR(""), 10, &all);
    calendars_list(f->db, 2, STR(""), 1, &some);
    calendars_list(f->db, 2, STR("a"), 10, &rest);
    calendars_get(f->db, 2, STR("b"), &one);
    calendars_delete(f->db, 2, STR("a"), 0, &gone);
    calendars_delete(f->db, 2, STR("a"), 0, &again);
    calendars_list(f->db, 3, STR(""), 10, &left);
    flush(f);
    assert_ids(&all, "1 2"); /* versions */
    assert_ids(&some, "1");
    assert_ids(&rest, "2");
    calendars_read(&one, 0, &row);
    assert_int_equal(row.version, 2);
    assert_str_equal(row.name, STR("b"));
    assert_str_equal(row.days, ((struct str){"\0\2", 2}));
    assert_int_equal(row.updated_at, DAY_ONE + 3);
    assert_int_equal(gone.changed, 1);
    assert_int_equal(again.changed, 0);
    assert_int_equal(left.rows, 1);
}

static void a_calendar_is_changed_only_at_the_expected_version(void **state)
{
    struct fixture *f = *state;
    struct calendar_row row = {1, STR("a"), STR("days"), DAY_ONE + 2};
    struct db_result none, done, late, early, gone;

    calendars_replace(f->db, 2, &row, &none);
    calendars_put(f->db, 1, 2, STR("a"), (struct str){NULL, 0}, DAY_ONE + 1);
    calendars_replace(f->db, 2, &row, &done);
    calendars_replace(f->db, 2, &row, &late);
    flush(f);
    assert_int_equal(none.changed, 0);
    assert_int_equal(done.changed, 1);
    assert_int_equal(late.changed, 0);
    assert_int_column(f, "calendars", "version", 2);
    assert_text_column(f, "calendars", "days", STR("days"));
    assert_int_column(f, "calendars", "updated_at", DAY_ONE + 2);
    calendars_delete(f->db, 2, STR("a"), 1, &early);
    calendars_delete(f->db, 2, STR("a"), 2, &gone);
    flush(f);
    assert_int_equal(early.changed, 0);
    assert_int_equal(gone.changed, 1);
}

static void every_statement_was_run(void **state)
{
    assert_every_statement_ran(*state, "src/store/named_objects.c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(a_namespace_is_made_once_and_found_by_name),
        STORE_TEST(a_namespace_keeps_its_settings),
        STORE_TEST(namespaces_are_listed_by_name),
        STORE_TEST(a_queue_is_made_once_and_found_by_name),
        STORE_TEST(queues_are_paused_and_limited_one_by_one),
        STORE_TEST(a_poll_of_a_queue_is_recorded),
        STORE_TEST(queues_that_are_paused_or_limited_are_found_by_key),
        STORE_TEST(a_queue_is_locked_by_key_or_by_name),
        STORE_TEST(queues_of_a_namespace_are_listed_by_name),
        STORE_TEST(a_gate_is_made_once_and_counts),
        STORE_TEST(a_gate_can_be_deleted_when_nothing_uses_it),
        STORE_TEST(every_field_of_a_gate_has_its_column),
        STORE_TEST(gates_with_room_have_a_free_place_and_a_waiting_run),
        STORE_TEST(a_second_put_of_a_calendar_keeps_the_key_and_raises_the_version),
        STORE_TEST(gates_of_a_namespace_are_listed_by_name),
        STORE_TEST(calendars_are_listed_and_deleted),
        STORE_TEST(a_calendar_is_changed_only_at_the_expected_version),
        cmocka_unit_test(every_statement_was_run),
    };

    return RUN_STORE_TESTS(tests);
}
