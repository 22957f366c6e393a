/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Search attributes that the namespace or its upstream defines: create, update, lists and
 * counts.  The texts are those of Temporal's server.
 */
#include "temporal.h"

#include "api/call/context_attributes.h"
#include "api/temporal/temporal_attributes.h"
#include "model/temporal_codec.h"

static struct search_attribute defined[] = {
    {{"Team", 4}, ATTRIBUTE_KEYWORD},      {{"Words", 5}, ATTRIBUTE_TEXT},
    {{"Level", 5}, ATTRIBUTE_INT},         {{"Score", 5}, ATTRIBUTE_DOUBLE},
    {{"Live", 4}, ATTRIBUTE_BOOL},         {{"Since", 5}, ATTRIBUTE_DATETIME},
    {{"Tags", 4}, ATTRIBUTE_KEYWORD_LIST},
};

/* What the server knows. */
static struct context_attributes known;

static void tell_attributes(void *arg, struct str namespace, struct arena *arena,
                            struct context_attributes *ret)
{
    (void)arg;
    (void)arena;
    assert_true(str_eq(namespace, STR("default")));
    *ret = known;
}

static int begin_world(void **state)
{
    int failed = world_begin(state);

    world.context.search_attributes = tell_attributes;
    known = (struct context_attributes){.is_known = true, .list = {defined, 7}};
    return failed;
}

#define ATTRIBUTES_TEST(name) cmocka_unit_test_setup_teardown(name, begin_world, world_end)

static Temporal__Fields fields;

/* One attribute with this JSON; valid until the next call. */
static Temporal__Fields *one(const char *name, const char *json)
{
    static Temporal__Fields__FieldsEntry entry, *entries[1];
    static Temporal__Payload payload;
    static Temporal__Payload__MetadataEntry meta, *metas[1];

    temporal__fields__init(&fields);
    temporal__fields__fields_entry__init(&entry);
    temporal__payload__init(&payload);
    temporal__payload__metadata_entry__init(&meta);
    meta.key = proto_text("encoding");
    meta.value = (ProtobufCBinaryData){10, (uint8_t *)proto_text("json/plain")};
    metas[0] = &meta;
    payload.metadata = metas;
    payload.n_metadata = 1;
    payload.data = (ProtobufCBinaryData){strlen(json), (uint8_t *)proto_text(json)};
    entry.key = proto_text(name);
    entry.value = &payload;
    entries[0] = &entry;
    fields.fields = entries;
    fields.n_fields = 1;
    return &fields;
}

static int create_with(const char *id, Temporal__Fields *of_schedule,
                       Temporal__Fields *of_action)
{
    make_request(id);
    sent.create.search_attributes = of_schedule;
    sent.workflow.search_attributes = of_action;
    return create();
}

static int update_with(Temporal__Fields *attributes)
{
    Temporal__UpdateScheduleRequest request = TEMPORAL__UPDATE_SCHEDULE_REQUEST__INIT;

    request.namespace_ = proto_text("default");
    request.schedule_id = proto_text("s");
    request.schedule = &sent.schedule;
    request.search_attributes = attributes;
    return call_method("UpdateSchedule", &request.base);
}

static int list(const char *query)
{
    Temporal__ListSchedulesRequest request = TEMPORAL__LIST_SCHEDULES_REQUEST__INIT;

    request.namespace_ = proto_text("default");
    request.query = proto_text(query);
    return call_method("ListSchedules", &request.base);
}

static int count(const char *query)
{
    Temporal__CountSchedulesRequest request = TEMPORAL__COUNT_SCHEDULES_REQUEST__INIT;

    request.namespace_ = proto_text("default");
    request.query = proto_text(query);
    return call_method("CountSchedules", &request.base);
}

