/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs one world: starts and kills servers, lets all runs end, and judges.
 */
#include "world.h"

#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../db/empty.h"
#include "actor.h"
#include "base/must.h"
#include "db/db.h"
#include "io/clock.h"
#include "io/file.h"
#include "journal.h"
#include "request.h"
#include "server_process.h"

enum {
    OPERATORS = 2,
    WORKERS = 3,
    READY_MS = 60000,  /* a slow machine may take this long to start one */
    POINT_MS = 2000,   /* if it has not reached the point by then, it is killed anyway */
    PASSAGES_MAX = 40, /* maximum passages of a point until it dies */
    UPTIME_MS = 600,   /* until it is killed at a random instant, at most */
    SLOW_MS_MIN = 200, /* likewise in a world of slow calls */
    SLOW_MS_MAX = 5000,
    START_MS = 60,     /* until it is killed while it starts, at most */
    REST_MS = 120000,  /* for operators to remove the slots of all schedules */
    QUIET_MS = 120000, /* until nothing is open */
    DRAIN_MS = 60000,
    NAP_MS = 20,
    JOURNAL_MAX = 256 << 20,
    URL_BYTES = 256,
};

struct world {
    const struct world_options *options;
    struct world_counts *counts;
    char dir[64], url[URL_BYTES], path[128];
    int journal;
    struct prng prng;
    struct server_process servers[ACTOR_NODES_MAX];
    pid_t receiver, workers[WORKERS], operators[OPERATORS];
};

static const struct db_stmt open_runs = {"SELECT count(*) FROM runs", NULL};

/* ---- the actors ---- */

static uint16_t start_receiver(struct world *w, struct actor actor)
{
    uint16_t port = 0;
    int ends[2];

    must(pipe(ends) == 0);
    actor.port_fd = ends[1];
    w->receiver = actor_start(&actor, receiver_act);
    close(ends[1]);
    must(read(ends[0], &port, sizeof port) == sizeof port);
    close(ends[0]);
    return port;
}

static struct actor actor_of(struct world *w)
{
    struct actor actor = {.journal = w->journal,
                          .node_count = w->options->nodes,
                          .seed = prng_next(&w->prng),
                          .is_slow = w->options->is_slow};

    for (int i = 0; i < w->options->nodes; i++)
        actor.nodes[i] = w->servers[i].port;
    return actor;
}

static void start_worker(struct world *w, int i)
{
    struct actor actor = actor_of(w);

    actor.number = i;
    w->workers[i] = actor_start(&actor, worker_act);
}

static void start_actors(struct world *w)
{
    struct actor actor = actor_of(w);

    actor.receiver = start_receiver(w, actor);
    for (int i = 0; i < WORKERS; i++)
        start_worker(w, i);
    for (int i = 0; i < OPERATORS; i++) {
        actor.seed = prng_next(&w->prng);
        actor.number = i + 1;
        w->operators[i] = actor_start(&actor, operator_act);
    }
}

static void stop(pid_t *pid)
{
    int status;

    if (*pid == 0)
        return;
    (void)kill(*pid, SIGKILL);
    must(waitpid(*pid, &status, 0) == *pid);
    *pid = 0;
}

static void stop_actors(struct world *w)
{
    for (int i = 0; i < OPERATORS; i++)
        stop(&w->operators[i]);
    for (int i = 0; i < WORKERS; i++)
        stop(&w->workers[i]);
    stop(&w->receiver);
}

/* ---- kills ---- */

static bool chance(struct world *w, uint64_t of)
{
    return prng_below(&w->prng, of) == 0;
}

static void fault(const struct world *w, const char *what)
{
    journal_write(w->journal, "fault\t%" PRId64 "\t%s", clock_now(), what);
}

static void die_at_start(struct world *w, struct server_process *server)
{
    server_process_start(server, NULL);
    request_nap((int)prng_below(&w->prng, START_MS));
    server_process_kill(server);
    w->counts->at_start++;
    fault(w, "start");
}

/* The server crashed, or ended with a wrong status. */
static enum rc ended_itself(const struct world *w, const struct server_process *server,
                            int status, struct err *reterr)
{
    return err_set(reterr, RC_LOST, -1, 0,
                   "a server ended by itself, by %s %d; see %s/victim-%d.log",
                   WIFSIGNALED(status) ? "signal" : "status",
                   WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), w->dir,
                   (int)server->port);
}

static bool was_killed(int status)
{
    return WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL;
}

