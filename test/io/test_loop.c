/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The event loop: wakeups, timers, signals, and its end.
 */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <pthread.h>

#include "base/aborts.h"
#include "io/clock.h"
#include "io/loop.h"
#include "io/mailbox.h"

struct fixture {
    struct loop *loop;
    struct mailbox *box;
    struct loop_timer *timer;
    int64_t until;
    int seen, wanted, signal;
};

static void take_mail(void *arg)
{
    struct fixture *fixture = arg;
    int numbers[4];
    size_t got;

    do {
        got = mailbox_take(fixture->box, numbers, 4);
        for (size_t i = 0; i < got; i++)
            assert_int_equal(numbers[i], fixture->seen++);
    } while (got > 0);
    if (fixture->seen == fixture->wanted)
        loop_stop(fixture->loop);
}

static void *send_mail(void *arg)
{
    struct fixture *fixture = arg;

    for (int i = 0; i < fixture->wanted;) {
        if (mailbox_push(fixture->box, &i))
            i++;
        else
            sched_yield();
    }
    return NULL;
}

static void a_message_of_another_thread_wakes_the_loop(void **state)
{
    struct fixture fixture = {.wanted = 50000};
    pthread_t thread;

    (void)state;
    fixture.loop = loop_new(take_mail, &fixture);
    fixture.box = mailbox_new(100, sizeof(int), loop_wake, fixture.loop);
    assert_int_equal(pthread_create(&thread, NULL, send_mail, &fixture), 0);
    loop_run(fixture.loop);
    assert_int_equal(fixture.seen, fixture.wanted);
    assert_int_equal(pthread_join(thread, NULL), 0);
    loop_free(fixture.loop);
    mailbox_free(fixture.box);
}

static void on_time(void *arg)
{
    struct fixture *fixture = arg;

    assert_true(clock_boot_us() >= fixture->until);
    if (++fixture->seen == fixture->wanted) {
        fixture->timer = loop_timer_free(fixture->timer);
        loop_stop(fixture->loop);
        return;
    }
    fixture->until = clock_boot_us() + 1 + fixture->seen * 333;
    loop_timer_set(fixture->timer, 1 + fixture->seen * 333);
}

static void a_timer_is_never_early(void **state)
{
    struct fixture fixture = {.loop = loop_new(NULL, NULL), .wanted = 12};

    (void)state;
    fixture.timer = loop_timer_new(fixture.loop, on_time, &fixture);
    loop_timer_set(fixture.timer, 60 * SPAN_S); /* replaced by the next */
    loop_timer_set(fixture.timer, -5);
    loop_run(fixture.loop);
    assert_int_equal(fixture.seen, 12);
    loop_free(fixture.loop);
}

static void on_signal(void *arg, int signal)
{
    struct fixture *fixture = arg;

    fixture->signal = signal;
    loop_stop(fixture->loop);
}

static void a_signal_comes_as_a_call_in_the_loop(void **state)
{
    struct fixture fixture = {.loop = loop_new(NULL, NULL)};

    (void)state;
    loop_on_signal(fixture.loop, SIGHUP, on_signal, &fixture);
    loop_on_signal(fixture.loop, SIGUSR1, on_signal, &fixture);
    assert_int_equal(raise(SIGUSR1), 0);
    loop_run(fixture.loop);
    assert_int_equal(fixture.signal, SIGUSR1);
    assert_int_equal(raise(SIGHUP), 0);
    loop_run(fixture.loop);
    assert_int_equal(fixture.signal, SIGHUP);
    loop_free(fixture.loop);
}

static void leave_a_timer(void *arg)
{
    struct loop *loop = loop_new(NULL, NULL);

    loop_timer_set(loop_timer_new(loop, on_time, arg), SPAN_S);
    loop_free(loop);
}

static void freeing_a_loop_in_use_aborts(void **state)
{
    struct fixture fixture = {0};

    (void)state;
    assert_true(aborts(leave_a_timer, &fixture));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_message_of_another_thread_wakes_the_loop),
        cmocka_unit_test(a_timer_is_never_early),
        cmocka_unit_test(a_signal_comes_as_a_call_in_the_loop),
        cmocka_unit_test(freeing_a_loop_in_use_aborts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
