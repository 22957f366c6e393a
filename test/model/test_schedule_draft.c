/* SPDX-License-Identifier: Apache-2.0 */
/* From a document to the engine's form.  Expected slots come from the calendar. */
#include "model/schedule_draft.h"

#include "codecs.h"
#include "core/limits.h"
#include "random_schedule.h"

#define NEW_YEAR INT64_C(1798761600000000) /* 2027-01-01T00:00:00Z, a Friday */

/* UTC, and one hour east of it under a realistic name. */
static const struct tz *find_zone(void *user, struct str name, struct err *reterr)
{
    struct tz *tz = arena_take(arena, TZ_FIXED_BYTES);
    struct str fixed = str_eq(name, STR("Europe/Berlin")) ? STR("+01:00") : name;

    (void)user;
    return tz_fixed(fixed, tz, TZ_FIXED_BYTES, reterr) == RC_OK ? tz : NULL;
}

static enum rc draft_with(const char *text, bool has_upstream, struct schedule_draft *ret,
                          struct err *reterr)
{
    const struct draft_options options = {{find_zone, NULL}, has_upstream};
    struct schedule_doc doc;

    if (schedule_from_text(str_of(text), arena, false, &doc, reterr) != RC_OK)
        fail_msg("%s: %s: %s", text, reterr->field, reterr->text);
    return schedule_draft(&doc, &options, arena, ret, reterr);
}

static struct schedule_draft draft_of(const char *text, bool has_upstream)
{
    struct schedule_draft draft;
    struct err err = {0};

    if (draft_with(text, has_upstream, &draft, &err) != RC_OK)
        fail_msg("%s: %s: %s", text, err.field, err.text);
    return draft;
}

#define DOC(rest)   "{\"id\":\"a\",\"namespace\":\"org\"," rest "}"
#define HTTP        "\"action\":{\"type\":\"http\",\"url\":\"http://h/\"}"
#define QUEUE       "\"action\":{\"type\":\"queue\",\"queue\":\"q\"}"
#define GOVERNED(s) DOC(HTTP ",\"governor\":{},\"spec\":{" s "}")

static void a_document_becomes_a_plan_with_its_texts(void **state)
{
    struct schedule_draft draft = draft_of(
        DOC(HTTP ",\"description\":\"why\",\"enabled\":false,\"labels\":{\"k\":\"v\"},"
                 "\"spec\":{\"cron\":[\"0 9 * * MON\"],\"timezone\":\"Europe/Berlin\"},"
                 "\"policies\":{\"priority\":9},\"extra\":{\"x\":1}"),
        false);
    struct spec_ctx ctx = spec_ctx(NEW_YEAR);
    struct slot slot;

    (void)state;
    assert_str(draft.plan.seed, "org/a");
    assert_int_equal(draft.plan.policies.priority, 9);
    assert_int_equal(draft.plan.lane, LANE_HTTP);
    assert_false(draft.plan.is_governed || draft.plan.follows);
    assert_true(spec_next(&draft.plan.spec, &ctx, NEW_YEAR, &slot));
    assert_int_equal(slot.at, NEW_YEAR + 3 * SPAN_DAY + 8 * SPAN_H); /* Monday, 09:00 +01:00 */
    assert_str(draft.texts.spec, "{\"cron\":[\"0 9 * * MON\"],\"timezone\":\"Europe/Berlin\"}");
    assert_str(draft.texts.action, "{\"type\":\"http\",\"url\":\"http://h/\"}");
    assert_str(draft.texts.policies, "{\"priority\":9}");
    assert_int_equal(draft.texts.governor.len, 0);
    assert_str(draft.texts.labels, "{\"k\":\"v\"}");
    assert_str(draft.texts.extra, "{\"x\":1}");
    assert_str(draft.description, "why");
    assert_true(draft.is_disabled);
}

