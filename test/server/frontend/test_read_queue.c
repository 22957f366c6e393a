/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads in the queue and on real reader threads: which reader has them, in which order, and how
 * long ones end.  test/e2e tests what clients see.
 */
#include "server/frontend/read_queue.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

#include "db/db.h"

enum {
    MAILBOX_SIZE = 64,
    QUICK = 2,
    MUCH = 1 << 20,     /* steps: more than a quick reader takes, less than the slow one */
    TOO_MUCH = 1 << 30, /* more than the slow one takes */
    HELD_MAX = 100,     /* more than readers hold at once */
};

struct fixture {
    char dir[64], path[96], env[128];
    struct config *config;
    struct log log;
    struct mailbox *to_io;
    struct reader *readers[QUICK + 1];
    struct read_queue *queue;
};

static atomic_bool is_released; /* see wait_and_answer() */
static atomic_int waiting;      /* reads that wait for it */

static const struct tz *no_zone(void *user, struct str name, struct err *reterr)
{
    (void)user;
    (void)name;
    (void)reterr;
    return NULL;
}

static bool take_line(void *arg, struct str line)
{
    (void)arg;
    (void)line;
    return true;
}

static int set_up(void **state)
{
    struct fixture *f = calloc(1, sizeof *f);
    const char *env[] = {NULL, NULL};
    struct err err = {.text = ""};
    struct db *db = NULL;

    assert_non_null(f);
    snprintf(f->dir, sizeof f->dir, "/tmp/belfry-reads-XXXXXX");
    assert_non_null(mkdtemp(f->dir));
    snprintf(f->path, sizeof f->path, "%s/test.db", f->dir);
    snprintf(f->env, sizeof f->env, "BELFRY_DB=sqlite:%s", f->path);
    env[0] = f->env;
    if (config_read(&(struct config_sources){.env = env}, &f->config, &err) != RC_OK ||
        db_open(f->config->db.ptr, NULL, &db, &err) != RC_OK)
        fail_msg("%s", err.text);
    db_close(db);
    log_open(&f->log, (struct log_sink){.take = take_line}, LEVEL_INFO, LOG_LOGFMT);
    f->to_io = mailbox_new(MAILBOX_SIZE, sizeof(struct io_msg), NULL, NULL);
    for (int i = 0; i <= QUICK; i++)
        f->readers[i] = reader_start(&(struct reader_options){
            .config = f->config,
            .log = &f->log,
            .to_io = f->to_io,
            .is_slow = i == QUICK,
            .context = {.zones = {.find = no_zone}},
        });
    f->queue = read_queue_new(f->readers, QUICK, f->readers[QUICK]);
    atomic_store(&is_released, false);
    atomic_store(&waiting, 0);
    *state = f;
    return 0;
}

static int tear_down(void **state)
{
    static const char *const ends[] = {"", "-wal", "-shm", ".lock"};
    struct fixture *f = *state;
    char path[128];

    for (int i = 0; i <= QUICK; i++)
        reader_stop(f->readers[i]);
    read_queue_free(f->queue);
    mailbox_free(f->to_io);
    config_free(f->config);
    for (size_t i = 0; i < sizeof ends / sizeof ends[0]; i++) {
        snprintf(path, sizeof path, "%s%s", f->path, ends[i]);
        unlink(path);
    }
    rmdir(f->dir);
    free(f);
    return 0;
}

/* ---- operations ---- */

static enum call_step work_and_answer(struct call *call, struct db *db)
{
    const int64_t *steps = call->arg;

    (void)db;
    budget_spend(call->budget, *steps);
    return call_answer(call, 200, STR("{}"));
}

/* On the slow reader: waits for the test. */
static enum call_step wait_and_answer(struct call *call, struct db *db)
{
    (void)db;
    if (!budget_spend(call->budget, MUCH))
        return CALL_ANSWER;
    atomic_fetch_add(&waiting, 1);
    while (!atomic_load(&is_released))
        continue;
    return call_answer(call, 200, STR("{}"));
}

