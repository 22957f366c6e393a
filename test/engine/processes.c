/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Forks the two processes, keeps them in step, and collects their calls: see processes.h.
 */
#include "processes.h"

#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

enum { TURNS = 4 }; /* of a node per step */

struct gathered gathered;

static void keep_in_step(int peer)
{
    char byte = 0;

    if (write(peer, &byte, 1) != 1 || read(peer, &byte, 1) != 1)
        fail_test("the other process is gone");
}

static void send_calls(int out)
{
    for (int i = 0; i < world.call_count; i++) {
        const struct call *call = &world.calls[i];
        struct handed handed = {call->work.run.schedule,
                                call->work.run.fence,
                                call->work.run.attempt,
                                call->work.run.slot,
                                call->at,
                                call->is_open ? INSTANT_NEVER : call->ends_at};

        if (write(out, &handed, sizeof handed) != (ssize_t)sizeof handed)
            fail_test("the parent is gone");
    }
}

/* Both nodes have ready runs; workers poll both at the same time. */
static void poll_at_both(const char *worker, int max, int peer)
{
    turn(&world.nodes[0]);
    (void)queue_of("q");
    keep_in_step(peer);
    poll_for("q", max, worker);
}

static _Noreturn void run_node(const char *name, const struct processes *processes, int peer,
                               int out)
{
    world_fork(name);
    world.rows = TURN_ROWS_MIN; /* so that there is work for both */
    if (processes->before)
        processes->before();
    for (int step = 0; step < processes->steps; step++) {
        world.now += STEP;
        keep_in_step(peer);
        if (processes->polls > 0 && step % 6 == 5)
            poll_at_both(name, processes->polls, peer);
        for (int i = 0; i < TURNS; i++)
            turn(&world.nodes[0]);
        if (!processes->polls_wait)
            poll_none();
    }
    send_calls(out);
    _exit(0);
}

static void collect(int from, int *ret_count)
{
    struct handed *next = &gathered.list[gathered.count];
    int before = gathered.count;

    while (read(from, next, sizeof *next) == (ssize_t)sizeof *next) {
        gathered.count++;
        next++;
        assert_true(gathered.count < CALLS_MAX);
    }
    *ret_count = gathered.count - before;
}

void processes_run(const struct processes *processes)
{
    int peers[2], pipes[2][2], status;
    pid_t pids[2];

    gathered.count = 0;
    node_kill(&world.nodes[0]);
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, peers), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(pipe(pipes[i]), 0);
        pids[i] = fork();
        assert_true(pids[i] >= 0);
        if (pids[i] == 0) {
            close(peers[1 - i]);
            run_node(i == 0 ? "left" : "right", processes, peers[i], pipes[i][1]);
        }
        close(pipes[i][1]);
    }
    close(peers[0]);
    close(peers[1]);
    for (int i = 0; i < 2; i++) {
        collect(pipes[i][0], &gathered.per_process[i]);
        close(pipes[i][0]);
    }
    for (int i = 0; i < 2; i++) {
        assert_int_equal(waitpid(pids[i], &status, 0), pids[i]);
        assert_int_equal(status, 0);
    }
    world.now += processes->steps * STEP;
    node_boot(&world.nodes[0]);
}

/* How many calls are open at the end of a step; one that ends within it makes room. */
static int open_after(instant t)
{
    int count = 0;

    for (int i = 0; i < gathered.count; i++)
        count += gathered.list[i].at <= t && gathered.list[i].ended_at > t;
    return count;
}

int most_open(int steps)
{
    int most = 0;

    for (int step = 1; step <= steps; step++) {
        int open = open_after(world.base + step * STEP);

        most = open > most ? open : most;
    }
    return most;
}
