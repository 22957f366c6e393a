/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Whole schedules in the native JSON: the example of the specification, stored columns, and
 * random documents, of which nothing may be lost.
 */
#include "model/policies_json.h"
#include "model/schedule_json.h"

#include "codecs.h"
#include "core/limits.h"
#include "random_schedule.h"

static char text_b[TEXT_MAX];

#define URL "https://example.com/"

/* The example of the specification with every default; its parts have their own tests. */
static const char usual[] =
    "{\"id\":\"nightly\",\"namespace\":\"default\",\"description\":\"\",\"labels\":{},"
    "\"enabled\":true,"
    "\"spec\":{\"cron\":[],\"calendars\":[],\"intervals\":[],\"timesOfDay\":[],\"at\":[],"
    "\"exclude\":{\"calendars\":[],\"dates\":[],\"named\":[],\"shift\":\"none\"},"
    "\"start\":null,\"end\":null,\"window\":null,\"timezone\":\"UTC\",\"dst\":null,"
    "\"jitter\":\"0s\"},"
    "\"action\":{\"type\":\"http\",\"method\":\"POST\",\"url\":\"" URL "\",\"headers\":{},"
    "\"body\":null,\"timeout\":\"30s\",\"connectTimeout\":\"10s\",\"success\":\"200-299\","
    "\"redirects\":0,\"sign\":null,\"keepBytes\":102400,\"keepHeaders\":[],\"input\":{}},"
    "\"policies\":{\"overlap\":\"skip\",\"bufferLimit\":1000,"
    "\"catchup\":{\"mode\":\"latest\",\"window\":null,\"whilePaused\":false,"
    "\"whenFull\":\"wait\"},"
    "\"pauseOnFailure\":false,\"remainingRuns\":null,\"startWithin\":null,"
    "\"retry\":{\"attempts\":1,\"backoff\":\"exponential\",\"delay\":\"1s\",\"max\":\"1h\","
    "\"jitter\":\"0s\"},"
    "\"timeout\":null,\"maxRunTime\":\"1d\","
    "\"lease\":{\"for\":\"1m30s\",\"heartbeat\":\"30s\",\"grace\":\"30s\"},"
    "\"priority\":5,\"concurrency\":null,\"approval\":false,\"delivery\":\"atLeastOnce\","
    "\"latenessBudget\":null,\"retention\":{\"age\":\"90d\",\"count\":null}},"
    "\"governor\":null,\"extra\":{}}";

static const char unusual[] =
    "{\"id\":\"n\xc3\xa4"
    "chtlich\",\"namespace\":\"team a\",\"description\":\"line\\nline\","
    "\"labels\":{\"b\":\"\",\"a\":\"1\"},\"enabled\":false,"
    "\"spec\":{\"cron\":[\"30 2 * * MON-FRI\"]},"
    "\"action\":{\"type\":\"queue\",\"queue\":\"q\"},\"policies\":{\"priority\":9},"
    "\"governor\":{\"minInterval\":\"1m\"},\"extra\":{\"memo\":{\"z\":[1,null]},\"a\":1}}";

static struct schedule_doc doc_of(const char *text)
{
    struct schedule_doc doc;
    struct err err = {0};

    if (schedule_from_text(str_of(text), arena, false, &doc, &err) != RC_OK)
        fail_msg("%s: %s: %s", text, err.field, err.text);
    return doc;
}

static enum rc read(const json_t *json, struct err *reterr)
{
    struct schedule_doc doc;

    return schedule_from_json(json, arena, false, &doc, reterr);
}

static void an_action_alone_is_a_schedule_with_defaults(void **state)
{
    struct schedule_doc doc = doc_of(
        "{\"id\":\"nightly\",\"action\":{\"type\":\"http\",\"url\":\"" URL "\"}}");

    (void)state;
    assert_string_equal(line_of(schedule_to_json(&doc, SPEC_FULL), text_b), usual);
    assert_string_equal(line_of(schedule_to_json(&doc, SPEC_BRIEF), text_b),
                        "{\"id\":\"nightly\",\"action\":{\"type\":\"http\",\"url\":\"" URL
                        "\"}}");
    doc = doc_of(usual);
    assert_string_equal(line_of(schedule_to_json(&doc, SPEC_FULL), text_b), usual);
}

