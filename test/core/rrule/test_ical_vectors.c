/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The published vectors of OnCalendar and RRULE, as whole specs: with zone, clock changes,
 * COUNT and UNTIL.
 *
 * The file is in test/data/vectors, or in the directory BELFRY_VECTORS.
 */
#include <jansson.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/spec/spec.h"
#include "core/time/text.h"
#include "zones.h"

enum { ARENA_MAX = 1 << 20 };

static struct str get_text(const json_t *row, const char *key)
{
    return str_of(json_string_value(json_object_get(row, key)));
}

static const char *get_id(const json_t *row)
{
    return json_string_value(json_object_get(row, "id"));
}

static instant instant_of(struct str text)
{
    struct err err;
    instant t = INSTANT_NONE;

    if (instant_parse(text, &t, &err) != RC_OK)
        fail_msg("%.*s: %s", STR_ARG(text), err.text);
    return t;
}

static enum rc compile(const json_t *row, enum dialect dialect, struct arena *arena,
                       struct spec *ret, struct err *reterr)
{
    struct zone_source zones = {.find = zone_find};
    struct cron_def cron = {.expr = get_text(row, "expr"), .dialect = dialect};
    struct spec_def def = spec_def_empty();
    struct str dst = get_text(row, "dst");

    def.cron = &cron;
    def.cron_count = 1;
    def.zone = get_text(row, "tz");
    if (dst.len > 0)
        assert_int_equal(dst_parse(dst, &def.dst.name, reterr), RC_OK);
    return spec_compile(&def, STR(""), &zones, arena, ret, reterr);
}

static void expect_times(const json_t *row, const struct spec *spec)
{
    const json_t *times = json_object_get(row, "expect");
    instant at = instant_of(get_text(row, "after"));
    struct spec_ctx ctx = spec_ctx(at);
    struct slot slot;
    size_t count = json_array_size(times);

    for (size_t i = 0; i < count; i++) {
        struct str want = str_of(json_string_value(json_array_get(times, i)));

        if (!spec_next(spec, &ctx, at, &slot) || slot.at != instant_of(want))
            fail_msg("%s: time %zu is not %.*s", get_id(row), i, STR_ARG(want));
        at = slot.at;
    }
    if (json_is_true(json_object_get(row, "complete")) && spec_next(spec, &ctx, at, &slot))
        fail_msg("%s: goes on after the last", get_id(row));
}

static void check_row(const json_t *row, enum dialect dialect, struct arena *arena)
{
    struct spec spec;
    struct err err;
    enum rc rc = compile(row, dialect, arena, &spec, &err);

    if (json_is_true(json_object_get(row, "error"))) {
        if (rc == RC_OK)
            fail_msg("%s: \"%.*s\" is accepted", get_id(row), STR_ARG(get_text(row, "expr")));
        assert_in_range(err.at, 0, get_text(row, "expr").len);
        return;
    }
    if (rc != RC_OK)
        fail_msg("%s: \"%.*s\": %s", get_id(row), STR_ARG(get_text(row, "expr")), err.text);
    expect_times(row, &spec);
}

/* All rows of a dialect; returns how many. */
static int check_all(enum dialect dialect)
{
    const char *dir = getenv("BELFRY_VECTORS");
    struct arena *arena = arena_new(ARENA_MAX);
    char path[512];
    json_t *rows, *row;
    int checked = 0;
    size_t i;

    snprintf(path, sizeof path, "%s/cron-public.json", dir ? dir : "test/data/vectors");
    rows = json_load_file(path, 0, NULL);
    if (!rows)
        fail_msg("%s cannot be read", path);
    json_array_foreach(rows, i, row)
    {
        if (!str_eq(get_text(row, "dialect"), str_of(dialect_text(dialect))))
            continue;
        check_row(row, dialect, arena);
        arena_reset(arena);
        checked++;
    }
    json_decref(rows);
    arena_free(arena);
    return checked;
}

static void every_public_vector_of_oncalendar_is_right(void **state)
{
    (void)state;
    assert_true(check_all(DIALECT_SYSTEMD) > 60);
}

static void every_public_vector_of_rrule_is_right(void **state)
{
    (void)state;
    assert_true(check_all(DIALECT_RRULE) > 30);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_public_vector_of_oncalendar_is_right),
        cmocka_unit_test(every_public_vector_of_rrule_is_right),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
