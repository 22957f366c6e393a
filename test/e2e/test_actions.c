/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests each kind of action once, from creating the schedule to reading the run.
 */
#include <openssl/evp.h>
#include <openssl/hmac.h>

#include "peers/receiver.h"
#include "request.h"

enum { TEXT_MAX = 512, SHA256_BYTES = 32, SIGNED_MAX = 16 * 1024, SECRET_BYTES = 24 };

#define SECRET "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"

static const json_t *show(struct server *d, const char *id, const char *what)
{
    char path[TEXT_MAX];

    snprintf(path, sizeof path, "/api/v1/runs/%s%s", id, what);
    return api(d, 200, "GET", path, NULL);
}

/* Waits until the run has ended; returns it. */
static const json_t *ended(struct server *d, const char *id)
{
    UNTIL(strcmp(text_at(show(d, id, ""), "state"), "ended") == 0);
    return show(d, id, "");
}

/* ---- http ---- */

/* Standard Webhooks: the signature v1 covers id.timestamp.body. */
static void assert_signed(const struct received_request *request)
{
    unsigned char key[64], mac[SHA256_BYTES];
    char text[SIGNED_MAX], expected[TEXT_MAX] = "v1,";
    unsigned int size = sizeof mac;
    int len;

    len = snprintf(text, sizeof text, "%s.", received_field(request, "webhook-id"));
    len += snprintf(text + len, sizeof text - (size_t)len, "%s.%s",
                    received_field(request, "webhook-timestamp"), request->body);
    assert_in_range(len, 1, sizeof text - 1);
    assert_int_equal(EVP_DecodeBlock(key, (const unsigned char *)SECRET, strlen(SECRET)),
                     SECRET_BYTES);
    assert_non_null(HMAC(EVP_sha256(), key, SECRET_BYTES, (const unsigned char *)text,
                         (size_t)len, mac, &size));
    EVP_EncodeBlock((unsigned char *)expected + strlen("v1,"), mac, sizeof mac);
    assert_string_equal(received_field(request, "webhook-signature"), expected);
}

static void an_http_call_is_signed_and_its_answer_kept(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *run, *settings;
    struct receiver r;
    struct received_request request;
    const char *id;
    char *shown;

    receiver_open(&r);
    settings = api(d, 200, "PUT", "/api/v1/namespaces/default",
                   "{'settings':{'allowNetworks':['127.0.0.1/32'],"
                   "'keys':{'main':['whsec_" SECRET "']}}}");
    shown = json_dumps(settings, 0);
    assert_null(strstr(shown, SECRET)); /* secrets are never returned */
    free(shown);
    make_schedule(d, "call",
                  "'action':{'type':'http','url':'http://127.0.0.1:%u/at/${attempt}',"
                  "'sign':'main','input':{'a':1}}",
                  r.port);
    id = trigger(d, "call");
    receiver_take(&r, &request);
    assert_memory_equal(request.text, "POST /at/1 HTTP/1.1\r\n", 21);
    assert_string_equal(received_field(&request, "idempotency-key"), id);
    assert_signed(&request);
    receiver_answer(&request, "200 OK", "{\"answer\":42}");
    run = ended(d, id);
    assert_string_equal(text_at(run, "outcome"), "succeeded");
    assert_int_equal(number_at(run, "result.status"), 200);
    assert_int_equal(number_at(run, "result.body.answer"), 42);
    receiver_close(&r);
    assert_int_equal(server_stop(d), 0);
}

static void this_machine_is_not_called_unless_it_is_allowed(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *run;
    struct receiver r;

    receiver_open(&r);
    make_schedule(d, "call", "'action':{'type':'http','url':'http://127.0.0.1:%u/'}", r.port);
    run = ended(d, trigger(d, "call"));
    assert_string_equal(text_at(run, "outcome"), "failed");
    assert_non_null(strstr(text_at(run, "error.message"), "127.0.0.1"));
    assert_false(receiver_has(&r));
    receiver_close(&r);
    assert_int_equal(server_stop(d), 0);
}

/*
 * An action may not call the server's own listeners, even if all networks are allowed: it could
 * control the server.  All of these hosts lead to a listener on 0.0.0.0.
 */
static void the_server_does_not_call_itself(void **state)
{
    static const char *const hosts[] = {"127.0.0.1", "127.0.0.2", "127.255.255.254",
                                        "0.0.0.0",   "0",         "[::ffff:127.0.0.1]"};
    struct server *d = server_start(
        *state, &(struct server_start){.args = WORDS("--http-allow-private", "--listen",
                                                     "0.0.0.0:0", "--insecure")});

    api(d, 200, "PUT", "/api/v1/namespaces/default",
        "{'settings':{'allowNetworks':['0.0.0.0/0','::/0']}}");
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        const json_t *run;
        char id[16];

        snprintf(id, sizeof id, "self%zu", i);
        make_schedule(d, id, "'action':{'type':'http','url':'http://%s:%u/healthz'}", hosts[i],
                      d->port);
        run = ended(d, trigger(d, id));
        assert_string_equal(text_at(run, "outcome"), "failed");
        assert_string_equal(text_at(run, "error.code"), "http_guard");
    }
    assert_int_equal(server_stop(d), 0);
}

