/* SPDX-License-Identifier: Apache-2.0 */
/* Well-behaved programs: what they are given, and their output. */
#include "exec_subject.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/resource.h>

static void a_program_writes_lines_and_ends_with_a_code(void **state)
{
    struct subject s = {0};
    struct exec_request request = SH(
        "echo one; echo; printf 'three\\nfour'; echo oops >&2; exit 7");
    struct exec_end end = subject_run(*state, &s, &request);

    assert_int_equal(end.how, EXEC_EXITED);
    assert_int_equal(end.code, 7);
    assert_int_equal(end.cause, EXEC_BY_ITSELF);
    assert_int_equal(end.strays, 0);
    assert_int_equal(end.output_bytes, 20);
    assert_int_equal(end.dropped_bytes, 0);
    assert_string_equal(s.text, "one\n\nthree\nfour\\");
    assert_string_equal(s.errors, "oops\n");
}

static void arguments_and_variables_arrive_as_they_are(void **state)
{
    struct subject s = {0};
    struct str argv[] = {STR("/usr/bin/printf"), STR("[%s]"), STR(""), STR("a  b"),
                         STR("$HOME"),           STR("*")};
    struct str env_argv[] = {STR("/usr/bin/env")};
    struct exec_var env[] = {
        {STR("BELFRY_RUN"), STR("r_1")}, {STR("EMPTY"), STR("")}, {STR("X"), STR("a=b c")}};
    struct exec_request request = request_of(argv, COUNT(argv));

    subject_run(*state, &s, &request);
    assert_string_equal(s.text, "[][a  b][$HOME][*]\\");
    s = (struct subject){0};
    request = request_of(env_argv, 1);
    request.env = env;
    request.env_count = COUNT(env);
    subject_run(*state, &s, &request);
    assert_string_equal(s.text, "BELFRY_RUN=r_1\nEMPTY=\nX=a=b c\n");
}

static void the_first_argument_may_differ_from_the_file(void **state)
{
    struct subject s = {0};
    struct exec_request request = REQUEST(STR("/no/such/name"), STR("-c"), STR("echo $0"));

    request.file = STR("/bin/sh");
    subject_run(*state, &s, &request);
    assert_string_equal(s.text, "/no/such/name\n");
}

static void the_working_directory_is_the_one_asked_for_or_the_root(void **state)
{
    struct subject s = {0};
    struct exec_request request = REQUEST(STR("/bin/pwd"));

    subject_run(*state, &s, &request);
    assert_string_equal(s.text, "/\n");
    s = (struct subject){0};
    request.cwd = STR("/usr/share");
    subject_run(*state, &s, &request);
    assert_string_equal(s.text, "/usr/share\n");
}

static void input_is_read_from_its_start_and_ends(void **state)
{
    struct subject s = {0};
    struct exec_request request = REQUEST(STR("/bin/cat"));

    request.input = STR("{\"a\": 1}\n");
    subject_run(*state, &s, &request);
    assert_string_equal(s.text, "{\"a\": 1}\n");
    s = (struct subject){0};
    request.input = STR("");
    assert_int_equal(subject_run(*state, &s, &request).code, 0);
    assert_string_equal(s.text, "");
}

static void the_largest_input_arrives_whole_and_more_is_refused(void **state)
{
    struct subject s = {0};
    char *bytes = calloc(1, EXEC_INPUT_MAX + 1);
    struct exec_request request = REQUEST(STR("/usr/bin/wc"), STR("-c"));
    struct err err;

    assert_non_null(bytes);
    request.input = (struct str){bytes, EXEC_INPUT_MAX};
    subject_run(*state, &s, &request);
    assert_string_equal(s.text, "1048576\n");
    request.input.len++;
    assert_int_equal(subject_start(*state, &s, &request, &err), RC_LIMIT);
    free(bytes);
}

