/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of how the server starts, refuses to start, and reloads its configuration.
 */
#include <signal.h>
#include <sys/stat.h>

#include "request.h"

enum { STATUS_FAILED = 1, STATUS_USAGE = 2, STATUS_UNUSABLE = 70, NOBODY = 65534, READS = 8 };

/* The server must exit with this status and log these words. */
static void assert_refused(struct server *d, int status, const char *words)
{
    int got = server_wait(d);

    if (got != status || !d->log || !strstr(d->log, words))
        fail_msg("status %d, not %d, or no `%s`:\n%s", got, status, words, d->log);
}

/* ---- the start ---- */

/* A user's state is in the home directory, root's in the system's; so this runs as `nobody`. */
static void by_default_state_is_below_home_and_the_address_is_loopback(void **state)
{
    struct world *w = *state;
    bool is_root = geteuid() == 0;
    struct server *d;
    struct stat info;

    if (is_root)
        assert_int_equal(chown(w->dir, NOBODY, NOBODY), 0);
    d = server_start(w, &(struct server_start){
                            .is_bare = true,
                            .env = WORDS("BELFRY_LISTEN=0", "BELFRY_GRPC=none"),
                            .via = is_root ? WORDS("setpriv", "--reuid=65534", "--regid=65534",
                                                   "--clear-groups", "--")
                                           : NULL,
                        });
    assert_true(server_has_logged(d, "address=127.0.0.1"));
    assert_false(server_has_logged(d, "address=0.0.0.0"));
    assert_false(server_has_logged(d, "address=:: "));
    assert_int_equal(stat(world_path(w, ".local/state/belfry/belfry.db"), &info), 0);
    assert_int_equal(stat(world_path(w, ".local/state/belfry"), &info), 0);
    assert_int_equal(info.st_mode & 0777, 0700);
    assert_int_equal(server_stop(d), 0);
}

static void healthz_answers_while_the_database_is_unavailable(void **state)
{
    struct world *w = *state;
    const char *db = "postgres://nobody@127.0.0.1:1/none"; /* no server listens there */
    struct server *d = server_spawn(
        w, &(struct server_start){
               .is_bare = true,
               .args = WORDS("--db", db, "--listen", "127.0.0.1:0", "--grpc", "none")});

    d->port = server_port(d);
    server_await(d, "msg=\"database unavailable; retrying\"");
    assert_int_equal(ask(d, "GET", "/healthz", NULL).status, 200);
    UNTIL(strstr(text_at(api(d, 503, "GET", "/readyz", NULL), "detail"), "is unavailable"));
    assert_true(
        server_has_logged(d, "refused")); /* only the log has the address and the error */
    assert_null(strstr(text_at(api(d, 503, "GET", "/readyz", NULL), "detail"), "127.0.0.1"));
    api(d, 503, "GET", "/api/v1/schedules/a", NULL);
    api(d, 503, "POST", "/api/v1/schedules",
        "{'id':'a','action':{'type':'queue','queue':'q'}}");
    assert_int_equal(server_stop(d), 0);
}

static void a_second_server_on_the_file_is_refused(void **state)
{
    struct world *w = *state;
    struct server *first = server_start(w, NULL);

    assert_refused(server_spawn(w, &(struct server_start){0}), STATUS_FAILED, "in use");
    assert_int_equal(ask(first, "GET", "/readyz", NULL).status, 200);
    assert_int_equal(server_stop(first), 0);
}

/* Two servers would otherwise use the name at once, each with a database of its own. */
static void a_server_whose_database_file_is_removed_or_replaced_stops(void **state)
{
    struct world *w = *state;
    static const char *const words[] = {"was removed", "was replaced"};

    for (int i = 0; i < 2; i++) {
        char file[WORLD_PATH_MAX], other[WORLD_PATH_MAX + sizeof "-wal"];
        struct server *d = server_start(w, NULL);

        snprintf(file, sizeof file, "%s", w->url + strlen("sqlite:"));
        snprintf(other, sizeof other, "%s.new", file);
        if (i > 0)
            fclose(fopen(other, "we"));
        assert_int_equal(i > 0 ? rename(other, file) : unlink(file), 0);
        assert_refused(d, STATUS_UNUSABLE, words[i]);
        unlink(file);
        snprintf(other, sizeof other, "%s-wal", file);
        unlink(other);
        snprintf(other, sizeof other, "%s-shm", file);
        unlink(other);
    }
}

