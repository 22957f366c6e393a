/* SPDX-License-Identifier: Apache-2.0 */
/* Tables events and requests on both databases, and the pruning of all old rows. */
#include "rows.h"

#include "store/events_requests.h"

static void add_event(struct fixture *f, int64_t node, int64_t seq, int64_t count, instant at)
{
    events_insert(f->db, node, seq, count, at, STR("packed"));
    flush(f);
}

static void assert_events(struct fixture *f, int64_t node, int64_t seq, const char *expected)
{
    struct db_result got;

    events_of(f->db, node, seq, 100, &got);
    flush(f);
    assert_ids(&got, expected);
}

static void every_field_of_an_event_has_its_column(void **state)
{
    struct fixture *f = *state;
    struct str body = big_blob(f);
    struct db_result got;

    events_insert(f->db, 3, 4, 5, DAY_ONE + 6, body);
    events_of(f->db, 3, 4, 1, &got);
    flush(f);
    assert_int_column(f, "events", "node", 3);
    assert_int_column(f, "events", "seq", 4);
    assert_int_column(f, "events", "count", 5);
    assert_int_column(f, "events", "at", DAY_ONE + 6);
    assert_text_column(f, "events", "body", body);
    assert_int_equal(got.rows, 1);
    assert_int_equal(db_int_at(&got, 0, 0), 4);
    assert_int_equal(db_int_at(&got, 0, 1), 5);
    assert_int_equal(db_int_at(&got, 0, 2), DAY_ONE + 6);
    assert_str_equal(db_blob_at(&got, 0, 3), body);
}

/* Rows 1-3, 4-5 and 6, nothing up to 99, then 100-101. */
static void events_are_read_from_the_row_that_holds_a_number(void **state)
{
    static const char *const from[] = {
        [0] = "1 4 6 100", [1] = "1 4 6 100", [2] = "1 4 6 100", [3] = "1 4 6 100",
        [4] = "4 6 100",   [5] = "4 6 100",   [6] = "6 100",     [7] = "100",
    };
    struct fixture *f = *state;
    struct db_result some;

    add_event(f, 1, 100, 2, 0);
    add_event(f, 1, 4, 2, 0);
    add_event(f, 1, 1, 3, 0);
    add_event(f, 1, 6, 1, 0);
    add_event(f, 2, 2, 90, 0);
    for (int seq = 0; seq <= 7; seq++)
        assert_events(f, 1, seq, from[seq]);
    assert_events(f, 1, 99, "100");
    assert_events(f, 1, 101, "100");
    assert_events(f, 1, 102, "");
    assert_events(f, 2, 91, "2");
    assert_events(f, 3, 0, "");
    events_of(f->db, 1, 2, 2, &some);
    flush(f);
    assert_ids(&some, "1 4");
}

static void the_last_event_of_a_node_is_found_by_its_name(void **state)
{
    struct fixture *f = *state;
    struct db_result last, single, none, nobody;

    exec(f->db, "INSERT INTO nodes (id, name, boot, turn, lease_until, key_ms, event,"
                " started_at, state) SELECT id, name, 0, 0, 0, 0, 0, 0, 1 FROM (SELECT 1 AS id,"
                " 'a' AS name UNION ALL SELECT 2, 'b' UNION ALL SELECT 3, 'c') AS v");
    add_event(f, 1, 7, 5, 0);
    add_event(f, 1, 1, 6, 0);
    add_event(f, 2, 90, 1, 0);
    events_last(f->db, STR("a"), &last);
    events_last(f->db, STR("b"), &single);
    events_last(f->db, STR("c"), &none);
    events_last(f->db, STR("d"), &nobody);
    flush(f);
    assert_ids(&last, "11");
    assert_ids(&single, "90");
    assert_ids(&none, "");
    assert_ids(&nobody, "");
}

static struct request distinct(struct str name)
{
    return (struct request){
        .namespace = 2,
        .name = name,
        .fingerprint = INT64_MIN,
        .rc = RC_CONFLICT,
        .reply = STR("{\"answer\":\"\xC3\xA9\"}"),
        .expire_at = DAY_ONE + 5,
    };
}

static int64_t insert(struct fixture *f, const struct request *request)
{
    struct db_result got = {.changed = -1};

    requests_insert(f->db, request, &got);
    flush(f);
    return got.changed;
}

static void assert_request(struct fixture *f, const struct request *expected)
{
    struct db_result got;
    struct request back;

    requests_find(f->db, expected->namespace, expected->name, &got);
    flush(f);
    assert_int_equal(got.rows, 1);
    requests_read(&got, 0, &back);
    assert_int_equal(back.namespace, expected->namespace);
    assert_str_equal(back.name, expected->name);
    assert_int_equal(back.fingerprint, expected->fingerprint);
    assert_int_equal(back.rc, expected->rc);
    assert_str_equal(back.reply, expected->reply);
    assert_int_equal(back.expire_at, expected->expire_at);
}

