/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Measures the requests of one namespace (b) while another (a) sends the most expensive
 * requests that the server accepts, up to its rate limit.  Prints milliseconds: the median, the
 * 99th percentile, the maximum.
 */
#include <inttypes.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/must.h"
#include "io/clock.h"
#include "request.h"
#include "subject.h"

enum {
    SHORT_PER_S = 100, /* requests of b: reads and writes in turn */
    SAMPLES_MAX = SHORT_PER_S * 3600,
    BODY_MAX = 1 << 20, /* what the server accepts */
    LIST_SIZE = 500,    /* schedules of a          */
    RANGES = 100,       /* of a backfill           */
    CRONS = 60,         /* of an expensive spec    */
    LARGE_CRONS = 256,  /* of the largest spec, and its single times: */
    LARGE_TIMES = 4096,
    SOME = 16, /* schedules of a small batch */
    PATIENCE_MS = 30000,
    SPEC_BYTES = 8192,
};

struct samples {
    int64_t us[SAMPLES_MAX];
    int count, failed; /* failed: the server rejected the request */
};

static struct soak soak;
static char bulk_body[BODY_MAX], spec[SPEC_BYTES], backfill_body[RANGES * 128];
static char preview_body[SPEC_BYTES + 64], some_body[16 * SPEC_BYTES], large_body[BODY_MAX];
static char patch_body[] = "{\"description\":\"x\"}";

/* ---- the expensive requests ---- */

struct expensive {
    const char *name, *method, *path;
    char *body;
};

