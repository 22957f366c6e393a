/* SPDX-License-Identifier: Apache-2.0 */
/* Problems, as in RFC 9457 and the example of the API description. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "wire/problem.h"

static void a_problem_names_what_is_wrong_and_where(void **state)
{
    char text[PROBLEM_BYTES_MAX];
    struct buf out = BUF(text);

    (void)state;
    problem_print(&(struct problem){400, "invalid_spec", "minute 61 is out of range 0-59",
                                    "spec.cron[0].expr", 0, STR("r1"), NULL},
                  &out);
    assert_string_equal(
        text, "{\"type\":\"about:blank\",\"title\":\"Bad Request\",\"status\":400,"
              "\"detail\":\"minute 61 is out of range 0-59\",\"code\":\"invalid_spec\","
              "\"field\":\"spec.cron[0].expr\",\"at\":0,\"requestId\":\"r1\"}");
}

static void a_problem_without_a_field_has_no_field(void **state)
{
    char text[PROBLEM_BYTES_MAX];
    struct buf out = BUF(text);

    (void)state;
    problem_print(
        &(struct problem){404, "not_found", "There is no \"a\\b\".", "", -1, {NULL, 0}, NULL},
        &out);
    assert_string_equal(text,
                        "{\"type\":\"about:blank\",\"title\":\"Not Found\",\"status\":404,"
                        "\"detail\":\"There is no \\\"a\\\\b\\\".\",\"code\":\"not_found\"}");
}

static void the_longest_text_of_an_error_fits_escaped(void **state)
{
    char text[PROBLEM_BYTES_MAX], detail[ERR_TEXT_MAX], field[ERR_FIELD_MAX], id[128];
    struct buf out = BUF(text);

    (void)state;
    memset(detail, 1, sizeof detail); /* each becomes \u0001 */
    memset(field, 1, sizeof field);
    memset(id, 'x', sizeof id);
    detail[sizeof detail - 1] = field[sizeof field - 1] = '\0';
    problem_print(
        &(struct problem){
            431, "version_conflict", detail, field, INT32_MAX, {id, sizeof id}, NULL},
        &out);
    assert_false(out.cut);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_problem_names_what_is_wrong_and_where),
        cmocka_unit_test(a_problem_without_a_field_has_no_field),
        cmocka_unit_test(the_longest_text_of_an_error_fits_escaped),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
