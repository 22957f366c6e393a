/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Badly behaved programs.  Those in shell are in test/io/zoo, those that shell cannot express
 * are below.  Each test ends with the checks of fixture_close().
 */
#include "exec_subject.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/stat.h>

extern char **environ;

enum { PATH_BYTES = 1024 };

/* A program of test/io/zoo; the text stays until the next call. */
static struct exec_request zoo(const char *name)
{
    static char path[2 * PATH_BYTES], root[PATH_BYTES];
    static struct str argv[2];

    assert_non_null(getcwd(root, sizeof root));
    snprintf(path, sizeof path, "%s/test/io/zoo/%s.sh", root, name);
    argv[0] = STR("/bin/sh");
    argv[1] = str_of(path);
    return request_of(argv, 2);
}

/* A program of this file. */
static struct exec_request zoo_c(const char *name)
{
    static char self[PATH_BYTES];
    static struct str argv[2];
    ssize_t len = readlink("/proc/self/exe", self, sizeof self - 1);

    assert_true(len > 0);
    self[len] = '\0';
    argv[0] = str_of(self);
    argv[1] = str_of(name);
    return request_of(argv, 2);
}

/* Every number that a program wrote is a process that must be gone. */
static int assert_all_gone(const struct subject *subject)
{
    const char *at = subject->text;
    int count = 0, pid, used;

    for (; sscanf(at, "%d%n", &pid, &used) == 1; at += used, count++)
        assert_is_gone(pid);
    return count;
}

static void a_program_that_handles_sigterm_ends_by_itself(void **state)
{
    struct subject s = {.stops_at = "ready"};
    struct exec_request request = zoo("handles_term");
    struct exec_end end = subject_run(*state, &s, &request);

    assert_int_equal(end.how, EXEC_EXITED);
    assert_int_equal(end.code, 0);
    assert_int_equal(end.cause, EXEC_STOPPED);
    assert_false(end.killed);
    assert_string_equal(s.text, "ready\nfarewell\n");
}

static void a_program_that_ignores_sigterm_is_killed_after_the_grace(void **state)
{
    struct subject s = {.stops_at = "ready"};
    struct exec_request request = zoo("ignores_term");
    struct exec_end end;

    request.kill_after = 50 * SPAN_MS;
    end = subject_run(*state, &s, &request);
    assert_int_equal(end.how, EXEC_SIGNALLED);
    assert_int_equal(end.code, SIGKILL);
    assert_int_equal(end.cause, EXEC_STOPPED);
    assert_true(end.killed);
    assert_true(end.strays <= 1); /* its sleep, if it had begun */
}

static void a_program_that_takes_too_long_times_out(void **state)
{
    struct subject s = {0};
    struct exec_request request = REQUEST(STR("/bin/sleep"), STR("1000"));
    struct exec_end end;

    request.timeout = 50 * SPAN_MS;
    end = subject_run(*state, &s, &request);
    assert_int_equal(end.how, EXEC_SIGNALLED);
    assert_int_equal(end.code, SIGTERM);
    assert_int_equal(end.cause, EXEC_TIMED_OUT);
    assert_false(end.killed);
}

static void a_program_that_ignores_its_timeout_is_ended(void **state)
{
    struct subject s = {0};
    struct exec_request request = zoo("ignores_term");
    struct exec_end end;

    request.timeout = 200 * SPAN_MS;
    request.kill_after = 0;
    end = subject_run(*state, &s, &request);
    assert_int_equal(end.cause, EXEC_TIMED_OUT);
    assert_int_equal(end.how, EXEC_SIGNALLED);
}

static void processes_that_outlive_the_program_are_ended(void **state)
{
    static const struct {
        const char *name;
        int code;
    } cases[] = {{"double_forks", 0}, {"leaves_session", 0}, {"leaves_holder", 5}};

    for (int i = 0; i < COUNT(cases); i++) {
        struct subject s = {0};
        struct exec_request request = zoo(cases[i].name);
        struct exec_end end = subject_run(*state, &s, &request);

        assert_int_equal(end.how, EXEC_EXITED);
        assert_int_equal(end.code, cases[i].code);
        assert_int_equal(end.cause, EXEC_BY_ITSELF);
        assert_int_equal(end.strays, 1);
        assert_int_equal(assert_all_gone(&s), 1);
    }
}

