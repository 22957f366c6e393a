/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The pool of programs: one supervisor process per program, watched from the loop.
 */
#include "io/process/exec.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/must.h"
#include "io/process/children.h"
#include "io/process/exec_output.h"
#include "io/process/exec_pack.h"
#include "io/process/exec_spawn.h"
#include "io/process/supervisor.h"

enum {
    STRAYS_BATCH = 256, /* strays killed before they are waited for */
    STRAYS_PASSES = 16, /* in one event; the next event continues */
};

struct exec_run {
    struct exec_pool *pool;
    struct exec_run *before, *after;
    struct exec_calls calls;
    void *arg;
    struct exec_spawned supervisor;
    uv_poll_t exit_poll;
    uv_timer_t timer; /* until SIGTERM, then until SIGKILL, then until the next try */
    struct exec_output outputs[EXEC_STREAMS];
    struct exec_meter meter;
    span kill_after;
    bool was_killed; /* SIGKILL was ordered */
    bool is_lost;    /* waits until all strays are dead */
    bool is_over;    /* on_end was called */
    int handles;     /* of the loop, not yet closed */
    struct exec_end end;
};

struct exec_pool {
    uv_loop_t *loop;
    struct exec_run *runs;
    int max, count; /* of runs that have not ended */
    int sink;
    uv_signal_t deaths; /* active while there may be strays */
    bool is_closing;
    void (*on_closed)(void *arg);
    void *arg;
};

static void free_pool(uv_handle_t *handle)
{
    struct exec_pool *pool = handle->data;

    close(pool->sink);
    prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0);
    pool->on_closed(pool->arg);
    free(pool);
}

static void close_pool_when_empty(struct exec_pool *pool)
{
    if (pool->is_closing && !pool->runs)
        uv_close((uv_handle_t *)&pool->deaths, free_pool);
}

static void on_handle_closed(uv_handle_t *handle)
{
    struct exec_run *run = handle->data;
    struct exec_pool *pool = run->pool;

    if (--run->handles > 0)
        return;
    if (run->before)
        run->before->after = run->after;
    else
        pool->runs = run->after;
    if (run->after)
        run->after->before = run->before;
    free(run);
    close_pool_when_empty(pool);
}

static void end_run(struct exec_run *run)
{
    run->end.output_bytes = run->meter.seen;
    run->end.dropped_bytes = run->meter.dropped;
    run->is_over = true;
    run->pool->count--;
    run->calls.on_end(run->arg, &run->end);
    uv_close((uv_handle_t *)&run->timer, on_handle_closed);
}

struct stray_list {
    const struct exec_pool *pool;
    int count;
    pid_t pids[STRAYS_BATCH];
};

static void kill_stray(pid_t child, void *arg)
{
    struct stray_list *list = arg;

    for (const struct exec_run *run = list->pool->runs; run; run = run->after)
        if (run->supervisor.pid == child)
            return;
    if (list->count == STRAYS_BATCH)
        return;
    list->pids[list->count++] = child;
    children_kill(child);
}

/*
 * Kills all children that are not supervisors.  Returns how many are dead; *ret_left is true if
 * some may be left.
 */
static int kill_strays_once(const struct exec_pool *pool, bool *ret_left)
{
    struct stray_list list = {.pool = pool};
    bool is_list = children_each(kill_stray, &list);
    int dead = 0;

    for (int i = 0; i < list.count; i++)
        if (waitpid(list.pids[i], NULL, WNOHANG) == list.pids[i])
            dead++;
    *ret_left = !is_list || list.count > 0;
    return dead;
}

/*
 * A supervisor was killed, most likely by its program.  Its children now belong to this
 * process, and none may outlive the run.
 */
static void kill_strays(struct exec_pool *pool)
{
    struct exec_run *next;
    bool is_left = true;
    int dead = 1, all = 0;

    for (int i = 0; i < STRAYS_PASSES && dead > 0; i++) {
        dead = kill_strays_once(pool, &is_left);
        all += dead;
    }
    if (!is_left)
        uv_signal_stop(&pool->deaths);
    for (struct exec_run *run = pool->runs; run; run = next) {
        next = run->after;
        if (!run->is_lost || run->is_over)
            continue;
        run->end.strays += all;
        all = 0;
        if (!is_left)
            end_run(run);
    }
}