static void every_field_is_read_into_its_member(void **state)
{
    struct schedule_doc doc = doc_of(unusual);

    (void)state;
    assert_str(doc.id, "n\xc3\xa4"
                       "chtlich");
    assert_str(doc.namespace, "team a");
    assert_str(doc.description, "line\nline");
    assert_int_equal(doc.labels.count, 2);
    assert_str(doc.labels.list[1].name, "a");
    assert_str(doc.labels.list[1].value, "1");
    assert_false(doc.is_enabled);
    assert_int_equal(doc.spec.cron_count, 1);
    assert_int_equal(doc.action.type, ACTION_QUEUE);
    assert_int_equal(doc.policies.priority, 9);
    assert_true(doc.governor.is_set);
    assert_str(doc.extra, "{\"memo\":{\"z\":[1,null]},\"a\":1}");
    assert_string_equal(line_of(schedule_to_json(&doc, SPEC_BRIEF), text_b), unusual);
}

static void the_id_is_optional(void **state)
{
    struct schedule_doc doc = doc_of(
        "{\"id\":null,\"namespace\":null,\"action\":{\"type\":\"queue\",\"queue\":\"q\"}}");

    (void)state;
    assert_int_equal(doc.id.len, 0);
    assert_str(doc.namespace, "default");
}

static void a_state_that_is_sent_is_ignored(void **state)
{
    struct schedule_doc doc = doc_of("{\"action\":{\"type\":\"queue\",\"queue\":\"q\"},"
                                     "\"state\":{\"status\":\"closed\",\"x\":[]}}");

    (void)state;
    assert_string_equal(line_of(schedule_to_json(&doc, SPEC_BRIEF), text_b),
                        "{\"action\":{\"type\":\"queue\",\"queue\":\"q\"}}");
}

#define WITH(fields) "{\"action\":{\"type\":\"queue\",\"queue\":\"q\"}," fields "}"

static void a_pause_is_printed_in_its_shortest_form(void **state)
{
    static const char *const texts[] = {
        "\"paused\":true",
        "\"paused\":false",
        "\"paused\":{\"reason\":\"x\"}",
        "\"paused\":{\"until\":\"2027-01-01T00:00:00.000Z\"}",
    };
    struct schedule_doc doc = doc_of(WITH("\"paused\":null"));

    (void)state;
    assert_false(doc.pause.is_said);
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[200];

        snprintf(text, sizeof text, "{%s,\"action\":{\"type\":\"queue\",\"queue\":\"q\"}}",
                 texts[i]);
        doc = doc_of(text);
        assert_true(doc.pause.is_said);
        assert_int_equal(doc.pause.is_paused, i != 1);
        assert_string_equal(line_of(schedule_to_json(&doc, SPEC_BRIEF), text_b), text);
    }
    doc = doc_of(WITH("\"paused\":{}"));
    assert_string_equal(line_of(schedule_to_json(&doc, SPEC_BRIEF), text_b),
                        "{\"paused\":true,\"action\":{\"type\":\"queue\",\"queue\":\"q\"}}");
}

