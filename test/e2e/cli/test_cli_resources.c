/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of the commands for queues, calendars, gates, namespaces, tokens and the audit log, and
 * of where a command finds its server and its token.
 */
#include <sys/stat.h>

#include "cert.h"
#include "command.h"
#include "request.h"

static void queues_are_shown_paused_and_resumed(void **state)
{
    struct server *d = server_start(*state, NULL);

    make_schedule(d, "a", "'spec':{},'action':{'type':'queue','queue':'reports'}");
    trigger(d, "a");
    assert_has(BELFRY(d, "queue", "list").out, "reports");
    assert_has(BELFRY(d, "queue", "list").out, "WAITING");
    assert_string_equal(BELFRY(d, "queue", "list", "-o", "name").out, "reports\n");
    assert_has(BELFRY(d, "queue", "get", "reports").out, "WAITING  1\n");
    assert_has(BELFRY(d, "queue", "pause", "reports").out, "PAUSED   yes\n");
    assert_true(json_is_true(at(api(d, 200, "GET", "/api/v1/queues/reports", NULL), "paused")));
    assert_has(BELFRY(d, "queue", "resume", "reports").out, "PAUSED   no\n");
    REFUSED(d, 2, "queue", "get");
}

static void queues_are_limited(void **state)
{
    struct server *d = server_start(*state, NULL);

    assert_has(BELFRY(d, "queue", "set", "reports", "--limit", "4").out, "LIMIT    4\n");
    assert_int_equal(number_at(api(d, 200, "GET", "/api/v1/queues/reports", NULL), "limit"), 4);
    assert_has(BELFRY(d, "queue", "list").out, "LIMIT");
    BELFRY(d, "queue", "set", "reports", "--limit", "none");
    assert_true(json_is_null(at(api(d, 200, "GET", "/api/v1/queues/reports", NULL), "limit")));
    assert_has(REFUSED(d, 2, "queue", "set", "reports", "--limit", "many").err,
               "a whole number or none, not \"many\"");
    assert_has(REFUSED(d, 2, "queue", "set", "reports").err, "--limit");
    assert_has(REFUSED(d, 1, "queue", "set", "reports", "--limit", "0").err, "limit");
    assert_has(BELFRY(d, "audit", "list", "--object", "reports").out, "queue.put");
}

static void calendars_are_set_from_arguments_and_files(void **state)
{
    struct world *world = *state;
    struct server *d = server_start(world, NULL);
    const char *file = world_write(world, "days.txt",
                                   "# of 2027\n2027-12-25\n\n"
                                   "  2027-07-04  # a Sunday\r\n2028-01-01");
    const json_t *dates;

    BELFRY(d, "calendar", "set", "h", "--date", "2027-12-25", "--date", "2027-01-01");
    assert_int_equal(
        json_array_size(at(api(d, 200, "GET", "/api/v1/calendars/h", NULL), "dates")), 2);
    BELFRY(d, "calendar", "set", "h", "-f", file);
    dates = at(api(d, 200, "GET", "/api/v1/calendars/h", NULL), "dates");
    assert_int_equal(json_array_size(dates), 3);
    assert_has(BELFRY(d, "calendar", "get", "h").out, "2027-07-04, 2027-12-25, 2028-01-01");
    assert_has(BELFRY(d, "calendar", "list").out, "h             3");
    assert_has(REFUSED(d, 1, "calendar", "set", "h", "--date", "2027-02-30").err, "dates[0]");
    assert_has(REFUSED(d, 2, "calendar", "set", "h").err, "missing option: --date DATE");
    assert_has(BELFRY(d, "calendar", "delete", "h").out, "h: deleted\n");
    REFUSED(d, 1, "calendar", "get", "h");
}

