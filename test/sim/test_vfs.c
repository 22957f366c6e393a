/* SPDX-License-Identifier: Apache-2.0 */
/*
 * SQLite on the simulator's disk: several connections, each fault by itself and at every place
 * where it can strike, and the reaction of src/db.
 */
#include "vfs_world.h"

enum { TRANSACTIONS = 6, STRIKES_MAX = 2000 };

/*
 * The call (with `err` for its error) must fail with this code and a message that contains
 * `part`.
 */
#define REFUSED(call, code, part)                                                             \
    do {                                                                                      \
        struct err refused_err = {.text = ""};                                                \
        struct err *err = &refused_err;                                                       \
        enum rc refused_rc = (call);                                                          \
        if (refused_rc != (code) || !strstr(err->text, part))                                 \
            fail_msg("%s: %s: `%s`, not %s with `%s`", #call, rc_name(refused_rc), err->text, \
                     rc_name(code), part);                                                    \
    } while (0)

static const struct vfs_odds drops = {.drop = 1};

static int set_up(void **state)
{
    static struct world w;

    world_new(&w, 1);
    OK(world_open(&w, err));
    *state = &w;
    return 0;
}

static int tear_down(void **state)
{
    world_free(*state);
    return 0;
}

static void commit(struct world *w, int64_t tx)
{
    OK(commit_transaction(w->db, tx, err));
}

static void reopen(struct world *w)
{
    w->db = db_close(w->db);
    OK(world_open(w, err));
}

static void lose_power(struct world *w)
{
    struct prng prng;

    prng_seed(&prng, 1);
    sim_vfs_power_loss(w->vfs, &prng, &drops);
    reopen(w);
}

static void exec(struct db *db, const char *sql)
{
    OK(db_exec(db, str_of(sql), err));
}

static int64_t ask(struct world *w, struct db *db, const struct db_stmt *stmt)
{
    struct db_result got;

    db_send(db, stmt, NULL, &got);
    OK(db_flush(db, w->arena, err));
    return db_int_at(&got, 0, 0);
}

/* Connections. */

static void a_reader_sees_its_snapshot_while_the_writer_continues(void **state)
{
    struct world *w = *state;
    struct db *reader = open_reader();
    struct db_result got;

    commit(w, 1);
    db_begin(reader);
    db_send(reader, &get_last, NULL, &got);
    OK(db_flush(reader, w->arena, err));
    assert_int_equal(db_int_at(&got, 0, 0), 1);
    commit(w, 2);
    exec(w->db, "PRAGMA wal_checkpoint(PASSIVE)");
    commit(w, 3);
    db_send(reader, &get_last, NULL, &got);
    OK(db_commit(reader, w->arena, err));
    assert_int_equal(db_int_at(&got, 0, 0), 1);
    assert_int_equal(count_transactions(reader, w->arena), 3);
    db_close(reader);
}

static void a_second_writer_gets_busy_without_waiting(void **state)
{
    struct world *w = *state;
    struct db *other = NULL;

    OK(db_open(URL, NULL, &other, err));
    db_begin(w->db);
    send_transaction(w->db, 1);
    OK(db_flush(w->db, NULL, err));
    REFUSED(commit_transaction(other, 1, err), RC_BUSY, "another program");
    OK(db_commit(w->db, NULL, err));
    OK(commit_transaction(other, 2, err));
    commit(w, 3);
    db_close(other);
    assert_int_equal(count_transactions(w->db, w->arena), 3);
}

static void the_wal_is_written_back_and_deleted_by_the_last_close(void **state)
{
    struct world *w = *state;
    struct vfs_disk *disk = sim_vfs_disk(w->vfs);

    commit(w, 1);
    assert_non_null(vfs_disk_find(disk, "belfry.db-wal"));
    w->db = db_close(w->db);
    assert_null(vfs_disk_find(disk, "belfry.db-wal"));
    assert_non_null(vfs_disk_find(disk, "belfry.db"));
    lose_power(w);
    assert_int_equal(count_transactions(w->db, w->arena), 1);
}

/* Deaths. */

