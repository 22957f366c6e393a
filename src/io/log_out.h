/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The output of the log: a descriptor that may be slow or stuck.
 *
 * A line goes into a buffer of fixed size, and what the descriptor accepts immediately is
 * written; no thread waits for a reader.  A full buffer rejects the line.  If a file is slow (a
 * disk), only the thread that happens to write waits.  The flags of the caller's descriptor are
 * not changed, because others may share it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/log.h"

enum { LOG_OUT_BYTES = 256 * 1024 }; /* some 1,500 lines: a pause of seconds at full speed */

struct log_out; /* opaque */

/* Uses a copy of `fd`; the caller may close its own. */
MUST_USE enum rc log_out_open(int fd, struct log_out **ret, struct err *reterr);

/* Writes what can be written immediately, and closes.  Accepts NULL, returns NULL. */
struct log_out *log_out_close(struct log_out *out);

struct log_sink log_out_sink(struct log_out *out);

/* Tries again to write the buffer; true if something remains.  Any thread may call it. */
bool log_out_pump(struct log_out *out);
