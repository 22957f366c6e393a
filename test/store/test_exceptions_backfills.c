/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tables exceptions, backfills and stops on both databases.
 */
#include "rows.h"

#include "store/exceptions_backfills.h"

static int64_t except(struct fixture *f, int64_t schedule, instant slot)
{
    struct db_result got = {.changed = -1};

    exceptions_insert(f->db, schedule, slot, DAY_ONE + 3, STR("\xC3\xA9va"), &got);
    flush(f);
    return got.changed;
}

static void assert_exceptions(struct fixture *f, int64_t schedule, const char *expected)
{
    struct db_result got;

    exceptions_of(f->db, schedule, INSTANT_NONE, 100, &got);
    flush(f);
    assert_ids(&got, expected);
}

static void every_field_of_an_exception_has_its_column(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(except(f, 1, 2), 1);
    assert_int_column(f, "exceptions", "schedule", 1);
    assert_int_column(f, "exceptions", "slot", 2);
    assert_int_column(f, "exceptions", "created_at", DAY_ONE + 3);
    assert_text_column(f, "exceptions", "created_by", STR("\xC3\xA9va"));
}

static void a_slot_is_cancelled_once_and_can_be_restored(void **state)
{
    struct fixture *f = *state;
    struct db_result first = {.changed = -1}, second = {.changed = -1};

    assert_int_equal(except(f, 1, 100), 1);
    assert_int_equal(except(f, 1, 100), 0);
    assert_int_equal(except(f, 2, 100), 1);
    exceptions_delete(f->db, 1, 100, &first);
    exceptions_delete(f->db, 1, 100, &second);
    flush(f);
    assert_int_equal(first.changed, 1);
    assert_int_equal(second.changed, 0);
    assert_exceptions(f, 1, "");
    assert_exceptions(f, 2, "100");
}

static void exceptions_are_read_in_order_and_deleted_up_to_an_instant(void **state)
{
    static const instant slots[] = {300, 100, INSTANT_NEVER, 200, -5};
    struct fixture *f = *state;
    struct db_result some, after;

    for (size_t i = 0; i < sizeof slots / sizeof slots[0]; i++)
        assert_int_equal(except(f, 1, slots[i]), 1);
    assert_int_equal(except(f, 2, 100), 1);
    exceptions_of(f->db, 1, INSTANT_NONE, 2, &some);
    exceptions_of(f->db, 1, 100, 2, &after);
    flush(f);
    assert_ids(&some, "-5 100");
    assert_ids(&after, "200 300");
    exceptions_forget(f->db, 1, 200);
    assert_exceptions(f, 1, "300 9223372036854775807");
    assert_exceptions(f, 2, "100");
}

static struct backfill distinct(int64_t id, int64_t schedule)
{
    return (struct backfill){
        .id = id,
        .schedule = schedule,
        .pass = 13,
        .from = 14,
        .until = 15,
        .mark = 16,
        .overlap = 17,
        .requested = 18,
        .created_at = DAY_ONE + 19,
        .created_by = STR("fay"),
        .stage = BACKFILL_FILLED,
        .flags = BACKFILL_STOPPED,
        .slots = 20,
        .begun = 21,
        .skipped = 22,
        .withdrawn = 23,
        .cancelled = 24,
        .succeeded = 25,
        .failed = 26,
        .ended_at = DAY_ONE + 27,
        .namespace = 28,
    };
}

static void assert_backfill(const struct backfill *got, const struct backfill *expected)
{
    assert_int_equal(got->id, expected->id);
    assert_int_equal(got->schedule, expected->schedule);
    assert_int_equal(got->pass, expected->pass);
    assert_int_equal(got->from, expected->from);
    assert_int_equal(got->until, expected->until);
    assert_int_equal(got->mark, expected->mark);
    assert_int_equal(got->overlap, expected->overlap);
    assert_int_equal(got->requested, expected->requested);
    assert_int_equal(got->stage, expected->stage);
    assert_int_equal(got->flags, expected->flags);
    assert_int_equal(got->slots, expected->slots);
    assert_int_equal(got->begun, expected->begun);
    assert_int_equal(got->skipped, expected->skipped);
    assert_int_equal(got->withdrawn, expected->withdrawn);
    assert_int_equal(got->cancelled, expected->cancelled);
    assert_int_equal(got->succeeded, expected->succeeded);
    assert_int_equal(got->failed, expected->failed);
    assert_int_equal(got->ended_at, expected->ended_at);
    assert_int_equal(got->namespace, expected->namespace);
    assert_int_equal(got->created_at, expected->created_at);
    assert_str_equal(got->created_by, expected->created_by);
}

