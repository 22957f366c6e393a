/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench-api BELFRY DIR SCRIPTS ROUNDS SECONDS PARTS [URL]: how fast a `belfry serve` answers,
 * compared with a handler that does nothing and a loop that only writes.
 *
 * PARTS are "reads", "creates", "fire", "all" or "smoke": all, with little load.  URL is a
 * PostgreSQL database; without it, SQLite in DIR.  The compared programs take turns.  Prints
 * lines of figures for report.awk.
 */
#include <jansson.h>
#include <string.h>
#include <sys/mman.h>

#include "bare.h"
#include "base/must.h"
#include "crowd.h"
#include "io/clock.h"
#include "request.h"
#include "subject.h"
#include "trivial.h"
#include "wrk.h"

enum {
    CONNECTIONS = 64,
    LISTED = 100,
    PACED_CONNECTIONS = 16,
    REQUEST_MS = 10000,
    ROUNDS_MAX = 100,
    SECONDS_MAX = 60,
    PATH_BYTES = 128,
};

#define PACED_PAUSE "16" /* ms on average: about 1,000 reads a second */
#define MODEL       "model"

struct reading {
    const char *name;
    char path[PATH_BYTES];
    struct str body;
};

enum { GET, RUN, LIST, READINGS };

/* The load during which reads are measured. */
struct fire_plan {
    int per_s;
    int lead_s; /* from creating the schedules to their first slots */
    int settle_s;
    int rest_ms; /* after the last slot, for its run to end */
};

static const struct fire_plan full = {2000, 6, 3, 3000}, smoke = {100, 2, 0, 1000};

struct bench {
    struct soak *soak;
    const char *scripts;
    int rounds, seconds;
    const char *parts;
    struct reading readings[READINGS];
    uint16_t trivial_port;
};

static struct str request_for(const struct bench *b, const char *method, const char *path,
                              const char *body, int status)
{
    struct request_answer answer;

    if (request_do(&(struct request){.port = b->soak->port,
                                     .method = method,
                                     .path = path,
                                     .body = str_of(body),
                                     .patience_ms = REQUEST_MS},
                   &answer) != REQUEST_ANSWERED)
        DIE("%s: there was no answer", path);
    if (answer.status != status)
        DIE("%s: %d %.*s", path, answer.status, STR_ARG(answer.body));
    return answer.body;
}

static void create(const struct bench *b, const char *name)
{
    char body[512];

    snprintf(
        body, sizeof body,
        "{\"id\":\"%s\",\"spec\":{\"cron\":[\"30 2 * * *\"]},\"action\":{\"type\":\"queue\","
        "\"queue\":\"bench\",\"input\":{\"name\":\"world\"}}}",
        name);
    request_for(b, "POST", "/api/v1/schedules", body, 201);
}

/* One run that waits for a worker that never polls. */
static void trigger(struct bench *b)
{
    struct str answer = request_for(b, "POST", "/api/v1/schedules/" MODEL "/trigger", "{}",
                                    202);
    json_t *json = json_loadb(answer.ptr, answer.len, 0, NULL);
    const char *id = json_string_value(json_object_get(json, "id"));

    if (!id)
        DIE("a trigger was answered without a run: %.*s", STR_ARG(answer));
    snprintf(b->readings[RUN].path, PATH_BYTES, "/api/v1/runs/%s", id);
    json_decref(json);
}

/* Creates what is read, and a server that has all of it in memory. */
static void prepare(struct bench *b)
{
    static struct trivial_answer answers[READINGS];

    create(b, MODEL);
    for (int i = 0; i < LISTED; i++) {
        char name[32];

        snprintf(name, sizeof name, "listed-%03d", i);
        create(b, name);
    }
    trigger(b);
    snprintf(b->readings[GET].path, PATH_BYTES, "/api/v1/schedules/" MODEL);
    snprintf(b->readings[LIST].path, PATH_BYTES, "/api/v1/schedules?limit=%d&prefix=listed",
             LISTED);
    for (int i = 0; i < READINGS; i++) {
        struct reading *r = &b->readings[i];
        struct str body = request_for(b, "GET", r->path, "", 200);
        char *copy = malloc(body.len);

        must(copy != NULL);
        memcpy(copy, body.ptr, body.len);
        r->body = (struct str){copy, body.len};
        answers[i] = (struct trivial_answer){r->path, r->body};
    }
    b->trivial_port = trivial_start(answers, READINGS);
}

static struct wrk_result run_wrk(const struct bench *b, const struct wrk *wrk)
{
    struct wrk_result result = wrk_run(wrk, b->scripts);

    if (result.bad > 0)
        DIE("%lld answers to %s were wrong", (long long)result.bad, wrk->path);
    return result;
}

/* Of the server, with its processor time per answer. */
static struct wrk_result request_server(const struct bench *b, struct wrk wrk,
                                        double *ret_cpu_us)
{
    int64_t before = subject_state(b->soak).cpu_us;
    struct wrk_result result;

    wrk.port = b->soak->port;
    result = run_wrk(b, &wrk);
    *ret_cpu_us = (double)(subject_state(b->soak).cpu_us - before) /
                  (result.per_s * (double)wrk.seconds);
    return result;
}

