/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The jobs API's JSON of a schedule to the native document, and back.
 *
 * Pure: no database, no clock.  Members that are unknown or only shown are ignored.  The
 * document's "extra" keeps the label, and the retry policy as it was sent.
 */
#pragma once

#include "store/views.h"
#include "wire/json/json.h"

/* Builds a native document, which the caller owns.  Errors name the member. */
MUST_USE enum rc jobs_read(const json_t *json, struct str org, json_t **ret,
                           struct err *reterr);

/* Renames the field of an error of the native document to that of this API. */
void jobs_explain(struct err *err);

/* A schedule as this API shows it, which the caller owns. */
MUST_USE enum rc jobs_show(const struct schedule_view *view, struct str org,
                           struct arena *scratch, json_t **ret, struct err *reterr);

/* The status of the last run: "success" …; NULL: none yet. */
const char *jobs_last_status(const struct cursor *cursor);

/* Replaces values at any depth whose name looks like that of a secret by "***". */
void jobs_hide_secrets(json_t *json);
