/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A worker: claims batches, records what it got, and reports how each run ended; or forgets it,
 * or reports long after its lease.
 */
#include <inttypes.h>
#include <jansson.h>
#include <stdio.h>

#include "actor.h"
#include "base/buf.h"
#include "forms.h"
#include "io/clock.h"
#include "journal.h"
#include "request.h"

enum {
    BATCH_MAX = 20,
    HANG_UP_MS = 40, /* some do not wait for the answer to a claim */
    BODY_MAX = 16 * 1024,
    ID_MAX = 40,
    LATE_MAX = 64,   /* runs that it will report too late */
    LATE_ROUNDS = 6, /* claims to wait before that */
    CLAIM_MS = 5000, /* for an answer to a claim that may wait a second */
    REPORT_MS = 5000,
    REPORT_TRIES = 8, /* by then another worker has the run */
    NAP_MS = 30,
};

struct grant {
    char id[ID_MAX];
    int64_t fence;
    int rounds; /* until it reports */
};

enum choice {
    CHOICE_COMPLETE,
    CHOICE_FAIL,
    CHOICE_RELEASE,
    CHOICE_HEARTBEAT,
    CHOICE_FORGET,
    CHOICE_LATE
};

struct worker {
    struct actor *actor;
    char name[16];
    struct grant late[LATE_MAX];
    int late_count;
};

/* ---- claims ---- */

static bool read_grant(const json_t *run, struct grant *ret, int *ret_attempt)
{
    const char *id = json_string_value(json_object_get(run, "id"));

    if (!id)
        return false;
    *ret = (struct grant){.fence = json_integer_value(json_object_get(run, "fence"))};
    snprintf(ret->id, sizeof ret->id, "%s", id);
    *ret_attempt = (int)json_integer_value(json_object_get(run, "attempt"));
    return true;
}

static int claim(struct worker *w, struct grant ret[static BATCH_MAX])
{
    char text[256];
    struct buf body = BUF(text);
    struct request_answer answer;
    bool hangs_up = prng_below(&w->actor->prng, 8) == 0;
    int patience = hangs_up ? (int)prng_between(&w->actor->prng, 1, HANG_UP_MS) : CLAIM_MS;
    json_t *json;
    int count = 0;

    buf_printf(&body,
               "{\"queues\":[\"torture-0\",\"torture-1\"],\"max\":%d,\"wait\":\"1s\","
               "\"worker\":\"%s\"}",
               (int)prng_between(&w->actor->prng, 1, BATCH_MAX), w->name);
    if (request_do(&(struct request){.port = actor_node(w->actor),
                                     .method = "POST",
                                     .path = "/api/v1/queues/claim",
                                     .body = buf_as_str(&body),
                                     .patience_ms = patience},
                   &answer) != REQUEST_ANSWERED ||
        answer.status != 200)
        return -1;
    json = json_loadb(answer.body.ptr, answer.body.len, 0, NULL);
    for (size_t i = 0; i < json_array_size(json_object_get(json, "runs")); i++) {
        int attempt = 0;

        if (count == BATCH_MAX || !read_grant(json_array_get(json_object_get(json, "runs"), i),
                                              &ret[count], &attempt))
            continue;
        journal_write(w->actor->journal, "grant\t%" PRId64 "\t%s\t%d\t%" PRId64, clock_now(),
                      ret[count].id, attempt, ret[count].fence);
        count++;
    }
    json_decref(json);
    return count;
}

/* ---- reports ---- */

static const struct {
    const char *path, *kind, *outcome, *more;
} choices[] = {
    [CHOICE_COMPLETE] = {"/api/v1/runs/complete", "done", "succeeded", ",\"result\":{\"n\":1}"},
    [CHOICE_FAIL] = {"/api/v1/runs/fail", "done", "failed",
                     ",\"error\":{\"code\":\"e\",\"message\":\"no\",\"retryable\":true}"},
    [CHOICE_RELEASE] = {"/api/v1/runs/release", "release", "-", ""},
    [CHOICE_HEARTBEAT] = {"/api/v1/runs/heartbeat", "alive", "-",
                          ",\"progress\":{\"text\":\"half\",\"percent\":50}"},
};

static struct str write_items(enum choice choice, const struct grant *grants, int count,
                              struct buf *out)
{
    buf_text(out, "{\"items\":[");
    for (int i = 0; i < count; i++)
        buf_printf(out, "%s{\"id\":\"%s\",\"fence\":%" PRId64 "%s}", i ? "," : "", grants[i].id,
                   grants[i].fence, choices[choice].more);
    buf_text(out, "]}");
    return buf_as_str(out);
}