static struct backfill first_of(struct fixture *f, int64_t schedule)
{
    struct db_result got;
    struct backfill b;

    backfills_of(f->db, schedule, 1, &got);
    flush(f);
    assert_int_equal(got.rows, 1);
    backfills_read(&got, 0, &b);
    return b;
}

static void every_field_of_a_backfill_has_its_column(void **state)
{
    struct fixture *f = *state;
    struct backfill b = distinct(11, 12), back;

    backfills_insert(f->db, &b);
    back = first_of(f, 12);
    assert_backfill(&back, &b);
    assert_int_column(f, "backfills", "id", 11);
    assert_int_column(f, "backfills", "schedule", 12);
    assert_int_column(f, "backfills", "pass", 13);
    assert_int_column(f, "backfills", "from_at", 14);
    assert_int_column(f, "backfills", "until_at", 15);
    assert_int_column(f, "backfills", "mark", 16);
    assert_int_column(f, "backfills", "overlap", 17);
    assert_int_column(f, "backfills", "started", 18);
    assert_int_column(f, "backfills", "created_at", DAY_ONE + 19);
    assert_text_column(f, "backfills", "created_by", STR("fay"));
    assert_int_column(f, "backfills", "stage", 1);
    assert_int_column(f, "backfills", "flags", 8);
    assert_int_column(f, "backfills", "slots", 20);
    assert_int_column(f, "backfills", "begun", 21);
    assert_int_column(f, "backfills", "skipped", 22);
    assert_int_column(f, "backfills", "withdrawn", 23);
    assert_int_column(f, "backfills", "cancelled", 24);
    assert_int_column(f, "backfills", "succeeded", 25);
    assert_int_column(f, "backfills", "failed", 26);
    assert_int_column(f, "backfills", "ended_at", DAY_ONE + 27);
}

static void extreme_values_of_a_backfill_are_stored_exactly(void **state)
{
    struct fixture *f = *state;
    struct backfill b = {.id = INT64_MAX,
                         .schedule = INT64_MIN,
                         .from = INSTANT_NONE,
                         .until = INSTANT_NEVER,
                         .mark = INSTANT_NONE,
                         .requested = INT64_MAX};
    struct backfill back;

    backfills_insert(f->db, &b);
    back = first_of(f, INT64_MIN);
    assert_backfill(&back, &b);
}

static void an_update_changes_only_its_own_backfill(void **state)
{
    struct fixture *f = *state;
    struct backfill one = distinct(1, 5), two = distinct(2, 6), moved = distinct(1, 5), back;

    backfills_insert(f->db, &one);
    backfills_insert(f->db, &two);
    moved.mark = 90;
    moved.requested = 91;
    moved.stage = BACKFILL_ENDED;
    moved.flags = BACKFILL_EXPIRED;
    moved.begun = 92;
    moved.skipped = 93;
    moved.withdrawn = 94;
    moved.cancelled = 95;
    moved.succeeded = 96;
    moved.failed = 97;
    moved.ended_at = 98;
    backfills_update(f->db, &moved);
    back = first_of(f, 5);
    assert_backfill(&back, &moved);
    back = first_of(f, 6);
    assert_backfill(&back, &two);
}

static void backfills_are_read_in_order_of_creation_and_deleted(void **state)
{
    static const int64_t keys[] = {4, 1, 3, 2};
    struct fixture *f = *state;
    struct db_result all, some;
    struct backfill other = distinct(9, 6);

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        struct backfill b = distinct(keys[i], 5);

        backfills_insert(f->db, &b);
    }
    backfills_insert(f->db, &other);
    backfills_of(f->db, 5, 3, &some);
    backfills_find(f->db, 6, 13, &all);
    flush(f);
    assert_ids(&some, "1 2 3");
    assert_ids(&all, "9");
    backfills_delete_all(f->db, 5);
    backfills_of(f->db, 5, 100, &all);
    backfills_of(f->db, 6, 100, &some);
    flush(f);
    assert_ids(&all, "");
    assert_ids(&some, "9");
}

