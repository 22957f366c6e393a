/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deadlines by timerfd: when they start, end and restart.
 */
#include <fcntl.h>
#include <poll.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <sys/resource.h>

#include <cmocka.h>

#include "db/deadline.h"

enum { LONG_MS = 3600000, WAIT_MS = 60000 };

static bool expires(const struct deadline *deadline, int wait_ms)
{
    struct pollfd timer = {.fd = deadline->fd, .events = POLLIN};

    return poll(&timer, 1, wait_ms) == 1;
}

static void a_deadline_is_over_when_its_time_is(void **state)
{
    struct deadline soon, late;
    struct err err;

    (void)state;
    assert_int_equal(deadline_open(1, &soon, &err), RC_OK);
    assert_int_equal(deadline_open(LONG_MS, &late, &err), RC_OK);
    assert_false(deadline_is_over(&soon)); /* not begun */
    deadline_start(&soon);
    deadline_start(&late);
    assert_true(expires(&soon, WAIT_MS));
    assert_true(deadline_is_over(&soon));
    assert_true(deadline_is_over(&soon)); /* and stays over */
    assert_false(deadline_is_over(&late));
    deadline_close(&soon);
    deadline_close(&late);
}

static void a_new_start_forgets_the_old_one(void **state)
{
    struct deadline deadline;
    struct err err;

    (void)state;
    assert_int_equal(deadline_open(1, &deadline, &err), RC_OK);
    deadline_start(&deadline);
    assert_true(expires(&deadline, WAIT_MS));
    deadline.ms = LONG_MS;
    deadline_start(&deadline);
    assert_false(deadline_is_over(&deadline));
    deadline_close(&deadline);
}

static void a_deadline_may_start_at_its_first_check(void **state)
{
    struct deadline deadline;
    struct err err;

    (void)state;
    assert_int_equal(deadline_open(1, &deadline, &err), RC_OK);
    deadline_start(&deadline);
    assert_true(expires(&deadline, WAIT_MS));
    deadline.ms = LONG_MS;
    deadline_start_at_check(&deadline);
    assert_false(deadline_is_over(&deadline)); /* the previous deadline is dropped */
    deadline.ms = 1;
    deadline_start_at_check(&deadline);
    (void)deadline_is_over(&deadline);
    assert_true(expires(&deadline, WAIT_MS));
    assert_true(deadline_is_over(&deadline));
    deadline_close(&deadline);
}

static void a_closed_deadline_may_be_closed_again(void **state)
{
    struct deadline deadline;
    struct err err;
    int fd;

    (void)state;
    assert_int_equal(deadline_open(1, &deadline, &err), RC_OK);
    fd = deadline.fd;
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    deadline_close(&deadline);
    assert_int_equal(deadline.fd, -1);
    assert_int_equal(fcntl(fd, F_GETFD), -1);
    deadline_close(&deadline);
}

static void without_descriptors_open_fails_with_a_hint(void **state)
{
    struct deadline deadline = {.fd = -7};
    struct rlimit old, none;
    struct err err;
    enum rc rc;

    (void)state;
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &old), 0);
    none = (struct rlimit){0, old.rlim_max};
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
    rc = deadline_open(1, &deadline, &err);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &old), 0);
    assert_int_equal(rc, RC_BUSY);
    assert_non_null(strstr(err.text, "ulimit -n"));
    assert_int_equal(deadline.fd, -7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_deadline_is_over_when_its_time_is),
        cmocka_unit_test(a_new_start_forgets_the_old_one),
        cmocka_unit_test(a_deadline_may_start_at_its_first_check),
        cmocka_unit_test(a_closed_deadline_may_be_closed_again),
        cmocka_unit_test(without_descriptors_open_fails_with_a_hint),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
