/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests reading and comparing configurations.  Expected values: the table of keys and defaults
 * in docs/operations.md, and the contract in server/config/config.h.
 */
#include "server/config/config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "server/config/config_keys.h"
#include "server/config/config_old.h"

static const char *const no_env[] = {"HOME=/home/ada", NULL};

static struct config *read_good(const struct config_sources *sources)
{
    struct config *config = NULL;
    struct err err;

    if (config_read(sources, &config, &err) != RC_OK)
        fail_msg("%s", err.text);
    return config;
}

static struct config *read_text(struct str text)
{
    return read_good(
        &(struct config_sources){.file = "belfry.conf", .text = text, .env = no_env});
}

static void check_value(const struct config *config, enum config_id id, const char *value,
                        const char *source)
{
    char value_text[CONFIG_SHOWN_MAX], source_text[200];
    struct buf shown = BUF(value_text), from = BUF(source_text);

    config_format(config, id, &shown);
    config_source_text(config, id, &from);
    assert_string_equal(value_text, value);
    assert_string_equal(source_text, source);
}

/* Every help text shows the default. */
static void check_help(const struct config_key *key)
{
    char text[64];

    snprintf(text, sizeof text, "(default%s%s", key->fallback && key->fallback[0] ? " " : "",
             key->fallback ? key->fallback : "");
    if (!strstr(key->help, text))
        fail_msg("the help of %s does not show %s", key->name, text);
}

static void the_keys_are_complete_and_in_order(void **state)
{
    static const char names[] =
        "db listen grpc state_dir zoneinfo default_timezone enabled seed_dir min_interval "
        "plan_warn_per_day log log_level tls_cert tls_key insecure hosts http_concurrency "
        "http_per_host http_allow_private http_ca exec exec_concurrency exec_allow lease "
        "heartbeat grace node_lease max_run_time turn_ms turn_rows dispatch_jitter "
        "buffer_limit backfill_portion retention future_ttl max_jump drain rate_read "
        "rate_write quota_schedules conductor_keep catalogue page";
    char text[sizeof names];
    struct buf out = BUF(text);

    (void)state;
    for (int i = 0; i < CONFIG_KEYS; i++) {
        buf_printf(&out, "%s%s", i > 0 ? " " : "", config_keys[i].name);
        check_help(&config_keys[i]);
        assert_int_equal(config_key_find(str_of(config_keys[i].name)), i);
    }
    assert_false(out.cut);
    assert_string_equal(text, names);
    assert_int_equal(config_key_find(STR("http-per-host")), CONFIG_HTTP_PER_HOST);
    assert_int_equal(config_key_find(STR("http")), -1);
}

static void without_sources_all_keys_have_their_defaults(void **state)
{
    struct config *config = read_good(&(struct config_sources){.env = no_env});

    (void)state;
    check_value(config, CONFIG_DB, "sqlite:/home/ada/.local/state/belfry/belfry.db", "default");
    check_value(config, CONFIG_LISTEN, "127.0.0.1:7227, [::1]:7227", "default");
    check_value(config, CONFIG_GRPC, "127.0.0.1:7233, [::1]:7233", "default");
    assert_int_equal(config->lease, 90 * SPAN_S);
    assert_int_equal(config->heartbeat, 30 * SPAN_S);
    assert_int_equal(config->grace, 30 * SPAN_S);
    assert_int_equal(config->node_lease, 10 * SPAN_S);
    assert_int_equal(config->turn_ms, 25);
    assert_int_equal(config->turn_rows, 4096);
    assert_int_equal(config->max_jump, SPAN_H);
    assert_int_equal(config->retention, 90 * SPAN_DAY);
    assert_int_equal(config->max_run_time, SPAN_DAY);
    assert_int_equal(config->buffer_limit, 1000);
    assert_true(config->enabled);
    assert_false(config->insecure || config->exec || config->http_allow_private);
    assert_int_equal(config->log, LOG_LOGFMT);
    assert_int_equal(config->log_level, LEVEL_INFO);
    config_free(config);
}

static void check_state_dir(const struct config_sources *sources, const char *expected)
{
    struct config *config = read_good(sources);

    check_value(config, CONFIG_STATE_DIR, expected, "default");
    config_free(config);
}

