/* SPDX-License-Identifier: Apache-2.0 */
/*
 * bench-soak BELFRY DIR SECONDS RATE: a server under a steady load, and whether its memory,
 * descriptors and files stay constant.
 *
 * Prints a table while it runs.  Exit status 1: something grew, or a slot is not accounted for.
 */
#include <inttypes.h>
#include <string.h>
#include <sys/mman.h>

#include "base/must.h"
#include "crowd.h"
#include "io/clock.h"
#include "request.h"
#include "subject.h"

enum {
    SAMPLE_S = 10, /* of a short soak: 1 */
    LEAD_S = 5,    /* from the start to the first slots: for creating them; more for many */
    CREATES_PER_S = 500,
    REST_S = 120, /* at the end, for open runs */
    SAMPLES_MAX = SOAK_SECONDS_MAX / SAMPLE_S + 1,
    FLAT_S = 300,     /* a shorter soak is not judged: tables and caches still fill */
    BAND_PERCENT = 5, /* by which the second half may exceed the maximum of the first */
    BAND_BYTES = 2 << 20,
    BAND_FDS = 48, /* connections to the receiver are kept, more of them after a burst */
};

struct sample {
    struct subject_state state;
    uint64_t begun, done;
};

static struct sample samples[SAMPLES_MAX];
static int sample_count;

/* ---- lateness ---- */

struct lateness {
    uint64_t at[SOAK_LATE_MS + 1];
    uint64_t all;
};

static struct lateness seen, fresh;

/* Into `fresh`: runs that began since the last call. */
static void take_lateness(struct soak *soak)
{
    fresh.all = 0;
    for (int ms = 0; ms <= SOAK_LATE_MS; ms++) {
        uint64_t sum = 0;

        for (int i = 0; i < 1 + SOAK_WORKERS; i++)
            sum += atomic_load_explicit(&soak->tallies[i].late[ms], memory_order_relaxed);
        fresh.at[ms] = sum - seen.at[ms];
        fresh.all += fresh.at[ms];
        seen.at[ms] = sum;
    }
}

/* The lateness that `permille` of a thousand did not exceed; 1000: the maximum. */
static int late_ms(const struct lateness *late, uint64_t permille)
{
    uint64_t wanted = (late->all * permille + 999) / 1000, sum = 0;

    for (int ms = 0; ms <= SOAK_LATE_MS; ms++) {
        sum += late->at[ms];
        if (sum >= wanted)
            return ms;
    }
    return 0;
}

/* ---- samples ---- */

static double megabytes(int64_t bytes)
{
    return (double)bytes / (1 << 20);
}

static struct sample look(struct soak *soak)
{
    struct sample s = {.state = subject_state(soak)};

    for (int i = 0; i < 1 + SOAK_WORKERS; i++) {
        s.begun += atomic_load_explicit(&soak->tallies[i].begun, memory_order_relaxed);
        s.done += atomic_load_explicit(&soak->tallies[i].done, memory_order_relaxed);
    }
    return s;
}

static void print_sample(const struct sample *s, const struct sample *before, double seconds,
                         int64_t at_s)
{
    uint64_t done = s->done - before->done;
    double cpu = (double)(s->state.cpu_us - before->state.cpu_us);

    printf("%5" PRId64 " %8.0f %6d %6d %6d %8.1f %8.1f %5d %5d %8.1f %7.1f %5.0f %7.0f\n", at_s,
           (double)done / seconds, late_ms(&fresh, 500), late_ms(&fresh, 990),
           late_ms(&fresh, 1000), megabytes(s->state.rss), megabytes(s->state.anonymous),
           s->state.descriptors, s->state.threads, megabytes(s->state.file),
           megabytes(s->state.wal), cpu / seconds / 1e4, done ? cpu / (double)done : 0);
    fflush(stdout);
}

static void watch(struct soak *soak)
{
    struct sample before = look(soak);
    int64_t before_us = clock_boot_us();
    int sample_s = soak->seconds < FLAT_S ? 1 : SAMPLE_S;

    printf("%5s %8s %6s %6s %6s %8s %8s %5s %5s %8s %7s %5s %7s\n", "s", "fires/s", "p50 ms",
           "p99 ms", "max ms", "rss MB", "anon MB", "fds", "thr", "db MB", "wal MB", "cpu %",
           "us/fire");
    while (clock_now() < soak->end) {
        int64_t next_us = before_us + sample_s * INT64_C(1000000), now_us;
        struct sample s;

        while ((now_us = clock_boot_us()) < next_us && crowd_is_well())
            request_nap(
                (int)((next_us - now_us) / 1000 < 1000 ? (next_us - now_us) / 1000 + 1 : 1000));
        if (!crowd_is_well())
            DIE("the server's log is %s/serve.log", soak->dir);
        s = look(soak);
        take_lateness(soak);
        print_sample(&s, &before, (double)(now_us - before_us) / 1e6,
                     (clock_now() - soak->start) / SPAN_S);
        if (sample_count < SAMPLES_MAX)
            samples[sample_count++] = s;
        before = s;
        before_us = now_us;
    }
}

