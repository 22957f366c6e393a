/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of exec actions.  Other files do not include it.
 */
#pragma once

#include "server/dispatch/dispatch_parts.h"

enum {
    EXEC_KEEP_BYTES = 100 * 1024, /* bytes of standard output, for the result */
    EXEC_LAST_LINE_MAX = 200,     /* bytes of the last line of standard error */
};

/*
 * Whether a program may run: after resolving all symbolic links, its file must be in the list
 * or in a directory that the list names with a trailing /.  Links in the list are resolved too.
 * *ret_file is the file to execute; it is empty if the list is empty or contains `*`, which
 * allow everything.
 */
MUST_USE enum rc exec_allowed(struct str program, const struct str *allow, int allow_count,
                              struct arena *arena, struct str *ret_file, struct err *reterr);

/*
 * Fills in all templates of the request; sets everything except the limits of time and output.
 */
MUST_USE enum rc exec_request_of(const struct dispatch *dispatch, struct exec_request *ret,
                                 struct err *reterr);

/* Returns the result as JSON; modifies `output`, the beginning of standard output. */
struct str exec_result_of(const struct exec_end *end, char *output, size_t len, bool is_cut,
                          struct arena *arena);
