/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts the agents' JSON of a schedule to a document, and back.
 *
 * Pure: no database, no clock.  Unknown members are ignored; null keeps the current value.  The
 * document's "extra" stores all members that a client sent: answers show them, and the next
 * update is merged into them.
 */
#pragma once

#include "core/limits.h"
#include "model/schedule_json.h"

enum {
    AGENT_ID_MAX = 64, /* bytes; the schedule's name contains agent and project, escaped */
    AGENT_PROJECT_MAX = 64,
    AGENT_NAME_MAX = 6 + 3 * (AGENT_ID_MAX + AGENT_PROJECT_MAX) + 2,
    AGENT_TIMES_MAX = 32 * 1024,    /* bytes of JSON: every minute of a day */
    AGENT_REPLACED_MAX = 16 * 1024, /* bytes of JSON: replaced times of every minute of a day */
    AGENT_TEXT_MAX = 255,
    AGENTS_NOW_PRIORITY = 8, /* of immediate runs, unless the schedule has a higher one */
};

enum agents_type { AGENTS_NO_TYPE, AGENTS_CRON, AGENTS_TIMES, AGENTS_INTERVAL, AGENTS_NOW };
enum agents_scope { AGENTS_GLOBAL, AGENTS_PROJECT };

struct agents_schedule {
    struct str agent, project; /* project: empty if global */
    bool is_enabled;
    struct str zone;
    enum agents_type type;
    struct str cron;
    struct str times; /* JSON, a list */
    int32_t interval_minutes;
    enum agents_scope scope;
    struct str input_type, thread_filter;
    int32_t window_minutes;
    int32_t max_concurrent, priority, attempts;
    int64_t backoff_ms;
    bool needs_approval;
    int64_t version;     /* that the client has read; 0: any.  Not stored.     */
    struct str replaced; /* JSON, see agents_replaced.h.  Stored, but not shown. */
};

/* The defaults. */
struct agents_schedule agents_initial(struct str default_zone);

static inline int32_t agents_now_priority(const struct agents_schedule *schedule)
{
    return schedule->priority > AGENTS_NOW_PRIORITY ? schedule->priority : AGENTS_NOW_PRIORITY;
}

/* Merges a request into *to; texts are in `arena`.  Errors name the member. */
MUST_USE enum rc agents_read(const json_t *json, struct arena *arena,
                             struct agents_schedule *to, struct err *reterr);

/* Checks that the schedule is complete. */
MUST_USE enum rc agents_check(const struct agents_schedule *schedule, struct err *reterr);

/*
 * Fills a document that has the server's defaults; its texts are in `arena` or those of the
 * schedule.  Checks everything but the time zone and the grammar of the expression.  Errors
 * name the member; after one, *doc is undefined.
 */
MUST_USE enum rc agents_fill(const struct agents_schedule *schedule, struct arena *arena,
                             struct schedule_doc *doc, struct err *reterr);

/* The member that says when schedules of this type run. */
const char *agents_spec_member(enum agents_type type);

/* The caller owns the result. */
json_t *agents_print(const struct agents_schedule *schedule);

/*
 * Reads what agents_fill() stored.  Another API may have replaced it; the schedule then no
 * longer belongs to this API, and the call fails.
 */
MUST_USE enum rc agents_stored_read(struct str extra, struct arena *arena,
                                    struct agents_schedule *ret, struct err *reterr);

/*
 * The name of the schedule of an agent and a project, of which there is at most one.  It needs
 * no escaping in a path.
 */
struct str agents_name(struct str agent, struct str project, struct arena *arena);
