/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns what a worker sends about one run into a report for the engine.
 */
#pragma once

#include "api/call/operation.h"
#include "wire/json/json.h"

enum { REPORT_ID_MAX = 64 }; /* bytes of an id in a request; valid ids have half as many */

/* The members that one operation reads from an item, in addition to id and fence; opaque. */
extern const struct verb verb_heartbeat, verb_complete, verb_fail, verb_release;

/*
 * Reads an item of the call's operation.  `id` is that of the path, which the item may repeat;
 * NULL: read it from the item.  All that *ret points to is in the call's arena.  Errors name
 * the field relative to the item.
 */
MUST_USE enum rc report_item_read(struct call *call, const json_t *item,
                                  const struct run_id *id, struct report *ret,
                                  struct err *reterr);
