/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of `belfry import temporal` and `belfry import conductor`: a second Belfry server is
 * the source, and the command uses only the other systems' APIs of it.  After a take-over,
 * every slot must have run on exactly one of the two servers, also if the command or the target
 * was killed.
 */
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/wait.h>

#include "cli/import/rpc_batch.h"
#include "command.h"
#include "core/time/text.h"
#include "model/temporal_codec.h"
#include "peers/receiver.h"
#include "request.h"

enum { SLOTS_MAX = 1000, ARENA_BYTES = 16 << 20, ALLOW_ALL = 6 };

static struct server *start_source(struct world *w)
{
    char db[WORLD_PATH_MAX];

    snprintf(db, sizeof db, "sqlite:%s/source.db", w->dir);
    return server_start(w, &(struct server_start){.args = WORDS("--db", db)});
}

/* ---- schedules of the source ---- */

struct made {
    const char *id;
    int every; /* seconds */
    int jitter;
    bool is_paused;
    int remaining; /* 0: not limited */
};

static void call_source(struct server *d, const char *method, const ProtobufCMessage *request,
                        struct arena *arena)
{
    struct rpc_batch *batch = rpc_batch_new(NULL);
    char url[64];
    struct rpc_peer peer = {.bearer = {NULL, 0}};
    struct rpc_call call = {.method = method, .request = request};

    snprintf(url, sizeof url, "http://127.0.0.1:%d", d->port);
    peer.target.url = str_of(url);
    rpc_batch_run(batch, &peer, &call, 1, arena);
    if (call.status != GRPC_OK)
        fail_msg("%s: %s", method, call.text);
    rpc_batch_free(batch);
}

static void make(struct server *d, const struct made *made)
{
    struct arena *arena = arena_new(ARENA_BYTES);
    Temporal__CreateScheduleRequest request = TEMPORAL__CREATE_SCHEDULE_REQUEST__INIT;
    Temporal__Schedule schedule = TEMPORAL__SCHEDULE__INIT;
    Temporal__ScheduleSpec spec = TEMPORAL__SCHEDULE_SPEC__INIT;
    Temporal__IntervalSpec interval = TEMPORAL__INTERVAL_SPEC__INIT, *intervals[] = {&interval};
    Temporal__ScheduleAction action = TEMPORAL__SCHEDULE_ACTION__INIT;
    Temporal__NewWorkflowExecutionInfo workflow = TEMPORAL__NEW_WORKFLOW_EXECUTION_INFO__INIT;
    Temporal__WorkflowType type = TEMPORAL__WORKFLOW_TYPE__INIT;
    Temporal__TaskQueue queue = TEMPORAL__TASK_QUEUE__INIT;
    Temporal__SchedulePolicies policies = TEMPORAL__SCHEDULE_POLICIES__INIT;
    Temporal__ScheduleState state = TEMPORAL__SCHEDULE_STATE__INIT;

    interval.interval = temporal_duration(made->every * SPAN_S, arena);
    spec.interval = intervals;
    spec.n_interval = 1;
    if (made->jitter > 0)
        spec.jitter = temporal_duration(made->jitter * SPAN_S, arena);
    type.name = (char *)"Report";
    queue.name = (char *)"reports";
    workflow.workflow_id = temporal_text(str_of(made->id), arena);
    workflow.workflow_type = &type;
    workflow.task_queue = &queue;
    action.action_case = TEMPORAL__SCHEDULE_ACTION__ACTION_START_WORKFLOW;
    action.start_workflow = &workflow;
    policies.overlap_policy = ALLOW_ALL;
    state.paused = made->is_paused;
    state.notes = (char *)"the owner's note";
    state.limited_actions = made->remaining > 0;
    state.remaining_actions = made->remaining;
    schedule = (Temporal__Schedule){.base = schedule.base,
                                    .spec = &spec,
                                    .action = &action,
                                    .policies = &policies,
                                    .state = &state};
    request.namespace_ = (char *)"default";
    request.schedule_id = temporal_text(str_of(made->id), arena);
    request.schedule = &schedule;
    request.request_id = request.schedule_id;
    call_source(d, "CreateSchedule", &request.base, arena);
    arena_free(arena);
}