static void errors_name_the_whole_path(void **state)
{
    static const struct wrong cases[] = {
        {"[]", "", "must be an object, not a list", 0},
        {"{}", "action", "action is missing", 0},
        {WITH("\"nmae\":1"), "nmae", "unknown field", 0},
        {WITH("\"polices\":{}"), "polices", "did you mean policies?", 0},
        {WITH("\"id\":\"\""), "id", "is empty", 0},
        {WITH("\"id\":\"a\\tb\""), "id", "control character", 0},
        {WITH("\"id\":7"), "id", "must be a string, not a number", 0},
        {WITH("\"namespace\":\"\\u007f\""), "namespace", "control character", 0},
        {WITH("\"labels\":{\"a\":1}"), "labels.a", "must be a string, not a number", 0},
        {WITH("\"labels\":{\"\":\"x\"}"), "labels", "is empty", 0},
        {WITH("\"enabled\":\"yes\""), "enabled", "must be true or false, not a string", 0},
        {WITH("\"spec\":{\"cron\":[{\"expr\":1}]}"), "spec.cron[0].expr", "must be a string",
         0},
        {"{\"action\":{\"type\":\"http\",\"url\":\"http://a@b/\"}}", "action.url",
         "a user or a password", 0},
        {WITH("\"policies\":{\"retry\":{\"attempts\":0}}"), "policies.retry.attempts",
         "must be between 1 and 1000, not 0", 0},
        {WITH("\"governor\":{\"hint\":{\"at\":1}}"), "governor.hint.at", "must be a string", 0},
        {WITH("\"extra\":[1]"), "extra", "must be an object, not a list", 0},
    };

    (void)state;
    check_wrong(read, cases, COUNT(cases));
}

static void check_limit(const char *text, const char *field, const char *says)
{
    const struct wrong wrong = {text, field, says, RC_LIMIT};

    check_wrong(read, &wrong, 1);
}

static void every_text_and_map_is_bounded(void **state)
{
    static const char tail[] = "\",\"action\":{\"type\":\"queue\",\"queue\":\"q\"}}";
    static const char map_tail[] = "},\"action\":{\"type\":\"queue\",\"queue\":\"q\"}}";

    (void)state;
    doc_of(lengthy("{\"id\":\"", SCHEDULE_ID_MAX, tail));
    check_limit(lengthy("{\"id\":\"", SCHEDULE_ID_MAX + 1, tail), "id", "the limit is 977");
    doc_of(lengthy("{\"namespace\":\"", NAMESPACE_NAME_MAX, tail));
    check_limit(lengthy("{\"namespace\":\"", NAMESPACE_NAME_MAX + 1, tail), "namespace",
                "the limit is 1000");
    check_limit(lengthy("{\"description\":\"", DESCRIPTION_MAX + 1, tail), "description",
                "the limit is 4096");
    doc_of(many("{\"labels\":{", "\"#\":\"\"", LABELS_MAX, map_tail));
    check_limit(many("{\"labels\":{", "\"#\":\"\"", LABELS_MAX + 1, map_tail), "labels",
                "the limit is 64");
    check_limit(lengthy("{\"extra\":{\"a\":\"", EXTRA_MAX,
                        "\"},\"action\":{\"type\":\"queue\","
                        "\"queue\":\"q\"}}"),
                "extra", "the limit is 3145728");
}

static void lenient_reading_ignores_unknown_fields(void **state)
{
    static const char text[] = WITH("\"x\":1,\"policies\":{\"y\":1},\"governor\":{\"z\":1}");
    struct schedule_doc doc;
    struct err err = {0};

    (void)state;
    assert_int_equal(schedule_from_text(str_of(text), arena, true, &doc, &err), RC_OK);
    assert_true(doc.governor.is_set);
    assert_int_equal(schedule_from_text(str_of(text), arena, false, &doc, &err), RC_INVALID);
}

static void the_stored_form_is_brief_and_omits_the_hint(void **state)
{
    struct schedule_doc doc = doc_of(
        WITH("\"governor\":{\"backoff\":false,\"hint\":{\"interval\":\"5s\","
             "\"expires\":\"2027-01-01T00:00:00Z\"}},\"policies\":{\"priority\":5}"));
    struct schedule_texts texts;
    struct err err = {0};

    (void)state;
    assert_int_equal(schedule_keep(&doc, arena, &texts, &err), RC_OK);
    assert_str(texts.spec, "{}");
    assert_str(texts.action, "{\"type\":\"queue\",\"queue\":\"q\"}");
    assert_str(texts.policies, "{}");
    assert_str(texts.governor, "{\"backoff\":false}");
    assert_int_equal(texts.labels.len, 0);
    assert_int_equal(texts.extra.len, 0);
    doc.governor.is_set = false;
    assert_int_equal(schedule_keep(&doc, arena, &texts, &err), RC_OK);
    assert_int_equal(texts.governor.len, 0);
}

