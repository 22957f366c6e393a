/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which programs the setting exec_allow permits.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "base/str.h"

/*
 * Whether a program may run: after resolving all symbolic links, its file must be in the list
 * or in a directory that the list names with a trailing /.  Links in the list are resolved too.
 * *ret_file is the file to execute; it is empty if the list is empty or contains `*`, which
 * allow everything.
 */
MUST_USE enum rc exec_allowed(struct str program, const struct str *allow, int allow_count,
                              struct arena *arena, struct str *ret_file, struct err *reterr);