static void the_type_of_action_decides_the_lane(void **state)
{
    static const struct {
        const char *text;
        bool has_upstream;
        enum lane lane;
        const char *queue;
    } cases[] = {
        {DOC(HTTP), false, LANE_HTTP, ""},
        {DOC("\"action\":{\"type\":\"exec\",\"argv\":[\"/x\"]}"), true, LANE_EXEC, ""},
        {DOC(QUEUE), true, LANE_PULL, "q"},
        {DOC("\"action\":{\"type\":\"workflow\",\"name\":\"wf\"}"), true, LANE_FLOW, ""},
        {DOC("\"action\":{\"type\":\"workflow\",\"name\":\"wf\"}"), false, LANE_PULL, "wf"},
        {DOC("\"action\":{\"type\":\"workflow\",\"name\":\"wf\",\"queue\":\"other\"}"), false,
         LANE_PULL, "other"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct schedule_draft draft = draft_of(cases[i].text, cases[i].has_upstream);

        assert_int_equal(draft.plan.lane, cases[i].lane);
        assert_str(draft.queue, cases[i].queue);
    }
}

static void a_template_of_the_last_result_asks_for_it(void **state)
{
    static const struct {
        const char *action;
        bool wants;
    } cases[] = {
        {"{\"type\":\"http\",\"url\":\"http://h/${run}\"}", false},
        {"{\"type\":\"http\",\"url\":\"http://h/?since=${lastResult.body.at}\"}", true},
        {"{\"type\":\"http\",\"url\":\"http://h/\",\"body\":{\"f\":\"${lastFailure}\"}}", true},
        {"{\"type\":\"exec\",\"argv\":[\"/bin/x\",\"${lastResult}\"]}", true},
        {"{\"type\":\"queue\",\"queue\":\"q\",\"input\":{\"t\":\"${lastResult}\"}}", false},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        char text[400];
        struct buf out = BUF(text);

        buf_printf(&out, "{\"id\":\"a\",\"namespace\":\"org\",\"action\":%s}", cases[i].action);
        assert_int_equal(draft_of(text, false).plan.policies.wants_last, cases[i].wants);
    }
    assert_true(draft_of(DOC(QUEUE ",\"policies\":{\"lastResult\":true}"), false)
                    .plan.policies.wants_last);
}

static void a_single_interval_is_the_baseline_of_a_governor(void **state)
{
    static const struct {
        const char *text;
        span interval;
    } cases[] = {
        {GOVERNED("\"intervals\":[{\"every\":\"5m\"}]"), 5 * SPAN_MIN},
        {GOVERNED("\"intervals\":[{\"every\":\"5m\",\"anchor\":\"start\"}]"), 5 * SPAN_MIN},
        {GOVERNED("\"intervals\":[{\"every\":\"5m\",\"phase\":\"1m\"}]"), 0},
        {GOVERNED("\"intervals\":[{\"every\":\"5m\",\"anchor\":\"midnight\"}]"), 0},
        {GOVERNED("\"intervals\":[{\"every\":\"5m\"},{\"every\":\"7m\"}]"), 0},
        {GOVERNED("\"intervals\":[{\"every\":\"5m\"}],\"cron\":[\"0 9 * * *\"]"), 0},
        {GOVERNED("\"intervals\":[{\"every\":\"5m\"}],\"end\":\"2027-01-01T00:00:00Z\""), 0},
        {GOVERNED("\"intervals\":[{\"every\":\"5m\"}],\"jitter\":\"1s\""), 0},
        {GOVERNED("\"cron\":[\"0 9 * * *\"]"), 0},
        {GOVERNED(""), 0},
        {DOC(HTTP ",\"spec\":{\"intervals\":[{\"every\":\"5m\"}]}"), 0},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct schedule_draft draft = draft_of(cases[i].text, false);

        assert_int_equal(draft.plan.governor_interval, cases[i].interval);
        assert_int_equal(draft.plan.is_governed, i + 1 < COUNT(cases));
        assert_int_equal(draft.plan.follows, draft.plan.is_governed);
    }
}

static void a_governor_is_in_the_plan_without_its_hint(void **state)
{
    struct schedule_draft draft = draft_of(
        DOC(HTTP ",\"governor\":{\"minInterval\":\"1m\",\"maxInterval\":\"1h\","
                 "\"backoff\":false,\"hint\":{\"at\":\"2027-01-01T00:00:00Z\","
                 "\"expires\":\"2027-01-01T01:00:00Z\",\"reason\":\"r\"}}"),
        false);

    (void)state;
    assert_int_equal(draft.plan.governor_min, SPAN_MIN);
    assert_int_equal(draft.plan.governor_max, SPAN_H);
    assert_false(draft.plan.governor_backoff);
    assert_str(draft.texts.governor,
               "{\"minInterval\":\"1m\",\"maxInterval\":\"1h\",\"backoff\":false}");
}

static void an_interval_from_the_last_start_follows(void **state)
{
    struct schedule_draft draft = draft_of(
        DOC(HTTP ",\"spec\":{\"intervals\":[{\"every\":\"5m\",\"anchor\":\"start\"}]}"), false);

    (void)state;
    assert_true(draft.plan.follows);
}

static void compile_errors_have_the_path_of_the_document(void **state)
{
    struct schedule_draft draft;
    struct err err = {0};

    (void)state;
    assert_int_equal(
        draft_with(DOC(HTTP ",\"spec\":{\"cron\":[\"61 * * * *\"]}"), false, &draft, &err),
        RC_INVALID);
    assert_true(str_starts(str_of(err.field), STR("spec.cron[0].expr")));
    assert_int_equal(err.at, 0);
    assert_non_null(strstr(err.text, "61"));
    assert_int_not_equal(draft_with(DOC(HTTP ",\"spec\":{\"cron\":[\"0 9 * * *\"],"
                                             "\"timezone\":\"Mars/Base\"}"),
                                    false, &draft, &err),
                         RC_OK);
    assert_string_equal(err.field, "spec.timezone");
}

/* A valid document can always be stored, so that packing cannot fail. */
static void every_plan_can_be_packed_and_is_the_same_again(void **state)
{
    static char packed[PLAN_PACKED_MAX + 1], again[PLAN_PACKED_MAX + 1];
    const struct draft_options options = {{find_zone, NULL}, false};
    struct prng prng;

    (void)state;
    prng_seed(&prng, 4);
    for (int i = 0; i < 500; i++) {
        json_auto_t *json = random_schedule(&prng);
        struct buf first = BUF(packed), second = BUF(again);
        struct schedule_doc doc;
        struct schedule_draft draft;
        struct plan plan;
        struct err err = {0};

        arena_reset(arena);
        assert_int_equal(schedule_from_json(json, arena, false, &doc, &err), RC_OK);
        if (doc.id.len == 0)
            doc.id = STR("made");
        if (schedule_draft(&doc, &options, arena, &draft, &err) != RC_OK)
            fail_msg("%s: %s", err.field, err.text);
        plan_pack(&draft.plan, &first);
        assert_false(first.cut);
        assert_int_equal(plan_unpack(buf_as_str(&first), arena, &plan, &err), RC_OK);
        assert_int_equal(plan.follows, draft.plan.follows);
        plan_pack(&plan, &second);
        assert_true(str_eq(buf_as_str(&first), buf_as_str(&second)));
    }
}

static void the_longest_names_fit_into_a_seed(void **state)
{
    static char id[SCHEDULE_ID_MAX], space[NAMESPACE_NAME_MAX];
    const struct draft_options options = {{find_zone, NULL}, false};
    struct schedule_doc doc = schedule_doc_default();
    struct schedule_draft draft;
    struct err err = {0};

    (void)state;
    memset(id, 'x', sizeof id);
    memset(space, 'n', sizeof space);
    doc.id = (struct str){id, sizeof id};
    doc.namespace = (struct str){space, sizeof space};
    assert_int_equal(schedule_draft(&doc, &options, arena, &draft, &err), RC_OK);
    assert_int_equal(draft.plan.seed.len, NAMESPACE_NAME_MAX + 1 + SCHEDULE_ID_MAX);
}

/* Full lists of long texts, as far as one JSON text can hold them. */
static void the_largest_document_fits_into_its_arena(void **state)
{
    static const char calendar[] = "{\"second\":\"0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,#\","
                                   "\"year\":\"2027,2028,2029,2030,2031,2032,2033,2034\"}";
    struct arena *small = arena_new(SCHEDULE_BYTES_MAX);
    const struct draft_options options = {{find_zone, NULL}, false};
    struct buf out = {text_a, 0, TEXT_MAX, false};
    struct schedule_doc doc;
    struct schedule_draft draft;
    struct err err = {0};

    (void)state;
    many("{\"id\":\"a\",\"spec\":{\"calendars\":[", calendar, 60, "");
    out.len = strlen(text_a);
    for (int i = 60; i < SPEC_ENTRIES_MAX; i++)
        buf_text(&out, ",{\"minute\":\"0-59/7,1-59/11,2-59/13\"}");
    buf_text(&out, "],\"at\":[\"now\"");
    for (int i = 1; i < SPEC_AT_MAX; i++)
        buf_printf(&out, ",\"2027-01-01T00:00:00.%03dZ\"", i % 1000);
    buf_text(&out, "]},\"action\":{\"type\":\"queue\",\"queue\":\"q\",\"input\":{\"k\":\"");
    for (int i = 0; i < ACTION_INPUT_MAX - 8; i++)
        buf_char(&out, 'x');
    buf_text(&out, "\"}}}");
    assert_false(out.cut);
    if (schedule_from_text(buf_as_str(&out), small, false, &doc, &err) != RC_OK ||
        schedule_draft(&doc, &options, small, &draft, &err) != RC_OK)
        fail_msg("%s: %s", err.field, err.text);
    assert_int_equal(doc.spec.at_count, SPEC_AT_MAX);
    assert_true(arena_used(small) < SCHEDULE_BYTES_MAX / 2);
    arena_free(small);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_document_becomes_a_plan_with_its_texts),
        cmocka_unit_test(the_type_of_action_decides_the_lane),
        cmocka_unit_test(a_template_of_the_last_result_asks_for_it),
        cmocka_unit_test(a_single_interval_is_the_baseline_of_a_governor),
        cmocka_unit_test(a_governor_is_in_the_plan_without_its_hint),
        cmocka_unit_test(an_interval_from_the_last_start_follows),
        cmocka_unit_test(compile_errors_have_the_path_of_the_document),
        cmocka_unit_test(every_plan_can_be_packed_and_is_the_same_again),
        cmocka_unit_test(the_longest_names_fit_into_a_seed),
        cmocka_unit_test(the_largest_document_fits_into_its_arena),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
