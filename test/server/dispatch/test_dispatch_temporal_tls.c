/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests workflows in Temporal over TLS: with a certificate that only the setting http_ca
 * trusts, and with authorities, a certificate and a name of the upstream's own settings.
 */
#include "temporal_world.h"

#include "tls_proxy.h"

/*
 * Puts a TLS proxy in front of Temporal.  The dispatcher trusts only `ca`, or the
 * certificate of the proxy if `ca` is NULL.
 */
static void open_proxy(struct world *world, const char *ca, struct tls_proxy *proxy)
{
    char settings[300];

    tls_proxy_open(proxy, world->server->port);
    fixture_close(world->fixture);
    fixture_wait_closed(world->fixture);
    world->fixture->options.ca_file = ca ? ca : proxy->cert.cert;
    fixture_open(world->fixture);
    world->fixture->dispatcher->flow = &world->limits;
    snprintf(settings, sizeof settings,
             "{\"upstream\":\"main\",\"upstreams\":{\"main\":{\"type\":\"temporal\","
             "\"url\":\"https://127.0.0.1:%d\",\"namespace\":\"default\"}}}",
             proxy->port);
    fixture_set(world->fixture, settings);
}

/* Start, first poll and waiting poll: three calls over two connections, one per pool. */
static void a_workflow_is_started_and_followed_over_tls(void **state)
{
    struct world *world = *state;
    const struct report *report;
    struct tls_proxy proxy;

    open_proxy(world, NULL, &proxy);
    start(world, flow_order(world, WF));
    wait_long_poll(world);
    temporal_end(world->server, 0, TEMPORAL_COMPLETED, "42");
    report = wait_end(world);
    assert_int_equal(report->kind, REPORT_DONE);
    assert_int_equal(report->outcome, OUTCOME_SUCCEEDED);
    assert_int_equal(temporal_count_seen(world->server, START), 1);
    assert_true(temporal_count_seen(world->server, POLL) >= 2);
    assert_int_equal(listener_counts(world->server->listener).accepted, 2);
    tls_proxy_close(&proxy);
}

static void an_untrusted_server_gets_no_request(void **state)
{
    struct world *world = *state;
    const struct report *report;
    struct cert other;
    struct tls_proxy proxy;

    cert_make(CERT_EC, "other", &other);
    world->limits.patience = 10 * SPAN_MS;
    open_proxy(world, other.cert, &proxy);
    start(world, flow_order(world, WF));
    report = wait_end(world);
    assert_int_equal(report->outcome, OUTCOME_FAILED);
    assert_non_null(strstr(report->error.ptr, "upstream_unreachable"));
    assert_int_equal(listener_counts(world->server->listener).accepted, 0);
    tls_proxy_close(&proxy);
    cert_remove(&other);
}

/* ---- the upstream's own rules ---- */

enum { TEXT_MAX = 4 * CERT_JSON_MAX };

/* The certificates of the proxy are for 127.0.0.1, not for this name. */
#define OTHER_NAME "localhost"

static void use_tls(struct world *world, const struct tls_proxy *proxy, const char *more)
{
    static char ca[CERT_JSON_MAX], settings[2 * TEXT_MAX];

    cert_json(proxy->cert.cert, ca);
    (void)snprintf(settings, sizeof settings,
                   "{\"upstream\":\"main\",\"upstreams\":{\"main\":{\"type\":\"temporal\","
                   "\"url\":\"https://" OTHER_NAME ":%d\",\"namespace\":\"default\","
                   "\"tls\":{\"ca\":%s%s}}}}",
                   proxy->port, ca, more);
    fixture_set(world->fixture, settings);
}

static const struct report *start_and_end(struct world *world)
{
    start(world, flow_order(world, WF));
    wait_long_poll(world);
    temporal_end(world->server, 0, TEMPORAL_COMPLETED, "42");
    return wait_end(world);
}

static void a_workflow_is_started_and_followed_with_a_certificate(void **state)
{
    static char cert[CERT_JSON_MAX], key[CERT_JSON_MAX], more[TEXT_MAX];
    struct world *world = *state;
    struct cert client;
    struct tls_proxy proxy;

    cert_make(CERT_EC, "belfry", &client);
    tls_proxy_open_mutual(&proxy, world->server->port, client.cert);
    cert_json(client.cert, cert);
    cert_json(client.key, key);
    snprintf(more, sizeof more, ",\"serverName\":\"127.0.0.1\",\"cert\":%s,\"key\":%s", cert,
             key);
    use_tls(world, &proxy, more);
    assert_int_equal(start_and_end(world)->outcome, OUTCOME_SUCCEEDED);
    assert_int_equal(temporal_count_seen(world->server, START), 1);
    tls_proxy_close(&proxy);
    cert_remove(&client);
}

/* TLS 1.3 rejects a client after its first request: then the start is in doubt. */
static void assert_not_started(struct world *world)
{
    const struct report *report;

    world->limits.patience = 10 * SPAN_MS;
    start(world, flow_order(world, WF));
    report = wait_end(world);
    assert_true(report->outcome == OUTCOME_FAILED || report->outcome == OUTCOME_UNKNOWN);
    assert_int_equal(temporal_count_seen(world->server, START), 0);
}

static void without_the_certificate_the_proxy_rejects_the_start(void **state)
{
    struct world *world = *state;
    struct cert client;
    struct tls_proxy proxy;

    cert_make(CERT_EC, "belfry", &client);
    tls_proxy_open_mutual(&proxy, world->server->port, client.cert);
    use_tls(world, &proxy, ",\"serverName\":\"127.0.0.1\"");
    assert_not_started(world);
    tls_proxy_close(&proxy);
    cert_remove(&client);
}

static void a_certificate_for_another_name_gets_no_request(void **state)
{
    struct world *world = *state;
    struct tls_proxy proxy;

    tls_proxy_open(&proxy, world->server->port);
    use_tls(world, &proxy, "");
    assert_not_started(world);
    tls_proxy_close(&proxy);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(a_workflow_is_started_and_followed_over_tls),
        IN_WORLD(an_untrusted_server_gets_no_request),
        IN_WORLD(a_workflow_is_started_and_followed_with_a_certificate),
        IN_WORLD(without_the_certificate_the_proxy_rejects_the_start),
        IN_WORLD(a_certificate_for_another_name_gets_no_request),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