static bool has_ended_well(int status)
{
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static enum rc die_at_point(struct world *w, struct server_process *server, struct err *reterr)
{
    int point = (int)prng_below(&w->prng, VICTIM_POINTS), status = 0;
    char kill_point[64];

    snprintf(kill_point, sizeof kill_point, "%s:%d", victim_points[point],
             (int)prng_between(&w->prng, 1, PASSAGES_MAX));
    server_process_start(server, kill_point);
    if (server_process_await_end(server, POINT_MS, &status)) {
        w->counts->at_point[point]++;
        fault(w, kill_point);
        return was_killed(status) ? RC_OK : ended_itself(w, server, status, reterr);
    }
    server_process_kill(server);
    w->counts->at_random++;
    fault(w, "random, after waiting for a point");
    return RC_OK;
}

static enum rc start_ready(struct world *w, struct server_process *server, struct err *reterr)
{
    if (server->pid == 0)
        server_process_start(server, NULL);
    if (server_process_await_ready(server, READY_MS))
        return RC_OK;
    return err_set(reterr, RC_LOST, -1, 0, "a server does not start; see %s/victim-%d.log",
                   w->dir, (int)server->port);
}

static int uptime_ms(struct world *w)
{
    return w->options->is_slow ? (int)prng_between(&w->prng, SLOW_MS_MIN, SLOW_MS_MAX)
                               : (int)prng_below(&w->prng, UPTIME_MS);
}

static enum rc die_at_random(struct world *w, struct server_process *server, struct err *reterr)
{
    enum rc rc = start_ready(w, server, reterr);

    if (rc != RC_OK)
        return rc;
    request_nap(uptime_ms(w));
    server_process_kill(server);
    w->counts->at_random++;
    fault(w, "random");
    return RC_OK;
}

/* Sends SIGTERM, and SIGKILL after a random time, unless it has ended. */
static enum rc die_at_end(struct world *w, struct server_process *server, struct err *reterr)
{
    int status = 0;
    enum rc rc = start_ready(w, server, reterr);

    if (rc != RC_OK)
        return rc;
    request_nap((int)prng_below(&w->prng, UPTIME_MS));
    must(kill(server->pid, SIGTERM) == 0);
    w->counts->at_end++;
    fault(w, "end");
    if (server_process_await_end(server, (int)prng_below(&w->prng, UPTIME_MS), &status))
        return has_ended_well(status) ? RC_OK : ended_itself(w, server, status, reterr);
    server_process_kill(server);
    return RC_OK;
}

/* Kills a worker, which loses its runs, and starts another one. */
static void replace_worker(struct world *w)
{
    int i = (int)prng_below(&w->prng, WORKERS);

    stop(&w->workers[i]);
    w->counts->workers++;
    start_worker(w, i);
}

/* Starts and kills one server; the other one, if any, continues. */
static enum rc cycle(struct world *w, struct err *reterr)
{
    struct server_process *server =
        &w->servers[prng_below(&w->prng, (uint64_t)w->options->nodes)];
    struct server_process *other = w->options->nodes > 1 ? &w->servers[server == w->servers]
                                                         : NULL;
    enum rc rc = RC_OK;

    w->counts->cycles++;
    if (other && other->pid == 0)
        server_process_start(other, NULL);
    server_process_kill(server);
    if (w->options->is_slow)
        return die_at_random(w, server, reterr);
    if (chance(w, 5))
        replace_worker(w);
    if (chance(w, 10))
        die_at_start(w, server);
    else if (chance(w, 10))
        rc = die_at_end(w, server, reterr);
    else if (chance(w, 2))
        rc = die_at_point(w, server, reterr);
    else
        rc = die_at_random(w, server, reterr);
    return rc;
}

/* ---- the end ---- */

static enum rc await_rest(struct world *w, struct err *reterr)
{
    int64_t until = clock_boot_us() + (int64_t)REST_MS * 1000;

    for (int i = 0; i < OPERATORS; i++)
        must(kill(w->operators[i], SIGTERM) == 0);
    for (int i = 0; i < OPERATORS; i++) {
        int status = 0;

        while (waitpid(w->operators[i], &status, WNOHANG) == 0) {
            if (clock_boot_us() > until)
                return err_set(reterr, RC_BUSY, -1, 0, "an operator does not end");
            request_nap(NAP_MS);
        }
        w->operators[i] = 0;
        if (!WIFEXITED(status) || WEXITSTATUS(status) != 0)
            return err_set(reterr, RC_LOST, -1, 0, "an operator failed");
    }
    return RC_OK;
}

static enum rc count_open(struct world *w, int64_t *ret, struct err *reterr)
{
    struct arena *arena = arena_new(1 << 20);
    struct db_result found = {0};
    struct db *db = NULL;
    enum rc rc = db_open(w->url, &(struct db_options){.readonly = true}, &db, reterr);

    if (rc == RC_OK) {
        db_send(db, &open_runs, NULL, &found);
        rc = db_flush(db, arena, reterr);
    }
    if (rc == RC_OK)
        *ret = db_int_at(&found, 0, 0);
    db_close(db);
    arena_free(arena);
    return rc;
}

static enum rc await_quiet(struct world *w, struct err *reterr)
{
    int64_t until = clock_boot_us() + (int64_t)QUIET_MS * 1000, open = 1;

    while (open > 0) {
        enum rc rc = count_open(w, &open, reterr);

        if (rc != RC_OK)
            return rc;
        if (clock_boot_us() > until)
            return err_set(reterr, RC_BUSY, -1, 0, "invariant 25: %d runs do not end",
                           (int)open);
        request_nap(NAP_MS);
    }
    return RC_OK;
}

static enum rc stop_servers(struct world *w, struct err *reterr)
{
    for (int i = 0; i < w->options->nodes; i++) {
        int status = 0;

        must(kill(w->servers[i].pid, SIGTERM) == 0);
        if (!server_process_await_end(&w->servers[i], DRAIN_MS, &status))
            return err_set(reterr, RC_BUSY, -1, 0, "a server does not end after SIGTERM");
        if (!has_ended_well(status))
            return ended_itself(w, &w->servers[i], status, reterr);
    }
    return RC_OK;
}

static enum rc heal(struct world *w, struct err *reterr)
{
    enum rc rc = RC_OK;

    fault(w, "healed");
    for (int i = 0; i < w->options->nodes && rc == RC_OK; i++)
        rc = start_ready(w, &w->servers[i], reterr);
    if (rc == RC_OK)
        rc = await_rest(w, reterr);
    if (rc == RC_OK)
        rc = await_quiet(w, reterr);
    return rc == RC_OK ? stop_servers(w, reterr) : rc;
}

/* ---- the world ---- */

static enum rc begin_world(struct world *w, struct err *reterr)
{
    const struct world_options *options = w->options;
    struct prng ports;

    must(options->nodes >= 1 && options->nodes <= ACTOR_NODES_MAX && mkdtemp(w->dir));
    if (options->postgres_url)
        snprintf(w->url, sizeof w->url, "%s", options->postgres_url);
    else
        snprintf(w->url, sizeof w->url, "sqlite:%s/belfry.db", w->dir);
    snprintf(w->path, sizeof w->path, "%s/journal", w->dir);
    w->journal = journal_open(w->path);
    /* other processes may have this seed too */
    prng_seed(&ports, options->seed ^ (uint64_t)getpid());
    for (int i = 0; i < options->nodes; i++) {
        w->servers[i] = (struct server_process){
            .program = options->program, .dir = w->dir, .url = w->url};
        server_process_take_port(&w->servers[i], &ports);
    }
    return options->postgres_url ? empty_database(options->postgres_url, reterr) : RC_OK;
}

static enum rc judge_world(struct world *w, struct err *reterr)
{
    struct verdict_counts found = {0}, *all = &w->counts->judged;
    char *room = malloc(JOURNAL_MAX);
    ssize_t length = room ? file_read_at(AT_FDCWD, w->path, room, JOURNAL_MAX) : -1;
    enum rc rc;

    must(length >= 0 && length < JOURNAL_MAX);
    rc = verdict(w->url, (struct str){room, (size_t)length}, &found, reterr);
    all->schedules += found.schedules;
    all->ops += found.ops;
    all->infos += found.infos;
    all->runs += found.runs;
    all->attempts += found.attempts;
    all->deliveries += found.deliveries;
    all->reports += found.reports;
    all->skipped += found.skipped;
    free(room);
    return rc;
}

enum rc world_judge(const char *dir, struct world_counts *counts, struct err *reterr)
{
    struct world w = {.counts = counts};

    snprintf(w.url, sizeof w.url, "sqlite:%s/belfry.db", dir);
    snprintf(w.path, sizeof w.path, "%s/journal", dir);
    return judge_world(&w, reterr);
}

static void clean_up(struct world *w, bool keeps)
{
    static const char *const names[] = {"journal",       "belfry.db",      "belfry.db-wal",
                                        "belfry.db-shm", "belfry.db.lock", "belfry.db.ballast"};
    char path[160];

    close(w->journal);
    for (size_t i = 0; !keeps && i < sizeof names / sizeof names[0]; i++) {
        snprintf(path, sizeof path, "%s/%s", w->dir, names[i]);
        unlink(path);
    }
    for (int i = 0; !keeps && i < w->options->nodes; i++) {
        snprintf(path, sizeof path, "%s/victim-%d.log", w->dir, (int)w->servers[i].port);
        unlink(path);
    }
    if (!keeps && rmdir(w->dir) != 0)
        fprintf(stderr, "%s is not empty\n", w->dir);
}

enum rc world_run(const struct world_options *options, struct world_counts *counts,
                  struct err *reterr)
{
    struct world w = {
        .options = options, .counts = counts, .dir = "/tmp/belfry-torture-XXXXXX"};
    enum rc rc = begin_world(&w, reterr);

    prng_seed(&w.prng, options->seed);
    if (rc == RC_OK)
        start_actors(&w);
    for (int i = 0; i < options->cycles && rc == RC_OK; i++)
        rc = cycle(&w, reterr);
    if (rc == RC_OK)
        rc = heal(&w, reterr);
    for (int i = 0; i < options->nodes; i++) {
        server_process_kill(&w.servers[i]);
        server_process_release_port(&w.servers[i]);
    }
    stop_actors(&w);
    if (rc == RC_OK)
        rc = judge_world(&w, reterr);
    if (rc != RC_OK || options->keeps_dir)
        fprintf(stderr, "the world is in %s\n", w.dir);
    clean_up(&w, rc != RC_OK || options->keeps_dir);
    return rc;
}
