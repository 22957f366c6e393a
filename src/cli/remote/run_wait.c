/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Waits for the end of a run: see run_wait.h.
 */
#include "cli/remote/run_wait.h"

#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/frame/report.h"

enum {
    LOG_LINES = 10,     /* shown of a run that did not succeed           */
    LOG_PAGE = 1000,    /* lines that are read at once                   */
    LOG_PAGES = 200,    /* a log has at most 100,000 lines               */
    LOG_LINE_MAX = 400, /* bytes shown of one line                       */
    NUMBER_MAX = 24,
    HTTP_NOT_FOUND = 404,
};

/* The exit status by outcome; outcomes that are not listed are failures. */
static int status_of(const char *outcome)
{
    static const struct {
        const char *outcome;
        int status;
    } list[] = {
        {"succeeded", STATUS_OK},
        {"timedOut", STATUS_RUN_TIMED_OUT},
        {"cancelled", STATUS_RUN_CANCELLED},
        {"terminated", STATUS_RUN_CANCELLED},
        {"unknown", STATUS_RUN_UNKNOWN},
    };

    for (size_t i = 0; i < sizeof list / sizeof list[0]; i++)
        if (strcmp(outcome, list[i].outcome) == 0)
            return list[i].status;
    return STATUS_RUN_FAILED;
}

/* The newest lines of a log; older ones are overwritten. */
struct log_tail {
    char lines[LOG_LINES][LOG_LINE_MAX];
    int count; /* of all lines of the log */
};

static void add_page(struct log_tail *tail, const json_t *lines)
{
    const json_t *line;
    size_t i;

    json_array_foreach(lines, i, line)
    {
        snprintf(tail->lines[tail->count % LOG_LINES], LOG_LINE_MAX, "%s",
                 member_text(line, "text"));
        tail->count++;
    }
}

/* Reads the whole log: the API cannot return only its last lines. */
static int read_log(struct remote *remote, const char *run, struct log_tail *tail)
{
    json_int_t after = 0, before = -1;
    int status = STATUS_OK;

    for (int i = 0; i < LOG_PAGES && status == STATUS_OK && after > before; i++) {
        char path[REMOTE_PATH_MAX], number[NUMBER_MAX];
        struct buf where = BUF(path);
        struct remote_request request = {.path = path};
        struct remote_answer answer;
        const json_t *cursor;

        snprintf(number, sizeof number, "%lld", (long long)after);
        path_object(&where, "runs", run, "/logs");
        path_query(&where, "after", after > 0 ? number : NULL);
        snprintf(number, sizeof number, "%d", LOG_PAGE);
        path_query(&where, "limit", number);
        status = remote_call(remote, &request, &answer);
        if (status != STATUS_OK)
            break;
        add_page(tail, json_object_get(answer.json, "lines"));
        cursor = json_object_get(answer.json, "cursor");
        before = after;
        after = json_is_integer(cursor) ? json_integer_value(cursor) : after;
        answer_free(&answer);
    }
    return status;
}

static void print_log(struct remote *remote, const char *run)
{
    struct log_tail *tail = calloc(1, sizeof *tail);
    int first;

    if (!tail || read_log(remote, run, tail) != STATUS_OK || tail->count == 0) {
        free(tail);
        return;
    }
    first = tail->count > LOG_LINES ? tail->count - LOG_LINES : 0;
    report_note("last %d log line%s of %s:", tail->count - first,
                tail->count - first == 1 ? "" : "s", run);
    for (int i = first; i < tail->count; i++)
        report_note("  %s", tail->lines[i % LOG_LINES]);
    free(tail);
}

static int print_end(struct remote *remote, const char *run, const struct remote_answer *answer)
{
    const char *outcome = member_text(answer->json, "outcome");
    const json_t *message = member_at(answer->json, "error.message");
    struct printer out;
    int status, closed;

    remote_printer(remote, &out);
    if (remote_output(remote) == OUTPUT_JSON) {
        print_json_text(&out, answer);
    } else if (remote_output(remote) == OUTPUT_TABLE) {
        printer_safe(&out, str_of(run));
        printer_printf(&out, ": %s", outcome);
        if (json_is_string(message)) {
            printer_text(&out, ": ");
            printer_safe(&out, str_of(json_string_value(message)));
        }
        printer_text(&out, "\n");
    }
    closed = printer_close(&out);
    status = status_of(outcome);
    if (status != STATUS_OK)
        print_log(remote, run);
    return status != STATUS_OK ? status : closed;
}

int run_wait(struct remote *remote, const char *run)
{
    char path[REMOTE_PATH_MAX];
    struct buf out = BUF(path);
    struct remote_request request = {.path = path};

    path_object(&out, "runs", run, NULL);
    for (;;) {
        struct remote_answer answer;
        int status = remote_fetch(remote, &request, &answer);
        bool is_gone = status == STATUS_OK && answer.status == HTTP_NOT_FOUND;

        if (status != STATUS_OK)
            return status;
        if (is_gone)
            report_note("%s: the run was skipped or cancelled before it began", run);
        status = is_gone ? STATUS_RUN_CANCELLED : remote_check(remote, &request, &answer);
        if (status == STATUS_OK && strcmp(member_text(answer.json, "state"), "ended") != 0) {
            answer_free(&answer);
            poll(NULL, 0, WAIT_POLL_MS);
            continue;
        }
        if (status == STATUS_OK)
            status = print_end(remote, run, &answer);
        answer_free(&answer);
        return status;
    }
}
