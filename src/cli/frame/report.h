/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Error messages on standard error, and the exit statuses.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* Exit statuses of every command. */
enum {
    STATUS_OK = 0,
    STATUS_FAILED = 1, /* a file cannot be read, output cannot be written, or the server
                          refused the request                                      */
    STATUS_USAGE = 2,  /* wrong input: an expression, an option, a time zone        */
    /* With --wait: the run that was waited for ended like this. */
    STATUS_RUN_FAILED = 3, /* also: not all runs of a backfill succeeded */
    STATUS_RUN_TIMED_OUT = 4,
    STATUS_RUN_CANCELLED = 5,
    STATUS_RUN_UNKNOWN = 6,
    /* The rest as in sysexits.h. */
    STATUS_UNREACHABLE = 69, /* cannot connect, or the server did not answer          */
    STATUS_LATER = 75,       /* too many requests, or the server is unavailable       */
    STATUS_PROTOCOL = 76,    /* a response that no Belfry server sends                */
    STATUS_NO_RIGHT = 77,    /* a token is missing, invalid, or lacks the right       */
};

/*
 * Prints "belfry: FIELD: TEXT" and, when err->at is set, the line of `text` with carets below
 * the error.  Returns the exit status.
 */
int report_err(const struct err *err, struct str text);

/* Prints "belfry: …"; control characters are escaped. */
void report_note(const char *fmt, ...) PRINTF(1, 2);

/* Reports a wrong command line and names the help of `command`; NULL: the general help. */
int report_usage(const struct err *err, const char *command);
