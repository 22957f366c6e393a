/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Recognises crontabs with a column for the user, and those without.
 */
#pragma once

#include "cli/import/crontab.h"

/* What is known about the words that may be users or programs. */
struct import_known {
    bool (*is_user)(struct str name);
    bool (*is_program)(struct str name);
};

/* Looks the words up on this machine. */
extern const struct import_known import_known_here;

/*
 * Checks that the crontab `path` with this text has the format in which it was read; with a
 * wrong one, users would become commands or commands users.  *ret_line is the first line that
 * shows it, 0: the whole file.
 */
MUST_USE enum rc import_check_format(const char *path, struct str text,
                                     const struct crontab *table,
                                     const struct import_known *known, int *ret_line,
                                     struct err *reterr);
