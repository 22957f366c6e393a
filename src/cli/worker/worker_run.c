/* SPDX-License-Identifier: Apache-2.0 */
/*
 * One run: its program, what that writes, and what is to be reported of it.
 */
#include <stdio.h>

#include "base/must.h"
#include "cli/worker/worker_parts.h"
#include "io/clock.h"

enum {
    SHELL_SIGNALLED = 128, /* plus the signal: how shells show it */
    SHELL_NOT_FOUND = 127,
    ITEM_VALUES = 8, /* of an item, beside result and log */
    DECIMAL_MAX = 24,
};

static struct log *log_of(const struct place *place)
{
    return &place->worker->log;
}

/* ---- what a program writes ---- */

/* The first waits for others to go with it; many do not wait. */
static void note_line(struct place *place, struct str line)
{
    int64_t before = place->log.cost, now = clock_boot_us();

    lines_add(&place->log, line);
    if (before == 0)
        place->log_at = now + WORKER_LOG_DELAY;
    else if (before < WORKER_LOG_SOON && place->log.cost >= WORKER_LOG_SOON)
        place->log_at = now;
    else
        return;
    lane_kick(&place->worker->lanes[LANE_BEAT]);
}

static void keep_output(struct place *place, struct str text, bool ends_line)
{
    size_t room = WIRE_RESULT_MAX - place->out.len;

    if (text.len + (ends_line ? 1 : 0) > room) {
        place->is_out_cut = true;
        text.len = text.len < room ? text.len : room;
        ends_line = false;
    }
    text_add(&place->out, text);
    if (ends_line)
        text_add(&place->out, STR("\n"));
}

static void on_output(void *with, enum exec_stream stream, struct str text, bool ends_line)
{
    struct place *place = with;

    if (place->stop == STOP_STALE)
        return;
    if (stream == EXEC_STDOUT && !place->is_out_cut) {
        keep_output(place, text, ends_line);
    } else if (stream == EXEC_STDERR && text.len > 0) {
        struct buf last = BUF(place->last_line);

        buf_str(&last, text);
    }
    note_line(place, text);
}

/* ---- what is reported ---- */

static void report(struct place *place, enum lane_kind lane)
{
    place->lane = lane;
    place->is_alone = false;
    lane_kick(&place->worker->lanes[lane]);
}

static void set_error(struct place *place, const char *code, struct str message,
                      bool is_retryable)
{
    text_clear(&place->report);
    text_add(&place->report, STR(",\"error\":{\"code\":\""));
    text_add(&place->report, str_of(code));
    text_add(&place->report, STR("\",\"message\":"));
    text_add_json(&place->report, message, WORKER_MESSAGE_MAX);
    text_add(&place->report,
             is_retryable ? STR(",\"retryable\":true}") : STR(",\"retryable\":false}"));
    place->report_values = ITEM_VALUES;
    report(place, LANE_FAIL);
}

static void complete(struct place *place, const struct exec_end *end)
{
    bool is_whole = !place->is_out_cut && end->dropped_bytes == 0;
    struct text result = {0};

    place->report_values = ITEM_VALUES +
                           result_add(&result, text_as_str(&place->out), is_whole);
    if (result.len > 0)
        text_add(&place->report, STR(",\"result\":"));
    text_add(&place->report, text_as_str(&result));
    text_clear(&result);
    report(place, LANE_COMPLETE);
}

/*
 * sysexits.h: what was asked is wrong, and will be the next time: 64 usage, 65 data, 66 no
 * input, 67 no such user, 68 no such host, 77 not permitted, 78 configuration.
 */
static bool is_final(int code)
{
    return (code >= 64 && code <= 68) || code == 77 || code == 78;
}

static void fail(struct place *place, const struct exec_end *end)
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
    if (place->last_line[0] != '\0')
        buf_printf(&message, ": %s", place->last_line);
    set_error(place, code, buf_as_str(&message), is_retryable);
}

static int shell_status(const struct exec_end *end)
{
    if (end->how == EXEC_EXITED)
        return end->code;
    return end->how == EXEC_SIGNALLED ? SHELL_SIGNALLED + end->code : SHELL_NOT_FOUND;
}

static const char *outcome_text(const struct place *place)
{
    static const char *const stops[] = {
        [STOP_CANCELLED] = "cancelled", [STOP_DRAINED] = "handed back", [STOP_STALE] = "lost"};

    if (place->stop != STOP_NOT)
        return stops[place->stop];
    return place->exit_status == 0 ? "succeeded" : "failed";
}

