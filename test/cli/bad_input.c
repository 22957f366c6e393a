/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sends thousands of hostile lines to `belfry next --batch`: the answer to each must be exactly
 * one JSON object with times or with a non-empty error; no crash, no hang.
 *
 * A seeded generator makes the lines, so that a failure can be reproduced: the first argument
 * is the seed; without it a fixed one is used.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>
#include <jansson.h>

#include "run.h"

enum {
    LINES = 30000,
    HUGE_EXPR = 10 * 1024 * 1024,
};

static uint64_t random_state;

static uint64_t random_bits(void)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static size_t below(size_t n)
{
    return (size_t)(random_bits() % n);
}

static const char *pick(const char *const *from, size_t count)
{
    return from[below(count)];
}

#define PICK(array) pick(array, sizeof(array) / sizeof(array)[0])

static const char *const dialects[] = {
    "belfry",  "posix",    "vixie",   "cronie",         "robfig", "robfig-seconds",
    "k8s",     "github",   "quartz",  "cloudscheduler", "spring", "aws",
    "jenkins", "temporal", "systemd", "rrule",          "",       "BELFRY",
};

static const char *const pieces[] = {
    "*",
    "*/0",
    "*/5",
    "61",
    "0",
    "59",
    "1-5",
    "5-1",
    "L",
    "LW",
    "15W",
    "L-31",
    "FRI#2",
    "FRI#6",
    "MON",
    "JAN",
    "?",
    "H",
    "H/5",
    "H(1-3)",
    "1,,2",
    ",",
    "-",
    "/",
    "#",
    "~",
    "1~5",
    "+1",
    "+FRI",
    "@daily",
    "@every",
    "90m",
    "2025",
    "99999999999999999999",
    "TZ=",
    "CRON_TZ=UTC",
    "TZ=../../etc/passwd",
    "Mon..Fri",
    "*-*-*",
    "*:0/15",
    "~01",
    "rate(5 minutes)",
    "cron(0 0 * * ? *)",
    "$(reboot)",
    "\\u0000",
    "\\ud800",
    "\\u2013",
    "\xe2\x80\x93",
    "\xff",
    "\xc0\x80",
    "DTSTART:20260101T000000Z\\n",
    "RRULE:FREQ=SECONDLY;INTERVAL=7;BYYEARDAY=366",
    "FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30",
    "%s%n%x",
    "\\\"",
    "\\t",
    "\\n",
    "0.5",
    "-1",
    "1e9",
    "0x10",
    " ",
    "  ",
};

static const char *const zones[] = {
    "UTC",       "America/New_York", "Mars/X",     "../etc/passwd", "/etc/passwd",
    "",          "UTC+99:99",        "UTC+05:30",  "Europe",        "posixrules",
    "right/UTC", "a\\u0000b",        "Etc/GMT+12", "\xff\xfe",
};

static const char *const moments[] = {
    "2026-01-01T00:00:00Z",
    "0001-01-01T00:00:00Z",
    "9999-12-31T23:59:59.999999Z",
    "10000-01-01T00:00:00Z",
    "2026-02-30T00:00:00Z",
    "now",
    "",
    "2026-01-01",
    "-1",
    "2026-12-31T23:59:60Z",
    "2026-01-01T00:00:00+99:99",
    "2011-12-30T10:00:00Z",
};

