/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench-dialects BELFRY DIR ROUNDS SECONDS [URL]: how many gRPC calls a `belfry serve` answers,
 * compared with an empty call and with a loop that only writes.
 *
 * URL is a PostgreSQL database; without it, SQLite in DIR.  The compared programs take turns.
 * Prints lines of figures for report.awk.
 */
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "bare.h"
#include "base/must.h"
#include "rpc.h"
#include "subject.h"
#include "wire/temporal.pb-c.h"

enum {
    ROUNDS_MAX = 100,
    SECONDS_MAX = 60,
    NAME_BYTES = 64,
};

#define SERVICE  "/temporal.api.workflowservice.v1.WorkflowService/"
#define EMPTY    SERVICE "GetSystemInfo"
#define CREATE   SERVICE "CreateSchedule"
#define DESCRIBE SERVICE "DescribeSchedule"
#define MODEL    "model"

/* 64 calls under way, by two kinds of clients. */
static const struct shape {
    const char *name;
    int connections, streams;
} shapes[] = {{"multiplexed", 4, 16}, {"one stream", 64, 1}};

enum { SHAPES = sizeof shapes / sizeof shapes[0] };

struct bench {
    struct soak *soak;
    int rounds;
    double seconds;
    int64_t made; /* schedules, each with its own number */
};

/* ---- messages ---- */

static void put(const ProtobufCMessage *message, struct buf *out)
{
    uint8_t packed[RPC_MESSAGE_MAX];

    must(protobuf_c_message_get_packed_size(message) <= sizeof packed);
    buf_str(out, (struct str){(const char *)packed, protobuf_c_message_pack(message, packed)});
}

static Temporal__NewWorkflowExecutionInfo *workflow(char *id)
{
    static Temporal__NewWorkflowExecutionInfo info =
        TEMPORAL__NEW_WORKFLOW_EXECUTION_INFO__INIT;
    static Temporal__WorkflowType type = TEMPORAL__WORKFLOW_TYPE__INIT;
    static Temporal__TaskQueue queue = TEMPORAL__TASK_QUEUE__INIT;
    static Temporal__Payload__MetadataEntry encoding = TEMPORAL__PAYLOAD__METADATA_ENTRY__INIT;
    static Temporal__Payload payload = TEMPORAL__PAYLOAD__INIT, *payload_list[] = {&payload};
    static Temporal__Payload__MetadataEntry *metadata[] = {&encoding};
    static Temporal__Payloads payloads = TEMPORAL__PAYLOADS__INIT;
    static uint8_t plain[] = "json/plain", data[] = "{\"name\":\"world\"}";
    static char greet[] = "greet", bench[] = "bench", key[] = "encoding";

    type.name = greet;
    queue.name = bench;
    encoding.key = key;
    encoding.value = (ProtobufCBinaryData){sizeof plain - 1, plain};
    payload.metadata = metadata;
    payload.n_metadata = 1;
    payload.data = (ProtobufCBinaryData){sizeof data - 1, data};
    payloads.payloads = payload_list;
    payloads.n_payloads = 1;
    info.workflow_id = id;
    info.workflow_type = &type;
    info.task_queue = &queue;
    info.input = &payloads;
    return &info;
}

/* A daily workflow with one argument, as a Temporal client creates it. */
static void put_create(char *id, char *request_id, struct buf *out)
{
    Temporal__CreateScheduleRequest request = TEMPORAL__CREATE_SCHEDULE_REQUEST__INIT;
    Temporal__Schedule schedule = TEMPORAL__SCHEDULE__INIT;
    Temporal__ScheduleSpec spec = TEMPORAL__SCHEDULE_SPEC__INIT;
    Temporal__ScheduleAction action = TEMPORAL__SCHEDULE_ACTION__INIT;
    Temporal__SchedulePolicies policies = TEMPORAL__SCHEDULE_POLICIES__INIT;
    Temporal__ScheduleState state = TEMPORAL__SCHEDULE_STATE__INIT;
    char daily[] = "30 2 * * *", space[] = "default", identity[] = "bench@localhost";
    char *lines[] = {daily};

    spec.cron_string = lines;
    spec.n_cron_string = 1;
    action.action_case = TEMPORAL__SCHEDULE_ACTION__ACTION_START_WORKFLOW;
    action.start_workflow = workflow(id);
    schedule.spec = &spec;
    schedule.action = &action;
    schedule.policies = &policies;
    schedule.state = &state;
    request.namespace_ = space;
    request.schedule_id = id;
    request.request_id = request_id;
    request.identity = identity;
    request.schedule = &schedule;
    put(&request.base, out);
}

