/* SPDX-License-Identifier: Apache-2.0 */
/* The table that every codec uses, with a struct of every kind of member. */
#include "model/member.h"
#include "model/pairs.h"

#include "codecs.h"

struct thing {
    bool flag, choice;
    int32_t small;
    int64_t large;
    span wait;
    instant at;
    struct str name, any, map, inner;
    int32_t inner_size;
    struct pairs pairs;
};

#define AT(member) .offset = offsetof(struct thing, member)

static enum rc read_pairs(const json_t *value, const struct reading *r, struct err *reterr)
{
    static const struct pairs_rule rule = {3, 8, 8, name_check, NULL};

    return pairs_read(value, &rule, r->arena, &((struct thing *)r->to)->pairs, reterr);
}

static json_t *print_pairs(const void *from, enum spec_form form)
{
    (void)form;
    return pairs_print(&((const struct thing *)from)->pairs);
}

static const struct member inner_list[] = {
    {"name", MEMBER_TEXT, AT(inner), .high = 8, .is_required = true},
    {"size", MEMBER_INT32, AT(inner_size), .high = 9},
};

static const struct members inner_members = MEMBERS(inner_list);

static const struct member thing_list[] = {
    {"flag", MEMBER_BOOL, AT(flag), .show = SHOW_CHANGED},
    {"choice", MEMBER_CHOICE, AT(choice), .words = {"no", "yes"}},
    {"small", MEMBER_INT32, AT(small), .low = -5, .high = 5},
    {"large", MEMBER_INT64, AT(large), .low = 10, .high = INT64_MAX, .or_zero = true},
    {"wait", MEMBER_SPAN, AT(wait), .high = SPAN_H, .has_none = true},
    {"at", MEMBER_INSTANT, AT(at), .has_none = true, .none = INSTANT_NEVER},
    {"name", MEMBER_TEXT, AT(name), .high = 8, .show = SHOW_ALWAYS},
    {"any", MEMBER_JSON, AT(any), .high = 8, .has_none = true},
    {"map", MEMBER_MAP, AT(map), .high = 9},
    {"inner", MEMBER_OBJECT, AT(inner), .members = &inner_members, .has_none = true},
    {"pairs", MEMBER_OTHER, .read = read_pairs, .print = print_pairs},
};

static const struct members thing_members = MEMBERS(thing_list);
static const struct thing initial = {.at = INSTANT_NEVER};

static enum rc read(const json_t *json, struct err *reterr)
{
    struct thing thing = initial;
    const struct reading reading = {arena, false, &thing};

    return members_read(&thing_members, json, &reading, reterr);
}

static const char *print_of(const char *text, enum spec_form form)
{
    json_auto_t *json = json_of(text);
    struct thing thing = initial;
    const struct reading reading = {arena, false, &thing};
    struct err err = {0};

    if (members_read(&thing_members, json, &reading, &err) != RC_OK)
        fail_msg("%s: %s: %s", text, err.field, err.text);
    return line_of(members_print(&thing_members, &thing, &initial, form), text_a);
}

static void initial_values_are_shown_as_their_members_say(void **state)
{
    (void)state;
    assert_string_equal(print_of("{}", SPEC_FULL),
                        "{\"choice\":\"no\",\"small\":0,\"large\":0,\"wait\":null,\"at\":null,"
                        "\"name\":\"\",\"any\":null,\"map\":{},\"inner\":null,\"pairs\":{}}");
    assert_string_equal(print_of("{}", SPEC_BRIEF), "{\"name\":\"\"}");
}

static void every_kind_is_read_and_printed(void **state)
{
    static const char all[] =
        "{\"flag\":true,\"choice\":\"yes\",\"small\":-5,\"large\":9223372036854775807,"
        "\"wait\":\"1s\",\"at\":\"1970-01-01T00:00:00.001Z\",\"name\":\"n\",\"any\":[0],"
        "\"map\":{\"a\":1},\"inner\":{\"name\":\"i\",\"size\":9},"
        "\"pairs\":{\"z\":\"1\",\"a\":\"\"}}";

    (void)state;
    assert_string_equal(print_of(all, SPEC_FULL), all);
    assert_string_equal(print_of(all, SPEC_BRIEF), all);
    assert_string_equal(print_of("{\"inner\":{\"name\":\"i\"}}", SPEC_BRIEF),
                        "{\"name\":\"\",\"inner\":{\"name\":\"i\"}}");
}

