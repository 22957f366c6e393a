/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table audit on both databases: entries, rows and their chain.
 */
#include "rows.h"

#include "store/audit.h"

static const struct audit_entry example = {
    .result = AUDIT_FORBIDDEN,
    .version = INT64_MIN + 5,
    .count = 4000000000,
    .before = {true, {1, 2, 3}},
    .after = {true, {255, 0, 7}},
    .by = {"ann", 3},
    .operation = {"schedule.delete", 15},
    .object = {"nightly \xC3\xA9", 10},
    .namespace = {"team", 4},
    .from = {"192.0.2.7", 9},
    .request = {"r-1", 3},
    .token = {"abc", 3},
};

static struct str packed(const struct audit_entry *entry, char *room, size_t size)
{
    struct buf out = {.ptr = room, .cap = size};

    audit_pack(entry, &out);
    assert_false(out.cut);
    assert_int_equal(out.len, audit_packed_size(entry));
    return buf_as_str(&out);
}

static void an_entry_is_read_as_it_was_packed(void **state)
{
    char room[AUDIT_ENTRY_MAX + 1];
    struct str bytes = packed(&example, room, sizeof room);
    struct audit_entry got;
    bool any = false;

    (void)state;
    OK(audit_unpack(&bytes, &got, &any, err));
    assert_true(any);
    assert_int_equal(got.result, AUDIT_FORBIDDEN);
    assert_int_equal(got.version, example.version);
    assert_int_equal(got.count, example.count);
    assert_memory_equal(&got.before, &example.before, sizeof got.before);
    assert_memory_equal(&got.after, &example.after, sizeof got.after);
    assert_str_equal(got.by, example.by);
    assert_str_equal(got.operation, example.operation);
    assert_str_equal(got.object, example.object);
    assert_str_equal(got.namespace, example.namespace);
    assert_str_equal(got.from, example.from);
    assert_str_equal(got.request, example.request);
    assert_str_equal(got.token, example.token);
    OK(audit_unpack(&bytes, &got, &any, err));
    assert_false(any);
}

static void fingerprints_are_optional(void **state)
{
    char room[AUDIT_ENTRY_MAX + 1];
    struct audit_entry entry = example, got;
    struct str bytes;
    bool any;

    (void)state;
    for (int i = 0; i < 4; i++) {
        entry.before.is_set = i & 1;
        entry.after.is_set = i & 2;
        bytes = packed(&entry, room, sizeof room);
        OK(audit_unpack(&bytes, &got, &any, err));
        assert_int_equal(got.result, AUDIT_FORBIDDEN);
        assert_int_equal(got.before.is_set, entry.before.is_set);
        assert_int_equal(got.after.is_set, entry.after.is_set);
        assert_str_equal(got.by, example.by);
    }
}

/* Computed by hand: two numbers, then each text preceded by its length. */
static void the_fingerprint_of_a_schedule_covers_all_editable_fields(void **state)
{
    struct schedule_row row = {.dialect = 3, .spec = STR("{}"), .description = STR("d")};
    uint8_t bytes[8 * 9 + 3] = {
        [0] = 3, [8] = 1, [16] = 2, [24] = '{', [25] = '}', [66] = 1, [74] = 'd'};
    uint8_t expected[SHA256_BYTES];
    struct audit_fingerprint got = audit_fingerprint_of(&row, true);
    struct sha256 sha;

    (void)state;
    sha256_begin(&sha);
    sha256_add(&sha, bytes, sizeof bytes);
    sha256_end(&sha, expected);
    assert_true(got.is_set);
    assert_memory_equal(got.bytes, expected, AUDIT_FINGERPRINT);
}

static void a_long_text_is_truncated_and_a_damaged_row_is_rejected(void **state)
{
    static char text[AUDIT_TEXT_MAX + 1];
    char room[AUDIT_ENTRY_MAX + 1];
    struct audit_entry entry = {.before = {.is_set = true}, .by = {text, sizeof text}}, got;
    struct str bytes, part;
    struct err why;
    bool any;

    (void)state;
    memset(text, 'x', sizeof text);
    part = bytes = packed(&entry, room, sizeof room);
    OK(audit_unpack(&part, &got, &any, err));
    assert_int_equal(got.by.len, AUDIT_TEXT_MAX);
    for (size_t len = 1; len < bytes.len; len++) {
        part = (struct str){bytes.ptr, len};
        assert_int_equal(audit_unpack(&part, &got, &any, &why), RC_CORRUPT);
    }
}

/* The cut falls between the bytes of the last character. */
static void a_text_is_cut_between_characters(void **state)
{
    static char text[AUDIT_TEXT_MAX + 1];
    char room[AUDIT_ENTRY_MAX + 1];
    struct audit_entry entry = {.object = {text, sizeof text}}, got;
    struct str bytes;
    bool any;

    (void)state;
    memset(text, 'x', sizeof text);
    memcpy(text + AUDIT_TEXT_MAX - 1, "\xc3\xa9", 2);
    bytes = packed(&entry, room, sizeof room);
    assert_int_equal(bytes.len, audit_packed_size(&entry));
    OK(audit_unpack(&bytes, &got, &any, err));
    assert_int_equal(got.object.len, AUDIT_TEXT_MAX - 1);
}

