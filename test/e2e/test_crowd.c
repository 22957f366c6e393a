/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of many clients at once, clients that disconnect, and requests for missing objects.
 */
#include <sys/resource.h>

#include "request.h"

enum { CROWD = 4500, SPARE = 500 };

/* Raises the descriptor limit for both ends of all connections, if the system allows it. */
static void want_descriptors(void)
{
    struct rlimit limit;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    if (limit.rlim_max < CROWD + SPARE)
        skip();
    if (limit.rlim_cur < CROWD + SPARE)
        limit.rlim_cur = CROWD + SPARE;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
}

/* No matter how many wait before it. */
static void each_of_a_crowd_that_waits_is_seen(void **state)
{
    static int fds[CROWD];
    struct server *d;
    struct answer answer;
    int fd;

    want_descriptors();
    d = server_start(*state, NULL);
    make_schedule(d, "work", "'action':{'type':'queue','queue':'q'}");
    for (int i = 0; i < CROWD; i++)
        fds[i] = request_begin(d, "POST", "/api/v1/queues/claim",
                               "{'queues':['idle'],'wait':'60s'}");
    fd = request_begin(d, "POST", "/api/v1/queues/claim", "{'queues':['q'],'wait':'60s'}");
    api(d, 200, "GET", "/readyz", NULL);
    trigger(d, "work");
    answer = request_end(d, fd);
    assert_int_equal(answer.status, 200);
    assert_string_equal(text_at(answer.json, "runs[0].schedule"), "work");
    for (int i = 0; i < CROWD; i++)
        close(fds[i]);
    assert_int_equal(server_stop(d), 0);
}

static void a_body_for_a_wrong_path_is_told_of_the_path(void **state)
{
    struct server *d = server_start(*state, NULL);

    api(d, 404, "POST", "/api/v1/schedule", "{'id':'a'}");
    api(d, 405, "PUT", "/api/v1/schedules", "{'id':'a'}");
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(each_of_a_crowd_that_waits_is_seen),
        E2E_TEST(a_body_for_a_wrong_path_is_told_of_the_path),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
