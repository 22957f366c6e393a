/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What a worker says about one run, as a report of the engine.
 */
#pragma once

#include "api/call/call.h"
#include "wire/json/json.h"

enum { REPORT_ID_MAX = 64 }; /* bytes of what may be an id; a run's has half of them */

/* What one operation takes from an item beside id and fence. */
struct verb; /* opaque */
extern const struct verb verb_heartbeat, verb_complete, verb_fail, verb_release;

/*
 * `id`: the path's, which the item may repeat; NULL: the item's.  All that *ret points to is in
 * the call's arena.  Errors name the field as seen from the item.
 */
MUST_USE enum rc report_item_read(struct call *call, const struct verb *verb,
                                  const json_t *item, const struct run_id *id,
                                  struct report *ret, struct err *reterr);
