/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table cursors on both databases: every column, what is due and in which order.
 */
#include "rows.h"

#include <assert.h>

#include "store/cursors.h"

/* A cursor is integers only, so that it can be filled, and compared, as a whole. */
enum { FIELDS = sizeof(struct cursor) / sizeof(int64_t) };
static_assert(sizeof(struct cursor) == 35 * sizeof(int64_t), "all fields are int64");

static struct cursor distinct(int64_t id, int64_t base)
{
    int64_t v[FIELDS];
    struct cursor c;

    for (int i = 0; i < FIELDS; i++)
        v[i] = base + i;
    memcpy(&c, v, sizeof c);
    c.id = id;
    c.flags = CURSOR_PAUSED | CURSOR_FULL;
    c.tail = 4 * 256 + 7;
    c.source = 5;
    c.last_outcome = 13;
    return c;
}

static struct cursor extreme(int64_t id, int64_t value)
{
    struct cursor c;
    int64_t v[FIELDS];

    for (int i = 0; i < FIELDS; i++)
        v[i] = value;
    memcpy(&c, v, sizeof c);
    c.id = id;
    c.flags = (1 << 16) - 1;
    c.tail = (1 << 16) - 1;
    c.source = 255;
    c.last_outcome = 255;
    return c;
}

static void add(struct fixture *f, int64_t id, instant wake_at)
{
    struct cursor c = distinct(id, 100);

    c.wake_at = wake_at;
    cursors_insert(f->db, &c);
    flush(f);
}

static struct cursor read_one(struct fixture *f, int64_t id)
{
    struct db_result got;
    struct cursor c;

    cursors_peek(f->db, id, &got);
    flush(f);
    assert_int_equal(got.rows, 1);
    cursors_read(&got, 0, &c);
    return c;
}

static void assert_cursor(const struct cursor *got, const struct cursor *expected)
{
    assert_memory_equal(got, expected, sizeof *got);
}

static void every_field_has_its_column(void **state)
{
    struct fixture *f = *state;
    struct cursor c = distinct(41, 7000);
    const struct {
        const char *name;
        int64_t value;
    } columns[] = {
        {"id", c.id},
        {"wake_at", c.wake_at},
        {"mark", c.mark},
        {"next_at", c.next_at},
        {"version", c.version},
        {"bits", c.flags + c.tail * 65536 + c.source * (INT64_C(1) << 32) +
                     c.last_outcome * (INT64_C(1) << 40)},
        {"paused_until", c.paused_until},
        {"open", c.open},
        {"waiting", c.waiting},
        {"failures", c.failures},
        {"remaining", c.remaining},
        {"pass", c.pass},
        {"backfills", c.backfills},
        {"last_slot", c.last_slot},
        {"last_start", c.last_start},
        {"last_end", c.last_end},
        {"active_at", c.active_at},
        {"hint_interval", c.hint_interval},
        {"hint_at", c.hint_at},
        {"hint_expires", c.hint_expires},
        {"started", c.started},
        {"skipped", c.skipped},
        {"missed", c.missed},
        {"dropped", c.dropped},
        {"cancelled", c.cancelled},
        {"succeeded", c.succeeded},
        {"failed", c.failed},
        {"last_held", c.last_held},
        {"unstarted", c.unstarted},
        {"last_ok", c.last_ok},
        {"last_late", c.last_late},
        {"recent", c.recent},
    };
    struct cursor back;

    cursors_insert(f->db, &c);
    flush(f);
    for (size_t i = 0; i < sizeof columns / sizeof columns[0]; i++)
        assert_int_column(f, "cursors", columns[i].name, columns[i].value);
    back = read_one(f, 41);
    assert_cursor(&back, &c);
}

static void an_update_writes_every_field_of_its_own_row_only(void **state)
{
    struct fixture *f = *state;
    struct cursor one = distinct(1, 1000), two = distinct(2, 2000), changed = distinct(1, 5000);
    struct cursor back;

    changed.flags = CURSOR_CLOSED;
    changed.tail = 3;
    changed.source = 1;
    changed.last_outcome = 10;
    cursors_insert(f->db, &one);
    cursors_insert(f->db, &two);
    cursors_update(f->db, &changed);
    flush(f);
    back = read_one(f, 1);
    assert_cursor(&back, &changed);
    back = read_one(f, 2);
    assert_cursor(&back, &two);
}

/* Changes 1 field, then 2 adjacent fields, and so on up to all of them. */
static void a_change_writes_every_changed_field(void **state)
{
    struct fixture *f = *state;
    struct cursor one = distinct(1, 1000), other = distinct(1, 5000), two = distinct(2, 2000);
    size_t fields = sizeof(struct cursor) / sizeof(int64_t);

    other.flags = CURSOR_CLOSED;
    other.tail = 3;
    other.source = 1;
    other.last_outcome = 10;
    cursors_insert(f->db, &one);
    cursors_insert(f->db, &two);
    for (size_t width = 1; width <= fields; width++) {
        for (size_t i = 1; i < fields; i++) {
            struct cursor was = read_one(f, 1), now = was, back;

            for (size_t k = i; k < fields && k < i + width; k++)
                ((int64_t *)&now)[k] = ((int64_t *)&was)[k] == ((int64_t *)&one)[k]
                                           ? ((int64_t *)&other)[k]
                                           : ((int64_t *)&one)[k];
            cursors_change(f->db, &was, &now);
            flush(f);
            back = read_one(f, 1);
            assert_cursor(&back, &now);
        }
    }
    one = read_one(f, 2);
    assert_cursor(&one, &two);
}