static void after_a_kill_open_connections_fail_and_must_be_closed(void **state)
{
    struct world *w = *state;
    struct db *reader = open_reader(), *other = NULL;

    commit(w, 1);
    db_begin(w->db);
    send_transaction(w->db, 2);
    OK(db_flush(w->db, NULL, err));
    sim_vfs_process_kill(w->vfs);
    REFUSED(db_commit(w->db, NULL, err), RC_CORRUPT, "disk I/O error");
    assert_true(db_is_dead(w->db));
    REFUSED(db_open(URL, NULL, &other, err), RC_INVALID, "disk I/O error");
    db_send(reader, &get_last, NULL, NULL);
    REFUSED(db_flush(reader, w->arena, err), RC_CORRUPT, "disk I/O error");
    w->db = db_close(w->db);
    REFUSED(db_open(URL, NULL, &other, err), RC_INVALID, "disk I/O error");
    db_close(reader);
    reopen(w);
    assert_int_equal(count_transactions(w->db, w->arena), 1);
    commit(w, 2);
}

static void a_kill_keeps_unsynced_data_and_a_power_loss_does_not(void **state)
{
    struct world *w = *state;

    commit(w, 1);
    exec(w->db, "PRAGMA synchronous=NORMAL");
    commit(w, 2);
    sim_vfs_process_kill(w->vfs);
    reopen(w); /* which writes again what it finds */
    assert_int_equal(count_transactions(w->db, w->arena), 2);
    lose_power(w);
    assert_int_equal(count_transactions(w->db, w->arena), 2);
    exec(w->db, "PRAGMA synchronous=NORMAL");
    commit(w, 3);
    lose_power(w);
    assert_int_equal(count_transactions(w->db, w->arena), 2);
}

static void after_a_stop_no_call_changes_the_disk(void **state)
{
    struct world *w = *state;
    uint64_t digest;

    commit(w, 1);
    sim_vfs_arm(w->vfs, SIM_STOP, 1, false);
    REFUSED(commit_transaction(w->db, 2, err), RC_CORRUPT, "disk I/O error");
    digest = vfs_disk_digest(sim_vfs_disk(w->vfs));
    w->db = db_close(w->db);
    REFUSED(db_open(URL, NULL, &w->db, err), RC_INVALID, "disk I/O error");
    assert_true(vfs_disk_digest(sim_vfs_disk(w->vfs)) == digest);
    lose_power(w);
    assert_int_equal(count_transactions(w->db, w->arena), 1);
    assert_int_equal(sim_vfs_struck(w->vfs, SIM_STOP), 1);
}

/* Errors. */

static void a_failed_write_ends_the_connection_and_loses_nothing(void **state)
{
    struct world *w = *state;

    commit(w, 1);
    sim_vfs_arm(w->vfs, SIM_WRITE_ERROR, 1, false);
    REFUSED(commit_transaction(w->db, 2, err), RC_CORRUPT, "check the disk");
    assert_true(db_is_dead(w->db));
    REFUSED(commit_transaction(w->db, 2, err), RC_CORRUPT, "check the disk");
    reopen(w);
    assert_int_equal(count_transactions(w->db, w->arena), 1);
    commit(w, 2);
}

static void a_full_disk_undoes_the_transaction_and_the_next_may_succeed(void **state)
{
    struct world *w = *state;

    commit(w, 1);
    sim_vfs_arm(w->vfs, SIM_FULL, 1, true);
    REFUSED(commit_transaction(w->db, 2, err), RC_LIMIT, "free space");
    REFUSED(commit_transaction(w->db, 2, err), RC_LIMIT, "free space");
    assert_false(db_is_dead(w->db));
    assert_int_equal(count_transactions(w->db, w->arena), 1);
    sim_vfs_arm(w->vfs, SIM_FULL, 0, false);
    commit(w, 2);
    lose_power(w);
    assert_int_equal(count_transactions(w->db, w->arena), 2);
}

static enum rc write_both(struct db *db, bool both, struct err *err)
{
    static const struct db_stmt first = {"UPDATE first SET n = 2", NULL},
                                second = {"UPDATE second SET n = 2", NULL};

    db_begin(db);
    db_send(db, &first, NULL, NULL);
    if (both)
        db_send(db, &second, NULL, NULL);
    return db_commit(db, NULL, err);
}

/*
 * Half of each write reaches a full disk: of the first two pages one, complete; of the second
 * write the same page's first half, and the head that makes it a commit.
 */
