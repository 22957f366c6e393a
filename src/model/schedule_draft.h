/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schedule's document as the engine takes it: compiled, with the texts that are kept.
 *
 * The engine is not known here; whoever hands the draft in copies it member by member.
 */
#pragma once

#include "core/plan.h"
#include "model/schedule_json.h"

struct draft_options {
    struct zone_source zones;
    bool has_upstream; /* the workflow's upstream, or one for its namespace, is configured */
};

struct schedule_draft {
    struct plan plan; /* queue, gate and created are the engine's to fill in */
    struct str queue; /* name, LANE_PULL only; the document's or in the arena */
    struct schedule_texts texts;
    struct str description;
    bool is_disabled;
    /* A hint is no part of the plan: it is a command of its own. */
    bool has_hint;
    span hint_interval; /* 0: none             */
    instant hint_at;    /* INSTANT_NEVER: none */
    instant hint_expires;
    struct str hint_reason;
};

/*
 * The document must have an id, and was read or has passed schedule_check().  Everything
 * that *ret points to is in `arena` or belongs to the document.  Errors name the field as
 * seen from the document, `spec.cron[0].expr`.
 *
 * A governed schedule whose spec is one interval and nothing else (anchor epoch or start, no
 * phase) has that interval as its baseline, so that failures stretch it; the baseline of any
 * other is the spec's slots.
 */
MUST_USE enum rc schedule_draft(const struct schedule_doc *doc,
                                const struct draft_options *options, struct arena *arena,
                                struct schedule_draft *ret, struct err *reterr);