enum { EARLIER_TEXT_MAX = 255 };

/* The form of entries with short texts has not changed: earlier rows are still read. */
static void only_an_entry_with_a_long_text_has_long_lengths(void **state)
{
    static char text[EARLIER_TEXT_MAX + 1];
    char room[AUDIT_ENTRY_MAX + 1];
    struct audit_entry entry = {.result = AUDIT_DONE, .by = STR("me")}, got;
    struct str bytes;
    bool any;

    (void)state;
    memset(text, 'x', sizeof text);
    entry.object = (struct str){text, EARLIER_TEXT_MAX};
    bytes = packed(&entry, room, sizeof room);
    assert_int_equal(bytes.len, AUDIT_HEAD + AUDIT_TEXTS + 2 + EARLIER_TEXT_MAX);
    assert_int_equal(bytes.ptr[0], AUDIT_DONE);
    entry.object.len++;
    bytes = packed(&entry, room, sizeof room);
    assert_int_equal(bytes.len, AUDIT_HEAD + 2 * AUDIT_TEXTS + 2 + EARLIER_TEXT_MAX + 1);
    OK(audit_unpack(&bytes, &got, &any, err));
    assert_int_equal(got.result, AUDIT_DONE);
    assert_int_equal(got.object.len, EARLIER_TEXT_MAX + 1);
    assert_true(str_eq(got.by, STR("me")));
}

/* As earlier versions stored it: the first byte of the last character is there. */
static void a_text_that_ends_within_a_character_is_read_without_it(void **state)
{
    static char text[EARLIER_TEXT_MAX];
    char room[AUDIT_ENTRY_MAX + 1];
    struct audit_entry entry = {.object = {text, sizeof text}}, got;
    struct str bytes, part;
    struct err why;
    bool any;

    (void)state;
    memset(text, 'x', sizeof text);
    text[EARLIER_TEXT_MAX - 1] = '\xc3';
    part = bytes = packed(&entry, room, sizeof room);
    OK(audit_unpack(&part, &got, &any, err));
    assert_int_equal(got.object.len, EARLIER_TEXT_MAX - 1);
    text[7] = '\xc3';
    part = bytes = packed(&entry, room, sizeof room);
    assert_int_equal(audit_unpack(&part, &got, &any, &why), RC_CORRUPT);
}

/* The hashed bytes, by hand: 32 zeros, four numbers, the body. */
static void the_hash_of_a_row_covers_all_columns(void **state)
{
    struct audit_row row = {.node = 1, .seq = 2, .count = 3, .at = 4, .body = STR("abc")};
    uint8_t bytes[32 + 32 + 3] = {
        [32] = 1, [40] = 2, [48] = 3, [56] = 4, [64] = 'a', [65] = 'b', [66] = 'c'};
    uint8_t expected[SHA256_BYTES], got[SHA256_BYTES];
    struct sha256 sha;

    (void)state;
    sha256_begin(&sha);
    sha256_add(&sha, bytes, sizeof bytes);
    sha256_end(&sha, expected);
    audit_row_hash(&row, got);
    assert_memory_equal(got, expected, sizeof got);
    row.prior[31] = 1;
    audit_row_hash(&row, got);
    assert_memory_not_equal(got, expected, sizeof got);
}

static void add(struct fixture *f, int64_t node, int64_t seq, int64_t count, instant at)
{
    struct audit_row row = {.node = node,
                            .seq = seq,
                            .count = count,
                            .at = at,
                            .body = STR("\x00\xff"),
                            .prior = {1, 2}};

    audit_row_hash(&row, row.hash);
    audit_insert(f->db, &row);
    flush(f);
}

static void a_row_is_read_as_it_was_written(void **state)
{
    struct fixture *f = *state;
    struct db_result got;
    struct audit_row row;
    uint8_t hash[SHA256_BYTES];

    add(f, 3, 17, 5, DAY_ONE);
    assert_int_column(f, "audit", "seq", 17);
    assert_int_column(f, "audit", "count", 5);
    audit_of(f->db, 3, 0, 10, &got);
    flush(f);
    assert_int_equal(got.rows, 1);
    audit_read(&got, 0, &row);
    assert_int_equal(row.node, 3);
    assert_int_equal(row.seq, 17);
    assert_int_equal(row.count, 5);
    assert_int_equal(row.at, DAY_ONE);
    assert_str_equal(row.body, STR("\x00\xff"));
    assert_int_equal(row.prior[1], 2);
    audit_row_hash(&row, hash);
    assert_memory_equal(row.hash, hash, sizeof hash);
}

