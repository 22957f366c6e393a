/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run: starts its program, collects the output, and builds the report.
 */
#include <stdio.h>

#include "base/must.h"
#include "cli/worker/worker_parts.h"
#include "io/clock.h"

enum {
    SHELL_SIGNALLED = 128, /* plus the signal, as shells report it */
    SHELL_NOT_FOUND = 127,
    ITEM_VALUES = 8, /* JSON values of an item without result and log */
    DECIMAL_MAX = 24,
};

static struct log *log_of(const struct worker_run *job)
{
    return &job->worker->log;
}

/* ---- output ---- */

/* The first line waits WORKER_LOG_DELAY for more; a large amount is sent at once. */
static void add_log_line(struct worker_run *job, struct str line)
{
    int64_t before = job->log.cost, now = clock_boot_us();

    lines_add(&job->log, line);
    if (before == 0)
        job->log_at = now + WORKER_LOG_DELAY;
    else if (before < WORKER_LOG_SOON && job->log.cost >= WORKER_LOG_SOON)
        job->log_at = now;
    else
        return;
    report_batch_set_timer(&job->worker->batches[REPORT_BEAT]);
}

static void keep_output(struct worker_run *job, struct str text, bool ends_line)
{
    size_t room = WIRE_RESULT_MAX - job->out.len;

    if (text.len + (ends_line ? 1 : 0) > room) {
        job->is_out_cut = true;
        text.len = text.len < room ? text.len : room;
        ends_line = false;
    }
    text_add(&job->out, text);
    if (ends_line)
        text_add(&job->out, STR("\n"));
}

static void on_output(void *arg, enum exec_stream stream, struct str text, bool ends_line)
{
    struct worker_run *job = arg;

    if (job->stop == STOP_STALE)
        return;
    if (stream == EXEC_STDOUT && !job->is_out_cut) {
        keep_output(job, text, ends_line);
    } else if (stream == EXEC_STDERR && text.len > 0) {
        struct buf last = BUF(job->last_line);

        buf_str(&last, text);
    }
    add_log_line(job, text);
}

/* ---- report ---- */

static void report(struct worker_run *job, enum report_kind batch)
{
    job->batch = batch;
    job->is_alone = false;
    report_batch_set_timer(&job->worker->batches[batch]);
}

static void set_error(struct worker_run *job, const char *code, struct str message,
                      bool is_retryable)
{
    text_clear(&job->report);
    text_add(&job->report, STR(",\"error\":{\"code\":\""));
    text_add(&job->report, str_of(code));
    text_add(&job->report, STR("\",\"message\":"));
    text_add_json(&job->report, message, WORKER_MESSAGE_MAX);
    text_add(&job->report,
             is_retryable ? STR(",\"retryable\":true}") : STR(",\"retryable\":false}"));
    job->report_values = ITEM_VALUES;
    report(job, REPORT_FAIL);
}

static void complete(struct worker_run *job, const struct exec_end *end)
{
    bool is_whole = !job->is_out_cut && end->dropped_bytes == 0;
    struct text result = {0};

    job->report_values = ITEM_VALUES + result_add(&result, text_as_str(&job->out), is_whole);
    if (result.len > 0)
        text_add(&job->report, STR(",\"result\":"));
    text_add(&job->report, text_as_str(&result));
    text_clear(&result);
    report(job, REPORT_COMPLETE);
}

/*
 * Statuses of sysexits.h that a retry would not change: 64 usage, 65 data, 66 no input,
 * 67 unknown user, 68 unknown host, 77 permission denied, 78 configuration.
 */
static bool is_final(int code)
{
    return (code >= 64 && code <= 68) || code == 77 || code == 78;
}

