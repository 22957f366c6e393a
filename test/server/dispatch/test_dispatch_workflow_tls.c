/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests workflows in Conductor over TLS, with authorities, a certificate and a name of the
 * upstream's own settings.
 */
#include "workflow_world.h"

#include "tls_proxy.h"

enum { TEXT_MAX = 4 * CERT_JSON_MAX };

#define POST "POST /api/workflow"

/* The certificate of the proxy is for 127.0.0.1, not for this name. */
#define OTHER_NAME "localhost"

static void use_tls(struct world *world, const struct tls_proxy *proxy, const char *more)
{
    static char ca[CERT_JSON_MAX], settings[2 * TEXT_MAX];

    cert_json(proxy->cert.cert, ca);
    (void)snprintf(settings, sizeof settings,
                   "{\"upstream\":\"main\",\"upstreams\":{\"main\":{\"type\":\"conductor\","
                   "\"url\":\"https://" OTHER_NAME ":%d/api\",\"tls\":{\"ca\":%s%s}}}}",
                   proxy->port, ca, more);
    fixture_set(world->fixture, settings);
}

static void a_workflow_is_started_and_followed_with_a_certificate(void **state)
{
    static char cert[CERT_JSON_MAX], key[CERT_JSON_MAX], more[TEXT_MAX];
    struct world *world = *state;
    struct cert client;
    struct tls_proxy proxy;

    cert_make(CERT_EC, "belfry", &client);
    tls_proxy_open_mutual(&proxy, (uint16_t)world->conductor->server.port, client.cert);
    cert_json(client.cert, cert);
    cert_json(client.key, key);
    snprintf(more, sizeof more, ",\"serverName\":\"127.0.0.1\",\"cert\":%s,\"key\":%s", cert,
             key);
    use_tls(world, &proxy, more);
    start(world, flow_order(world, WF));
    wait_seen(world, "GET /api/workflow/wf-1?", 2);
    end_flow(world, 0, "COMPLETED", NULL);
    assert_int_equal(wait_end(world)->outcome, OUTCOME_SUCCEEDED);
    assert_int_equal(conductor_seen(world->conductor, POST), 1);
    tls_proxy_close(&proxy);
    cert_remove(&client);
}

static void assert_not_started(struct world *world)
{
    const struct report *report;

    world->limits.patience = 10 * SPAN_MS;
    start(world, flow_order(world, WF));
    report = wait_end(world);
    assert_true(report->outcome == OUTCOME_FAILED || report->outcome == OUTCOME_UNKNOWN);
    assert_int_equal(conductor_seen(world->conductor, POST), 0);
}

static void without_the_certificate_the_proxy_rejects_the_start(void **state)
{
    struct world *world = *state;
    struct cert client;
    struct tls_proxy proxy;

    cert_make(CERT_EC, "belfry", &client);
    tls_proxy_open_mutual(&proxy, (uint16_t)world->conductor->server.port, client.cert);
    use_tls(world, &proxy, ",\"serverName\":\"127.0.0.1\"");
    assert_not_started(world);
    tls_proxy_close(&proxy);
    cert_remove(&client);
}

static void a_certificate_for_another_name_gets_no_request(void **state)
{
    struct world *world = *state;
    struct tls_proxy proxy;

    tls_proxy_open(&proxy, (uint16_t)world->conductor->server.port);
    use_tls(world, &proxy, "");
    assert_not_started(world);
    tls_proxy_close(&proxy);
}

#define CASE(name) cmocka_unit_test_setup_teardown(name, world_setup, world_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CASE(a_workflow_is_started_and_followed_with_a_certificate),
        CASE(without_the_certificate_the_proxy_rejects_the_start),
        CASE(a_certificate_for_another_name_gets_no_request),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