static void measure_creates(const struct bench *b, struct bare *bare, int round)
{
    char names[32];
    double limit = bare ? bare_create(bare, b->seconds) : 0;
    struct wrk_result made;
    double cpu_us;

    snprintf(names, sizeof names, "made-%03d", round);
    made = request_server(b,
                          (struct wrk){.script = "create.lua",
                                       .connections = CONNECTIONS,
                                       .seconds = b->seconds,
                                       .path = "/api/v1/schedules",
                                       .argument = names},
                          &cpu_us);
    printf("create\t%.1f\t%.1f\t%.0f\t%.0f\t%.1f\n", limit, made.per_s, made.p50_us,
           made.p99_us, cpu_us);
}

static void measure_read(const struct bench *b, const struct reading *r)
{
    struct wrk wrk = {.script = "read.lua",
                      .connections = CONNECTIONS,
                      .seconds = b->seconds,
                      .port = b->trivial_port,
                      .path = r->path};
    struct wrk_result limit = run_wrk(b, &wrk), read;
    double cpu_us;

    read = request_server(b, wrk, &cpu_us);
    printf("read\t%s\t%zu\t%.1f\t%.1f\t%.0f\t%.0f\t%.1f\n", r->name, r->body.len, limit.per_s,
           read.per_s, read.p50_us, read.p99_us, cpu_us);
}

static void measure_latency(const struct bench *b, const char *when)
{
    struct wrk_result read = run_wrk(b, &(struct wrk){.script = "read.lua",
                                                      .connections = PACED_CONNECTIONS,
                                                      .seconds = b->seconds,
                                                      .port = b->soak->port,
                                                      .path = b->readings[GET].path,
                                                      .argument = PACED_PAUSE});

    printf("paced\t%s\t%.1f\t%.0f\t%.0f\n", when, read.per_s, read.p50_us, read.p99_us);
    fflush(stdout);
}

static uint64_t fires(const struct soak *soak)
{
    uint64_t sum = 0;

    for (int i = 0; i < 1 + SOAK_WORKERS; i++)
        sum += atomic_load(&soak->tallies[i].done);
    return sum;
}

/* The same reads without and with the load of the soak. */
static void measure_under_fire(struct bench *b)
{
    const struct fire_plan *plan = strcmp(b->parts, "smoke") == 0 ? &smoke : &full;
    struct soak *soak = b->soak;
    uint64_t before;
    int64_t from;

    for (int round = 0; round < b->rounds; round++)
        measure_latency(b, "idle");
    soak->rate = plan->per_s;
    soak->start = (clock_now() / SPAN_S + plan->lead_s) * SPAN_S;
    soak->end = soak->start + (plan->settle_s + b->rounds * (b->seconds + 1)) * SPAN_S;
    subject_fill(soak);
    crowd_start_workers(soak);
    while (clock_now() < soak->start + plan->settle_s * SPAN_S)
        request_nap(100);
    before = fires(soak);
    from = clock_boot_us();
    for (int round = 0; round < b->rounds; round++)
        measure_latency(b, "load");
    printf("fires\t%.1f\n",
           (double)(fires(soak) - before) * 1e6 / (double)(clock_boot_us() - from));
    while (clock_now() < soak->end)
        request_nap(100);
    request_nap(plan->rest_ms);
}

static bool wants(const struct bench *b, const char *part)
{
    return strcmp(b->parts, "all") == 0 || strcmp(b->parts, "smoke") == 0 ||
           strcmp(b->parts, part) == 0;
}

static void measure(struct bench *b)
{
    char model[SOAK_PATH_MAX + 32], path[SOAK_PATH_MAX + 32];
    struct bare *bare = NULL;

    if (!b->soak->db) {
        snprintf(model, sizeof model, "%s/belfry.db", b->soak->dir);
        snprintf(path, sizeof path, "%s/bare.db", b->soak->dir);
        bare = bare_open(path, model, MODEL);
    }
    for (int round = 0; round < b->rounds; round++) {
        for (int i = 0; i < READINGS && wants(b, "reads"); i++)
            measure_read(b, &b->readings[i]);
        if (wants(b, "creates"))
            measure_creates(b, bare, round);
        fflush(stdout);
    }
    if (bare)
        bare_close(bare);
    if (wants(b, "fire"))
        measure_under_fire(b);
}

static int read_number(const char *text, int max, const char *what)
{
    long n = strtol(text, NULL, 10);

    if (n < 1 || n > max)
        DIE("%s is 1 to %d, not %s", what, max, text);
    return (int)n;
}

static void clean_up(void)
{
    trivial_end();
    crowd_end();
    subject_kill();
}

int main(int argc, char **argv)
{
    struct soak *soak = mmap(NULL, sizeof *soak, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    struct bench bench = {
        .soak = soak,
        .readings = {
            [GET] = {.name = "schedule"}, [RUN] = {.name = "run"}, [LIST] = {.name = "list"}}};
    int status;

    must(soak != MAP_FAILED);
    if (argc != 7 && argc != 8)
        DIE("usage: bench-api BELFRY DIR SCRIPTS ROUNDS SECONDS PARTS [URL]");
    soak->program = argv[1];
    snprintf(soak->dir, sizeof soak->dir, "%s", argv[2]);
    bench.scripts = argv[3];
    bench.rounds = read_number(argv[4], ROUNDS_MAX, "the number of rounds");
    bench.seconds = read_number(argv[5], SECONDS_MAX, "the number of seconds");
    bench.parts = argv[6];
    soak->db = argv[7];
    atexit(clean_up);
    crowd_start_receiver(soak);
    subject_start(soak);
    prepare(&bench);
    measure(&bench);
    crowd_end();
    status = subject_stop();
    if (status != 0)
        DIE("the server has ended with %d", status);
    return EXIT_SUCCESS;
}
