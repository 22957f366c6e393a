/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The lists of failed and of recent runs in store/views.h, on both databases.
 */
#include "rows.h"

#include "store/history.h"
#include "store/runs.h"
#include "store/views.h"

/* Requested runs that ended without success: neither slots nor attempts that were retried. */
static void failed_requested_runs_are_listed_newest_first(void **state)
{
    struct fixture *f = *state;
    struct run run = {.schedule = 1, .attempt = 2, .queue = 11, .fence = 3};
    struct attempt_end end = {.run = &run, .ended_at = DAY_ONE};
    struct failed_page page = {
        .schedule = 1, .least = 2, .before = INT64_MAX, .from = 100, .until = 200, .limit = 10};
    struct db_result all = {0}, some = {0};

    for (end.id = 1; end.id <= 9; end.id++) {
        run.pass = end.id != 3; /* 3: of a slot */
        end.last = end.id != 4; /* 4: was retried */
        run.slot = 99 + end.id;
        if (end.id == 5 || end.id == 6) /* of another day */
            run.slot = end.id == 5 ? 99 : 200;
        end.outcome = end.id == 7 ? OUTCOME_SUCCEEDED : OUTCOME_FAILED;
        history_insert(f->db, &end);
        flush(f);
    }
    attempt_views_failed(f->db, &page, &all);
    page.before = 9;
    page.limit = 1;
    attempt_views_failed(f->db, &page, &some);
    flush(f);
    assert_ids(&all, "9 8 2"); /* 1: ended earlier */
    assert_ids(&some, "8");
}

/* Runs that wait and attempts that were retried do not take the places of others. */
static void recent_runs_have_begun_or_ended(void **state)
{
    struct fixture *f = *state;
    struct run run = {.schedule = 1, .state = RUN_HELD, .attempt = 1, .fence = 3};
    struct attempt_end end = {.run = &run, .outcome = OUTCOME_FAILED, .ended_at = DAY_ONE};
    struct db_result open = {0}, ended = {0};

    for (run.id = run.slot = 1; run.id <= 6; run.id = ++run.slot) {
        run.state = run.id < 4 ? RUN_RUNNING : RUN_HELD;
        run.kind = run.id == 2 ? RUN_TEST : RUN_SLOT;
        runs_insert(f->db, &run, NULL);
        flush(f);
    }
    for (end.id = 1; end.id <= 6; end.id++) {
        end.last = end.id < 4;
        run.kind = end.id == 2 ? RUN_TEST : RUN_SLOT;
        history_insert(f->db, &end);
        flush(f);
    }
    run_views_recent(f->db, 1, 2, 2, &open, &ended);
    flush(f);
    assert_ids(&open, "3 1");
    assert_ids(&ended, "3 1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(failed_requested_runs_are_listed_newest_first),
        STORE_TEST(recent_runs_have_begun_or_ended),
    };

    return RUN_STORE_TESTS(tests);
}
