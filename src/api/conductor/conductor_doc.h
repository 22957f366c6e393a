/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conductor's JSON of a schedule ↔ the native document.
 *
 * Pure: no database, no clock.  Members that Conductor's server does not know are ignored, as
 * it does; what only Conductor knows is kept in the document's "extra".
 */
#pragma once

#include "api/call/answer.h"
#include "store/views.h"
#include "wire/json/json.h"

/* A schedule as a client wants it; the texts live as long as the JSON that was read. */
struct conductor_wanted {
    json_t *document; /* native; the caller owns it */
    struct str name, reason;
    bool is_paused;
};

/* Errors name the member as the client knows it. */
MUST_USE enum rc conductor_read(const json_t *json, struct conductor_wanted *ret,
                                struct err *reterr);

/*
 * A StartWorkflowRequest as the native action, which the caller owns; what that has no place
 * for stands in its member "conductor".
 */
MUST_USE enum rc conductor_read_request(const json_t *json, json_t **ret, struct err *reterr);

enum { CONDUCTOR_KEEP = 5 }; /* records of a schedule, unless the server says otherwise */

/* The policies that a schedule of this API has. */
json_t *conductor_policies(bool is_catching_up);
/* Another number of records: beyond twice as many the older ones go. */
void conductor_set_keep(json_t *document, int64_t keep);

/* A list of {"key","value"}. */
MUST_USE enum rc conductor_read_tags(const json_t *json, struct err *reterr);

/* Milliseconds since 1970 as a number or a text; 0, "" and null: *ret stays. */
MUST_USE enum rc conductor_read_time(const json_t *json, instant *ret, struct err *reterr);
MUST_USE enum rc conductor_parse_time(struct str text, instant *ret, struct err *reterr);

/*
 * An expression in Spring's six fields: one with five has "0 " put before the minutes.  The
 * text is the caller's, or in `out`.
 */
struct str conductor_cron(struct str expr, struct buf *out);

/* What the client said in native words, back in its own: "spec.cron[0].expr" and so on. */
void conductor_explain(const json_t *document, struct err *err);

/* A schedule as Conductor shows it; the caller owns the results. */
struct conductor_shown {
    json_t *schedule;
    json_t *request;                  /* its startWorkflowRequest, borrowed      */
    const char *workflow_name, *zone; /* borrowed                               */
    bool has_own_queue;               /* that of its runs is not of the workflow's name */
};
MUST_USE enum rc conductor_show(const struct schedule_view *view, struct str namespace,
                                struct arena *scratch, struct conductor_shown *ret,
                                struct err *reterr);
