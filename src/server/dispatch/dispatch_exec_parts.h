/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of exec actions.  Other files do not include it.
 */
#pragma once

#include "server/dispatch/dispatch_exec_allow.h"
#include "server/dispatch/dispatch_parts.h"

enum {
    EXEC_KEEP_BYTES = 100 * 1024, /* bytes of standard output, for the result */
    EXEC_LAST_LINE_MAX = 200,     /* bytes of the last line of standard error */
};

/*
 * Fills in all templates of the request; sets everything except the limits of time and output.
 */
MUST_USE enum rc exec_request_of(const struct dispatch *dispatch, struct exec_request *ret,
                                 struct err *reterr);

/* Returns the result as JSON; modifies `output`, the beginning of standard output. */
struct str exec_result_of(const struct exec_end *end, char *output, size_t len, bool is_cut,
                          struct arena *arena);
