/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Dispatches that run a program on this machine.
 */
#include <string.h>

#include "io/clock.h"
#include "server/dispatch/dispatch_exec_parts.h"
#include "server/dispatch/run_log.h"

#define RELEASE_DELAY SPAN_S /* pause after the machine could not create a process */

struct program {
    struct exec_run *run;     /* NULL: waiting before the release */
    struct loop_timer *pause; /* of that wait                     */
    struct run_log *log;
    struct buf output; /* the beginning of standard output */
    struct buf last;   /* the last line of standard error  */
    char last_room[EXEC_LAST_LINE_MAX + 1];
};

static void send_lines(void *arg, struct str lines)
{
    dispatch_alive(arg, (struct str){0}, lines);
}

static void on_output(void *arg, enum exec_stream stream, struct str text, bool ends_line)
{
    struct dispatch *dispatch = arg;
    struct program *program = dispatch->state;

    run_log_add(program->log, clock_now(), (int)stream, text);
    if (stream == EXEC_STDOUT) {
        buf_str(&program->output, text);
        if (ends_line)
            buf_char(&program->output, '\n');
    } else if (text.len > 0) {
        program->last = BUF(program->last_room);
        buf_str(&program->last, text);
    }
}

static struct dispatch_end failure(const char *code, bool is_retryable,
                                   const struct err *message)
{
    return (struct dispatch_end){
        .outcome = OUTCOME_FAILED,
        .code = code,
        .message = str_of(message->text),
        .is_retryable = is_retryable,
    };
}

/* The program failed by itself; its last line on standard error most often says why. */
static struct dispatch_end program_failed(const struct program *program,
                                          const struct exec_end *end, struct err *message)
{
    struct str last = buf_as_str(&program->last);
    const char *separator = last.len > 0 ? ": " : "";

    if (end->how == EXEC_EXITED) {
        err_set(message, RC_INVALID, -1, 0, "the program ended with exit code %d%s%.*s",
                end->code, separator, STR_ARG(last));
        return failure("exec_exit", true, message);
    }
    err_set(message, RC_INVALID, -1, 0, "the program was ended by signal %d (%s)%s%.*s",
            end->code, strsignal(end->code), separator, STR_ARG(last));
    return failure("exec_signal", true, message);
}

static struct dispatch_end timed_out(const struct exec_end *end, struct err *message)
{
    struct dispatch_end ended;

    err_set(message, RC_LIMIT, -1, 0, "the program did not end in time and was %s",
            end->killed ? "killed, because it ignored SIGTERM" : "stopped");
    ended = failure("exec_timeout", true, message);
    ended.outcome = OUTCOME_TIMED_OUT;
    return ended;
}

static struct dispatch_end end_of_program(const struct program *program,
                                          const struct exec_end *end, struct err *message)
{
    if (end->cause == EXEC_STOPPED)
        return (struct dispatch_end){.outcome = OUTCOME_CANCELLED};
    if (end->cause == EXEC_TIMED_OUT)
        return timed_out(end, message);
    switch (end->how) {
    case EXEC_EXITED:
        if (end->code == 0)
            return (struct dispatch_end){.outcome = OUTCOME_SUCCEEDED};
        return program_failed(program, end, message);
    case EXEC_SIGNALLED:
        return program_failed(program, end, message);
    case EXEC_NOT_STARTED:
        return failure("exec_not_started", end->err.rc == RC_BUSY, &end->err);
    case EXEC_LOST:
        break;
    }
    return failure("exec_lost", true, &end->err);
}

static void on_end(void *arg, const struct exec_end *end)
{
    struct dispatch *dispatch = arg;
    struct program *program = dispatch->state;
    struct run_log *log = program->log;
    struct err message;
    struct dispatch_end ended = end_of_program(program, end, &message);

    ended.log = run_log_finish(log, clock_now(), end->dropped_bytes);
    if (end->how != EXEC_NOT_STARTED)
        ended.result = exec_result_of(end, program->output.ptr, program->output.len,
                                      program->output.cut || end->dropped_bytes > 0,
                                      dispatch->arena);
    dispatch_end(dispatch, &ended);
    run_log_free(log);
}

