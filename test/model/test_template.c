/* SPDX-License-Identifier: Apache-2.0 */
/* Templates: which are accepted, the position of errors, and what is filled in where. */
#include "model/template.h"

#include "codecs.h"
#include "model/action_json.h"

#define NEW_YEAR INT64_C(1798761600000000) /* 2027-01-01T00:00:00Z */

static const struct run some_run = {
    .slot = NEW_YEAR,
    .due = NEW_YEAR,
    .attempt = 2,
    .fence = 7,
    .attempt_at = NEW_YEAR + 1500 * SPAN_MS,
};

static const struct payload some_payload = {
    .run = &some_run,
    .id = {"r_abc", 5},
    .schedule = {"a b/\u00fc", 6},
    .namespace = {"default", 7},
    .input = {"{\"s\":\"x y\",\"n\":1,\"f\":1.5,\"t\":true,\"z\":null,\"l\":[1,{\"k\":\"v\"}],"
              "\"o\":{\"a-b_9\":\"deep\"},\"tpl\":\"${run}\",\"crlf\":\"a\\r\\nb\","
              "\"\u00e4\":\"umlaut\"}",
              0},
    .last_result = {"{\"body\":{\"items\":[10,20]}}", 26},
    .last_failure = {"it broke", 8},
};

static struct payload with_input(void)
{
    struct payload payload = some_payload;

    payload.input.len = strlen(payload.input.ptr);
    return payload;
}

static enum rc fill(const char *text, struct template_place place, struct str *ret,
                    struct err *reterr)
{
    struct payload payload = with_input();
    struct filling filling = {.payload = &payload};
    enum rc rc = template_fill(&filling, place, str_of(text), arena, ret, reterr);

    filling_end(&filling);
    return rc;
}

static void check_fill(const char *text, bool is_url, const char *expected)
{
    struct str filled = {0};
    struct err err;

    if (fill(text, (struct template_place){.is_url = is_url, .max = 1000}, &filled, &err))
        fail_msg("%s: %s", text, err.text);
    assert_str(filled, expected);
}

/* Other programs write {{name}}; inputs are data and are not filled in. */
static void braces_of_other_programs_are_found(void **state)
{
    static const char *const foreign[] = {
        "{\"type\":\"http\",\"url\":\"http://a/{{x}}\"}",
        "{\"type\":\"http\",\"url\":\"http://a/\",\"headers\":{\"a\":\"{{x}}\"}}",
        "{\"type\":\"http\",\"url\":\"http://a/\",\"body\":{\"a\":[{\"b\":\"{{ x }}\"}]}}",
        "{\"type\":\"exec\",\"argv\":[\"/bin/echo\",\"{{x}}\"]}",
        "{\"type\":\"exec\",\"argv\":[\"/bin/echo\"],\"env\":{\"A\":\"{{x}}\"}}",
    };
    static const char *const plain[] = {
        "{\"type\":\"http\",\"url\":\"http://a/${run}\",\"input\":{\"a\":\"{{x}}\"}}",
        "{\"type\":\"queue\",\"queue\":\"q\",\"input\":{\"a\":\"{{x}}\"}}",
        "{\"type\":\"http\",\"url\":\"http://a/\",\"body\":{\"a\":{\"{\":\"{ {\"}}}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof foreign / sizeof *foreign; i++)
        assert_true(template_is_foreign(str_of(foreign[i])));
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++)
        assert_false(template_is_foreign(str_of(plain[i])));
}

