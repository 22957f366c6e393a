/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts Conductor's JSON of a schedule to a document, and back.
 *
 * Pure: no database, no clock.  Like Conductor's server, it ignores members that it does not
 * know.  The document's "extra" keeps what only Conductor knows.
 */
#pragma once

#include "api/call/answer.h"
#include "model/schedule_json.h"
#include "store/views.h"

/* The pause that a client sent in addition to the document. */
struct conductor_wanted {
    struct str reason;
    bool is_paused;
};

/*
 * Fills a document that has the server's defaults; the texts are in `arena`.  Errors name the
 * member of Conductor's JSON; after one, *doc is undefined.
 */
MUST_USE enum rc conductor_read(const json_t *json, const struct zone_source *zones,
                                struct arena *arena, struct schedule_doc *doc,
                                struct conductor_wanted *ret, struct err *reterr);

/* A StartWorkflowRequest; workflow.conductor keeps what the action cannot express. */
MUST_USE enum rc conductor_read_request(const json_t *json, struct arena *arena,
                                        struct action *ret, struct err *reterr);

enum { CONDUCTOR_KEEP = 5 }; /* default number of records per schedule */

/* The policies of every schedule of this API; the others stay as they are. */
void conductor_policies(bool is_catching_up, struct policies *policies);

/* Checks a list of {"key","value"}. */
MUST_USE enum rc conductor_read_tags(const json_t *json, struct arena *scratch,
                                     struct err *reterr);

/* Milliseconds since 1970 as a number or a string; 0, "" and null leave *ret unchanged. */
MUST_USE enum rc conductor_read_time(const json_t *json, instant *ret, struct err *reterr);
MUST_USE enum rc conductor_parse_time(struct str text, instant *ret, struct err *reterr);

/* A schedule as Conductor shows it; the caller owns `schedule`. */
struct conductor_shown {
    json_t *schedule;
    const char *workflow_name, *zone; /* borrowed                               */
    bool has_own_queue; /* its runs wait in another queue than that of the workflow's name */
};
MUST_USE enum rc conductor_show(const struct schedule_view *view, struct arena *scratch,
                                struct conductor_shown *ret, struct err *reterr);

/* A schedule that cannot be read: only its name, and the error as its description. */
struct conductor_shown conductor_show_damaged(const struct schedule_view *view,
                                              const struct err *err);
