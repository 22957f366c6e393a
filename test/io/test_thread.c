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

struct seen {
    uint32_t size, policy;
    uint64_t flags;
    int32_t nice;
    uint32_t priority;
    uint64_t slice, deadline, period;
    char name[16];
};

static struct seen look(void)
{
    struct seen seen = {0};

    assert_int_equal(syscall(SYS_sched_getattr, 0, &seen, offsetof(struct seen, name), 0), 0);
    assert_int_equal(pthread_getname_np(pthread_self(), seen.name, sizeof seen.name), 0);
    return seen;
}

static void *run_child(void *arg)
{
    *(struct seen *)arg = look();
    return NULL;
}

struct tale {
    struct seen before, after, child;
};

static void *run_prompt(void *arg)
{
    struct tale *tale = arg;
    pthread_t child;

    /* A higher nice value, up to 19: lowering it requires a right. */
    assert_int_equal(setpriority(PRIO_PROCESS, 0, getpriority(PRIO_PROCESS, 0) + 1), 0);
    tale->before = look();
    thread_set_name("prompt");
    thread_wake_promptly();
    tale->after = look();
    assert_int_equal(pthread_create(&child, NULL, run_child, &tale->child), 0);
    assert_int_equal(pthread_join(child, NULL), 0);
    return NULL;
}

static struct tale run_thread(void)
{
    struct tale tale;
    pthread_t thread;

    assert_int_equal(pthread_create(&thread, NULL, run_prompt, &tale), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    return tale;
}

static void a_thread_has_the_name_that_it_gave_itself(void **state)
{
    struct tale tale = run_thread();

    (void)state;
    assert_string_equal(tale.after.name, "prompt");
    assert_string_not_equal(tale.before.name, "prompt");
}

static void a_prompt_thread_has_shorter_slices_and_else_what_it_had(void **state)
{
    struct tale tale = run_thread();

    (void)state;
    if (tale.before.slice > 0)
        assert_true(tale.after.slice < tale.before.slice);
    assert_int_equal(tale.after.policy, SCHED_OTHER);
    assert_int_equal(tale.after.nice, tale.before.nice);
}

static void what_a_prompt_thread_starts_is_as_all_others(void **state)
{
    struct tale tale = run_thread();

    (void)state;
    assert_int_equal(tale.child.slice, tale.before.slice);
    assert_int_equal(tale.child.policy, SCHED_OTHER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_thread_has_the_name_that_it_gave_itself),
        cmocka_unit_test(a_prompt_thread_has_shorter_slices_and_else_what_it_had),
        cmocka_unit_test(what_a_prompt_thread_starts_is_as_all_others),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
