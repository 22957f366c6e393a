/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The balance of the ledger: it holds while schedules fire, and a row of the ledger or the
 * history that is missing is found.
 */
#include "request.h"

#include "base/instant.h"
#include "db/db.h"

#define BALANCE "/api/v1/ledger/balance"

/* Three schedules fire every second: one skips, one has runs that end, one waits for runs. */
static struct server *start_server(struct world *w)
{
    struct server *d = server_start(w, NULL);

    make_schedule(d, "skips",
                  "'spec':{'intervals':[{'every':'1s'}]},"
                  "'action':{'type':'queue','queue':'idle'},'policies':{'overlap':'skip'}");
    make_schedule(d, "runs",
                  "'spec':{'intervals':[{'every':'1s'}]},"
                  "'action':{'type':'queue','queue':'q'},'policies':{'overlap':'allowAll'}");
    make_schedule(d, "follows",
                  "'spec':{'intervals':[{'every':'1s','anchor':'completion'}]},"
                  "'action':{'type':'queue','queue':'idle'}");
    return d;
}

/* A balance whose comparison began after this call. */
static const json_t *await_balance(struct server *d)
{
    const json_t *state;
    char mark[40];
    const json_t *balance;

    make_schedule(d, "mark", "'action':{'type':'queue','queue':'q'}");
    state = schedule_state(d, "mark");
    snprintf(mark, sizeof mark, "%s", text_at(state, "createdAt"));
    api(d, 204, "DELETE", "/api/v1/schedules/mark", NULL);
    for (int tries = 0;; tries++) {
        balance = api(d, 200, "GET", BALANCE, NULL);
        if (json_is_string(json_object_get(balance, "asOf")) &&
            strcmp(text_at(balance, "startedAt"), mark) > 0)
            return balance;
        assert_true(tries < TRIES);
        world_pause();
    }
}

static void end_runs(struct server *d, int count)
{
    for (int ended = 0; ended < count;) {
        const json_t *runs = claim(d, "q", 1, "10s");

        if (json_array_size(runs) == 1)
            assert_int_equal(tell_run(d, "complete", json_array_get(runs, 0), "").status, 200);
        ended += (int)json_array_size(runs);
    }
}

static void a_server_that_fires_is_balanced(void **state)
{
    struct server *d = start_server(*state);

    end_runs(d, 3);
    for (int i = 0; i < 2; i++) {
        const json_t *balance = await_balance(d);
        const json_t *overview;

        assert_string_equal(text_at(balance, "result"), "balanced");
        assert_int_equal(number_at(balance, "schedules"), 2); /* not `follows` */
        assert_true(number_at(balance, "slots") >= 6);
        assert_int_equal(number_at(balance, "slots"), number_at(balance, "outcomes"));
        UNTIL(ask(d, "GET", "/api/v1/overview", NULL).status == 200);
        overview = api(d, 200, "GET", "/api/v1/overview", NULL);
        assert_string_equal(text_at(overview, "balance.result"), "balanced");
    }
    assert_int_equal(server_stop(d), 0);
}

static void exec_on(const char *url, const char *sql)
{
    struct db *db = NULL;
    struct err err;

    if (db_open(url, NULL, &db, &err) != RC_OK || db_exec(db, str_of(sql), &err) != RC_OK)
        fail_msg("%s: %s", sql, err.text);
    db_close(db);
}

static int64_t member_of(const json_t *balance, size_t i, const char *name)
{
    return number_at(json_array_get(at(balance, "differences"), i), name);
}

#define OF(name) "(SELECT id FROM schedules WHERE name = '" name "')"

static void missing_rows_are_found(void **state)
{
    struct world *w = *state;
    struct server *d = start_server(w);
    const json_t *balance;
    int64_t slots;

    end_runs(d, 3);
    UNTIL(number_at(schedule_state(d, "skips"), "counters.skipped") >= 3);
    assert_int_equal(server_stop(d), 0);
    slots = world_number(w, "SELECT count FROM ledger WHERE outcome = 2 AND schedule = " OF(
                                "skips") " ORDER BY id LIMIT 1");
    exec_on(w->url, "DELETE FROM ledger WHERE id = (SELECT min(id) FROM ledger WHERE outcome = "
                    "2 AND schedule = " OF("skips") ")");
    exec_on(w->url, "DELETE FROM history WHERE id = (SELECT min(id) FROM history WHERE last = 1"
                    " AND schedule = " OF("runs") ")");

    d = server_restart(d, NULL);
    balance = await_balance(d);
    assert_string_equal(text_at(balance, "result"), "unbalanced");
    assert_int_equal(number_at(balance, "differenceCount"), 2);
    for (size_t i = 0; i < 2; i++) {
        const json_t *one = json_array_get(at(balance, "differences"), i);
        bool is_of_runs = strcmp(text_at(one, "schedule"), "runs") == 0;

        assert_int_equal(member_of(balance, i, "due") - member_of(balance, i, "recorded"),
                         is_of_runs ? 1 : slots);
        assert_non_null(strstr(text_at(one, "text"), "Z has no account"));
    }
    UNTIL(server_has_logged(d, "msg=\"ledger is not balanced; run belfry check\""));
    /* An edit begins a new version, whose slots are all there. */
    api(d, 200, "PATCH", "/api/v1/schedules/runs", "{'description':'x'}");
    api(d, 204, "DELETE", "/api/v1/schedules/skips", NULL);
    balance = await_balance(d);
    assert_string_equal(text_at(balance, "result"), "balanced");
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(a_server_that_fires_is_balanced),
        E2E_TEST(missing_rows_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