static void on_death(uv_signal_t *handle, int signal)
{
    (void)signal;
    kill_strays(handle->data);
}

/* SIGCHLD announces deaths; this is for the case that the children could not be listed then. */
static void on_strays_timer(uv_timer_t *timer)
{
    const struct exec_run *run = timer->data;

    kill_strays(run->pool);
}

static void set_lost(struct exec_run *run)
{
    struct exec_pool *pool = run->pool;

    run->end.how = EXEC_LOST;
    err_set(&run->end.err, RC_UNKNOWN, -1, 0,
            "the supervisor of the program was killed; the program was killed too");
    run->is_lost = true;
    must(uv_signal_start(&pool->deaths, on_death, SIGCHLD) == 0);
    must(uv_timer_start(&run->timer, on_strays_timer, EXEC_KILL_AGAIN_MS, EXEC_KILL_AGAIN_MS) ==
         0);
    kill_strays(pool);
}

static void read_report(struct exec_run *run, const struct supervisor_report *report)
{
    struct exec_end *end = &run->end;

    end->strays = report->strays;
    end->user = report->user_us;
    end->system = report->system_us;
    end->max_rss = report->max_rss;
    if (report->refused.rc != RC_OK) {
        end->how = EXEC_NOT_STARTED;
        end->err = report->refused;
    } else if (WIFEXITED(report->status)) {
        end->how = EXEC_EXITED;
        end->code = WEXITSTATUS(report->status);
    } else {
        end->how = EXEC_SIGNALLED;
        end->code = WTERMSIG(report->status);
        end->killed = run->was_killed && end->code == SIGKILL;
    }
}

/* The supervisor is dead; it dies after all its children. */
static void on_supervisor_exit(uv_poll_t *poll, int status, int events)
{
    struct exec_run *run = poll->data;
    struct supervisor_report report;
    bool has_report;

    (void)status;
    (void)events;
    uv_close((uv_handle_t *)&run->exit_poll, on_handle_closed);
    uv_timer_stop(&run->timer);
    has_report = exec_spawned_reap(&run->supervisor, &report);
    for (int i = 0; i < EXEC_STREAMS; i++)
        exec_output_finish(&run->outputs[i]);
    if (has_report) {
        read_report(run, &report);
        end_run(run);
    } else {
        set_lost(run);
    }
}

static uint64_t to_ms(span us)
{
    return us > 0 ? (uint64_t)((us + SPAN_MS - 1) / SPAN_MS) : 0;
}

static void on_timer(uv_timer_t *timer);

static void kill_now(struct exec_run *run)
{
    run->was_killed = true;
    exec_spawned_order(&run->supervisor, SUPERVISOR_KILL);
    must(uv_timer_start(&run->timer, on_timer, EXEC_KILL_AGAIN_MS, 0) == 0);
}

static void terminate(struct exec_run *run, enum exec_cause cause)
{
    run->end.cause = cause;
    exec_spawned_order(&run->supervisor, SUPERVISOR_TERM);
    uv_update_time(run->pool->loop);
    must(uv_timer_start(&run->timer, on_timer, to_ms(run->kill_after), 0) == 0);
}

static void on_timer(uv_timer_t *timer)
{
    struct exec_run *run = timer->data;

    if (run->end.cause == EXEC_BY_ITSELF)
        terminate(run, EXEC_TIMED_OUT);
    else
        kill_now(run);
}

void exec_stop(struct exec_run *run)
{
    if (run->supervisor.pid != 0 && run->end.cause == EXEC_BY_ITSELF)
        terminate(run, EXEC_STOPPED);
}

void exec_kill(struct exec_run *run)
{
    if (run->supervisor.pid == 0 || run->was_killed)
        return;
    if (run->end.cause == EXEC_BY_ITSELF)
        run->end.cause = EXEC_STOPPED;
    kill_now(run);
}

