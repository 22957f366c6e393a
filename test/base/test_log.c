/* SPDX-License-Identifier: Apache-2.0 */
/* Expected values: the contract in base/log.h, RFC 8259 for strings, RFC 3339 for times. */
#include "base/log.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "aborts.h"

/* 2026-03-08T07:05:09.042Z, according to `date -u -d @1772953509`. */
#define NOW (INT64_C(1772953509) * SPAN_S + 42 * SPAN_MS + 999)

/* A sink with room for `room` more lines. */
struct kept {
    char text[3 * LOG_LINE_MAX];
    size_t len;
    int room;
};

static bool keep(void *arg, struct str line)
{
    struct kept *kept = arg;

    if (kept->room == 0)
        return false;
    kept->room--;
    assert_true(kept->len + line.len < sizeof kept->text);
    memcpy(kept->text + kept->len, line.ptr, line.len);
    kept->len += line.len;
    kept->text[kept->len] = '\0';
    return true;
}

static struct kept kept;

static void open_log(struct log *log, enum log_level level, enum log_format format)
{
    kept = (struct kept){.room = 100};
    log_open(log, (struct log_sink){keep, &kept}, level, format);
}

static void a_line_has_time_level_message_and_fields(void **state)
{
    struct log log;

    (void)state;
    open_log(&log, LEVEL_DEBUG, LOG_LOGFMT);
    log_say(&log, NOW, LEVEL_INFO, "listening", LOG_TEXT("address", "[::1]:7227"),
            LOG_INT("connections", -3), LOG_BOOL("tls", false),
            LOG_INSTANT("since", INT64_C(951782400) * SPAN_S));
    assert_string_equal(kept.text, "time=2026-03-08T07:05:09.042Z level=info msg=listening "
                                   "address=[::1]:7227 connections=-3 tls=false "
                                   "since=2000-02-29T00:00:00.000Z\n");
    open_log(&log, LEVEL_DEBUG, LOG_JSON);
    log_say(&log, NOW, LEVEL_ERROR, "cannot listen", LOG_TEXT("address", "[::1]:7227"),
            LOG_INT("lowest", INT64_MIN), LOG_BOOL("tls", true),
            LOG_INSTANT("since", INT64_C(951782400) * SPAN_S));
    assert_string_equal(kept.text, "{\"time\":\"2026-03-08T07:05:09.042Z\",\"level\":\"error\","
                                   "\"msg\":\"cannot listen\",\"address\":\"[::1]:7227\","
                                   "\"lowest\":-9223372036854775808,\"tls\":true,"
                                   "\"since\":\"2000-02-29T00:00:00.000Z\"}\n");
}

static void a_line_may_have_no_fields(void **state)
{
    struct log log;

    (void)state;
    open_log(&log, LEVEL_DEBUG, LOG_LOGFMT);
    log_say(&log, 0, LEVEL_DEBUG, "up");
    assert_string_equal(kept.text, "time=1970-01-01T00:00:00.000Z level=debug msg=up\n");
    log_say(&log, INSTANT_MAX + SPAN_DAY, LEVEL_DEBUG, "up");
    assert_non_null(strstr(kept.text, "time=9999-12-31T23:59:59.999Z level=debug msg=up\n"));
}

/* The logfmt text after "x=". */
static const char *value_of(struct str s)
{
    static char text[LOG_LINE_MAX + 1];
    struct buf out = BUF(text);

    log_line(LOG_LOGFMT, 0, LEVEL_INFO, "m",
             (struct log_field[]){LOG_STR("x", s), {.key = NULL}}, &out);
    assert_false(out.cut);
    assert_int_equal(text[out.len - 1], '\n');
    text[out.len - 1] = '\0';
    return strstr(text, " x=") + 3;
}

static void text_with_special_characters_is_quoted(void **state)
{
    (void)state;
    assert_string_equal(value_of(STR("a-b/c:d,e")), "a-b/c:d,e");
    assert_string_equal(value_of(STR("")), "\"\"");
    assert_string_equal(value_of(STR("a b")), "\"a b\"");
    assert_string_equal(value_of(STR("a=b")), "\"a=b\"");
    assert_string_equal(value_of(STR("say \"x\"")), "\"say \\\"x\\\"\"");
    assert_string_equal(value_of(STR("a\\b")), "\"a\\\\b\"");
    assert_string_equal(value_of(STR("Zürich")), "\"Zürich\"");
}

static void control_characters_are_escaped(void **state)
{
    (void)state;
    assert_string_equal(value_of(STR("a\nlevel=info")), "\"a\\u000alevel=info\"");
    assert_string_equal(value_of(STR("\x1b[2J")), "\"\\u001b[2J\"");
    assert_string_equal(value_of(STR("\0\x7f\t")), "\"\\u0000\\u007f\\u0009\"");
    assert_string_equal(value_of(STR("\xc2\x9b")), "\"\\u009b\"");        /* CSI of C1      */
    assert_string_equal(value_of(STR("\xe2\x80\xa8")), "\"\\u2028\"");    /* line separator */
    assert_string_equal(value_of(STR("\xe2\x80\xae")), "\"\\u202e\"");    /* right to left  */
    assert_string_equal(value_of(STR("\xe2\x81\xa6")), "\"\\u2066\"");    /* isolate        */
    assert_string_equal(value_of(STR("\xff\xc3")), "\"\\ufffd\\ufffd\""); /* not UTF-8      */
    assert_string_equal(value_of(STR("\xf0\x9f\x94\x94")), "\"\xf0\x9f\x94\x94\"");
}

