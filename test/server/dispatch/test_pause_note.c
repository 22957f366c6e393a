/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The note of a schedule that pauses on failure: texts of Temporal's
 * service/worker/scheduler/workflow.go.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "server/dispatch/pause_note.h"

#define WORKFLOW "{\"type\":\"workflow\",\"workflowId\":\"base\",\"temporal\":\"GgA=\"}"
#define ERROR    "{\"code\":\"failed\",\"message\":\"no disk\"}"
/* message "oops" */
#define FAILURE "{\"message\":\"workflow failed\",\"failure\":\"CgRvb3Bz\"}"

static void a_note_names_the_workflow_and_its_failure(void **state)
{
    static const struct {
        const char *action;
        enum outcome outcome;
        const char *error, *failure, *note;
    } cases[] = {
        {WORKFLOW, OUTCOME_FAILED, ERROR, FAILURE,
         "paused due to workflow failure: base-2026-01-05T10:00:00Z: oops"},
        {WORKFLOW, OUTCOME_FAILED, ERROR, "",
         "paused due to workflow failure: base-2026-01-05T10:00:00Z: no disk"},
        {WORKFLOW, OUTCOME_FAILED, "", "",
         "paused due to workflow failure: base-2026-01-05T10:00:00Z: "},
        {WORKFLOW, OUTCOME_TIMED_OUT, ERROR, "",
         "paused due to workflow timeout: base-2026-01-05T10:00:00Z"},
        {"{\"type\":\"http\"}", OUTCOME_FAILED, ERROR, "", ""},
        {"{\"type\":\"workflow\",\"workflowId\":\"base\"}", OUTCOME_FAILED, ERROR, "", ""},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        char text[PAUSE_NOTE_MAX] = "";
        struct buf out = BUF(text);

        pause_note(
            &(struct pause_cause){
                .action = str_of(cases[i].action),
                .slot = 1767607200 * SPAN_S + 250 * SPAN_MS,
                .outcome = cases[i].outcome,
                .error = str_of(cases[i].error),
                .failure = str_of(cases[i].failure),
            },
            &out);
        assert_string_equal(text, cases[i].note);
    }
}

static void the_longest_note_fits(void **state)
{
    char action[2000], error[4000], text[PAUSE_NOTE_MAX];
    struct buf out = BUF(text), a = BUF(action), e = BUF(error);

    (void)state;
    buf_text(&a, "{\"temporal\":\"GgA=\",\"workflowId\":\"");
    for (int i = 0; i < 1000; i++)
        buf_char(&a, 'i');
    buf_text(&a, "\"}");
    for (int i = 0; i < 1000; i++)
        buf_text(&e, "\xc3\xbc");
    pause_note(&(struct pause_cause){.action = buf_as_str(&a),
                                     .outcome = OUTCOME_FAILED,
                                     .error = buf_as_str(&e)},
               &out);
    assert_false(out.cut);
    assert_true(str_is_utf8(buf_as_str(&out)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_note_names_the_workflow_and_its_failure),
        cmocka_unit_test(the_longest_note_fits),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
