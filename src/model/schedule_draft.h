/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schedule's document prepared for the engine: compiled, with the texts to store.
 *
 * The model does not know the engine; the caller copies the draft member by member.
 */
#pragma once

#include "core/plan.h"
#include "model/schedule_json.h"

struct draft_options {
    struct zone_source zones;
    bool has_upstream; /* the namespace has the workflow's upstream, or a default one */
};

struct schedule_draft {
    struct plan plan; /* the engine fills in queue, gate and created */
    struct str queue; /* name, LANE_PULL only; in the document or the arena */
    struct schedule_texts texts;
    struct str description;
    bool is_disabled;
};

/*
 * The document must have an id, and must have been read or passed schedule_check().  Everything
 * that *ret points to is in `arena` or belongs to the document.  Errors name the field as seen
 * from the document, `spec.cron[0].expr`.
 *
 * If the spec of a governed schedule is one interval and nothing else (anchor epoch or start,
 * no phase), the governor starts from this interval and lengthens it after failures; otherwise
 * it starts from the slots of the spec.
 */
MUST_USE enum rc schedule_draft(const struct schedule_doc *doc,
                                const struct draft_options *options, struct arena *arena,
                                struct schedule_draft *ret, struct err *reterr);
