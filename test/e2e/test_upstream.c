/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Workflows in an upstream Conductor: the server is killed between the steps of a start, or
 * stopped while it follows a workflow.  One slot is one workflow.
 */
#include <signal.h>

#include "base/buf.h"
#include "peers/receiver.h"
#include "request.h"

#define FLOW     "'action':{'type':'workflow','name':'wf'}"
#define ANSWERED "{\"workflowId\":\"wf-1\",\"status\":\"%s\",\"output\":{}}"

static const char *const succeeded = "SELECT succeeded FROM cursors";

static void use_upstream(struct server *d, const struct receiver *r)
{
    api(d, 200, "PUT", "/api/v1/namespaces/default",
        "{'settings':{'allowNetworks':['127.0.0.1/32'],'upstream':'main','upstreams':{"
        "'main':{'type':'conductor','url':'http://127.0.0.1:%u/api'}}}}",
        r->port);
}

static bool is_request(const struct received_request *request, const char *line)
{
    return strncmp(request->text, line, strlen(line)) == 0;
}

/* A server whose schedule "flow" has just sent the start in *ret; returns the run's id. */
static struct server *start_flow(struct world *w, struct receiver *r, const char *policies,
                                 const char **ret_run, struct received_request *ret)
{
    struct server *d = server_start(w, NULL);

    receiver_open(r);
    use_upstream(d, r);
    make_schedule(d, "flow", FLOW "%s", policies);
    *ret_run = trigger(d, "flow");
    receiver_take(r, ret);
    assert_true(is_request(ret, "POST /api/workflow "));
    assert_non_null(strstr(ret->body, *ret_run));
    return d;
}

static void answer_status(struct received_request *request, const char *status)
{
    char body[100];

    snprintf(body, sizeof body, ANSWERED, status);
    receiver_answer(request, "200 OK", body);
}

/* Answers polls until the run has succeeded; fails on any other request. */
static void end_flow(struct world *w, struct receiver *r)
{
    struct received_request request;

    receiver_take(r, &request);
    assert_true(is_request(&request, "GET /api/workflow/wf-1?"));
    answer_status(&request, "COMPLETED");
    UNTIL(world_number(w, succeeded) == 1);
    assert_false(receiver_has(r));
}

static void a_server_killed_after_the_request_finds_the_workflow(void **state)
{
    struct world *w = *state;
    struct receiver r;
    struct received_request request;
    const char *run;
    struct server *d = start_flow(w, &r, "", &run, &request);
    char list[300];

    server_kill(d);
    close(request.fd); /* the work was done; nobody got the answer */
    d = server_restart(d, NULL);
    receiver_take(&r, &request);
    assert_true(is_request(&request, "GET /api/workflow/wf/correlated/"));
    assert_non_null(strstr(request.text, run));
    snprintf(list, sizeof list,
             "[{\"workflowId\":\"wf-1\",\"createTime\":1,\"input\":{\"_executionId\":\"%s\"}}]",
             run);
    receiver_answer(&request, "200 OK", list);
    end_flow(w, &r);
    assert_int_equal(server_stop(d), 0);
    receiver_close(&r);
}

static void a_server_killed_before_the_work_was_done_starts_it_once(void **state)
{
    struct world *w = *state;
    struct receiver r;
    struct received_request request;
    const char *run;
    struct server *d = start_flow(w, &r, "", &run, &request);
    int lookups = 0;

    server_kill(d);
    close(request.fd);
    d = server_restart(d, NULL);
    for (receiver_take(&r, &request); is_request(&request, "GET "); lookups++) {
        receiver_answer(&request, "200 OK", "[]");
        receiver_take(&r, &request);
    }
    assert_true(lookups > 1); /* absence counts only after a while */
    assert_true(is_request(&request, "POST /api/workflow "));
    receiver_answer(&request, "200 OK", "wf-1");
    end_flow(w, &r);
    assert_int_equal(server_stop(d), 0);
    receiver_close(&r);
}

static void a_server_killed_after_the_answer_follows_the_workflow(void **state)
{
    struct world *w = *state;
    struct receiver r;
    struct received_request request;
    const char *run;
    struct server *d = start_flow(w, &r, "", &run, &request);

    receiver_answer(&request, "200 OK", "wf-1");
    receiver_take(&r, &request); /* the first poll: the id may not be committed yet */
    UNTIL(world_number(w, "SELECT count(*) FROM runs WHERE progress LIKE '%wf-1%'") == 1);
    server_kill(d);
    close(request.fd);
    d = server_restart(d, NULL);
    end_flow(w, &r);
    assert_int_equal(server_stop(d), 0);
    receiver_close(&r);
}

