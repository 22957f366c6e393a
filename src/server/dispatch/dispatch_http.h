/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the end of a call says about its run.  For call_http.c, and for tests.
 */
#pragma once

#include "server/dispatch/dispatch_parts.h"

/* Ends the errand by what came of its call. */
void dispatch_http_end(struct dispatch *dispatch, const struct webhook_result *result);

/* Ends it because there was no time left to begin. */
void dispatch_http_too_slow(struct dispatch *dispatch);

/*
 * {"status", "headers", "body", "truncated", "durationMs"}.  A body that is JSON, whole and
 * valid, is JSON; one that is text is a string; any other is in base64, "encoding" says so.
 */
struct str dispatch_http_result(const struct webhook_result *result, struct arena *arena);
