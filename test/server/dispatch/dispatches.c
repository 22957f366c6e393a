/* SPDX-License-Identifier: Apache-2.0 */
#include "dispatches.h"

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

static void on_told(void *with, struct told *told)
{
    struct errands *errands = with;

    must(errands->told_count < ERRANDS_TOLD_MAX);
    errands->told[errands->told_count++] = told;
    uv_stop(loop_uv(errands->loop)); /* a round that began with timers would go on to wait */
}

static const struct settings *on_settings(void *with, int64_t namespace)
{
    struct errands *errands = with;

    (void)namespace;
    return &errands->settings;
}

static void on_wake(void *with)
{
    (void)with;
}

int errands_setup(void **state)
{
    struct errands *errands = calloc(1, sizeof *errands);

    must(errands != NULL);
    loop_free(loop_new(on_wake, NULL)); /* the first one opens what all share */
    open_before = count_files();
    errands->arena = arena_new(ARENA_MAX);
    errands->loop = loop_new(on_wake, NULL);
    errands->options = (struct calls_options){
        .loop = errands->loop,
        .http = 8,
        .http_per_host = 8,
        .exec = 8,
        .allow_loopback = true,
        .settings = on_settings,
        .on_told = on_told,
        .with = errands,
    };
    *state = errands;
    return 0;
}

void errands_open(struct errands *errands)
{
    struct err err;

    if (calls_open(&errands->options, &errands->calls, &err) != RC_OK)
        fail_msg("%s", err.text);
}

void errands_set(struct errands *errands, const char *json)
{
    struct err err;

    if (settings_read(str_of(json), errands->arena, &errands->settings, &err) != RC_OK)
        fail_msg("%s", err.text);
}

static void on_closed(void *with)
{
    struct errands *errands = with;

    errands->is_closed = true;
    uv_stop(loop_uv(errands->loop));
}

void errands_close(struct errands *errands)
{
    calls_close(errands->calls, on_closed, errands);
    errands->calls = NULL;
}

void errands_wait_closed(struct errands *errands)
{
    while (!errands->is_closed)
        uv_run(loop_uv(errands->loop), UV_RUN_ONCE);
}

void errands_forget(struct errands *errands)
{
    for (int i = 0; i < errands->told_count; i++)
        arena_free(errands->told[i]->arena);
    errands->told_count = 0;
}

int errands_teardown(void **state)
{
    struct errands *errands = *state;

    if (errands->calls) {
        errands_close(errands);
        errands_wait_closed(errands);
    }
    loop_free(errands->loop);
    errands_forget(errands);
    arena_free(errands->arena);
    must(count_files() == open_before);
    free(errands);
    return 0;
}

struct task *errands_task(struct errands *errands, enum lane lane, const char *action)
{
    struct arena *arena = arena_new(TASK_ARENA_MAX);
    struct task *task = arena_take(arena, sizeof *task);
    struct run_id id = {.schedule = 42, .slot_ms = 1790000000000};
    char text[RUN_ID_TEXT_MAX];

    (void)errands;
    run_id_format(&id, text);
    *task = (struct task){
        .arena = arena,
        .now = id.slot_ms * SPAN_MS + 250 * SPAN_MS,
        .send_by_us = clock_boot_us() + 60 * SPAN_S,
        .namespace_name = STR("default"),
        .work =
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
    return task;
}

struct stop errands_stop_of(const struct task *task)
{
    const struct run *run = &task->work.run;

    return (struct stop){.run = {run->schedule, run->slot / SPAN_MS, (uint32_t)run->pass},
                         .fence = run->fence};
}

const struct report *errands_wait(struct errands *errands, int count)
{
    while (errands->told_count < count)
        uv_run(loop_uv(errands->loop), UV_RUN_ONCE);
    return &errands->told[count - 1]->report;
}

const struct report *errands_wait_end(struct errands *errands)
{
    for (int i = 0;; i++) {
        const struct report *report = errands_wait(errands, i + 1);

        if (report->kind != REPORT_ALIVE)
            return report;
    }
}

const struct report *errands_run(struct errands *errands, struct task *task)
{
    calls_start(errands->calls, task);
    return errands_wait_end(errands);
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

const char *errands_log(struct errands *errands)
{
    struct buf out = {.cap = 4 << 20};

    out.ptr = arena_take(errands->arena, out.cap);
    for (int i = 0; i < errands->told_count; i++)
        for (struct str log = errands->told[i]->report.log; log.len > 0;)
            log = str_from(log, add_line(&out, log));
    assert_false(out.cut);
    return out.ptr;
}
