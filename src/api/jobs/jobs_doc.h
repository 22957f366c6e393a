/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts the jobs API's JSON of a schedule to a document, and back.
 *
 * Pure: no database, no clock.  Members that are unknown or only shown are ignored.  The
 * document's "extra" keeps the name, and the retry policy as it was sent.
 */
#pragma once

#include "model/schedule_json.h"
#include "store/views.h"

/*
 * Fills a document that has the server's defaults; the texts are in `arena`.  Checks everything
 * but the grammar of the expression.  Errors name the member; after one, *doc is undefined.
 */
MUST_USE enum rc jobs_read(const json_t *json, struct str org, struct arena *arena,
                           struct schedule_doc *doc, struct err *reterr);

/* A schedule as this API shows it, but with secrets; the caller owns it. */
MUST_USE enum rc jobs_show(const struct schedule_view *view, struct str org,
                           struct arena *scratch, json_t **ret, struct err *reterr);

/* The status of the last run: "success" …; NULL: none yet. */
const char *jobs_last_status(const struct cursor *cursor);

/* jobs_secrets.c */

/* Replaces values at any depth whose name looks like that of a secret by "***". */
void jobs_hide_secrets(json_t *json);

/*
 * The opposite: replaces each such "***" by the value that `stored` has at the same place.
 * `stored` may be NULL.  Errors name the member.
 */
MUST_USE enum rc jobs_restore_secrets(json_t *json, const json_t *stored, struct err *reterr);