static void half_written_transactions_do_not_combine_into_one(void **state)
{
    static const struct db_stmt look = {"SELECT n FROM first", NULL};
    struct world *w = *state;
    struct db_result row = {0};

    OK(db_exec(w->db, STR("CREATE TABLE first (n INTEGER) STRICT"), err));
    OK(db_exec(w->db, STR("CREATE TABLE second (n INTEGER) STRICT"), err));
    OK(db_exec(w->db, STR("INSERT INTO first VALUES (1)"), err));
    OK(db_exec(w->db, STR("INSERT INTO second VALUES (1)"), err));
    sim_vfs_arm(w->vfs, SIM_FULL, 1, true);
    REFUSED(write_both(w->db, true, err), RC_LIMIT, "free space");
    REFUSED(write_both(w->db, false, err), RC_LIMIT, "free space");
    sim_vfs_arm(w->vfs, SIM_FULL, 0, false);
    sim_vfs_process_kill(w->vfs);
    reopen(w);
    db_send(w->db, &look, NULL, &row);
    OK(db_flush(w->db, w->arena, err));
    assert_int_equal(db_int_at(&row, 0, 0), 1);
}

/* SQLite would continue, and its next commit would report success. */
static void after_a_failed_sync_no_commit_is_retried(void **state)
{
    struct world *w = *state;

    commit(w, 1);
    sim_vfs_arm(w->vfs, SIM_SYNC_ERROR, 1, false);
    REFUSED(commit_transaction(w->db, 2, err), RC_CORRUPT, "check the disk");
    REFUSED(commit_transaction(w->db, 2, err), RC_CORRUPT, "check the disk");
    lose_power(w);
    assert_int_equal(count_transactions(w->db, w->arena), 1);
}

static void a_failed_read_ends_the_connection(void **state)
{
    struct world *w = *state;

    commit(w, 1);
    reopen(w);
    sim_vfs_arm(w->vfs, SIM_READ_ERROR, 1, true);
    db_send(w->db, &get_log, NULL, NULL);
    REFUSED(db_flush(w->db, w->arena, err), RC_CORRUPT, "check the disk");
    assert_true(db_is_dead(w->db));
    sim_vfs_arm(w->vfs, SIM_READ_ERROR, 0, false);
    reopen(w);
    assert_int_equal(count_transactions(w->db, w->arena), 1);
}

static void damage_to_a_file_is_detected(void **state)
{
    struct world *w = *state;
    char noise[4096];

    for (int64_t tx = 1; tx <= 20; tx++)
        commit(w, tx);
    w->db = db_close(w->db);
    memset(noise, 0xa5, sizeof noise);
    vfs_disk_write(vfs_disk_find(sim_vfs_disk(w->vfs), "belfry.db"), 4 * 4096, noise,
                   sizeof noise);
    OK(db_open(URL, NULL, &w->db, err));
    assert_int_equal(count_transactions(w->db, w->arena), DAMAGED);
}

static void operations_are_counted_and_faults_strike_once_or_for_ever(void **state)
{
    struct world *w = *state;
    uint64_t syncs = sim_vfs_count(w->vfs, SIM_SYNC_ERROR);
    uint64_t writes = sim_vfs_count(w->vfs, SIM_WRITE_ERROR);

    commit(w, 1);
    assert_int_equal(sim_vfs_count(w->vfs, SIM_SYNC_ERROR), syncs + 1); /* the log's */
    /* all its pages in one write */
    assert_int_equal(sim_vfs_count(w->vfs, SIM_WRITE_ERROR), writes + 1);
    sim_vfs_arm(w->vfs, SIM_FULL, 1, false);
    REFUSED(commit_transaction(w->db, 2, err), RC_LIMIT, "free space");
    commit(w, 2);
    assert_int_equal(sim_vfs_struck(w->vfs, SIM_FULL), 1);
    sim_vfs_arm(w->vfs, SIM_FULL, 1, true);
    for (int i = 0; i < 3; i++)
        REFUSED(commit_transaction(w->db, 3, err), RC_LIMIT, "free space");
    assert_int_equal(sim_vfs_struck(w->vfs, SIM_FULL), 4);
}

/* The counting loops: a fault at the first operation, at the second, and so on. */

/* A whole life: creates the database, fills it, writes the log back.  Returns commits. */
static int64_t live(struct world *w)
{
    struct err err;
    enum rc rc = world_open(w, &err);
    int64_t done = 0;

    for (int i = 0; i < TRANSACTIONS && rc == RC_OK; i++) {
        rc = commit_transaction(w->db, done + 1, &err);
        if (rc == RC_OK)
            done++;
        if (rc == RC_OK && i % 3 == 2)
            rc = db_exec(w->db, STR("PRAGMA wal_checkpoint(RESTART)"), &err);
        if (rc == RC_LIMIT) {
            assert_false(db_is_dead(w->db));
            rc = RC_OK; /* undone; the same transaction may succeed now */
        }
    }
    /* Any other failure of an open connection ends it. */
    if (rc != RC_OK && w->db && !db_is_dead(w->db))
        assert_int_equal(rc, RC_LIMIT);
    return done;
}

