/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The times that edits have replaced.  The list of future executions is computed from the
 * current times; from the replaced times it also shows the executions that an edit cancelled.
 *
 * Pure.  They are stored with the schedule, but never sent to clients.
 */
#pragma once

#include "api/agents/agents_doc.h"

enum { REPLACED_MAX = 16 }; /* edits of times that are remembered, the newest */

struct agents_replaced {
    instant at;                      /* of the edit                   */
    struct agents_schedule schedule; /* as it was, as far as its times */
};

/*
 * Sets schedule->replaced after an edit at `now` of `old` to *schedule, if it changes the
 * times.  Edits before `since` are forgotten.
 */
void agents_replaced_add(const struct agents_schedule *old, instant now, instant since,
                         struct arena *arena, struct agents_schedule *schedule);

/* Returns the number of edits, oldest first; texts are in `arena`. */
int agents_replaced_read(const struct agents_schedule *schedule, struct arena *arena,
                         struct agents_replaced ret[static REPLACED_MAX]);
