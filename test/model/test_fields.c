/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The selection of members by a request: valid names, errors and limits.
 */
#include "model/fields.h"

#include "codecs.h"
#include "model/payload.h"
#include "model/run_json.h"
#include "model/schedule_show.h"

static const char *const names[] = {"id", "schedule", "slot", "due"};
static const struct field_names four = {names, 4, FIELD(0)};

static field_set of_text(const char *text)
{
    field_set fields = 0;
    struct err err = {0};

    if (fields_from_text(str_of(text), &four, &fields, &err) != RC_OK)
        fail_msg("%s: %s", text, err.text);
    return fields;
}

static field_set of_json(const char *text)
{
    json_auto_t *json = json_of(text);
    field_set fields = 0;
    struct err err = {0};

    if (fields_from_json(json, &four, &fields, &err) != RC_OK)
        fail_msg("%s: %s", text, err.text);
    return fields;
}

static void names_become_a_set_with_the_required_fields(void **state)
{
    (void)state;
    assert_int_equal(of_text("slot"), 1 | 4);
    assert_int_equal(of_text("due,schedule"), 1 | 2 | 8);
    assert_int_equal(of_text("id"), 1);
    assert_int_equal(of_text("due,due"), 1 | 8);
    assert_int_equal(of_json("[\"slot\"]"), 1 | 4);
    assert_int_equal(of_json("[\"due\",\"schedule\"]"), 1 | 2 | 8);
    assert_true(fields_have(of_text("slot"), 2));
    assert_false(fields_have(of_text("slot"), 3));
    assert_true(fields_have(FIELDS_ALL, 63));
}

static enum rc read_four(const json_t *json, struct err *reterr)
{
    field_set fields;

    return fields_from_json(json, &four, &fields, reterr);
}

static void an_invalid_list_is_refused_with_position_and_valid_names(void **state)
{
    static const struct wrong wrong[] = {
        {"\"slot\"", "", "must be a list", RC_INVALID},
        {"[]", "", "is empty; name a field", RC_INVALID},
        {"[\"slot\",1]", "[1]", "must be a string", RC_INVALID},
        {"[\"slot\",\"\"]", "[1]", "valid fields: id, schedule, slot, due", RC_INVALID},
        {"[\"slots\"]", "[0]", "did you mean slot? valid fields: id, schedule, slot, due",
         RC_INVALID},
        {"[\"due\",\"id\",\"zzzzzz\"]", "[2]", "is not a field; valid fields: id", RC_INVALID},
        {"[\"id\\\"\"]", "[0]", "is not a field", RC_INVALID},
    };

    (void)state;
    check_wrong(read_four, wrong, COUNT(wrong));
    check_wrong(read_four, &(struct wrong){lengthy("[\"", 65, "\"]"), "[0]", "64", RC_LIMIT},
                1);
}

static void an_invalid_text_is_refused_with_its_byte(void **state)
{
    static const struct {
        const char *text;
        int at, len;
    } wrong[] = {{"", 0, 0},          {",", 0, 0},        {"slot,", 5, 0},  {"slot,,due", 5, 0},
                 {"slot, due", 5, 4}, {"slot,Due", 5, 3}, {"nothing", 0, 7}};

    (void)state;
    for (size_t i = 0; i < COUNT(wrong); i++) {
        field_set fields = 7;
        struct err err = {0};

        assert_int_equal(fields_from_text(str_of(wrong[i].text), &four, &fields, &err),
                         RC_INVALID);
        assert_int_equal(fields, 7);
        assert_int_equal(err.at, wrong[i].at);
        assert_int_equal(err.len, wrong[i].len);
        assert_non_null(strstr(err.text, "valid fields: id, schedule, slot, due"));
    }
}

/* `count` names, as a text or as a list. */
static enum rc read_names(int count, bool is_list, struct err *reterr)
{
    struct buf out = BUF(text_a);
    field_set fields;
    json_t *json;
    enum rc rc;

    for (int i = 0; i < count; i++)
        buf_printf(&out, "%s%s", i > 0 ? "," : is_list ? "[" : "", is_list ? "\"id\"" : "id");
    if (!is_list)
        return fields_from_text(buf_as_str(&out), &four, &fields, reterr);
    buf_char(&out, ']');
    json = json_of(text_a);
    rc = fields_from_json(json, &four, &fields, reterr);
    json_decref(json);
    return rc;
}

static void no_more_than_64_names_are_read(void **state)
{
    (void)state;
    for (int is_list = 0; is_list < 2; is_list++) {
        struct err err = {0};

        assert_int_equal(read_names(64, is_list, &err), RC_OK);
        assert_int_equal(read_names(65, is_list, &err), RC_LIMIT);
    }
}

/* The longest name is misspelled by one letter: the message is then the longest. */
static void every_name_of_an_object_fits_into_the_message(void **state)
{
    static const struct field_names *const objects[] = {&grant_fields, &run_fields,
                                                        &run_list_fields, &schedule_fields};

    (void)state;
    for (size_t o = 0; o < COUNT(objects); o++) {
        const char *last = objects[o]->names[objects[o]->count - 1];
        field_set fields;
        struct err err = {0};

        assert_int_equal(fields_from_text(STR("idempotencyKez"), objects[o], &fields, &err),
                         RC_INVALID);
        assert_string_equal(err.text + strlen(err.text) - strlen(last), last);
        for (int i = 0; i < objects[o]->count; i++)
            assert_non_null(strstr(err.text, objects[o]->names[i]));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(names_become_a_set_with_the_required_fields),
        cmocka_unit_test(an_invalid_list_is_refused_with_position_and_valid_names),
        cmocka_unit_test(an_invalid_text_is_refused_with_its_byte),
        cmocka_unit_test(no_more_than_64_names_are_read),
        cmocka_unit_test(every_name_of_an_object_fits_into_the_message),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