static void values_outside_a_range_are_refused(void **state)
{
    static const struct wrong cases[] = {
        {"{\"small\":-6}", "small", "must be between -5 and 5, not -6", 0},
        {"{\"small\":6}", "small", "not 6", 0},
        {"{\"large\":9}", "large", "must be 0 or between 10 and 9223372036854775807", 0},
        {"{\"wait\":\"1h1s\"}", "wait", "must be between 0s and 1h, not 1h1s", 0},
        {"{\"name\":\"123456789\"}", "name", "has 9 bytes; the limit is 8", RC_LIMIT},
        {"{\"any\":\"1234567\"}", "any", "has 9 bytes as JSON; the limit is 8", RC_LIMIT},
        {"{\"map\":{\"a\":1234}}", "map", "has 10 bytes as JSON", RC_LIMIT},
        {"{\"inner\":{\"size\":1}}", "inner.name", "name is missing", 0},
        {"{\"inner\":{\"nam\":1}}", "inner.nam", "did you mean name?", 0},
    };

    (void)state;
    check_wrong(read, cases, COUNT(cases));
}

/* A path is also for machines: no unusual characters, nothing cut in the middle. */
static void only_plain_keys_are_part_of_a_path(void **state)
{
    static const struct wrong cases[] = {
        {"{\"pairs\":{\"a-b\":1}}", "pairs.a-b", "must be a string", 0},
        {"{\"pairs\":{\"a b\":1}}", "pairs", "must be a string", 0},
        {"{\"pairs\":{\"\xc3\xa9\":1}}", "pairs", "must be a string", 0},
        {"{\"pairs\":{\"a\":null}}", "pairs.a", "must be a string, not null", 0},
        {"{\"pairs\":{\"123456789\":\"\"}}", "pairs.123456789", "the limit is 8", RC_LIMIT},
        {"{\"pairs\":{\"a\":\"\",\"b\":\"\",\"c\":\"\",\"d\":\"\"}}", "pairs",
         "has 4 entries; the limit is 3", RC_LIMIT},
    };

    (void)state;
    check_wrong(read, cases, COUNT(cases));
}

static void names_with_control_characters_are_refused(void **state)
{
    static const struct {
        const char *name;
        enum rc rc;
    } cases[] = {
        {"a", RC_OK},
        {" ", RC_OK},
        {"\xc2\xa0", RC_OK},
        {"\xc3\x9f", RC_OK},
        {"\xe2\x82\x80", RC_OK},
        {"", RC_INVALID},
        {"a\n", RC_INVALID},
        {"\x7f", RC_INVALID},
        {"\xc2\x80", RC_INVALID},
        {"\xc2\x9f", RC_INVALID},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct err err = {0};

        assert_int_equal(name_check(str_of(cases[i].name), &err), cases[i].rc);
    }
}

static void moments_that_never_come_are_null(void **state)
{
    (void)state;
    assert_string_equal(line_of(json_of_moment(INSTANT_NONE), text_a), "null");
    assert_string_equal(line_of(json_of_moment(INSTANT_NEVER), text_a), "null");
    assert_string_equal(line_of(json_of_moment(0), text_a), "\"1970-01-01T00:00:00.000Z\"");
    assert_string_equal(line_of(json_of_text(STR("")), text_a), "null");
    assert_string_equal(line_of(json_of_text(STR("x")), text_a), "\"x\"");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(initial_values_are_shown_as_their_members_say),
        cmocka_unit_test(every_kind_is_read_and_printed),
        cmocka_unit_test(values_outside_a_range_are_refused),
        cmocka_unit_test(only_plain_keys_are_part_of_a_path),
        cmocka_unit_test(names_with_control_characters_are_refused),
        cmocka_unit_test(moments_that_never_come_are_null),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