static void unknown_names_and_wrong_types_are_refused(void **state)
{
    (void)state;
    assert_int_equal(create_with("s", one("Team", "\"x\""), NULL), 200);
    create_with("t", one("Nope", "\"x\""), NULL);
    assert_grpc_error(400, "3",
                      "Namespace default has no mapping defined for search attribute Nope");
    create_with("t", one("Level", "\"x\""), NULL);
    assert_grpc_error(400, "3", "invalid value for search attribute Level of type Int: x");
    create_with("t", NULL, one("Nope", "1"));
    assert_grpc_error(400, "3", "search attribute Nope");
    create_with("t", NULL, one("Live", "1"));
    assert_grpc_error(400, "3", "invalid value for search attribute Live of type Bool: 1");
    make_request("s");
    assert_int_equal(update_with(one("Team", "\"y\"")), 200);
    update_with(one("Nope", "1"));
    assert_grpc_error(400, "3", "search attribute Nope");
    update_with(one("Since", "5"));
    assert_grpc_error(400, "3", "invalid value for search attribute Since of type Datetime: 5");
    assert_int_equal(update_with(NULL), 200);
}

/* The type that a payload names; NULL: none. */
static const char *type_in(const Temporal__Fields *shown)
{
    const Temporal__Payload *payload;

    assert_non_null(shown);
    assert_int_equal(shown->n_fields, 1);
    payload = shown->fields[0]->value;
    for (size_t i = 0; i < payload->n_metadata; i++)
        if (strcmp(payload->metadata[i]->key, "type") == 0)
            return temporal_text((struct str){(char *)payload->metadata[i]->value.data,
                                              payload->metadata[i]->value.len},
                                 world.arena);
    return NULL;
}

static void values_get_the_defined_type(void **state)
{
    Temporal__DescribeScheduleResponse *got;

    (void)state;
    assert_int_equal(create_with("s", one("Team", "\"x\""), NULL), 200);
    assert_string_equal(type_in(described("s")->search_attributes), "Keyword");
    make_request("s");
    assert_int_equal(update_with(one("Tags", "[\"a\"]")), 200);
    assert_string_equal(type_in(described("s")->search_attributes), "KeywordList");
    assert_int_equal(create_with("t", NULL, one("Level", "3")), 200);
    got = described("t");
    assert_string_equal(type_in(got->schedule->action->start_workflow->search_attributes),
                        "Int");
    known = (struct context_attributes){.is_open = true};
    assert_int_equal(create_with("u", one("Team", "\"x\""), NULL), 200);
    assert_null(type_in(described("u")->search_attributes));
}

static void queries_are_checked(void **state)
{
    static const struct {
        const char *query, *error;
    } cases[] = {
        {"Nope = 'x'", "invalid query: invalid search attribute: Nope"},
        {"Team = 'x' AND NOT (Level = 1 OR Nope IS NULL)", "invalid search attribute: Nope"},
        {"Level = 'x'",
         "invalid query: invalid expression: invalid value type for search attribute Level of "
         "type Int: \"x\" (type: string)"},
        {"Live = 1", "search attribute Live of type Bool: 1 (type: int64)"},
        {"Live = 'true'", "search attribute Live of type Bool: \"true\" (type: string)"},
        {"Team = 2.5", "search attribute Team of type Keyword: 2.5 (type: float64)"},
        {"Team IN ('x', true)", "search attribute Team of type Keyword: true (type: bool)"},
        {"Since > 'x'", "invalid query: invalid expression: unable to parse datetime 'x'"},
        {"Tags > 'x'",
         "invalid query: operation is not supported: operator '>' not supported for "
         "KeywordList type search attribute 'Tags'"},
        {"Tags STARTS_WITH 'x'", "operator 'STARTS_WITH' not supported for KeywordList"},
        {"Words IN ('x')", "operator 'IN' not supported for Text"},
        {"Words NOT IN ('x')", "operator 'NOT IN' not supported for Text"},
        {"Words = ' '", "no tokens found filtering on Text type search attribute Words"},
        {"Live BETWEEN true AND false",
         "invalid query: invalid expression: cannot do range condition on search attribute "
         "'Live' of type Bool"},
        {"Level BETWEEN 1 AND 'x'", "invalid value type for search attribute Level"},
        {"Team = 'x' AND TemporalSchedulePaused = 'x'", "TemporalSchedulePaused of type Bool"},
    };
    static const char *const valid[] = {
        "Team = 'x'",
        "Team STARTS_WITH 'x'",
        "Team > 'x'",
        "Level = 3",
        "Level BETWEEN 1 AND 2",
        "Score > 2",
        "Level = 3.5",
        "Live = true",
        "Since > '2026-01-01T00:00:00Z'",
        "Since > 5",
        "Words = 'x'",
        "Tags IN ('a', 'b')",
        "Nope2 IS NULL OR Team = 'x'",
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        list(cases[i].query);
        assert_grpc_error(400, "3", cases[i].error);
        count(cases[i].query);
        assert_grpc_error(400, "3", cases[i].error);
    }
    for (size_t i = 0; i + 1 < sizeof valid / sizeof *valid; i++)
        if (list(valid[i]) != 200)
            fail_msg("%s", valid[i]);
}