static const char *const specs[] = {
    "{}",
    "[]",
    "null",
    "1",
    "\"@daily\"",
    "{\"cron\":[\"* * * * *\"],\"end\":\"x\"}",
    "{\"cron\":\"* * * * *\"}",
    "{\"intervals\":[{\"every\":\"0s\"}]}",
    "{\"intervals\":[{\"every\":\"1s\",\"anchor\":\"midnight\"}]}",
    "{\"intervals\":[{\"every\":\"5\"}]}",
    "{\"at\":[\"now\",\"now\"]}",
    "{\"timesOfDay\":[\"24:00\"]}",
    "{\"timesOfDay\":[\"00:00\"],\"jitter\":\"1000000d\"}",
    "{\"calendars\":[{\"second\":\"*\",\"year\":\"1970\"}]}",
    "{\"cron\":[\"* * * * * *\"],"
    "\"exclude\":{\"calendars\":[{\"second\":\"*\",\"minute\":\"*\","
    "\"hour\":\"*\"}]}}",
    "{\"cron\":[\"* * * * * *\"],\"exclude\":{\"calendars\":[{\"second\":\"0-58\",\"minute\":"
    "\"*\",\"hour\":\"*\"},{\"second\":\"59\",\"minute\":\"*\",\"hour\":\"*\"}]}}",
    "{\"cron\":[\"0 12 * * *\"],"
    "\"window\":{\"from\":\"13:00\",\"to\":\"11:00\",\"rule\":\"filter\"}}",
    "{\"cron\":[\"0 12 * * *\"],\"window\":{\"from\":\"25:00\",\"to\":\"11:00\"}}",
    "{\"cronString\":[\"@every 1s/5s\"]}",
    "{\"interval\":[{\"interval\":\"-1s\"}]}",
    "{\"structuredCalendar\":[{\"second\":[{\"start\":0,\"end\":2147483647}]}]}",
    "{\"excludeStructuredCalendar\":[{\"second\":[{\"start\":0,\"end\":2147483647}]}]}",
    "{\"cron\":[{\"expr\":\"@daily\",\"dialect\":\"rrule\"}],\"timezone\":\"Nowhere\"}",
};

static const char *const values[] = {
    "0",
    "-1",
    "1",
    "10000",
    "10001",
    "5.5",
    "1e400",
    "\"5\"",
    "null",
    "true",
    "[]",
    "{}",
    "99999999999999999999",
    "{\"gap\":\"skip\",\"fold\":\"both\"}",
    "{\"gap\":1}",
    "\"literal\"",
};

struct text {
    char *ptr;
    size_t len, room;
};

static void add(struct text *text, const char *bytes, size_t len)
{
    if (text->len + len + 1 > text->room) {
        text->room = 2 * text->room + len + 4096;
        text->ptr = realloc(text->ptr, text->room);
        assert_non_null(text->ptr);
    }
    memcpy(text->ptr + text->len, bytes, len);
    text->len += len;
}

static void add_text(struct text *text, const char *s)
{
    add(text, s, strlen(s));
}

static void add_member(struct text *line, const char *key, const char *value, bool quoted)
{
    add_text(line, line->len > 1 ? ",\"" : "\"");
    add_text(line, key);
    add_text(line, quoted ? "\":\"" : "\":");
    add_text(line, value);
    add_text(line, quoted ? "\"" : "");
}

static void add_expr(struct text *line)
{
    add_text(line, line->len > 1 ? ",\"expr\":\"" : "\"expr\":\"");
    for (size_t n = below(9); n > 0; n--) {
        add_text(line, PICK(pieces));
        add_text(line, n > 1 && below(8) > 0 ? " " : "");
    }
    add_text(line, "\"");
}

/* An object that resembles a query. */
static void make_line(struct text *line)
{
    line->len = 0;
    add_text(line, "{");
    if (below(4) > 0)
        add_member(line, "id", PICK(values), false);
    if (below(2) > 0)
        add_member(line, "dialect", PICK(dialects), true);
    if (below(8) > 0)
        add_expr(line);
    if (below(4) == 0)
        add_member(line, "spec", PICK(specs), false);
    if (below(2) > 0)
        add_member(line, "tz", PICK(zones), true);
    if (below(2) > 0)
        add_member(line, "after", PICK(moments), true);
    if (below(4) == 0)
        add_member(line, "n", PICK(values), false);
    if (below(6) == 0)
        add_member(line, "dst", PICK(values), false);
    if (below(6) == 0)
        add_member(line, "seed", PICK(pieces), true);
    add_text(line, "}");
}

/* Replaces bytes or cuts the line; never inserts a line break. */
static void spoil(struct text *line)
{
    for (size_t n = below(4); n > 0 && line->len > 0; n--) {
        size_t at = below(line->len);
        char byte = (char)below(256);

        if (below(3) == 0)
            line->len = at;
        else if (byte != '\n')
            line->ptr[at] = byte;
    }
}