static void every_name_has_its_value(void **state)
{
    static const char *const cases[][2] = {
        {"${scheduledTime}", "2027-01-01T00:00:00.000Z"},
        {"${executionTime}", "2027-01-01T00:00:01.500Z"},
        {"${scheduledTimeMs}", "1798761600000"},
        {"${executionTimeMs}", "1798761601500"},
        {"${schedule}", "a b/\u00fc"},
        {"${namespace}", "default"},
        {"${run}", "r_abc"},
        {"${attempt}", "2"},
        {"${fence}", "7"},
        {"${input.s}", "x y"},
        {"${input.n}", "1"},
        {"${input.f}", "1.5"},
        {"${input.t}", "true"},
        {"${input.l}", "[1,{\"k\":\"v\"}]"},
        {"${input.l[0]}", "1"},
        {"${input.l[1].k}", "v"},
        {"${input.o.a-b_9}", "deep"},
        {"${input.\u00e4}", "umlaut"},
        {"${lastResult.body.items[1]}", "20"},
        {"${lastResult}", "{\"body\":{\"items\":[10,20]}}"},
        {"${lastFailure}", "it broke"},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++)
        check_fill(cases[i][0], false, cases[i][1]);
}

static void missing_values_are_empty(void **state)
{
    static const char *const names[] = {
        "${input.z}",      "${input.none}",       "${input.s.deeper}",
        "${input.l[9]}",   "${input.l.k}",        "${input.o[0]}",
        "${lastResult.x}", "${lastFailure.code}", "${input.n[0].a}",
    };

    (void)state;
    for (size_t i = 0; i < COUNT(names); i++) {
        char text[64];
        struct buf out = BUF(text);

        buf_printf(&out, "<%s>", names[i]);
        check_fill(text, false, "<>");
        check_fill(names[i], true, "");
    }
}

static void other_text_and_escapes_are_kept(void **state)
{
    (void)state;
    check_fill("", false, "");
    check_fill("plain", false, "plain");
    check_fill("$", false, "$");
    check_fill("a$b $5 {x} $$ $}", false, "a$b $5 {x} $$ $}");
    check_fill("$${run}", false, "${run}");
    check_fill("$$${run}", false, "$${run}");
    check_fill("$${${run}}", false, "${r_abc}");
    check_fill("a${run}b${attempt}${fence}c", false, "ar_abcb27c");
    check_fill("${run}$", false, "r_abc$");
}

static void a_value_that_looks_like_a_template_stays_a_value(void **state)
{
    (void)state;
    check_fill("${input.tpl}", false, "${run}");
    check_fill("${input.tpl}${run}", false, "${run}r_abc");
}

static void in_a_url_all_but_the_unreserved_is_encoded(void **state)
{
    (void)state;
    check_fill("http://h/${schedule}?q=${input.s}&t=${scheduledTime}", true,
               "http://h/a%20b%2F%C3%BC?q=x%20y&t=2027-01-01T00%3A00%3A00.000Z");
    check_fill("http://h/?x=${input.crlf}", true, "http://h/?x=a%0D%0Ab");
    check_fill("http://h/?x=$${run}", true, "http://h/?x=${run}");
}

static void a_filled_text_has_a_bound(void **state)
{
    struct str filled = STR("untouched");
    struct err err;

    (void)state;
    assert_int_equal(fill("${run}", (struct template_place){.max = 5}, &filled, &err), RC_OK);
    filled = STR("untouched");
    assert_int_equal(fill("${run}!", (struct template_place){.max = 5}, &filled, &err),
                     RC_LIMIT);
    assert_str(filled, "untouched");
    assert_non_null(strstr(err.text, "more than 5 bytes"));
}

static void errors_in_templates_have_a_position(void **state)
{
    static const struct {
        const char *text, *says;
        int at;
    } cases[] = {
        {"ab${scheduleTime}", "`scheduledTime`", 4},
        {"${inptu.a}", "`input`", 2},
        {"${zzz}", "use scheduledTime", 2},
        {"${}", "use scheduledTime", 2},
        {"${ run}", "not known", 2},
        {"${run.x}", "has no parts", 5},
        {"${attempt[0]}", "has no parts", 9},
        {"${input.}", "not a path", 7},
        {"${input..a}", "not a path", 7},
        {"${input.a.}", "not a path", 9},
        {"${input[x]}", "not a path", 7},
        {"${input[1}", "not a path", 7},
        {"${input[-1]}", "not a path", 7},
        {"${input[1]x}", "not a path", 10},
        {"${input.a b}", "not a path", 9},
        {"ok ${run} ${", "has no `}`", 10},
        {"${run", "`$${`", 0},
        {"${env.HOME}", "not known", 2},
    };

    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct err err = {0};
        struct str filled;

        if (template_check(str_of(cases[i].text), &err) != RC_INVALID ||
            err.at != cases[i].at || !strstr(err.text, cases[i].says))
            fail_msg("%s: at %d: %s", cases[i].text, err.at, err.text);
        assert_int_equal(
            fill(cases[i].text, (struct template_place){.max = 100}, &filled, &err),
            RC_INVALID);
    }
}