/* With catch-up, a server that is late skips no slot. */
static void make_conductor(struct server *d, const char *name, const char *cron)
{
    api(d, 200, "POST", "/api/scheduler/schedules",
        "{'name':'%s','cronExpression':'%s','zoneId':'Europe/Berlin',"
        "'runCatchupScheduleInstances':true,'startWorkflowRequest':"
        "{'name':'report','version':1,'input':{'a':1}}}",
        name, cron);
}

/* ---- the command ---- */

/* For Temporal the address alone, for Conductor a URL. */
static const char *place_of(const struct server *d, bool is_url)
{
    static char place[64];

    snprintf(place, sizeof place, "%s127.0.0.1:%d%s", is_url ? "http://" : "", d->port,
             is_url ? "/api" : "");
    return place;
}

#define TEMPORAL(source)  "import", "temporal", place_of(source, false)
#define CONDUCTOR(source) "import", "conductor", place_of(source, true)

/* Starts the command; its output does not matter. */
static pid_t begin_command(const struct world *w, const struct command *command)
{
    int out = open("/dev/null", O_WRONLY | O_CLOEXEC);
    pid_t pid = command_begin(w, command, out);

    close(out);
    return pid;
}

/* ---- slots ---- */

static const char *status_of(struct server *d, const char *id)
{
    char path[256];
    struct answer answer;

    snprintf(path, sizeof path, "/api/v1/schedules/%s", id);
    answer = ask(d, "GET", path, NULL);
    return answer.status == 200 ? text_at(answer.json, "state.status") : "none";
}

static int read_slots(struct server *d, const char *id, instant *ret, int count)
{
    char path[256];
    const json_t *runs;

    snprintf(path, sizeof path, "/api/v1/runs?schedule=%s&limit=1000", id);
    runs = at(api(d, 200, "GET", path, NULL), "runs");
    for (size_t i = 0; i < json_array_size(runs); i++) {
        struct err err;

        assert_true(count < SLOTS_MAX);
        assert_int_equal(instant_parse(str_of(text_at(json_array_get(runs, i), "slot")),
                                       &ret[count++], &err),
                         RC_OK);
    }
    return count;
}

static int count_slots(struct server *d, const char *id)
{
    instant slots[SLOTS_MAX];

    return read_slots(d, id, slots, 0);
}

static int by_time(const void *a, const void *b)
{
    instant x = *(const instant *)a, y = *(const instant *)b;

    return (x > y) - (x < y);
}

static void dump_slots(struct server *d, const char *id)
{
    char path[256];

    snprintf(path, sizeof path, "/api/v1/schedules/%s", id);
    json_dumpf(at(api(d, 200, "GET", path, NULL), "state"), stderr, JSON_COMPACT);
    snprintf(path, sizeof path, "/api/v1/schedules/%s/slots?limit=100", id);
    json_dumpf(api(d, 200, "GET", path, NULL), stderr, JSON_COMPACT);
    fputc('\n', stderr);
}

/* Both servers together have started each slot from the first to the last once. */
static void assert_each_once(struct server *a, struct server *b, const char *id, span step)
{
    instant slots[SLOTS_MAX];
    int there = read_slots(a, id, slots, 0);
    int count = read_slots(b, id, slots, there);

    assert_true(there > 0 && count > there);
    qsort(slots, (size_t)count, sizeof slots[0], by_time);
    for (int i = 1; i < count; i++)
        if (slots[i] - slots[i - 1] != step) {
            dump_slots(a, id);
            dump_slots(b, id);
            fail_msg("%s: %lld ms between slot %d and the next of %d (%d there)", id,
                     (long long)((slots[i] - slots[i - 1]) / SPAN_MS), i - 1, count, there);
        }
}

/* After the resume, slots start by themselves again. */
static void assert_taken(struct server *source, struct server *target, const char *id,
                         span step)
{
    int count = count_slots(target, id);

    assert_string_equal(status_of(source, id), "paused");
    assert_string_equal(status_of(target, id), "active");
    UNTIL(count_slots(target, id) >= count + 2);
    assert_each_once(source, target, id, step);
}

