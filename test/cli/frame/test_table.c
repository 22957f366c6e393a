/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of tables: widths, cut cells, omitted columns, escapes.
 */
#include "cli/frame/table.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static const struct table_column columns[] = {
    {"ID", false, true}, {"RUNS", true, false}, {"DESCRIPTION", false, true}};

static struct table *small(void)
{
    struct table *table = table_new(columns, 3);

    table_add(table, STR("nightly"), TINT_NONE);
    table_add(table, STR("12"), TINT_NONE);
    table_add(table, STR("makes the report of the day"), TINT_NONE);
    table_add(table, STR("\u4e2d\u6587"), TINT_GOOD);
    table_add(table, STR("1000"), TINT_NONE);
    table_add(table, STR(""), TINT_NONE);
    return table;
}

/* The output of table_print(). */
static const char *printed(const struct table *table, int width, bool colours)
{
    static char text[4096];
    static struct printer out;
    FILE *file = tmpfile();
    ssize_t n;

    assert_non_null(file);
    printer_open(&out, fileno(file));
    out.colours = colours;
    table_print(table, &out, width);
    assert_int_equal(printer_close(&out), 0);
    n = pread(fileno(file), text, sizeof text - 1, 0);
    assert_true(n >= 0);
    text[n] = '\0';
    fclose(file);
    return text;
}

static void columns_are_as_wide_as_their_cells(void **state)
{
    struct table *table = small();

    (void)state;
    assert_string_equal(printed(table, 0, false), "ID       RUNS  DESCRIPTION\n"
                                                  "nightly    12  makes the report of the day\n"
                                                  "\u4e2d\u6587     1000\n");
    table_free(table);
}

static void the_widest_column_is_cut_first(void **state)
{
    struct table *table = small();

    (void)state;
    assert_string_equal(printed(table, 30, false), "ID       RUNS  DESCRIPTION\n"
                                                   "nightly    12  makes the repo\u2026\n"
                                                   "\u4e2d\u6587     1000\n");
    assert_string_equal(printed(table, 26, false), "ID       RUNS  DESCRIPTION\n"
                                                   "nightly    12  makes the \u2026\n"
                                                   "\u4e2d\u6587     1000\n");
    table_free(table);
}

static void the_last_columns_are_omitted_if_shrinking_is_not_enough(void **state)
{
    struct table *table = small();

    (void)state;
    assert_string_equal(printed(table, 25, false), "ID       RUNS\n"
                                                   "nightly    12\n"
                                                   "\u4e2d\u6587     1000\n");
    assert_string_equal(printed(table, 12, false), "ID\nnightly\n\u4e2d\u6587\n");
    assert_string_equal(printed(table, 4, false), "ID\nnig\u2026\n\u4e2d\u6587\n");
    table_free(table);
}

static void a_column_without_text_is_omitted(void **state)
{
    struct table *table = table_new(columns, 3);

    (void)state;
    table_add(table, STR("a"), TINT_NONE);
    table_add(table, STR(""), TINT_NONE);
    table_add(table, STR("x"), TINT_NONE);
    assert_string_equal(printed(table, 0, false), "ID  DESCRIPTION\na   x\n");
    table_free(table);
}

static void colours_do_not_count_as_width(void **state)
{
    struct table *table = small();

    (void)state;
    assert_non_null(strstr(printed(table, 0, true), "\033[32m\u4e2d\u6587\033[0m     1000\n"));
    table_free(table);
}

static void control_characters_in_a_cell_are_escaped(void **state)
{
    struct table *table = table_new(columns, 1);

    (void)state;
    table_add(table, STR("x\033]0;mine\a\ny"), TINT_NONE);
    assert_string_equal(printed(table, 0, true), "\033[2mID\033[0m\nx\\x1b]0;mine\\x07\\ny\n");
    table_free(table);
}

static void without_rows_nothing_is_printed(void **state)
{
    struct table *table = table_new(columns, 3);

    (void)state;
    assert_string_equal(printed(table, 80, false), "");
    table_free(table);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(columns_are_as_wide_as_their_cells),
        cmocka_unit_test(the_widest_column_is_cut_first),
        cmocka_unit_test(the_last_columns_are_omitted_if_shrinking_is_not_enough),
        cmocka_unit_test(a_column_without_text_is_omitted),
        cmocka_unit_test(colours_do_not_count_as_width),
        cmocka_unit_test(control_characters_in_a_cell_are_escaped),
        cmocka_unit_test(without_rows_nothing_is_printed),
    };

    return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