static void a_drain_does_not_wait_for_a_followed_workflow(void **state)
{
    struct world *w = *state;
    struct receiver r;
    struct received_request request;
    const char *run;
    struct server *d = start_flow(w, &r, "", &run, &request);
    int64_t started;

    receiver_answer(&request, "200 OK", "wf-1");
    receiver_take(&r, &request); /* a poll that is never answered */
    UNTIL(world_number(w, "SELECT count(*) FROM runs WHERE progress LIKE '%wf-1%'") == 1);
    started = world_number(w, "SELECT started_at FROM runs");
    assert_int_equal(server_stop(d), 0);
    assert_false(server_has_logged(d, "drain timed out"));
    close(request.fd);
    assert_int_equal(world_number(w, "SELECT started_at FROM runs"), started);
    d = server_restart(d, NULL);
    end_flow(w, &r);
    assert_int_equal(server_stop(d), 0);
    receiver_close(&r);
}

/* The upstream rejects the start: no workflow has failed. */
static void a_start_that_is_refused_is_not_a_failed_workflow(void **state)
{
    struct world *w = *state;
    struct receiver r;
    struct received_request request;
    const char *run;
    struct server *d = start_flow(w, &r, ",'policies':{'pauseOnFailure':true}", &run, &request);
    const json_t *shown;

    receiver_answer(&request, "404 Not Found", "{\"message\":\"No such workflow: wf\"}");
    UNTIL(world_number(w, "SELECT unstarted FROM cursors") == 1);
    shown = schedule_state(d, "flow");
    assert_null(json_object_get(shown, "paused"));
    assert_non_null(strstr(text_at(shown, "warnings[0]"), "did not start the workflow"));
    shown = api(d, 200, "GET", "/api/v1/runs", NULL);
    assert_string_equal(text_at(shown, "runs[0].outcome"), "failed");
    assert_string_equal(text_at(shown, "runs[0].reason"), "notStarted");
    server_await(d, "msg=\"workflow not started\"");
    assert_int_equal(server_stop(d), 0);
    receiver_close(&r);
}

static void a_workflow_has_no_maximum_run_time_unless_one_is_set(void **state)
{
    struct server *d = server_start(*state, NULL);

    make_schedule(d, "none", FLOW);
    make_schedule(d, "day", FLOW ",'policies':{'maxRunTime':'1d'}");
    make_schedule(d, "http", "'action':{'type':'http','url':'http://example.com/'}");
    assert_string_equal(
        text_at(api(d, 200, "GET", "/api/v1/schedules/none", NULL), "policies.maxRunTime"),
        "0s");
    assert_string_equal(
        text_at(api(d, 200, "GET", "/api/v1/schedules/day", NULL), "policies.maxRunTime"),
        "1d");
    assert_string_equal(
        text_at(api(d, 200, "GET", "/api/v1/schedules/http", NULL), "policies.maxRunTime"),
        "1d");
    api(d, 200, "PATCH", "/api/v1/schedules/day", "{'description':'edited'}");
    assert_string_equal(
        text_at(api(d, 200, "GET", "/api/v1/schedules/day", NULL), "policies.maxRunTime"),
        "1d");
    assert_int_equal(server_stop(d), 0);
}

/* Three slots are late; each start waits for the answer to the one before it. */
static void conductors_catch_up_starts_one_workflow_after_the_other(void **state)
{
    struct world *w = *state;
    struct server *d = server_start(w, NULL);
    struct receiver r;
    struct received_request request;
    char id[16], last[32] = "";

    receiver_open(&r);
    use_upstream(d, &r);
    api(d, 200, "POST", "/api/scheduler/schedules",
        "{'name':'minutely','cronExpression':'* * * * * ?','runCatchupScheduleInstances':true,"
        "'startWorkflowRequest':{'name':'wf'}}");
    receiver_take(&r, &request);
    server_kill(d); /* some slots pass */
    close(request.fd);
    UNTIL(world_number(
              w, "SELECT (strftime('%s','now') - max(slot) / 1000000) > 3 FROM runs") == 1);
    d = server_restart(d, NULL);
    for (int starts = 0; starts < 4;) {
        const char *slot;

        receiver_take(&r, &request);
        if (is_request(&request, "GET /api/workflow/wf/")) {
            receiver_answer(&request, "200 OK", "[]");
            continue;
        }
        if (is_request(&request, "GET ")) { /* a poll of a workflow that was started */
            receiver_answer(&request, "200 OK", "{\"status\":\"RUNNING\"}");
            continue;
        }
        slot = strstr(request.body, "\"scheduledTime\":");
        assert_non_null(slot);
        assert_true(strncmp(slot, last, 29) > 0); /* oldest first: 16 bytes and 13 digits */
        snprintf(last, sizeof last, "%.29s", slot);
        assert_int_equal(world_number(w, "SELECT count(*) FROM runs WHERE state IN (5, 6)"
                                         " AND gate <> 0"),
                         1);
        snprintf(id, sizeof id, "wf-%d", ++starts);
        receiver_answer(&request, "200 OK", id);
    }
    assert_int_equal(world_number(w, "SELECT count(*) FROM gates WHERE open > 1"), 0);
    server_kill(d);
    receiver_close(&r);
}