static const struct exec_calls exec_callbacks = {on_output, on_end};

static enum rc prepare(struct dispatch *dispatch, struct exec_request *request,
                       struct err *reterr)
{
    const struct dispatcher_options *options = &dispatch->dispatcher->options;
    enum rc rc = exec_request_of(dispatch, request, reterr);
    span left = dispatch_time_left(dispatch);

    if (rc != RC_OK)
        return rc;
    request->timeout = left == INT64_MAX ? 0 : left > 0 ? left : 1;
    request->kill_after = dispatch->action.exec.kill_after;
    request->output_max = RUN_LOG_MAX;
    return exec_allowed(request->argv[0], options->exec_allow, options->exec_allow_count,
                        dispatch->arena, &request->file, reterr);
}

static struct program *new_program(struct dispatch *dispatch)
{
    struct program *program = arena_take(dispatch->arena, sizeof *program);

    program->output = (struct buf){.ptr = arena_take(dispatch->arena, EXEC_KEEP_BYTES + 1),
                                   .cap = EXEC_KEEP_BYTES + 1};
    program->last = BUF(program->last_room);
    program->log = run_log_new(dispatch->dispatcher->options.loop, send_lines, dispatch);
    return program;
}

static void on_wait_over(void *arg)
{
    struct dispatch *dispatch = arg;
    struct program *program = dispatch->state;

    loop_timer_free(program->pause);
    dispatch_release(dispatch);
}

/* Keeps the capacity meanwhile: after an immediate release the run would come back at once. */
static void wait_before_release(struct dispatch *dispatch)
{
    struct program *program = dispatch->state;

    program->pause = loop_timer_new(dispatch->dispatcher->options.loop, on_wait_over, dispatch);
    loop_timer_set(program->pause, RELEASE_DELAY);
}

static void stop_waiting(struct dispatch *dispatch)
{
    struct program *program = dispatch->state;

    loop_timer_free(program->pause);
    dispatch_end(dispatch, &(struct dispatch_end){.outcome = OUTCOME_CANCELLED});
}

static void start(struct dispatch *dispatch)
{
    struct exec_request request;
    struct program *program;
    struct err err;
    enum rc rc;

    if (!dispatch->dispatcher->exec) {
        err_set(
            &err, RC_INVALID, -1, 0,
            "exec actions are disabled on this server; set exec = true in its configuration");
        dispatch_fail(dispatch, "exec_disabled", &err);
        return;
    }
    rc = prepare(dispatch, &request, &err);
    if (rc != RC_OK) {
        dispatch_fail(dispatch, rc == RC_CONFLICT ? "exec_not_allowed" : "exec_not_started",
                      &err);
        return;
    }
    program = new_program(dispatch);
    dispatch->state = program;
    rc = exec_start(dispatch->dispatcher->exec, &request, &exec_callbacks, dispatch,
                    &program->run, &err);
    if (rc == RC_OK) {
        dispatch->is_begun = true;
        return;
    }
    run_log_free(program->log);
    if (rc == RC_BUSY)
        wait_before_release(dispatch);
    else
        dispatch_fail(dispatch, "exec_not_started", &err);
}

static void stop(struct dispatch *dispatch)
{
    struct program *program = dispatch->state;

    if (program->run)
        exec_stop(program->run);
    else
        stop_waiting(dispatch);
}

static void kill_now(struct dispatch *dispatch)
{
    struct program *program = dispatch->state;

    if (program->run)
        exec_kill(program->run);
    else
        stop_waiting(dispatch);
}

const struct dispatch_kind dispatch_exec = {start, stop, kill_now, NULL};