static void a_template_has_bounds(void **state)
{
    struct err err;

    (void)state;
    assert_int_equal(template_check(str_of(lengthy("${input.", 249, "}")), &err), RC_OK);
    assert_int_equal(template_check(str_of(lengthy("${input.", 250, "}")), &err), RC_LIMIT);
    assert_int_equal(template_check(STR("${input.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a}"), &err),
                     RC_OK);
    assert_int_equal(template_check(STR("${input.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a.a}"), &err),
                     RC_LIMIT);
}

static enum rc fill_body(const char *text, struct template_body *ret, struct err *reterr)
{
    struct payload payload = with_input();
    struct filling filling = {.payload = &payload};
    enum rc rc = template_fill_body(&filling, str_of(text), arena, ret, reterr);

    filling_end(&filling);
    return rc;
}

static void check_body(const char *text, const char *expected, bool is_text)
{
    struct template_body body = {0};
    struct err err;

    if (fill_body(text, &body, &err) != RC_OK)
        fail_msg("%s: %s", text, err.text);
    assert_str(body.bytes, expected);
    assert_int_equal(body.is_text, is_text);
}

static void in_a_body_one_template_alone_keeps_its_type(void **state)
{
    (void)state;
    check_body("{\"a\":\"${attempt}\",\"b\":\"${input.t}\",\"c\":\"${input.l}\"}",
               "{\"a\":2,\"b\":true,\"c\":[1,{\"k\":\"v\"}]}", false);
    check_body("[\"${input.none}\",\"${input.s}\",[\"n=${input.n}\"]]",
               "[null,\"x y\",[\"n=1\"]]", false);
    check_body("{\"${run}\":\"${run}\"}", "{\"${run}\":\"r_abc\"}", false);
    check_body("{\"a\":\"$${run}\",\"b\":\"${input.tpl}\"}",
               "{\"a\":\"${run}\",\"b\":\"${run}\"}", false);
    check_body(
        "{\"a\":\"${lastFailure}\",\"b\":\"${input}\"}",
        "{\"a\":\"it broke\",\"b\":{\"s\":\"x y\",\"n\":1,\"f\":1.5,\"t\":true,\"z\":null,"
        "\"l\":[1,{\"k\":\"v\"}],\"o\":{\"a-b_9\":\"deep\"},\"tpl\":\"${run}\","
        "\"crlf\":\"a\\r\\nb\",\"\u00e4\":\"umlaut\"}}",
        false);
}

static void a_body_without_templates_is_unchanged(void **state)
{
    (void)state;
    check_body("{\"a\":1.10}", "{\"a\":1.10}", false);
    check_body("17", "17", false);
}

static void a_body_that_is_a_string_is_sent_as_text(void **state)
{
    (void)state;
    check_body("\"a=${input.s}\\n\"", "a=x y\n", true);
    check_body("\"${input.l}\"", "[1,{\"k\":\"v\"}]", true);
    check_body("\"plain \\\"text\\\"\"", "plain \"text\"", true);
    check_body("\"\"", "", true);
}

