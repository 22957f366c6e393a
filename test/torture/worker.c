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
    REPORT_TRIES = 8, /* then the holder of the lease reports it */
    NAP_MS = 30,
};

struct grant {
    char id[ID_MAX];
    int64_t fence;
    int rounds; /* until it reports */
};

enum deed { DEED_COMPLETE, DEED_FAIL, DEED_RELEASE, DEED_HEARTBEAT, DEED_FORGET, DEED_LATE };

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
} deeds[] = {
    [DEED_COMPLETE] = {"/api/v1/runs/complete", "done", "succeeded", ",\"result\":{\"n\":1}"},
    [DEED_FAIL] = {"/api/v1/runs/fail", "done", "failed",
                   ",\"error\":{\"code\":\"e\",\"message\":\"no\",\"retryable\":true}"},
    [DEED_RELEASE] = {"/api/v1/runs/release", "release", "-", ""},
    [DEED_HEARTBEAT] = {"/api/v1/runs/heartbeat", "alive", "-",
                        ",\"progress\":{\"text\":\"half\",\"percent\":50}"},
};

static struct str write_items(enum deed deed, const struct grant *grants, int count,
                              struct buf *out)
{
    buf_text(out, "{\"items\":[");
    for (int i = 0; i < count; i++)
        buf_printf(out, "%s{\"id\":\"%s\",\"fence\":%" PRId64 "%s}", i ? "," : "", grants[i].id,
                   grants[i].fence, deeds[deed].more);
    buf_text(out, "]}");
    return buf_as_str(out);
}

/* The result of one; for a heartbeat only a rejection matters. */
static void write_down(const struct worker *w, enum deed deed, const struct grant *grant,
                       const char *status)
{
    bool is_stale = strcmp(status, "stale") == 0, is_ok = strcmp(status, "ok") == 0;

    if (deed == DEED_HEARTBEAT && !is_stale)
        return;
    journal_write(w->actor->journal, "report\t%" PRId64 "\t%s\t%" PRId64 "\t%s\t%s\t%s",
                  clock_now(), grant->id, grant->fence, deeds[deed].kind, deeds[deed].outcome,
                  is_ok      ? "ok"
                  : is_stale ? "stale"
                             : "unknown");
}

/* Those whose result is unknown are left in `grants`; returns their number. */
static int read_results(const struct worker *w, enum deed deed, struct grant *grants, int count,
                        const struct request_answer *answer)
{
    json_t *json = answer ? json_loadb(answer->body.ptr, answer->body.len, 0, NULL) : NULL;
    const json_t *results = json_object_get(json, "results");
    int left = 0;

    for (int i = 0; i < count; i++) {
        const char *status = json_string_value(
            json_object_get(json_array_get(results, (size_t)i), "status"));
        struct grant grant = grants[i];

        write_down(w, deed, &grant, status ? status : "unknown");
        if (!status || (strcmp(status, "ok") != 0 && strcmp(status, "stale") != 0))
            grants[left++] = grant;
    }
    json_decref(json);
    return left;
}

/* Repeats the same report until it is answered. */
static void report(struct worker *w, enum deed deed, struct grant *grants, int count)
{
    /* It may die before the answer arrives, and a run that is handed back is started again. */
    for (int i = 0; deed == DEED_RELEASE && i < count; i++)
        write_down(w, deed, &grants[i], "unknown");
    for (int tries = 0; count > 0 && tries < REPORT_TRIES; tries++) {
        char text[BODY_MAX];
        struct buf body = BUF(text);
        struct request_answer answer;
        enum request_end end = request_do(
            &(struct request){.port = actor_node(w->actor),
                              .method = "POST",
                              .path = deeds[deed].path,
                              .body = write_items(deed, grants, count, &body),
                              .patience_ms = REPORT_MS},
            &answer);

        if (end == REQUEST_REFUSED)
            request_nap(NAP_MS);
        else
            count = read_results(w, deed, grants, count,
                                 end == REQUEST_ANSWERED && answer.status == 200 ? &answer
                                                                                 : NULL);
    }
}

/* ---- a life ---- */

static enum deed draw_deed(struct worker *w)
{
    uint64_t drawn = prng_below(&w->actor->prng, 100);

    return drawn < 72   ? DEED_COMPLETE
           : drawn < 82 ? DEED_FAIL
           : drawn < 88 ? DEED_RELEASE
           : drawn < 94 ? DEED_FORGET
                        : DEED_LATE;
}

static void work(struct worker *w, struct grant *grants, int count)
{
    struct grant buckets[DEED_LATE + 1][BATCH_MAX];
    int counts[DEED_LATE + 1] = {0};

    if (prng_below(&w->actor->prng, 4) == 0) {
        struct grant alive[BATCH_MAX];

        memcpy(alive, grants, (size_t)count * sizeof *alive);
        report(w, DEED_HEARTBEAT, alive, count);
    }
    for (int i = 0; i < count; i++) {
        enum deed deed = draw_deed(w);

        buckets[deed][counts[deed]++] = grants[i];
    }
    report(w, DEED_COMPLETE, buckets[DEED_COMPLETE], counts[DEED_COMPLETE]);
    report(w, DEED_FAIL, buckets[DEED_FAIL], counts[DEED_FAIL]);
    report(w, DEED_RELEASE, buckets[DEED_RELEASE], counts[DEED_RELEASE]);
    for (int i = 0; i < counts[DEED_LATE] && w->late_count < LATE_MAX; i++) {
        w->late[w->late_count] = buckets[DEED_LATE][i];
        w->late[w->late_count++].rounds = LATE_ROUNDS;
    }
}

static void speak_late(struct worker *w)
{
    int kept = 0;

    for (int i = 0; i < w->late_count; i++) {
        struct grant grant = w->late[i];

        if (--grant.rounds > 0)
            w->late[kept++] = grant;
        else
            report(w, DEED_COMPLETE, &grant, 1);
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
        speak_late(&w);
    }
    return 0;
}