static void watch_run(struct exec_run *run, const struct exec_request *request)
{
    struct exec_pool *pool = run->pool;

    run->meter = (struct exec_meter){.left = request->output_max, .sink = pool->sink};
    for (int i = 0; i < EXEC_STREAMS; i++) {
        struct exec_output *output = &run->outputs[i];

        output->stream = (enum exec_stream)i;
        output->meter = &run->meter;
        output->on_output = run->calls.on_output;
        output->arg = run->arg;
        output->owner = run;
        output->on_closed = on_handle_closed;
        output->fd = run->supervisor.out[i];
        exec_output_open(output, pool->loop);
    }
    must(uv_poll_init(pool->loop, &run->exit_poll, run->supervisor.pidfd) == 0);
    must(uv_timer_init(pool->loop, &run->timer) == 0);
    run->exit_poll.data = run->timer.data = run;
    run->handles = EXEC_STREAMS + 2;
    must(uv_poll_start(&run->exit_poll, UV_READABLE, on_supervisor_exit) == 0);
    uv_update_time(pool->loop);
    if (request->timeout > 0)
        must(uv_timer_start(&run->timer, on_timer, to_ms(request->timeout), 0) == 0);
}

enum rc exec_start(struct exec_pool *pool, const struct exec_request *request,
                   const struct exec_calls *calls, void *arg, struct exec_run **ret,
                   struct err *reterr)
{
    enum rc rc = exec_request_check(request, reterr);
    struct exec_run *run;

    must(request->output_max >= 0 && request->timeout >= 0 && request->kill_after >= 0);
    if (rc != RC_OK)
        return rc;
    if (exec_pool_room(pool) == 0)
        return err_set(reterr, RC_BUSY, -1, 0, "%d programs are running, which is the limit",
                       pool->count);
    run = calloc(1, sizeof *run);
    must(run);
    if (!exec_spawn(request, &run->supervisor)) {
        free(run);
        return err_set(reterr, RC_BUSY, -1, 0, "cannot create a process: %s",
                       strerrordesc_np(errno));
    }
    run->pool = pool;
    run->calls = *calls;
    run->arg = arg;
    run->kill_after = request->kill_after;
    run->after = pool->runs;
    if (run->after)
        run->after->before = run;
    pool->runs = run;
    pool->count++;
    watch_run(run, request);
    *ret = run;
    return RC_OK;
}

int exec_pool_room(const struct exec_pool *pool)
{
    return pool->is_closing ? 0 : pool->max - pool->count;
}

static void ignore_child(pid_t child, void *arg)
{
    (void)child;
    (void)arg;
}

enum rc exec_pool_open(uv_loop_t *loop, int runs, struct exec_pool **ret, struct err *reterr)
{
    struct exec_pool *pool;
    int sink;

    must(runs >= 1 && runs <= EXEC_RUNS_MAX);
    if (!children_each(ignore_child, NULL))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "cannot supervise programs: /proc/self/task/*/children cannot be read "
                       "(%s); it needs /proc and a kernel with CONFIG_PROC_CHILDREN",
                       strerrordesc_np(errno));
    sink = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (sink < 0)
        return err_set(reterr, RC_BUSY, -1, 0, "cannot open /dev/null: %s",
                       strerrordesc_np(errno));
    /* If SIGCHLD were inherited as ignored, children could not be waited for. */
    must(signal(SIGCHLD, SIG_DFL) != SIG_ERR);
    must(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0) == 0);
    pool = calloc(1, sizeof *pool);
    must(pool);
    pool->loop = loop;
    pool->max = runs;
    pool->sink = sink;
    must(uv_signal_init(loop, &pool->deaths) == 0);
    pool->deaths.data = pool;
    *ret = pool;
    return RC_OK;
}

void exec_pool_close(struct exec_pool *pool, void (*on_closed)(void *arg), void *arg)
{
    must(!pool->is_closing);
    pool->is_closing = true;
    pool->on_closed = on_closed;
    pool->arg = arg;
    for (struct exec_run *run = pool->runs; run; run = run->after)
        exec_kill(run);
    close_pool_when_empty(pool);
}