static void output_above_the_limit_is_counted_and_dropped(void **state)
{
    static const struct {
        int cap;
        const char *text;
    } cases[] = {{0, ""},        {1, "1\\"},      {2, "12\\"},     {3, "12\n"},
                 {4, "12\n3\\"}, {5, "12\n34\\"}, {6, "12\n34\n"}, {7, "12\n34\n5\\"}};

    for (int i = 0; i < COUNT(cases); i++) {
        struct subject s = {0};
        struct exec_request request = SH("printf '12\\n34\\n5'");
        struct exec_end end;

        request.output_max = cases[i].cap;
        end = subject_run(*state, &s, &request);
        assert_string_equal(s.text, cases[i].text);
        assert_int_equal(end.output_bytes, 7);
        assert_int_equal(end.dropped_bytes, 7 - cases[i].cap);
    }
}

static void a_line_above_the_limit_comes_in_pieces(void **state)
{
    struct subject s = {0};
    struct exec_request request = SH("head -c 20000 /dev/zero | tr '\\0' x; echo; echo y");

    request.output_max = 1 << 20;
    subject_run(*state, &s, &request);
    assert_int_equal(s.out[0].len, 20000 + 2 + 1 + 2); /* two cuts, two ends, y */
    assert_int_equal(s.text[EXEC_LINE_MAX], '\\');
    assert_int_equal(s.text[2 * EXEC_LINE_MAX + 1], '\\');
    assert_string_equal(s.text + 20002, "\ny\n");
}

static void usage_is_that_of_the_program_and_its_children(void **state)
{
    struct subject s = {0};
    struct exec_request request = SH(
        "i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done; "
        "(i=0; while [ $i -lt 200000 ]; do i=$((i + 1)); done); times");
    struct exec_end end = subject_run(*state, &s, &request);
    struct subject nothing = {0};
    struct exec_request none = REQUEST(STR("/bin/true"));
    struct exec_end little = subject_run(*state, &nothing, &none);

    /* About 0.1 s compared with 1 ms. */
    assert_true(end.user > 4 * (little.user + little.system));
    assert_true(end.user < 100 * SPAN_S);
    assert_true(end.max_rss > 200000 && end.max_rss < (INT64_C(1) << 32));
}

static void limits_are_those_asked_for_and_no_core_is_written(void **state)
{
    struct subject s = {0};
    struct exec_request request = SH(
        "ulimit -c; ulimit -St; ulimit -Ht; ulimit -v; ulimit -f; ulimit -n; ulimit -p; umask");

    request.caps = (struct exec_caps){
        .cpu = 1500 * SPAN_MS,
        .memory = INT64_C(1) << 30,
        .file_size = 4096,
        .open_files = 17,
        .processes = 321,
    };
    subject_run(*state, &s, &request);
    assert_string_equal(s.text, "0\n2\n7\n1048576\n8\n17\n321\n0022\n");
}

static void a_limit_of_the_machine_is_not_raised(void **state)
{
    struct subject s = {0};
    struct exec_request request = SH("ulimit -Hn");
    struct rlimit now;
    char expected[32];

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &now), 0);
    snprintf(expected, sizeof expected, "%llu\n", (unsigned long long)now.rlim_max);
    request.caps.open_files = (int64_t)now.rlim_max + 1;
    subject_run(*state, &s, &request);
    assert_string_equal(s.text, expected);
}

static void too_much_processor_time_ends_a_program(void **state)
{
    struct subject s = {0};
    struct exec_request request = SH("while :; do :; done");
    struct exec_end end;

    request.caps.cpu = SPAN_S;
    end = subject_run(*state, &s, &request);
    assert_int_equal(end.how, EXEC_SIGNALLED);
    assert_int_equal(end.code, SIGXCPU);
    assert_int_equal(end.cause, EXEC_BY_ITSELF);
}