static void every_field_of_a_request_has_its_column(void **state)
{
    struct fixture *f = *state;
    struct request r = distinct(STR("key"));

    assert_int_equal(insert(f, &r), 1);
    assert_int_column(f, "requests", "namespace", 2);
    assert_text_column(f, "requests", "name", STR("key"));
    assert_int_column(f, "requests", "print", INT64_MIN);
    assert_int_column(f, "requests", "rc", RC_CONFLICT);
    assert_text_column(f, "requests", "reply", r.reply);
    assert_int_column(f, "requests", "expire_at", DAY_ONE + 5);
    assert_request(f, &r);
}

static void a_request_key_is_used_once_in_its_namespace(void **state)
{
    struct fixture *f = *state;
    struct request first = distinct(STR("key")), again = distinct(STR("key"));
    struct request elsewhere = {.namespace = 3, .name = STR("key"), .expire_at = INSTANT_NEVER};
    struct db_result nobody;

    again.reply = STR("another");
    assert_int_equal(insert(f, &first), 1);
    assert_int_equal(insert(f, &again), 0);
    assert_int_equal(insert(f, &elsewhere), 1);
    assert_request(f, &first);
    assert_request(f, &elsewhere);
    requests_find(f->db, 3, STR("other"), &nobody);
    flush(f);
    assert_int_equal(nobody.rows, 0);
}

static void a_request_gets_its_reply_or_is_deleted(void **state)
{
    struct fixture *f = *state;
    struct request done = distinct(STR("done")), other = distinct(STR("other"));
    struct db_result nobody;

    done.reply = STR("");
    assert_int_equal(insert(f, &done), 1);
    assert_int_equal(insert(f, &other), 1);
    done.rc = RC_LIMIT;
    done.reply = big_text(f);
    requests_finish(f->db, &done);
    assert_request(f, &done);
    assert_request(f, &other);
    requests_delete(f->db, 2, STR("done"));
    requests_find(f->db, 2, STR("done"), &nobody);
    flush(f);
    assert_int_equal(nobody.rows, 0);
    assert_request(f, &other);
}

#define HISTORY_ROWS                                                                   \
    "INSERT INTO history (id, schedule, slot, pass, attempt, fence, bits, outcome,"    \
    " reason, last, due, created_at, started_at, ended_at, queue, node, expire_at)"    \
    " SELECT id, schedule, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, expire_at FROM (" \
    "SELECT 10 AS id, 1 AS schedule, 500 AS expire_at"                                 \
    " UNION ALL SELECT 20, 1, 900 UNION ALL SELECT 30, 1, 500"                         \
    " UNION ALL SELECT 40, 2, 501 UNION ALL SELECT 50, 2, 100) AS v"

#define LEDGER_ROWS                                                                \
    "INSERT INTO ledger (id, schedule, pass, first, last, count, outcome, reason," \
    " written_at, expire_at)"                                                      \
    " SELECT id, schedule, 0, id, 0, 0, 0, 0, 0, expire_at FROM ("                 \
    "SELECT 10 AS id, 1 AS schedule, 500 AS expire_at"                             \
    " UNION ALL SELECT 20, 1, 900 UNION ALL SELECT 30, 1, 500"                     \
    " UNION ALL SELECT 40, 2, 501 UNION ALL SELECT 50, 3, 100) AS v"

typedef void batch_end_fn(struct db *db, int64_t after, int limit, struct db_result *ret);
typedef void prune_fn(struct db *db, int64_t after, int64_t until, instant now,
                      struct db_result *ret);

static int64_t prune(struct fixture *f, prune_fn *fn, int64_t after, int64_t until)
{
    struct db_result got = {.changed = -1};

    fn(f->db, after, until, 500, &got);
    flush(f);
    return got.changed;
}

static void assert_batch_end(struct fixture *f, batch_end_fn *fn, int64_t after, int limit,
                             const char *expected)
{
    struct db_result got;

    fn(f->db, after, limit, &got);
    flush(f);
    assert_ids(&got, expected);
}

static void history_is_pruned_in_batches_of_rows_read(void **state)
{
    struct fixture *f = *state;
    struct db_result left;

    exec(f->db, HISTORY_ROWS);
    assert_batch_end(f, prune_history_batch_end, 0, 2, "20");
    assert_batch_end(f, prune_history_batch_end, 20, 2, "40");
    assert_batch_end(f, prune_history_batch_end, 40, 2, "50");
    assert_batch_end(f, prune_history_batch_end, 50, 2, "");
    assert_int_equal(prune(f, prune_history, 0, 20), 1);
    assert_int_equal(prune(f, prune_history, 0, 20), 0);
    assert_int_equal(prune(f, prune_history, 20, 40), 1);
    assert_int_equal(prune(f, prune_history, 40, 50), 1);
    left = ask(f, f->db, "SELECT id FROM history ORDER BY id");
    assert_ids(&left, "20 40");
}

