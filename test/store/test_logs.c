/* SPDX-License-Identifier: Apache-2.0 */
/* Table logs on both databases, and the lines in its bodies. */
#include "rows.h"

#include "store/logs.h"

/* A part of the run (7, DAY_ONE, 3) with `len` bytes. */
static struct log_part part(struct fixture *f, int64_t id, size_t len)
{
    char *bytes = arena_take(f->arena, len);

    memset(bytes, 'x', len);
    return (struct log_part){
        .id = id,
        .schedule = 7,
        .slot = DAY_ONE,
        .pass = 3,
        .attempt = 2,
        .at = DAY_ONE + 4,
        .expire_at = DAY_ONE + 5,
        .body = {bytes, len},
    };
}

static int64_t insert(struct fixture *f, const struct log_part *p)
{
    struct db_result got = {.changed = -1};

    logs_insert(f->db, p, &got);
    flush(f);
    return got.changed;
}

static int64_t add(struct fixture *f, int64_t id, size_t len)
{
    struct log_part p = part(f, id, len);

    return insert(f, &p);
}

static void assert_parts(struct fixture *f, int64_t after, int limit, const char *expected)
{
    struct log_part run = part(f, 0, 0);
    struct db_result got;

    logs_of_run(f->db, &run, after, limit, &got);
    flush(f);
    assert_ids(&got, expected);
}

static void every_field_has_its_column(void **state)
{
    struct fixture *f = *state;
    struct log_part p = part(f, 1, 0), back;
    struct db_result got;

    p.body = big_blob(f);
    assert_int_equal(insert(f, &p), 1);
    assert_int_column(f, "logs", "id", 1);
    assert_int_column(f, "logs", "schedule", 7);
    assert_int_column(f, "logs", "slot", DAY_ONE);
    assert_int_column(f, "logs", "pass", 3);
    assert_int_column(f, "logs", "attempt", 2);
    assert_int_column(f, "logs", "at", DAY_ONE + 4);
    assert_int_column(f, "logs", "total", BIG_BYTES);
    assert_int_column(f, "logs", "expire_at", DAY_ONE + 5);
    assert_text_column(f, "logs", "body", p.body);
    logs_of_run(f->db, &p, 0, 1, &got);
    flush(f);
    logs_read(&got, 0, &back);
    assert_int_equal(back.id, 1);
    assert_int_equal(back.schedule, 7);
    assert_int_equal(back.slot, DAY_ONE);
    assert_int_equal(back.pass, 3);
    assert_int_equal(back.attempt, 2);
    assert_int_equal(back.at, DAY_ONE + 4);
    assert_int_equal(back.total, BIG_BYTES);
    assert_int_equal(back.expire_at, DAY_ONE + 5);
    assert_str_equal(back.body, p.body);
}

/* Regardless of which node made the key of a part. */
static void the_parts_of_a_run_are_in_order_of_insertion(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(add(f, 5, 10), 1);
    assert_int_equal(add(f, 9, 20), 1);
    assert_int_equal(add(f, 2, 30), 1);
    assert_parts(f, 0, 10, "5 9 2");
    assert_parts(f, 0, 2, "5 9");
    assert_parts(f, 10, 10, "9 2");
    assert_parts(f, 29, 10, "9 2");
    assert_parts(f, 30, 10, "2");
    assert_parts(f, 60, 10, "");
}

static void runs_are_kept_apart(void **state)
{
    struct fixture *f = *state;
    struct log_part schedule = part(f, 2, 5), slot = part(f, 3, 5), pass = part(f, 4, 5);

    schedule.schedule++;
    slot.slot++;
    pass.pass++;
    assert_int_equal(add(f, 1, LOG_RUN_MAX), 1);
    assert_int_equal(insert(f, &schedule), 1);
    assert_int_equal(insert(f, &slot), 1);
    assert_int_equal(insert(f, &pass), 1);
    assert_parts(f, 0, 10, "1");
    assert_int_equal(ask_int(f, "SELECT max(total) FROM logs WHERE id > 1"), 5);
}

static void the_part_that_exceeds_the_limit_is_the_last(void **state)
{
    struct fixture *f = *state;
    struct log_part run = part(f, 0, 0), last;
    struct db_result got;

    assert_int_equal(LOG_RUN_MAX, 1048576); /* as in the statement */
    assert_int_equal(add(f, 1, LOG_RUN_MAX - 1), 1);
    assert_int_equal(add(f, 2, 100), 1);
    assert_int_equal(add(f, 3, 1), 0);
    assert_parts(f, 0, 10, "1 2");
    logs_of_run(f->db, &run, 0, 10, &got);
    flush(f);
    logs_read(&got, 0, &last);
    assert_false(log_is_full(&last));
    logs_read(&got, 1, &last);
    assert_true(log_is_full(&last));
}

static void a_log_of_exactly_the_limit_is_full(void **state)
{
    struct fixture *f = *state;

    assert_int_equal(add(f, 1, LOG_RUN_MAX), 1);
    assert_int_equal(add(f, 2, 1), 0);
}

static void add_expiring(struct fixture *f, int64_t id, instant expire_at)
{
    struct log_part p = part(f, id, 1);

    p.expire_at = expire_at;
    assert_int_equal(insert(f, &p), 1);
}

static void assert_batch_end(struct fixture *f, int64_t after, const char *expected)
{
    struct db_result got;

    prune_logs_batch_end(f->db, after, 2, &got);
    flush(f);
    assert_ids(&got, expected);
}