/* ---- more open workflows than http_concurrency has places ---- */

enum { MANY = 300 };

/* What the upstream has done so far; it runs no workflow to its end before `may_end`. */
struct many {
    struct receiver receiver;
    int started, ended, ticks;
    bool has_ended[MANY];
    bool may_end;
};

static void answer_running(struct many *many, struct received_request *request)
{
    char list[MANY * 16] = "[";
    struct buf out = {.ptr = list, .len = 1, .cap = sizeof list};

    for (int i = 0; i < many->started && !many->may_end; i++)
        buf_printf(&out, "%s\"wf-%d\"", i > 0 ? "," : "", i);
    buf_char(&out, ']');
    receiver_answer(request, "200 OK", list);
}

/* Answers one request as Conductor would. */
static void answer_next(struct many *many)
{
    struct received_request request;
    char id[16];
    int n;

    receiver_take(&many->receiver, &request);
    if (is_request(&request, "POST /api/workflow ")) {
        assert_true(many->started < MANY); /* none is started twice */
        snprintf(id, sizeof id, "wf-%d", many->started++);
        receiver_answer(&request, "200 OK", id);
    } else if (is_request(&request, "GET /api/workflow/running/wf ")) {
        answer_running(many, &request);
    } else if (sscanf(request.text, "GET /api/workflow/wf-%d?", &n) == 1) {
        assert_in_range(n, 0, many->started - 1);
        many->ended += many->may_end && !many->has_ended[n];
        many->has_ended[n] = many->may_end;
        answer_status(&request, many->may_end ? "COMPLETED" : "RUNNING");
    } else {
        assert_true(is_request(&request, "POST /tick "));
        many->ticks++;
        receiver_answer(&request, "200 OK", "{}");
    }
}

static void many_open_workflows_delay_no_other_start(void **state)
{
    static struct many many;
    struct world *w = *state;
    struct server *d = server_start(w, NULL);

    receiver_open(&many.receiver);
    use_upstream(d, &many.receiver);
    make_schedule(d, "flow", FLOW ",'policies':{'overlap':'allowAll'}");
    make_schedule(d, "other", "'action':{'type':'http','url':'http://127.0.0.1:%u/tick'}",
                  many.receiver.port);
    for (int i = 0; i < MANY; i++) {
        trigger(d, "flow");
        while (many.started <= i)
            answer_next(&many);
    }
    trigger(d, "other");
    while (many.ticks == 0)
        answer_next(&many);
    UNTIL(world_number(w, "SELECT sum(succeeded) FROM cursors") == 1);
    UNTIL(world_number(w, "SELECT count(*) FROM runs WHERE progress LIKE '%wf-%'") == MANY);
    server_kill(d);
    d = server_restart(d, NULL);
    many.may_end = true;
    while (many.ended < MANY)
        answer_next(&many);
    UNTIL(world_number(w, "SELECT sum(succeeded) FROM cursors") == MANY + 1);
    assert_int_equal(many.started, MANY);
    assert_int_equal(world_number(w, "SELECT count(*) FROM history WHERE attempt > 1"), 0);
    assert_int_equal(server_stop(d), 0);
    receiver_close(&many.receiver);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(a_server_killed_after_the_request_finds_the_workflow),
        E2E_TEST(a_server_killed_before_the_work_was_done_starts_it_once),
        E2E_TEST(a_server_killed_after_the_answer_follows_the_workflow),
        E2E_TEST(a_drain_does_not_wait_for_a_followed_workflow),
        E2E_TEST(a_start_that_is_refused_is_not_a_failed_workflow),
        E2E_TEST(a_workflow_has_no_maximum_run_time_unless_one_is_set),
        E2E_TEST(many_open_workflows_delay_no_other_start),
        E2E_TEST(conductors_catch_up_starts_one_workflow_after_the_other),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
