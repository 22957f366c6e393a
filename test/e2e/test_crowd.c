/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of many clients at once, and of requests with a wrong path.
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

/* The claim that gets the run is the last of thousands. */
static void a_claim_is_answered_while_thousands_wait(void **state)
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

static void a_request_with_a_body_and_a_wrong_path_is_404_or_405(void **state)
{
    struct server *d = server_start(*state, NULL);

    api(d, 404, "POST", "/api/v1/schedule", "{'id':'a'}");
    api(d, 405, "PUT", "/api/v1/schedules", "{'id':'a'}");
    assert_int_equal(server_stop(d), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(a_claim_is_answered_while_thousands_wait),
        E2E_TEST(a_request_with_a_body_and_a_wrong_path_is_404_or_405),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
