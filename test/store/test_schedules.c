/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table schedules on both databases: every column, versions, and names that become free again.
 */
#include "rows.h"

#include "store/schedules.h"

static struct schedule_row distinct(int64_t id, struct str name)
{
    return (struct schedule_row){
        .id = id,
        .namespace = 2,
        .version = 3,
        .deleted_at = 0,
        .packed = {"\0\1\xFF\0packed", 10},
        .action = STR("{\"a\":1}"),
        .name = name,
        .spec = STR("{\"s\":2}"),
        .policies = STR("{\"p\":3}"),
        .governor = STR("{\"g\":4}"),
        .labels = STR("{\"l\":5}"),
        .extra = STR("{\"e\":6}"),
        .description = STR("what for"),
        .reason = STR("why not"),
        .dialect = 4,
        .created_at = DAY_ONE + 5,
        .updated_at = DAY_ONE + 6,
        .created_by = STR("ann"),
        .updated_by = STR("bob"),
    };
}

static void assert_row(const struct schedule_row *got, const struct schedule_row *expected)
{
    assert_int_equal(got->id, expected->id);
    assert_int_equal(got->namespace, expected->namespace);
    assert_int_equal(got->version, expected->version);
    assert_int_equal(got->deleted_at, expected->deleted_at);
    assert_str_equal(got->packed, expected->packed);
    assert_str_equal(got->action, expected->action);
    assert_str_equal(got->name, expected->name);
    assert_str_equal(got->spec, expected->spec);
    assert_str_equal(got->policies, expected->policies);
    assert_str_equal(got->governor, expected->governor);
    assert_str_equal(got->labels, expected->labels);
    assert_str_equal(got->extra, expected->extra);
    assert_str_equal(got->description, expected->description);
    assert_str_equal(got->reason, expected->reason);
    assert_int_equal(got->dialect, expected->dialect);
    assert_int_equal(got->created_at, expected->created_at);
    assert_int_equal(got->updated_at, expected->updated_at);
    assert_str_equal(got->created_by, expected->created_by);
    assert_str_equal(got->updated_by, expected->updated_by);
    assert_str_equal(got->hint_reason, expected->hint_reason);
    assert_int_equal(got->edited_at, expected->edited_at);
}

static int64_t insert(struct fixture *f, const struct schedule_row *row)
{
    struct db_result got = {.changed = -1};

    schedules_insert(f->db, row, &got);
    flush(f);
    return got.changed;
}

static int64_t update(struct fixture *f, const struct schedule_row *row, int64_t version)
{
    struct db_result got = {.changed = -1};

    schedules_update(f->db, row, version, &got);
    flush(f);
    return got.changed;
}

static struct schedule_row read_one(struct fixture *f, int64_t id)
{
    struct db_result got;
    struct schedule_row row;

    schedules_get(f->db, id, &got);
    flush(f);
    assert_int_equal(got.rows, 1);
    schedules_read(&got, 0, &row);
    return row;
}

static void assert_found(struct fixture *f, int64_t namespace, struct str name,
                         const char *expected)
{
    struct db_result got;

    schedules_find(f->db, namespace, name, &got);
    flush(f);
    assert_ids(&got, expected);
}

static void every_field_has_its_column(void **state)
{
    struct fixture *f = *state;
    struct schedule_row row = distinct(1, STR("nightly")), back;

    row.deleted_at = 9;
    assert_int_equal(insert(f, &row), 1);
    assert_int_column(f, "schedules", "id", row.id);
    assert_int_column(f, "schedules", "namespace", row.namespace);
    assert_int_column(f, "schedules", "version", row.version);
    assert_int_column(f, "schedules", "deleted_at", row.deleted_at);
    assert_text_column(f, "schedules", "packed", row.packed);
    assert_text_column(f, "schedules", "action", row.action);
    assert_text_column(f, "schedules", "name", row.name);
    assert_text_column(f, "schedules", "spec", row.spec);
    assert_text_column(f, "schedules", "policies", row.policies);
    assert_text_column(f, "schedules", "governor", row.governor);
    assert_text_column(f, "schedules", "labels", row.labels);
    assert_text_column(f, "schedules", "extra", row.extra);
    assert_text_column(f, "schedules", "description", row.description);
    assert_int_column(f, "schedules", "dialect", row.dialect);
    assert_text_column(f, "schedules", "reason", row.reason);
    assert_int_column(f, "schedules", "created_at", row.created_at);
    assert_text_column(f, "schedules", "created_by", row.created_by);
    assert_int_column(f, "schedules", "updated_at", row.updated_at);
    assert_text_column(f, "schedules", "updated_by", row.updated_by);
    back = read_one(f, 1);
    assert_row(&back, &row);
}