static void the_ledger_is_pruned_in_batches_of_rows_read(void **state)
{
    struct fixture *f = *state;
    struct db_result left;

    exec(f->db, LEDGER_ROWS);
    assert_batch_end(f, prune_ledger_batch_end, 0, 2, "20");
    assert_batch_end(f, prune_ledger_batch_end, 20, 2, "40");
    assert_batch_end(f, prune_ledger_batch_end, 40, 2, "50");
    assert_batch_end(f, prune_ledger_batch_end, 50, 2, "");
    assert_int_equal(prune(f, prune_ledger, 0, 20), 1);
    assert_int_equal(prune(f, prune_ledger, 0, 20), 0);
    assert_int_equal(prune(f, prune_ledger, 20, 40), 1);
    assert_int_equal(prune(f, prune_ledger, 40, 50), 1);
    left = ask(f, f->db, "SELECT id FROM ledger ORDER BY id");
    assert_ids(&left, "20 40");
}

static void the_oldest_events_are_pruned_first_in_batches(void **state)
{
    struct fixture *f = *state;

    add_event(f, 1, 1, 1, 100);
    add_event(f, 1, 2, 1, 101);
    add_event(f, 1, 3, 1, 102);
    add_event(f, 1, 4, 1, 103);
    add_event(f, 2, 1, 1, 100);
    prune_events(f->db, 1, 103, 2);
    assert_events(f, 1, 0, "3 4");
    prune_events(f->db, 1, 103, 2);
    assert_events(f, 1, 0, "4");
    prune_events(f->db, 1, 103, 2);
    assert_events(f, 1, 0, "4");
    assert_events(f, 2, 0, "1");
}

/* A node that is up prunes its own events; a node without old events is skipped. */
static void the_old_events_of_a_node_that_is_down_are_found(void **state)
{
    struct fixture *f = *state;
    struct db_result left = {0};

    exec(f->db, "DELETE FROM nodes");
    exec(f->db,
         "INSERT INTO nodes (id, name, boot, turn, lease_until, key_ms, event, started_at,"
         " state, stats, turned_at, skew, version, address) VALUES"
         " (1, 'a', 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, '', ''),"
         " (2, 'b', 1, 1, 1, 1, 1, 1, 2, 1, 1, 0, '', ''),"
         " (3, 'c', 1, 1, 1, 1, 1, 1, 2, 1, 1, 0, '', ''),"
         " (4, 'd', 1, 1, 1, 1, 1, 1, 2, 1, 1, 0, '', '')");
    add_event(f, 1, 1, 1, 100);
    add_event(f, 2, 1, 1, 103);
    add_event(f, 3, 1, 1, 102);
    prune_events_down_node(f->db, 103, &left);
    flush(f);
    assert_ids(&left, "3");
    prune_events(f->db, 3, 103, 9);
    prune_events_down_node(f->db, 103, &left);
    flush(f);
    assert_ids(&left, "");
}

static void the_oldest_requests_are_pruned_first(void **state)
{
    static const instant expiries[] = {103, 100, 102, 101, 99};
    struct fixture *f = *state;
    struct db_result left;

    for (size_t i = 0; i < sizeof expiries / sizeof expiries[0]; i++) {
        char name[] = {(char)('a' + (int)i), '\0'};
        struct request r = distinct(str_of(name));

        r.expire_at = expiries[i];
        assert_int_equal(insert(f, &r), 1);
    }
    prune_requests(f->db, 102, 2);
    left = ask(f, f->db, "SELECT expire_at FROM requests ORDER BY expire_at");
    assert_ids(&left, "101 102 103");
    prune_requests(f->db, 102, 9);
    left = ask(f, f->db, "SELECT expire_at FROM requests ORDER BY expire_at");
    assert_ids(&left, "103");
}

static void assert_schedules(struct fixture *f, const char *expected)
{
    struct db_result left = ask(f, f->db, "SELECT id FROM schedules ORDER BY id");

    assert_ids(&left, expected);
}

