/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Conductor's JSON of a schedule to the native document, and back.
 *
 * Pure: no database, no clock.  Like Conductor's server, it ignores members that it does not
 * know.  The document's "extra" keeps what only Conductor knows.
 */
#pragma once

#include "api/call/answer.h"
#include "store/views.h"
#include "wire/json/json.h"

/* A schedule as the client sent it; the texts are valid as long as the JSON that was read. */
struct conductor_wanted {
    json_t *document; /* native; the caller owns it */
    struct str name, reason;
    bool is_paused;
};

/* Errors name the member of Conductor's JSON. */
MUST_USE enum rc conductor_read(const json_t *json, struct conductor_wanted *ret,
                                struct err *reterr);

/*
 * A StartWorkflowRequest as the native action, which the caller owns.  Its member "conductor"
 * keeps what the action cannot express.
 */
MUST_USE enum rc conductor_read_request(const json_t *json, json_t **ret, struct err *reterr);

enum { CONDUCTOR_KEEP = 5 }; /* default number of records per schedule */

/* The policies of every schedule of this API. */
json_t *conductor_policies(bool is_catching_up);
/* Sets the number of records; if there are more than twice as many, older ones are deleted. */
void conductor_set_keep(json_t *document, int64_t keep);

/* Checks a list of {"key","value"}. */
MUST_USE enum rc conductor_read_tags(const json_t *json, struct err *reterr);

/* Milliseconds since 1970 as a number or a string; 0, "" and null leave *ret unchanged. */
MUST_USE enum rc conductor_read_time(const json_t *json, instant *ret, struct err *reterr);
MUST_USE enum rc conductor_parse_time(struct str text, instant *ret, struct err *reterr);

/*
 * An expression in Spring's six fields: one with five gets "0 " before the minutes.  The result
 * is `expr` itself, or in `out`.
 */
struct str conductor_cron(struct str expr, struct buf *out);

/* Renames the field of an error from the native document to Conductor's JSON. */
void conductor_explain(const json_t *document, struct err *err);

/* A schedule as Conductor shows it; the caller owns `schedule`. */
struct conductor_shown {
    json_t *schedule;
    json_t *request;                  /* its startWorkflowRequest, borrowed     */
    const char *workflow_name, *zone; /* borrowed                               */
    bool has_own_queue; /* its runs wait in another queue than that of the workflow's name */
};
MUST_USE enum rc conductor_show(const struct schedule_view *view, struct str namespace,
                                struct arena *scratch, struct conductor_shown *ret,
                                struct err *reterr);