static void queries_on_system_attributes_are_always_checked(void **state)
{
    static const struct {
        const char *query, *error;
    } cases[] = {
        {"TemporalSchedulePaused = 'true'",
         "invalid value type for search attribute TemporalSchedulePaused of type Bool: "
         "\"true\" (type: string)"},
        {"NOT (ScheduleRunningWorkflowCount = 1 OR ScheduleBufferedStartsCount = 'x')",
         "search attribute ScheduleBufferedStartsCount of type Int"},
        {"ScheduleNextActionTime > 'soon'", "unable to parse datetime 'soon'"},
    };

    (void)state;
    for (int round = 0; round < 3; round++) {
        known = (struct context_attributes){.is_open = round == 0, .is_upstream = round == 1};
        world.context.search_attributes = round < 2 ? tell_attributes : NULL;
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            list(cases[i].query);
            assert_grpc_error(400, "3", cases[i].error);
            count(cases[i].query);
            assert_grpc_error(400, "3", cases[i].error);
        }
        assert_int_equal(list("TemporalSchedulePaused = true AND ScheduleId > 'a'"), 200);
    }
}

static void without_a_list_everything_is_accepted(void **state)
{
    (void)state;
    known = (struct context_attributes){.is_open = true};
    assert_int_equal(create_with("s", one("Nope", "1"), NULL), 200);
    assert_int_equal(list("Nope = 'x'"), 200);
    world.context.search_attributes = NULL;
    assert_int_equal(create_with("t", one("Nope", "1"), NULL), 200);
}

/* ---- lists of an upstream ---- */

static enum call_step begin_list(bool has_asked)
{
    world.is_asked = has_asked;
    list("Nope = 'x'");
    return world.first_step;
}

static void a_list_that_is_missing_or_old_is_read_first(void **state)
{
    (void)state;
    known = (struct context_attributes){.is_upstream = true};
    assert_int_equal(begin_list(false), CALL_ATTRIBUTES);
    assert_int_equal(begin_list(true), CALL_READ); /* no answer: everything is valid */
    known = (struct context_attributes){
        .is_upstream = true, .is_known = true, .list = {defined, 7}};
    known.age = TEMPORAL_ATTRIBUTES_AGE + 1;
    assert_int_equal(begin_list(false), CALL_ATTRIBUTES);
    assert_int_equal(begin_list(true), CALL_ANSWER); /* the old one counts */
    assert_grpc_error(400, "3", "invalid search attribute: Nope");
}

