/* SPDX-License-Identifier: Apache-2.0 */
/*
 * `belfry worker`: runs a program for each run of a queue.
 *
 * Here is how it begins and ends: options, signals, and the phases from the first SIGTERM to
 * the last report.
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

enum { PARTS = 2 }; /* client and programs */

static void on_part_closed(void *arg)
{
    struct worker *worker = arg;

    if (--worker->parts_open == 0)
        loop_stop(worker->loop);
}

static void shut_down(struct worker *worker)
{
    worker->phase = PHASE_LEAVING;
    /* No answer is looked at any more, so that no place has to wait for one. */
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

/* A claim that is under way may still bring runs, which are handed back. */
void worker_leave_if_idle(struct worker *worker)
{
    if (worker->phase != PHASE_WORKING && worker->phase != PHASE_LEAVING && worker->busy == 0 &&
        worker->claim == 0)
        shut_down(worker);
}

/* Signals and spans that pass lead from each phase to the next. */
static void advance_phase(struct worker *worker)
{
    switch (worker->phase) {
    case PHASE_WORKING:
        worker->phase = PHASE_DRAINING;
        log_phase(worker, "worker claims no more runs");
        claim_stop(worker);
        loop_timer_set(worker->phase_timer, worker->options.drain);
        break;
    case PHASE_DRAINING:
        worker->phase = PHASE_STOPPING;
        log_phase(worker, "worker stops its programs");
        for (int i = 0; i < worker->options.jobs; i++)
            worker_run_stop(&worker->jobs[i], STOP_DRAINED);
        loop_timer_set(worker->phase_timer, worker->options.kill_after + WORKER_LAST_WORDS);
        break;
    case PHASE_STOPPING:
        worker->phase = PHASE_KILLING;
        for (int i = 0; i < worker->options.jobs; i++)
            worker_run_kill(&worker->jobs[i]);
        loop_timer_set(worker->phase_timer, WORKER_LAST_WORDS);
        break;
    case PHASE_KILLING:
        log_say(&worker->log, clock_now(), LEVEL_ERROR, "worker ends with runs unreported",
                LOG_INT("runs", worker->busy));
        worker->status = STATUS_FAILED;
        shut_down(worker);
        return;
    case PHASE_LEAVING:
        return;
    }
    worker_leave_if_idle(worker);
}

static void on_phase_time(void *arg)
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
        claim_kick(worker);
    }
}

void worker_refused(struct worker *worker, const struct client_answer *answer)
{
    char text[WORKER_MESSAGE_MAX];
    struct buf reason = BUF(text);

    problem_text(answer->body, &reason);
    log_say(&worker->log, clock_now(), LEVEL_ERROR, "server does not let the worker in",
            LOG_TEXT("server", worker->options.server), LOG_INT("status", answer->status),
            LOG_STR("reason", buf_as_str(&reason)));
    worker->status = STATUS_FAILED;
    if (worker->phase == PHASE_WORKING)
        advance_phase(worker);
}

static void open_log(struct worker *worker)
{
    struct err err;

    /* Only a descriptor that is closed cannot be used; then nobody can be told anything. */
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
        batch->timer = loop_timer_new(worker->loop, report_batch_on_time, batch);
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

static void run_worker(struct worker *worker)
{
    uint64_t seed = (uint64_t)clock_boot_us();

    /* Workers that lost the same server should not come back together; any seed will do. */
    if (getrandom(&seed, sizeof seed, GRND_NONBLOCK) < 0)
        seed ^= (uint64_t)getpid() << 32;
    prng_seed(&worker->prng, seed);
    worker->parts_open = PARTS;
    worker->jobs = calloc((size_t)worker->options.jobs, sizeof *worker->jobs);
    must(worker->jobs);
    open_batches(worker);
    worker->claim_timer = loop_timer_new(worker->loop, claim_on_time, worker);
    worker->phase_timer = loop_timer_new(worker->loop, on_phase_time, worker);
    loop_on_signal(worker->loop, SIGTERM, on_signal, worker);
    loop_on_signal(worker->loop, SIGINT, on_signal, worker);
    log_say(&worker->log, clock_now(), LEVEL_INFO, "worker started",
            LOG_TEXT("worker", worker->options.name),
            LOG_TEXT("server", worker->options.server),
            LOG_INT("concurrency", worker->options.jobs));
    claim_kick(worker);
    loop_run(worker->loop);
    for (int i = 0; i < REPORT_KINDS; i++)
        free(worker->batches[i].sent);
    free(worker->jobs);
}

static int worker_run(const struct args *args)
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
    run_worker(&worker);
    loop_free(worker.loop);
    log_out_close(worker.log_out);
    free(worker.argv);
    free(worker.env);
    return worker.status;
}