static void old_parts_are_pruned_in_batches_of_rows_read(void **state)
{
    struct fixture *f = *state;
    struct db_result first, again, second;

    add_expiring(f, 10, 500);
    add_expiring(f, 20, 900);
    add_expiring(f, 30, 100);
    add_expiring(f, 40, 501);
    assert_batch_end(f, 0, "20");
    assert_batch_end(f, 20, "40");
    assert_batch_end(f, 40, "");
    prune_logs(f->db, 0, 20, 500, &first);
    prune_logs(f->db, 0, 20, 500, &again);
    prune_logs(f->db, 20, 40, 500, &second);
    flush(f);
    assert_int_equal(first.changed, 1);
    assert_int_equal(again.changed, 0);
    assert_int_equal(second.changed, 1);
    assert_parts(f, 0, 10, "20 40");
}

static void every_statement_was_run(void **state)
{
    assert_every_statement_ran(*state, "src/store/logs.c");
}

static void a_packed_line_has_time_stream_and_text(void **state)
{
    static const char expected[] = "\x08\x07\x06\x05\x04\x03\x02\x01\x01\x03\x00\x00\x00"
                                   "a\x00\xFF";
    struct log_line line = {
        .at = INT64_C(0x0102030405060708), .stream = LOG_STDERR, .text = {"a\x00\xFF", 3}};
    char bytes[64];
    struct buf out = BUF(bytes);

    (void)state;
    log_line_pack(&line, &out);
    assert_int_equal(out.len, LOG_LINE_HEAD + 3);
    assert_memory_equal(bytes, expected, LOG_LINE_HEAD + 3);
}

static void lines_are_read_one_after_the_other(void **state)
{
    static const struct log_line lines[] = {
        {INSTANT_NONE, LOG_STDOUT, {"", 0}},
        {INSTANT_NEVER, LOG_WORKER, {"half", 4}},
        {-1, LOG_STDERR, {"\xE2\x82\xAC", 3}},
    };
    char bytes[256];
    struct buf out = BUF(bytes);
    struct str rest;
    struct log_line got;
    struct err err;
    bool any;

    (void)state;
    for (size_t i = 0; i < 3; i++)
        log_line_pack(&lines[i], &out);
    rest = buf_as_str(&out);
    for (size_t i = 0; i < 3; i++) {
        assert_int_equal(log_line_unpack(&rest, &got, &any, &err), RC_OK);
        assert_true(any);
        assert_int_equal(got.at, lines[i].at);
        assert_int_equal(got.stream, lines[i].stream);
        assert_str_equal(got.text, lines[i].text);
    }
    assert_int_equal(log_line_unpack(&rest, &got, &any, &err), RC_OK);
    assert_false(any);
}

static size_t packed_text(struct str text)
{
    static char bytes[LOGS_LINE_MAX + 64];
    struct buf out = BUF(bytes);
    struct str rest;
    struct log_line got;
    struct err err;
    bool any;

    log_line_pack(&(struct log_line){.text = text}, &out);
    assert_false(out.cut);
    rest = buf_as_str(&out);
    assert_int_equal(log_line_unpack(&rest, &got, &any, &err), RC_OK);
    assert_int_equal(rest.len, 0);
    return got.text.len;
}

static void a_long_line_is_cut_between_characters(void **state)
{
    static char text[LOGS_LINE_MAX + 8];

    (void)state;
    memset(text, 'x', sizeof text);
    assert_int_equal(packed_text((struct str){text, LOGS_LINE_MAX}), LOGS_LINE_MAX);
    assert_int_equal(packed_text((struct str){text, LOGS_LINE_MAX + 1}), LOGS_LINE_MAX);
    memcpy(text + LOGS_LINE_MAX - 2, "\xE2\x82\xAC", 3);
    assert_int_equal(packed_text((struct str){text, sizeof text}), LOGS_LINE_MAX - 2);
    memcpy(text + LOGS_LINE_MAX - 3, "\xF0\x9F\x94\x94", 4);
    assert_int_equal(packed_text((struct str){text, sizeof text}), LOGS_LINE_MAX - 3);
    memset(text, 0x80, sizeof text); /* not valid characters */
    assert_in_range(packed_text((struct str){text, sizeof text}), LOGS_LINE_MAX - 3,
                    LOGS_LINE_MAX);
}

static void damaged_lines_are_rejected(void **state)
{
    char bytes[64], copy[64];
    struct buf out = BUF(bytes);
    struct log_line got;
    struct err err;
    bool any;

    (void)state;
    log_line_pack(&(struct log_line){.stream = LOG_WORKER, .text = STR("text")}, &out);
    for (size_t len = 1; len < out.len; len++) {
        struct str cut = {bytes, len};

        assert_int_equal(log_line_unpack(&cut, &got, &any, &err), RC_CORRUPT);
        assert_int_equal(cut.len, len);
    }
    for (size_t at = 8; at <= 12; at++) { /* a fourth stream, lengths beyond the bytes */
        struct str bad = {copy, out.len};

        memcpy(copy, bytes, sizeof copy);
        copy[at] = '\x7F';
        assert_int_equal(log_line_unpack(&bad, &got, &any, &err), RC_CORRUPT);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(every_field_has_its_column),
        STORE_TEST(the_parts_of_a_run_are_in_order_of_insertion),
        STORE_TEST(runs_are_kept_apart),
        STORE_TEST(the_part_that_exceeds_the_limit_is_the_last),
        STORE_TEST(a_log_of_exactly_the_limit_is_full),
        STORE_TEST(old_parts_are_pruned_in_batches_of_rows_read),
        cmocka_unit_test(every_statement_was_run),
        cmocka_unit_test(a_packed_line_has_time_stream_and_text),
        cmocka_unit_test(lines_are_read_one_after_the_other),
        cmocka_unit_test(a_long_line_is_cut_between_characters),
        cmocka_unit_test(damaged_lines_are_rejected),
    };

    return RUN_STORE_TESTS(tests);
}