static void a_tree_of_sessions_is_ended_completely(void **state)
{
    struct subject s = {.stops_at = "ready"};
    struct exec_request request = zoo("leaves_tree");
    struct exec_end end;

    request.kill_after = 0;
    end = subject_run(*state, &s, &request);
    assert_int_equal(end.how, EXEC_SIGNALLED);
    assert_int_equal(end.strays, 3);
    assert_int_equal(assert_all_gone(&s), 3);
}

static void a_flood_is_counted_to_the_byte(void **state)
{
    struct subject s = {0};
    struct exec_request request = zoo("floods");
    struct exec_end end = subject_run(*state, &s, &request);

    assert_int_equal(end.code, 0);
    assert_int_equal(end.output_bytes, 100000000);
    assert_int_equal(end.dropped_bytes, 100000000 - request.output_max);
}

static void a_flood_without_end_can_be_stopped(void **state)
{
    struct fixture *fixture = *state;
    struct subject s = {0};
    struct exec_request request = zoo("floods_for_ever");
    struct err err;

    assert_int_equal(subject_start(fixture, &s, &request, &err), RC_OK);
    while (s.out[EXEC_STDOUT].len < (size_t)request.output_max)
        uv_run(&fixture->loop, UV_RUN_ONCE);
    uv_run(&fixture->loop, UV_RUN_ONCE); /* further output is the only possible event */
    exec_stop(s.run);
    while (!s.is_over)
        uv_run(&fixture->loop, UV_RUN_ONCE);
    assert_int_equal(s.end.how, EXEC_SIGNALLED);
    assert_int_equal(s.end.code, SIGTERM);
    assert_true(s.end.dropped_bytes > 0);
    assert_int_equal(s.end.output_bytes - s.end.dropped_bytes, request.output_max);
}

static void a_program_that_closes_its_output_is_waited_for(void **state)
{
    struct subject s = {0};
    struct exec_request request = zoo("closes_output");

    assert_int_equal(subject_run(*state, &s, &request).code, 3);
    assert_string_equal(s.text, "last words\n");
}

static void a_program_that_does_not_read_its_input_is_not_waited_for(void **state)
{
    struct subject s = {0};
    struct exec_request request = REQUEST(STR("/bin/true"));
    char *bytes = calloc(1, EXEC_INPUT_MAX);

    assert_non_null(bytes);
    request.input = (struct str){bytes, EXEC_INPUT_MAX};
    assert_int_equal(subject_run(*state, &s, &request).code, 0);
    free(bytes);
}

static void the_signal_that_ends_a_program_is_reported(void **state)
{
    struct subject s = {0};
    struct exec_request request = SH("kill -SEGV $$");
    struct exec_end end = subject_run(*state, &s, &request);

    assert_int_equal(end.how, EXEC_SIGNALLED);
    assert_int_equal(end.code, SIGSEGV);
    s = (struct subject){0};
    request = SH("kill -KILL $$");
    end = subject_run(*state, &s, &request);
    assert_int_equal(end.code, SIGKILL);
    assert_false(end.killed); /* not by us */
}

static void a_program_that_stopped_itself_can_be_ended(void **state)
{
    struct subject s = {.stops_at = "ready"};
    struct exec_request request = zoo("stops_itself");
    struct exec_end end = subject_run(*state, &s, &request);

    assert_int_equal(end.how, EXEC_SIGNALLED);
    assert_int_equal(end.code, SIGTERM);
    assert_false(end.killed);
}

static void a_program_that_kills_its_supervisor_is_ended(void **state)
{
    struct subject s = {0};
    struct exec_request request = zoo("kills_supervisor");
    struct exec_end end = subject_run(*state, &s, &request);

    assert_int_equal(end.how, EXEC_LOST);
    assert_int_equal(end.err.rc, RC_UNKNOWN);
    assert_true(end.strays >= 2);
    assert_int_equal(assert_all_gone(&s), 2);
}

static void a_lost_supervisor_does_not_affect_other_programs(void **state)
{
    struct fixture *fixture = *state;
    struct subject innocent = {0}, s = {0};
    struct exec_request request = SH("setsid sleep 1000 & echo $!; echo ready; wait");
    struct err err;

    assert_int_equal(subject_start(fixture, &innocent, &request, &err), RC_OK);
    while (!strstr(innocent.text, "ready"))
        uv_run(&fixture->loop, UV_RUN_ONCE);
    request = zoo("kills_supervisor");
    assert_int_equal(subject_run(fixture, &s, &request).how, EXEC_LOST);
    assert_false(innocent.is_over);
    assert_int_equal(kill(atoi(innocent.text), 0), 0);
    exec_kill(innocent.run);
    while (!innocent.is_over)
        uv_run(&fixture->loop, UV_RUN_ONCE);
    assert_int_equal(innocent.end.how, EXEC_SIGNALLED);
    assert_int_equal(innocent.end.strays, 1);
}