static void the_default_state_directory_depends_on_user_and_environment(void **state)
{
    static const char *const systemd[] = {"HOME=/root", "STATE_DIRECTORY=/var/lib/a:/b", NULL};
    static const char *const xdg[] = {"XDG_STATE_HOME=/x", "HOME=/home/ada", NULL};
    static const char *const empty[] = {"XDG_STATE_HOME=", "HOME=/home/ada", NULL};
    static const char *const none[] = {NULL};

    (void)state;
    check_state_dir(&(struct config_sources){.env = systemd, .is_root = true}, "/var/lib/a");
    check_state_dir(&(struct config_sources){.env = xdg}, "/x/belfry");
    check_state_dir(&(struct config_sources){.env = empty}, "/home/ada/.local/state/belfry");
    check_state_dir(&(struct config_sources){.env = xdg, .is_root = true}, "/var/lib/belfry");
    check_state_dir(&(struct config_sources){.env = none}, "/var/lib/belfry");
    check_state_dir(&(struct config_sources){.env = NULL}, "/var/lib/belfry");
}

static void a_later_source_overrides_an_earlier_one(void **state)
{
    static const char *const env[] = {"HOME=/h",       "BELFRY_GRACE=2s",  "BELFRY_DRAIN=2s",
                                      "BELFRY_LEASE=", "BELFRY_LEASES=9s", NULL};
    const char *flag[CONFIG_KEYS] = {[CONFIG_DRAIN] = "3s", [CONFIG_EXEC] = "true"};
    struct config *config = read_good(&(struct config_sources){
        .file = "etc/belfry.conf",
        .text = STR("# four\nlease = 61s\ngrace = 1s\ndrain = 1s\nstate_dir = \"/a b\"\n"),
        .env = env,
        .flag = flag,
    });

    (void)state;
    check_value(config, CONFIG_LEASE, "1m1s", "etc/belfry.conf:2"); /* empty: not set */
    check_value(config, CONFIG_GRACE, "2s", "env");
    check_value(config, CONFIG_DRAIN, "3s", "flag");
    check_value(config, CONFIG_EXEC, "true", "flag");
    check_value(config, CONFIG_MAX_JUMP, "1h", "default");
    check_value(config, CONFIG_DB, "sqlite:/a b/belfry.db", "default");
    config_free(config);
}

static void check_refused(const struct config_sources *sources, enum rc rc, const char *text)
{
    struct config *config = NULL;
    struct err err;

    assert_int_equal(config_read(sources, &config, &err), rc);
    assert_null(config);
    assert_string_equal(err.text, text);
}

static void check_file(struct str text, const char *expected)
{
    check_refused(&(struct config_sources){.file = "belfry.conf", .text = text, .env = no_env},
                  RC_INVALID, expected);
}

static void an_error_in_the_file_has_its_line_and_column(void **state)
{
    (void)state;
    check_file(STR("\nlease = 90x\n"), "belfry.conf:2:11: unknown unit; use d, h, m, s, ms, us "
                                       "or ns");
    check_file(STR("listen = 80, \n"),
               "belfry.conf:1:13: missing address; write it as 127.0.0.1:7227");
    check_file(STR("log = \"xml\""), "belfry.conf:1:8: must be logfmt or json");
    check_file(STR("log = \"\\\"\""), "belfry.conf:1:8: must be logfmt or json");
    check_file(STR("a=1\n"),
               "belfry.conf:1:1: unknown key \"a\"; `belfry config` prints all keys");
    check_file(STR("  listne = 80"),
               "belfry.conf:1:3: unknown key \"listne\"; did you mean listen?");
    check_file(STR("log=json\n\nlog=json"), "belfry.conf:3:1: log is already set in line 1");
    check_file(STR("log"), "belfry.conf:1:4: missing =; write key = value");
    check_file(STR("turn_ms = 0 # none"),
               "belfry.conf:1:11: must be a whole number from 1 to 1000");
}

