/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The scanner for flat lines must agree with the JSON reader on every line that it accepts.
 */
#include "cli/time/batch_query.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct batch_query defaults = {.after = 1, .n = BATCH_QUERY_N_DEFAULT};

static enum rc read_json(struct str line, struct batch_query *q, char *room, json_t **json)
{
    struct err err;
    enum rc rc = json_read(line, json, &err);

    *q = defaults;
    if (rc != RC_OK || !json_is_object(*json))
        return RC_INVALID;
    return batch_query_read(*json, room, q, &err);
}

/* Compares both readers if the scanner accepts the line; returns whether it does. */
static bool compare_readers(const char *line, size_t len)
{
    static char room[BATCH_QUERY_ID_MAX];
    struct batch_query scanned = defaults, read;
    json_t *json = NULL;

    if (!batch_query_scan((struct str){line, len}, &scanned))
        return false;
    assert_int_equal(read_json((struct str){line, len}, &read, room, &json), RC_OK);
    assert_true(str_eq(scanned.id, read.id));
    assert_true(scanned.has_expr && str_eq(scanned.expr, read.expr));
    assert_true(str_eq(scanned.zone, read.zone) && str_eq(scanned.seed, read.seed));
    assert_int_equal(scanned.dialect, read.dialect);
    assert_int_equal(scanned.after, read.after);
    assert_int_equal(scanned.n, read.n);
    assert_int_equal(scanned.dst.name, read.dst.name);
    assert_int_equal(scanned.dst.custom.gap, read.dst.custom.gap);
    assert_int_equal(scanned.dst.custom.fold, read.dst.custom.fold);
    json_decref(json);
    return true;
}

static void the_scanner_reads_flat_lines(void **state)
{
    static const char *const lines[] = {
        "{\"id\":1,\"expr\":\"@daily\"}",
        " { \"expr\" : \"0 9 * * *\" , \"id\" : \"a\" , \"n\" : 7 } \r",
        ("{\"id\":\"x\",\"dialect\":\"quartz\",\"expr\":\"0 0 12 L * ?\","
         "\"tz\":\"Asia/Tokyo\",\"after\":\"2026-01-01T00:00:00Z\",\"n\":10000,"
         "\"dst\":\"skip/last\",\"seed\":\"s\"}"),
    };
    struct batch_query q;

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        q = defaults;
        assert_true(batch_query_scan(str_of(lines[i]), &q));
        assert_true(compare_readers(lines[i], strlen(lines[i])));
    }
    assert_int_equal(q.dialect, DIALECT_QUARTZ);
    assert_int_equal(q.n, 10000);
    assert_true(str_eq(q.id, STR("\"x\"")));
    assert_true(str_eq(q.zone, STR("Asia/Tokyo")));
    assert_int_equal(q.after, INT64_C(1767225600000000));
    assert_int_equal(q.dst.custom.gap, GAP_SKIP);
    assert_int_equal(q.dst.custom.fold, FOLD_LAST);
}

static void the_scanner_rejects_all_other_lines(void **state)
{
    static const char *const lines[] = {
        "",
        "{}",
        "{\"expr\":\"@daily\"",
        "{\"expr\":\"@daily\"}}",
        "{\"expr\":\"@daily\",}",
        "{,\"expr\":\"@daily\"}",
        "{\"expr\":\"@daily\" \"n\":1}",
        "{\"expr\":\"@daily\",\"expr\":\"@daily\"}",
        "{\"expr\":\"a\\u0041\"}",
        "{\"expr\":\"\xc3\xa9\"}",
        "{\"expr\":\"\t\"}",
        "{\"expr\":1}",
        "{\"expr\":\"@daily\",\"n\":0}",
        "{\"expr\":\"@daily\",\"n\":01}",
        "{\"expr\":\"@daily\",\"n\":1.0}",
        "{\"expr\":\"@daily\",\"n\":1e1}",
        "{\"expr\":\"@daily\",\"n\":-1}",
        "{\"expr\":\"@daily\",\"id\":12345678901234567890}",
        "{\"expr\":\"@daily\",\"id\":null}",
        "{\"expr\":\"@daily\",\"other\":1}",
        "{\"expr\":\"@daily\",\"after\":\"soon\"}",
        "{\"expr\":\"@daily\",\"dialect\":\"klingon\"}",
        "{\"spec\":{}}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct batch_query q = defaults;

        if (batch_query_scan(str_of(lines[i]), &q))
            fail_msg("the scanner accepted %s", lines[i]);
        assert_memory_equal(&q, &defaults, sizeof q);
    }
}

static uint64_t random_state = 88172645463325252u;

static size_t below(size_t n)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return (size_t)(random_state % n);
}

/* Replaces, inserts or removes a few bytes of a valid line. */
static size_t mutate(char *line, size_t len)
{
    static const char bytes[] = "{}[]\",:\\ \t0159.eE+-nultrafs\x01\x7f\xc3\xa9";

    for (size_t times = 1 + below(3); times > 0 && len > 1; times--) {
        size_t at = below(len);

        switch (below(3)) {
        case 0:
            line[at] = bytes[below(sizeof bytes)];
            break;
        case 1:
            memmove(line + at + 1, line + at, len - at);
            line[at] = bytes[below(sizeof bytes)];
            len++;
            break;
        default:
            memmove(line + at, line + at + 1, len - at - 1);
            len--;
            break;
        }
    }
    return len;
}

static void scanner_and_json_reader_agree_on_mutated_lines(void **state)
{
    enum { LINES = 200000 };
    static const char right[] =
        "{\"id\": 12,\"dialect\":\"vixie\",\"expr\":\"0 9 * * 1-5\",\"tz\":\"UTC\","
        "\"after\":\"2026-01-01T00:00:00Z\",\"n\":5,\"dst\":\"once\",\"seed\":\"a b\"}";
    int accepted = 0;

    (void)state;
    for (int i = 0; i < LINES; i++) {
        char line[sizeof right + 8];
        size_t len = sizeof right - 1;

        memcpy(line, right, len);
        accepted += compare_readers(line, mutate(line, len));
    }
    assert_true(accepted > LINES / 100 && accepted < LINES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_scanner_reads_flat_lines),
        cmocka_unit_test(the_scanner_rejects_all_other_lines),
        cmocka_unit_test(scanner_and_json_reader_agree_on_mutated_lines),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
