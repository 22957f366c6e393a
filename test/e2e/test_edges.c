/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of events that one thread of the server causes and another must handle, while no
 * request wakes either of them.
 */
#include <signal.h>
#include <sys/stat.h>

#include "request.h"

enum { INPUT_BYTES = 60000, RUNS = 100, TEXT_MAX = 256, READS = 4 /* reach all readers */ };

static const char *const ready_runs = "SELECT count(*) FROM runs WHERE state = 3";

static void make_program(struct server *d, const char *id, const char *then)
{
    make_schedule(d, id, "'action':{'type':'exec','argv':['/bin/sh','-c','echo > %s; %s']}",
                  world_path(d->world, id), then);
}

static bool has_begun(const struct server *d, const char *id)
{
    return access(world_path(d->world, id), F_OK) == 0;
}

/* When a terminated program ends, only its exec slot becomes free; nothing else happens. */
static void the_place_of_a_terminated_program_is_free_at_once(void **state)
{
    struct server *d = server_start(
        *state, &(struct server_start){.args = WORDS("--exec", "--exec-concurrency", "1")});
    char path[TEXT_MAX];
    const char *run;

    make_program(d, "first", "exec sleep 600");
    make_program(d, "second", "true");
    run = trigger(d, "first");
    UNTIL(has_begun(d, "first"));
    trigger(d, "second");
    snprintf(path, sizeof path, "/api/v1/runs/%s/terminate", run);
    api(d, 200, "POST", path, NULL);
    UNTIL(has_begun(d, "second")); /* without any request in between */
    assert_int_equal(server_stop(d), 0);
}

/* Runs of a claim whose answer cannot be delivered are released before the server ends. */
static void claims_that_no_client_reads_are_released_at_the_stop(void **state)
{
    static char input[INPUT_BYTES + 1];
    struct server *d = server_start(*state, NULL);
    int fd;

    memset(input, 'x', INPUT_BYTES);
    make_schedule(d, "work",
                  "'action':{'type':'queue','queue':'q','input':{'a':'%s'}},"
                  "'policies':{'overlap':'allowAll'}",
                  input);
    for (int i = 0; i < RUNS; i++)
        trigger(d, "work");
    fd = request_begin(d, "POST", "/api/v1/queues/claim", "{'queues':['q'],'max':%d}", RUNS);
    UNTIL(request_is_answered(fd));
    assert_int_equal(world_number(d->world, ready_runs), 0);
    server_signal(d, SIGTERM);
    server_await(d, "msg=draining");
    server_signal(d, SIGTERM);
    assert_int_equal(server_wait(d), 0);
    assert_int_equal(world_number(d->world, ready_runs), RUNS);
    close(fd);
}

static void link_zone(const struct world *w, const char *to)
{
    unlink(world_path(w, "zones/Here"));
    assert_int_equal(symlink(to, world_path(w, "zones/Here")), 0);
}

static bool runs_at(struct server *d, const char *hour)
{
    const json_t *next = api(d, 200, "GET", "/api/v1/schedules/noon/next?count=1", NULL);

    return strncmp(strchr(text_at(next, "times[0].slot"), 'T') + 1, hour, 2) == 0;
}

/* Tokyo is nine hours ahead of UTC, all year. */
static void readers_see_new_files_of_zones(void **state)
{
    struct world *w = *state;
    struct server *d;

    assert_int_equal(mkdir(world_path(w, "zones"), S_IRWXU), 0);
    link_zone(w, "/usr/share/zoneinfo/UTC");
    d = server_start(
        w, &(struct server_start){.args = WORDS("--zoneinfo", world_path(w, "zones"))});
    make_schedule(d, "noon",
                  "'spec':{'cron':['0 12 * * *'],'timezone':'Here'},"
                  "'action':{'type':'queue','queue':'q'}");
    for (int i = 0; i < READS; i++)
        assert_true(runs_at(d, "12"));
    link_zone(w, "/usr/share/zoneinfo/Asia/Tokyo");
    server_signal(d, SIGHUP);
    server_await(d, "time zones reloaded");
    for (int i = 0; i < READS; i++)
        assert_true(runs_at(d, "03"));
    assert_int_equal(server_stop(d), 0);
}

/* No server listens on port 1; the log must not contain the password. */
static void an_unreachable_database_does_not_delay_the_stop(void **state)
{
    struct server *d = server_spawn(
        *state,
        &(struct server_start){.args = WORDS("--db", "postgres://me:hush@127.0.0.1:1/none",
                                             "--listen", "127.0.0.1:0", "--grpc", "none"),
                               .is_bare = true});

    d->port = server_port(d);
    server_await(d, "database unavailable; retrying");
    assert_int_equal(ask(d, "GET", "/readyz", NULL).status, 503);
    assert_int_equal(ask(d, "GET", "/api/v1/schedules", NULL).status, 503);
    assert_int_equal(ask(d, "GET", "/healthz", NULL).status, 200);
    assert_int_equal(server_stop(d), 0);
    assert_false(server_has_logged(d, "hush"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(the_place_of_a_terminated_program_is_free_at_once),
        E2E_TEST(readers_see_new_files_of_zones),
        E2E_TEST(an_unreachable_database_does_not_delay_the_stop),
        E2E_TEST(claims_that_no_client_reads_are_released_at_the_stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