static void what_cannot_be_started_says_why(void **state)
{
    static const struct {
        const char *program, *cwd, *user, *group;
        enum rc rc;
        const char *text;
    } cases[] = {
        {"/no/such", "", "", "", RC_NOT_FOUND,
         "cannot run `/no/such`: No such file or directory"},
        {"/etc", "", "", "", RC_INVALID, "cannot run `/etc`: Permission denied"},
        {"/etc/passwd", "", "", "", RC_INVALID, "cannot run `/etc/passwd`: Permission denied"},
        {"/bin/true", "/no", "", "", RC_NOT_FOUND,
         "cannot enter the directory `/no`: No such file or directory"},
        {"/bin/true", "", "no-such", "", RC_NOT_FOUND,
         "cannot run as user `no-such`: it does not exist"},
        {"/bin/true", "", "", "no-such", RC_NOT_FOUND,
         "cannot run as group `no-such`: it does not exist"},
    };

    for (int i = 0; i < COUNT(cases); i++) {
        struct subject s = {0};
        struct str argv[] = {str_of(cases[i].program)};
        struct exec_request request = request_of(argv, 1);
        struct exec_end end;

        request.cwd = str_of(cases[i].cwd);
        request.user = str_of(cases[i].user);
        request.group = str_of(cases[i].group);
        end = subject_run(*state, &s, &request);
        assert_int_equal(end.how, EXEC_NOT_STARTED);
        assert_string_equal(end.err.text, cases[i].text);
        assert_int_equal(end.err.rc, cases[i].rc);
    }
}

static void a_file_that_is_not_a_program_is_reported(void **state)
{
    struct subject s = {0};
    char path[] = "/tmp/belfry-exec-XXXXXX";
    int fd = mkstemp(path);
    struct str argv[] = {str_of(path)};
    struct exec_request request = request_of(argv, 1);
    struct exec_end end;

    assert_true(fd >= 0);
    assert_int_equal(write(fd, "no program\n", 11), 11);
    assert_int_equal(fchmod(fd, 0755), 0);
    close(fd);
    end = subject_run(*state, &s, &request);
    unlink(path);
    assert_int_equal(end.how, EXEC_NOT_STARTED);
    assert_non_null(strstr(end.err.text, ": Exec format error"));
}

static void a_request_that_cannot_work_is_refused_at_once(void **state)
{
    struct subject s = {0};
    struct err err;
    struct str relative[] = {STR("true")}, zero[] = {STR("/bin/echo"), STR("a\0b")};
    struct exec_var bad = {STR("A=B"), STR("")};
    struct exec_request requests[] = {
        request_of(relative, 0), request_of(relative, 1), request_of(zero, 2),
        request_of(zero, 1),     request_of(zero, 1),
    };

    requests[3].env = &bad;
    requests[3].env_count = 1;
    requests[4].cwd = STR("tmp");
    for (int i = 0; i < COUNT(requests); i++)
        assert_int_equal(subject_start(*state, &s, &requests[i], &err), RC_INVALID);
}

static void a_program_runs_as_the_user_asked_for(void **state)
{
    struct subject s = {0};
    struct exec_request request = SH(
        "id -un; id -gn; id -Gn; echo out >/dev/stdout; echo err >/dev/stderr; cat /dev/stdin");

    request.input = STR("input\n");
    request.user = STR("nobody");
    if (geteuid() != 0) {
        request.user = STR("root");
        assert_int_equal(subject_run(*state, &s, &request).how, EXEC_NOT_STARTED);
        assert_non_null(strstr(s.end.err.text, "takes root"));
        return;
    }
    subject_run(*state, &s, &request);
    assert_string_equal(s.errors, "err\n");
    assert_string_equal(s.text, "nobody\nnogroup\nnogroup\nout\ninput\n");
    s = (struct subject){0};
    request.argv = (struct str[]){STR("/usr/bin/env")};
    request.argc = 1;
    subject_run(*state, &s, &request);
    /* of user nobody, in Debian's base-passwd */
    assert_string_equal(s.text, "HOME=/nonexistent\n");
    s = (struct subject){0};
    request.env = (struct exec_var[]){{STR("HOME"), STR("/h")}};
    request.env_count = 1;
    subject_run(*state, &s, &request);
    assert_string_equal(s.text, "HOME=/h\n");
    s = (struct subject){0};
    request.group = STR("daemon");
    request.argv = (struct str[]){STR("/usr/bin/id"), STR("-gn")};
    request.argc = 2;
    subject_run(*state, &s, &request);
    assert_string_equal(s.text, "daemon\n");
}

