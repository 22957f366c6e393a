/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the results of a timeline as text: starts and stops, counters, ledger and history.
 */
#include "base/buf.h"
#include "core/time/civil.h"
#include "harness_internal.h"
#include "store/cursors.h"
#include "store/runs.h"

enum { ROWS_MAX = 4000, CLOCKS = 4, CLOCK_MAX = 40 };

static char calls_text[LINE_BYTES], line_text[LINE_BYTES];
static struct buf calls;
static int start_count;

void read_begin(void)
{
    calls = BUF(calls_text);
    calls.ptr[0] = '\0';
    start_count = 0;
}

static void put_time(struct buf *out, instant t)
{
    int64_t s = instant_seconds(t);
    int ms = (int)((t - instant_of_seconds(s)) / SPAN_MS);
    struct civil civil, base = civil_of_local(instant_seconds(world.base));

    if (t == INSTANT_NEVER || t == INSTANT_NONE) {
        buf_text(out, t == INSTANT_NEVER ? "never" : "none");
        return;
    }
    civil = civil_of_local(s);
    if (civil.date.year != base.date.year)
        buf_printf(out, "%04d-", civil.date.year);
    if (civil.date.year != base.date.year || civil.date.month != base.date.month ||
        civil.date.day != base.date.day)
        buf_printf(out, "%02d-%02d ", civil.date.month, civil.date.day);
    buf_printf(out, "%02d:%02d", civil.hour, civil.minute);
    if (civil.second != 0 || ms != 0)
        buf_printf(out, ":%02d", civil.second);
    if (ms != 0)
        buf_printf(out, ".%03d", ms);
}

const char *clock_text(instant t)
{
    static char texts[CLOCKS][CLOCK_MAX];
    static int next;
    struct buf out = BUF(texts[0]);

    next = (next + 1) % CLOCKS;
    out.ptr = texts[next];
    put_time(&out, t);
    return texts[next];
}

void assert_moment(instant got, const char *expected, const char *file, int line)
{
    instant wanted = strcmp(expected, "never") == 0  ? INSTANT_NEVER
                     : strcmp(expected, "none") == 0 ? INSTANT_NONE
                                                     : when(expected);

    if (got != wanted)
        fail_test("%s:%d: it is %s, not %s", file, line, clock_text(got), expected);
}

/* "00:05", "t00:05" for a trigger, "b00:05" for a backfill; "#2" for a second attempt. */
static void put_run(struct buf *out, int64_t kind, instant slot, int64_t attempt)
{
    static const char *const marks[] = {"", "t", "b", "d", "test "};

    must(kind >= 0 && kind < (int64_t)(sizeof marks / sizeof marks[0]));
    buf_text(out, marks[kind]);
    put_time(out, slot);
    if (attempt > 1)
        buf_printf(out, "#%lld", (long long)attempt);
}

static void write_call(const struct call *call, const char *verb)
{
    const struct run *run = &call->work.run;

    buf_text(&calls, calls.len > 0 ? ", " : "");
    buf_text(&calls, verb);
    if (world.shows_names)
        buf_printf(&calls, "%s ", name_of(run->schedule));
    put_run(&calls, (int64_t)run->kind, run->slot, run->attempt);
    buf_text(&calls, "@");
    put_time(&calls, world.now);
    if (calls.cut)
        fail_test("the list of calls is too long");
}

void event_start(const struct call *call)
{
    write_call(call, "");
    start_count++;
}

void event_stop(const struct call *call)
{
    write_call(call, call->is_terminated ? "terminate " : "cancel ");
}

static void compare(const char *what, const char *got, const char *expected)
{
    if (strcmp(got, expected) != 0)
        fail_test("%s at %s\n  expected: %s\n  got:      %s", what, clock_text(world.now),
                  expected, got);
}

void assert_calls(const char *expected)
{
    compare("calls", calls.ptr, expected);
    read_begin();
}

int count_calls(void)
{
    int count = start_count;

    read_begin();
    return count;
}

static void flush(void)
{
    struct err err = {.text = ""};

    if (db_flush(first_up()->db, world.arena, &err) != RC_OK)
        fail_test("%s", err.text);
}

struct cursor cursor_of(const char *name)
{
    struct db_result result = {0};
    struct cursor cursor;

    cursors_peek(first_up()->db, key_of(name), &result);
    flush();
    if (result.rows != 1)
        fail_test("%s has no cursor", name);
    cursors_read(&result, 0, &cursor);
    return cursor;
}

struct schedule_row row_of(const char *name)
{
    struct db_result result = {0};
    struct schedule_row row;

    schedules_get(first_up()->db, key_of(name), &result);
    flush();
    if (result.rows != 1)
        fail_test("%s has no row", name);
    schedules_read(&result, 0, &row);
    return row;
}

int run_rows(const char *name)
{
    struct db_result held = {0}, others = {0};

    runs_of_schedule(first_up()->db, key_of(name), true, ROWS_MAX, &held);
    runs_of_schedule(first_up()->db, key_of(name), false, ROWS_MAX, &others);
    flush();
    return held.rows + others.rows;
}

void assert_counts(const char *name, const char *expected)
{
    struct cursor c = cursor_of(name);
    const struct {
        const char *name;
        int64_t count;
    } list[] = {{"started", c.started}, {"skipped", c.skipped},     {"missed", c.missed},
                {"dropped", c.dropped}, {"cancelled", c.cancelled}, {"failed", c.failed},
                {"open", c.open},       {"waiting", c.waiting},     {"backfills", c.backfills}};
    struct buf out = BUF(line_text);

    line_text[0] = '\0';
    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (list[i].count != 0)
            buf_printf(&out, "%s%s %lld", out.len > 0 ? ", " : "", list[i].name,
                       (long long)list[i].count);
    compare(name, line_text, expected);
}

static void put_outcome(struct buf *out, enum outcome outcome, enum reason reason)
{
    buf_text(out, outcome_text(outcome));
    if (reason != REASON_NONE)
        buf_printf(out, "(%s)", reason_text(reason));
}

void assert_ledger(const char *name, const char *expected)
{
    struct db_result result = {0};
    struct buf out = BUF(line_text);

    line_text[0] = '\0';
    ledger_of_schedule(first_up()->db, key_of(name), INSTANT_MIN, ROWS_MAX, &result);
    flush();
    for (int i = 0; i < result.rows; i++) {
        struct ledger_entry entry;

        ledger_read(&result, i, &entry);
        buf_text(&out, i > 0 ? ", " : "");
        put_outcome(&out, entry.account.outcome, entry.account.reason);
        buf_text(&out, entry.pass > 0 ? " *" : " ");
        put_time(&out, entry.account.first);
        if (entry.account.count == 1)
            continue;
        buf_text(&out, "-");
        put_time(&out, entry.account.last);
        buf_printf(&out, " x%lld", (long long)entry.account.count);
    }
    compare("ledger", line_text, expected);
}

void assert_history(const char *name, const char *expected)
{
    struct db_result result = {0};
    struct buf out = BUF(line_text);

    line_text[0] = '\0';
    history_of_schedule(first_up()->db, key_of(name), INT64_MAX, ROWS_MAX, &result);
    flush();
    for (int i = result.rows; i-- > 0;) {
        struct history_row row;

        history_read(&result, i, &row);
        buf_text(&out, out.len > 0 ? ", " : "");
        put_run(&out, row.kind, row.slot, row.attempt);
        buf_text(&out, " ");
        put_outcome(&out, row.outcome, row.reason);
        buf_text(&out, row.last ? "" : " retried");
    }
    compare("history", line_text, expected);
}
