/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Expected values: the contract in io/log_out.h, on real pipes, sockets and files.  alarm()
 * ends a test that blocks where it must not.
 */
#include "io/log_out.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cmocka.h>

enum { SECONDS_MAX = 60, LINES_MANY = 20000, THREADS = 4, THREAD_LINES = 2000 };

static struct log_out *open_out(int fd)
{
    struct log_out *out = NULL;
    struct err err;

    alarm(SECONDS_MAX);
    assert_int_equal(log_out_open(fd, &out, &err), RC_OK);
    return out;
}

/* Reads what is there now, or up to the end where the other side is closed. */
static size_t read_all(int fd, char *bytes, size_t room)
{
    size_t len = 0;
    ssize_t n;

    while (len < room && (n = read(fd, bytes + len, room - len)) > 0)
        len += (size_t)n;
    bytes[len] = '\0';
    return len;
}

static void set_nonblocking(int fd)
{
    assert_int_equal(fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) | O_NONBLOCK), 0);
}

static void a_line_is_in_the_pipe_when_the_call_returns(void **state)
{
    char text[200];
    int ends[2];
    struct log_out *out;
    struct log_sink sink;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    out = open_out(ends[1]);
    close(ends[1]);
    sink = log_out_sink(out);
    assert_true(sink.take(sink.arg, STR("one\n")));
    assert_true(sink.take(sink.arg, STR("two\n")));
    assert_false(log_out_pump(out));
    assert_int_equal(read(ends[0], text, sizeof text), 8);
    assert_memory_equal(text, "one\ntwo\n", 8);
    log_out_close(out);
    assert_int_equal(read(ends[0], text, sizeof text), 0);
    close(ends[0]);
}

/* Fills and empties; lost plus received lines are those written, in order. */
static void check_stuck(int read_end, int write_end)
{
    static char text[4 << 20];
    struct log_out *out = open_out(write_end);
    struct log log;
    long said = 0, lost = 0, next = 0;
    size_t len = 0;
    char *line = text;

    log_open(&log, log_out_sink(out), LEVEL_INFO, LOG_LOGFMT);
    while (said < LINES_MANY)
        log_say(&log, 0, LEVEL_INFO, "flood", LOG_INT("n", said++));
    assert_true(log_out_pump(out)); /* the pipe is full, and the buffer holds more */
    assert_int_equal(fcntl(write_end, F_GETFL) & O_NONBLOCK, 0);
    set_nonblocking(read_end);
    for (int i = 0; i < LINES_MANY; i++) {
        bool waits = log_out_pump(out);
        size_t n = read_all(read_end, text + len, sizeof text - 1 - len);

        len += n;
        if (!waits && n == 0)
            break;
    }
    log_report_lost(&log, 0);
    log_say(&log, 0, LEVEL_INFO, "flood", LOG_INT("n", said++));
    len += read_all(read_end, text + len, sizeof text - 1 - len);
    for (char *end = strchr(line, '\n'); end; line = end + 1, end = strchr(line, '\n')) {
        char expected[200];

        snprintf(expected, sizeof expected,
                 "time=1970-01-01T00:00:00.000Z level=info msg=flood n=%ld\n", next);
        if (strncmp(line, expected, strlen(expected)) == 0) {
            next++;
            continue;
        }
        assert_int_equal(lost, 0);
        lost = said - 1 - next;
        next += lost;
        snprintf(expected, sizeof expected,
                 "time=1970-01-01T00:00:00.000Z level=warn "
                 "msg=\"log lines lost\" lines=%ld\n",
                 lost);
        assert_memory_equal(line, expected, strlen(expected));
    }
    assert_ptr_equal(line, text + len); /* no partial line at the end */
    assert_true(lost > 0);
    assert_int_equal(next, said);
    log_out_close(out);
}

static void a_stuck_pipe_loses_lines_and_says_how_many(void **state)
{
    int ends[2];

    (void)state;
    assert_int_equal(pipe(ends), 0);
    check_stuck(ends[0], ends[1]);
    close(ends[0]);
    close(ends[1]);
}

static void a_stuck_socket_loses_lines_and_says_how_many(void **state)
{
    int ends[2];

    (void)state;
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
    check_stuck(ends[0], ends[1]);
    close(ends[0]);
    close(ends[1]);
}