static void an_action_that_is_too_long_to_keep_is_refused(void **state)
{
    struct schedule_doc doc = doc_of(
        many("{\"action\":{\"type\":\"exec\",\"argv\":[\"/x\"],\"env\":{", "\"A#\":\"\"", 20,
             "}}}"));
    struct str value = arena_str(arena, str_of(lengthy("", EXEC_ARG_BYTES_MAX, "")));
    struct schedule_texts texts;
    struct err err = {0};

    (void)state;
    for (int i = 0; i < doc.action.exec.env.count; i++)
        doc.action.exec.env.list[i].value = value;
    assert_int_equal(schedule_keep(&doc, arena, &texts, &err), RC_LIMIT);
    assert_string_equal(err.field, "action");
}

static void invalid_stored_texts_are_corrupt(void **state)
{
    static const struct schedule_texts cases[] = {
        {.action = {"{", 1}},
        {.action = {"{}", 2}},
        {.action = {"{\"type\":\"queue\",\"queue\":\"q\"}", 28}, .policies = {"[]", 2}},
        {.policies = {"{}", 2}},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct schedule_doc doc = schedule_doc_default();
        struct err err = {0};

        assert_int_equal(schedule_recall(&cases[i], arena, &doc, &err), RC_CORRUPT);
        assert_int_equal(err.rc, RC_CORRUPT);
    }
}

static void a_document_that_was_not_parsed_can_be_checked(void **state)
{
    struct schedule_doc doc = schedule_doc_default();
    struct err err = {0};

    (void)state;
    doc.action = action_default(ACTION_QUEUE);
    doc.action.queue.queue = STR("q");
    assert_int_equal(schedule_check(&doc, arena, &err), RC_OK);
    doc.policies.retry.attempts = 5000;
    assert_int_equal(schedule_check(&doc, arena, &err), RC_INVALID);
    assert_string_equal(err.field, "policies.retry.attempts");
    doc.policies.retry.attempts = 1;
    doc.action.queue.queue = STR("");
    assert_int_equal(schedule_check(&doc, arena, &err), RC_INVALID);
    assert_string_equal(err.field, "action.queue");
}

/* Random documents. */

enum { DOCUMENTS = 2000 };

/* Every non-null field of `part` is in `whole`, regardless of the order of keys. */
static bool is_part_of(const json_t *part, const json_t *whole)
{
    json_t *object = (json_t *)(uintptr_t)part;

    if (!json_is_object(part))
        return json_is_null(part) || json_equal(part, whole);
    for (void *i = json_object_iter(object); i; i = json_object_iter_next(object, i)) {
        const json_t *member = json_object_get(whole, json_object_iter_key(i));

        if (!is_part_of(json_object_iter_value(i), member))
            return false;
    }
    return true;
}

static void check_round(const struct schedule_doc *doc, enum spec_form form, const char *full)
{
    struct schedule_doc again;

    line_of(schedule_to_json(doc, form), text_b);
    again = doc_of(text_b);
    assert_string_equal(line_of(schedule_to_json(&again, form), text_a), text_b);
    assert_string_equal(line_of(schedule_to_json(&again, SPEC_FULL), text_a), full);
}

