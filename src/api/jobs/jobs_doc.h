/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The jobs API's JSON of a schedule ↔ the native document.
 *
 * Pure: no database, no clock.  Members that the API does not know, or only shows, are
 * ignored; the label and the retry policy as it was sent are kept in the document's "extra".
 */
#pragma once

#include "store/views.h"
#include "wire/json/json.h"

/* As a native document, which the caller owns.  Errors name the member. */
MUST_USE enum rc jobs_read(const json_t *json, struct str org, json_t **ret,
                           struct err *reterr);

/* An error of the native document in the words of this API. */
void jobs_explain(struct err *err);

/* A schedule as this API shows it, which the caller owns. */
MUST_USE enum rc jobs_show(const struct schedule_view *view, struct str org,
                           struct arena *scratch, json_t **ret, struct err *reterr);

/* What its last fire came to: "success" …; NULL: it has not fired yet. */
const char *jobs_last_status(const struct cursor *cursor);

/* Values whose name is that of a secret become "***", however deep they stand. */
void jobs_hide_secrets(json_t *json);