static const struct option options[OPT_COUNT] = {
    [OPT_QUEUE] = {"queue", 'Q', "NAME", "serve this queue; may be given up to 16 times"},
    [OPT_CONCURRENCY] = {"concurrency", 'c', "N", "runs at the same time; default 1"},
    [OPT_SERVER] = {"server", 's', "URL",
                    "the server; default BELFRY_SERVER, else http://127.0.0.1:7227"},
    [OPT_NAMESPACE] = {"namespace", 'N', "NAME",
                       "default BELFRY_NAMESPACE, else the server's own"},
    [OPT_TOKEN] = {"token", '\0', "TOKEN",
                   "default BELFRY_TOKEN, else the file ~/.config/belfry/token"},
    [OPT_CACERT] = {"cacert", '\0', "FILE",
                    "trust these certificates (PEM); default BELFRY_CACERT, else the\n"
                    "system's"},
    [OPT_NAME] = {"name", '\0', "NAME", "what the server calls this worker; default HOST:PID"},
    [OPT_FIELDS] = {"fields", '\0', "NAMES",
                    "members of the run that the program reads, apart by commas; default all"},
    [OPT_ONCE] = {"once", '1', NULL, "end after one run, with its program's exit status"},
    [OPT_DRAIN] = {"drain", '\0', "SPAN",
                   "how long programs may go on after SIGTERM; default 30s"},
    [OPT_KILL_AFTER] = {"kill-after", '\0', "SPAN",
                        "from SIGTERM to SIGKILL of a program; default 10s"},
    [OPT_QUIET] = {"quiet", 'q', NULL, "tell only of what goes wrong"},
    [OPT_HELP_FLAG] = {"help", 'h', NULL, "print this"},
};

const struct command worker_command = {
    .name = "worker",
    .usage = "--queue NAME [OPTION]... -- PROGRAM [ARG]...",
    .summary = "Run a program for each run of a queue",
    .about =
        "PROGRAM is started without a shell for every run that the queue has, with the run\n"
        "as JSON on its standard input, the worker's own environment and directory, and\n"
        "BELFRY_RUN, BELFRY_SCHEDULE, BELFRY_QUEUE, BELFRY_NAMESPACE, BELFRY_ATTEMPT,\n"
        "BELFRY_FENCE, BELFRY_SCHEDULED_TIME and BELFRY_SERVER.\n"
        "\n"
        "What it writes becomes the run's log, line by line.  Exit status 0 is success; its\n"
        "standard output is the result, as JSON when it is one value of JSON, else as text.\n"
        "Any other status is a failure, and is tried again as the schedule says, but for 64\n"
        "to 68, 77 and 78 (sysexits.h: the request itself is wrong).  A run that is\n"
        "cancelled gets SIGTERM, then SIGKILL.\n"
        "\n"
        "SIGTERM: the worker claims nothing more and waits for its programs (--drain), then\n"
        "stops them and hands their runs back.  A second SIGTERM stops them at once.  A\n"
        "server that is away is waited for; one that does not let the worker in ends it, with\n"
        "status 1.\n"
        "\n"
        "Where the server has tokens, one with the role worker is needed.  Programs are not\n"
        "told BELFRY_TOKEN.\n",
    .examples = "  belfry worker --queue reports -- ./make-report\n"
                "  belfry worker -Q mail -Q sms -c 20 --server http://10.0.0.5:7227 -- "
                "/usr/bin/send --fast\n",
    .options = options,
    .option_count = OPT_COUNT,
    .takes_program = true,
    .run = worker_run,
};