/* Works until somebody stops it. */
static enum call_step work_for_ever(struct call *call, struct db *db)
{
    (void)db;
    if (!budget_spend(call->budget, MUCH))
        return CALL_ANSWER;
    atomic_fetch_add(&waiting, 1);
    call->budget->left = INT64_MAX;
    while (budget_spend(call->budget, 1))
        continue;
    return call_answer(call, 200, STR("{}"));
}

/* On any reader: waits for the test. */
static enum call_step hold_and_answer(struct call *call, struct db *db)
{
    (void)db;
    while (!atomic_load(&is_released))
        continue;
    return call_answer(call, 200, STR("{}"));
}

static const struct operation holds = {.id = "test.hold", .read = hold_and_answer};
static const struct operation works = {.id = "test.budget", .read = work_and_answer};
static const struct operation waits = {.id = "test.wait", .read = wait_and_answer};
static const struct operation loops = {.id = "test.loop", .read = work_for_ever};

static struct ticket *send(struct fixture *f, const struct operation *operation,
                           int64_t namespace, int64_t steps)
{
    struct ticket *t = calloc(1, sizeof *t);
    int64_t *arg;

    assert_non_null(t);
    t->call.arena = arena_new(1 << 20);
    arg = arena_take(t->call.arena, sizeof *arg);
    *arg = steps;
    t->call.arg = arg;
    t->call.operation = operation;
    t->call.namespace = namespace;
    t->step = t->sent_for = CALL_READ;
    read_queue_add(f->queue, t);
    return t;
}

/* The next read that is complete. */
static struct ticket *receive(struct fixture *f)
{
    struct io_msg msg;

    for (;;) {
        mailbox_wait(f->to_io, INSTANT_NEVER);
        if (mailbox_take(f->to_io, &msg, 1) == 0)
            continue;
        assert_int_equal(msg.kind, IO_MSG_TICKET);
        if (read_queue_returned(f->queue, msg.ticket))
            return msg.ticket;
    }
}

static void drop(struct ticket *t)
{
    arena_free(t->call.arena);
    free(t);
}

static void assert_answer(struct fixture *f, struct ticket *expected, int status, bool is_slow)
{
    struct ticket *t = receive(f);

    assert_ptr_equal(t, expected);
    assert_int_equal(t->step, CALL_ANSWER);
    assert_int_equal(t->call.status, status);
    assert_int_equal(t->is_slow, is_slow);
    drop(t);
}

/* ---- tests ---- */

static void only_long_reads_go_to_the_slow_reader(void **state)
{
    struct fixture *f = *state;

    assert_answer(f, send(f, &works, 1, 1), 200, false);
    assert_answer(f, send(f, &works, 1, MUCH), 200, true);
    assert_answer(f, send(f, &works, 2, 1), 200, false);
    assert_answer(f, send(f, &works, 1, 1), 200, true); /* it was slow just now */
}

static void a_read_that_takes_too_long_is_refused(void **state)
{
    struct fixture *f = *state;
    struct ticket *t = send(f, &works, 1, TOO_MUCH);

    assert_answer(f, t, 422, true);
}

/* /readyz reports it: see frontend_state.c.  Slow reads may wait as long as they like. */
static void a_quick_read_that_waits_for_more_than_a_second_is_late(void **state)
{
    struct fixture *f = *state;
    struct ticket *held[HELD_MAX], *slow;
    int count = 0;

    do {
        assert_int_not_equal(count, HELD_MAX);
        held[count] = send(f, &holds, 1, 0);
    } while (held[count++]->turn.state != FAIR_WAITING);
    assert_false(
        read_queue_is_late(held[0], held[0]->queued_us + SPAN_H)); /* a reader has it */
    assert_false(read_queue_is_late(held[count - 1], held[count - 1]->queued_us + SPAN_S));
    assert_true(read_queue_is_late(held[count - 1], held[count - 1]->queued_us + SPAN_S + 1));
    slow = held[count - 1];
    slow->is_slow = true;
    assert_false(read_queue_is_late(slow, slow->queued_us + SPAN_H));
    slow->is_slow = false;
    atomic_store(&is_released, true);
    for (int i = 0; i < count; i++)
        drop(receive(f));
}

