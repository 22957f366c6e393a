/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The meaning of the result of an HTTP request.  For dispatch_http.c and tests.
 */
#pragma once

#include "server/dispatch/dispatch_parts.h"

/* Ends the dispatch according to the result of its request. */
void dispatch_http_end(struct dispatch *dispatch, const struct webhook_result *result);

/* Ends it because no time was left to begin. */
void dispatch_http_no_time_left(struct dispatch *dispatch);

/*
 * {"status", "headers", "body", "truncated", "durationMs"}.  A body that is complete and valid
 * JSON stays JSON; other text becomes a string; anything else becomes base64, and "encoding"
 * says so.
 */
struct str dispatch_http_result(const struct webhook_result *result, struct arena *arena);
