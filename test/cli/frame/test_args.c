/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of the option parser.
 */
#include "cli/frame/args.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

enum { OPT_ZONE, OPT_COUNT, OPT_LOUD, OPT_QUIET, OPT_DRY_RUN, OPT_LISTEN, OPTIONS };

static const struct option options[OPTIONS] = {
    [OPT_ZONE] = {"zone", 'z', "ZONE", NULL, ""},
    [OPT_COUNT] = {"count", 'n', "N", NULL, ""},
    [OPT_LOUD] = {"loud", 'l', NULL, NULL, ""},
    [OPT_QUIET] = {"quiet", '\0', NULL, NULL, ""},
    [OPT_DRY_RUN] = {"dry-run", 'd', "[=BOOL]", NULL, ""},
    [OPT_LISTEN] = {"listen", '\0', "ADDRESS", NULL, ""},
};

static enum rc read_words(struct args *args, struct err *err, const char *const *words)
{
    static char *argv[16]; /* args.operand points into it */
    int argc = 0;

    for (; words[argc]; argc++)
        argv[argc] = (char *)(uintptr_t)words[argc];
    return args_read(argc, argv, options, OPTIONS, args, err);
}

#define READ(...) read_words(&args, &err, (const char *const[]){__VA_ARGS__, NULL})

static void a_value_may_be_in_the_same_word_or_the_next(void **state)
{
    struct args args;
    struct err err;

    (void)state;
    assert_int_equal(READ("--zone", "A", "-n", "5", "x"), RC_OK);
    assert_string_equal(args.value[OPT_ZONE], "A");
    assert_string_equal(args.value[OPT_COUNT], "5");
    assert_null(args.value[OPT_LOUD]);
    assert_int_equal(args.operands, 1);
    assert_string_equal(args.operand[0], "x");
    assert_int_equal(READ("--zone=B=C", "-n6", "-z="), RC_OK);
    assert_string_equal(args.value[OPT_ZONE], "=");
    assert_string_equal(args.value[OPT_COUNT], "6");
    assert_int_equal(READ("--zone="), RC_OK);
    assert_string_equal(args.value[OPT_ZONE], "");
}

static void options_without_values_may_be_combined(void **state)
{
    struct args args;
    struct err err;

    (void)state;
    assert_int_equal(READ("-ln", "7", "--quiet"), RC_OK);
    assert_non_null(args.value[OPT_LOUD]);
    assert_non_null(args.value[OPT_QUIET]);
    assert_string_equal(args.value[OPT_COUNT], "7");
}

static void an_optional_value_may_be_omitted(void **state)
{
    struct args args;
    struct err err;

    (void)state;
    assert_int_equal(READ("--dry-run", "x"), RC_OK);
    assert_string_equal(args.value[OPT_DRY_RUN], "true");
    assert_int_equal(args.operands, 1);
    assert_int_equal(READ("--dry-run=off"), RC_OK);
    assert_string_equal(args.value[OPT_DRY_RUN], "off");
    assert_int_equal(READ("--dry-run="), RC_OK);
    assert_string_equal(args.value[OPT_DRY_RUN], "");
    assert_int_equal(READ("-dln5"), RC_OK);
    assert_string_equal(args.value[OPT_DRY_RUN], "true");
    assert_non_null(args.value[OPT_LOUD]);
}

static void a_name_may_have_underscores_for_dashes(void **state)
{
    struct args args;
    struct err err;

    (void)state;
    assert_int_equal(READ("--dry_run=no"), RC_OK);
    assert_string_equal(args.value[OPT_DRY_RUN], "no");
    assert_int_equal(READ("--dry+run"), RC_INVALID);
    assert_string_equal(err.text, "unknown option \"--dry+run\"; did you mean --dry-run?");
}

static void two_dashes_end_options_and_one_is_an_operand(void **state)
{
    struct args args;
    struct err err;

    (void)state;
    assert_int_equal(READ("-", "--", "--zone", "-n"), RC_OK);
    assert_int_equal(args.operands, 3);
    assert_string_equal(args.operand[0], "-");
    assert_string_equal(args.operand[1], "--zone");
    assert_string_equal(args.operand[2], "-n");
    assert_null(args.value[OPT_ZONE]);
}

static void there_may_be_any_number_of_operands(void **state)
{
    struct args args;
    struct err err;

    (void)state;
    assert_int_equal(
        READ("a", "-z", "A", "b", "c", "d", "--zone=B", "e", "f", "g", "h", "i", "j"), RC_OK);
    assert_int_equal(args.operands, 10);
    for (int i = 0; i < args.operands; i++)
        assert_int_equal(args.operand[i][0], 'a' + i);
    assert_string_equal(args.value[OPT_ZONE], "B");
}

static void an_option_may_be_repeated(void **state)
{
    const char *list[2] = {NULL, NULL};
    struct args args;
    struct err err;

    (void)state;
    assert_int_equal(READ("-z", "A", "-l", "--zone=B", "-n5", "-zC"), RC_OK);
    assert_string_equal(args.value[OPT_ZONE], "C");
    assert_int_equal(args_all(&args, OPT_ZONE, list, 2), 3);
    assert_string_equal(list[0], "A");
    assert_string_equal(list[1], "B");
    assert_int_equal(args_all(&args, OPT_COUNT, list, 2), 1);
    assert_int_equal(args_all(&args, OPT_QUIET, list, 2), 0);
}

static void errors_name_the_option(void **state)
{
    struct args args = {.operands = 77};
    struct err err;

    (void)state;
    assert_int_equal(READ("--zoen=x"), RC_INVALID);
    assert_string_equal(err.text, "unknown option \"--zoen=x\"; did you mean --zone?");
    assert_int_equal(READ("-x"), RC_INVALID);
    assert_string_equal(err.text, "unknown option \"-x\"");
    assert_int_equal(READ("-lx"), RC_INVALID);
    assert_int_equal(READ("--zone"), RC_INVALID);
    assert_string_equal(err.text, "--zone needs a value: --zone ZONE");
    assert_int_equal(READ("--loud=1"), RC_INVALID);
    assert_string_equal(err.text, "--loud takes no value");
    assert_int_equal(READ("--port", "8080"), RC_INVALID);
    assert_string_equal(err.text, "unknown option \"--port\"; use --listen ADDRESS");
    assert_int_equal(READ("--database=x"), RC_INVALID);
    assert_string_equal(err.text, "unknown option \"--database=x\"");
    assert_int_equal(args.operands, 77);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_value_may_be_in_the_same_word_or_the_next),
        cmocka_unit_test(options_without_values_may_be_combined),
        cmocka_unit_test(an_optional_value_may_be_omitted),
        cmocka_unit_test(a_name_may_have_underscores_for_dashes),
        cmocka_unit_test(two_dashes_end_options_and_one_is_an_operand),
        cmocka_unit_test(there_may_be_any_number_of_operands),
        cmocka_unit_test(an_option_may_be_repeated),
        cmocka_unit_test(errors_name_the_option),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
