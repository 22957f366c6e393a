/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A schedule's document as its owner would write it again: what patches are laid upon, what
 * plans are compared with, what an export holds.
 */
#pragma once

#include "api/call/answer.h"
#include "api/schedules/view.h"

/*
 * Without state and hint, which are not what a schedule is; with its pause, if it is paused,
 * so that what was exported is paused again.  The caller owns the result.  `scratch` is for
 * what is needed meanwhile.
 */
MUST_USE enum rc document_of(const struct call *call, const struct schedule_view *view,
                             struct arena *scratch, enum spec_form form, json_t **ret,
                             struct err *reterr);

/*
 * The full form as text in the call's arena, to lay a patch upon: without the pause, which
 * an edit that does not speak of it leaves alone.
 */
MUST_USE enum rc document_text(const struct call *call, const struct schedule_view *view,
                               struct str *ret, struct err *reterr);

/*
 * The document with a JSON merge patch (RFC 7396) laid upon it; an action of another type
 * replaces the old one whole, since the two have no fields in common.  The caller owns the
 * result.
 */
json_t *document_patched(struct str document, const json_t *patch);