static void empty_and_large_texts_are_kept(void **state)
{
    struct fixture *f = *state;
    struct schedule_row empty = {.id = INT64_MIN, .created_at = INSTANT_NONE};
    struct schedule_row full = distinct(INT64_MAX, STR("\xE9\x90\x98\xE6\xA5\xBC")), back;

    full.namespace = full.version = INT64_MAX;
    full.packed = big_blob(f);
    full.action = full.spec = full.policies = full.governor = big_text(f);
    full.labels = full.extra = full.description = full.reason = big_text(f);
    full.updated_at = INSTANT_NEVER;
    assert_int_equal(insert(f, &empty), 1);
    back = read_one(f, INT64_MIN);
    assert_row(&back, &empty);
    assert_int_equal(insert(f, &full), 1);
    back = read_one(f, INT64_MAX);
    assert_row(&back, &full);
}

static void an_update_at_the_current_version_writes_the_editable_fields(void **state)
{
    struct fixture *f = *state;
    struct schedule_row row = distinct(1, STR("a")), other = distinct(2, STR("b")), back;
    struct schedule_row next = {
        .id = 1,
        .version = 4,
        .packed = STR("new packed"),
        .action = STR("new action"),
        .spec = STR("new spec"),
        .policies = STR("new policies"),
        .governor = STR(""),
        .labels = STR("new labels"),
        .extra = STR("new extra"),
        .description = STR("new description"),
        .updated_at = DAY_ONE + 60,
        .updated_by = STR("cid"),
    };

    insert(f, &row);
    insert(f, &other);
    assert_int_equal(update(f, &next, 2), 0);
    back = read_one(f, 1);
    assert_row(&back, &row);
    assert_int_equal(update(f, &next, 3), 1);
    assert_int_equal(update(f, &next, 3), 0);
    next.edited_at = next.updated_at;
    next.namespace = row.namespace;
    next.name = row.name;
    next.reason = row.reason;
    next.dialect = row.dialect;
    next.created_at = row.created_at;
    next.created_by = row.created_by;
    back = read_one(f, 1);
    assert_row(&back, &next);
    back = read_one(f, 2);
    assert_row(&back, &other);
}

static void a_reason_is_set_and_cleared_with_a_new_version(void **state)
{
    struct fixture *f = *state;
    struct schedule_row row = distinct(1, STR("a")), other = distinct(2, STR("b")), back;

    insert(f, &row);
    insert(f, &other);
    schedules_set_reason(f->db, 1, 70, STR("holidays"), DAY_ONE + 71, STR("eve"));
    row.version = 70;
    row.reason = STR("holidays");
    row.updated_at = DAY_ONE + 71;
    row.updated_by = STR("eve");
    back = read_one(f, 1);
    assert_row(&back, &row);
    schedules_set_reason(f->db, 1, 71, STR(""), DAY_ONE + 72, STR("eve"));
    row.version = 71;
    row.reason = STR("");
    row.updated_at = DAY_ONE + 72;
    back = read_one(f, 1);
    assert_row(&back, &row);
    back = read_one(f, 2);
    assert_row(&back, &other);
}

static void a_name_is_taken_once_in_its_namespace(void **state)
{
    struct fixture *f = *state;
    struct schedule_row first = distinct(1, STR("a")), same_name = distinct(2, STR("a"));
    struct schedule_row same_key = distinct(1, STR("b")), elsewhere = distinct(3, STR("a"));
    struct schedule_row upper = distinct(4, STR("A")), back;

    same_name.spec = same_key.spec = STR("other");
    elsewhere.namespace = 3;
    assert_int_equal(insert(f, &first), 1);
    assert_int_equal(insert(f, &same_name), 0);
    assert_int_equal(insert(f, &same_key), 0);
    assert_int_equal(insert(f, &elsewhere), 1);
    assert_int_equal(insert(f, &upper), 1);
    back = read_one(f, 1);
    assert_row(&back, &first);
    assert_found(f, 2, STR("a"), "1");
    assert_found(f, 3, STR("a"), "3");
    assert_found(f, 2, STR("A"), "4");
    assert_found(f, 2, STR("b"), "");
}