/* Hands over tickets until `is_done`; no read completes. */
static void pass_on(struct fixture *f, bool (*is_done)(const struct ticket *t),
                    const struct ticket *t)
{
    struct io_msg msg;

    while (!is_done(t))
        if (mailbox_take(f->to_io, &msg, 1) > 0)
            assert_false(read_queue_returned(f->queue, msg.ticket));
}

static bool is_on_the_slow_reader(const struct ticket *t)
{
    (void)t;
    return atomic_load(&waiting) > 0;
}

static bool waits_for_the_slow_reader(const struct ticket *t)
{
    return t->is_slow && t->turn.state == FAIR_WAITING;
}

static void slow_reads_of_one_namespace_delay_no_other(void **state)
{
    struct fixture *f = *state;
    struct ticket *of_1[3], *of_2;

    of_1[0] = send(f, &waits, 1, 0);
    pass_on(f, is_on_the_slow_reader, of_1[0]);
    of_1[1] = send(f, &waits, 1, 0);
    of_1[2] = send(f, &waits, 1, 0);
    for (int i = 0; i < 20; i++)
        assert_answer(f, send(f, &works, 2, 1), 200, false);
    of_2 = send(f, &waits, 2, 0);
    pass_on(f, waits_for_the_slow_reader, of_2);
    atomic_store(&is_released, true);
    assert_answer(f, of_1[0], 200, true);
    assert_answer(f, of_2, 200, true);
    assert_answer(f, of_1[1], 200, true);
    assert_answer(f, of_1[2], 200, true);
}

static void an_abandoned_read_ends(void **state)
{
    struct fixture *f = *state;
    struct ticket *t = send(f, &loops, 1, 0), *got;

    pass_on(f, is_on_the_slow_reader, t);
    atomic_store(&t->is_abandoned, true);
    got = receive(f);
    assert_ptr_equal(got, t);
    assert_true(t->budget.is_over);
    drop(t);
}

/* ---- begin() and settled() of large requests ---- */

static atomic_int computed;    /* calls of compute_and_answer() */
static _Atomic pid_t computer; /* the thread of the last one    */

static enum call_step compute_and_answer(struct call *call)
{
    atomic_store(&computer, gettid());
    atomic_fetch_add(&computed, 1);
    return call_answer(call, 200, STR("{}"));
}

static const struct operation computes = {
    .id = "test.compute", .begin = compute_and_answer, .settled = compute_and_answer};

static struct ticket *send_for(struct fixture *f, enum call_step step, bool is_abandoned)
{
    struct ticket *t = calloc(1, sizeof *t);

    assert_non_null(t);
    t->call.arena = arena_new(1 << 20);
    t->call.operation = &computes;
    t->call.namespace = 1;
    t->step = t->sent_for = step;
    t->is_slow = true;
    atomic_store(&t->is_abandoned, is_abandoned);
    read_queue_add(f->queue, t);
    return t;
}

static void a_reader_begins_and_settles_large_requests(void **state)
{
    struct fixture *f = *state;

    atomic_store(&computed, 0);
    assert_answer(f, send_for(f, CALL_BEGIN, false), 200, true);
    assert_int_not_equal(atomic_load(&computer), gettid());
    assert_answer(f, send_for(f, CALL_SETTLE, false), 200, true);
    assert_int_equal(atomic_load(&computed), 2);
}

/* The server has already answered that nothing happened. */
static void a_reader_does_not_begin_an_abandoned_request(void **state)
{
    struct fixture *f = *state;
    struct ticket *t = send_for(f, CALL_BEGIN, true), *got;

    atomic_store(&computed, 0);
    got = receive(f);
    assert_ptr_equal(got, t);
    assert_int_equal(atomic_load(&computed), 0);
    drop(t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(only_long_reads_go_to_the_slow_reader, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_read_that_takes_too_long_is_refused, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_quick_read_that_waits_for_more_than_a_second_is_late,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(slow_reads_of_one_namespace_delay_no_other, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(an_abandoned_read_ends, set_up, tear_down),
        cmocka_unit_test_setup_teardown(a_reader_begins_and_settles_large_requests, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(a_reader_does_not_begin_an_abandoned_request, set_up,
                                        tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