/* Reads use further connections to the file; these must be closed too. */
static void a_clean_stop_leaves_no_wal(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, NULL);
    struct stat info;

    make_schedule(d, "kept", "'action':{'type':'queue','queue':'q'}");
    for (int i = 0; i < READS; i++)
        api(d, 200, "GET", "/api/v1/schedules/kept", NULL);
    assert_int_equal(stat(world_path(w, "belfry.db-wal"), &info), 0);
    assert_int_equal(server_stop(d), 0);
    assert_int_equal(stat(world_path(w, "belfry.db-wal"), &info), -1);
    assert_int_equal(stat(world_path(w, "belfry.db-shm"), &info), -1);
    d = server_start(w, NULL);
    api(d, 200, "GET", "/api/v1/schedules/kept", NULL);
    assert_int_equal(server_stop(d), 0);
}

static void a_port_in_use_is_reported_before_the_database_is_created(void **state)
{
    struct world *w = *state;
    struct server *first = server_start(w, NULL);
    struct stat info;

    snprintf(w->url, sizeof w->url, "sqlite:%s/other.db", w->dir);
    assert_refused(server_spawn(w, &(struct server_start){.port = first->port}), STATUS_FAILED,
                   "in use");
    assert_int_equal(stat(world_path(w, "other.db"), &info), -1);
}

static void a_public_address_without_tls_needs_insecure(void **state)
{
    struct world *w = *state;
    struct server *d;

    d = server_spawn(
        w, &(struct server_start){.is_bare = true,
                                  .args = WORDS("--db", w->url, "--listen", "0.0.0.0:0")});
    assert_refused(d, STATUS_FAILED, "--insecure");
    d = server_spawn(
        w, &(struct server_start){.is_bare = true,
                                  .args = WORDS("--db", w->url, "--listen", "0.0.0.0:0",
                                                "--grpc", "none", "--insecure")});
    server_await(d, "address=0.0.0.0");
    server_await(d, "msg=ready");
    assert_int_equal(server_stop(d), 0);
}

static void a_bad_configuration_is_refused_with_line_and_reason(void **state)
{
    struct world *w = *state;
    const char *file = world_write(w, "bad.conf", "log_level = info\nlease = soon\n");

    assert_refused(server_spawn(w, &(struct server_start){.args = WORDS("--file", file)}),
                   STATUS_USAGE, "bad.conf:2:9:");
    assert_refused(server_spawn(w, &(struct server_start){.args = WORDS("--turn-ms", "0")}),
                   STATUS_USAGE, "--turn-ms");
    assert_refused(server_spawn(w, &(struct server_start){.env = WORDS("BELFRY_GRACE=-1s")}),
                   STATUS_USAGE, "BELFRY_GRACE");
    assert_refused(
        server_spawn(w, &(struct server_start){.args = WORDS("--file", "/nowhere/x.conf")}),
        STATUS_FAILED, "/nowhere/x.conf");
    assert_refused(server_spawn(w, &(struct server_start){.args = WORDS("127.0.0.1:80")}),
                   STATUS_USAGE, "--listen");
}

static void a_file_that_is_not_a_database_is_refused(void **state)
{
    struct world *w = *state;

    world_write(w, "belfry.db", "this file is not a database, although it has its name\n");
    assert_refused(server_spawn(w, &(struct server_start){0}), STATUS_FAILED,
                   "is not a database (26); choose another file with --db");
}

static void unknown_zones_and_files_are_reported_at_the_start(void **state)
{
    struct world *w = *state;
    const char *text = world_write(w, "text", "not a certificate\n");
    const char *file = world_write(w, "far.conf",
                                   "log = logfmt\ndefault_timezone = Europe/Lodnon\n");

    assert_refused(server_spawn(w, &(struct server_start){.args = WORDS("--default-timezone",
                                                                        "Europe/Lodnon")}),
                   STATUS_FAILED, "default_timezone: time zone `Europe/Lodnon` is not known");
    assert_refused(
        server_spawn(w, &(struct server_start){.args = WORDS("--http-ca", "/nowhere/ca.pem")}),
        STATUS_FAILED, "http_ca: cannot read the certificates");
    assert_refused(server_spawn(w, &(struct server_start){.args = WORDS("--http-ca", text)}),
                   STATUS_FAILED, "has no certificate in PEM form");
    assert_refused(server_spawn(w, &(struct server_start){.args = WORDS("--file", file)}),
                   STATUS_FAILED, "far.conf:2: default_timezone: time zone `Europe/Lodnon`");
}