static void other_errors_name_the_variable_or_the_flag(void **state)
{
    static const char *const env[] = {"BELFRY_HTTP_PER_HOST=many", NULL};
    static const char *const env_db[] = {"BELFRY_DB=mysql://u:secret@h", NULL};
    const char *flag[CONFIG_KEYS] = {[CONFIG_HTTP_PER_HOST] = "0"};

    (void)state;
    check_refused(&(struct config_sources){.env = env}, RC_INVALID,
                  "BELFRY_HTTP_PER_HOST=many: must be a whole number from 1 to 10000");
    check_refused(&(struct config_sources){.flag = flag}, RC_INVALID,
                  "--http-per-host=0: must be a whole number from 1 to 10000");
    check_refused(&(struct config_sources){.env = env_db}, RC_INVALID,
                  "BELFRY_DB: invalid database URL; use sqlite:FILE or "
                  "postgres://USER@HOST/NAME");
}

static void contradictory_values_are_rejected(void **state)
{
    struct config *config = read_text(STR("tls_cert = a\ntls_key = b\n"
                                          "lease = 30s\nheartbeat = 29s\n"
                                          "listen = 80\ngrpc = none\n"));

    (void)state;
    config_free(config);
    check_file(STR("tls_cert = a"),
               "tls_cert and tls_key must be set together; tls_key is missing");
    check_file(STR("tls_key = a"),
               "tls_cert and tls_key must be set together; tls_cert is missing");
    check_file(STR("heartbeat = 90s"),
               "heartbeat must be shorter than lease; use a third of it");
    check_file(STR("grpc = [::1]:7227"),
               "listen and grpc both contain ::1 port 7227; one is enough, because every "
               "listener supports gRPC");
    check_file(STR("state_dir = \"\""), "state_dir is empty; set a directory");
}

static void the_size_of_a_file_is_limited(void **state)
{
    static char text[CONFIG_FILE_MAX + 1];
    struct config_sources sources = {
        .file = "big.conf", .text = {text, CONFIG_FILE_MAX}, .env = no_env};

    (void)state;
    memset(text, '\n', sizeof text);
    config_free(read_good(&sources));
    sources.text.len++;
    check_refused(&sources, RC_LIMIT, "big.conf: file is too large; the limit is 65536 bytes");
}

static void a_file_is_read_from_disk(void **state)
{
    char path[] = "/tmp/belfry-test-XXXXXX", expected[200];
    int fd = mkstemp(path);
    struct config_sources sources = {.file = path, .env = no_env};
    struct config *config = NULL;
    struct err err;

    (void)state;
    assert_int_equal(write(fd, "log = json\n", 11), 11);
    assert_int_equal(config_load(&sources, &config, &err), RC_OK);
    snprintf(expected, sizeof expected, "%s:1", path);
    check_value(config, CONFIG_LOG, "json", expected);
    config = config_free(config);
    assert_int_equal(write(fd, "x", 1), 1);
    assert_int_equal(config_load(&sources, &config, &err), RC_INVALID);
    snprintf(expected, sizeof expected, "%s:2:2: missing =; write key = value", path);
    assert_string_equal(err.text, expected);
    close(fd);
    unlink(path);
    assert_int_equal(config_load(&sources, &config, &err), RC_NOT_FOUND);
    assert_non_null(strstr(err.text, "No such file"));
    sources.file = "/";
    assert_int_equal(config_load(&sources, &config, &err), RC_NOT_FOUND);
    assert_null(config);
}

static void invalid_bytes_in_a_file_name_are_replaced(void **state)
{
    struct config *config = read_good(&(struct config_sources){
        .file = "a\xff\n\xc3\xbc", .text = STR("log = json"), .env = no_env});

    (void)state;
    check_value(config, CONFIG_LOG, "json", "a??\xc3\xbc:1");
    config_free(config);
}

static void changes_are_listed_with_whether_they_need_a_restart(void **state)
{
    struct config *old = read_text(STR("lease = 90s\nexec = on\nexec_allow = /a, /b\n"));
    struct config *new = read_text(STR("lease = 1m30s\nlisten = 81\nexec_allow = /a,/c\n"
                                       "log_level = debug"));
    struct config_change changes[CONFIG_KEYS];

    (void)state;
    assert_int_equal(config_changes(old, old, changes), 0);
    assert_int_equal(config_changes(old, new, changes), 4);
    assert_int_equal(changes[0].id, CONFIG_LISTEN);
    assert_true(changes[0].needs_restart);
    assert_int_equal(changes[1].id, CONFIG_LOG_LEVEL);
    assert_false(changes[1].needs_restart);
    assert_int_equal(changes[2].id, CONFIG_EXEC);
    assert_int_equal(changes[3].id, CONFIG_EXEC_ALLOW);
    config_free(old);
    config_free(new);
}

