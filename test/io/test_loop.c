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

struct desk {
    struct loop *loop;
    struct mailbox *box;
    struct loop_timer *timer;
    int64_t until;
    int seen, wanted, signal;
};

static void take_mail(void *arg)
{
    struct desk *desk = arg;
    int numbers[4];
    size_t got;

    do {
        got = mailbox_take(desk->box, numbers, 4);
        for (size_t i = 0; i < got; i++)
            assert_int_equal(numbers[i], desk->seen++);
    } while (got > 0);
    if (desk->seen == desk->wanted)
        loop_stop(desk->loop);
}

static void *send_mail(void *arg)
{
    struct desk *desk = arg;

    for (int i = 0; i < desk->wanted;) {
        if (mailbox_push(desk->box, &i))
            i++;
        else
            sched_yield();
    }
    return NULL;
}

static void mail_of_another_thread_wakes_the_loop(void **state)
{
    struct desk desk = {.wanted = 50000};
    pthread_t thread;

    (void)state;
    desk.loop = loop_new(take_mail, &desk);
    desk.box = mailbox_new(100, sizeof(int), loop_wake, desk.loop);
    assert_int_equal(pthread_create(&thread, NULL, send_mail, &desk), 0);
    loop_run(desk.loop);
    assert_int_equal(desk.seen, desk.wanted);
    assert_int_equal(pthread_join(thread, NULL), 0);
    loop_free(desk.loop);
    mailbox_free(desk.box);
}

static void on_time(void *arg)
{
    struct desk *desk = arg;

    assert_true(clock_boot_us() >= desk->until);
    if (++desk->seen == desk->wanted) {
        desk->timer = loop_timer_free(desk->timer);
        loop_stop(desk->loop);
        return;
    }
    desk->until = clock_boot_us() + 1 + desk->seen * 333;
    loop_timer_set(desk->timer, 1 + desk->seen * 333);
}

static void a_timer_is_never_early(void **state)
{
    struct desk desk = {.loop = loop_new(NULL, NULL), .wanted = 12};

    (void)state;
    desk.timer = loop_timer_new(desk.loop, on_time, &desk);
    loop_timer_set(desk.timer, 60 * SPAN_S); /* replaced by the next */
    loop_timer_set(desk.timer, -5);
    loop_run(desk.loop);
    assert_int_equal(desk.seen, 12);
    loop_free(desk.loop);
}

static void on_signal(void *arg, int signal)
{
    struct desk *desk = arg;

    desk->signal = signal;
    loop_stop(desk->loop);
}

static void a_signal_comes_as_a_call_in_the_loop(void **state)
{
    struct desk desk = {.loop = loop_new(NULL, NULL)};

    (void)state;
    loop_on_signal(desk.loop, SIGHUP, on_signal, &desk);
    loop_on_signal(desk.loop, SIGUSR1, on_signal, &desk);
    assert_int_equal(raise(SIGUSR1), 0);
    loop_run(desk.loop);
    assert_int_equal(desk.signal, SIGUSR1);
    assert_int_equal(raise(SIGHUP), 0);
    loop_run(desk.loop);
    assert_int_equal(desk.signal, SIGHUP);
    loop_free(desk.loop);
}

static void leave_a_timer(void *arg)
{
    struct loop *loop = loop_new(NULL, NULL);

    loop_timer_set(loop_timer_new(loop, on_time, arg), SPAN_S);
    loop_free(loop);
}

static void a_loop_with_something_on_it_is_not_freed(void **state)
{
    struct desk desk = {0};

    (void)state;
    assert_true(aborts(leave_a_timer, &desk));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mail_of_another_thread_wakes_the_loop),
        cmocka_unit_test(a_timer_is_never_early),
        cmocka_unit_test(a_signal_comes_as_a_call_in_the_loop),
        cmocka_unit_test(a_loop_with_something_on_it_is_not_freed),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