static void a_list_is_read_again_before_an_error(void **state)
{
    (void)state;
    known = (struct context_attributes){
        .is_upstream = true, .is_known = true, .list = {defined, 7}};
    known.age = TEMPORAL_ATTRIBUTES_AGAIN + 1;
    assert_int_equal(begin_list(false), CALL_ATTRIBUTES);
    assert_int_equal(begin_list(true), CALL_ANSWER);
    known.age = TEMPORAL_ATTRIBUTES_AGAIN;
    assert_int_equal(begin_list(false), CALL_ANSWER);
    known.age = TEMPORAL_ATTRIBUTES_AGE;
    world.is_asked = false;
    assert_int_equal(list("Team = 'x'"), 200); /* no error: no need */
    assert_int_equal(world.first_step, CALL_READ);
}

static void requests_without_custom_attributes_need_no_list(void **state)
{
    (void)state;
    known = (struct context_attributes){.is_upstream = true};
    world.is_asked = false;
    assert_int_equal(create_with("s", NULL, NULL), 200);
    assert_int_equal(list(""), 200);
    assert_int_equal(list("ScheduleId = 's'"), 200);
}

/* ---- */

static void list_search_attributes_shows_the_namespaces_own(void **state)
{
    const Temporal__ListSearchAttributesResponse *answer;

    (void)state;
    assert_int_equal(
        ask_rpc("/temporal.api.operatorservice.v1.OperatorService/ListSearchAttributes",
                STR("\x0a\x07"
                    "default")),
        200);
    answer = unpack_answer(&temporal__list_search_attributes_response__descriptor);
    assert_int_equal(answer->n_custom_attributes, 7);
    assert_string_equal(answer->custom_attributes[2]->key, "Level");
    assert_int_equal(answer->custom_attributes[2]->value, 3);
    assert_true(answer->n_system_attributes > 0);
}

static const Temporal__ListSchedulesResponse *list_page(ProtobufCBinaryData token)
{
    Temporal__ListSchedulesRequest request = TEMPORAL__LIST_SCHEDULES_REQUEST__INIT;

    request.namespace_ = proto_text("default");
    request.maximum_page_size = 1;
    request.next_page_token = token;
    return call_method("ListSchedules", &request.base) == 200
               ? unpack_answer(&temporal__list_schedules_response__descriptor)
               : NULL;
}

static void a_page_token_of_another_server_is_refused(void **state)
{
    static const char *const wrong[] = {"x", "{}", "null", "AAAA", "b", "0000000000000000a"};
    const Temporal__ListSchedulesResponse *page;
    uint8_t token[64];
    size_t len;

    (void)state;
    assert_int_equal(create_with("a", NULL, NULL), 200);
    assert_int_equal(create_with("b", NULL, NULL), 200);
    page = list_page((ProtobufCBinaryData){0, NULL});
    len = page->next_page_token.len;
    assert_true(len > 0 && len < sizeof token);
    memcpy(token, page->next_page_token.data, len);
    page = list_page((ProtobufCBinaryData){len, token});
    assert_int_equal(page->n_schedules, 1);
    assert_string_equal(page->schedules[0]->schedule_id, "b");
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        assert_null(list_page(
            (ProtobufCBinaryData){strlen(wrong[i]), (uint8_t *)proto_text(wrong[i])}));
        assert_grpc_error(400, "3", "Invalid NextPageToken.");
    }
    token[len - 1] ^= 1;
    assert_null(list_page((ProtobufCBinaryData){len, token}));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        ATTRIBUTES_TEST(unknown_names_and_wrong_types_are_refused),
        ATTRIBUTES_TEST(values_get_the_defined_type),
        ATTRIBUTES_TEST(queries_are_checked),
        ATTRIBUTES_TEST(queries_on_system_attributes_are_always_checked),
        ATTRIBUTES_TEST(without_a_list_everything_is_accepted),
        ATTRIBUTES_TEST(a_list_that_is_missing_or_old_is_read_first),
        ATTRIBUTES_TEST(a_list_is_read_again_before_an_error),
        ATTRIBUTES_TEST(requests_without_custom_attributes_need_no_list),
        ATTRIBUTES_TEST(list_search_attributes_shows_the_namespaces_own),
        ATTRIBUTES_TEST(a_page_token_of_another_server_is_refused),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
