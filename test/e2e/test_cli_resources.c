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
    has_text(SAY(d, "queue", "list").out, "reports");
    has_text(SAY(d, "queue", "list").out, "WAITING");
    assert_string_equal(SAY(d, "queue", "list", "-o", "name").out, "reports\n");
    has_text(SAY(d, "queue", "get", "reports").out, "WAITING  1\n");
    has_text(SAY(d, "queue", "pause", "reports").out, "PAUSED   yes\n");
    assert_true(json_is_true(at(api(d, 200, "GET", "/api/v1/queues/reports", NULL), "paused")));
    has_text(SAY(d, "queue", "resume", "reports").out, "PAUSED   no\n");
    REFUSED(d, 2, "queue", "get");
}

static void queues_are_limited(void **state)
{
    struct server *d = server_start(*state, NULL);

    has_text(SAY(d, "queue", "set", "reports", "--limit", "4").out, "LIMIT    4\n");
    assert_int_equal(number_at(api(d, 200, "GET", "/api/v1/queues/reports", NULL), "limit"), 4);
    has_text(SAY(d, "queue", "list").out, "LIMIT");
    SAY(d, "queue", "set", "reports", "--limit", "none");
    assert_true(json_is_null(at(api(d, 200, "GET", "/api/v1/queues/reports", NULL), "limit")));
    has_text(REFUSED(d, 2, "queue", "set", "reports", "--limit", "many").err,
             "a whole number or none, not \"many\"");
    has_text(REFUSED(d, 2, "queue", "set", "reports").err, "--limit");
    has_text(REFUSED(d, 1, "queue", "set", "reports", "--limit", "0").err, "limit");
    has_text(SAY(d, "audit", "list", "--object", "reports").out, "queue.put");
}

static void calendars_are_set_from_words_and_files(void **state)
{
    struct world *world = *state;
    struct server *d = server_start(world, NULL);
    const char *file = world_write(world, "days.txt",
                                   "# of 2027\n2027-12-25\n\n"
                                   "  2027-07-04  # a Sunday\r\n2028-01-01");
    const json_t *dates;

    SAY(d, "calendar", "set", "h", "--date", "2027-12-25", "--date", "2027-01-01");
    assert_int_equal(
        json_array_size(at(api(d, 200, "GET", "/api/v1/calendars/h", NULL), "dates")), 2);
    SAY(d, "calendar", "set", "h", "-f", file);
    dates = at(api(d, 200, "GET", "/api/v1/calendars/h", NULL), "dates");
    assert_int_equal(json_array_size(dates), 3);
    has_text(SAY(d, "calendar", "get", "h").out, "2027-07-04, 2027-12-25, 2028-01-01");
    has_text(SAY(d, "calendar", "list").out, "h             3");
    has_text(REFUSED(d, 1, "calendar", "set", "h", "--date", "2027-02-30").err, "dates[0]");
    has_text(REFUSED(d, 2, "calendar", "set", "h").err, "missing option: --date DATE");
    has_text(SAY(d, "calendar", "delete", "h").out, "h: deleted\n");
    REFUSED(d, 1, "calendar", "get", "h");
}

static void gates_and_namespaces_are_set(void **state)
{
    struct server *d = server_start(*state, NULL);

    has_text(SAY(d, "gate", "set", "db", "4").out, "LIMIT    4\n");
    has_text(SAY(d, "gate", "list").out, "db        4");
    has_text(SAY(d, "gate", "get", "db").out, "OPEN     0\n");
    has_text(REFUSED(d, 2, "gate", "set", "db", "many").err, "whole number, not \"many\"");
    has_text(REFUSED(d, 1, "gate", "set", "db", "0").err, "limit");
    REFUSED(d, 2, "gate", "set", "db");
    has_text(SAY(d, "gate", "delete", "db").out, "db: deleted\n");
    REFUSED(d, 1, "gate", "get", "db");
    REFUSED(d, 1, "gate", "delete", "db");
    SAY(d, "namespace", "set", "billing");
    assert_string_equal(SAY(d, "namespace", "list", "-o", "name").out, "billing\ndefault\n");
    has_text(SAY(d, "namespace", "get", "billing").out, "NAMESPACE  billing\n");
    SAY(d, "schedule", "create", "x", "--every", "1h", "--queue", "q", "-N", "billing");
    REFUSED(d, 1, "schedule", "get", "x");
    has_text(SAY(d, "schedule", "get", "x", "-N", "billing").out,
             "Namespace             billing\n");
    has_text(REFUSED(d, 1, "schedule", "list", "-N", "nobody").err, "nobody");
}

/* ---- tokens ---- */

static struct said with_env(struct server *d, const char *env, const char *const *words)
{
    struct saying saying = {.server = d, .words = words, .env = WORDS(env)};

    return say_all(d->world, &saying);
}

