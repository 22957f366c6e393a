/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schedule's document as a command of the engine: read, checked, compiled.
 */
#pragma once

#include "api/call/call.h"
#include "wire/json/json.h"

/* What the command of a schedule leaves for a command of its own. */
struct wanted_hint {
    bool is_set;
    span interval;
    instant at, expires;
    struct str reason;
};

/* The hint as that command, for the schedule of this key and name. */
struct command native_hint(const struct wanted_hint *hint, int64_t schedule, struct str name);

/*
 * Fills in name and draft of *command; all that it points to is in the call's arena.  `id`:
 * the path's, which the document may repeat; empty: the document's, or one is made.
 */
MUST_USE enum rc native_draft(struct call *call, const json_t *json, struct str id,
                              struct command *command, struct wanted_hint *ret_hint,
                              struct err *reterr);

/* Likewise, without a hint; its policies are these, which are right, and not the document's. */
MUST_USE enum rc native_draft_with(struct call *call, const json_t *json, struct str id,
                                   const struct policies *policies, struct command *command,
                                   struct err *reterr);