static void the_newest_backfills_that_have_ended_are_kept(void **state)
{
    struct fixture *f = *state;
    struct db_result all, other;

    for (int64_t key = 1; key <= 6; key++) {
        struct backfill b = distinct(key, key == 6 ? 7 : 5);

        b.stage = key == 2 ? BACKFILL_FILLING : BACKFILL_ENDED;
        backfills_insert(f->db, &b);
    }
    backfills_forget(f->db, 5, 2);
    backfills_of(f->db, 5, 100, &all);
    backfills_of(f->db, 7, 100, &other);
    flush(f);
    assert_ids(&all, "2 4 5");
    assert_ids(&other, "6");
}

/* Keys 1 to 6; 2 and 4 are running, and 6 belongs to another namespace. */
static void the_backfills_of_a_namespace_are_listed_newest_first(void **state)
{
    struct fixture *f = *state;
    struct backfill_page page = {.namespace = 8, .before = INT64_MAX, .limit = 10};
    struct db_result running, ended, some;

    for (int64_t key = 1; key <= 6; key++) {
        struct backfill b = distinct(key, 5);

        b.namespace = key == 6 ? 9 : 8;
        b.stage = key == 2 ? BACKFILL_FILLING : key == 4 ? BACKFILL_FILLED : BACKFILL_ENDED;
        backfills_insert(f->db, &b);
    }
    backfills_list(f->db, &page, &running);
    page.is_ended = true;
    backfills_list(f->db, &page, &ended);
    page.before = 5;
    page.limit = 1;
    backfills_list(f->db, &page, &some);
    flush(f);
    assert_ids(&running, "4 2");
    assert_ids(&ended, "5 3 1");
    assert_ids(&some, "3");
    assert_int_equal(backfills_read_name(&some, 0).len, 0); /* it has no schedule */
}

static void a_node_takes_its_stops_once(void **state)
{
    struct fixture *f = *state;
    struct db_result some, rest, none, other;
    struct node_stop back;

    for (int64_t id = 1; id <= 3; id++)
        stops_insert(f->db, &(struct node_stop){id, 7, 100 + id, 200 + id, 300 + id, 400 + id});
    stops_insert(f->db, &(struct node_stop){.id = 4, .node = 8});
    stops_take(f->db, 7, 2, &some);
    stops_take(f->db, 7, 2, &rest);
    stops_take(f->db, 7, 2, &none);
    stops_take(f->db, 8, 2, &other);
    flush(f);
    assert_int_equal(some.rows, 2);
    assert_ids(&rest, "3");
    assert_ids(&none, "");
    assert_ids(&other, "4");
    stops_read(&rest, 0, &back);
    assert_int_equal(back.node, 7);
    assert_int_equal(back.schedule, 103);
    assert_int_equal(back.pass, 203);
    assert_int_equal(back.fence, 303);
    assert_int_equal(back.slot, 403);
}

static void every_statement_was_run(void **state)
{
    assert_every_statement_ran(*state, "src/store/exceptions_backfills.c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(every_field_of_an_exception_has_its_column),
        STORE_TEST(a_slot_is_cancelled_once_and_can_be_restored),
        STORE_TEST(exceptions_are_read_in_order_and_deleted_up_to_an_instant),
        STORE_TEST(every_field_of_a_backfill_has_its_column),
        STORE_TEST(extreme_values_of_a_backfill_are_stored_exactly),
        STORE_TEST(an_update_changes_only_its_own_backfill),
        STORE_TEST(backfills_are_read_in_order_of_creation_and_deleted),
        STORE_TEST(the_newest_backfills_that_have_ended_are_kept),
        STORE_TEST(the_backfills_of_a_namespace_are_listed_newest_first),
        STORE_TEST(a_node_takes_its_stops_once),
        cmocka_unit_test(every_statement_was_run),
    };

    return RUN_STORE_TESTS(tests);
}
