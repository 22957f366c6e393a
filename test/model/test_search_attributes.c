/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which values of search attributes are valid: the rules and texts of Temporal's
 * common/searchattribute/validator.go, compared with the answers of a server 1.32.1.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/search_attributes.h"
#include "model/temporal_codec.h"

static struct search_attribute defined[] = {
    {{"Team", 4}, ATTRIBUTE_KEYWORD},      {{"Words", 5}, ATTRIBUTE_TEXT},
    {{"Level", 5}, ATTRIBUTE_INT},         {{"Score", 5}, ATTRIBUTE_DOUBLE},
    {{"Live", 4}, ATTRIBUTE_BOOL},         {{"Since", 5}, ATTRIBUTE_DATETIME},
    {{"Tags", 4}, ATTRIBUTE_KEYWORD_LIST},
};
static const struct search_attributes list = {defined, 7};

/* The error for one attribute with this JSON; "": none. */
static const char *check_as(const char *name, const char *json, const char *encoding)
{
    static struct err err;
    Temporal__Fields fields = TEMPORAL__FIELDS__INIT;
    Temporal__Fields__FieldsEntry entry = TEMPORAL__FIELDS__FIELDS_ENTRY__INIT, *entries[1];
    Temporal__Payload payload = TEMPORAL__PAYLOAD__INIT;
    Temporal__Payload__MetadataEntry meta = TEMPORAL__PAYLOAD__METADATA_ENTRY__INIT, *metas[1];

    meta.key = (char *)(uintptr_t) "encoding";
    meta.value = (ProtobufCBinaryData){strlen(encoding), (uint8_t *)(uintptr_t)encoding};
    metas[0] = &meta;
    payload.metadata = metas;
    payload.n_metadata = 1;
    payload.data = (ProtobufCBinaryData){strlen(json), (uint8_t *)(uintptr_t)json};
    entry.key = (char *)(uintptr_t)name;
    entry.value = &payload;
    entries[0] = &entry;
    fields.fields = entries;
    fields.n_fields = 1;
    err.text[0] = '\0';
    return search_attributes_check(&list, &fields, STR("prod"), &err) == RC_OK ? "" : err.text;
}

static void values_must_have_the_type_of_their_attribute(void **state)
{
    static const struct {
        const char *name, *json, *error;
    } cases[] = {
        {"Team", "\"x\"", ""},
        {"Team", "null", ""},
        {"Team", "[]", ""},
        {"Team", "[\"x\"]", ""},
        {"Team", "[\"a\",\"b\"]",
         "invalid value for search attribute Team of type Keyword: [a b]"},
        {"Level", "[1]", ""},
        {"Level", "[1,2]", "invalid value for search attribute Level of type Int: [1 2]"},
        {"Team", "5", "invalid value for search attribute Team of type Keyword: 5"},
        {"Words", "true", "invalid value for search attribute Words of type Text: true"},
        {"Level", "3", ""},
        {"Level", "\"x\"", "invalid value for search attribute Level of type Int: x"},
        {"Level", "\"3\"", "invalid value for search attribute Level of type Int: 3"},
        {"Level", "3.5", "invalid value for search attribute Level of type Int: 3.5"},
        {"Level", "[1,\"x\"]", "invalid value for search attribute Level of type Int: [1 x]"},
        {"Score", "3", ""},
        {"Score", "2.5", ""},
        {"Score", "\"x\"", "invalid value for search attribute Score of type Double: x"},
        {"Live", "false", ""},
        {"Live", "1", "invalid value for search attribute Live of type Bool: 1"},
        {"Live", "\"true\"", "invalid value for search attribute Live of type Bool: true"},
        {"Since", "\"2026-01-01T00:00:00Z\"", ""},
        {"Since", "\"2026-01-01T00:00:00.5+01:00\"", ""},
        {"Since", "\"yesterday\"",
         "invalid value for search attribute Since of type Datetime: yesterday"},
        {"Since", "5", "invalid value for search attribute Since of type Datetime: 5"},
        {"Tags", "[\"a\",\"b\"]", ""},
        {"Tags", "\"a\"", "invalid value for search attribute Tags of type KeywordList: a"},
        {"Tags", "[1]", "invalid value for search attribute Tags of type KeywordList: [1]"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *error = check_as(cases[i].name, cases[i].json, "json/plain");

        if (strcmp(error, cases[i].error) != 0)
            fail_msg("%s %s: \"%s\"", cases[i].name, cases[i].json, error);
    }
}

static void names_must_be_defined(void **state)
{
    (void)state;
    assert_string_equal(check_as("Nope", "1", "json/plain"),
                        "Namespace prod has no mapping defined for search attribute Nope");
    assert_string_equal(check_as("team", "\"x\"", "json/plain"),
                        "Namespace prod has no mapping defined for search attribute team");
    assert_string_equal(check_as("WorkflowId", "\"x\"", "json/plain"),
                        "WorkflowId attribute can't be set in SearchAttributes");
    assert_string_equal(check_as("TemporalScheduledById", "\"x\"", "json/plain"), "");
    assert_string_equal(check_as("BuildIds", "[\"x\"]", "json/plain"), "");
}

static void other_encodings_are_invalid(void **state)
{
    (void)state;
    assert_string_equal(check_as("Team", "", "binary/null"), "");
    assert_string_not_equal(check_as("Team", "\"x\"", "binary/plain"), "");
    assert_string_not_equal(check_as("Team", "abc", "json/plain"), "");
}

static void a_value_has_a_maximum_size(void **state)
{
    char json[2050];

    (void)state;
    memset(json, 'x', sizeof json);
    json[0] = json[2047] = '"';
    json[2048] = '\0';
    assert_string_equal(check_as("Words", json, "json/plain"), "");
    json[2047] = 'x';
    json[2048] = '"';
    json[2049] = '\0';
    assert_string_equal(check_as("Words", json, "json/plain"),
                        "search attribute Words value size 2049 exceeds size limit 2048");
}

static void the_answer_of_an_upstream_is_read(void **state)
{
    struct arena *arena = arena_new(1 << 20);
    struct search_attributes read;

    (void)state;
    assert_true(search_attributes_of_answer(STR("\x0a\x08\x0a\x04Team\x10\x02"), arena, &read));
    assert_int_equal(search_attributes_type(&read, STR("Team")), ATTRIBUTE_KEYWORD);
    assert_int_equal(search_attributes_type(&read, STR("Teams")), ATTRIBUTE_NONE);
    assert_false(search_attributes_of_answer(STR("\x0a\x09\x0a\x04Team"), arena, &read));
    arena_free(arena);
}

static void types_have_the_names_of_temporal(void **state)
{
    (void)state;
    for (int i = ATTRIBUTE_TEXT; i < ATTRIBUTE_TYPES; i++)
        assert_int_equal(attribute_type_of(str_of(attribute_type_text((enum attribute_type)i))),
                         i);
    assert_int_equal(attribute_type_of(STR("keyword")), ATTRIBUTE_NONE);
    assert_int_equal(attribute_type_of(STR("Unspecified")), ATTRIBUTE_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_must_have_the_type_of_their_attribute),
        cmocka_unit_test(names_must_be_defined),
        cmocka_unit_test(other_encodings_are_invalid),
        cmocka_unit_test(a_value_has_a_maximum_size),
        cmocka_unit_test(the_answer_of_an_upstream_is_read),
        cmocka_unit_test(types_have_the_names_of_temporal),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
