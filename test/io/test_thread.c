/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The kernel's attributes of a thread.  Before Linux 6.12 it does not report slices: then they
 * are 0 for all.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <pthread.h>
#include <sched.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "io/thread.h"

struct thread_attributes {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t slice, deadline, period;
    char name[16];
};

static struct thread_attributes look(void)
{
    struct thread_attributes ret = {0};

    assert_int_equal(
        syscall(SYS_sched_getattr, 0, &ret, offsetof(struct thread_attributes, name), 0), 0);
    assert_int_equal(pthread_getname_np(pthread_self(), ret.name, sizeof ret.name), 0);
    return ret;
}

static void *run_child(void *arg)
{
    *(struct thread_attributes *)arg = look();
    return NULL;
}

struct observation {
    struct thread_attributes before, after, child;
};

static void *run_prompt(void *arg)
{
    struct observation *seen = arg;
    pthread_t child;

    /* A higher nice value, up to 19: lowering it requires CAP_SYS_NICE. */
    assert_int_equal(setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 1), 0);
    seen->before = look();
    thread_set_name("prompt");
    thread_wake_promptly();
    seen->after = look();
    assert_int_equal(pthread_create(&child, NULL, run_child, &seen->child), 0);
    assert_int_equal(pthread_join(child, NULL), 0);
    return NULL;
}

static struct observation run_thread(void)
{
    struct observation seen;
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, run_prompt, &seen), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    return seen;
}

static void a_thread_has_the_name_that_it_gave_itself(void **state)
{
    struct observation seen = run_thread();

    (void)state;
    assert_string_equal(seen.after.name, "prompt");
    assert_string_not_equal(seen.before.name, "prompt");
}

static void a_prompt_thread_differs_only_by_shorter_slices(void **state)
{
    struct observation seen = run_thread();

    (void)state;
    if (seen.before.slice > 0)
        assert_true(seen.after.slice < seen.before.slice);
    assert_int_equal(seen.after.policy, SCHED_OTHER);
    assert_int_equal(seen.after.nice, seen.before.nice);
}

static void a_thread_of_a_prompt_thread_has_normal_slices(void **state)
{
    struct observation seen = run_thread();

    (void)state;
    assert_int_equal(seen.child.slice, seen.before.slice);
    assert_int_equal(seen.child.policy, SCHED_OTHER);
}

static void *run_in_background(void *arg)
{
    struct observation *seen = arg;

    seen->before = look();
    thread_yield_to_others();
    seen->after = look();
    return NULL;
}

static void a_background_thread_gets_a_smaller_share(void **state)
{
    struct observation seen;
    struct thread_attributes here = look();
    pthread_t thread;

    (void)state;
    assert_int_equal(pthread_create(&thread, NULL, run_in_background, &seen), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(seen.after.nice > seen.before.nice || seen.before.nice == 19);
    assert_int_equal(look().nice, here.nice); /* the others keep theirs */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_has_the_name_that_it_gave_itself),
        cmocka_unit_test(a_prompt_thread_differs_only_by_shorter_slices),
        cmocka_unit_test(a_thread_of_a_prompt_thread_has_normal_slices),
        cmocka_unit_test(a_background_thread_gets_a_smaller_share),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
