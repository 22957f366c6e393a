/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which runs will fail on this server, by the settings of server and namespace.
 */
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "server/frontend/preflight.h"

enum { ARENA_MAX = 4 << 20, TRIES_MAX = 60000 }; /* of a millisecond, for a loaded machine */

struct fixture {
    struct config config;
    struct namespace_cache *namespaces;
    struct preflight *preflight;
    struct arena *arena;
    struct address_net self;
};

static void start(struct fixture *f)
{
    f->preflight = preflight_new(&(struct preflight_options){
        .config = &f->config,
        .self_nets = &f->self,
        .self_net_count = 1,
        .namespaces = f->namespaces,
    });
}

static void set(struct fixture *f, const char *settings)
{
    struct err err;

    if (namespace_cache_put(f->namespaces, 1, STR("default"), str_of(settings), &err) != RC_OK)
        fail_msg("%s", err.text);
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    struct err err;

    assert_non_null(f);
    f->namespaces = namespace_cache_new();
    f->arena = arena_new(ARENA_MAX);
    f->config.exec = true;
    assert_int_equal(address_net_parse(STR("93.184.216.34:7227"), &f->self, &err), RC_OK);
    set(f, "{}");
    start(f);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    struct fixture *f = *state;

    preflight_free(f->preflight);
    namespace_cache_free(f->namespaces);
    arena_free(f->arena);
    free(f);
    return 0;
}

/* The warnings, separated by " | ". */
static const char *warnings(struct fixture *f, const char *action)
{
    struct context_action asked = {STR("default"), str_of(action)};
    struct str list[CONTEXT_WARNINGS_MAX];
    static char text[4096];
    struct buf out = BUF(text);
    int count;

    arena_reset(f->arena);
    count = preflight_warnings(f->preflight, &asked, f->arena, list);
    text[0] = '\0';
    for (int i = 0; i < count; i++)
        buf_printf(&out, "%s%.*s", i > 0 ? " | " : "", STR_ARG(list[i]));
    return text;
}

/* An answer of the lookup thread comes later. */
static const char *later_warnings(struct fixture *f, const char *action)
{
    for (int i = 0; i < TRIES_MAX && warnings(f, action)[0] == '\0'; i++)
        poll(NULL, 0, 1);
    return warnings(f, action);
}

#define DENIED                                                       \
    ", which this server does not call; see http_allow_private and " \
    "allowNetworks"
#define HTTP(url) "{\"type\":\"http\",\"url\":\"" url "\"}"

static void a_denied_address_is_a_warning_at_once(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(warnings(f, HTTP("http://127.0.0.1:80/x")),
                        "its runs fail, because the URL leads to 127.0.0.1, a loopback "
                        "address" DENIED);
    assert_string_equal(warnings(f, HTTP("http://0x7f.1/")),
                        "its runs fail, because the URL leads to 127.0.0.1, a loopback "
                        "address" DENIED);
    assert_string_equal(warnings(f, HTTP("https://[fd00::1]/?at=${scheduledTime}")),
                        "its runs fail, because the URL leads to fd00::1, an address of a "
                        "private network" DENIED);
    assert_string_equal(warnings(f, HTTP("http://169.254.169.254/latest")),
                        "its runs fail, because the URL leads to 169.254.169.254, a "
                        "link-local address" DENIED);
    assert_string_equal(warnings(f, HTTP("http://93.184.216.34:7227/")),
                        "its runs fail, because the URL leads to 93.184.216.34, an address "
                        "of this server" DENIED);
    assert_string_equal(warnings(f, HTTP("http://93.184.216.34/")), "");
    assert_string_equal(warnings(f, HTTP("http://${input.host}/127.0.0.1")), "");
    assert_string_equal(warnings(f, "{\"type\":\"queue\",\"queue\":\"q\"}"), "");
}

static void the_settings_of_server_and_namespace_decide(void **state)
{
    struct fixture *f = *state;

    set(f, "{\"allowNetworks\":[\"127.0.0.0/8:80\"]}");
    assert_string_equal(warnings(f, HTTP("http://127.0.0.1/")), "");
    assert_string_not_equal(warnings(f, HTTP("http://127.0.0.1:81/")), "");
    assert_string_not_equal(warnings(f, HTTP("http://10.0.0.1/")), "");
    set(f, "{\"allowPrivate\":true}");
    assert_string_equal(warnings(f, HTTP("http://10.0.0.1/")), "");
    preflight_free(f->preflight);
    f->config.http_allow_private = true;
    start(f);
    set(f, "{}");
    assert_string_equal(warnings(f, HTTP("http://127.0.0.1/")), "");
}

