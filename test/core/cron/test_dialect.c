/* SPDX-License-Identifier: Apache-2.0 */
/* Names and default rules of the dialects. */
#include "core/cron/dialect.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* The list and the defaults of docs/semantics.md [T-26]. */
static const struct {
    enum dialect dialect;
    const char *text;
    enum dst_name dst;
} rows[] = {
    {DIALECT_BELFRY, "belfry", DST_VIXIE},
    {DIALECT_POSIX, "posix", DST_VIXIE},
    {DIALECT_VIXIE, "vixie", DST_VIXIE},
    {DIALECT_CRONIE, "cronie", DST_VIXIE},
    {DIALECT_CLOUDSCHEDULER, "cloudscheduler", DST_VIXIE},
    {DIALECT_GITHUB, "github", DST_VIXIE},
    {DIALECT_SPRING, "spring", DST_LITERAL},
    {DIALECT_TEMPORAL, "temporal", DST_LITERAL},
    {DIALECT_ROBFIG, "robfig", DST_LITERAL},
    {DIALECT_ROBFIG_SECONDS, "robfig-seconds", DST_LITERAL},
    {DIALECT_K8S, "k8s", DST_LITERAL},
    {DIALECT_JENKINS, "jenkins", DST_LITERAL},
    {DIALECT_SYSTEMD, "systemd", DST_ONCE},
    {DIALECT_AWS, "aws", DST_ONCE},
    {DIALECT_RRULE, "rrule", DST_ONCE},
    {DIALECT_QUARTZ, "quartz", DST_LAST},
};

enum { ROWS = sizeof rows / sizeof rows[0] };

static void every_dialect_has_its_name_and_reads_it_back(void **state)
{
    struct err err;

    (void)state;
    assert_int_equal(ROWS, DIALECT_COUNT);
    for (int i = 0; i < ROWS; i++) {
        enum dialect read = DIALECT_COUNT;

        assert_string_equal(dialect_text(rows[i].dialect), rows[i].text);
        assert_int_equal(dialect_parse(str_of(rows[i].text), &read, &err), RC_OK);
        assert_int_equal(read, rows[i].dialect);
    }
}

static void every_dialect_has_the_clock_change_rule_its_users_know(void **state)
{
    (void)state;
    for (int i = 0; i < ROWS; i++)
        assert_int_equal(dialect_dst(rows[i].dialect), rows[i].dst);
}

static void an_unknown_name_is_refused_with_the_nearest(void **state)
{
    enum dialect read = DIALECT_AWS;
    struct err err;

    (void)state;
    assert_int_equal(dialect_parse(STR("quarz"), &read, &err), RC_INVALID);
    assert_int_equal(read, DIALECT_AWS);
    assert_string_equal(err.text, "\"quarz\" is not a dialect; did you mean \"quartz\"?");
    assert_int_equal(dialect_parse(STR("Spring"), &read, &err), RC_INVALID);
    assert_non_null(strstr(err.text, "\"spring\""));
}

static void a_name_near_to_none_is_refused_with_the_list(void **state)
{
    enum dialect read = DIALECT_AWS;
    struct err err;

    (void)state;
    assert_int_equal(dialect_parse(STR("fortnightly"), &read, &err), RC_INVALID);
    for (int i = 0; i < ROWS; i++)
        assert_non_null(strstr(err.text, rows[i].text));
    assert_int_equal(dialect_parse(STR(""), &read, &err), RC_INVALID);
    assert_int_equal(err.len, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_dialect_has_its_name_and_reads_it_back),
        cmocka_unit_test(every_dialect_has_the_clock_change_rule_its_users_know),
        cmocka_unit_test(an_unknown_name_is_refused_with_the_nearest),
        cmocka_unit_test(a_name_near_to_none_is_refused_with_the_list),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
