/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests the syntax of the configuration file.  Expected values: the contract in
 * server/config/config_file.h.
 */
#include "server/config/config_file.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

/* Prints all lines as "LINE:COLUMN key=value;". */
static enum rc read_all(struct str text, struct buf *out, int *ret_line, struct err *reterr)
{
    static struct config_line line;
    struct config_file file;
    bool found = false;
    enum rc rc;

    config_file_begin(&file, text);
    do {
        rc = config_file_next(&file, &line, &found, reterr);
        if (rc == RC_OK && found)
            buf_printf(out, "%d:%d %.*s=%.*s;", line.line, line.value_at, STR_ARG(line.key),
                       STR_ARG(line.value));
    } while (rc == RC_OK && found);
    *ret_line = file.line;
    return rc;
}

static void check_good(struct str text, const char *expected)
{
    char shown[1000] = "";
    struct buf out = BUF(shown);
    struct err err;
    int line;

    if (read_all(text, &out, &line, &err) != RC_OK)
        fail_msg("%.*s: %s", STR_ARG(text), err.text);
    assert_string_equal(shown, expected);
}

static void lines_are_keys_and_values(void **state)
{
    (void)state;
    check_good(STR(""), "");
    check_good(STR("a=b"), "1:2 a=b;");
    check_good(STR("a = b c \nd\t=\te"), "1:4 a=b c;2:4 d=e;");
    check_good(STR("  a = b\r\n\r\nc=d\r\n"), "1:6 a=b;3:2 c=d;");
    check_good(STR("a =\nb=\"\""), "1:3 a=;2:3 b=;");
    check_good(STR("\xef\xbb\xbf"
                   "a=b"),
               "1:2 a=b;");
    check_good(STR("a=b=c"), "1:2 a=b=c;");
    check_good(STR("a=Z\xc3\xbcrich"), "1:2 a=Zürich;");
    check_good(STR("a=b\"c\""), "1:2 a=b\"c\";");
}

static void comments_are_skipped(void **state)
{
    (void)state;
    check_good(STR("# a = b\n\n  # c\nd = e # f\ng=h#i\nj = # k"), "4:4 d=e;5:2 g=h#i;6:4 j=;");
    check_good(STR("a = \" # \" # b"), "1:5 a= # ;");
    check_good(STR("a = \"b\"# c"), "1:5 a=b;");
}

static void quoted_values_keep_blanks_and_escapes(void **state)
{
    (void)state;
    check_good(STR("a = \"  b \""), "1:5 a=  b ;");
    check_good(STR("a = \"say \\\"b\\\" \\\\ c\""), "1:5 a=say \"b\" \\ c;");
}

static void check_bad(struct str text, int line, int column, const char *part)
{
    char shown[1000];
    struct buf out = BUF(shown);
    struct err err;
    int at_line;

    assert_int_not_equal(read_all(text, &out, &at_line, &err), RC_OK);
    if (!strstr(err.text, part))
        fail_msg("%.*s: %s", STR_ARG(text), err.text);
    assert_int_equal(at_line, line);
    assert_int_equal(err.at, column);
}

static void an_invalid_line_is_rejected_with_its_position(void **state)
{
    static char wide[CONFIG_VALUE_MAX + 3] = "a=";

    (void)state;
    check_bad(STR("a=b\n  c"), 2, 3, "missing =");
    check_bad(STR("a b = c"), 1, 2, "missing =");
    check_bad(STR("= b"), 1, 0, "missing key");
    check_bad(STR("\n\n; b"), 3, 0, "missing key");
    check_bad(STR("[belfry]\na=b"), 1, 0, "sections are not supported");
    check_bad(STR("a = \"b"), 1, 4, "missing closing quote");
    check_bad(STR("a = \"b\\\""), 1, 4, "missing closing quote");
    check_bad(STR("a = \"b\\"), 1, 6, "write a backslash as");
    check_bad(STR("a = \"b\\n\""), 1, 6, "write a backslash as");
    check_bad(STR("a = \"b\" c"), 1, 8, "only a comment");
    check_bad(STR("a = b\0c"), 1, 5, "control character (0x00)");
    check_bad(STR("# \x1b[0m"), 1, 2, "control character (0x1b)");
    check_bad(STR("a=b\rc=d"), 1, 3, "control character (0x0d)");
    check_bad(STR("a = \xfc"), 1, 4, "invalid UTF-8");
    memset(wide + 2, 'w', CONFIG_VALUE_MAX + 1);
    check_bad((struct str){wide, sizeof wide}, 1, 2, "the limit is 4096 bytes");
}

static void check_written(struct str value, const char *expected)
{
    char text[200];
    struct buf out = BUF(text);

    buf_text(&out, "k = ");
    config_file_write(value, &out);
    assert_string_equal(text + 4, expected);
    buf_text(&out, " # note");
    {
        static struct config_line line;
        struct config_file file;
        bool found = false;
        struct err err;

        config_file_begin(&file, buf_as_str(&out));
        assert_int_equal(config_file_next(&file, &line, &found, &err), RC_OK);
        assert_true(found);
        assert_true(str_eq(line.value, value));
    }
}

static void a_written_value_reads_back_unchanged(void **state)
{
    (void)state;
    check_written(STR("plain words, and more"), "plain words, and more");
    check_written(STR(""), "\"\"");
    check_written(STR(" b"), "\" b\"");
    check_written(STR("b\t"), "\"b\t\"");
    check_written(STR("a#b"), "\"a#b\"");
    check_written(STR("\"a\\b\""), "\"\\\"a\\\\b\\\"\"");
    check_written(STR("a\\b"), "a\\b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(lines_are_keys_and_values),
        cmocka_unit_test(comments_are_skipped),
        cmocka_unit_test(quoted_values_keep_blanks_and_escapes),
        cmocka_unit_test(an_invalid_line_is_rejected_with_its_position),
        cmocka_unit_test(a_written_value_reads_back_unchanged),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
