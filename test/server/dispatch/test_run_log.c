/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the collection of log lines: batches, limits, invalid bytes.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/must.h"
#include "server/dispatch/run_log.h"

enum { HEAD = 13, BATCHES_MAX = 200 };

struct world {
    struct loop *loop;
    struct run_log *log;
    size_t batches[BATCHES_MAX]; /* their sizes */
    int count;
    bool is_waiting;
    char last[RUN_LOG_BATCH];
};

static void on_wake(void *arg)
{
    (void)arg;
}

static void on_batch(void *arg, struct str lines)
{
    struct world *world = arg;

    must(world->count < BATCHES_MAX && lines.len <= sizeof world->last);
    world->batches[world->count++] = lines.len;
    memcpy(world->last, lines.ptr, lines.len);
    if (world->is_waiting)
        uv_stop(loop_uv(world->loop)); /* UV_RUN_ONCE waits for I/O after its timers */
}

static int setup(void **state)
{
    struct world *world = calloc(1, sizeof *world);

    assert_non_null(world);
    world->loop = loop_new(on_wake, NULL);
    world->log = run_log_new(world->loop, on_batch, world);
    *state = world;
    return 0;
}

static int teardown(void **state)
{
    struct world *world = *state;

    run_log_free(world->log);
    loop_free(world->loop);
    free(world);
    return 0;
}

static void a_line_is_packed_with_its_time_and_stream(void **state)
{
    static const char expected[] = "\x08\x07\x06\x05\x04\x03\x02\x01\x01\x02\0\0\0hi";
    struct world *world = *state;
    struct str rest;

    run_log_add(world->log, 0x0102030405060708, 1, STR("hi"));
    rest = run_log_finish(world->log, 5, 0);
    assert_int_equal(rest.len, sizeof expected - 1);
    assert_memory_equal(rest.ptr, expected, rest.len);
    assert_int_equal(world->count, 0);
}

static void a_batch_is_flushed_after_a_delay(void **state)
{
    struct world *world = *state;

    run_log_add(world->log, 1, 0, STR("one"));
    run_log_add(world->log, 2, 0, STR("two"));
    world->is_waiting = true;
    while (world->count == 0)
        uv_run(loop_uv(world->loop), UV_RUN_ONCE);
    assert_int_equal(world->batches[0], 2 * (HEAD + 3));
    assert_int_equal(run_log_finish(world->log, 3, 0).len, 0);
}

static void a_full_batch_is_flushed_at_once(void **state)
{
    static const char text[1000 - HEAD];
    struct world *world = *state;

    for (int i = 0; i < 16; i++)
        run_log_add(world->log, 1, 0, (struct str){text, sizeof text});
    assert_int_equal(world->count, 0);
    run_log_add(world->log, 1, 0, (struct str){text, sizeof text});
    assert_int_equal(world->count, 1);
    assert_int_equal(world->batches[0], 16000);
    assert_int_equal(run_log_finish(world->log, 3, 0).len, 1000);
}

static void the_log_is_limited_and_its_last_line_counts_the_rest(void **state)
{
    static const char note[] = "3 lines with 1994 bytes were left out of the log; 9 bytes of "
                               "output were not read";
    static const char text[1024 - HEAD];
    struct world *world = *state;
    size_t all = 0;
    struct str rest;

    for (int i = 0; i < 1024 - 1; i++)
        run_log_add(world->log, 1, 0, (struct str){text, sizeof text});
    run_log_add(world->log, 1, 0, (struct str){text, sizeof text - 1});
    run_log_add(world->log, 1, 0, (struct str){text, 2 - 1}); /* 2 bytes too many */
    run_log_add(world->log, 1, 0, (struct str){text, 982});
    run_log_add(world->log, 1, 0, (struct str){text, sizeof text});
    for (int i = 0; i < world->count; i++)
        all += world->batches[i];
    rest = run_log_finish(world->log, 3, 9);
    assert_int_equal(all + rest.len - (HEAD + sizeof note - 1), RUN_LOG_MAX - 1);
    assert_memory_equal(rest.ptr + rest.len - (sizeof note - 1), note, sizeof note - 1);
    assert_int_equal(rest.ptr[rest.len - (sizeof note - 1) - 5], 2); /* the stream */
}

static void the_last_line_has_room_for_any_count(void **state)
{
    static const char note[] = "9223372036854775807 bytes of output were not read";
    struct world *world = *state;
    struct str rest;

    for (int i = 0; i < 2 * RUN_LOG_MAX / HEAD; i++)
        run_log_add(world->log, 1, 0, STR(""));
    rest = run_log_finish(world->log, 3, INT64_MAX);
    assert_memory_equal(rest.ptr + rest.len - (sizeof note - 1), note, sizeof note - 1);
}

static void invalid_bytes_become_question_marks(void **state)
{
    struct world *world = *state;
    struct str rest;

    run_log_add(world->log, 1, 0, (struct str){"a\0b\xff\xc3\xa9\xe2\x82", 8});
    rest = run_log_finish(world->log, 3, 0);
    assert_int_equal(rest.len, HEAD + 8);
    assert_memory_equal(rest.ptr + HEAD, "a?b?\xc3\xa9??", 8);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
        CASE(a_line_is_packed_with_its_time_and_stream),
        CASE(a_batch_is_flushed_after_a_delay),
        CASE(a_full_batch_is_flushed_at_once),
        CASE(the_log_is_limited_and_its_last_line_counts_the_rest),
        CASE(the_last_line_has_room_for_any_count),
        CASE(invalid_bytes_become_question_marks),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
