/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Commands, which clients send to the engine, and their replies.  Plain data.
 *
 * The caller checks a command in full before it hands it in: texts are UTF-8 without NUL and
 * within their limits, plans are compiled.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "core/cursor.h"
#include "core/plan.h"
#include "core/run.h"
#include "core/run_id.h"
#include "store/audit.h"
#include "store/tokens.h"

enum { BACKFILLS_MAX = 100 }; /* unfinished ones per schedule */

enum command_kind {
    COMMAND_CREATE,       /* draft; RC_CONFLICT: the name is taken                            */
    COMMAND_UPDATE,       /* draft; version 0: any                                            */
    COMMAND_PUT,          /* create or update                                                 */
    COMMAND_DELETE,       /* ends waiting runs; claimed runs continue; history stays          */
    COMMAND_PAUSE,        /* text: the reason; until: INSTANT_NEVER for no end                */
    COMMAND_RESUME,       /* text: a note, stored even when not paused; ptr NULL: none        */
    COMMAND_TRIGGER,      /* overlap, input; slot: 0 for now                                  */
    COMMAND_TEST,         /* a run that leaves no trace on the schedule                       */
    COMMAND_BACKFILL,     /* ranges, overlap                                                  */
    COMMAND_SKIP,         /* run: cancels a planned slot before its run exists                */
    COMMAND_UNSKIP,       /* run: reverts COMMAND_SKIP                                        */
    COMMAND_CANCEL,       /* run: ends it, or asks its holder to; planned: as COMMAND_SKIP    */
    COMMAND_TERMINATE,    /* run: ends it at once                                             */
    COMMAND_APPROVE,      /* run; text: packed lines for its log, see store/logs.h            */
    COMMAND_REJECT,       /* run; text: the error that it ends with                           */
    COMMAND_HINT,         /* hint_interval or hint_at (or both), until: expires, text: why    */
    COMMAND_UNHINT,       /* removes the hint                                                 */
    COMMAND_RESET,        /* sets the count of failures to 0                                  */
    COMMAND_CLOSE,        /* keeps it but never runs it again; RC_CONFLICT: runs are open     */
    COMMAND_DIRECT,       /* draft, input: a run without a schedule                           */
    COMMAND_NAMESPACE,    /* name: created when absent, key in reply.schedule; text: settings */
    COMMAND_QUEUE,        /* name: likewise                                                   */
    COMMAND_QUEUE_PAUSE,  /* schedule: the queue's key                                        */
    COMMAND_QUEUE_RESUME, /* schedule: the queue's key                                        */
    COMMAND_GATE,         /* name, count: its limit; created when absent                      */
    COMMAND_CALENDAR,     /* name, text: days as little-endian int32, ascending; version      */
    COMMAND_CLOCK,        /* every overdue slot up to now is missed(clock)                    */
    COMMAND_TOKEN,        /* token; without a namespace_name it is for all namespaces         */
    COMMAND_TOKEN_DELETE, /* token: id and namespace, as read                                 */
    COMMAND_TOKEN_USED,   /* schedule: the token's id, slot: when it was used                 */
    COMMAND_DENIED,       /* only writes its audit entry: a client was denied something       */
    COMMAND_UNCALENDAR,   /* name: deletes the calendar; version; RC_NOT_FOUND                */
    COMMAND_QUEUE_LIMIT,  /* name, count: its limit, 0: none; created when absent             */
    COMMAND_UNGATE,       /* name; text: the part of policies that names it; slot: the caller */
                          /* has found no schedule changed before this time that names it     */
    COMMAND_COUNT
};

/* The wanted state of a schedule. */
struct draft {
    struct plan plan;                   /* the engine sets queue, gate and created */
    struct str queue;                   /* name of the queue, LANE_PULL only       */
    struct str spec, action, policies;  /* JSON as it is stored */
    struct str governor, labels, extra; /* JSON or empty        */
    struct str description;
    int64_t dialect;
    bool is_disabled;
    bool is_paused;  /* create it paused; command.text is the reason, otherwise a note */
    bool sets_pause; /* the pause ends at command.until, and an update pauses or resumes the */
                     /* schedule as is_paused says; false: an update leaves the pause alone  */
    bool trigger;    /* start one run when it is created */
};

struct range {
    instant from, until; /* inclusive */
    enum overlap overlap;
};

struct command {
    enum command_kind kind;
    uint64_t tag; /* the caller's; copied to the reply */
    int64_t namespace;
    struct str name;     /* of the schedule, when `schedule` is 0 */
    int64_t schedule;    /* its key, 0: find it by name           */
    int64_t version;     /* expected, 0: any                      */
    struct str by;       /* who sent the command                  */
    struct str request;  /* idempotency key, empty: none          */
    int64_t fingerprint; /* of the request that has that key      */
    const struct draft *draft;
    struct run_id run;
    instant slot, until;
    enum overlap overlap; /* OVERLAP_DEFAULT: the schedule's */
    struct str text, input;
    struct trace trace; /* the trace that the new run continues, zeros: it starts one */
    bool is_untraced;   /* the client does not record that trace                      */
    const struct range *ranges;
    int range_count;
    span hint_interval;
    instant hint_at; /* INSTANT_NEVER: none */
    int64_t count;
    int32_t priority; /* minimum priority of the new run; 0: the schedule's           */
    bool is_gentle;   /* COMMAND_CANCEL: end the run at once, unless its holder has   */
                      /* started to work on it: RC_CONFLICT                           */
    const struct token *token;
    int64_t quota;                   /* maximum schedules of its namespace, 0: no limit  */
    const struct audit_entry *audit; /* NULL: not audited; the engine adds the result    */
};

/* RC_BUSY: another node holds a row; hand the command in again until its deadline. */
struct reply {
    uint64_t tag;
    enum rc rc;
    struct str text;  /* the error message for the client; else see is_repeated */
    int64_t schedule; /* key */
    int64_t version;
    struct run_id run; /* the run that was created or changed */
    int64_t count;     /* how many were created or ended      */
    bool is_quota;     /* RC_LIMIT: the namespace has reached its quota of schedules         */
    bool is_repeated;  /* the reply to an earlier request with the same key; when that       */
                       /* request created a schedule, text is the schedule's name            */
    /* The cursor of a schedule that this command created, as the turn leaves it.  No other */
    /* command of the turn can have changed it: the name was free.  NULL otherwise.         */
    const struct cursor *cursor;
};
