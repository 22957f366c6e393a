/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The agents' JSON of a schedule ↔ the native document.
 *
 * Pure: no database, no clock.  Members that are not known are ignored, null keeps what there
 * is.  All that a client said is kept in the document's "extra", from where it is shown and
 * which the next request is laid upon.
 */
#pragma once

#include "core/limits.h"
#include "model/member.h"

enum {
    AGENT_ID_MAX = 64,      /* bytes; escaped, an agent and its project name a schedule */
    AGENT_PROJECT_MAX = 64, /*                                                          */
    AGENT_NAME_MAX = 6 + 3 * (AGENT_ID_MAX + AGENT_PROJECT_MAX) + 2,
    AGENT_TIMES_MAX = 32 * 1024, /* bytes of JSON: every minute of a day                     */
    AGENT_TEXT_MAX = 255,
    AGENTS_NOW_PRIORITY = 8, /* of what is asked for at once, unless its schedule has more */
};

enum agents_type { AGENTS_NO_TYPE, AGENTS_CRON, AGENTS_TIMES, AGENTS_INTERVAL, AGENTS_NOW };
enum agents_scope { AGENTS_GLOBAL, AGENTS_PROJECT };

struct agents_schedule {
    struct str agent, project; /* project: empty of global ones */
    bool is_enabled;
    struct str zone;
    enum agents_type type;
    struct str cron;
    struct str times; /* JSON, a list */
    int32_t interval; /* minutes */
    enum agents_scope scope;
    struct str input_type, thread_filter;
    int32_t window; /* minutes */
    int32_t max_concurrent, priority, attempts;
    int64_t backoff_ms;
    bool is_gated;   /* by a person's approval */
    int64_t version; /* that the client has seen; 0: any.  Not kept. */
};

/* What a request that says nothing has. */
struct agents_schedule agents_initial(struct str default_zone);

static inline int32_t agents_now_priority(const struct agents_schedule *schedule)
{
    return schedule->priority > AGENTS_NOW_PRIORITY ? schedule->priority : AGENTS_NOW_PRIORITY;
}

/* Lays a request upon *to; texts are in `arena`.  Errors name the member. */
MUST_USE enum rc agents_read(const json_t *json, struct arena *arena,
                             struct agents_schedule *to, struct err *reterr);

/* Whether the whole of it is one schedule. */
MUST_USE enum rc agents_check(const struct agents_schedule *schedule, struct err *reterr);

/* The caller owns the results. */
json_t *agents_document(const struct agents_schedule *schedule);
json_t *agents_print(const struct agents_schedule *schedule);

/*
 * What agents_document() kept, if it is still there: another API may have written something
 * else in its place, and then it is no schedule of agents any more.
 */
MUST_USE enum rc agents_recall(struct str extra, struct arena *arena,
                               struct agents_schedule *ret, struct err *reterr);

/*
 * The name of the schedule of an agent and a project: there can be one.  It can stand in a
 * path as it is.
 */
struct str agents_name(struct str agent, struct str project, struct arena *arena);

/* An error in native words, in the client's: "spec.cron[0].expr" is cronExpr, and so on. */
void agents_explain(struct err *err);