static void write_token(const struct world *world, const char *token, mode_t mode)
{
    const char *path;

    assert_int_equal(mkdir(world_path(world, ".config"), 0700), 0);
    assert_int_equal(mkdir(world_path(world, ".config/belfry"), 0700), 0);
    path = world_write(world, ".config/belfry/token", token);
    assert_int_equal(chmod(path, mode), 0);
}

static void without_a_token_that_is_good_there_is_no_answer(void **state)
{
    struct world *world = *state;
    struct server *d = server_start(world, NULL);
    struct said said = SAY(d, "token", "create", "root", "--role", "admin", "--for", "*");

    has_text(said.out, "\nbf_admin_");
    has_text(said.out, "This token is shown only once.");
    said = REFUSED(d, 77, "schedule", "list");
    has_text(said.err, "set a token with BELFRY_TOKEN");
    said = with_env(d, "BELFRY_TOKEN=bf_admin_wrong", WORDS("schedule", "list"));
    assert_int_equal(said.status, 77);
    lacks_text(said.err, "set a token");
    said = with_env(d, "BELFRY_TOKEN=two words", WORDS("schedule", "list"));
    assert_int_equal(said.status, 2);
    has_text(said.err, "BELFRY_TOKEN: invalid token");
    REFUSED(d, 2, "token", "create");
}

static void a_token_comes_from_its_file(void **state)
{
    struct world *world = *state;
    struct server *d = server_start(world, NULL);
    struct said said = SAY(d, "token", "create", "root", "--role", "admin", "--for", "*", "-o",
                           "name");
    const char *path;

    write_token(world, said.out, 0600);
    said = SAY(d, "token", "create", "ci", "--role", "viewer", "--expires-in", "90d", "-o",
               "json");
    assert_string_equal(text_at(said.json, "role"), "viewer");
    has_text(SAY(d, "token", "list").out, "in 89d23h");
    {
        char env[256];
        struct said viewer;

        snprintf(env, sizeof env, "BELFRY_TOKEN=%s", text_at(said.json, "token"));
        assert_int_equal(with_env(d, env, WORDS("schedule", "list")).status, 0);
        viewer = with_env(d, env,
                          WORDS("schedule", "create", "x", "--every", "1h", "--queue", "q"));
        assert_int_equal(viewer.status, 77);
        lacks_text(viewer.err, "BELFRY_TOKEN");
        has_text(SAY(d, "token", "revoke", text_at(said.json, "id")).out, ": revoked\n");
        assert_int_equal(with_env(d, env, WORDS("schedule", "list")).status, 77);
    }
    path = world_path(world, ".config/belfry/token");
    assert_int_equal(chmod(path, 0644), 0);
    has_text(REFUSED(d, 2, "schedule", "list").err, "chmod 600");
}

static void the_audit_is_listed_and_verified(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct said said;

    SAY(d, "gate", "set", "db", "4");
    SAY(d, "gate", "set", "db", "5");
    SAY(d, "calendar", "set", "h", "--date", "2027-12-25");
    said = SAY(d, "audit", "list", "--operation", "gate.put", "--all", "-o", "json");
    assert_int_equal(json_array_size(said.json), 2);
    has_text(SAY(d, "audit", "list", "--object", "h").out, "calendar.put");
    said = SAY(d, "audit", "list", "--from", "+1h");
    assert_string_equal(said.out, "");
    has_text(said.err, "no entries found");
    has_text(SAY(d, "audit", "verify").out, "No entry was changed.\n");
    said = SAY(d, "audit", "verify", "-o", "json");
    assert_true(json_is_true(at(said.json, "intact")));
    assert_int_equal(number_at(said.json, "nodes[0].entries"), 3);
}

/* ---- where the server is ---- */

static void without_a_server_it_says_where_and_what_to_do(void **state)
{
    struct world *world = *state;
    struct server *d = server_start(world, NULL);
    struct said said;

    assert_int_equal(server_stop(d), 0);
    said = REFUSED(d, 69, "schedule", "list");
    has_text(said.err, "cannot connect to http://127.0.0.1:");
    has_text(said.err, "Connection refused");
    has_text(said.err, "belfry serve");
    said = SAY(d, "version");
    assert_memory_equal(said.out, "belfry ", 7);
    has_text(said.err, "cannot connect");
    assert_string_equal(SAY(d, "version", "--client").err, "");
    has_text(REFUSED(d, 2, "schedule", "list", "--server", "localhost:7227").err,
             "invalid server URL \"localhost:7227\"");
    has_text(REFUSED(d, 69, "schedule", "list", "--server", "http://name.invalid:1").err,
             "name.invalid");
}