/* lastResult is set for runs that the server executes itself, as for those of workers. */
static void the_next_run_sees_the_result_of_the_last(void **state)
{
    struct server *d = server_start(
        *state, &(struct server_start){.args = WORDS("--http-allow-private")});
    struct receiver r;
    struct received_request request;

    receiver_open(&r);
    make_schedule(d, "call",
                  "'action':{'type':'http','url':'http://127.0.0.1:%u/${lastResult.body.n}'}",
                  r.port);
    for (int i = 0; i < 2; i++) {
        const char *id = trigger(d, "call");

        receiver_take(&r, &request);
        assert_memory_equal(request.text, i == 0 ? "POST / " : "POST /7 ", i == 0 ? 7 : 8);
        receiver_answer(&request, "200 OK", "{\"n\":7}");
        ended(d, id);
    }
    receiver_close(&r);
    assert_int_equal(server_stop(d), 0);
}

/* ---- exec ---- */

static void exec_is_off_unless_it_is_configured(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *run;

    make_schedule(d, "x", "'action':{'type':'exec','argv':['/bin/true']}");
    run = ended(d, trigger(d, "x"));
    assert_string_equal(text_at(run, "outcome"), "failed");
    assert_non_null(strstr(text_at(run, "error.message"), "exec = true"));
    assert_int_equal(server_stop(d), 0);
}

static void a_program_runs_and_its_output_is_kept(void **state)
{
    struct server *d = server_start(*state, &(struct server_start){.args = WORDS("--exec")});
    const json_t *run, *lines;
    const char *id;

    make_schedule(d, "x",
                  "'action':{'type':'exec','argv':['/bin/sh','-c',"
                  "'echo hello; echo attempt $BELFRY_ATTEMPT >&2; exit 3']}");
    id = trigger(d, "x");
    run = ended(d, id);
    assert_string_equal(text_at(run, "outcome"), "failed");
    assert_int_equal(number_at(run, "result.exitCode"), 3);
    lines = at(show(d, id, "/logs"), "lines");
    assert_int_equal(json_array_size(lines), 2);
    for (size_t i = 0; i < 2; i++) {
        const json_t *line = json_array_get(lines, i);
        bool is_out = strcmp(text_at(line, "stream"), "stdout") == 0;

        assert_string_equal(text_at(line, "text"), is_out ? "hello" : "attempt 1");
    }
    assert_int_equal(server_stop(d), 0);
}

/* ---- workflow ---- */

static void a_workflow_is_started_upstream_and_followed_to_its_end(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *run;
    struct receiver r;
    struct received_request request;
    const char *id;

    receiver_open(&r);
    api(d, 200, "PUT", "/api/v1/namespaces/default",
        "{'settings':{'allowNetworks':['127.0.0.1/32'],'upstream':'main','upstreams':{"
        "'main':{'type':'conductor','url':'http://127.0.0.1:%u/api'}}}}",
        r.port);
    make_schedule(d, "flow", "'action':{'type':'workflow','name':'wf','input':{'a':1}}");
    id = trigger(d, "flow");
    receiver_take(&r, &request);
    assert_memory_equal(request.text, "POST /api/workflow HTTP/1.1\r\n", 29);
    assert_non_null(strstr(request.body, "\"name\":\"wf\""));
    receiver_answer(&request, "200 OK", "wf-1");
    receiver_take(&r, &request);
    assert_memory_equal(request.text, "GET /api/workflow/wf-1", 22);
    receiver_answer(&request, "200 OK",
                    "{\"workflowId\":\"wf-1\",\"status\":\"COMPLETED\",\"output\":{\"b\":2}}");
    run = ended(d, id);
    assert_string_equal(text_at(run, "outcome"), "succeeded");
    receiver_close(&r);
    assert_int_equal(server_stop(d), 0);
}

static void a_workflow_without_an_upstream_goes_to_the_queue_of_its_name(void **state)
{
    struct server *d = server_start(*state, NULL);
    const json_t *run;

    make_schedule(d, "flow", "'action':{'type':'workflow','name':'wf','input':{'a':1}}");
    trigger(d, "flow");
    run = at(claim(d, "wf", 1, "5s"), "[0]");
    assert_int_equal(number_at(run, "input.a"), 1);
    assert_int_equal(tell_run(d, "complete", run, "").status, 200);
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(an_http_call_is_signed_and_its_answer_kept),
        E2E_TEST(this_machine_is_not_called_unless_it_is_allowed),
        E2E_TEST(the_server_does_not_call_itself),
        E2E_TEST(the_next_run_sees_the_result_of_the_last),
        E2E_TEST(exec_is_off_unless_it_is_configured),
        E2E_TEST(a_program_runs_and_its_output_is_kept),
        E2E_TEST(a_workflow_is_started_upstream_and_followed_to_its_end),
        E2E_TEST(a_workflow_without_an_upstream_goes_to_the_queue_of_its_name),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
