/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Turns the document of a schedule into a command of the engine: parses, checks, compiles it.
 */
#pragma once

#include "api/call/call.h"
#include "wire/json/json.h"

/* The hint of a document; it needs a command of its own after the schedule is written. */
struct wanted_hint {
    bool is_set;
    span interval;
    instant at, expires;
    struct str reason;
};

/* Makes that command, for the schedule with this key and name. */
struct command native_hint(const struct wanted_hint *hint, int64_t schedule, struct str name);

/*
 * Sets name and draft of *command; all that it points to is in the call's arena.  `id` is that
 * of the path, which the document may repeat.  If it is empty, the document's id is used, or a
 * new one is generated.
 */
MUST_USE enum rc native_draft(struct call *call, const json_t *json, struct str id,
                              struct command *command, struct wanted_hint *ret_hint,
                              struct err *reterr);
