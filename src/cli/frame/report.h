/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What goes wrong, told on standard error.
 */
#pragma once

#include "base/err.h"
#include "base/str.h"

/* Exit statuses of every command. */
enum {
    STATUS_OK = 0,
    STATUS_FAILED = 1, /* the machine: a file cannot be read, output cannot be written; or
                          the server: it refused                                       */
    STATUS_USAGE = 2,  /* the person: a wrong expression, option, zone                 */
    /* The rest as in sysexits.h. */
    STATUS_UNREACHABLE = 69, /* no server, or it gave no answer                         */
    STATUS_LATER = 75,       /* too many requests, or the server cannot just now        */
    STATUS_PROTOCOL = 76,    /* an answer that no Belfry server gives                   */
    STATUS_NO_RIGHT = 77,    /* a token is missing, wrong, or may not do this           */
};

/*
 * "belfry: FIELD: TEXT" and, where err->at says so, a line of `text` with carets under the
 * part.  Returns the status to exit with.
 */
int report_err(const struct err *err, struct str text);

/* "belfry: …" for a note that is no error; control characters are shown escaped. */
void report_note(const char *fmt, ...) PRINTF(1, 2);

/* A wrong command line: the message and where help is. */
int report_usage(const struct err *err, const char *command);
