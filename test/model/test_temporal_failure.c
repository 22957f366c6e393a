/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is stored of a workflow's failure.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/temporal_codec.h"
#include "model/temporal_failure.h"

static Temporal__Failure failure_with(struct arena *arena, size_t trace)
{
    Temporal__Failure failure = TEMPORAL__FAILURE__INIT;
    Temporal__ApplicationFailureInfo *info = arena_take(arena, sizeof *info);

    temporal__application_failure_info__init(info);
    info->type = temporal_text(STR("Disk"), arena);
    info->non_retryable = true;
    failure.message = temporal_text(STR("oops"), arena);
    failure.source = temporal_text(STR("GoSDK"), arena);
    failure.stack_trace = arena_take(arena, trace + 1);
    memset(failure.stack_trace, 'x', trace);
    failure.application_failure_info = info;
    return failure;
}

/* The failure as the next start gets it. */
static const Temporal__Failure *keep(const Temporal__Failure *failure, struct arena *arena)
{
    struct str kept = temporal_failure_keep(failure, arena);
    size_t room = kept.len + 64;
    char *json = arena_take(arena, room);
    int len = snprintf(json, room, "{\"message\":\"m\",\"failure\":\"%.*s\"}", (int)kept.len,
                       kept.ptr);

    return temporal_failure_of((struct str){json, (size_t)len}, arena);
}

static void the_largest_failure_is_kept_whole(void **state)
{
    struct arena *arena = arena_new(16 << 20);
    Temporal__Failure failure = failure_with(arena, TEMPORAL_FAILURE_MAX - 64);
    const Temporal__Failure *kept = keep(&failure, arena);

    (void)state;
    assert_string_equal(kept->stack_trace, failure.stack_trace);
    assert_string_equal(kept->application_failure_info->type, "Disk");
    arena_free(arena);
}

static void a_larger_failure_is_cut_to_message_and_type(void **state)
{
    struct arena *arena = arena_new(16 << 20);
    Temporal__Failure failure = failure_with(arena, TEMPORAL_FAILURE_MAX);
    const Temporal__Failure *kept = keep(&failure, arena);

    (void)state;
    assert_string_equal(kept->message, "oops");
    assert_string_equal(kept->source, "GoSDK");
    assert_string_equal(kept->application_failure_info->type, "Disk");
    assert_true(kept->application_failure_info->non_retryable);
    assert_string_equal(kept->stack_trace,
                        "cut by Belfry: the failure has 65563 bytes; the limit is 65536");
    arena_free(arena);
}

static void text_and_damaged_failures_give_a_message(void **state)
{
    struct arena *arena = arena_new(16 << 20);
    static const struct {
        const char *stored, *message;
    } cases[] = {
        {"no disk", "no disk"},
        {"{\"message\":\"no disk\"}", "no disk"},
        {"{\"message\":\"no disk\",\"failure\":\"?\"}", "no disk"},
        {"{\"message\":\"no disk\",\"failure\":\"Cg==\"}", "no disk"},
    };

    (void)state;
    assert_null(temporal_failure_of((struct str){NULL, 0}, arena));
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const Temporal__Failure *failure = temporal_failure_of(str_of(cases[i].stored), arena);

        assert_string_equal(failure->message, cases[i].message);
        assert_string_equal(failure->source, "Belfry");
    }
    arena_free(arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_largest_failure_is_kept_whole),
        cmocka_unit_test(a_larger_failure_is_cut_to_message_and_type),
        cmocka_unit_test(text_and_damaged_failures_give_a_message),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