static void write_model(void *arg, struct buf *out)
{
    char id[] = MODEL, request_id[] = "00000000-0000-4000-8000-000000000000";

    (void)arg;
    put_create(id, request_id, out);
}

static void write_create(void *arg, struct buf *out)
{
    struct bench *b = arg;
    char id[NAME_BYTES], request_id[NAME_BYTES];

    b->made++;
    snprintf(id, sizeof id, "made-%09lld", (long long)b->made);
    snprintf(request_id, sizeof request_id, "00000000-0000-4000-8000-%012lld",
             (long long)b->made);
    put_create(id, request_id, out);
}

static void write_describe(void *arg, struct buf *out)
{
    Temporal__DescribeScheduleRequest request = TEMPORAL__DESCRIBE_SCHEDULE_REQUEST__INIT;
    char id[] = MODEL, space[] = "default";

    (void)arg;
    request.namespace_ = space;
    request.schedule_id = id;
    put(&request.base, out);
}

/* ---- measures ---- */

static struct rpc_result run(const struct rpc_load *load)
{
    struct rpc_result result = rpc_run(load);

    if (result.bad > 0)
        DIE("%s: %lld of %lld answers were wrong:%s", load->method, (long long)result.bad,
            (long long)result.done, result.why);
    return result;
}

static void measure(struct bench *b, const struct shape *shape, const char *name,
                    struct rpc_load load)
{
    int64_t before = subject_state(b->soak).cpu_us;
    struct rpc_result r;

    load.port = b->soak->port;
    load.connections = shape->connections;
    load.streams = shape->streams;
    load.seconds = b->seconds;
    load.arg = b;
    r = run(&load);
    printf("call\t%s\t%s\t%zu\t%.1f\t%.0f\t%.0f\t%.2f\n", shape->name, name, r.bytes, r.per_s,
           r.p50_us, r.p99_us,
           (double)(subject_state(b->soak).cpu_us - before) / (double)r.done);
    fflush(stdout);
}

static void measure_round(struct bench *b, struct bare *bare)
{
    for (int i = 0; i < SHAPES; i++) {
        measure(b, &shapes[i], "empty", (struct rpc_load){.method = EMPTY});
        measure(b, &shapes[i], "describe",
                (struct rpc_load){.method = DESCRIBE, .write = write_describe});
        if (bare)
            printf("bare\t%s\t%.1f\n", shapes[i].name, bare_create(bare, b->seconds));
        measure(b, &shapes[i], "create",
                (struct rpc_load){.method = CREATE, .write = write_create});
    }
}

static void measure_all(struct bench *b)
{
    char model[SOAK_PATH_MAX + 32], path[SOAK_PATH_MAX + 32];
    struct bare *bare = NULL;

    run(&(struct rpc_load){.port = b->soak->port,
                           .method = CREATE,
                           .connections = 1,
                           .streams = 1,
                           .most = 1,
                           .write = write_model});
    if (!b->soak->db) {
        snprintf(model, sizeof model, "%s/belfry.db", b->soak->dir);
        snprintf(path, sizeof path, "%s/bare.db", b->soak->dir);
        bare = bare_open(path, model, MODEL);
    }
    for (int round = 0; round < b->rounds; round++)
        measure_round(b, bare);
    if (bare)
        bare_close(bare);
}

static int read_number(const char *text, int max, const char *what)
{
    long n = strtol(text, NULL, 10);

    if (n < 1 || n > max)
        DIE("%s is 1 to %d, not %s", what, max, text);
    return (int)n;
}

static double read_seconds(const char *text)
{
    double seconds = strtod(text, NULL);

    if (!(seconds > 0 && seconds <= SECONDS_MAX))
        DIE("the number of seconds is at most %d, not %s", SECONDS_MAX, text);
    return seconds;
}

int main(int argc, char **argv)
{
    struct soak *soak = mmap(NULL, sizeof *soak, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct bench bench = {.soak = soak};
    int status;

    must(soak != MAP_FAILED);
    if (argc != 5 && argc != 6)
        DIE("usage: bench-dialects BELFRY DIR ROUNDS SECONDS [URL]");
    soak->program = argv[1];
    snprintf(soak->dir, sizeof soak->dir, "%s", argv[2]);
    bench.rounds = read_number(argv[3], ROUNDS_MAX, "the number of rounds");
    bench.seconds = read_seconds(argv[4]);
    soak->db = argv[5];
    atexit(subject_kill);
    subject_start(soak);
    measure_all(&bench);
    status = subject_stop();
    if (status != 0)
        DIE("the server has ended with %d", status);
    return EXIT_SUCCESS;
}