static void many_programs_run_at_once_up_to_the_size_of_the_pool(void **state)
{
    struct fixture *fixture = *state;
    struct subject *subjects = calloc(FIXTURE_RUNS, sizeof *subjects);
    struct exec_request request = REQUEST(STR("/bin/cat"));
    struct subject more = {0};
    struct err err;

    assert_non_null(subjects);
    request.input = STR("here\n");
    for (int i = 0; i < FIXTURE_RUNS; i++)
        assert_int_equal(subject_start(fixture, &subjects[i], &request, &err), RC_OK);
    assert_int_equal(exec_pool_room(fixture->pool), 0);
    assert_int_equal(subject_start(fixture, &more, &request, &err), RC_BUSY);
    assert_int_equal(uv_run(&fixture->loop, UV_RUN_DEFAULT), 0);
    for (int i = 0; i < FIXTURE_RUNS; i++) {
        assert_true(subjects[i].is_over);
        assert_string_equal(subjects[i].text, "here\n");
    }
    assert_int_equal(exec_pool_room(fixture->pool), FIXTURE_RUNS);
    free(subjects);
}

static void without_descriptors_a_start_is_refused_and_nothing_leaks(void **state)
{
    struct subject s = {0};
    struct exec_request request = REQUEST(STR("/bin/true"));
    struct rlimit before, low;
    struct err err;
    int last = dup(0), refused = 0;

    close(last);
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &before), 0);
    /* One more descriptor each time, until there are enough. */
    for (int room = 0; room < 20; room++) {
        low = before;
        low.rlim_cur = (rlim_t)(last + room);
        assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
        if (subject_start(*state, &s, &request, &err) == RC_OK)
            break;
        assert_int_equal(err.rc, RC_BUSY);
        assert_string_equal(err.text, "cannot create a process: Too many open files");
        refused++;
    }
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &before), 0);
    assert_true(refused >= 8 && refused < 20);
    while (!s.is_over)
        uv_run(&((struct fixture *)*state)->loop, UV_RUN_ONCE);
    assert_int_equal(s.end.how, EXEC_EXITED);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, fixture_open, fixture_close)
        CASE(a_program_writes_lines_and_ends_with_a_code),
        CASE(arguments_and_variables_arrive_as_they_are),
        CASE(the_first_argument_may_differ_from_the_file),
        CASE(the_working_directory_is_the_one_asked_for_or_the_root),
        CASE(input_is_read_from_its_start_and_ends),
        CASE(the_largest_input_arrives_whole_and_more_is_refused),
        CASE(output_above_the_limit_is_counted_and_dropped),
        CASE(a_line_above_the_limit_comes_in_pieces),
        CASE(usage_is_that_of_the_program_and_its_children),
        CASE(limits_are_those_asked_for_and_no_core_is_written),
        CASE(a_limit_of_the_machine_is_not_raised),
        CASE(too_much_processor_time_ends_a_program),
        CASE(what_cannot_be_started_says_why),
        CASE(a_file_that_is_not_a_program_is_reported),
        CASE(a_request_that_cannot_work_is_refused_at_once),
        CASE(a_program_runs_as_the_user_asked_for),
        CASE(many_programs_run_at_once_up_to_the_size_of_the_pool),
        CASE(without_descriptors_a_start_is_refused_and_nothing_leaks),
    };

    if (argc > 0 && strcmp(argv[0], SUPERVISOR_NAME) == 0)
        supervisor_main();
    return cmocka_run_group_tests(tests, NULL, NULL);
}