/* ---- tests ---- */

static void schedules_are_created_paused_with_their_times(void **state)
{
    struct world *w = *state;
    struct server *source = start_source(w), *target = server_start(w, NULL);
    const char *out;

    make(source, &(struct made){.id = "hourly", .every = 3600});
    make(source, &(struct made){.id = "shaken", .every = 3600, .jitter = 60});
    make(source, &(struct made){.id = "stopped", .every = 60, .is_paused = true});
    out = BELFRY(target, TEMPORAL(source), "--dry-run").out;
    assert_has(out, "hourly: would be created\n    Temporal                  Belfry\n");
    assert_has(out, "3 schedules: 3 would be created\n");
    assert_lacks(out, "differs");
    assert_lacks(out, "unknown");
    assert_string_equal(status_of(target, "hourly"), "none");
    out = BELFRY(target, TEMPORAL(source)).out;
    assert_has(out, "3 schedules: 3 created\n");
    assert_lacks(out, "differs");
    assert_string_equal(status_of(target, "hourly"), "paused");
    assert_string_equal(status_of(source, "hourly"), "active");
    assert_has(BELFRY(target, TEMPORAL(source)).out, "3 schedules: 3 waiting\n");
    assert_has(BELFRY(target, TEMPORAL(source), "--take-over").out,
               "3 schedules: 2 taken over, 1 paused by its owner\n");
    assert_has(BELFRY(target, TEMPORAL(source), "--take-over").out,
               "3 schedules: 2 taken over before, 1 paused by its owner\n");
    assert_string_equal(status_of(target, "stopped"), "paused");
}

static void the_report_is_printed_as_json(void **state)
{
    struct world *w = *state;
    struct server *source = start_source(w), *target = server_start(w, NULL);
    json_t *json;

    make(source, &(struct made){.id = "hourly", .every = 3600});
    json = BELFRY(target, TEMPORAL(source), "-o", "json").json;
    assert_string_equal(text_at(json, "[0].id"), "hourly");
    assert_string_equal(text_at(json, "[0].result"), "created");
    assert_int_equal(json_array_size(at(json, "[0].there")), 10);
    assert_true(json_equal(at(json, "[0].there"), at(json, "[0].here")));
    assert_true(json_is_true(at(json, "[0].equal")));
    assert_string_equal(BELFRY(target, TEMPORAL(source), "-o", "name").out, "hourly\n");
}

static void other_schedules_are_reported_and_not_changed(void **state)
{
    struct world *w = *state;
    struct server *source = start_source(w), *target = server_start(w, NULL);
    const char *out;

    make(source, &(struct made){.id = "native", .every = 3600});
    make(source, &(struct made){.id = "twin", .every = 3600});
    make(source, &(struct made){.id = "new", .every = 3600});
    make_schedule(target, "native",
                  "'spec':{'cron':['0 1 * * *']},'action':"
                  "{'type':'queue','queue':'q'}");
    make(target, &(struct made){.id = "twin", .every = 3600});
    out = REFUSED(target, 1, TEMPORAL(source), "--take-over").out;
    assert_has(out, "native: exists: a schedule of another API has this id here\n");
    assert_has(out, "twin: failed: it runs on both servers");
    assert_has(out, "new: taken over\n");
    assert_string_equal(status_of(source, "twin"), "active");
    assert_string_equal(status_of(source, "native"), "active");
}

static void a_source_that_cannot_be_reached_is_reported(void **state)
{
    struct world *w = *state;
    struct server *target = server_start(w, NULL);

    assert_has(REFUSED(target, 69, "import", "temporal", "127.0.0.1:1").err, "127.0.0.1:1");
    assert_has(REFUSED(target, 69, "import", "conductor", "http://127.0.0.1:1").err,
               "127.0.0.1:1");
    assert_has(REFUSED(target, 2, "import", "temporal", "nowhere").err, "HOST:PORT");
    assert_has(REFUSED(target, 2, "import", "conductor", "nowhere").err, "http://");
}