static void a_name_finds_the_last_deleted_schedule(void **state)
{
    struct fixture *f = *state;
    struct db_result got, other, none;

    for (int64_t id = 1; id <= 3; id++) {
        struct schedule_row row = distinct(id, STR("a"));

        insert(f, &row);
        if (id < 3)
            schedules_mark_deleted(f->db, id, DAY_ONE + id, STR("x"));
        flush(f);
    }
    schedules_find_deleted(f->db, 2, STR("a"), &got);
    schedules_find_deleted(f->db, 3, STR("a"), &other);
    schedules_find_deleted(f->db, 2, STR("b"), &none);
    flush(f);
    assert_int_equal(got.rows, 1);
    assert_int_equal(db_int_at(&got, 0, 0), 2);
    assert_int_equal(other.rows, 0);
    assert_int_equal(none.rows, 0);
}

static void a_name_finds_the_dialect_of_its_schedule(void **state)
{
    struct fixture *f = *state;
    struct schedule_row row = distinct(1, STR("a"));
    struct db_result got, missing;

    insert(f, &row);
    schedules_find_dialect(f->db, 2, STR("a"), &got);
    schedules_find_dialect(f->db, 3, STR("a"), &missing);
    flush(f);
    assert_int_equal(got.rows, 1);
    assert_int_equal(db_int_at(&got, 0, 0), 1);
    assert_int_equal(db_int_at(&got, 0, 1), 4);
    assert_int_equal(missing.rows, 0);
}

static void a_deleted_schedule_keeps_its_row_and_frees_its_name(void **state)
{
    struct fixture *f = *state;
    struct schedule_row row = distinct(1, STR("a")), again = distinct(2, STR("a")), back;

    insert(f, &row);
    schedules_mark_deleted(f->db, 1, DAY_ONE + 80, STR("dan"));
    assert_found(f, 2, STR("a"), "");
    row.deleted_at = row.updated_at = DAY_ONE + 80;
    row.updated_by = STR("dan");
    back = read_one(f, 1);
    assert_row(&back, &row);
    assert_int_equal(insert(f, &again), 1);
    assert_found(f, 2, STR("a"), "2");
}

/* Commands of one turn have one `now`. */
static void a_name_can_be_created_and_deleted_many_times_in_one_turn(void **state)
{
    struct fixture *f = *state;

    db_begin(f->db);
    for (int64_t id = 1; id <= 3; id++) {
        struct schedule_row row = distinct(id, STR("a"));
        struct db_result got = {.changed = -1};

        schedules_insert(f->db, &row, &got);
        schedules_mark_deleted(f->db, id, DAY_ONE, STR("dan"));
        flush(f);
        assert_int_equal(got.changed, 1);
    }
    OK(db_commit(f->db, f->arena, err));
    assert_found(f, 2, STR("a"), "");
}

static void a_start_reads_only_the_plan(void **state)
{
    struct fixture *f = *state;
    struct schedule_row row = distinct(1, STR("a"));
    struct db_result got, nobody;

    insert(f, &row);
    schedules_plan(f->db, 1, &got);
    schedules_plan(f->db, 2, &nobody);
    flush(f);
    assert_int_equal(got.rows, 1);
    assert_int_equal(got.columns, 5);
    assert_int_equal(db_int_at(&got, 0, PLAN_VERSION), row.version);
    assert_str_equal(db_blob_at(&got, 0, PLAN_PACKED), row.packed);
    assert_str_equal(db_text_at(&got, 0, PLAN_ACTION), row.action);
    assert_int_equal(db_int_at(&got, 0, PLAN_NAMESPACE), row.namespace);
    assert_str_equal(db_text_at(&got, 0, PLAN_NAME), row.name);
    assert_int_equal(nobody.rows, 0);
}

