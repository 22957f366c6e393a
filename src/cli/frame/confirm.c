/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The confirmation prompt.
 */
#include "cli/frame/confirm.h"

#include <stdarg.h>
#include <stdio.h>
#include <unistd.h>

#include "cli/frame/printer.h"
#include "cli/frame/report.h"

enum { QUERY_TEXT_MAX = 1024, REPLY_MAX = 64 };

int confirm(const char *query, ...)
{
    char text[QUERY_TEXT_MAX], reply[REPLY_MAX];
    struct printer out;
    va_list args;
    ssize_t n;

    va_start(args, query);
    vsnprintf(text, sizeof text, query, args);
    va_end(args);
    if (!isatty(STDIN_FILENO)) {
        report_note("cannot ask \"%s\": not a terminal; use --yes", text);
        return STATUS_USAGE;
    }
    printer_open(&out, STDERR_FILENO);
    printer_safe(&out, str_of(text));
    printer_text(&out, " [y/N] ");
    printer_flush(&out);
    n = read(STDIN_FILENO, reply, sizeof reply);
    if (n > 0 && (reply[0] == 'y' || reply[0] == 'Y'))
        return STATUS_OK;
    report_note("aborted; nothing was changed");
    return STATUS_FAILED;
}
