/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Where the lines of a log go: a descriptor that may be slow or stuck.
 *
 * A line is put into a buffer of fixed size, and what the descriptor takes at once is written;
 * nothing ever waits for a reader.  A full buffer refuses the line.  A file's own slowness
 * (a disk) is borne by the thread that happens to write, the others do not wait for it.  The
 * descriptor that was handed in is not changed: others may share it.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/log.h"

enum { LOG_OUT_BYTES = 256 * 1024 }; /* some 1,500 lines: a pause of seconds at full speed */

struct log_out; /* opaque */

/* Goes on using `fd` (a copy of it); the caller may close his. */
MUST_USE enum rc log_out_open(int fd, struct log_out **ret, struct err *reterr);

/* Writes what can be written at once, and closes.  Accepts NULL, returns NULL. */
struct log_out *log_out_close(struct log_out *out);

struct log_sink log_out_sink(struct log_out *out);

/* Tries again to write what waits; true when something still does.  By any thread. */
bool log_out_pump(struct log_out *out);