static const struct expensive kinds[] = {
    {"backfill", "POST", "/api/v1/schedules/heavy/backfill?namespace=a", backfill_body},
    {"preview", "POST", "/api/v1/preview?namespace=a", preview_body},
    {"bulk", "POST", "/api/v1/bulk/schedules/put?namespace=a", bulk_body},
    {"some", "POST", "/api/v1/bulk/schedules/put?namespace=a", some_body},
    {"put", "PUT", "/api/v1/schedules/large?namespace=a", large_body},
    {"patch", "PATCH", "/api/v1/schedules/large?namespace=a", patch_body},
    {"bulk-diff", "POST", "/api/v1/bulk/schedules/diff?namespace=a", bulk_body},
    {"get", "GET", "/api/v1/schedules/large?namespace=a", NULL},
    {"list", "GET", "/api/v1/schedules?namespace=a&limit=1000", NULL},
    {"export", "GET", "/api/v1/export?namespace=a&limit=1000", NULL},
    {"slots", "GET", "/api/v1/schedules/heavy/slots?namespace=a&limit=1000", NULL},
    {"agents", "GET", "/api/schedules?namespace=a&limit=1000", NULL},
    {"conductor", "GET", "/api/scheduler/schedules?namespace=a", NULL},
    {"search", "GET", "/api/scheduler/search/executions?namespace=a&size=1000", NULL},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static int send(const char *method, const char *path, const char *body)
{
    struct request_answer answer;

    if (request_do(&(struct request){.port = soak.port,
                                     .method = method,
                                     .path = path,
                                     .body = str_of(body ? body : ""),
                                     .patience_ms = PATIENCE_MS},
                   &answer) != REQUEST_ANSWERED)
        return 0;
    return answer.status;
}

static void must_send(const char *method, const char *path, const char *body)
{
    int status = send(method, path, body);

    if (status < 200 || status > 299)
        DIE("%s %s: %d", method, path, status);
}

/* Sixty crons whose slots exclusions remove in part, some of them moved to other days. */
static void write_spec(void)
{
    struct buf out = BUF(spec);

    buf_text(&out, "{\"cron\":[");
    for (int i = 0; i < CRONS; i++)
        buf_printf(&out, "%s\"%d */%d * * * *\"", i > 0 ? "," : "", i, 1 + i % 7);
    buf_text(&out, "],\"exclude\":{\"calendars\":["
                   "{\"hour\":\"3-4\",\"minute\":\"*\",\"second\":\"*\"},"
                   "{\"hour\":\"*\",\"minute\":\"0-30/2\",\"second\":\"*\"}],"
                   "\"dates\":[\"2020-01-01\"],\"shift\":\"next\"}}");
    must(!out.cut);
}

/* Up to `count` schedules, as many as there is room for. */
static void write_batch(char *body, size_t size, int count, const char *of)
{
    struct buf batch = {.ptr = body, .cap = size};

    buf_text(&batch, "{\"items\":[");
    for (int i = 0; i < count && batch.len + SPEC_BYTES < size; i++)
        buf_printf(&batch,
                   "%s{\"id\":\"s%d\",\"spec\":%s,\"action\":{\"type\":\"queue\",\"queue\":"
                   "\"q\"}}",
                   i > 0 ? "," : "", i, of);
    buf_text(&batch, "]}");
    must(!batch.cut);
}

/* One schedule with as many crons as the server accepts. */
static void write_large(void)
{
    struct buf large = BUF(large_body);

    buf_text(&large, "{\"action\":{\"type\":\"queue\",\"queue\":\"q\"},\"spec\":{\"cron\":[");
    for (int i = 0; i < LARGE_CRONS; i++)
        buf_printf(&large, "%s\"%d %d %d 1-28/%d * MON-FRI\"", i > 0 ? "," : "", i % 60,
                   i / 60 % 60, i % 24, 1 + i % 9);
    buf_text(&large, "],\"at\":[");
    for (int i = 0; i < LARGE_TIMES; i++)
        buf_printf(&large, "%s\"20%02d-%02d-%02dT12:00:00Z\"", i > 0 ? "," : "", 30 + i / 336,
                   1 + i / 28 % 12, 1 + i % 28);
    buf_text(&large, "]}}");
    must(!large.cut);
}

static void write_bodies(void)
{
    struct buf ranges = BUF(backfill_body), preview = BUF(preview_body);

    buf_text(&ranges, "{\"dryRun\":true,\"ranges\":[");
    for (int i = 0; i < RANGES; i++)
        buf_printf(&ranges, "%s{\"from\":\"%d-01-01T00:00:00Z\",\"to\":\"%d-12-31T00:00:00Z\"}",
                   i > 0 ? "," : "", 1920 + i, 1920 + i);
    buf_text(&ranges, "]}");
    buf_printf(&preview, "{\"count\":1000,\"spec\":%s}", spec);
    must(!ranges.cut && !preview.cut);
    write_batch(bulk_body, sizeof bulk_body, LIST_SIZE, spec);
    write_batch(some_body, sizeof some_body, SOME, spec);
    write_large();
}

static void fill_namespaces(void)
{
    char body[SPEC_BYTES + 128];

    must_send("PUT", "/api/v1/namespaces/a", "{}");
    must_send("PUT", "/api/v1/namespaces/b", "{}");
    snprintf(body, sizeof body, "{\"spec\":%s,\"action\":{\"type\":\"queue\",\"queue\":\"q\"}}",
             spec);
    must_send("PUT", "/api/v1/schedules/heavy?namespace=a", body);
    must_send("POST", "/api/v1/bulk/schedules/put?namespace=a", bulk_body);
    must_send("PUT", "/api/v1/schedules/large?namespace=a", large_body);
    for (int i = 0; i < 100; i++) {
        snprintf(body, sizeof body, "/api/v1/schedules/s%d?namespace=b", i);
        must_send("PUT", body,
                  "{\"spec\":{\"cron\":[\"0 9 * * *\"]},\"action\":{\"type\":\"queue\","
                  "\"queue\":\"q\"}}");
    }
}

static void limit_rate(int per_minute)
{
    char body[128];

    snprintf(body, sizeof body, "{\"settings\":{\"rateRead\":%d,\"rateWrite\":%d}}", per_minute,
             per_minute);
    must_send("PUT", "/api/v1/namespaces/a", body);
}

/* Waits until `due`, in clock_boot_us(). */
static void wait_until(int64_t due)
{
    int64_t left = due - clock_boot_us();

    if (left > 0)
        usleep((useconds_t)left);
}

/* One kind of request at its rate; a slow answer delays the next one. */
static _Noreturn void attack(const struct expensive *kind, int per_minute, pid_t parent)
{
    int64_t due = clock_boot_us();

    must(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
    if (getppid() != parent)
        _exit(EXIT_FAILURE);
    for (;;) {
        wait_until(due);
        due += 60 * SPAN_S / per_minute;
        (void)send(kind->method, kind->path, kind->body);
    }
}

/* One process for each kind, or only for the kind `only`. */
static void start_attack(const char *only, int per_minute, pid_t attackers[static KINDS])
{
    pid_t parent = getpid();

    for (int i = 0; i < KINDS; i++) {
        attackers[i] = 0;
        if (only && strcmp(only, kinds[i].name) != 0)
            continue;
        attackers[i] = fork();
        must(attackers[i] >= 0);
        if (attackers[i] == 0)
            attack(&kinds[i], per_minute, parent);
    }
}

static void stop_attack(const pid_t attackers[static KINDS])
{
    for (int i = 0; i < KINDS; i++) {
        if (attackers[i] == 0)
            continue;
        kill(attackers[i], SIGKILL);
        must(waitpid(attackers[i], NULL, 0) == attackers[i]);
    }
}

/* ---- the measured requests ---- */

static void add_sample(struct samples *samples, int64_t us, int status)
{
    must(samples->count < SAMPLES_MAX);
    samples->us[samples->count++] = us;
    samples->failed += status < 200 || status > 299;
}

static void measure(int seconds, struct samples *reads, struct samples *writes)
{
    int64_t begin = clock_boot_us();
    char path[128], body[64];

    reads->count = writes->count = reads->failed = writes->failed = 0;
    for (int i = 0; clock_boot_us() - begin < seconds * SPAN_S; i++) {
        bool is_read = i % 2 == 0;
        int64_t before;
        int status;

        wait_until(begin + i * (SPAN_S / SHORT_PER_S));
        snprintf(path, sizeof path, "/api/v1/schedules/s%d?namespace=b", i / 2 % 100);
        snprintf(body, sizeof body, "{\"description\":\"%d\"}", i);
        before = clock_boot_us();
        status = send(is_read ? "GET" : "PATCH", path, is_read ? NULL : body);
        add_sample(is_read ? reads : writes, clock_boot_us() - before, status);
    }
}

static int compare(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;

    return (x > y) - (x < y);
}

/* Returns the 99th percentile in microseconds. */
static int64_t report(const char *kind, const char *when, struct samples *samples)
{
    int64_t p99;

    qsort(samples->us, (size_t)samples->count, sizeof samples->us[0], compare);
    p99 = samples->us[samples->count * 99 / 100];
    printf("%s\t%s\tp50 %.2f ms\tp99 %.2f ms\tmax %.2f ms\tfailed %d of %d\n", kind, when,
           (double)samples->us[samples->count / 2] / 1000, (double)p99 / 1000,
           (double)samples->us[samples->count - 1] / 1000, samples->failed, samples->count);
    return p99;
}

int main(int argc, char **argv)
{
    static struct samples reads, writes;
    pid_t attackers[KINDS];
    int64_t idle_read, idle_write;
    int seconds, rate;

    if (argc != 5 && argc != 6)
        DIE("usage: bench-fairness PROGRAM DIR SECONDS RATE [KIND]");
    seconds = atoi(argv[3]);
    rate = atoi(argv[4]);
    if (seconds < 1 || seconds > 1800 || rate < 1)
        DIE("wrong SECONDS or RATE");
    soak.program = argv[1];
    snprintf(soak.dir, sizeof soak.dir, "%s", argv[2]);
    write_spec();
    write_bodies();
    atexit(subject_kill);
    subject_start(&soak);
    fill_namespaces();
    measure(seconds, &reads, &writes);
    idle_read = report("read", "idle", &reads);
    idle_write = report("write", "idle", &writes);
    fflush(stdout);
    limit_rate(rate);
    start_attack(argc > 5 ? argv[5] : NULL, rate, attackers);
    measure(seconds, &reads, &writes);
    printf("read\tp99 %.1f times\n",
           (double)report("read", "attacked", &reads) / (double)idle_read);
    printf("write\tp99 %.1f times\n",
           (double)report("write", "attacked", &writes) / (double)idle_write);
    stop_attack(attackers);
    if (subject_stop() != 0)
        DIE("the server did not stop well");
    return 0;
}
