/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Many databases, each of which dies many times, at any change of its files, by a power loss or
 * by kill -9.
 *
 * Everything acknowledged exists afterwards, and nothing else except the one transaction that
 * was under way.  Where that is not promised, some seed shows it.
 */
#include "vfs_world.h"

enum {
    SEEDS = 100,
    LIVES = 10,
    STEPS_MAX = 16,
    CHANGES_MAX = 120, /* of the files in one life: about what the steps make */
};

struct torture {
    struct world w;
    struct prng prng;
    const char *setting; /* a pragma for each connection, or NULL */
    int64_t acknowledged;
    bool under_way;
    struct db *reader;
};

enum verdict { GOOD, LOST, WRONG };

static bool is_one_of(struct torture *t, int n)
{
    return prng_chance(&t->prng, 1, (uint64_t)n);
}

static enum rc open_writer(struct torture *t, struct err *err)
{
    enum rc rc = world_open(&t->w, err);

    if (rc == RC_OK && t->setting)
        rc = db_exec(t->w.db, str_of(t->setting), err);
    /* So little cache that a transaction spills into the log before it commits. */
    if (rc == RC_OK && is_one_of(t, 2))
        rc = db_exec(t->w.db, STR("PRAGMA cache_size=4"), err);
    return rc;
}

/* Keeps an old snapshot in use, so that the log cannot restart. */
static void let_someone_read(struct torture *t)
{
    struct err err;

    if (db_open(URL, &(struct db_options){.readonly = true}, &t->reader, &err) != RC_OK)
        return;
    db_begin(t->reader);
    db_send(t->reader, &get_last, NULL, NULL);
    (void)db_flush(t->reader, NULL, &err);
}

static enum rc commit_next(struct torture *t, struct err *err)
{
    enum rc rc;

    t->under_way = true;
    rc = commit_transaction(t->w.db, t->acknowledged + 1, err);
    if (rc == RC_OK) {
        t->acknowledged++;
        t->under_way = false;
    }
    return rc;
}

static enum rc give_up_next(struct torture *t, struct err *err)
{
    enum rc rc;

    db_begin(t->w.db);
    send_transaction(t->w.db, t->acknowledged + 1);
    rc = db_flush(t->w.db, NULL, err);
    db_rollback(t->w.db);
    return rc;
}

static enum rc checkpoint(struct torture *t, struct err *err)
{
    static const char *const how[] = {"PRAGMA wal_checkpoint(PASSIVE)",
                                      "PRAGMA wal_checkpoint(RESTART)",
                                      "PRAGMA wal_checkpoint(TRUNCATE)"};

    return db_exec(t->w.db, str_of(how[prng_below(&t->prng, 3)]), err);
}

static enum rc step(struct torture *t, struct err *err)
{
    switch (prng_below(&t->prng, 12)) {
    case 0:
        return give_up_next(t, err);
    case 1:
    case 2:
        return checkpoint(t, err);
    case 3:
        t->w.db = db_close(t->w.db);
        return open_writer(t, err);
    default:
        return commit_next(t, err);
    }
}

static void die(struct torture *t)
{
    static const struct vfs_odds odds[] = {
        {.keep = 4, .drop = 4, .garble = 1, .tear = 1},
        {.keep = 20, .drop = 1, .garble = 1, .tear = 1},
        {.keep = 1, .drop = 20, .garble = 1, .tear = 1},
        {.drop = 1},
        {.garble = 1},
    };

    if (is_one_of(t, 5))
        sim_vfs_process_kill(t->w.vfs);
    else
        sim_vfs_power_loss(t->w.vfs, &t->prng, &odds[prng_below(&t->prng, 5)]);
    t->w.db = db_close(t->w.db);
    t->reader = db_close(t->reader);
    sim_vfs_arm(t->w.vfs, SIM_STOP, 0, false);
}

static void live_and_die(struct torture *t)
{
    uint64_t struck = sim_vfs_struck(t->w.vfs, SIM_STOP);
    struct err err;
    enum rc rc;

    t->under_way = false;
    sim_vfs_arm(t->w.vfs, SIM_STOP, 1 + prng_below(&t->prng, CHANGES_MAX), false);
    rc = open_writer(t, &err);
    if (rc == RC_OK && is_one_of(t, 4))
        let_someone_read(t);
    for (int i = 0; i < STEPS_MAX && rc == RC_OK; i++)
        rc = step(t, &err);
    /* Only the end of the world may be a reason to fail, and it must be recognised. */
    if (rc != RC_OK && (sim_vfs_struck(t->w.vfs, SIM_STOP) == struck ||
                        (t->w.db && (rc != RC_CORRUPT || !db_is_dead(t->w.db)))))
        fail_msg("%s: %s", rc_name(rc), err.text);
    die(t);
}

