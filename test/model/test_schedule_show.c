/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules for display, from stored texts.  The document is checked by its own codec
 * (model/schedule_json.h), the state by the specification.
 */
#include "model/schedule_show.h"

#include "codecs.h"
#include "model/schedule_json.h"
#include "random_schedule.h"

enum { DOCUMENTS = 2000 };

static char text_b[TEXT_MAX];

static struct str line_in_arena(json_t *json)
{
    return arena_str(arena, str_of(line_of(json, text_b)));
}

static struct schedule_face face_of(const struct schedule_doc *doc,
                                    const struct schedule_state *state)
{
    struct schedule_face face = {.id = doc->id,
                                 .namespace = doc->namespace,
                                 .description = doc->description,
                                 .fields = FIELDS_ALL,
                                 .state = state};
    struct schedule_texts texts;
    struct err err = {0};
    json_t *json = NULL;

    assert_int_equal(schedule_keep(doc, arena, &texts, &err), RC_OK);
    for (int i = 0; i < PART_COUNT; i++) {
        const struct str kept[PART_COUNT] = {texts.labels, texts.spec, texts.action,
                                             texts.policies, texts.extra};

        assert_int_equal(schedule_part_show((enum schedule_part)i, kept[i], arena, &json, &err),
                         RC_OK);
        face.parts[i] = line_in_arena(json);
    }
    assert_int_equal(schedule_governor_show(texts.governor, state, arena, &json, &err), RC_OK);
    face.governor = line_in_arena(json);
    return face;
}

static const char *shown(const struct schedule_doc *doc, const struct schedule_state *state)
{
    struct schedule_face face = face_of(doc, state);
    struct buf out = BUF(text_a);

    schedule_show(&face, &out);
    assert_false(out.cut);
    return text_a;
}

static struct cursor cursor_of(const struct schedule_doc *doc)
{
    return (struct cursor){.flags = doc->is_enabled ? 0 : CURSOR_DISABLED,
                           .next_at = INSTANT_NEVER,
                           .hint_interval = doc->governor.hint_interval,
                           .hint_at = doc->governor.hint_at,
                           .hint_expires = doc->governor.hint_expires};
}

static void check_shown(const struct schedule_doc *doc)
{
    struct cursor cursor = cursor_of(doc);
    struct schedule_state state = {.cursor = &cursor, .hint_reason = doc->governor.hint_reason};
    json_auto_t *json = json_of(shown(doc, &state));
    json_auto_t *expected = schedule_to_json(doc, SPEC_FULL);
    const char *after_state = NULL;

    for (void *i = json_object_iter(json); i; i = json_object_iter_next(json, i))
        if (strcmp(json_object_iter_key(i), "state") == 0)
            after_state = json_object_iter_key(json_object_iter_next(json, i));
    assert_string_equal(after_state, "extra");
    assert_int_equal(json_object_del(json, "state"), 0);
    assert_string_equal(line_of(json_incref(json), text_a),
                        line_of(json_incref(expected), text_b));
}

static void random_documents_are_shown_completely(void **state)
{
    struct prng prng;

    (void)state;
    prng_seed(&prng, 5);
    for (int i = 0; i < DOCUMENTS; i++) {
        json_auto_t *source = random_schedule(&prng);
        struct schedule_doc doc;
        struct err err = {0};

        arena_reset(arena);
        assert_int_equal(schedule_from_json(source, arena, false, &doc, &err), RC_OK);
        if (doc.id.len == 0)
            doc.id = STR("made"); /* a stored schedule has an id */
        check_shown(&doc);
    }
}

static void hint_and_enabled_come_from_the_cursor(void **state)
{
    struct schedule_doc doc = schedule_doc_default();
    struct cursor cursor = {.flags = CURSOR_DISABLED,
                            .next_at = INSTANT_NEVER,
                            .hint_interval = SPAN_MIN,
                            .hint_at = INSTANT_NEVER,
                            .hint_expires = SPAN_H};
    struct schedule_state now = {.cursor = &cursor, .hint_reason = STR("busy")};
    json_auto_t *json = NULL;

    (void)state;
    doc.action = action_default(ACTION_QUEUE);
    doc.action.queue.queue = STR("q");
    doc.governor.is_set = true;
    json = json_of(shown(&doc, &now));
    assert_true(json_is_false(json_object_get(json, "enabled")));
    assert_string_equal(
        line_of(json_incref(json_object_get(json, "governor")), text_b),
        "{\"minInterval\":null,\"maxInterval\":null,\"backoff\":true,"
        "\"hint\":{\"interval\":\"1m\",\"at\":null,\"expires\":\"1970-01-01T01:00:00.000Z\","
        "\"reason\":\"busy\"}}");
}

static void invalid_stored_texts_are_corrupt(void **state)
{
    static const struct {
        enum schedule_part part;
        const char *kept;
    } cases[] = {
        {PART_LABELS, "[]"},        {PART_LABELS, "{"},
        {PART_SPEC, "{\"cron\""},   {PART_SPEC, "{\"cron\":1}"},
        {PART_ACTION, ""},          {PART_ACTION, "{\"type\":\"x\"}"},
        {PART_POLICIES, "nothing"}, {PART_POLICIES, "{\"priority\":99}"},
        {PART_EXTRA, "1"},
    };
    struct cursor cursor = {0};
    struct schedule_state now = {.cursor = &cursor};
    struct err err = {0};
    json_t *json = NULL;

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        if (schedule_part_show(cases[i].part, str_of(cases[i].kept), arena, &json, &err) !=
                RC_CORRUPT ||
            err.rc != RC_CORRUPT)
            fail_msg("%s", cases[i].kept);
    assert_int_equal(schedule_governor_show(STR("{"), &now, arena, &json, &err), RC_CORRUPT);
    assert_int_equal(schedule_governor_show(STR("[]"), &now, arena, &json, &err), RC_CORRUPT);
}

static void output_that_does_not_fit_is_cut(void **state)
{
    struct schedule_doc doc = schedule_doc_default();
    struct cursor cursor = cursor_of(&doc);
    struct schedule_state now = {.cursor = &cursor};
    struct schedule_face face;
    char small[100];
    struct buf out = BUF(small);

    (void)state;
    doc.action = action_default(ACTION_QUEUE);
    doc.action.queue.queue = STR("q");
    face = face_of(&doc, &now);
    schedule_show(&face, &out);
    assert_true(out.cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(random_documents_are_shown_completely),
        cmocka_unit_test(hint_and_enabled_come_from_the_cursor),
        cmocka_unit_test(invalid_stored_texts_are_corrupt),
        cmocka_unit_test(output_that_does_not_fit_is_cut),
    };

    return cmocka_run_group_tests(tests, begin, end);
}