/* ---- reload ---- */

static void a_reload_applies_the_file_and_rejects_an_invalid_one(void **state)
{
    struct world *w = *state;
    const char *file = world_write(w, "belfry.conf", "log_level = info\nturn_ms = 20\n");
    struct server *d = server_start(w, &(struct server_start){.args = WORDS("--file", file)});

    world_write(w, "belfry.conf", "log_level = warn\nturn_ms = 20\nexec = true\n");
    server_signal(d, SIGHUP);
    /* A key that needs a restart is logged as a warning. */
    server_await(d, "key=exec");
    assert_false(server_has_logged(d, "key=log_level"));

    world_write(w, "belfry.conf", "log_level = debug\nturn_ms = many\n");
    server_signal(d, SIGHUP);
    assert_non_null(strstr(server_await(d, "keeping the old one"), "belfry.conf:2:11:"));

    world_write(w, "belfry.conf", "log_level = debug\ndefault_timezone = Europe/Lodnon\n");
    server_signal(d, SIGHUP);
    server_await(d, "did you mean Europe/London");
    assert_false(server_has_logged(d, "key=default_timezone"));

    world_write(w, "belfry.conf", "log_level = info\nturn_ms = 30\n");
    server_signal(d, SIGHUP);
    server_await(d, "key=turn_ms value=30");
    assert_int_equal(ask(d, "GET", "/readyz", NULL).status, 200);
    assert_int_equal(server_stop(d), 0);
}

static bool warns_of_ten_seconds(struct server *d)
{
    json_t *answer = api(d, 200, "POST", "/api/v1/preview",
                         "{\"spec\":{\"intervals\":[{\"every\":\"10s\"}]}}");

    return json_array_size(json_object_get(answer, "warnings")) > 0;
}

/* Readers answer previews, and have their own copy of the settings. */
static void a_reload_applies_to_all_readers(void **state)
{
    struct world *w = *state;
    const char *file = world_write(w, "belfry.conf", "plan_warn_per_day = 1440\n");
    struct server *d = server_start(w, &(struct server_start){.args = WORDS("--file", file)});

    for (int i = 0; i < 4; i++)
        assert_true(warns_of_ten_seconds(d));
    world_write(w, "belfry.conf", "plan_warn_per_day = 10000\n");
    server_signal(d, SIGHUP);
    server_await(d, "key=plan_warn_per_day");
    for (int i = 0; i < 4; i++) /* enough to reach all readers */
        assert_false(warns_of_ten_seconds(d));
    assert_int_equal(server_stop(d), 0);
}

/* ---- systemd ---- */

static void systemd_is_notified_of_start_life_and_stop(void **state)
{
    struct world *w = *state;
    int fd = world_notify_open(w);
    struct server *d = server_start(
        w, &(struct server_start){.env = WORDS(world_notify_env(w), "WATCHDOG_USEC=30000000")});

    world_notify_await(fd, "READY=1");
    world_notify_await(fd, "WATCHDOG=1");
    world_notify_await(fd, "WATCHDOG=1");
    server_signal(d, SIGTERM);
    world_notify_await(fd, "STOPPING=1");
    assert_int_equal(server_wait(d), 0);
    close(fd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(by_default_state_is_below_home_and_the_address_is_loopback),
        E2E_TEST(healthz_answers_while_the_database_is_unavailable),
        E2E_TEST(a_second_server_on_the_file_is_refused),
        E2E_TEST(a_server_whose_database_file_is_removed_or_replaced_stops),
        E2E_TEST(a_clean_stop_leaves_no_wal),
        E2E_TEST(a_port_in_use_is_reported_before_the_database_is_created),
        E2E_TEST(a_public_address_without_tls_needs_insecure),
        E2E_TEST(a_bad_configuration_is_refused_with_line_and_reason),
        E2E_TEST(a_file_that_is_not_a_database_is_refused),
        E2E_TEST(unknown_zones_and_files_are_reported_at_the_start),
        E2E_TEST(a_reload_applies_the_file_and_rejects_an_invalid_one),
        E2E_TEST(a_reload_applies_to_all_readers),
        E2E_TEST(systemd_is_notified_of_start_life_and_stop),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
