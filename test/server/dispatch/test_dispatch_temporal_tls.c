/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests workflows in Temporal over TLS, with a certificate that only the setting http_ca
 * trusts.
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(a_workflow_is_started_and_followed_over_tls),
        IN_WORLD(an_untrusted_server_gets_no_request),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
