/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Every buffer vector of vectors/temporal-policy.json: which starts run, which wait, which
 * open runs are cancelled, and what is counted.
 */
#include "core/policy/overlap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>
#include <jansson.h>

enum { WAITING_MAX = 16 };

static const struct {
    const char *text;
    enum overlap policy;
} temporal[] = {
    {"SKIP", OVERLAP_SKIP},
    {"BUFFER_ONE", OVERLAP_BUFFER_ONE},
    {"BUFFER_ALL", OVERLAP_BUFFER_ALL},
    {"CANCEL_OTHER", OVERLAP_CANCEL_OTHER},
    {"TERMINATE_OTHER", OVERLAP_TERMINATE_OTHER},
    {"ALLOW_ALL", OVERLAP_ALLOW_ALL},
    {"UNSPECIFIED", OVERLAP_DEFAULT},
};

static enum overlap policy_of(const char *text)
{
    for (size_t i = 0; i < sizeof temporal / sizeof *temporal; i++)
        if (strcmp(temporal[i].text, text) == 0)
            return temporal[i].policy;
    fail_msg("no such policy: %s", text);
    return OVERLAP_COUNT;
}

static json_t *load_vectors(void)
{
    const char *dir = getenv("BELFRY_VECTORS");
    char path[400];
    json_t *root;

    snprintf(path, sizeof path, "%s/temporal-policy.json", dir ? dir : "test/data/vectors");
    root = json_load_file(path, 0, NULL);
    assert_non_null(root);
    return root;
}

static bool has_id(const json_t *list, json_int_t id)
{
    size_t i;
    json_t *item;

    json_array_foreach((json_t *)list, i, item) if (json_integer_value(item) == id) return true;
    return false;
}

static void check_item(const json_t *vector, json_int_t id, enum verdict verdict)
{
    const json_t *expect = json_object_get(vector, "expect");
    bool starts = has_id(json_object_get(expect, "startOverlapping"), id) ||
                  json_integer_value(json_object_get(expect, "startOne")) == id;
    bool stays = has_id(json_object_get(expect, "keepBuffered"), id);

    if (starts != (verdict == VERDICT_START) || stays != (verdict == VERDICT_HOLD))
        fail_msg("%s: start %d has verdict %d",
                 json_string_value(json_object_get(vector, "name")), (int)id, (int)verdict);
}

static void every_buffer_vector_is_decided_as_temporal_does(void **state)
{
    json_t *root = load_vectors(), *vector, *item;
    json_t *vectors = json_object_get(root, "processBufferVectors");
    size_t i, j;

    (void)state;
    assert_true(json_array_size(vectors) > 20);
    json_array_foreach(vectors, i, vector)
    {
        json_t *buffer = json_object_get(vector, "buffer");
        json_t *expect = json_object_get(vector, "expect");
        uint8_t policy[WAITING_MAX], verdict[WAITING_MAX];
        struct overlap_effects effects;

        assert_true(json_array_size(buffer) <= WAITING_MAX);
        json_array_foreach(buffer, j, item)
            policy[j] = (uint8_t)policy_of(json_string_value(json_object_get(item, "policy")));
        effects = overlap_decide(
            policy, (int)json_array_size(buffer),
            policy_of(json_string_value(json_object_get(vector, "schedulePolicy"))),
            json_is_true(json_object_get(vector, "running")), verdict);
        json_array_foreach(buffer, j, item) check_item(
            vector, json_integer_value(json_object_get(item, "id")), (enum verdict)verdict[j]);
        assert_int_equal(effects.cancel, json_is_true(json_object_get(expect, "needCancel")));
        assert_int_equal(effects.terminate,
                         json_is_true(json_object_get(expect, "needTerminate")));
        assert_int_equal(effects.skipped,
                         json_integer_value(json_object_get(expect, "overlapSkipped")));
    }
    json_decref(root);
}

/* A start that neither runs nor waits has an outcome. */
static void every_start_has_a_verdict(void **state)
{
    (void)state;
    for (int code = 0; code < 6 * 6 * 6 * 6 * 2; code++) {
        uint8_t policy[4], verdict[4] = {9, 9, 9, 9};
        struct overlap_effects effects;
        int rest = code / 2, singles = 0, skipped = 0;

        for (int i = 0; i < 4; i++, rest /= 6)
            policy[i] = (uint8_t)(rest % 6);
        effects = overlap_decide(policy, 4, OVERLAP_SKIP, code % 2, verdict);
        for (int i = 0; i < 4; i++) {
            assert_true(verdict[i] <= VERDICT_REPLACED);
            singles += verdict[i] == VERDICT_START && policy[i] != OVERLAP_ALLOW_ALL;
            skipped += verdict[i] == VERDICT_SKIP;
        }
        assert_true(singles <= (code % 2 ? 0 : 1));
        assert_int_equal(skipped, effects.skipped);
    }
}

static void names_are_read_back_and_misspellings_get_a_hint(void **state)
{
    enum overlap policy;
    struct err err;

    (void)state;
    for (int i = 0; i < OVERLAP_COUNT; i++) {
        assert_int_equal(overlap_parse(str_of(overlap_text((enum overlap)i)), &policy, &err),
                         RC_OK);
        assert_int_equal(policy, i);
    }
    assert_int_equal(overlap_parse(STR("bufferone"), &policy, &err), RC_INVALID);
    assert_non_null(strstr(err.text, "did you mean \"bufferOne\""));
    assert_int_equal(overlap_parse(STR(""), &policy, &err), RC_INVALID);
}

/* The policy of a waiting run is a column of its row. */
static void a_damaged_policy_still_gives_a_verdict(void **state)
{
    (void)state;
    for (int policy = 0; policy <= UINT8_MAX; policy++)
        for (int is_open = 0; is_open <= 1; is_open++) {
            const uint8_t policies[2] = {(uint8_t)policy, (uint8_t)(UINT8_MAX - policy)};
            uint8_t verdict[2] = {9, 9};

            overlap_decide(policies, 2, OVERLAP_SKIP, is_open, verdict);
            assert_true(verdict[0] <= VERDICT_REPLACED && verdict[1] <= VERDICT_REPLACED);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_damaged_policy_still_gives_a_verdict),
        cmocka_unit_test(every_buffer_vector_is_decided_as_temporal_does),
        cmocka_unit_test(every_start_has_a_verdict),
        cmocka_unit_test(names_are_read_back_and_misspellings_get_a_hint),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
