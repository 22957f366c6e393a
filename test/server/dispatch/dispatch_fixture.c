/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Implements the fixture: collects reports and runs the loop.
 */
#include "dispatch_fixture.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/must.h"
#include "io/clock.h"

enum { ARENA_MAX = 64 << 20, LINE_HEAD = 13, LINE_STREAM = 8, LINE_LENGTH = 9 };

static int open_before;

static int count_files(void)
{
    DIR *dir = opendir("/proc/self/fd");
    int count = 0;

    must(dir != NULL);
    while (readdir(dir))
        count++;
    closedir(dir);
    return count;
}

static void on_report(void *arg, struct dispatch_report *reports)
{
    struct dispatch_fixture *fixture = arg;

    must(fixture->report_count < REPORTS_MAX);
    fixture->reports[fixture->report_count++] = reports;
    uv_stop(loop_uv(fixture->loop)); /* UV_RUN_ONCE waits for I/O after its timers */
}

static const struct dispatch_settings *on_settings(void *arg, int64_t namespace)
{
    struct dispatch_fixture *fixture = arg;

    (void)namespace;
    return &fixture->settings;
}

static void on_wake(void *arg)
{
    (void)arg;
}

int fixture_setup(void **state)
{
    struct dispatch_fixture *fixture = calloc(1, sizeof *fixture);

    must(fixture != NULL);
    loop_free(loop_new(on_wake, NULL)); /* the first loop opens shared descriptors */
    open_before = count_files();
    fixture->arena = arena_new(ARENA_MAX);
    fixture->loop = loop_new(on_wake, NULL);
    fixture->options = (struct dispatcher_options){
        .loop = fixture->loop,
        .http = 8,
        .http_per_host = 8,
        .exec = 8,
        .allow_loopback = true,
        .settings = on_settings,
        .on_report = on_report,
        .arg = fixture,
    };
    *state = fixture;
    return 0;
}

void fixture_open(struct dispatch_fixture *fixture)
{
    struct err err;

    if (dispatcher_open(&fixture->options, &fixture->dispatcher, &err) != RC_OK)
        fail_msg("%s", err.text);
}

void fixture_set(struct dispatch_fixture *fixture, const char *json)
{
    struct err err;

    if (dispatch_settings_read(str_of(json), fixture->arena, &fixture->settings, &err) != RC_OK)
        fail_msg("%s", err.text);
}

static void on_closed(void *arg)
{
    struct dispatch_fixture *fixture = arg;

    fixture->is_closed = true;
    uv_stop(loop_uv(fixture->loop));
}

void fixture_close(struct dispatch_fixture *fixture)
{
    dispatcher_close(fixture->dispatcher, on_closed, fixture);
    fixture->dispatcher = NULL;
}

void fixture_wait_closed(struct dispatch_fixture *fixture)
{
    while (!fixture->is_closed)
        uv_run(loop_uv(fixture->loop), UV_RUN_ONCE);
}

void fixture_forget(struct dispatch_fixture *fixture)
{
    for (int i = 0; i < fixture->report_count; i++)
        arena_free(fixture->reports[i]->arena);
    fixture->report_count = 0;
}

int fixture_teardown(void **state)
{
    struct dispatch_fixture *fixture = *state;

    if (fixture->dispatcher) {
        fixture_close(fixture);
        fixture_wait_closed(fixture);
    }
    loop_free(fixture->loop);
    fixture_forget(fixture);
    arena_free(fixture->arena);
    must(count_files() == open_before);
    free(fixture);
    return 0;
}

struct dispatch_order *fixture_order(struct dispatch_fixture *fixture, enum lane lane,
                                     const char *action)
{
    struct arena *arena = arena_new(ORDER_ARENA_MAX);
    struct dispatch_order *order = arena_take(arena, sizeof *order);
    struct run_id id = {.schedule = 42, .slot_ms = 1790000000000};
    char text[RUN_ID_TEXT_MAX];

    (void)fixture;
    run_id_format(&id, text);
    *order = (struct dispatch_order){
        .arena = arena,
        .now = id.slot_ms * SPAN_MS + 250 * SPAN_MS,
        .send_by_us = clock_boot_us() + 60 * SPAN_S,
        .namespace_name = STR("default"),
        .assignment =
            {
                .id = arena_str(arena, str_of(text)),
                .name = STR("nightly"),
                .action = arena_str(arena, str_of(action)),
                .namespace = 1,
                .last_run_at = INSTANT_NONE,
                .deadline = INSTANT_NEVER,
                .run =
                    {
                        .id = 4711,
                        .schedule = id.schedule,
                        .slot = id.slot_ms * SPAN_MS,
                        .kind = RUN_SLOT,
                        .state = RUN_RUNNING,
                        .lane = (uint8_t)lane,
                        .due = id.slot_ms * SPAN_MS,
                        .attempt = 1,
                        .fence = 7,
                        .lease_until = INSTANT_NEVER,
                        .wake_at = INSTANT_NEVER,
                        .created_at = id.slot_ms * SPAN_MS,
                        .started_at = id.slot_ms * SPAN_MS + 250 * SPAN_MS,
                        .attempt_at = id.slot_ms * SPAN_MS + 250 * SPAN_MS,
                    },
            },
    };
    return order;
}

struct stop fixture_stop_of(const struct dispatch_order *order)
{
    const struct run *run = &order->assignment.run;

    return (struct stop){.run = {run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass},
                         .fence = run->fence};
}

const struct report *fixture_wait(struct dispatch_fixture *fixture, int count)
{
    while (fixture->report_count < count)
        uv_run(loop_uv(fixture->loop), UV_RUN_ONCE);
    return &fixture->reports[count - 1]->report;
}

const struct report *fixture_wait_end(struct dispatch_fixture *fixture)
{
    for (int i = 0;; i++) {
        const struct report *report = fixture_wait(fixture, i + 1);

        if (report->kind != REPORT_ALIVE)
            return report;
    }
}

const struct report *fixture_run(struct dispatch_fixture *fixture, struct dispatch_order *order)
{
    dispatcher_start(fixture->dispatcher, order);
    return fixture_wait_end(fixture);
}

static size_t add_line(struct buf *out, struct str packed)
{
    size_t len = 0;

    assert_true(packed.len >= LINE_HEAD);
    for (int i = 0; i < 4; i++)
        len |= (size_t)(unsigned char)packed.ptr[LINE_LENGTH + i] << (8 * i);
    assert_true(packed.len - LINE_HEAD >= len);
    buf_printf(out, "%d ", packed.ptr[LINE_STREAM]);
    buf_add(out, packed.ptr + LINE_HEAD, len);
    buf_char(out, '\n');
    return LINE_HEAD + len;
}

const char *fixture_log(struct dispatch_fixture *fixture)
{
    struct buf out = {.cap = 4 << 20};

    out.ptr = arena_take(fixture->arena, out.cap);
    for (int i = 0; i < fixture->report_count; i++)
        for (struct str log = fixture->reports[i]->report.log; log.len > 0;)
            log = str_from(log, add_line(&out, log));
    assert_false(out.cut);
    return out.ptr;
}