static void fail(struct worker_run *job, const struct exec_end *end)
{
    char text[WORKER_MESSAGE_MAX];
    struct buf message = BUF(text);
    const char *code = "exec_exit";
    bool is_retryable = true;

    switch (end->how) {
    case EXEC_EXITED:
        buf_printf(&message, "the program ended with exit code %d", end->code);
        is_retryable = !is_final(end->code);
        break;
    case EXEC_SIGNALLED:
        buf_printf(&message, "the program was ended by signal %d (%s)", end->code,
                   sigdescr_np(end->code) ? sigdescr_np(end->code) : "unknown");
        code = "exec_signal";
        break;
    case EXEC_NOT_STARTED:
        buf_text(&message, end->err.text);
        code = "exec_start";
        break;
    case EXEC_LOST:
        buf_text(&message, end->err.text);
        code = "exec_lost";
        break;
    }
    if (job->last_line[0] != '\0')
        buf_printf(&message, ": %s", job->last_line);
    set_error(job, code, buf_as_str(&message), is_retryable);
}

static int shell_status(const struct exec_end *end)
{
    if (end->how == EXEC_EXITED)
        return end->code;
    return end->how == EXEC_SIGNALLED ? SHELL_SIGNALLED + end->code : SHELL_NOT_FOUND;
}

static const char *outcome_text(const struct worker_run *job)
{
    static const char *const stops[] = {
        [STOP_CANCELLED] = "cancelled", [STOP_DRAINED] = "handed back", [STOP_STALE] = "lost"};

    if (job->stop != STOP_NONE)
        return stops[job->stop];
    return job->exit_status == 0 ? "succeeded" : "failed";
}

static void on_end(void *arg, const struct exec_end *end)
{
    struct worker_run *job = arg;

    job->run = NULL;
    job->exit_status = shell_status(end);
    log_say(log_of(job), clock_now(), job->exit_status == 0 ? LEVEL_INFO : LEVEL_WARN,
            "run ended", LOG_TEXT("run", job->id), LOG_TEXT("outcome", outcome_text(job)),
            LOG_INT("exit", job->exit_status));
    job->state = WORKER_RUN_REPORTING;
    if (job->stop == STOP_STALE || job->worker->phase == PHASE_LEAVING) {
        worker_run_free(job);
        return;
    }
    lines_close(&job->log);
    if (job->stop == STOP_CANCELLED) {
        set_error(job, "cancelled", STR("the run was cancelled"), false);
    } else if (job->stop == STOP_DRAINED) {
        text_add(&job->report, STR(",\"begun\":true"));
        report(job, REPORT_RELEASE);
    } else if (end->how == EXEC_EXITED && end->code == 0) {
        complete(job, end);
    } else {
        fail(job, end);
    }
}

void worker_run_refused(struct worker_run *job, struct str why)
{
    char text[WORKER_MESSAGE_MAX];
    struct buf message = BUF(text);

    log_say(log_of(job), clock_now(), LEVEL_ERROR, "report refused", LOG_TEXT("run", job->id),
            LOG_STR("reason", why));
    if (job->batch == REPORT_FAIL) {
        worker_run_free(job);
        return;
    }
    /* The server stored nothing.  It may have refused the log, so the next report omits it. */
    lines_clear(&job->log);
    if (job->batch == REPORT_RELEASE) {
        set_error(job, "worker_stopped", STR("the worker was stopped"), true);
        return;
    }
    buf_printf(&message, "the server refused the result: %.*s", STR_ARG(why));
    set_error(job, "result_refused", buf_as_str(&message), false);
}

/* ---- start and end ---- */

static struct str decimal(int64_t n, char room[static DECIMAL_MAX])
{
    int len = snprintf(room, DECIMAL_MAX, "%lld", (long long)n);

    return (struct str){room, (size_t)len};
}