static void a_plain_start_and_a_plain_end_are_written(void **state)
{
    struct fixture *f = *state;
    struct cursor was = distinct(1, 1000), now = was, back;

    cursors_insert(f->db, &was);
    now.wake_at++, now.mark++, now.next_at++, now.open++, now.tail = 0;
    now.last_slot++, now.last_start++, now.active_at++, now.started++;
    cursors_change(f->db, &was, &now);
    flush(f);
    back = read_one(f, 1);
    assert_cursor(&back, &now);
    was = now;
    now.open--, now.last_end++, now.failures = 0, now.succeeded++, now.last_outcome = 11;
    now.last_ok++, now.last_late++, now.recent++;
    cursors_change(f->db, &was, &now);
    flush(f);
    back = read_one(f, 1);
    assert_cursor(&back, &now);
}

static void extreme_values_are_stored_exactly(void **state)
{
    struct fixture *f = *state;
    struct cursor never = extreme(INT64_MAX, INSTANT_NEVER), none = extreme(1, INSTANT_NONE);
    struct cursor back;

    cursors_insert(f->db, &never);
    cursors_insert(f->db, &none);
    flush(f);
    back = read_one(f, INT64_MAX);
    assert_cursor(&back, &never);
    back = read_one(f, 1);
    assert_cursor(&back, &none);
}

static void due_cursors_are_ordered_by_wake_time_and_key(void **state)
{
    struct fixture *f = *state;
    struct db_result all, some, none, far;

    add(f, 9, 100);
    add(f, 2, 300);
    add(f, 5, 200);
    add(f, 3, 200);
    add(f, 4, 301);
    add(f, 6, 99);
    add(f, 7, INSTANT_NEVER);
    cursors_due(f->db, 100, 300, 10, &all);
    cursors_due(f->db, 100, 300, 2, &some);
    cursors_due(f->db, 101, 199, 10, &none);
    cursors_due(f->db, INSTANT_NONE, 99, 10, &far);
    flush(f);
    assert_ids(&all, "9 3 5 2");
    assert_ids(&some, "9 3");
    assert_ids(&none, "");
    assert_ids(&far, "6");
}

static void due_and_locked_cursors_have_every_field(void **state)
{
    struct fixture *f = *state;
    struct cursor c = distinct(8, 900), back;
    struct db_result due, locked;

    cursors_insert(f->db, &c);
    cursors_due(f->db, c.wake_at, c.wake_at, 1, &due);
    cursors_lock(f->db, 8, &locked);
    flush(f);
    assert_int_equal(due.rows, 1);
    cursors_read(&due, 0, &back);
    assert_cursor(&back, &c);
    assert_int_equal(locked.rows, 1);
    cursors_read(&locked, 0, &back);
    assert_cursor(&back, &c);
}

static void a_cursor_that_is_deleted_is_not_found(void **state)
{
    struct fixture *f = *state;
    struct db_result locked, peeked, other;

    add(f, 1, 10);
    add(f, 2, 10);
    cursors_delete(f->db, 1);
    cursors_lock(f->db, 1, &locked);
    cursors_peek(f->db, 1, &peeked);
    cursors_peek(f->db, 2, &other);
    flush(f);
    assert_int_equal(locked.rows, 0);
    assert_int_equal(peeked.rows, 0);
    assert_int_equal(other.rows, 1);
}

static void the_next_wake_is_the_first_after_an_instant(void **state)
{
    struct fixture *f = *state;
    struct db_result first, second, never, none;

    add(f, 1, 200);
    add(f, 2, 100);
    add(f, 3, 100);
    add(f, 4, INSTANT_NEVER);
    cursors_next_wake(f->db, INSTANT_NONE, &first);
    cursors_next_wake(f->db, 100, &second);
    cursors_next_wake(f->db, 200, &never);
    cursors_next_wake(f->db, INSTANT_NEVER, &none);
    flush(f);
    assert_ids(&first, "100");
    assert_ids(&second, "200");
    assert_ids(&never, "9223372036854775807");
    assert_ids(&none, "");
}

static void keys_of_cursors_are_listed_in_batches(void **state)
{
    struct fixture *f = *state;
    struct db_result first, rest, none;

    add(f, 30, 500);
    add(f, 10, INSTANT_NEVER);
    add(f, 20, 50);
    cursors_list_keys(f->db, INT64_MIN, 2, &first);
    cursors_list_keys(f->db, 20, 2, &rest);
    cursors_list_keys(f->db, 30, 2, &none);
    flush(f);
    assert_ids(&first, "10 20");
    assert_ids(&rest, "30");
    assert_ids(&none, "");
}

static void every_statement_was_run(void **state)
{
    assert_every_statement_ran(*state, "src/store/cursors.c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(every_field_has_its_column),
        STORE_TEST(an_update_writes_every_field_of_its_own_row_only),
        STORE_TEST(a_change_writes_every_changed_field),
        STORE_TEST(a_plain_start_and_a_plain_end_are_written),
        STORE_TEST(extreme_values_are_stored_exactly),
        STORE_TEST(due_cursors_are_ordered_by_wake_time_and_key),
        STORE_TEST(due_and_locked_cursors_have_every_field),
        STORE_TEST(a_cursor_that_is_deleted_is_not_found),
        STORE_TEST(the_next_wake_is_the_first_after_an_instant),
        STORE_TEST(keys_of_cursors_are_listed_in_batches),
        cmocka_unit_test(every_statement_was_run),
    };

    return RUN_STORE_TESTS(tests);
}