static void check_kept(const struct schedule_doc *doc, const char *full)
{
    struct schedule_doc again = *doc;
    struct schedule_texts texts;
    struct err err = {0};

    again.action = action_default(ACTION_HTTP);
    again.policies = policies_default();
    again.labels = (struct pairs){0};
    again.extra = (struct str){0};
    again.spec = spec_def_empty();
    assert_int_equal(schedule_keep(doc, arena, &texts, &err), RC_OK);
    assert_str(texts.spec, line_of(spec_to_json(&doc->spec, SPEC_BRIEF), text_a));
    assert_str(texts.policies, line_of(policies_to_json(&doc->policies, SPEC_BRIEF), text_a));
    if (doc->action.type != ACTION_WORKFLOW || doc->spec.cron_count == 0)
        assert_str(texts.action, line_of(action_to_json(&doc->action, SPEC_BRIEF), text_a));
    assert_int_equal(schedule_recall(&texts, arena, &again, &err), RC_OK);
    again.governor.hint_interval = doc->governor.hint_interval;
    again.governor.hint_at = doc->governor.hint_at;
    again.governor.hint_expires = doc->governor.hint_expires;
    again.governor.hint_reason = doc->governor.hint_reason;
    assert_string_equal(line_of(schedule_to_json(&again, SPEC_FULL), text_a), full);
}

static void random_documents_lose_nothing(void **state)
{
    static char full[TEXT_MAX];
    struct prng prng;

    (void)state;
    prng_seed(&prng, 3);
    for (int i = 0; i < DOCUMENTS; i++) {
        json_auto_t *source = random_schedule(&prng);
        json_auto_t *whole = NULL;
        struct schedule_doc doc;
        struct err err = {0};

        arena_reset(arena);
        if (schedule_from_json(source, arena, false, &doc, &err) != RC_OK)
            fail_msg("%s: %s: %s", line_of(json_incref(source), text_a), err.field, err.text);
        whole = schedule_to_json(&doc, SPEC_FULL);
        if (!is_part_of(source, whole))
            fail_msg("lost: %s", line_of(json_incref(source), text_a));
        line_of(json_incref(whole), full);
        check_round(&doc, SPEC_FULL, full);
        check_round(&doc, SPEC_BRIEF, full);
        check_kept(&doc, full);
    }
}

/* The default of workflows is none, that of others one day: neither may be left out. */
static void a_workflow_shows_its_maximum_run_time_always(void **state)
{
    static const char *const times[] = {"0s", "1d", "2h"};

    for (int i = 0; i < 3; i++) {
        struct schedule_doc doc = schedule_doc_default();
        char expected[100];

        snprintf(expected, sizeof expected, "\"policies\":{\"maxRunTime\":\"%s\"}", times[i]);
        doc.action = (struct action){.type = ACTION_WORKFLOW, .workflow = {.name = STR("w")}};
        doc.policies.max_run_time = i == 0 ? 0 : i == 1 ? SPAN_DAY : 2 * SPAN_H;
        (void)state;
        assert_non_null(strstr(line_of(schedule_to_json(&doc, SPEC_BRIEF), text_b), expected));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_workflow_shows_its_maximum_run_time_always),
        cmocka_unit_test(an_action_alone_is_a_schedule_with_defaults),
        cmocka_unit_test(every_field_is_read_into_its_member),
        cmocka_unit_test(the_id_is_optional),
        cmocka_unit_test(a_state_that_is_sent_is_ignored),
        cmocka_unit_test(a_pause_is_printed_in_its_shortest_form),
        cmocka_unit_test(errors_name_the_whole_path),
        cmocka_unit_test(every_text_and_map_is_bounded),
        cmocka_unit_test(lenient_reading_ignores_unknown_fields),
        cmocka_unit_test(the_stored_form_is_brief_and_omits_the_hint),
        cmocka_unit_test(an_action_that_is_too_long_to_keep_is_refused),
        cmocka_unit_test(invalid_stored_texts_are_corrupt),
        cmocka_unit_test(a_document_that_was_not_parsed_can_be_checked),
        cmocka_unit_test(random_documents_lose_nothing),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