static void repeat(struct text *line, const char *s, size_t times)
{
    while (times-- > 0)
        add_text(line, s);
}

/* A few large lines that are known to be difficult. */
static void make_large(struct text *line, int which)
{
    line->len = 0;
    switch (which) {
    case 0:
        repeat(line, "[", 100000);
        break;
    case 1:
        repeat(line, "{\"id\":", 100000);
        break;
    case 2:
        add_text(line, "{\"expr\":\"");
        repeat(line, "1", HUGE_EXPR);
        add_text(line, " * * * *\"}");
        break;
    case 3:
        add_text(line, "{\"expr\":\"");
        repeat(line, "1,", 400000);
        add_text(line, "1 * * * *\"}");
        break;
    case 4:
        add_text(line, "{\"expr\":\"@daily\",\"id\":[");
        repeat(line, "0.1,", 200000);
        add_text(line, "1]}");
        break;
    case 5:
        add_text(line, "{\"spec\":{\"at\":[\"now\"");
        repeat(line, ",\"2026-01-01T00:00:00Z\"", 5000);
        add_text(line, "]}}");
        break;
    case 6:
        add_text(line, "{\"spec\":{\"cron\":[\"@daily\"");
        repeat(line, ",\"* * * * *\"", 300);
        add_text(line, "]}}");
        break;
    default:
        repeat(line, "\xf0\x9f\x94\x94", 1000);
        break;
    }
}

enum { LARGE = 8 };

static void make_all(struct text *all)
{
    static struct text line;

    for (int i = 0; i < LINES + LARGE; i++) {
        if (i >= LINES)
            make_large(&line, i - LINES);
        else
            make_line(&line);
        if (i < LINES && below(2) == 0)
            spoil(&line);
        add(all, line.ptr, line.len);
        add_text(all, "\n");
    }
    free(line.ptr);
    line = (struct text){NULL, 0, 0};
}

static void check_answer(const char *line, size_t len, int number)
{
    json_t *answer = json_loadb(line, len, JSON_REJECT_DUPLICATES, NULL);
    const json_t *error, *times;

    if (!json_is_object(answer))
        fail_msg("line %d: not an object: %.300s", number, line);
    error = json_object_get(answer, "error");
    times = json_object_get(answer, "times");
    if (json_is_array(times) == json_is_string(error))
        fail_msg("line %d: not exactly one of times and error: %.300s", number, line);
    if (json_is_string(error) && json_string_length(error) == 0)
        fail_msg("line %d: the error is empty", number);
    if (!json_object_get(answer, "id") && !json_is_integer(json_object_get(answer, "line")))
        fail_msg("line %d: neither id nor line: %.300s", number, line);
    json_decref(answer);
}

static void hostile_lines_are_answered_one_by_one(void **state)
{
    static const char *const words[] = {"next", "--batch", "-", NULL};
    static struct text all;
    int in, out = run_file("", 0), err = run_file("", 0), answers = 0;
    char *line = NULL;
    size_t room = 0;
    ssize_t len;
    FILE *file;

    (void)state;
    make_all(&all);
    in = run_file(all.ptr, all.len);
    free(all.ptr);
    assert_int_equal(run_wait(run_start(words, in, out, err)), 0);
    lseek(out, 0, SEEK_SET);
    file = fdopen(out, "r");
    while ((len = getline(&line, &room, file)) > 0)
        check_answer(line, (size_t)len, ++answers);
    assert_int_equal(answers, LINES + LARGE);
    assert_int_equal(lseek(err, 0, SEEK_END), 0);
    free(line);
    fclose(file);
    close(in);
    close(err);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_lines_are_answered_one_by_one),
    };

    random_state = 0x9e3779b97f4a7c15u;
    for (const char *p = argc > 1 ? argv[1] : ""; *p != '\0'; p++)
        random_state = random_state * 31 + (uint64_t)*p;
    return cmocka_run_group_tests(tests, NULL, NULL);
}