static void a_closed_reader_loses_lines_and_nothing_else(void **state)
{
    struct log_out *out;
    struct log_sink sink;
    int ends[2], refused = 0;

    (void)state;
    signal(SIGPIPE, SIG_IGN);
    assert_int_equal(pipe(ends), 0);
    out = open_out(ends[1]);
    sink = log_out_sink(out);
    close(ends[0]);
    for (int i = 0; i < LOG_OUT_BYTES; i++)
        refused += !sink.take(sink.arg, STR("gone\n"));
    assert_int_equal(refused, LOG_OUT_BYTES - LOG_OUT_BYTES / 5);
    log_out_close(out);
    close(ends[1]);
}

static void a_file_is_continued_where_it_is(void **state)
{
    char path[] = "/tmp/belfry-test-XXXXXX", text[100];
    int fd = mkstemp(path);
    struct log_out *out;
    struct log_sink sink;

    (void)state;
    assert_true(fd >= 0);
    unlink(path);
    assert_int_equal(write(fd, "before\n", 7), 7);
    out = open_out(fd);
    sink = log_out_sink(out);
    assert_true(sink.take(sink.arg, STR("line\n")));
    assert_int_equal(write(fd, "after\n", 6), 6);
    assert_int_equal(pread(fd, text, sizeof text, 0), 18);
    assert_memory_equal(text, "before\nline\nafter\n", 18);
    log_out_close(out);
    close(fd);
}

static void an_invalid_descriptor_is_refused(void **state)
{
    struct log_out *out;
    struct err err;

    (void)state;
    assert_int_equal(log_out_open(-1, &out, &err), RC_LOST);
    assert_non_null(strstr(err.text, "Bad file descriptor"));
    assert_null(log_out_close(NULL));
}

struct writer {
    pthread_t thread;
    struct log *log;
    int number;
};

static void *write_lines(void *arg)
{
    struct writer *writer = arg;

    for (int i = 0; i < THREAD_LINES; i++)
        log_say(writer->log, 0, LEVEL_INFO, "line", LOG_INT("writer", writer->number),
                LOG_INT("n", i));
    return NULL;
}

/* Nothing is read while the threads write: lines may be lost but never torn. */
static void lines_of_several_threads_stay_whole_and_in_order(void **state)
{
    static char text[2 << 20];
    struct writer writers[THREADS];
    int ends[2], next[THREADS] = {0};
    long seen = 0, lost = 0, lines;
    struct log_out *out;
    struct log log;
    char *line = text;

    (void)state;
    assert_int_equal(pipe(ends), 0);
    out = open_out(ends[1]);
    log_open(&log, log_out_sink(out), LEVEL_INFO, LOG_LOGFMT);
    for (int i = 0; i < THREADS; i++) {
        writers[i] = (struct writer){.log = &log, .number = i};
        assert_int_equal(pthread_create(&writers[i].thread, NULL, write_lines, &writers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(pthread_join(writers[i].thread, NULL), 0);
    set_nonblocking(ends[0]);
    for (size_t len = 0, n = 1; n > 0; len += n) {
        (void)log_out_pump(out);
        log_report_lost(&log, 0);
        n = read_all(ends[0], text + len, sizeof text - 1 - len);
    }
    for (char *end = strchr(line, '\n'); end; line = end + 1, end = strchr(line, '\n')) {
        int writer, n;

        if (sscanf(line,
                   "time=1970-01-01T00:00:00.000Z level=warn "
                   "msg=\"log lines lost\" lines=%ld\n",
                   &lines) == 1) {
            lost += lines;
            continue;
        }
        assert_int_equal(sscanf(line,
                                "time=1970-01-01T00:00:00.000Z level=info msg=line "
                                "writer=%d n=%d\n",
                                &writer, &n),
                         2);
        assert_in_range(writer, 0, THREADS - 1);
        assert_true(n >= next[writer]);
        next[writer] = n + 1;
        seen++;
    }
    assert_int_equal(seen + lost, THREADS * THREAD_LINES);
    log_out_close(out);
    close(ends[0]);
    close(ends[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_is_in_the_pipe_when_the_call_returns),
        cmocka_unit_test(a_stuck_pipe_loses_lines_and_says_how_many),
        cmocka_unit_test(a_stuck_socket_loses_lines_and_says_how_many),
        cmocka_unit_test(a_closed_reader_loses_lines_and_nothing_else),
        cmocka_unit_test(a_file_is_continued_where_it_is),
        cmocka_unit_test(an_invalid_descriptor_is_refused),
        cmocka_unit_test(lines_of_several_threads_stay_whole_and_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