static void a_take_over_loses_and_doubles_no_slot(void **state)
{
    struct world *w = *state;
    struct server *source = start_source(w), *target = server_start(w, NULL);

    make(source, &(struct made){.id = "second", .every = 1});
    make(source, &(struct made){.id = "limited", .every = 1, .remaining = 100000});
    UNTIL(count_slots(source, "second") >= 2 && count_slots(source, "limited") >= 2);
    assert_has(BELFRY(target, TEMPORAL(source), "--take-over").out,
               "2 schedules: 2 taken over\n");
    assert_taken(source, target, "second", SPAN_S);
    assert_taken(source, target, "limited", SPAN_S);
    assert_string_equal(
        text_at(api(source, 200, "GET", "/api/v1/schedules/second", NULL), "state.status"),
        "paused");
}

/* ---- crashes ---- */

enum kill_point { KILL_CREATED, KILL_PAUSED, KILL_RESUMED, KILL_POINTS };

static bool has_reached(struct server *source, struct server *target, const char *id,
                        enum kill_point point)
{
    switch (point) {
    case KILL_CREATED:
        return strcmp(status_of(target, id), "paused") == 0;
    case KILL_PAUSED:
        return strcmp(status_of(source, id), "paused") == 0;
    default:
        return strcmp(status_of(target, id), "active") == 0;
    }
}

/* The state of the move is on the servers, so the command can be killed anywhere. */
static void a_killed_command_is_repeated(void **state)
{
    static const char *const ids[KILL_POINTS] = {"created", "paused", "resumed"};
    struct world *w = *state;
    struct server *source = start_source(w), *target = server_start(w, NULL);

    for (int i = 0; i < KILL_POINTS; i++) {
        const char *const words[] = {TEMPORAL(source), "--take-over", NULL};
        struct command command = {.server = target, .words = words};
        pid_t pid;

        make(source, &(struct made){.id = ids[i], .every = 1});
        UNTIL(count_slots(source, ids[i]) >= 2);
        pid = begin_command(w, &command);
        UNTIL(has_reached(source, target, ids[i], (enum kill_point)i));
        kill(pid, SIGKILL);
        (void)command_end(pid);
        assert_has(BELFRY(target, TEMPORAL(source), "--take-over").out, ids[i]);
        assert_taken(source, target, ids[i], SPAN_S);
    }
    for (int i = 0; i < KILL_POINTS; i++)
        assert_each_once(source, target, ids[i], SPAN_S);
}

static void a_killed_target_is_taken_over_to_later(void **state)
{
    struct world *w = *state;
    struct server *source = start_source(w), *target = server_start(w, NULL);
    const char *const words[] = {TEMPORAL(source), "--take-over", NULL};
    struct command command = {.server = target, .words = words};
    pid_t pid;

    make(source, &(struct made){.id = "second", .every = 1});
    UNTIL(count_slots(source, "second") >= 2);
    pid = begin_command(w, &command);
    UNTIL(strcmp(status_of(source, "second"), "paused") == 0);
    server_kill(target);
    assert_int_equal(command_end(pid), 1);
    target = server_restart(target, NULL);
    assert_string_equal(status_of(target, "second"), "paused");
    assert_has(BELFRY(target, TEMPORAL(source), "--take-over").out, "second: taken over\n");
    assert_taken(source, target, "second", SPAN_S);
}

/* ---- Conductor ---- */

static void conductors_schedules_are_taken_over(void **state)
{
    struct world *w = *state;
    struct server *source = start_source(w), *target = server_start(w, NULL);
    const char *const words[] = {CONDUCTOR(source), "--take-over", NULL};
    struct command command = {.server = target, .words = words};
    const char *out;
    pid_t pid;

    make_conductor(source, "second", "* * * * * *");
    make_conductor(source, "nightly", "0 30 2 * * ?");
    out = BELFRY(target, CONDUCTOR(source), "--dry-run").out;
    assert_has(out, "2 schedules: 2 would be created\n");
    assert_lacks(out, "differs");
    assert_lacks(out, "unknown");
    assert_has(BELFRY(target, CONDUCTOR(source)).out, "2 schedules: 2 created\n");
    UNTIL(count_slots(source, "second") >= 2);
    pid = begin_command(w, &command);
    UNTIL(strcmp(status_of(source, "second"), "paused") == 0);
    kill(pid, SIGKILL);
    (void)command_end(pid);
    out = BELFRY(target, CONDUCTOR(source), "--take-over").out;
    assert_has(out, "2 schedules: 2 taken over\n");
    assert_taken(source, target, "second", SPAN_S);
    assert_string_equal(status_of(target, "nightly"), "active");
    assert_has(BELFRY(target, CONDUCTOR(source), "--take-over").out,
               "2 schedules: 2 taken over before\n");
}