/* The result of one; for a heartbeat only a rejection matters. */
static void record_report(const struct worker *w, enum choice choice, const struct grant *grant,
                          const char *status)
{
    bool is_stale = strcmp(status, "stale") == 0, is_ok = strcmp(status, "ok") == 0;

    if (choice == CHOICE_HEARTBEAT && !is_stale)
        return;
    journal_write(w->actor->journal, "report\t%" PRId64 "\t%s\t%" PRId64 "\t%s\t%s\t%s",
                  clock_now(), grant->id, grant->fence, choices[choice].kind,
                  choices[choice].outcome,
                  is_ok      ? "ok"
                  : is_stale ? "stale"
                             : "unknown");
}

/* Those whose result is unknown are left in `grants`; returns their number. */
static int read_results(const struct worker *w, enum choice choice, struct grant *grants,
                        int count, const struct request_answer *answer)
{
    json_t *json = answer ? json_loadb(answer->body.ptr, answer->body.len, 0, NULL) : NULL;
    const json_t *results = json_object_get(json, "results");
    int left = 0;

    for (int i = 0; i < count; i++) {
        const char *status = json_string_value(
            json_object_get(json_array_get(results, (size_t)i), "status"));
        struct grant grant = grants[i];

        record_report(w, choice, &grant, status ? status : "unknown");
        if (!status || (strcmp(status, "ok") != 0 && strcmp(status, "stale") != 0))
            grants[left++] = grant;
    }
    json_decref(json);
    return left;
}

/* Repeats the same report until it is answered. */
static void report(struct worker *w, enum choice choice, struct grant *grants, int count)
{
    /* It may die before the answer arrives, and a run that is handed back is started again. */
    for (int i = 0; choice == CHOICE_RELEASE && i < count; i++)
        record_report(w, choice, &grants[i], "unknown");
    for (int tries = 0; count > 0 && tries < REPORT_TRIES; tries++) {
        char text[BODY_MAX];
        struct buf body = BUF(text);
        struct request_answer answer;
        enum request_end end = request_do(
            &(struct request){.port = actor_node(w->actor),
                              .method = "POST",
                              .path = choices[choice].path,
                              .body = write_items(choice, grants, count, &body),
                              .patience_ms = REPORT_MS},
            &answer);

        if (end == REQUEST_REFUSED)
            request_nap(NAP_MS);
        else
            count = read_results(w, choice, grants, count,
                                 end == REQUEST_ANSWERED && answer.status == 200 ? &answer
                                                                                 : NULL);
    }
}

/* ---- the main loop ---- */

static enum choice draw_choice(struct worker *w)
{
    uint64_t drawn = prng_below(&w->actor->prng, 100);

    return drawn < 72   ? CHOICE_COMPLETE
           : drawn < 82 ? CHOICE_FAIL
           : drawn < 88 ? CHOICE_RELEASE
           : drawn < 94 ? CHOICE_FORGET
                        : CHOICE_LATE;
}

static void work(struct worker *w, struct grant *grants, int count)
{
    struct grant buckets[CHOICE_LATE + 1][BATCH_MAX];
    int counts[CHOICE_LATE + 1] = {0};

    if (prng_below(&w->actor->prng, 4) == 0) {
        struct grant alive[BATCH_MAX];

        memcpy(alive, grants, (size_t)count * sizeof *alive);
        report(w, CHOICE_HEARTBEAT, alive, count);
    }
    for (int i = 0; i < count; i++) {
        enum choice choice = draw_choice(w);

        buckets[choice][counts[choice]++] = grants[i];
    }
    report(w, CHOICE_COMPLETE, buckets[CHOICE_COMPLETE], counts[CHOICE_COMPLETE]);
    report(w, CHOICE_FAIL, buckets[CHOICE_FAIL], counts[CHOICE_FAIL]);
    report(w, CHOICE_RELEASE, buckets[CHOICE_RELEASE], counts[CHOICE_RELEASE]);
    for (int i = 0; i < counts[CHOICE_LATE] && w->late_count < LATE_MAX; i++) {
        w->late[w->late_count] = buckets[CHOICE_LATE][i];
        w->late[w->late_count++].rounds = LATE_ROUNDS;
    }
}

static void send_late_reports(struct worker *w)
{
    int kept = 0;

    for (int i = 0; i < w->late_count; i++) {
        struct grant grant = w->late[i];

        if (--grant.rounds > 0)
            w->late[kept++] = grant;
        else
            report(w, CHOICE_COMPLETE, &grant, 1);
    }
    w->late_count = kept;
}

int worker_act(struct actor *actor)
{
    struct worker w = {.actor = actor};

    snprintf(w.name, sizeof w.name, "w%d", actor->number);
    while (!actor_is_over()) {
        struct grant grants[BATCH_MAX];
        int count = claim(&w, grants);

        if (count < 0)
            request_nap(NAP_MS);
        else
            work(&w, grants, count);
        send_late_reports(&w);
    }
    return 0;
}
