/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends heartbeats and reports in batches: while one request is in progress, new ones collect
 * for the next.  If the server is unavailable, they are sent again unchanged.
 *
 * A run is in at most one request at a time.  So its report arrives after its log lines, and a
 * late answer cannot be mistaken for that of another request.
 */
#include "cli/worker/worker_parts.h"
#include "io/clock.h"

enum {
    HTTP_OK = 200,
    HTTP_UNAUTHORIZED = 401,
    HTTP_FORBIDDEN = 403,
    /* These reject the content of a request; all other errors may be temporary. */
    HTTP_BAD_REQUEST = 400,
    HTTP_TOO_LARGE = 413,
    HTTP_UNPROCESSABLE = 422,
    ITEM_BYTES = 256, /* id, fence, names */
    ITEM_VALUES = 8,  /* JSON values of an item without its report */
};

/* ---- building a request ---- */

/* When the next heartbeat is due; INT64_MAX: never. */
static int64_t beat_due(const struct worker_run *job)
{
    /* A log that is too long for the report is sent before it. */
    if (job->state == WORKER_RUN_REPORTING && lines_exceed_request(&job->log))
        return 0;
    if (job->state != WORKER_RUN_RUNNING || job->stop == STOP_STALE)
        return INT64_MAX;
    return job->log_at < job->beat_at ? job->log_at : job->beat_at;
}

static int64_t due_at(const struct report_batch *batch, const struct worker_run *job)
{
    if (job->in_request)
        return INT64_MAX;
    if (batch->kind == REPORT_BEAT)
        return beat_due(job);
    return job->state == WORKER_RUN_REPORTING && job->batch == batch->kind &&
                   !lines_exceed_request(&job->log)
               ? 0
               : INT64_MAX;
}

static void add_item(struct text *body, const struct report_batch *batch,
                     struct worker_run *job)
{
    char head[ITEM_BYTES];
    struct buf out = BUF(head);

    text_add(body, STR("{\"id\":"));
    text_add_json(body, str_of(job->id), ITEM_BYTES);
    buf_printf(&out, ",\"fence\":%lld", (long long)job->fence);
    text_add(body, buf_as_str(&out));
    if (batch->kind != REPORT_BEAT)
        text_add(body, text_as_str(&job->report));
    lines_send(&job->log, body);
    text_add(body, STR("}"));
}

static void mark_sent(struct report_batch *batch, struct worker_run *job, int64_t now)
{
    job->in_request = true;
    job->beat_at = now + job->beat_every;
    job->log_at = INT64_MAX;
    batch->sent[batch->sent_count++] = (int32_t)(job - batch->worker->jobs);
}

/* True if the run has log lines to send with the heartbeats of other runs. */
static bool can_join(const struct report_batch *batch, const struct worker_run *job)
{
    return batch->kind == REPORT_BEAT && job->log.cost > 0 && !job->in_request &&
           beat_due(job) < INT64_MAX;
}

/* Adds as many runs as fit into one request; a run with is_alone gets a request of its own. */
static void build_request(struct report_batch *batch, struct text *body, int64_t now)
{
    struct worker *worker = batch->worker;
    int values = 0;
    bool is_alone = false;

    batch->sent_count = 0;
    text_add(body, STR("{\"items\":["));
    for (int i = 0; i < worker->options.jobs && !is_alone; i++) {
        struct worker_run *job = &worker->jobs[i];
        size_t log = lines_exceed_request(&job->log) ? LINES_PART_MAX : job->log.text.len;
        /* A line break takes one byte in the log and two in the request. */
        size_t bytes = 2 * log + job->report.len + ITEM_BYTES;

        if (due_at(batch, job) > now && !can_join(batch, job))
            continue;
        values += job->report_values + ITEM_VALUES;
        is_alone = job->is_alone;
        if (batch->sent_count > 0 && (is_alone || body->len + bytes > WORKER_BATCH_BYTES ||
                                      values > WORKER_BATCH_VALUES))
            break;
        if (batch->sent_count > 0)
            text_add(body, STR(","));
        add_item(body, batch, job);
        mark_sent(batch, job, now);
    }
    text_add(body, STR("],\"results\":\"notOk\"}"));
}

/* ---- handling the answer ---- */

static void resend_later(struct report_batch *batch, struct worker_run *job, int64_t now)
{
    job->in_request = false;
    job->beat_at = now;
    if (job->state == WORKER_RUN_REPORTING && now > job->keep_until) {
        log_say(&batch->worker->log, clock_now(), LEVEL_ERROR, "report dropped",
                LOG_TEXT("run", job->id));
        worker_run_free(job);
    }
}

static void end_beat(struct worker_run *job, struct item_answer answer)
{
    int64_t now = clock_boot_us();

    lines_drop_sent(&job->log);
    if (job->log.cost > 0)
        job->log_at = job->log.cost < WORKER_LOG_SOON ? now + WORKER_LOG_DELAY : now;
    job->keep_until = now + 3 * job->beat_every + WORKER_KEEP;
    if (answer.verdict == VERDICT_OK && answer.is_cancelled)
        worker_run_stop(job, STOP_CANCELLED);
    if (answer.verdict == VERDICT_REFUSED)
        log_say(&job->worker->log, clock_now(), LEVEL_ERROR, "heartbeat refused",
                LOG_TEXT("run", job->id), LOG_STR("reason", answer.text));
}