/* The first answer does not wait for the name server; the address is not shown. */
static void a_name_is_resolved_later(void **state)
{
    struct fixture *f = *state;
    const char *action = HTTP("http://localhost:80/");

    assert_string_equal(later_warnings(f, action),
                        "its runs fail, because the URL leads to \"localhost\", which has no "
                        "address that this server calls; see http_allow_private and "
                        "allowNetworks");
    /* Permitted for one namespace: the addresses are cached, the decision is not. */
    set(f, "{\"allowNetworks\":[\"127.0.0.1\",\"::1\"]}");
    assert_string_equal(warnings(f, action), "");
}

static void a_missing_signing_key_is_a_warning(void **state)
{
    struct fixture *f = *state;
    const char *action = "{\"type\":\"http\",\"url\":\"http://93.184.216.34/\","
                         "\"sign\":\"main\"}";

    assert_string_equal(warnings(f, action),
                        "its runs fail, because the namespace has no signing key \"main\"");
    set(f, "{\"keys\":{\"main\":[\"whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw\"]}}");
    assert_string_equal(warnings(f, action), "");
}

static void a_missing_or_denied_upstream_is_a_warning(void **state)
{
    struct fixture *f = *state;
    const char *named = "{\"type\":\"workflow\",\"name\":\"w\",\"upstream\":\"main\"}";
    const char *unnamed = "{\"type\":\"workflow\",\"name\":\"w\"}";

    assert_string_equal(warnings(f, named),
                        "its runs fail, because the namespace has no upstream \"main\"");
    assert_string_equal(warnings(f, unnamed), ""); /* it waits in a queue */
    set(f, "{\"upstream\":\"main\",\"upstreams\":{\"main\":{\"type\":\"conductor\","
           "\"url\":\"http://10.0.0.1:8080/api\"}}}");
    assert_string_equal(warnings(f, named),
                        "its runs fail, because the upstream leads to 10.0.0.1, an address of "
                        "a private network" DENIED);
    assert_string_not_equal(warnings(f, unnamed), "");
    set(f, "{\"upstream\":\"main\",\"allowPrivate\":true,\"upstreams\":{\"main\":"
           "{\"type\":\"conductor\",\"url\":\"http://10.0.0.1:8080/api\"}}}");
    assert_string_equal(warnings(f, named), "");
}

static void a_program_that_cannot_run_is_a_warning(void **state)
{
    struct fixture *f = *state;

    assert_string_equal(later_warnings(f, "{\"type\":\"exec\",\"argv\":[\"/no/such\"]}"),
                        "its runs fail, because the program \"/no/such\" does not exist");
    assert_string_equal(later_warnings(f, "{\"type\":\"exec\",\"argv\":[\"/etc/passwd\"]}"),
                        "its runs fail, because the file \"/etc/passwd\" is not executable");
    assert_string_equal(
        later_warnings(f, "{\"type\":\"exec\",\"argv\":[\"${input.x}\"],\"cwd\":\"/no/d\"}"),
        "its runs fail, because the directory \"/no/d\" does not exist");
    assert_string_equal(later_warnings(f, "{\"type\":\"exec\",\"argv\":[\"${input.x}\"],"
                                          "\"user\":\"no-such-user\"}"),
                        "its runs fail, because the user \"no-such-user\" does not exist");
}

static void exec_allow_decides_about_programs(void **state)
{
    struct str allow[] = {STR("/usr/local/no-such-directory/")};
    struct fixture *f = *state;

    preflight_free(f->preflight);
    f->config.exec_allow.list = allow;
    f->config.exec_allow.count = 1;
    start(f);
    assert_non_null(strstr(later_warnings(f, "{\"type\":\"exec\",\"argv\":[\"/bin/sh\"]}"),
                           "exec_allow in the server's configuration does not allow"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        TEST(a_denied_address_is_a_warning_at_once),
        TEST(the_settings_of_server_and_namespace_decide),
        TEST(a_name_is_resolved_later),
        TEST(a_missing_signing_key_is_a_warning),
        TEST(a_missing_or_denied_upstream_is_a_warning),
        TEST(a_program_that_cannot_run_is_a_warning),
        TEST(exec_allow_decides_about_programs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
