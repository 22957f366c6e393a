/* SPDX-License-Identifier: Apache-2.0 */
/* The line of a field in a file; lines counted by hand. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "wire/yaml/yaml.h"

static const char text[] = "---\n"                    /* 1 */
                           "id: a\n"                  /* 2 */
                           "labels:\n"                /* 3 */
                           "  app.kubernetes.io: x\n" /* 4 */
                           "  app: y\n"               /* 5 */
                           "spec:\n"                  /* 6 */
                           "  cron:\n"                /* 7 */
                           "    - expr: 1\n"          /* 8 */
                           "      dialect: x\n"       /* 9 */
                           "    - [1,\n"              /* 10 */
                           "       2]\n"              /* 11 */
                           "    - plain\n"            /* 12 */
                           "specs: {a: 1,\n"          /* 13 */
                           "  b: 2}\n";               /* 14 */

static void fields_are_found_by_their_path(void **state)
{
    static const struct {
        const char *path;
        int line;
    } rows[] = {
        {"id", 2},
        {"labels", 3},
        {"labels.app.kubernetes.io", 4},
        {"labels.app", 5},
        {"spec", 6},
        {"spec.cron", 7},
        {"spec.cron[0]", 8},
        {"spec.cron[0].dialect", 9},
        {"spec.cron[1]", 10},
        {"spec.cron[1][1]", 11},
        {"spec.cron[2]", 12},
        {"specs.b", 14},
        /* A missing field has the line where it would be. */
        {"", 2},
        {"action", 2},
        {"spec.dst", 6},
        {"spec.cron[9]", 7},
        {"spec.cron[0].timezone", 8},
        {"spec.cron[2].expr", 12},
        {"id.x", 2},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++)
        if (yaml_line(str_of(text), rows[i].path) != rows[i].line)
            fail_msg("%s: %d", rows[i].path, yaml_line(str_of(text), rows[i].path));
}

static void json_has_lines_too(void **state)
{
    const char *json = "{\"id\": \"a\",\n \"spec\":\n  {\"cron\": [\"x\",\n \"y\"]}}";

    (void)state;
    assert_int_equal(yaml_line(str_of(json), "spec"), 2);
    assert_int_equal(yaml_line(str_of(json), "spec.cron[1]"), 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fields_are_found_by_their_path),
        cmocka_unit_test(json_has_lines_too),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
