/* SPDX-License-Identifier: Apache-2.0 */
/*
 * W3C Trace Context: the header field `traceparent`, read from whoever asks for a run and
 * written for whoever carries it out.
 *
 * All attempts of a run are one trace, each a span of its own: that of whoever asked for it,
 * else one that follows from the run's id.
 */
#pragma once

#include <stdbool.h>

#include "base/str.h"
#include "core/run.h"

enum { TRACE_TEXT_MAX = 56 }; /* 00-32 digits-16 digits-2 digits, and the closing zero */

/* False for what is none: it is to be ignored, as the standard says. */
bool trace_parse(struct str text, struct trace *ret, bool *ret_is_untraced);

/* For the attempt that the run, whose id is r_…, is at. */
struct str trace_print(const struct run *run, struct str id, char text[static TRACE_TEXT_MAX]);
