/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests workflows of a Temporal over TLS, with a certificate that only the setting http_ca
 * trusts.
 */
#include "temporal_world.h"

#include "front.h"

/*
 * Puts a TLS proxy in front of the Temporal; the dispatcher trusts `ca` only; NULL: the
 * certificate of the proxy.
 */
static void stand_before(struct world *world, const char *ca, struct front *front)
{
    char settings[300];

    front_open(front, world->server->port);
    dispatches_close(world->dispatches);
    dispatches_wait_closed(world->dispatches);
    world->dispatches->options.ca_file = ca ? ca : front->cert.cert;
    dispatches_open(world->dispatches);
    world->dispatches->dispatcher->flow = &world->limits;
    snprintf(settings, sizeof settings,
             "{\"upstream\":\"main\",\"upstreams\":{\"main\":{\"type\":\"temporal\","
             "\"url\":\"https://127.0.0.1:%d\",\"namespace\":\"default\"}}}",
             front->port);
    dispatches_set(world->dispatches, settings);
}

/* Start, first poll and waiting poll: three calls over two connections, one per pool. */
static void a_workflow_is_started_and_followed_under_tls(void **state)
{
    struct world *world = *state;
    const struct report *report;
    struct front front;

    stand_before(world, NULL, &front);
    start(world, flow_order(world, WF));
    wait_waiting(world);
    temporal_end(world->server, 0, TEMPORAL_COMPLETED, "42");
    report = wait_end(world);
    assert_int_equal(report->kind, REPORT_DONE);
    assert_int_equal(report->outcome, OUTCOME_SUCCEEDED);
    assert_int_equal(temporal_count_seen(world->server, START), 1);
    assert_true(temporal_count_seen(world->server, POLL) >= 2);
    assert_int_equal(listener_counts(world->server->listener).accepted, 2);
    front_close(&front);
}

static void a_temporal_that_is_not_trusted_is_not_asked(void **state)
{
    struct world *world = *state;
    const struct report *report;
    struct cert other;
    struct front front;

    cert_make(CERT_EC, "other", &other);
    world->limits.patience = 10 * SPAN_MS;
    stand_before(world, other.cert, &front);
    start(world, flow_order(world, WF));
    report = wait_end(world);
    assert_int_equal(report->outcome, OUTCOME_FAILED);
    assert_non_null(strstr(report->error.ptr, "upstream_unreachable"));
    assert_int_equal(listener_counts(world->server->listener).accepted, 0);
    front_close(&front);
    cert_remove(&other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_WORLD(a_workflow_is_started_and_followed_under_tls),
        IN_WORLD(a_temporal_that_is_not_trusted_is_not_asked),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
