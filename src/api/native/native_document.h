/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The document of a stored schedule as its owner would write it: the base of patches, and the
 * form of diffs and exports.
 */
#pragma once

#include "api/call/answer.h"
#include "api/schedules/view.h"

/*
 * Without state and hint, which are not part of the definition; with the pause if it is paused,
 * so that an exported schedule is paused again when it is imported.  The caller owns the
 * result.  `scratch` is for temporary memory.
 */
MUST_USE enum rc native_document(const struct call *call, const struct schedule_view *view,
                                 struct arena *scratch, enum spec_form form, json_t **ret,
                                 struct err *reterr);

/*
 * The full form as text in the call's arena, as the base of a patch.  Without the pause: an
 * edit that does not mention the pause leaves it unchanged.
 */
MUST_USE enum rc native_document_base(const struct call *call, const struct schedule_view *view,
                                      struct str *ret, struct err *reterr);

/*
 * Applies a JSON merge patch (RFC 7396) to a document.  An action of another type replaces the
 * old action completely, because it must not have the fields of the old type.  The caller owns
 * the result.
 */
json_t *native_document_patched(struct str document, const json_t *patch);