static void the_reason_of_a_hint_changes_nothing_else(void **state)
{
    struct fixture *f = *state;
    struct schedule_row row = distinct(1, STR("a")), other = distinct(2, STR("b")), back;

    assert_int_equal(insert(f, &row), 1);
    assert_int_equal(insert(f, &other), 1);
    schedules_set_hint(f->db, 1, STR("\xC3\xA9t\xC3\xA9"));
    back = read_one(f, 1);
    row.hint_reason = STR("\xC3\xA9t\xC3\xA9");
    assert_row(&back, &row);
    schedules_set_hint(f->db, 1, STR(""));
    back = read_one(f, 1);
    row.hint_reason = STR("");
    assert_row(&back, &row);
    back = read_one(f, 2);
    assert_row(&back, &other);
}

/* Action and spec; a new description or a pause changes neither. */
static void only_an_edit_of_action_or_spec_sets_edited_at(void **state)
{
    struct fixture *f = *state;
    struct schedule_row row = distinct(1, STR("a"));

    assert_int_equal(insert(f, &row), 1);
    assert_int_equal(read_one(f, 1).edited_at, 0);
    row.description = STR("other words");
    row.updated_at = DAY_ONE + 10;
    assert_int_equal(update(f, &row, 3), 1);
    schedules_set_reason(f->db, 1, 3, STR("paused"), DAY_ONE + 11, STR("bob"));
    assert_int_equal(read_one(f, 1).edited_at, 0);
    row.action = STR("{\"a\":2}");
    row.updated_at = DAY_ONE + 12;
    assert_int_equal(update(f, &row, 3), 1);
    assert_int_equal(read_one(f, 1).edited_at, DAY_ONE + 12);
    row.updated_at = DAY_ONE + 13;
    assert_int_equal(update(f, &row, 3), 1);
    assert_int_equal(read_one(f, 1).edited_at, DAY_ONE + 12);
    row.spec = STR("{\"s\":3}");
    assert_int_equal(update(f, &row, 3), 1);
    assert_int_equal(read_one(f, 1).edited_at, DAY_ONE + 13);
}

static void every_statement_was_run(void **state)
{
    assert_every_statement_ran(*state, "src/store/schedules.c");
}

static void assert_count(struct fixture *f, int64_t namespace, int64_t most, int64_t expected)
{
    struct db_result got;

    schedules_count(f->db, namespace, most, &got);
    flush(f);
    assert_int_equal(db_int_at(&got, 0, 0), expected);
}

static void schedules_of_a_namespace_are_counted_up_to_a_limit(void **state)
{
    struct fixture *f = *state;
    struct schedule_row rows[] = {distinct(1, STR("a")), distinct(2, STR("b")),
                                  distinct(3, STR("c")), distinct(4, STR("d"))};

    rows[2].deleted_at = DAY_ONE;
    rows[3].namespace = 9;
    for (int i = 0; i < 4; i++)
        assert_int_equal(insert(f, &rows[i]), 1);
    assert_count(f, 2, 10, 2);
    assert_count(f, 2, 1, 1);
    assert_count(f, 9, 10, 1);
    assert_count(f, 3, 10, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        STORE_TEST(every_field_has_its_column),
        STORE_TEST(empty_and_large_texts_are_kept),
        STORE_TEST(an_update_at_the_current_version_writes_the_editable_fields),
        STORE_TEST(a_reason_is_set_and_cleared_with_a_new_version),
        STORE_TEST(a_name_is_taken_once_in_its_namespace),
        STORE_TEST(a_name_finds_the_last_deleted_schedule),
        STORE_TEST(a_name_finds_the_dialect_of_its_schedule),
        STORE_TEST(a_deleted_schedule_keeps_its_row_and_frees_its_name),
        STORE_TEST(a_name_can_be_created_and_deleted_many_times_in_one_turn),
        STORE_TEST(schedules_of_a_namespace_are_counted_up_to_a_limit),
        STORE_TEST(a_start_reads_only_the_plan),
        STORE_TEST(the_reason_of_a_hint_changes_nothing_else),
        STORE_TEST(only_an_edit_of_action_or_spec_sets_edited_at),
        cmocka_unit_test(every_statement_was_run),
    };

    return RUN_STORE_TESTS(tests);
}