#define ODD                                                                    \
    "{\"name\":\"odd\",\"cronExpression\":\"0 0 0 1 1 ?\",\"zoneId\":\"UTC\"," \
    "\"runCatchupScheduleInstances\":false,\"paused\":false,"                  \
    "\"startWorkflowRequest\":{\"name\":\"report\",\"version\":1}}"

/* A Conductor with one schedule, whose next times are a second late, until a pause or 404. */
static const char *odd_answer(const char *head)
{
    static const char list[] = "{\"totalHits\":1,\"results\":[" ODD "]}";

    if (strncmp(head, "GET /api/scheduler/schedules/search?start=0&", 44) == 0)
        return list;
    if (strncmp(head, "GET /api/scheduler/schedules/search?", 36) == 0)
        return "{\"totalHits\":1,\"results\":[]}";
    if (strncmp(head, "GET /api/scheduler/schedules/odd/next-execution-times?", 54) == 0)
        return "[4070908801000]";
    if (strncmp(head, "GET /api/scheduler/schedules/odd ", 33) == 0)
        return ODD;
    return NULL;
}

/* Answers until the command ends; no request may change the source. */
static int serve_odd(struct receiver *r, pid_t pid)
{
    static struct received_request request;
    int status;

    while (waitpid(pid, &status, WNOHANG) == 0) {
        struct pollfd wait = {r->fd, POLLIN, 0};
        const char *body;

        if (poll(&wait, 1, 10) != 1) /* the command may have ended */
            continue;
        receiver_take(r, &request);
        body = odd_answer(request.text);
        if (!body)
            fail_msg("unexpected: %s", request.text);
        receiver_answer(&request, "200 OK", body);
    }
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

/* Its times could be wrong on either server: the owner has to decide. */
static void a_schedule_with_other_times_is_not_taken_over(void **state)
{
    struct world *w = *state;
    struct server *target = server_start(w, NULL);
    char url[64], path[WORLD_PATH_MAX], text[4096];
    const char *const words[] = {"import", "conductor", url, "--take-over", NULL};
    struct command command = {.server = target, .words = words};
    struct receiver r;
    int out;
    ssize_t len;

    receiver_open(&r);
    snprintf(url, sizeof url, "http://127.0.0.1:%u/api", r.port);
    snprintf(path, sizeof path, "%s/out", w->dir);
    out = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    assert_true(out >= 0);
    assert_int_equal(serve_odd(&r, command_begin(w, &command, out)), 1);
    len = pread(out, text, sizeof text - 1, 0);
    assert_true(len > 0);
    text[len] = '\0';
    assert_has(text, "odd: different times: the times differ; use --accept-differences");
    assert_has(text, "2099-01-01T00:00:01.000Z"); /* there */
    assert_has(text, "differs\n");
    assert_has(text, "1 schedules: 1 different times\n");
    assert_string_equal(status_of(target, "odd"), "paused");
    close(out);
    receiver_close(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(schedules_are_created_paused_with_their_times),
        E2E_TEST(the_report_is_printed_as_json),
        E2E_TEST(other_schedules_are_reported_and_not_changed),
        E2E_TEST(a_source_that_cannot_be_reached_is_reported),
        E2E_TEST(a_take_over_loses_and_doubles_no_slot),
        E2E_TEST(a_killed_command_is_repeated),
        E2E_TEST(a_killed_target_is_taken_over_to_later),
        E2E_TEST(conductors_schedules_are_taken_over),
        E2E_TEST(a_schedule_with_other_times_is_not_taken_over),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
