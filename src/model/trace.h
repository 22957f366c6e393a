/* SPDX-License-Identifier: Apache-2.0 */
/*
 * W3C Trace Context: the header field `traceparent`, read from the request for a run and
 * written for its executor.
 *
 * All attempts of a run belong to one trace, each with its own span.  If the request for the
 * run had no trace, the trace is derived from the run's id.
 */
#pragma once

#include <stdbool.h>

#include "base/str.h"
#include "core/run.h"

enum { TRACE_TEXT_MAX = 56 }; /* 00-32 digits-16 digits-2 digits, and the terminating zero */

/* False for an invalid text, which must be ignored according to the standard. */
bool trace_parse(struct str text, struct trace *ret, bool *ret_is_untraced);

/* For the current attempt of the run with id r_…. */
struct str trace_print(const struct run *run, struct str id, char text[static TRACE_TEXT_MAX]);