/* Waits until workers and receiver have completed all runs that they began. */
static void rest(struct soak *soak)
{
    uint64_t before = 0;

    for (int quiet = 0, waited = 0; quiet < 3 && waited < REST_S; waited++) {
        struct sample s = look(soak);

        quiet = s.done == before && s.done == s.begun ? quiet + 1 : 0;
        before = s.done;
        request_nap(1000);
    }
}

/* ---- the verdict ---- */

static int64_t rss_of(const struct subject_state *state)
{
    return state->rss;
}

static int64_t file_of(const struct subject_state *state)
{
    return state->file;
}

static int64_t wal_of(const struct subject_state *state)
{
    return state->wal;
}

static int64_t descriptors_of(const struct subject_state *state)
{
    return state->descriptors;
}

static int64_t most(int from, int until, int64_t (*of)(const struct subject_state *))
{
    int64_t ret = 0;

    for (int i = from; i < until; i++)
        ret = of(&samples[i].state) > ret ? of(&samples[i].state) : ret;
    return ret;
}

static bool is_flat(const char *what, int64_t (*of)(const struct subject_state *), int64_t room,
                    double unit)
{
    int64_t first = most(0, sample_count / 2, of);
    int64_t second = most(sample_count / 2, sample_count, of);
    int64_t band = first * BAND_PERCENT / 100 + room;
    bool flat = second <= first + band;

    printf("%-12s %s: at most %.1f in the first half, %.1f in the second; the band ends at "
           "%.1f\n",
           what, flat ? "flat" : "GREW", (double)first / unit, (double)second / unit,
           (double)(first + band) / unit);
    return flat;
}

static bool is_accounted(const struct soak *soak, const struct sample *last)
{
    struct subject_count c = subject_count(soak);
    int64_t slots = (int64_t)soak->rate * soak->seconds;
    int64_t accounted = c.started + c.skipped + c.missed + c.other;
    bool same = accounted == slots && c.open == 0 && c.failed == 0 &&
                c.succeeded == c.started && (uint64_t)c.succeeded == last->done;

    printf("slots        %s: %" PRId64 " of the specs, %" PRId64 " accounted for: %" PRId64
           " started, %" PRId64 " skipped, %" PRId64 " missed, %" PRId64 " other\n",
           same ? "whole" : "WRONG", slots, accounted, c.started, c.skipped, c.missed, c.other);
    printf("runs         %" PRId64 " succeeded, %" PRId64 " failed, %" PRId64 " open, %" PRIu64
           " completed by workers and receiver; %" PRId64 " rows of history are left\n",
           c.succeeded, c.failed, c.open, last->done, c.history);
    return same;
}

static bool judge(struct soak *soak)
{
    struct sample last = look(soak);
    int status = subject_stop();
    bool good = status == 0;

    printf("end          %s: the server's exit status is %d\n", good ? "orderly" : "WRONG",
           status);
    if (soak->seconds >= FLAT_S) {
        good = is_flat("memory MB", rss_of, BAND_BYTES, 1 << 20) && good;
        good = is_flat("descriptors", descriptors_of, BAND_FDS, 1) && good;
        good = is_flat("database MB", file_of, BAND_BYTES, 1 << 20) && good;
        good = is_flat("wal MB", wal_of, BAND_BYTES, 1 << 20) && good;
    }
    return is_accounted(soak, &last) && good;
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
    crowd_end();
    subject_kill();
}

int main(int argc, char **argv)
{
    struct soak *soak = mmap(NULL, sizeof *soak, PROT_READ | PROT_WRITE,
                             MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    must(soak != MAP_FAILED);
    if (argc != 5)
        DIE("usage: bench-soak BELFRY DIR SECONDS RATE");
    soak->program = argv[1];
    snprintf(soak->dir, sizeof soak->dir, "%s", argv[2]);
    soak->seconds = read_number(argv[3], SOAK_SECONDS_MAX, "the number of seconds");
    soak->rate = read_number(argv[4], SOAK_RATE_MAX, "the rate");
    atexit(clean_up);
    crowd_start_receiver(soak);
    subject_start(soak);
    soak->start = (clock_now() / SPAN_S + LEAD_S + soak->rate / CREATES_PER_S) * SPAN_S;
    soak->end = soak->start + soak->seconds * SPAN_S;
    subject_fill(soak);
    crowd_start_workers(soak);
    watch(soak);
    rest(soak);
    crowd_end();
    return judge(soak) ? EXIT_SUCCESS : EXIT_FAILURE;
}
