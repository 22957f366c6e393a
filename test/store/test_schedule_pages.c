/* SPDX-License-Identifier: Apache-2.0 */
/* Pages of schedules in all orders, on both databases. */
#include "rows.h"

#include "store/cursors.h"
#include "store/schedule_pages.h"
#include "store/schedules.h"
#include "store/views.h"

enum { WRITERS = 2 }; /* statements that wrote schedules and cursors */

static void add(struct fixture *f, int64_t id, int64_t namespace, const char *name,
                instant updated_at)
{
    struct schedule_row row = {.id = id,
                               .namespace = namespace,
                               .name = str_of(name),
                               .packed = STR("x"),
                               .updated_at = updated_at};

    schedules_insert(f->db, &row, NULL);
    cursors_insert(f->db, &(struct cursor){.id = id, .version = id + 100});
    flush(f);
}

/* A deleted schedule and others of namespace 3 lie between those of namespace 2. */
static void add_all(struct fixture *f)
{
    struct schedule_row gone = {
        .id = 15, .namespace = 2, .name = STR("aa"), .packed = STR("x"), .deleted_at = DAY_ONE};

    add(f, 10, 2, "b", 7);
    add(f, 11, 2, "\xF4\x8F\xBF\xBF", 9);
    add(f, 12, 3, "a", 8);
    add(f, 13, 2, "a", 7);
    add(f, 14, 2, "B", INSTANT_MAX);
    schedules_insert(f->db, &gone, NULL);
    add(f, 16, 3, "c", 7);
    flush(f);
}

static void assert_page(struct fixture *f, enum schedule_order order, bool is_descending,
                        const struct schedule_position *place, const char *expected)
{
    struct schedule_batch batch = {
        .namespace = 2, .order = order, .is_descending = is_descending, .limit = 3};
    struct db_result got;

    batch.after = place ? *place : schedule_position_begin(is_descending);
    schedule_pages_read(f->db, &batch, &got);
    flush(f);
    assert_ids(&got, expected);
}

static void schedules_of_a_dialect_without_a_flag_are_counted(void **state)
{
    struct fixture *f = *state;
    struct schedule_row other = {
        .id = 20, .namespace = 2, .name = STR("other"), .packed = STR("x"), .dialect = 3};
    struct db_result all, none, shut;

    add_all(f);
    schedules_insert(f->db, &other, NULL);
    cursors_insert(f->db, &(struct cursor){.id = 20, .flags = CURSOR_CLOSED | CURSOR_PAUSED});
    flush(f);
    schedule_pages_count(f->db, 2, 0, CURSOR_CLOSED, &all);
    schedule_pages_count(f->db, 2, 3, CURSOR_FULL, &shut);
    schedule_pages_count(f->db, 2, 3, CURSOR_CLOSED, &none);
    flush(f);
    assert_int_equal(db_int_at(&all, 0, 0), 4);
    assert_int_equal(db_int_at(&shut, 0, 0), 1);
    assert_int_equal(db_int_at(&none, 0, 0), 0);
}

static void deleted_schedules_are_not_found_by_key(void **state)
{
    static const int64_t keys[] = {13, 15, 10, 99};
    struct fixture *f = *state;
    struct db_result got;

    add_all(f);
    cursors_insert(f->db, &(struct cursor){.id = 15});
    schedule_pages_keys(f->db, keys, 4, &got);
    flush(f);
    assert_int_equal(got.rows, 2);
    assert_int_equal(db_int_at(&got, 0, 0) + db_int_at(&got, 1, 0), 10 + 13);
}

static void names_are_in_byte_order(void **state)
{
    struct fixture *f = *state;

    add_all(f);
    assert_page(f, ORDER_NAME, false, NULL, "14 13 10");
    assert_page(f, ORDER_NAME, false, &(struct schedule_position){.name = STR("a")}, "10 11");
    assert_page(f, ORDER_NAME, true, NULL, "11 10 13");
    assert_page(f, ORDER_NAME, true, &(struct schedule_position){.name = STR("b")}, "13 14");
}

static void changes_at_one_instant_are_in_the_order_of_keys(void **state)
{
    struct fixture *f = *state;

    add_all(f);
    assert_page(f, ORDER_UPDATED, false, NULL, "10 13 11");
    assert_page(f, ORDER_UPDATED, false, &(struct schedule_position){.at = 7, .id = 10},
                "13 11 14");
    assert_page(f, ORDER_UPDATED, true, NULL, "14 11 13");
    assert_page(f, ORDER_UPDATED, true, &(struct schedule_position){.at = 7, .id = 13}, "10");
}

static void assert_end(struct fixture *f, bool is_descending, int64_t after,
                       const char *expected)
{
    struct schedule_batch batch = {
        .is_descending = is_descending, .after = {.id = after}, .limit = 3};
    struct db_result got;

    schedule_pages_end(f->db, &batch, &got);
    flush(f);
    assert_ids(&got, expected);
}

/* Ranges of three keys, of any namespace. */
static void the_order_of_creation_is_read_in_ranges_of_keys(void **state)
{
    struct fixture *f = *state;

    add_all(f);
    assert_page(f, ORDER_CREATED, false, NULL, "10 11");
    assert_page(f, ORDER_CREATED, false, &(struct schedule_position){.id = 12}, "13 14");
    assert_page(f, ORDER_CREATED, false, &(struct schedule_position){.id = 15}, "");
    assert_page(f, ORDER_CREATED, true, NULL, "14");
    assert_page(f, ORDER_CREATED, true, &(struct schedule_position){.id = 14}, "13 11");
    assert_end(f, false, 0, "12");
    assert_end(f, false, 15, "16");
    assert_end(f, false, 16, "");
    assert_end(f, true, INT64_MAX, "14");
    assert_end(f, true, 10, "");
}

static void a_row_is_a_schedule_with_its_cursor(void **state)
{
    struct fixture *f = *state;
    struct schedule_batch batch = {
        .namespace = 2, .after = schedule_position_begin(false), .limit = 3};
    struct schedule_view view;
    struct db_result got;

    add(f, 10, 2, "b", 7);
    schedules_set_hint(f->db, 10, STR("why"));
    schedule_pages_read(f->db, &batch, &got);
    flush(f);
    schedule_views_read(&got, 0, &view);
    assert_str_equal(view.row.name, STR("b"));
    assert_str_equal(view.row.hint_reason, STR("why"));
    assert_int_equal(view.cursor.version, 110);
}

static void every_statement_was_run(void **state)
{
    const struct fixture *f = *state;
    int ran = 0, defined = count_definitions("src/store/schedule_pages.c");

    for (int i = 0; i < DB_SLOTS; i++)
        ran += is_store_statement(f->db->cache[i].stmt) ? 1 : 0;
    assert_int_equal(ran, defined + WRITERS + 1); /* the hint */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(schedules_of_a_dialect_without_a_flag_are_counted),
        STORE_TEST(deleted_schedules_are_not_found_by_key),
        STORE_TEST(names_are_in_byte_order),
        STORE_TEST(changes_at_one_instant_are_in_the_order_of_keys),
        STORE_TEST(the_order_of_creation_is_read_in_ranges_of_keys),
        STORE_TEST(a_row_is_a_schedule_with_its_cursor),
        cmocka_unit_test(every_statement_was_run),
    };

    return RUN_STORE_TESTS(tests);
}
