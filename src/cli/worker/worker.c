/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry worker`: runs a program for each run of a queue.
 *
 * This file has the start and the end: options, signals, the phases from the first SIGTERM to
 * the last report, and what happens while the server is unavailable.
 */
#include <signal.h>
#include <stdlib.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/must.h"
#include "cli/frame/commands.h"
#include "cli/frame/report.h"
#include "cli/worker/worker_options.h"
#include "io/clock.h"

enum {
    PARTS_COUNT = 2, /* client and programs */
    HTTP_OK = 200,
    BACKOFF_DOUBLINGS = 5, /* 0.2 s to 6.4 s, which WORKER_RETRY_MAX caps */
};

static void on_part_closed(void *arg)
{
    struct worker *worker = arg;

    if (--worker->parts_open == 0)
        loop_stop(worker->loop);
}

static void shut_down(struct worker *worker)
{
    worker->phase = PHASE_LEAVING;
    /* Answers are ignored from now on, so no run waits for one. */
    for (int i = 0; i < worker->options.jobs; i++)
        worker->jobs[i].in_request = false;
    for (int i = 0; i < REPORT_KINDS; i++)
        loop_timer_free(worker->batches[i].timer);
    loop_timer_free(worker->claim_timer);
    loop_timer_free(worker->phase_timer);
    client_close(worker->client, on_part_closed, worker);
    exec_pool_close(worker->programs, on_part_closed, worker);
}

static void log_phase(struct worker *worker, const char *what)
{
    log_say(&worker->log, clock_now(), LEVEL_INFO, what, LOG_INT("runs", worker->busy));
}

/* A claim in progress may still return runs, which are then released. */
void worker_leave_if_idle(struct worker *worker)
{
    if (worker->phase != PHASE_WORKING && worker->phase != PHASE_LEAVING && worker->busy == 0 &&
        worker->claim == 0)
        shut_down(worker);
}

/* A signal or a timeout leads from each phase to the next. */
static void advance_phase(struct worker *worker)
{
    switch (worker->phase) {
    case PHASE_WORKING:
        worker->phase = PHASE_DRAINING;
        log_phase(worker, "worker draining");
        claim_stop(worker);
        loop_timer_set(worker->phase_timer, worker->options.drain);
        break;
    case PHASE_DRAINING:
        worker->phase = PHASE_STOPPING;
        log_phase(worker, "worker stopping programs");
        for (int i = 0; i < worker->options.jobs; i++)
            worker_run_stop(&worker->jobs[i], STOP_DRAINED);
        loop_timer_set(worker->phase_timer, worker->options.kill_after + WORKER_REPORT_TIME);
        break;
    case PHASE_STOPPING:
        worker->phase = PHASE_KILLING;
        for (int i = 0; i < worker->options.jobs; i++)
            worker_run_kill(&worker->jobs[i]);
        loop_timer_set(worker->phase_timer, WORKER_REPORT_TIME);
        break;
    case PHASE_KILLING:
        log_say(&worker->log, clock_now(), LEVEL_ERROR, "worker ends with unreported runs",
                LOG_INT("runs", worker->busy));
        worker->status = STATUS_FAILED;
        shut_down(worker);
        return;
    case PHASE_LEAVING:
        return;
    }
    worker_leave_if_idle(worker);
}

static void on_phase_timer(void *arg)
{
    advance_phase(arg);
}

static void on_signal(void *arg, int signal)
{
    (void)signal;
    advance_phase(arg);
}

void worker_on_free(struct worker *worker, const struct worker_run *job)
{
    if (worker->phase == PHASE_LEAVING)
        return;
    if (worker->options.is_once) {
        worker->status = job->exit_status;
        shut_down(worker);
    } else {
        worker_leave_if_idle(worker);
        claim_set_timer(worker);
    }
}

span worker_backoff(struct worker *worker, int tries)
{
    int doublings = tries - 1 < BACKOFF_DOUBLINGS ? tries - 1 : BACKOFF_DOUBLINGS;
    span most = WORKER_RETRY_MIN << doublings;

    if (most > WORKER_RETRY_MAX)
        most = WORKER_RETRY_MAX;
    return prng_between(&worker->prng, most / 2, most);
}

void worker_server_lost(struct worker *worker, const struct client_answer *answer)
{
    char text[WORKER_MESSAGE_MAX];
    struct buf reason = BUF(text);

    if (worker->is_server_lost || worker->phase == PHASE_LEAVING)
        return;
    worker->is_server_lost = true;
    if (answer->status == HTTP_OK || answer->status == 0)
        buf_text(&reason, answer->err.text);
    else
        problem_text(answer->body, &reason);
    log_say(&worker->log, clock_now(), LEVEL_WARN, "server unavailable",
            LOG_TEXT("server", worker->options.server), LOG_INT("status", answer->status),
            LOG_STR("reason", buf_as_str(&reason)));
}

void worker_server_back(struct worker *worker)
{
    if (worker->is_server_lost)
        log_say(&worker->log, clock_now(), LEVEL_WARN, "server available again",
                LOG_TEXT("server", worker->options.server));
    worker->is_server_lost = false;
}

void worker_access_denied(struct worker *worker, const struct client_answer *answer)
{
    char text[WORKER_MESSAGE_MAX];
    struct buf reason = BUF(text);

    problem_text(answer->body, &reason);
    log_say(&worker->log, clock_now(), LEVEL_ERROR, "access denied",
            LOG_TEXT("server", worker->options.server), LOG_INT("status", answer->status),
            LOG_STR("reason", buf_as_str(&reason)));
    worker->status = STATUS_FAILED;
    if (worker->phase == PHASE_WORKING)
        advance_phase(worker);
}

static void open_log(struct worker *worker)
{
    struct err err;

    /* This fails only if standard error is closed; then no message can be printed. */
    if (log_out_open(STDERR_FILENO, &worker->log_out, &err) != RC_OK)
        exit(STATUS_FAILED);
    log_open(&worker->log, log_out_sink(worker->log_out),
             worker->options.is_quiet ? LEVEL_WARN : LEVEL_INFO, LOG_LOGFMT);
}

static void open_batches(struct worker *worker)
{
    for (int i = 0; i < REPORT_KINDS; i++) {
        struct report_batch *batch = &worker->batches[i];

        batch->worker = worker;
        batch->kind = (enum report_kind)i;
        batch->timer = loop_timer_new(worker->loop, report_batch_on_timer, batch);
        batch->sent = calloc((size_t)worker->options.jobs, sizeof *batch->sent);
        must(batch->sent);
    }
    for (int i = 0; i < worker->options.jobs; i++)
        worker->jobs[i].worker = worker;
}

static enum rc open_parts(struct worker *worker, struct err *reterr)
{
    const struct worker_options *o = &worker->options;
    struct client_options server = {.server = o->server,
                                    .namespace = o->namespace,
                                    .token = o->token,
                                    .ca_file = o->ca_file,
                                    .agent = "belfry-worker/" BELFRY_VERSION,
                                    .calls = WORKER_CALLS};
    enum rc rc = client_open(worker->loop, &server, &worker->client, reterr);

    if (rc)
        return rc;
    return exec_pool_open(loop_uv(worker->loop), o->jobs, &worker->programs, reterr);
}

static void serve_queues(struct worker *worker)
{
    uint64_t seed = (uint64_t)clock_boot_us();

    /* The seed differs, so that workers do not reconnect to a server at the same time. */
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) < 0)
        seed ^= (uint64_t)getpid() << 32;
    prng_seed(&worker->prng, seed);
    worker->parts_open = PARTS_COUNT;
    worker->jobs = calloc((size_t)worker->options.jobs, sizeof *worker->jobs);
    must(worker->jobs);
    open_batches(worker);
    worker->claim_timer = loop_timer_new(worker->loop, claim_on_timer, worker);
    worker->phase_timer = loop_timer_new(worker->loop, on_phase_timer, worker);
    loop_on_signal(worker->loop, SIGTERM, on_signal, worker);
    loop_on_signal(worker->loop, SIGINT, on_signal, worker);
    log_say(&worker->log, clock_now(), LEVEL_INFO, "worker started",
            LOG_TEXT("worker", worker->options.name),
            LOG_TEXT("server", worker->options.server),
            LOG_INT("concurrency", worker->options.jobs));
    claim_set_timer(worker);
    loop_run(worker->loop);
    for (int i = 0; i < REPORT_KINDS; i++)
        free(worker->batches[i].sent);
    free(worker->jobs);
}

static int worker_command_run(const struct args *args)
{
    static struct worker worker;
    struct err err;
    enum rc rc = worker_options_read(args, &worker.options, &err);

    if (rc)
        return report_usage(&err, "worker");
    rc = worker_context_read(&worker, &err);
    if (rc)
        return report_err(&err, STR(""));
    worker.loop = loop_new(NULL, NULL);
    rc = open_parts(&worker, &err);
    if (rc)
        return report_err(&err, STR(""));
    open_log(&worker);
    serve_queues(&worker);
    loop_free(worker.loop);
    log_out_close(worker.log_out);
    free(worker.argv);
    free(worker.env);
    return worker.status;
}

static const struct option options[OPT_COUNT] = {
    [OPT_QUEUE] = {"queue", 'Q', "NAME", NULL,
                   "queue to serve; may be given up to 16 times (required)"},
    [OPT_CONCURRENCY] = {"concurrency", 'c', "N", NULL,
                         "maximum number of runs at once (default 1)"},
    [OPT_SERVER] = {"server", 's', "URL", NULL, SERVER_HELP},
    [OPT_NAMESPACE] = {"namespace", 'N', "NAME", NULL, NAMESPACE_HELP},
    [OPT_TOKEN] = {"token", '\0', "TOKEN", NULL, TOKEN_HELP},
    [OPT_CACERT] = {"cacert", '\0', "FILE", NULL, CACERT_HELP},
    [OPT_NAME] = {"name", '\0', "NAME", NULL, "name of this worker (default HOST:PID)"},
    [OPT_FIELDS] = {"fields", '\0', "NAMES", NULL,
                    "comma-separated run fields to pass to the program\n"
                    "(default all)"},
    [OPT_ONCE] = {"once", '1', NULL, NULL,
                  "exit after one run, with its program's exit status"},
    [OPT_DRAIN] = {"drain", '\0', "SPAN", NULL,
                   "time that programs get to finish after SIGTERM\n"
                   "(default 30s)"},
    [OPT_KILL_AFTER] = {"kill-after", '\0', "SPAN", NULL,
                        "time from SIGTERM to SIGKILL of a program (default 10s)"},
    [OPT_QUIET] = {"quiet", 'q', NULL, NULL, "log only warnings and errors"},
    [OPT_HELP_FLAG] = {"help", 'h', NULL, NULL, "print this help"},
};

const struct command worker_command = {
    .name = "worker",
    .usage = "--queue NAME [OPTION]... -- PROGRAM [ARG]...",
    .summary = "Run a program for each run of a queue",
    .about = "Starts PROGRAM without a shell for each run of the queue.  The program gets the\n"
             "run as JSON on its standard input, the worker's environment and directory, and\n"
             "the variables BELFRY_RUN, BELFRY_SCHEDULE, BELFRY_QUEUE, BELFRY_NAMESPACE,\n"
             "BELFRY_ATTEMPT, BELFRY_FENCE, BELFRY_SCHEDULED_TIME and BELFRY_SERVER.\n"
             "\n"
             "The program's output becomes the run's log, line by line.  Exit status 0 is\n"
             "success, and standard output is the run's result: as JSON if it is one JSON\n"
             "value, else as text.  Any other status is a failure, which the schedule's retry\n"
             "policy handles; 64 to 68, 77 and 78 (sysexits.h: the request itself is wrong)\n"
             "are not retried.  If a run is cancelled, its program gets SIGTERM, then\n"
             "SIGKILL.\n"
             "\n"
             "After SIGTERM the worker claims no more runs and waits for its programs\n"
             "(--drain); then it stops them and returns their runs to the queue.  A second\n"
             "SIGTERM stops them at once.  The worker waits for a server that is unavailable;\n"
             "if the server denies access, it exits with status 1.\n"
             "\n"
             "If the server uses tokens, the worker needs one with the role worker.\n"
             "BELFRY_TOKEN is not passed to programs.\n",
    .examples = "  belfry worker --queue reports -- ./make-report\n"
                "  belfry worker -Q mail -Q sms -c 20 --server http://10.0.0.5:7227 -- \\\n"
                "      /usr/bin/send --fast\n",
    .options = options,
    .option_count = OPT_COUNT,
    .takes_program = true,
    .run = worker_command_run,
};