static void on_end(void *with, const struct exec_end *end)
{
    struct place *place = with;

    place->run = NULL;
    place->exit_status = shell_status(end);
    log_say(log_of(place), clock_now(), place->exit_status == 0 ? LEVEL_INFO : LEVEL_WARN,
            "run ended", LOG_TEXT("run", place->id), LOG_TEXT("outcome", outcome_text(place)),
            LOG_INT("exit", place->exit_status));
    place->state = PLACE_REPORTING;
    if (place->stop == STOP_STALE || place->worker->phase == PHASE_LEAVING) {
        place_free(place);
        return;
    }
    lines_close(&place->log);
    if (place->stop == STOP_CANCELLED) {
        set_error(place, "cancelled", STR("the run was cancelled"), false);
    } else if (place->stop == STOP_DRAINED) {
        text_add(&place->report, STR(",\"begun\":true"));
        report(place, LANE_RELEASE);
    } else if (end->how == EXEC_EXITED && end->code == 0) {
        complete(place, end);
    } else {
        fail(place, end);
    }
}

void place_refused(struct place *place, struct str why)
{
    char text[WORKER_MESSAGE_MAX];
    struct buf message = BUF(text);

    log_say(log_of(place), clock_now(), LEVEL_ERROR, "report refused",
            LOG_TEXT("run", place->id), LOG_STR("reason", why));
    if (place->lane == LANE_FAIL) {
        place_free(place);
        return;
    }
    /* It was not taken, so nothing was reported yet.  The log may have been the reason. */
    lines_clear(&place->log);
    if (place->lane == LANE_RELEASE) {
        set_error(place, "worker_stopped", STR("the worker was stopped"), true);
        return;
    }
    buf_printf(&message, "the server did not take the result: %.*s", STR_ARG(why));
    set_error(place, "result_refused", buf_as_str(&message), false);
}

/* ---- from begin to end ---- */

static struct str decimal(int64_t n, char room[static DECIMAL_MAX])
{
    int len = snprintf(room, DECIMAL_MAX, "%lld", (long long)n);

    return (struct str){room, (size_t)len};
}

/* In the order of its names in worker_options.c, which keeps them from being there twice. */
static void set_vars(const struct worker *worker, const struct grant *grant,
                     struct exec_var vars[static WORKER_VARS])
{
    static char attempt[DECIMAL_MAX], fence[DECIMAL_MAX];
    const char *namespace = worker->options.namespace;
    const struct exec_var of_run[WORKER_VARS] = {
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

    memcpy(vars, of_run, sizeof of_run);
}

static void take_grant(struct place *place, const struct grant *grant, span lease)
{
    int64_t now = clock_boot_us();
    span every = lease / 3;

    must(place->state == PLACE_FREE);
    *place = (struct place){.worker = place->worker,
                            .state = PLACE_RUNNING,
                            .fence = grant->fence,
                            .beat_at = now,
                            .log_at = INT64_MAX,
                            .keep_until = now + lease + WORKER_KEEP};
    memcpy(place->id, grant->id.ptr, grant->id.len);
    place->beat_every = every < WORKER_BEAT_MIN   ? WORKER_BEAT_MIN
                        : every > WORKER_BEAT_MAX ? WORKER_BEAT_MAX
                                                  : every;
    place->worker->busy++;
}

void place_start(struct place *place, const struct grant *grant, struct str run, span lease)
{
    static const struct exec_calls calls = {on_output, on_end};
    struct worker *worker = place->worker;
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

    take_grant(place, grant, lease);
    if (worker->phase != PHASE_WORKING) {
        place->state = PLACE_REPORTING;
        report(place, LANE_RELEASE);
        return;
    }
    set_vars(worker, grant, worker->env + worker->env_count);
    rc = exec_start(worker->programs, &request, &calls, place, &place->run, &err);
    if (rc == RC_OK) {
        log_say(log_of(place), clock_now(), LEVEL_INFO, "run started",
                LOG_TEXT("run", place->id), LOG_STR("schedule", grant->schedule),
                LOG_INT("attempt", grant->attempt));
        return;
    }
    log_say(log_of(place), clock_now(), LEVEL_ERROR, "program not started",
            LOG_TEXT("run", place->id), LOG_TEXT("reason", err.text));
    place->state = PLACE_REPORTING;
    place->exit_status = SHELL_NOT_FOUND;
    if (rc == RC_BUSY) {
        claim_pause(worker);
        report(place, LANE_RELEASE);
    } else {
        set_error(place, "exec_start", str_of(err.text), false);
    }
}

void place_stop(struct place *place, enum place_stop why)
{
    if (place->state != PLACE_RUNNING || place->stop != STOP_NOT)
        return;
    place->stop = why;
    exec_stop(place->run);
}

void place_kill(struct place *place)
{
    if (place->state == PLACE_RUNNING)
        exec_kill(place->run);
}

void place_free(struct place *place)
{
    must(place->state == PLACE_REPORTING && !place->in_request);
    text_clear(&place->out);
    lines_clear(&place->log);
    text_clear(&place->report);
    place->state = PLACE_FREE;
    place->worker->busy--;
    worker_on_free(place->worker, place);
}
