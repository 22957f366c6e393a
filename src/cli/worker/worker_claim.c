/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Claims runs: one long poll at a time, for as many runs as the worker can start.
 */
#include "cli/worker/worker_parts.h"
#include "io/clock.h"
#include "model/grant_fields.h"

enum { HTTP_OK = 200, HTTP_UNAUTHORIZED = 401, HTTP_FORBIDDEN = 403 };

#define LEASE_DEFAULT   (90 * SPAN_S) /* of the server; used if a run has no leaseUntil */
#define EMPTY_CLAIM_MIN SPAN_S /* after a faster answer without runs, the next claim waits */

/* Writes nothing if all fields are wanted. */
static void write_fields(field_set fields, struct text *body)
{
    const char *before = ",\"fields\":[\"";

    for (int i = 0; fields != FIELDS_ALL && i < grant_fields.count; i++) {
        if (!fields_have(fields, i))
            continue;
        text_add(body, str_of(before));
        text_add(body, str_of(grant_fields.names[i]));
        before = "\",\"";
    }
    if (fields != FIELDS_ALL)
        text_add(body, STR("\"]"));
}

static void write_claim(const struct worker *worker, struct text *body)
{
    const struct worker_options *o = &worker->options;
    char rest[96];
    struct buf out = BUF(rest);

    text_add(body, STR("{\"queues\":["));
    for (int i = 0; i < o->queue_count; i++) {
        if (i > 0)
            text_add(body, STR(","));
        text_add_json(body, str_of(o->queues[i]), 6 * WORKER_NAME_MAX + 2);
    }
    buf_printf(&out, "],\"max\":%d,\"wait\":\"%ds\",\"worker\":", o->jobs - worker->busy,
               (int)(WORKER_WAIT / SPAN_S));
    text_add(body, buf_as_str(&out));
    text_add_json(body, str_of(o->name), 6 * WORKER_NAME_MAX + 2);
    write_fields(o->fields, body);
    text_add(body, STR("}"));
}

static void delay_claim(struct worker *worker, span delay)
{
    worker->claim_not_before = clock_boot_us() + delay;
}

/* The lease is measured with the server's clock if the clocks differ. */
static span lease_of(const struct grant *grant, const struct client_answer *answer)
{
    instant now = clock_now();
    span off = answer->server_now == INSTANT_NONE ? 0 : answer->server_now - now;

    if (grant->lease_until == INSTANT_NONE)
        return LEASE_DEFAULT;
    if (off > WORKER_SKEW || off < -WORKER_SKEW)
        now = answer->server_now;
    return grant->lease_until > now ? grant->lease_until - now : 0;
}

static struct worker_run *find_free_job(struct worker *worker)
{
    for (int i = 0; i < worker->options.jobs; i++)
        if (worker->jobs[i].state == WORKER_RUN_FREE)
            return &worker->jobs[i];
    return NULL;
}

/* A run that cannot be read is skipped; its lease will expire. */
static void start_run(struct worker *worker, struct str run, const struct client_answer *answer)
{
    struct worker_run *job = find_free_job(worker);
    struct grant grant;
    struct err err;

    if (!job)
        err_set(&err, RC_LIMIT, -1, 0, "the server returned more runs than requested");
    if (!job || grant_read(run, &grant, &err) != RC_OK) {
        log_say(&worker->log, clock_now(), LEVEL_ERROR, "run not started",
                LOG_TEXT("field", err.field), LOG_TEXT("reason", err.text));
        return;
    }
    worker_run_start(job, &grant, run, lease_of(&grant, answer));
    grant_free(&grant);
}

static int start_runs(struct worker *worker, const struct client_answer *answer,
                      struct err *reterr)
{
    struct grants grants;
    struct str run;
    int count = 0;

    if (grants_read(answer->body, &grants, reterr) != RC_OK)
        return -1;
    for (; grants_next(&grants, &run); count++)
        start_run(worker, run, answer);
    return count;
}

static void on_claim(void *arg, const struct client_answer *answer)
{
    struct worker *worker = arg;
    struct client_answer failed = *answer;
    int count = -1;

    worker->claim = 0;
    if (worker->phase == PHASE_LEAVING)
        return;
    if (answer->status == HTTP_OK)
        count = start_runs(worker, answer, &failed.err);
    if (answer->status == HTTP_UNAUTHORIZED || answer->status == HTTP_FORBIDDEN) {
        worker_access_denied(worker, answer);
        worker_leave_if_idle(worker);
        return;
    }
    if (count < 0) {
        if (worker->phase == PHASE_WORKING)
            worker_server_lost(worker, &failed);
        delay_claim(worker, worker_backoff(worker, ++worker->claim_tries));
    } else {
        worker_server_back(worker);
        worker->claim_tries = 0;
        if (count == 0 && clock_boot_us() - worker->claimed_at < EMPTY_CLAIM_MIN)
            delay_claim(worker, WORKER_RETRY_MIN);
    }
    report_batch_set_timer(&worker->batches[REPORT_BEAT]);
    claim_set_timer(worker);
    worker_leave_if_idle(worker);
}

void claim_on_timer(void *arg)
{
    struct worker *worker = arg;
    struct client_request post = {.path = "/api/v1/queues/claim", .wait = WORKER_WAIT};
    struct text body = {0};

    write_claim(worker, &body);
    post.body = text_as_str(&body);
    worker->claimed_at = clock_boot_us();
    worker->claim = client_send(worker->client, &post, on_claim, worker);
    text_clear(&body);
}

void claim_set_timer(struct worker *worker)
{
    if (worker->phase != PHASE_WORKING || worker->claim != 0 ||
        worker->busy == worker->options.jobs)
        return;
    loop_timer_set(worker->claim_timer, worker->claim_not_before - clock_boot_us());
}

void claim_stop(struct worker *worker)
{
    loop_timer_stop(worker->claim_timer);
    client_cancel(worker->client, worker->claim);
}

void claim_pause(struct worker *worker)
{
    delay_claim(worker, WORKER_RETRY_MAX);
}
