/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Temporal's specs from JSON to slots, compared with the vectors: every spec with its times, or
 * its error.  Where the original server deviates from its documentation, the documented times
 * count.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/spec/spec.h"
#include "core/time/text.h"
#include "model/temporal_codec.h"

#define VECTORS "test/data/vectors/temporal-spec.json"

static struct arena *arena;
static json_t *vectors;

static int set_up(void **state)
{
    json_error_t error;

    (void)state;
    arena = arena_new(64 << 20);
    vectors = json_load_file(VECTORS, JSON_REJECT_DUPLICATES, &error);
    return vectors ? 0 : -1;
}

static int end(void **state)
{
    (void)state;
    arena = arena_free(arena);
    json_decref(vectors);
    return 0;
}

/* The system's zones; each lives as long as the arena. */
static const struct tz *find_zone(void *user, struct str name, struct err *err)
{
    static uint8_t bytes[TZ_FILE_MAX];
    struct tz *tz = arena_take(arena, TZ_BYTES_MAX);
    char path[200];
    FILE *file;
    size_t len;

    (void)user;
    if (tz_fixed(name, tz, TZ_BYTES_MAX, err) == RC_OK)
        return tz;
    snprintf(path, sizeof path, "/usr/share/zoneinfo/%.*s", STR_ARG(name));
    file = fopen(path, "rb");
    if (!file) {
        err_set(err, RC_NOT_FOUND, -1, 0, "no such zone");
        return NULL;
    }
    len = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    return tz_parse(name, bytes, len, tz, TZ_BYTES_MAX, err) == RC_OK ? tz : NULL;
}

static struct str vector_text(const json_t *vector, const char *key)
{
    return str_of(json_string_value(json_object_get(vector, key)));
}

static enum rc compile(const json_t *vector, struct spec *ret, struct err *err)
{
    const struct zone_source zones = {find_zone, NULL};
    struct spec_def def;
    enum rc rc = temporal_def_from_json(json_object_get(vector, "spec"), arena, &def, err);

    return rc == RC_OK ? spec_compile(&def, (struct str){0}, &zones, arena, ret, err) : rc;
}

static instant instant_of(const json_t *string)
{
    struct err err = {0};
    instant t = 0;

    if (instant_parse(str_of(json_string_value(string)), &t, &err) != RC_OK)
        fail_msg("%s: %s", json_string_value(string), err.text);
    return t;
}

static void check_slot(const json_t *vector, bool has, const struct slot *slot, instant due,
                       instant at)
{
    char text[200];
    struct buf out = BUF(text);

    if (has && slot->due == due && slot->at == at)
        return;
    if (has)
        instant_format_ms(slot->due, &out);
    else
        buf_text(&out, "nothing");
    buf_text(&out, " in place of ");
    instant_format_ms(due, &out);
    fail_msg("%.*s: %s", STR_ARG(vector_text(vector, "name")), text);
}

/* Each time is the first strictly after the one before, jitter included. */
static void check_times(const json_t *vector, const json_t *times)
{
    const json_t *nominal = json_object_get(vector, "nominal");
    struct spec_ctx ctx = spec_ctx(0);
    instant after = instant_of(json_object_get(vector, "after"));
    struct err err = {0};
    struct slot slot;
    struct spec spec;

    if (compile(vector, &spec, &err) != RC_OK)
        fail_msg("%.*s: %s: %s", STR_ARG(vector_text(vector, "name")), err.field, err.text);
    ctx.seed = vector_text(vector, "jitterSeed");
    for (size_t i = 0; i < json_array_size(times); i++) {
        instant due = instant_of(json_array_get(times, i));
        instant at = nominal ? instant_of(json_array_get(nominal, i)) : due;

        check_slot(vector, spec_next(&spec, &ctx, after, &slot), &slot, due, at);
        after = due;
    }
    if (json_is_true(json_object_get(vector, "exhausted")) &&
        spec_next(&spec, &ctx, after, &slot))
        fail_msg("%.*s: goes on", STR_ARG(vector_text(vector, "name")));
}

static void every_vector_has_its_times_or_is_refused(void **state)
{
    const json_t *list = json_object_get(vectors, "vectors");
    size_t refused = 0;

    (void)state;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *vector = json_array_get(list, i);
        struct err err = {0};
        struct spec spec;

        arena_reset(arena);
        if (!json_is_true(json_object_get(vector, "error"))) {
            check_times(vector, json_object_get(vector, "expect"));
            continue;
        }
        refused++;
        if (compile(vector, &spec, &err) == RC_OK)
            fail_msg("%.*s: taken", STR_ARG(vector_text(vector, "name")));
        assert_true(err.text[0] != '\0' && err.field[0] != '\0');
    }
    assert_int_equal(json_array_size(list), 144);
    assert_int_equal(refused, 51);
}

static void where_the_original_deviates_the_documented_times_count(void **state)
{
    const json_t *list = json_object_get(vectors, "quirkVectors");

    (void)state;
    for (size_t i = 0; i < json_array_size(list); i++) {
        const json_t *vector = json_array_get(list, i);

        arena_reset(arena);
        check_times(vector, json_object_get(vector, "documented"));
    }
    assert_int_equal(json_array_size(list), 12);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_vector_has_its_times_or_is_refused),
        cmocka_unit_test(where_the_original_deviates_the_documented_times_count),
    };

    return cmocka_run_group_tests(tests, set_up, end);
}
