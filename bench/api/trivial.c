/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The trivial server of trivial.h.
 */
#include "trivial.h"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/must.h"
#include "io/loop.h"
#include "io/net/listener.h"
#include "soak.h"

struct trivial {
    const struct trivial_answer *answers;
    int count;
};

static pid_t pid;

static int64_t body_max(void *arg, const struct http1_request *request)
{
    (void)arg;
    (void)request;
    return 0;
}

static void on_request(void *arg, struct exchange *x)
{
    const struct trivial *trivial = arg;
    const struct http1_field fields[] = {
        {STR("Content-Type"), STR("application/json")},
        {STR("Cache-Control"), STR("no-store")},
    };

    for (int i = 0; i < trivial->count; i++)
        if (str_eq(x->request->target, str_of(trivial->answers[i].path))) {
            exchange_answer(x, 200, fields, 2, trivial->answers[i].body);
            return;
        }
    exchange_answer(x, 404, NULL, 0, STR(""));
}

static _Noreturn void serve(const struct trivial *trivial, int tell)
{
    struct loop *loop = loop_new(NULL, NULL);
    struct listener_handler handler = {
        .body_max = body_max, .on_request = on_request, .arg = (void *)(uintptr_t)trivial};
    struct listener *listener = listener_new(loop_uv(loop), &listener_limits_default, &handler);
    uint16_t port = 0;
    struct err err;

    if (listener_bind(listener, "127.0.0.1", 0, &port, &err) != RC_OK)
        DIE("the trivial server: %s", err.text);
    must(write(tell, &port, sizeof port) == sizeof port);
    loop_run(loop); /* until it is killed */
    _exit(EXIT_SUCCESS);
}

uint16_t trivial_start(const struct trivial_answer *answers, int count)
{
    struct trivial trivial = {answers, count};
    pid_t parent = getpid();
    uint16_t port;
    int ends[2];

    must(pipe(ends) == 0);
    pid = fork();
    must(pid >= 0);
    if (pid == 0) {
        must(prctl(PR_SET_PDEATHSIG, SIGKILL) == 0);
        if (getppid() != parent)
            _exit(EXIT_FAILURE);
        serve(&trivial, ends[1]);
    }
    close(ends[1]);
    if (read(ends[0], &port, sizeof port) != sizeof port)
        DIE("the trivial server did not start");
    close(ends[0]);
    return port;
}

void trivial_end(void)
{
    if (pid > 0) {
        kill(pid, SIGKILL);
        waitpid(pid, NULL, 0);
    }
    pid = 0;
}
