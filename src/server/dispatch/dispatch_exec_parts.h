/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the files of exec actions share.  Nobody else includes it.
 */
#pragma once

#include "server/dispatch/dispatch_parts.h"

enum {
    EXEC_KEEP_BYTES = 100 * 1024, /* of standard output, for the result                    */
    EXEC_TELL_MAX = 200,          /* of the last line of standard error, for the message   */
};

/*
 * Whether a program may be run: its file, with every link followed, must be one that the list
 * names, or lie below a folder that the list names with / at its end; links of the list are
 * followed too.  *ret_file is the file to execute; empty when nothing was asked of it, since
 * the list is empty or holds `*`.
 */
MUST_USE enum rc exec_allowed(struct str program, const struct str *allow, int allow_count,
                              struct arena *arena, struct str *ret_file, struct err *reterr);

/* The request with all templates filled in; all but limits of time and output. */
MUST_USE enum rc exec_request_of(const struct dispatch *dispatch, struct exec_request *ret,
                                 struct err *reterr);

/* The result's JSON; `output` is what was kept of standard output, and is changed. */
struct str exec_result_of(const struct exec_end *end, char *output, size_t len, bool is_cut,
                          struct arena *arena);
