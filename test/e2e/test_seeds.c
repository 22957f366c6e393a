/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of seed_dir: the server creates its schedules at the start, unless their ids exist.
 */
#include <sys/stat.h>

#include "command.h"
#include "request.h"

static const char two[] = "id: nightly\n"
                          "description: as in the file\n"
                          "spec:\n"
                          "  cron: ['30 2 * * *']\n"
                          "action: {type: queue, queue: q}\n"
                          "---\n"
                          "id: a/b ä\n"
                          "action: {type: queue, queue: q}\n";

static struct server *start(struct world *w)
{
    return server_start(
        w, &(struct server_start){.args = WORDS("--seed-dir", world_path(w, "seeds"))});
}

static void assert_refused(struct server *d, const char *words)
{
    int got = server_wait(d);

    if (got != 1 || !d->log || !strstr(d->log, words))
        fail_msg("status %d, not 1, or no `%s`:\n%s", got, words, d->log);
}

static void make_folder(struct world *w)
{
    assert_int_equal(mkdir(world_path(w, "seeds"), 0700), 0);
}

static const char *await_seeds(struct server *d)
{
    return server_await(d, "msg=\"seed schedules applied\"");
}

static void missing_schedules_are_created_and_existing_ones_kept(void **state)
{
    struct world *w = *state;
    struct server *d;

    make_folder(w);
    world_write(w, "seeds/two.yaml", two);
    world_write(w, "seeds/one.json",
                "{\"id\":\"one\",\"action\":{\"type\":\"queue\",\"queue\":\"q\"}}");
    d = start(w);
    assert_non_null(strstr(await_seeds(d), "made=3 found=0 refused=0"));
    assert_string_equal(BELFRY(d, "schedule", "list", "-o", "name").out,
                        "a/b ä\nnightly\none\n");
    assert_string_equal(
        text_at(api(d, 200, "GET", "/api/v1/schedules/nightly", NULL), "state.createdBy"),
        "seed_dir");
    api(d, 200, "PATCH", "/api/v1/schedules/nightly", "{'description':'mine'}");
    api(d, 204, "DELETE", "/api/v1/schedules/one", NULL);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(server_stop(d), 0);
        d = start(w);
        assert_non_null(strstr(await_seeds(d), i == 0 ? "made=1 found=2 refused=0"
                                                      : "made=0 found=3 refused=0"));
        assert_string_equal(BELFRY(d, "schedule", "list", "-o", "name").out,
                            "a/b ä\nnightly\none\n");
        assert_string_equal(
            text_at(api(d, 200, "GET", "/api/v1/schedules/nightly", NULL), "description"),
            "mine");
    }
    assert_int_equal(server_stop(d), 0);
}

/* In the agents' format; a deleted one is missing, so it is created again. */
static void row_65_default_schedules_of_agents_are_there_once(void **state)
{
    struct world *w = *state;
    struct server *d;
    const json_t *list;

    make_folder(w);
    world_write(w, "seeds/agents.yaml",
                "id: planner\nagentId: planner\nscheduleType: CRON\n"
                "cronExpr: 0 0 9 * * MON-FRI\ntimezone: UTC\n"
                "executorPolicy: {maxAttempts: 2, retryBackoffMs: 120000}\n"
                "---\nid: distiller\nagentId: distiller\nscheduleType: INTERVAL\n"
                "intervalMinutes: 30\nprojectScope: PROJECT\nprojectId: xyz\n");
    d = start(w);
    assert_non_null(strstr(await_seeds(d), "made=2 found=0 refused=0"));
    for (int i = 0; i < 3; i++) {
        list = api(d, 200, "GET", "/api/schedules", NULL);
        assert_int_equal(json_array_size(list), 2);
        assert_string_equal(text_at(list, "[0].scheduleId"), "agent:distiller@xyz");
        assert_string_equal(text_at(list, "[1].cronExpr"), "0 0 9 * * MON-FRI");
        assert_int_equal(number_at(list, "[1].executorPolicy.maxAttempts"), i == 2 ? 3 : 2);
        assert_string_equal(text_at(list, "[1].createdBy"), "seed_dir");
        if (i == 1)
            api(d, 200, "PUT", "/api/schedules/agent:planner",
                "{'executorPolicy':{'maxAttempts':3}}");
        if (i == 1)
            api(d, 204, "DELETE", "/api/schedules/agent:distiller@xyz", NULL);
        assert_int_equal(server_stop(d), 0);
        d = start(w);
        assert_non_null(strstr(await_seeds(d), i == 1 ? "made=1 found=1 refused=0"
                                                      : "made=0 found=2 refused=0"));
    }
    assert_int_equal(server_stop(d), 0);
}

static void a_refused_seed_does_not_stop_the_others(void **state)
{
    struct world *w = *state;
    struct server *d;

    make_folder(w);
    world_write(w, "seeds/a.yaml",
                "id: bad\nspec: {cron: ['61 * * * *']}\naction: {type: queue, queue: q}\n"
                "---\nid: far\nnamespace: nowhere\naction: {type: queue, queue: q}\n"
                "---\nid: good\naction: {type: queue, queue: q}\n");
    d = start(w);
    assert_non_null(strstr(await_seeds(d), "made=1 found=0 refused=2"));
    assert_string_equal(BELFRY(d, "schedule", "list", "-o", "name").out, "good\n");
    assert_int_equal(server_stop(d), 0);
}

static void invalid_seed_files_prevent_the_start(void **state)
{
    struct world *w = *state;
    const char *const *args = WORDS("--seed-dir", world_path(w, "seeds"));

    assert_refused(server_spawn(w, &(struct server_start){.args = args}), "seeds");
    make_folder(w);
    world_write(w, "seeds/g.yaml", "gate: db\nlimit: 4\n");
    assert_refused(server_spawn(w, &(struct server_start){.args = args}),
                   "seed_dir may contain only schedules");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(missing_schedules_are_created_and_existing_ones_kept),
        E2E_TEST(row_65_default_schedules_of_agents_are_there_once),
        E2E_TEST(a_refused_seed_does_not_stop_the_others),
        E2E_TEST(invalid_seed_files_prevent_the_start),
    };

    return cmocka_run_group_tests_name("seeds", tests, NULL, NULL);
}