static void gates_and_namespaces_are_set(void **state)
{
    struct server *d = server_start(*state, NULL);

    assert_has(BELFRY(d, "gate", "set", "db", "4").out, "LIMIT    4\n");
    assert_has(BELFRY(d, "gate", "list").out, "db        4");
    assert_has(BELFRY(d, "gate", "get", "db").out, "OPEN     0\n");
    assert_has(REFUSED(d, 2, "gate", "set", "db", "many").err, "whole number, not \"many\"");
    assert_has(REFUSED(d, 1, "gate", "set", "db", "0").err, "limit");
    REFUSED(d, 2, "gate", "set", "db");
    assert_has(BELFRY(d, "gate", "delete", "db").out, "db: deleted\n");
    REFUSED(d, 1, "gate", "get", "db");
    REFUSED(d, 1, "gate", "delete", "db");
    BELFRY(d, "namespace", "set", "billing");
    assert_string_equal(BELFRY(d, "namespace", "list", "-o", "name").out, "billing\ndefault\n");
    assert_has(BELFRY(d, "namespace", "get", "billing").out, "NAMESPACE  billing\n");
    BELFRY(d, "schedule", "create", "x", "--every", "1h", "--queue", "q", "-N", "billing");
    REFUSED(d, 1, "schedule", "get", "x");
    assert_has(BELFRY(d, "schedule", "get", "x", "-N", "billing").out,
               "Namespace             billing\n");
    assert_has(REFUSED(d, 1, "schedule", "list", "-N", "nobody").err, "nobody");
}

/* ---- tokens ---- */

static struct command_result with_env(struct server *d, const char *env,
                                      const char *const *words)
{
    struct command command = {.server = d, .words = words, .env = WORDS(env)};

    return command_run(d->world, &command);
}

static void write_token(const struct world *world, const char *token, mode_t mode)
{
    const char *path;

    assert_int_equal(mkdir(world_path(world, ".config"), 0700), 0);
    assert_int_equal(mkdir(world_path(world, ".config/belfry"), 0700), 0);
    path = world_write(world, ".config/belfry/token", token);
    assert_int_equal(chmod(path, mode), 0);
}

static void commands_fail_without_a_valid_token(void **state)
{
    struct world *world = *state;
    struct server *d = server_start(world, NULL);
    struct command_result result = BELFRY(d, "token", "create", "root", "--role", "admin",
                                          "--for", "*");

    assert_has(result.out, "\nbf_admin_");
    assert_has(result.out, "This token is shown only once.");
    result = REFUSED(d, 77, "schedule", "list");
    assert_has(result.err, "set a token with BELFRY_TOKEN");
    result = with_env(d, "BELFRY_TOKEN=bf_admin_wrong", WORDS("schedule", "list"));
    assert_int_equal(result.status, 77);
    assert_lacks(result.err, "set a token");
    result = with_env(d, "BELFRY_TOKEN=two words", WORDS("schedule", "list"));
    assert_int_equal(result.status, 2);
    assert_has(result.err, "BELFRY_TOKEN: invalid token");
    REFUSED(d, 2, "token", "create");
}

static void the_token_file_is_used(void **state)
{
    struct world *world = *state;
    struct server *d = server_start(world, NULL);
    struct command_result result = BELFRY(d, "token", "create", "root", "--role", "admin",
                                          "--for", "*", "-o", "name");
    const char *path;

    write_token(world, result.out, 0600);
    result = BELFRY(d, "token", "create", "ci", "--role", "viewer", "--expires-in", "90d", "-o",
                    "json");
    assert_string_equal(text_at(result.json, "role"), "viewer");
    assert_has(BELFRY(d, "token", "list").out, "in 89d23h");
    {
        char env[256];
        struct command_result viewer;

        snprintf(env, sizeof env, "BELFRY_TOKEN=%s", text_at(result.json, "token"));
        assert_int_equal(with_env(d, env, WORDS("schedule", "list")).status, 0);
        viewer = with_env(d, env,
                          WORDS("schedule", "create", "x", "--every", "1h", "--queue", "q"));
        assert_int_equal(viewer.status, 77);
        assert_lacks(viewer.err, "BELFRY_TOKEN");
        assert_has(BELFRY(d, "token", "revoke", text_at(result.json, "id")).out, ": revoked\n");
        assert_int_equal(with_env(d, env, WORDS("schedule", "list")).status, 77);
    }
    path = world_path(world, ".config/belfry/token");
    assert_int_equal(chmod(path, 0644), 0);
    assert_has(REFUSED(d, 2, "schedule", "list").err, "chmod 600");
}