static enum verdict check_database(struct torture *t)
{
    int64_t found = DAMAGED, least = t->acknowledged;
    int64_t most = least + (t->under_way ? 1 : 0);
    struct err err;

    if (open_writer(t, &err) == RC_OK)
        found = count_transactions(t->w.db, t->w.arena);
    /*
     * After a kill, what recovery finds may be only in the kernel's memory, and recovery syncs
     * nothing.  The next commit that changes something does: no process may act on what is
     * found before one.
     */
    if (found != DAMAGED &&
        db_exec(t->w.db, STR("UPDATE last SET opened = opened + 1"), &err) != RC_OK)
        found = DAMAGED;
    /* Half of the time without a clean close: the next life begins with what recovery left. */
    if (is_one_of(t, 2))
        sim_vfs_process_kill(t->w.vfs);
    t->w.db = db_close(t->w.db);
    t->acknowledged = found;
    if (found == DAMAGED || found > most)
        return WRONG;
    return found < least ? LOST : GOOD;
}

static enum verdict torture(uint64_t seed, const char *setting, bool ignore_sync)
{
    struct torture t = {.setting = setting};
    enum verdict verdict = GOOD;

    world_new(&t.w, seed);
    prng_seed(&t.prng, seed);
    sim_vfs_ignore_sync(t.w.vfs, ignore_sync);
    for (int life = 0; life < LIVES && verdict == GOOD; life++) {
        live_and_die(&t);
        verdict = check_database(&t);
    }
    world_free(&t.w);
    return verdict;
}

static void acknowledged_transactions_survive_kills_and_power_losses(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        enum verdict verdict = torture(seed, NULL, false);

        if (verdict != GOOD)
            fail_msg("seed %d: %s", (int)seed, verdict == LOST ? "a lost commit" : "damage");
    }
}

/*
 * A commit fails at its sync and its process ends: the kernel shows data that the disk never
 * got.  The next process finds it, and nothing that it acknowledges may depend on it.
 */
static void commits_after_a_failed_sync_survive_a_power_loss(void **state)
{
    static const struct vfs_odds nothing_stays = {.drop = 1};
    struct world w;
    struct prng prng;
    struct err refused;

    (void)state;
    world_new(&w, 1);
    prng_seed(&prng, 1);
    OK(world_open(&w, err));
    OK(commit_transaction(w.db, 1, err));
    sim_vfs_arm(w.vfs, SIM_SYNC_ERROR, 1, false);
    assert_int_equal(commit_transaction(w.db, 2, &refused), RC_CORRUPT);
    sim_vfs_process_kill(w.vfs);
    w.db = db_close(w.db);
    OK(world_open(&w, err));
    assert_int_equal(count_transactions(w.db, w.arena), 2);
    OK(commit_transaction(w.db, 3, err));
    sim_vfs_power_loss(w.vfs, &prng, &nothing_stays);
    w.db = db_close(w.db);
    OK(world_open(&w, err));
    assert_int_equal(count_transactions(w.db, w.arena), 3);
    world_free(&w);
}

/* Negative controls: without the settings that Belfry relies on, data is lost. */

static void without_a_sync_per_commit_some_are_lost_but_no_file_is_damaged(void **state)
{
    int seen[3] = {0};

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        seen[torture(seed, "PRAGMA synchronous=NORMAL", false)]++;
    assert_true(seen[LOST] > 0);
    assert_int_equal(seen[WRONG], 0);
}

static void on_a_disk_that_lies_about_syncs_files_are_damaged(void **state)
{
    int seen[3] = {0};

    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++)
        seen[torture(seed, NULL, true)]++;
    assert_true(seen[LOST] > 0 && seen[WRONG] > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(acknowledged_transactions_survive_kills_and_power_losses),
        cmocka_unit_test(commits_after_a_failed_sync_survive_a_power_loss),
        cmocka_unit_test(without_a_sync_per_commit_some_are_lost_but_no_file_is_damaged),
        cmocka_unit_test(on_a_disk_that_lies_about_syncs_files_are_damaged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