static void a_server_under_tls_must_be_trusted(void **state)
{
    struct world *world = *state;
    struct cert cert, other;
    struct server *d;
    char url[64], trust[WORLD_PATH_MAX];
    struct said said;

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
    has_text(SAY(d, "version", "--server", url, "--cacert", cert.cert).out, url);
    SAY(d, "schedule", "list", "--server", url, "--cacert", cert.cert);
    said = REFUSED(d, 69, "schedule", "list", "--server", url);
    has_text(said.err, "is not trusted");
    has_text(said.err, "--cacert FILE or BELFRY_CACERT");
    lacks_text(said.err, "belfry serve");
    REFUSED(d, 69, "schedule", "list", "--server", url, "--cacert", other.cert);
    snprintf(trust, sizeof trust, "BELFRY_CACERT=%s", cert.cert);
    said = say_all(world, &(struct saying){.words = WORDS("version", "--server", url),
                                           .env = WORDS(trust)});
    has_text(said.out, url);
    has_text(REFUSED(d, 2, "schedule", "list", "--server", url, "--cacert", "/none").err,
             "--cacert: cannot read /none");
    cert_remove(&cert);
    cert_remove(&other);
}

/* Both namespaces have work; the worker must use BELFRY_NAMESPACE like other commands. */
static void a_worker_serves_the_namespace_of_the_environment(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct said said;

    api(d, 201, "PUT", "/api/v1/namespaces/team", "{}");
    for (int i = 0; i < 2; i++) {
        const char *of = i == 0 ? "default" : "team";

        SAY(d, "schedule", "create", "a", "--queue", "q", "--namespace", of);
        SAY(d, "schedule", "trigger", "a", "--namespace", of);
    }
    said = say_all(*state, &(struct saying){
                               .server = d,
                               .words = WORDS("worker", "-Q", "q", "--once", "--", "/bin/true"),
                               .env = WORDS("BELFRY_NAMESPACE=team")});
    assert_int_equal(said.status, 0);
    said = SAY(d, "run", "list", "--state", "ended", "--namespace", "team", "-o", "json");
    assert_int_equal(json_array_size(at(said.json, "runs")), 1);
}

static void the_nodes_of_the_server_are_listed(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct said said = SAY(d, "node", "list");

    has_text(said.out, "NODE  NAME");
    has_text(said.out, "up");
    said = SAY(d, "node", "list", "-o", "json");
    assert_int_equal(json_array_size(at(said.json, "nodes")), 1);
    assert_string_equal(text_at(said.json, "nodes.0.version"),
                        text_at(SAY(d, "version", "-o", "json").json, "server.version"));
    REFUSED(d, 2, "node", "list", "--limit", "1"); /* the list has only one page */
}

static void options_may_stand_before_the_command(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct saying saying = {.words = NULL};
    char url[96];

    make_schedule(d, "a", "'spec':{},'action':{'type':'queue','queue':'q'}");
    snprintf(url, sizeof url, "http://127.0.0.1:%d", d->port);
    saying.words = WORDS("--server", url, "--no-color", "-oname", "schedule", "list", "--all");
    assert_string_equal(say_all(*state, &saying).out, "a\n");
    saying.words = WORDS("-s", url, "version");
    has_text(say_all(*state, &saying).out, url);
    has_text(REFUSED(d, 2, "--all", "schedule", "list").err,
             "option \"--all\" before the command; use belfry COMMAND [OPTION]...");
    has_text(REFUSED(d, 2, "--server", url).err, "missing argument: COMMAND");
    has_text(REFUSED(d, 2, "--server").err, "missing argument: COMMAND");
    has_text(REFUSED(d, 2, "--utc", "--", "version").err, "option \"--\" before the command");
    has_text(REFUSED(d, 2, "--utc", "schedul", "list").err, "did you mean \"schedule\"?");
}

static void versions_of_both_are_told(void **state)
{
    struct server *d = server_start(*state, NULL);
    struct said said = SAY(d, "version", "-o", "json");

    assert_string_equal(text_at(said.json, "server.name"), "belfry");
    assert_string_equal(text_at(said.json, "server.version"), text_at(said.json, "client"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(queues_are_shown_paused_and_resumed),
        E2E_TEST(queues_are_limited),
        E2E_TEST(calendars_are_set_from_words_and_files),
        E2E_TEST(gates_and_namespaces_are_set),
        E2E_TEST(without_a_token_that_is_good_there_is_no_answer),
        E2E_TEST(a_token_comes_from_its_file),
        E2E_TEST(the_audit_is_listed_and_verified),
        E2E_TEST(without_a_server_it_says_where_and_what_to_do),
        E2E_TEST(a_server_under_tls_must_be_trusted),
        E2E_TEST(a_worker_serves_the_namespace_of_the_environment),
        E2E_TEST(the_nodes_of_the_server_are_listed),
        E2E_TEST(options_may_stand_before_the_command),
        E2E_TEST(versions_of_both_are_told),
    };

    return cmocka_run_group_tests_name("cli_things", tests, NULL, NULL);
}