/* History and ledger of 1 and 2 are left, and the ledger of 3; 4 and 7 are not deleted. */
static void a_deleted_schedule_is_pruned_after_its_history_and_ledger(void **state)
{
    struct fixture *f = *state;

    exec(
        f->db,
        "INSERT INTO schedules (id, namespace, version, deleted_at, packed, action, name,"
        " spec, policies, description, dialect, created_at, created_by, updated_at, updated_by)"
        " SELECT id, id, 0, deleted_at, CAST('' AS {blob}), '', '', '', '', '', 0, 0, '', 0,"
        " '' FROM (SELECT 1 AS id, 10 AS deleted_at UNION ALL SELECT 2, 10"
        " UNION ALL SELECT 3, 10 UNION ALL SELECT 4, 0 UNION ALL SELECT 5, 20"
        " UNION ALL SELECT 6, 30 UNION ALL SELECT 7, 0 UNION ALL SELECT 8, 40) AS v");
    exec(f->db, HISTORY_ROWS);
    exec(f->db, LEDGER_ROWS);
    exec(f->db, "INSERT INTO days (subject, day, node, body) SELECT id, 1, 1,"
                " CAST('' AS {blob}) FROM schedules");
    assert_batch_end(f, prune_schedules_batch_end, 0, 4, "5");
    assert_batch_end(f, prune_schedules_batch_end, 5, 4, "8");
    assert_batch_end(f, prune_schedules_batch_end, 8, 4, "");
    prune_schedules(f->db, 0, 8, 19); /* the others were deleted later */
    assert_schedules(f, "1 2 3 4 5 6 7 8");
    prune_schedules(f->db, 0, 5, 20);
    assert_schedules(f, "1 2 3 4 6 7 8");
    assert_int_equal(ask_int(f, "SELECT count(*) FROM days WHERE subject IN (1, 2, 3, 5)"), 0);
    assert_int_equal(ask_int(f, "SELECT count(*) FROM days"), 4);
    prune_schedules(f->db, 5, 8, 99);
    assert_schedules(f, "1 2 3 4 7");
    exec(f->db, "DELETE FROM ledger WHERE schedule <> 1");
    prune_schedules(f->db, 0, 8, 99);
    assert_schedules(f, "1 2 4 7");
    exec(f->db, "DELETE FROM history");
    prune_schedules(f->db, 0, 8, 99);
    assert_schedules(f, "1 4 7");
}

/* An open run, a cursor that its last run still needs, and the output of a run. */
static void a_deleted_schedule_stays_while_it_has_a_cursor_run_or_log(void **state)
{
    struct fixture *f = *state;

    exec(
        f->db,
        "INSERT INTO schedules (id, namespace, version, deleted_at, packed, action, name,"
        " spec, policies, description, dialect, created_at, created_by, updated_at, updated_by)"
        " SELECT id, 1, 0, 10, CAST('' AS {blob}), '', '', '', '', '', 0, 0, '', 0, ''"
        " FROM (SELECT 1 AS id UNION ALL SELECT 2 UNION ALL SELECT 3) AS v");
    exec(f->db,
         "INSERT INTO cursors VALUES (1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,"
         " 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)");
    exec(f->db,
         "INSERT INTO runs (id, schedule, slot, pass, state, lane, queue, gate, bits,"
         " due, rank, attempt, fence, node, lease_until, wake_at, created_at, started_at,"
         " attempt_at) VALUES (9, 2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)");
    exec(f->db, "INSERT INTO logs VALUES (9, 3, 0, 0, 0, 0, 1, 0, CAST('x' AS {blob}))");
    prune_schedules(f->db, 0, 9, 99);
    assert_schedules(f, "1 2 3");
    exec(f->db, "DELETE FROM logs");
    prune_schedules(f->db, 0, 9, 99);
    assert_schedules(f, "1 2");
    exec(f->db, "DELETE FROM runs");
    prune_schedules(f->db, 0, 9, 99);
    assert_schedules(f, "1");
    exec(f->db, "DELETE FROM cursors");
    prune_schedules(f->db, 0, 9, 99);
    assert_schedules(f, "");
}

static void every_statement_was_run(void **state)
{
    assert_every_statement_ran(*state, "src/store/events_requests.c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(every_field_of_an_event_has_its_column),
        STORE_TEST(events_are_read_from_the_row_that_holds_a_number),
        STORE_TEST(the_last_event_of_a_node_is_found_by_its_name),
        STORE_TEST(every_field_of_a_request_has_its_column),
        STORE_TEST(a_request_key_is_used_once_in_its_namespace),
        STORE_TEST(a_request_gets_its_reply_or_is_deleted),
        STORE_TEST(history_is_pruned_in_batches_of_rows_read),
        STORE_TEST(the_ledger_is_pruned_in_batches_of_rows_read),
        STORE_TEST(the_oldest_events_are_pruned_first_in_batches),
        STORE_TEST(the_old_events_of_a_node_that_is_down_are_found),
        STORE_TEST(the_oldest_requests_are_pruned_first),
        STORE_TEST(a_deleted_schedule_is_pruned_after_its_history_and_ledger),
        STORE_TEST(a_deleted_schedule_stays_while_it_has_a_cursor_run_or_log),
        cmocka_unit_test(every_statement_was_run),
    };

    return RUN_STORE_TESTS(tests);
}