static void a_long_text_is_cut_between_characters(void **state)
{
    static char text[5000];
    const char *value;
    size_t len;

    (void)state;
    for (size_t i = 0; i + 1 < sizeof text; i += 2)
        memcpy(text + i, "\xc3\xbc", 2);
    value = value_of((struct str){text, sizeof text});
    len = strlen(value);
    assert_in_range(len, LOG_VALUE_MAX - 16, LOG_VALUE_MAX + 2);
    assert_string_equal(value + len - 4, "\u2026\"");
    assert_true(str_is_utf8((struct str){value, len}));
    memset(text, '\x01', sizeof text);
    assert_in_range(strlen(value_of((struct str){text, sizeof text})), LOG_VALUE_MAX - 16,
                    LOG_VALUE_MAX + 2);
    /* A text that fits is not cut. */
    memset(text, 'a', sizeof text);
    value = value_of((struct str){text, 1000});
    assert_int_equal(strlen(value), 1002);
    assert_null(strstr(value, "\u2026"));
}

static void fields_that_do_not_fit_are_left_out_and_the_line_says_so(void **state)
{
    static char wide[LOG_VALUE_MAX], text[LOG_LINE_MAX + 1];
    struct buf out = BUF(text);
    struct log_field fields[] = {
        LOG_STR("a", ((struct str){wide, sizeof wide})),
        LOG_STR("b", ((struct str){wide, sizeof wide})),
        LOG_STR("c", ((struct str){wide, sizeof wide})),
        LOG_STR("d", ((struct str){wide, sizeof wide})),
        LOG_INT("e", 5),
        {.key = NULL},
    };

    (void)state;
    memset(wide, 'w', sizeof wide);
    log_line(LOG_LOGFMT, NOW, LEVEL_WARN, "m", fields, &out);
    assert_false(out.cut);
    assert_true(out.len <= LOG_LINE_MAX);
    assert_non_null(strstr(text, " c=\"www"));
    assert_null(strstr(text, " d="));
    assert_string_equal(text + out.len - 14, " e=5 cut=true\n");
    out = BUF(text);
    log_line(LOG_JSON, NOW, LEVEL_WARN, "m", fields, &out);
    assert_true(out.len <= LOG_LINE_MAX);
    assert_string_equal(text + out.len - 19, ",\"e\":5,\"cut\":true}\n");
}

static void lines_below_the_level_are_not_written(void **state)
{
    struct log log;

    (void)state;
    open_log(&log, LEVEL_WARN, LOG_LOGFMT);
    log_say(&log, NOW, LEVEL_INFO, "quiet");
    assert_int_equal(kept.len, 0);
    assert_false(log_wants(&log, LEVEL_INFO));
    assert_true(log_wants(&log, LEVEL_WARN));
    log_set(&log, LEVEL_INFO, LOG_JSON);
    log_say(&log, 0, LEVEL_INFO, "heard");
    assert_string_equal(kept.text, "{\"time\":\"1970-01-01T00:00:00.000Z\","
                                   "\"level\":\"info\",\"msg\":\"heard\"}\n");
}

static void lost_lines_are_counted_and_reported_before_the_next_line(void **state)
{
    struct log log;

    (void)state;
    open_log(&log, LEVEL_INFO, LOG_LOGFMT);
    kept.room = 0;
    log_say(&log, 0, LEVEL_INFO, "one");
    log_say(&log, 0, LEVEL_DEBUG, "not wanted, so not lost");
    log_say(&log, 0, LEVEL_INFO, "two");
    kept.room = 1; /* enough for the report, not for the line itself */
    log_say(&log, 0, LEVEL_INFO, "three");
    assert_string_equal(kept.text, "time=1970-01-01T00:00:00.000Z level=warn "
                                   "msg=\"log lines lost\" lines=2\n");
    kept.len = 0;
    kept.room = 1;
    log_report_lost(&log, 0);
    assert_string_equal(kept.text, "time=1970-01-01T00:00:00.000Z level=warn "
                                   "msg=\"log lines lost\" lines=1\n");
    kept.len = 0;
    kept.room = 2;
    log_report_lost(&log, 0);
    log_say(&log, 0, LEVEL_INFO, "four");
    assert_string_equal(kept.text, "time=1970-01-01T00:00:00.000Z level=info msg=four\n");
}

static void write_bad_key(void *arg)
{
    char text[LOG_LINE_MAX + 1];
    struct buf out = BUF(text);

    log_line(LOG_LOGFMT, 0, LEVEL_INFO, "m",
             (struct log_field[]){LOG_INT(arg, 1), {.key = NULL}}, &out);
}

static void an_invalid_key_aborts(void **state)
{
    static char blank[] = "a b", taken[] = "level", upper[] = "Key", empty[] = "",
                good[] = "run_2";

    (void)state;
    assert_true(aborts(write_bad_key, blank));
    assert_true(aborts(write_bad_key, taken));
    assert_true(aborts(write_bad_key, upper));
    assert_true(aborts(write_bad_key, empty));
    assert_false(aborts(write_bad_key, good));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_line_has_time_level_message_and_fields),
        cmocka_unit_test(a_line_may_have_no_fields),
        cmocka_unit_test(text_with_special_characters_is_quoted),
        cmocka_unit_test(control_characters_are_escaped),
        cmocka_unit_test(a_long_text_is_cut_between_characters),
        cmocka_unit_test(fields_that_do_not_fit_are_left_out_and_the_line_says_so),
        cmocka_unit_test(lines_below_the_level_are_not_written),
        cmocka_unit_test(lost_lines_are_counted_and_reported_before_the_next_line),
        cmocka_unit_test(an_invalid_key_aborts),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
