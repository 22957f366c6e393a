/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Lists or streams the events of agents, in the terms of this API.
 */
#include "api/agents/agents.h"
#include "api/agents/agents_event.h"
#include "api/events/event_watch.h"

static enum rc read_filter(const struct call *call, struct event_filter *ret,
                           struct err *reterr)
{
    struct str run = request_query(call, "executionId");
    const char *parameter = "type";
    enum rc rc;

    *ret = (struct event_filter){.terms = &agents_event_terms,
                                 .schedule = request_query(call, "scheduleId"),
                                 .has_run = run.len > 0,
                                 .agent = request_query(call, "agentId"),
                                 .project = request_query(call, "projectId")};
    rc = agents_events_parse(request_query(call, "type"), &ret->own_types, reterr);
    if (rc == RC_OK && ret->has_run) {
        parameter = "executionId";
        rc = run_id_parse(run, &ret->run, reterr);
    }
    return rc == RC_OK ? RC_OK : err_in(reterr, "%s", parameter);
}

enum call_step agents_events_begin(struct call *call)
{
    static const char *const names[] = {"after",       "limit",   "type",     "scheduleId",
                                        "executionId", "agentId", "projectId"};

    return event_watch_begin(
        call, &(struct event_asking){names, sizeof names / sizeof names[0], read_filter});
}