/* worker_options.c removes these names from the worker's environment. */
static void set_vars(const struct worker *worker, const struct grant *grant,
                     struct exec_var vars[static WORKER_VARS])
{
    static char attempt[DECIMAL_MAX], fence[DECIMAL_MAX];
    const char *namespace = worker->options.namespace;
    const struct exec_var run_vars[WORKER_VARS] = {
        {STR("BELFRY_RUN"), grant->id},
        {STR("BELFRY_SCHEDULE"), grant->schedule},
        {STR("BELFRY_QUEUE"), grant->queue},
        {STR("BELFRY_NAMESPACE"),
         grant->namespace.len > 0 ? grant->namespace : str_of(namespace)},
        {STR("BELFRY_ATTEMPT"), decimal(grant->attempt, attempt)},
        {STR("BELFRY_FENCE"), decimal(grant->fence, fence)},
        {STR("BELFRY_SCHEDULED_TIME"), grant->slot},
        {STR("BELFRY_SERVER"), str_of(worker->options.server)},
    };

    memcpy(vars, run_vars, sizeof run_vars);
}

static void assign_grant(struct worker_run *job, const struct grant *grant, span lease)
{
    int64_t now = clock_boot_us();
    span every = lease / 3;

    must(job->state == WORKER_RUN_FREE);
    *job = (struct worker_run){.worker = job->worker,
                               .state = WORKER_RUN_RUNNING,
                               .fence = grant->fence,
                               .beat_at = now,
                               .log_at = INT64_MAX,
                               .keep_until = now + lease + WORKER_KEEP};
    memcpy(job->id, grant->id.ptr, grant->id.len);
    job->beat_every = every < WORKER_BEAT_MIN   ? WORKER_BEAT_MIN
                      : every > WORKER_BEAT_MAX ? WORKER_BEAT_MAX
                                                : every;
    job->worker->busy++;
}

void worker_run_start(struct worker_run *job, const struct grant *grant, struct str run,
                      span lease)
{
    static const struct exec_calls calls = {on_output, on_end};
    struct worker *worker = job->worker;
    struct exec_request request = {
        .argv = worker->argv,
        .argc = worker->argc,
        .env = worker->env,
        .env_count = worker->env_count + WORKER_VARS,
        .cwd = str_of(worker->cwd),
        .input = run,
        .kill_after = worker->options.kill_after,
        .output_max = WORKER_OUTPUT_MAX,
    };
    struct err err;
    enum rc rc;

    assign_grant(job, grant, lease);
    if (worker->phase != PHASE_WORKING) {
        job->state = WORKER_RUN_REPORTING;
        report(job, REPORT_RELEASE);
        return;
    }
    set_vars(worker, grant, worker->env + worker->env_count);
    rc = exec_start(worker->programs, &request, &calls, job, &job->run, &err);
    if (rc == RC_OK) {
        log_say(log_of(job), clock_now(), LEVEL_INFO, "run started", LOG_TEXT("run", job->id),
                LOG_STR("schedule", grant->schedule), LOG_INT("attempt", grant->attempt));
        return;
    }
    log_say(log_of(job), clock_now(), LEVEL_ERROR, "program not started",
            LOG_TEXT("run", job->id), LOG_TEXT("reason", err.text));
    job->state = WORKER_RUN_REPORTING;
    job->exit_status = SHELL_NOT_FOUND;
    if (rc == RC_BUSY) {
        claim_pause(worker);
        report(job, REPORT_RELEASE);
    } else {
        set_error(job, "exec_start", str_of(err.text), false);
    }
}

void worker_run_stop(struct worker_run *job, enum stop_reason why)
{
    if (job->state != WORKER_RUN_RUNNING || job->stop != STOP_NONE)
        return;
    job->stop = why;
    exec_stop(job->run);
}

void worker_run_kill(struct worker_run *job)
{
    if (job->state == WORKER_RUN_RUNNING)
        exec_kill(job->run);
}

void worker_run_free(struct worker_run *job)
{
    must(job->state == WORKER_RUN_REPORTING && !job->in_request);
    text_clear(&job->out);
    lines_clear(&job->log);
    text_clear(&job->report);
    job->state = WORKER_RUN_FREE;
    job->worker->busy--;
    worker_on_free(job->worker, job);
}
