/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events as a browser reads them, line by line: WHATWG HTML section 9.2.6, "Interpreting an
 * event stream".
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "wire/sse.h"

static void events_are_printed_field_by_field(void **state)
{
    const struct {
        struct sse_event event;
        const char *text;
    } rows[] = {
        {{STR("7"), STR("run.finished"), STR("{\"a\":1}")},
         "id: 7\nevent: run.finished\ndata: {\"a\":1}\n\n"},
        {{STR(""), STR(""), STR("x")}, "data: x\n\n"},
        {{STR("1"), STR(""), STR("")}, "id: 1\ndata: \n\n"},
        {{STR(""), STR("e"), STR(" x: y")}, "event: e\ndata:  x: y\n\n"},
        /* Any line end begins a new line, and none is lost. */
        {{STR(""), STR(""), STR("a\nb")}, "data: a\ndata: b\n\n"},
        {{STR(""), STR(""), STR("a\rb")}, "data: a\ndata: b\n\n"},
        {{STR(""), STR(""), STR("a\r\nb")}, "data: a\ndata: b\n\n"},
        {{STR(""), STR(""), STR("a\n\nb")}, "data: a\ndata: \ndata: b\n\n"},
        {{STR(""), STR(""), STR("a\n\rb\n")}, "data: a\ndata: \ndata: b\ndata: \n\n"},
        {{STR(""), STR(""), STR("a\r")}, "data: a\ndata: \n\n"},
        /* Data cannot look like another field. */
        {{STR(""), STR(""), STR("x\nid: 9\n\nevent: y")},
         "data: x\ndata: id: 9\ndata: \ndata: event: y\n\n"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[256];
        struct buf out = BUF(text);

        assert_true(sse_print(&rows[i].event, &out));
        assert_string_equal(text, rows[i].text);
    }
}

static void an_event_that_does_not_fit_leaves_nothing(void **state)
{
    const struct sse_event event = {STR("1"), STR("e"), STR("data")};
    const size_t whole = sizeof "id: 1\nevent: e\ndata: data\n\n"; /* with the zero */
    char text[64];

    (void)state;
    for (size_t cap = 6; cap <= whole; cap++) {
        struct buf out = {.ptr = text, .cap = cap};

        text[0] = '\0';
        assert_int_equal(sse_print(&event, &out), cap == whole);
        assert_int_equal(out.len, cap == whole ? whole - 1 : 0);
        assert_int_equal(text[out.len], '\0');
        assert_false(out.cut);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_printed_field_by_field),
        cmocka_unit_test(an_event_that_does_not_fit_leaves_nothing),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