static void the_audit_is_listed_and_verified(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct command_result result;

    BELFRY(d, "gate", "set", "db", "4");
    BELFRY(d, "gate", "set", "db", "5");
    BELFRY(d, "calendar", "set", "h", "--date", "2027-12-25");
    result = BELFRY(d, "audit", "list", "--operation", "gate.put", "--all", "-o", "json");
    assert_int_equal(json_array_size(result.json), 2);
    assert_has(BELFRY(d, "audit", "list", "--object", "h").out, "calendar.put");
    result = BELFRY(d, "audit", "list", "--from", "+1h");
    assert_string_equal(result.out, "");
    assert_has(result.err, "no entries found");
    assert_has(BELFRY(d, "audit", "verify").out, "No entry was changed.\n");
    result = BELFRY(d, "audit", "verify", "-o", "json");
    assert_true(json_is_true(at(result.json, "intact")));
    assert_int_equal(number_at(result.json, "nodes[0].entries"), 3);
}

/* ---- where the server is ---- */

static void an_unreachable_server_is_reported_with_advice(void **state)
{
    struct world *world = *state;
    struct server *d = server_start(world, NULL);
    struct command_result result;

    assert_int_equal(server_stop(d), 0);
    result = REFUSED(d, 69, "schedule", "list");
    assert_has(result.err, "cannot connect to http://127.0.0.1:");
    assert_has(result.err, "Connection refused");
    assert_has(result.err, "belfry serve");
    result = BELFRY(d, "version");
    assert_memory_equal(result.out, "belfry ", 7);
    assert_has(result.err, "cannot connect");
    assert_string_equal(BELFRY(d, "version", "--client").err, "");
    assert_has(REFUSED(d, 2, "schedule", "list", "--server", "localhost:7227").err,
               "invalid server URL \"localhost:7227\"");
    assert_has(REFUSED(d, 69, "schedule", "list", "--server", "http://name.invalid:1").err,
               "name.invalid");
}

static void a_tls_server_must_be_trusted(void **state)
{
    struct world *world = *state;
    struct cert cert, other;
    struct server *d;
    char url[64], trust[WORLD_PATH_MAX];
    struct command_result result;

    cert_make(CERT_EC, "mine", &cert);
    cert_make(CERT_EC, "other", &other);
    d = server_spawn(
        world, &(struct server_start){
                   .is_bare = true,
                   .args = WORDS("--db", world->url, "--listen", "127.0.0.1:0", "--grpc",
                                 "none", "--tls-cert", cert.cert, "--tls-key", cert.key)});
    d->port = server_port(d);
    server_await(d, "msg=ready");
    snprintf(url, sizeof url, "https://127.0.0.1:%u", d->port);
    assert_has(BELFRY(d, "version", "--server", url, "--cacert", cert.cert).out, url);
    BELFRY(d, "schedule", "list", "--server", url, "--cacert", cert.cert);
    result = REFUSED(d, 69, "schedule", "list", "--server", url);
    assert_has(result.err, "is not trusted");
    assert_has(result.err, "--cacert FILE or BELFRY_CACERT");
    assert_lacks(result.err, "belfry serve");
    REFUSED(d, 69, "schedule", "list", "--server", url, "--cacert", other.cert);
    snprintf(trust, sizeof trust, "BELFRY_CACERT=%s", cert.cert);
    result = command_run(world, &(struct command){.words = WORDS("version", "--server", url),
                                                  .env = WORDS(trust)});
    assert_has(result.out, url);
    assert_has(REFUSED(d, 2, "schedule", "list", "--server", url, "--cacert", "/none").err,
               "--cacert: cannot read /none");
    cert_remove(&cert);
    cert_remove(&other);
}

/* Both namespaces have work; the worker must use BELFRY_NAMESPACE like other commands. */
static void a_worker_uses_the_namespace_of_the_environment(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct command_result result;

    api(d, 201, "PUT", "/api/v1/namespaces/team", "{}");
    for (int i = 0; i < 2; i++) {
        const char *of = i == 0 ? "default" : "team";

        BELFRY(d, "schedule", "create", "a", "--queue", "q", "--namespace", of);
        BELFRY(d, "schedule", "trigger", "a", "--namespace", of);
    }
    result = command_run(*state, &(struct command){.server = d,
                                                   .words = WORDS("worker", "-Q", "q", "--once",
                                                                  "--", "/bin/true"),
                                                   .env = WORDS("BELFRY_NAMESPACE=team")});
    assert_int_equal(result.status, 0);
    result = BELFRY(d, "run", "list", "--state", "ended", "--namespace", "team", "-o", "json");
    assert_int_equal(json_array_size(at(result.json, "runs")), 1);
}