/* The run has another owner or has ended: its program is killed. */
static void drop_run(struct report_batch *batch, struct worker_run *job)
{
    log_say(&batch->worker->log, clock_now(), LEVEL_WARN, "run lost", LOG_TEXT("run", job->id),
            LOG_INT("fence", job->fence));
    if (job->state == WORKER_RUN_REPORTING) {
        worker_run_free(job);
        return;
    }
    job->stop = STOP_STALE;
    worker_run_kill(job);
}

static void apply_verdict(struct report_batch *batch, struct worker_run *job,
                          struct item_answer answer)
{
    job->in_request = job->is_alone = false;
    if (answer.verdict == VERDICT_STALE)
        drop_run(batch, job);
    else if (answer.verdict == VERDICT_AGAIN)
        resend_later(batch, job, clock_boot_us());
    else if (batch->kind == REPORT_BEAT)
        end_beat(job, answer);
    else if (answer.verdict == VERDICT_OK)
        worker_run_free(job);
    else
        worker_run_refused(job, answer.text);
}

static void retry_later(struct report_batch *batch, const struct client_answer *answer)
{
    int64_t now = clock_boot_us();
    bool is_denied = answer->status == HTTP_UNAUTHORIZED || answer->status == HTTP_FORBIDDEN;

    if (!is_denied)
        worker_server_lost(batch->worker, answer);
    else if (batch->worker->phase == PHASE_WORKING)
        worker_access_denied(batch->worker, answer);
    batch->tries++;
    batch->not_before = now + worker_backoff(batch->worker, batch->tries);
    for (int i = 0; i < batch->sent_count; i++)
        resend_later(batch, &batch->worker->jobs[batch->sent[i]], now);
}

/* The server refused the whole request: each item is sent again on its own. */
static void handle_refusal(struct report_batch *batch, const struct client_answer *answer)
{
    char text[WORKER_MESSAGE_MAX];
    struct buf why = BUF(text);

    problem_text(answer->body, &why);
    for (int i = 0; i < batch->sent_count; i++) {
        struct worker_run *job = &batch->worker->jobs[batch->sent[i]];

        job->is_alone = batch->sent_count > 1;
        if (job->is_alone)
            resend_later(batch, job, clock_boot_us());
        else
            apply_verdict(batch, job,
                          (struct item_answer){VERDICT_REFUSED, false, buf_as_str(&why)});
    }
}

static void apply_results(struct report_batch *batch, const struct client_answer *answer)
{
    struct client_answer broken = *answer;
    json_auto_t *results = results_read(answer->body, batch->sent_count, &broken.err);
    int retries = 0;

    if (!results) {
        retry_later(batch, &broken);
        return;
    }
    worker_server_back(batch->worker);
    for (int i = 0; i < batch->sent_count; i++) {
        struct item_answer item = results_at(results, i);

        retries += item.verdict == VERDICT_AGAIN;
        apply_verdict(batch, &batch->worker->jobs[batch->sent[i]], item);
    }
    batch->tries = retries > 0 ? batch->tries + 1 : 0;
    if (retries > 0)
        batch->not_before = clock_boot_us() + worker_backoff(batch->worker, batch->tries);
}

static void on_answer(void *arg, const struct client_answer *answer)
{
    struct report_batch *batch = arg;
    struct worker *worker = batch->worker;

    batch->in_progress = false;
    if (worker->phase == PHASE_LEAVING)
        return;
    if (answer->status == HTTP_OK)
        apply_results(batch, answer);
    else if (answer->status == HTTP_BAD_REQUEST || answer->status == HTTP_TOO_LARGE ||
             answer->status == HTTP_UNPROCESSABLE)
        handle_refusal(batch, answer);
    else
        retry_later(batch, answer);
    /* Runs that were in this request may now be sent by any batch. */
    for (int i = 0; i < REPORT_KINDS; i++)
        report_batch_set_timer(&worker->batches[i]);
}

/* When the first item is due; INT64_MAX: there is nothing to send. */
static int64_t first_due(const struct report_batch *batch)
{
    const struct worker *worker = batch->worker;
    int64_t first = INT64_MAX;

    for (int i = 0; i < worker->options.jobs; i++) {
        int64_t due = due_at(batch, &worker->jobs[i]);

        first = due < first ? due : first;
    }
    return first;
}

void report_batch_set_timer(struct report_batch *batch)
{
    int64_t now = clock_boot_us(), due;

    if (batch->in_progress || batch->worker->phase == PHASE_LEAVING)
        return;
    due = first_due(batch);
    if (due == INT64_MAX)
        loop_timer_stop(batch->timer);
    else
        loop_timer_set(batch->timer, (due > batch->not_before ? due : batch->not_before) - now);
}

void report_batch_on_timer(void *arg)
{
    static const char *const paths[REPORT_KINDS] = {
        [REPORT_BEAT] = "/api/v1/runs/heartbeat",
        [REPORT_COMPLETE] = "/api/v1/runs/complete",
        [REPORT_FAIL] = "/api/v1/runs/fail",
        [REPORT_RELEASE] = "/api/v1/runs/release",
    };
    struct report_batch *batch = arg;
    struct text body = {0};

    build_request(batch, &body, clock_boot_us());
    if (batch->sent_count > 0) {
        struct client_request post = {.path = paths[batch->kind], .body = text_as_str(&body)};

        batch->in_progress = true;
        client_send(batch->worker->client, &post, on_answer, batch);
    }
    text_clear(&body);
    report_batch_set_timer(batch);
}