/* Checks the database after a fault at operation `n`; false if the fault did not strike. */
static bool check_fault(enum sim_fault fault, uint64_t n, bool forever, bool power)
{
    struct prng prng;
    struct world w;
    int64_t done, found;
    bool struck;

    world_new(&w, n);
    prng_seed(&prng, n);
    sim_vfs_arm(w.vfs, fault, n, forever);
    done = live(&w);
    w.db = db_close(w.db);
    struck = sim_vfs_struck(w.vfs, fault) > 0;
    sim_vfs_arm(w.vfs, fault, 0, false);
    if (power)
        sim_vfs_power_loss(w.vfs, &prng, NULL);
    OK(world_open(&w, err));
    found = count_transactions(w.db, w.arena);
    if (found < done || found > done + 1)
        fail_msg("fault %d at %d: %d transactions, not %d", (int)fault, (int)n, (int)found,
                 (int)done);
    assert_true(struck || done == TRANSACTIONS);
    world_free(&w);
    return struck;
}

static void no_fault_at_any_operation_damages_the_database(void **state)
{
    static const enum sim_fault faults[] = {SIM_READ_ERROR, SIM_WRITE_ERROR, SIM_FULL,
                                            SIM_SYNC_ERROR};

    (void)state;
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++)
        for (int kind = 0; kind < 4; kind++) {
            uint64_t n = 1;

            while (check_fault(faults[i], n, (kind & 1) != 0, (kind & 2) != 0))
                assert_true(n++ < STRIKES_MAX);
            assert_true(n > 10); /* it struck at many places */
        }
}

/* One seed, one world. */

static uint64_t digest_of_a_life(uint64_t seed)
{
    struct prng prng;
    struct world w;
    uint64_t digest;

    world_new(&w, seed);
    prng_seed(&prng, seed);
    live(&w);
    sim_vfs_arm(w.vfs, SIM_STOP, 9, false);
    (void)commit_transaction(w.db, TRANSACTIONS + 1, &(struct err){.text = ""});
    sim_vfs_power_loss(w.vfs, &prng, NULL);
    w.db = db_close(w.db);
    digest = vfs_disk_digest(sim_vfs_disk(w.vfs));
    world_free(&w);
    return digest;
}

static void one_seed_leaves_the_same_bytes_each_time(void **state)
{
    (void)state;
    assert_true(digest_of_a_life(5) == digest_of_a_life(5));
    assert_true(digest_of_a_life(5) != digest_of_a_life(7));
}

static void sqlite_reads_the_time_that_was_set(void **state)
{
    static const struct db_stmt seconds = {"SELECT CAST(strftime('%s', 'now') AS INTEGER)",
                                           NULL};
    struct world *w = *state;

    sim_vfs_set_now(w->vfs, instant_of_seconds(1234567890));
    assert_int_equal(ask(w, w->db, &seconds), 1234567890);
}

#define VFS_TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        VFS_TEST(a_reader_sees_its_snapshot_while_the_writer_continues),
        VFS_TEST(a_second_writer_gets_busy_without_waiting),
        VFS_TEST(the_wal_is_written_back_and_deleted_by_the_last_close),
        VFS_TEST(after_a_kill_open_connections_fail_and_must_be_closed),
        VFS_TEST(a_kill_keeps_unsynced_data_and_a_power_loss_does_not),
        VFS_TEST(after_a_stop_no_call_changes_the_disk),
        VFS_TEST(a_failed_write_ends_the_connection_and_loses_nothing),
        VFS_TEST(a_full_disk_undoes_the_transaction_and_the_next_may_succeed),
        VFS_TEST(half_written_transactions_do_not_combine_into_one),
        VFS_TEST(after_a_failed_sync_no_commit_is_retried),
        VFS_TEST(a_failed_read_ends_the_connection),
        VFS_TEST(damage_to_a_file_is_detected),
        VFS_TEST(operations_are_counted_and_faults_strike_once_or_for_ever),
        cmocka_unit_test(no_fault_at_any_operation_damages_the_database),
        cmocka_unit_test(one_seed_leaves_the_same_bytes_each_time),
        VFS_TEST(sqlite_reads_the_time_that_was_set),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