static void the_nodes_of_the_server_are_listed(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct command_result result = BELFRY(d, "node", "list");

    assert_has(result.out, "NODE  NAME");
    assert_has(result.out, "  up  ");
    result = BELFRY(d, "node", "list", "-o", "json");
    assert_int_equal(json_array_size(at(result.json, "nodes")), 1);
    assert_string_equal(text_at(result.json, "nodes.0.version"),
                        text_at(BELFRY(d, "version", "-o", "json").json, "server.version"));
    REFUSED(d, 2, "node", "list", "--limit", "1"); /* the list has only one page */
}

static void the_status_shows_what_needs_attention(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct command_result result;

    UNTIL(server_has_logged(d, "catalogue loaded"));
    result = BELFRY(d, "status");
    assert_has(result.out, "Schedules");
    make_schedule(d, "a", "'spec':{},'action':{'type':'queue','queue':'q'}");
    trigger(d, "a");
    tell_run(d, "fail", json_array_get(claim(d, "q", 1, "5s"), 0), ",'error':'exit status 1'");
    UNTIL(strcmp(BELFRY(d, "status", "-o", "name").out, "a\n") == 0);
    result = BELFRY(d, "status", "--utc");
    assert_has(result.out, "SCHEDULE  KIND");
    assert_has(result.out, "a         failing  failed at ");
    assert_has(result.out, ": exit status 1\n");
    result = BELFRY(d, "status", "-o", "json");
    assert_int_equal(number_at(result.json, "attentionTotal"), 1);
    REFUSED(d, 2, "status", "a");
}

static void options_may_precede_the_command(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct command command = {.words = NULL};
    char url[96];

    make_schedule(d, "a", "'spec':{},'action':{'type':'queue','queue':'q'}");
    snprintf(url, sizeof url, "http://127.0.0.1:%d", d->port);
    command.words = WORDS("--server", url, "--no-color", "-oname", "schedule", "list", "--all");
    assert_string_equal(command_run(*state, &command).out, "a\n");
    command.words = WORDS("-s", url, "version");
    assert_has(command_run(*state, &command).out, url);
    assert_has(REFUSED(d, 2, "--all", "schedule", "list").err,
               "option \"--all\" before the command; use belfry COMMAND [OPTION]...");
    assert_has(REFUSED(d, 2, "--server", url).err, "missing argument: COMMAND");
    assert_has(REFUSED(d, 2, "--server").err, "missing argument: COMMAND");
    assert_has(REFUSED(d, 2, "--utc", "--", "version").err, "option \"--\" before the command");
    assert_has(REFUSED(d, 2, "--utc", "schedul", "list").err, "did you mean \"schedule\"?");
}

static void version_prints_client_and_server(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct command_result result = BELFRY(d, "version", "-o", "json");

    assert_string_equal(text_at(result.json, "server.name"), "belfry");
    assert_string_equal(text_at(result.json, "server.version"), text_at(result.json, "client"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(queues_are_shown_paused_and_resumed),
        E2E_TEST(queues_are_limited),
        E2E_TEST(calendars_are_set_from_arguments_and_files),
        E2E_TEST(gates_and_namespaces_are_set),
        E2E_TEST(commands_fail_without_a_valid_token),
        E2E_TEST(the_token_file_is_used),
        E2E_TEST(the_audit_is_listed_and_verified),
        E2E_TEST(an_unreachable_server_is_reported_with_advice),
        E2E_TEST(a_tls_server_must_be_trusted),
        E2E_TEST(a_worker_uses_the_namespace_of_the_environment),
        E2E_TEST(the_nodes_of_the_server_are_listed),
        E2E_TEST(the_status_shows_what_needs_attention),
        E2E_TEST(options_may_precede_the_command),
        E2E_TEST(version_prints_client_and_server),
    };

    return cmocka_run_group_tests_name("cli_resources", tests, NULL, NULL);
}
