/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Writes error messages and notes to standard error.
 */
#include "cli/frame/report.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "base/buf.h"
#include "cli/frame/caret.h"
#include "cli/frame/printer.h"

enum { NOTE_MAX = 2048 };

/* Messages quote user input and server responses, which must not control the terminal. */
static void print_message(struct printer *out, struct str text)
{
    printer_text(out, "belfry: ");
    printer_safe(out, text);
    printer_text(out, "\n");
}

void report_note(const char *fmt, ...)
{
    char text[NOTE_MAX];
    struct printer out;
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    printer_open(&out, STDERR_FILENO);
    print_message(&out, str_of(text));
    printer_flush(&out);
}

/* The line of `text` that contains byte *at; *at becomes the offset in that line. */
static struct str line_at(struct str text, size_t *at)
{
    size_t from = *at, to = *at;

    while (from > 0 && text.ptr[from - 1] != '\n')
        from--;
    while (to < text.len && text.ptr[to] != '\n')
        to++;
    *at -= from;
    return (struct str){text.ptr + from, to - from};
}

int report_err(const struct err *err, struct str text)
{
    char line[ERR_FIELD_MAX + ERR_TEXT_MAX + 8], carets[CARET_TEXT_MAX];
    struct buf lines = BUF(carets);
    struct printer out;

    printer_open(&out, STDERR_FILENO);
    snprintf(line, sizeof line, "%s%s%s", err->field, err->field[0] != '\0' ? ": " : "",
             err->text);
    print_message(&out, str_of(line));
    if (err->at >= 0 && (size_t)err->at <= text.len && text.len > 0) {
        size_t at = (size_t)err->at;
        struct str shown = line_at(text, &at);

        caret_lines(shown, at, (size_t)err->len, &lines);
        printer_str(&out, buf_as_str(&lines));
    }
    printer_flush(&out);
    return err->rc == RC_CORRUPT || err->rc == RC_BUSY ? STATUS_FAILED : STATUS_USAGE;
}

int report_usage(const struct err *err, const char *command)
{
    report_note("%s", err->text);
    if (command)
        report_note("see `belfry help %s`", command);
    else
        report_note("see `belfry help`");
    return STATUS_USAGE;
}