static void a_body_cannot_grow_without_bound(void **state)
{
    static char large[200000];
    struct payload payload = with_input();
    struct filling filling = {.payload = &payload};
    struct template_body body;
    const char *text = many("[", "\"${lastResult}#\"", 20, "]");
    struct err err;

    (void)state;
    memset(large, 'x', sizeof large);
    large[0] = large[sizeof large - 1] = '"';
    payload.last_result = (struct str){large, sizeof large};
    assert_int_equal(template_fill_body(&filling, str_of(text), arena, &body, &err), RC_LIMIT);
    text = "[\"${lastResult}\",\"${lastResult}\",\"${lastResult}\",\"${lastResult}\","
           "\"${lastResult}\",\"${lastResult}\"]";
    assert_int_equal(template_fill_body(&filling, str_of(text), arena, &body, &err), RC_LIMIT);
    text = "[\"${lastResult}\",\"${lastResult}\"]";
    assert_int_equal(template_fill_body(&filling, str_of(text), arena, &body, &err), RC_OK);
    filling_end(&filling);
}

static enum rc read_action(const json_t *json, struct err *reterr)
{
    struct action action;

    return action_from_json(json, arena, false, &action, reterr);
}

static void an_action_with_a_wrong_template_is_refused_by_its_field(void **state)
{
    static const struct wrong cases[] = {
        {"{\"type\":\"http\",\"url\":\"http://h/${runn}\"}", "url", "`run`", 0},
        {"{\"type\":\"http\",\"url\":\"http://${input.host}/\"}", "url", "not a host", 0},
        {"{\"type\":\"http\",\"url\":\"http://h/\",\"headers\":{\"X-A\":\"${x}\"}}",
         "headers.X-A", "not known", 0},
        {"{\"type\":\"http\",\"url\":\"http://h/\",\"body\":{\"a\":[1,{\"b\":\"${\"}]}}",
         "body.a[1].b", "no `}`", 0},
        {"{\"type\":\"http\",\"url\":\"http://h/\",\"body\":\"${y}\"}", "body", "not known", 0},
        {"{\"type\":\"exec\",\"argv\":[\"/bin/true\",\"${y}\"]}", "argv[1]", "not known", 0},
        {"{\"type\":\"exec\",\"argv\":[\"/bin/true\"],\"env\":{\"A\":\"${y}\"}}", "env.A",
         "not known", 0},
    };
    json_auto_t *good = json_of("{\"type\":\"http\",\"url\":\"http://h/${run}\",\"headers\":"
                                "{\"X\":\"${attempt}\"},\"body\":{\"${not}\":\"${input}\"}}");
    json_auto_t *queue = json_of("{\"type\":\"queue\",\"queue\":\"q\",\"input\":"
                                 "{\"a\":\"${anything\"}}");
    struct err err;

    (void)state;
    check_wrong(read_action, cases, COUNT(cases));
    assert_int_equal(read_action(good, &err), RC_OK);
    assert_int_equal(read_action(queue, &err), RC_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(braces_of_other_programs_are_found, begin, end),
        cmocka_unit_test_setup_teardown(every_name_has_its_value, begin, end),
        cmocka_unit_test_setup_teardown(missing_values_are_empty, begin, end),
        cmocka_unit_test_setup_teardown(other_text_and_escapes_are_kept, begin, end),
        cmocka_unit_test_setup_teardown(a_value_that_looks_like_a_template_stays_a_value, begin,
                                        end),
        cmocka_unit_test_setup_teardown(in_a_url_all_but_the_unreserved_is_encoded, begin, end),
        cmocka_unit_test_setup_teardown(a_filled_text_has_a_bound, begin, end),
        cmocka_unit_test_setup_teardown(errors_in_templates_have_a_position, begin, end),
        cmocka_unit_test_setup_teardown(a_template_has_bounds, begin, end),
        cmocka_unit_test_setup_teardown(in_a_body_one_template_alone_keeps_its_type, begin,
                                        end),
        cmocka_unit_test_setup_teardown(a_body_without_templates_is_unchanged, begin, end),
        cmocka_unit_test_setup_teardown(a_body_that_is_a_string_is_sent_as_text, begin, end),
        cmocka_unit_test_setup_teardown(a_body_cannot_grow_without_bound, begin, end),
        cmocka_unit_test_setup_teardown(an_action_with_a_wrong_template_is_refused_by_its_field,
                                        begin, end),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