static void a_program_that_stops_its_supervisor_can_be_stopped(void **state)
{
    struct subject s = {.stops_at = "ready"};
    struct exec_request request = zoo("stops_supervisor");
    struct exec_end end = subject_run(*state, &s, &request);

    assert_int_equal(end.how, EXEC_SIGNALLED);
    assert_int_equal(end.code, SIGTERM);
}

static void a_fork_bomb_is_bounded_and_ends(void **state)
{
    struct subject s = {.stops_at = "annot fork"}; /* the first refusal */
    struct exec_request request = REQUEST(STR("/bin/sh"));
    char script[TEXT_BYTES];
    int fd = open("test/io/zoo/fork_bomb.sh", O_RDONLY);
    ssize_t got = read(fd, script, sizeof script);

    close(fd);
    assert_true(got > 0);
    if (geteuid() != 0)
        skip(); /* the limit counts all processes of a user: it needs a user who has none */
    request.input = (struct str){script, (size_t)got};
    request.user = STR("nobody");
    request.caps.processes = 64;
    request.kill_after = 0;
    assert_int_not_equal(subject_run(*state, &s, &request).how, EXEC_NOT_STARTED);
    assert_non_null(strstr(s.errors, s.stops_at));
}

/* A child whose pipe is held not by a descendant, but by this process. */
static void output_held_by_another_process_is_not_waited_for(void **state)
{
    struct fixture *fixture = *state;
    struct subject s = {0};
    struct exec_request request = SH("echo $$; exec sleep 1000");
    struct err err;
    char path[64];
    int fd;

    assert_int_equal(subject_start(fixture, &s, &request, &err), RC_OK);
    while (!strchr(s.text, '\n'))
        uv_run(&fixture->loop, UV_RUN_ONCE);
    snprintf(path, sizeof path, "/proc/%d/fd/1", atoi(s.text));
    fd = open(path, O_WRONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, "more\n", 5), 5);
    exec_kill(s.run);
    while (!s.is_over)
        uv_run(&fixture->loop, UV_RUN_ONCE);
    assert_non_null(strstr(s.text, "\nmore\n"));
    assert_int_equal(uv_run(&fixture->loop, UV_RUN_DEFAULT), 0); /* nothing is waited for */
    close(fd);
}

static void a_pool_that_closes_ends_its_programs_and_reports(void **state)
{
    struct fixture *fixture = *state;
    struct subject s[3] = {{0}};
    struct exec_request request = zoo("ignores_term");
    struct err err;

    for (int i = 0; i < COUNT(s); i++)
        assert_int_equal(subject_start(fixture, &s[i], &request, &err), RC_OK);
    exec_stop(s[1].run);
    exec_pool_close(fixture->pool, fixture_on_closed, fixture);
    assert_false(fixture->is_closed);
    while (!fixture->is_closed)
        uv_run(&fixture->loop, UV_RUN_ONCE);
    for (int i = 0; i < COUNT(s); i++) {
        assert_true(s[i].is_over);
        assert_int_equal(s[i].end.how, EXEC_SIGNALLED);
        assert_int_equal(s[i].end.cause, EXEC_STOPPED);
    }
    assert_int_equal(exec_pool_open(&fixture->loop, 1, &fixture->pool, &err), RC_OK);
    fixture->is_closed = false;
}

/* The process with the pool of the next test; its program's output goes to `out`. */
_Noreturn static void run_victim(int out)
{
    void *state;
    struct subject s = {0};
    struct exec_request request = SH(
        "trap '' TERM; setsid sleep 1000 & echo $$ $!; echo ready; wait");
    struct err err;
    struct fixture *fixture;

    fixture_open(&state);
    fixture = state;
    assert_int_equal(subject_start(fixture, &s, &request, &err), RC_OK);
    while (!strstr(s.text, "ready"))
        uv_run(&fixture->loop, UV_RUN_ONCE);
    assert_int_equal(write(out, s.text, s.out[0].len), (ssize_t)s.out[0].len);
    uv_run(&fixture->loop, UV_RUN_DEFAULT);
    _exit(0);
}