static void rows_are_found_by_node_and_by_time(void **state)
{
    struct fixture *f = *state;
    struct db_result last, nobody, of, all, rest, one, two, none;

    exec(f->db, "INSERT INTO nodes (id, name, boot, turn, lease_until, key_ms, event,"
                " started_at, state) VALUES (2, 'b', 0, 0, 0, 0, 0, 0, 1)");
    add(f, 1, 1, 2, DAY_ONE);
    add(f, 1, 3, 1, DAY_ONE + 2);
    add(f, 2, 1, 1, DAY_ONE + 1);
    add(f, 2, 2, 9, DAY_ONE + 2);
    audit_last(f->db, STR("b"), &last);
    audit_last(f->db, STR("c"), &nobody);
    audit_of(f->db, 1, 1, 10, &of);
    audit_next_node(f->db, 0, &one);
    audit_next_node(f->db, 1, &two);
    audit_next_node(f->db, 2, &none);
    audit_before(f->db, &(struct audit_row){.at = INSTANT_NEVER}, 10, &all);
    audit_before(f->db, &(struct audit_row){.at = DAY_ONE + 2, .node = 2, .seq = 2}, 2, &rest);
    flush(f);
    assert_ids(&last, "10");
    assert_int_equal(nobody.rows, 0);
    assert_ids(&one, "1");
    assert_int_equal(db_at(&one, 0, 1)->type, DB_NULL);
    assert_ids(&two, "2");
    assert_str_equal(db_text_at(&two, 0, 1), STR("b"));
    assert_int_equal(none.rows, 0);
    assert_int_equal(of.rows, 1);
    assert_int_equal(db_int_at(&of, 0, 1), 3);
    assert_ids(&all, "2 1 2 1");
    assert_ids(&rest, "1 2");
}

static void the_oldest_rows_are_pruned_first(void **state)
{
    struct fixture *f = *state;
    struct db_result got;

    for (int64_t i = 1; i <= 4; i++)
        add(f, 1, i, 1, DAY_ONE + i);
    add(f, 2, 1, 1, DAY_ONE);
    prune_audit(f->db, 1, DAY_ONE + 4, 2);
    audit_of(f->db, 1, 0, 10, &got);
    flush(f);
    assert_int_equal(got.rows, 2);
    assert_int_equal(db_int_at(&got, 0, 1), 3);
    prune_audit(f->db, 1, DAY_ONE + 4, 2);
    flush(f);
    assert_int_equal(ask_int(f, "SELECT count(*) FROM audit"), 2);
}

/* A node that is up prunes its own rows; a node without old rows is skipped. */
static void the_old_rows_of_a_node_that_is_down_are_found(void **state)
{
    struct fixture *f = *state;
    struct db_result left = {0};

    exec(f->db, "DELETE FROM nodes");
    exec(f->db,
         "INSERT INTO nodes (id, name, boot, turn, lease_until, key_ms, event, started_at,"
         " state, stats, turned_at, skew, version, address) VALUES"
         " (1, 'a', 1, 1, 1, 1, 1, 1, 0, 1, 1, 0, '', ''),"
         " (2, 'b', 1, 1, 1, 1, 1, 1, 2, 1, 1, 0, '', ''),"
         " (3, 'c', 1, 1, 1, 1, 1, 1, 2, 1, 1, 0, '', ''),"
         " (4, 'd', 1, 1, 1, 1, 1, 1, 2, 1, 1, 0, '', '')");
    add(f, 1, 1, 1, DAY_ONE);
    add(f, 2, 1, 1, DAY_ONE + 3);
    add(f, 3, 1, 1, DAY_ONE + 2);
    prune_audit_down_node(f->db, DAY_ONE + 3, &left);
    flush(f);
    assert_ids(&left, "3");
    prune_audit(f->db, 3, DAY_ONE + 3, 9);
    prune_audit_down_node(f->db, DAY_ONE + 3, &left);
    flush(f);
    assert_ids(&left, "");
}

static void every_result_has_a_different_text(void **state)
{
    (void)state;
    for (int a = 1; a < AUDIT_RESULT_COUNT; a++)
        for (int b = 0; b < a; b++)
            assert_string_not_equal(audit_result_text((enum audit_result)a),
                                    audit_result_text((enum audit_result)b));
}

static void every_statement_was_run(void **state)
{
    assert_every_statement_ran(*state, "src/store/audit.c");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(an_entry_is_read_as_it_was_packed),
        STORE_TEST(fingerprints_are_optional),
        STORE_TEST(the_fingerprint_of_a_schedule_covers_all_editable_fields),
        STORE_TEST(a_text_is_cut_between_characters),
        STORE_TEST(only_an_entry_with_a_long_text_has_long_lengths),
        STORE_TEST(a_text_that_ends_within_a_character_is_read_without_it),
        STORE_TEST(a_long_text_is_truncated_and_a_damaged_row_is_rejected),
        STORE_TEST(the_hash_of_a_row_covers_all_columns),
        STORE_TEST(a_row_is_read_as_it_was_written),
        STORE_TEST(rows_are_found_by_node_and_by_time),
        STORE_TEST(the_oldest_rows_are_pruned_first),
        STORE_TEST(the_old_rows_of_a_node_that_is_down_are_found),
        STORE_TEST(every_result_has_a_different_text),
        STORE_TEST(every_statement_was_run),
    };

    return RUN_STORE_TESTS(tests);
}