static void keys_that_need_a_restart_keep_their_old_values(void **state)
{
    struct config *old = read_text(STR("db = sqlite:/a\nexec_allow = /a\nnode_lease = 5s\n"
                                       "http_concurrency = 7\nlease = 80s"));
    struct config *new = read_text(STR("db = sqlite:/b\nexec_allow = /b\nnode_lease = 1h\n"
                                       "http_concurrency = 9\nlease = 70s"));

    (void)state;
    config_keep_restart_keys(new, old);
    assert_true(str_eq(new->db, STR("sqlite:/a")));
    assert_true(str_eq(new->exec_allow.list[0], STR("/a")));
    assert_int_equal(new->node_lease, 5 * SPAN_S);
    assert_int_equal(new->http_concurrency, 7);
    assert_int_equal(new->lease, 70 * SPAN_S);
    config_free(new);
    config_free(old);
}

static void check_shown(const char *url, const char *expected)
{
    const char *flag[CONFIG_KEYS] = {[CONFIG_DB] = url};
    struct config *config = read_good(&(struct config_sources){.flag = flag});
    char text[CONFIG_SHOWN_MAX];
    struct buf out = BUF(text);

    config_show(config, CONFIG_DB, &out);
    assert_string_equal(text, expected);
    check_value(config, CONFIG_DB, url, "flag");
    config_free(config);
}

static void the_password_of_a_database_is_not_shown(void **state)
{
    (void)state;
    check_shown("sqlite:/a:b@c?d", "sqlite:/a:b@c?d");
    check_shown("postgres://ada@db:5432/n", "postgres://ada@db:5432/n");
    check_shown("postgres://db:5432/n", "postgres://db:5432/n");
    check_shown("postgres://ada:secret@db:5432/n", "postgres://ada:***@db:5432/n");
    check_shown("postgresql://ada:se@cr/et@db", "postgresql://ada:***@db");
    check_shown("postgres://ada:s?t@db/n", "postgres://ada:***@db/n");
    check_shown("postgres://db/n?password=secret&x=1", "postgres://db/n?***");
    check_shown("postgres://:x@db?user=a", "postgres://:***@db?***");
}

static void unknown_variables_are_found(void **state)
{
    static const char *const env[] = {"BELFRY_LISTEN=80",
                                      "PATH=/bin",
                                      "BELFRY_LISTNE=1",
                                      "BELFRY=x",
                                      "BELFRY_RUN=r_1",
                                      "BELFRY_TOKEN=x",
                                      "BELFRY_CACERT=/etc/ca.pem",
                                      "BELFRY_NO_BOOTSTRAP=1",
                                      "BELFRY_ZZZZZZZZ=12",
                                      NULL};
    struct err note;
    int at = 0;

    (void)state;
    assert_true(config_unknown_env(env, &at, &note));
    assert_string_equal(note.text, "BELFRY_LISTNE in the environment is not used; did you mean "
                                   "BELFRY_LISTEN?");
    assert_true(config_unknown_env(env, &at, &note));
    assert_string_equal(note.text, "BELFRY_ZZZZZZZZ in the environment is not used");
    assert_false(config_unknown_env(env, &at, &note));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_keys_are_complete_and_in_order),
        cmocka_unit_test(without_sources_all_keys_have_their_defaults),
        cmocka_unit_test(the_default_state_directory_depends_on_user_and_environment),
        cmocka_unit_test(a_later_source_overrides_an_earlier_one),
        cmocka_unit_test(an_error_in_the_file_has_its_line_and_column),
        cmocka_unit_test(other_errors_name_the_variable_or_the_flag),
        cmocka_unit_test(contradictory_values_are_rejected),
        cmocka_unit_test(the_size_of_a_file_is_limited),
        cmocka_unit_test(a_file_is_read_from_disk),
        cmocka_unit_test(invalid_bytes_in_a_file_name_are_replaced),
        cmocka_unit_test(changes_are_listed_with_whether_they_need_a_restart),
        cmocka_unit_test(keys_that_need_a_restart_keep_their_old_values),
        cmocka_unit_test(the_password_of_a_database_is_not_shown),
        cmocka_unit_test(unknown_variables_are_found),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