static void nothing_outlives_a_killed_process_with_a_pool(void **state)
{
    struct subject s = {0};
    int ends[2];
    pid_t victim;

    (void)state;
    /* The victim's orphans become children of this process, so that it can wait for them. */
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0), 0);
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    victim = fork();
    assert_true(victim >= 0);
    if (victim == 0)
        run_victim(ends[1]);
    close(ends[1]);
    assert_true(read(ends[0], s.text, sizeof s.text - 1) > 0);
    close(ends[0]);
    assert_int_equal(kill(victim, SIGKILL), 0);
    while (waitpid(-1, NULL, 0) > 0)
        continue;
    assert_int_equal(errno, ECHILD);
    assert_int_equal(assert_all_gone(&s), 2);
    assert_int_equal(prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0), 0);
}

/* Prints what it inherited beyond what was intended. */
static int say_inheritance(void)
{
    char fds[FDS_BYTES];
    sigset_t blocked;
    struct sigaction action;
    int count = 0, odd = 0;

    list_fds(fds, sizeof fds);
    printf("fds %s\n", fds);
    while (environ[count])
        count++;
    printf("variables %d\n", count);
    for (int signal = 1; signal < NSIG; signal++)
        if (sigaction(signal, NULL, &action) == 0 && action.sa_handler == SIG_IGN)
            odd++;
    sigprocmask(SIG_SETMASK, NULL, &blocked);
    printf("ignored %d blocked %d\n", odd, !sigisemptyset(&blocked));
    printf("session %d group %d\n", getsid(0) == getpid(), getpgrp() == getpid());
    printf("no new rights %d\n", prctl(PR_GET_NO_NEW_PRIVS, 0, 0, 0, 0));
    printf("umask %03o\n", (unsigned)umask(0));
    return fflush(stdout);
}

static void nothing_is_inherited_that_was_not_given(void **state)
{
    struct subject s = {0};
    struct exec_request request = zoo_c("inheritance");
    int open_here = open("/etc/passwd", O_RDONLY), high = fcntl(open_here, F_DUPFD, 500);
    sigset_t blocked, before;

    /* Without O_CLOEXEC, with a blocked and an ignored signal, and with an environment. */
    assert_true(open_here >= 0 && high >= 500);
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGTERM);
    sigprocmask(SIG_BLOCK, &blocked, &before);
    assert_true(signal(SIGPIPE, SIG_IGN) != SIG_ERR);
    assert_int_equal(setenv("SECRET", "x", 1), 0);
    subject_run(*state, &s, &request);
    sigprocmask(SIG_SETMASK, &before, NULL);
    signal(SIGPIPE, SIG_DFL);
    close(high);
    close(open_here);
    assert_string_equal(s.text, "fds 0 1 2 \nvariables 0\nignored 0 blocked 0\n"
                                "session 1 group 1\nno new rights 1\numask 022\n");
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
        CASE(a_program_that_handles_sigterm_ends_by_itself),
        CASE(a_program_that_ignores_sigterm_is_killed_after_the_grace),
        CASE(a_program_that_takes_too_long_times_out),
        CASE(a_program_that_ignores_its_timeout_is_ended),
        CASE(processes_that_outlive_the_program_are_ended),
        CASE(a_tree_of_sessions_is_ended_completely),
        CASE(a_flood_is_counted_to_the_byte),
        CASE(a_flood_without_end_can_be_stopped),
        CASE(a_program_that_closes_its_output_is_waited_for),
        CASE(a_program_that_does_not_read_its_input_is_not_waited_for),
        CASE(the_signal_that_ends_a_program_is_reported),
        CASE(a_program_that_stopped_itself_can_be_ended),
        CASE(a_program_that_kills_its_supervisor_is_ended),
        CASE(a_lost_supervisor_does_not_affect_other_programs),
        CASE(a_program_that_stops_its_supervisor_can_be_stopped),
        CASE(a_fork_bomb_is_bounded_and_ends),
        CASE(output_held_by_another_process_is_not_waited_for),
        CASE(a_pool_that_closes_ends_its_programs_and_reports),
        CASE(nothing_is_inherited_that_was_not_given),
        cmocka_unit_test(nothing_outlives_a_killed_process_with_a_pool),
    };

    if (argc > 0 && strcmp(argv[0], SUPERVISOR_NAME) == 0)
        supervisor_main();
    if (argc == 2 && strcmp(argv[1], "inheritance") == 0)
        return say_inheritance();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
