/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What people ask of the engine.  Plain data, checked whole before it gets here: texts are
 * UTF-8 without NUL and within their limits, plans are compiled.
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

enum { BACKFILLS_MAX = 100 }; /* that one schedule may have at a time */

enum command_kind {
    COMMAND_CREATE,       /* draft; RC_CONFLICT when the name is taken                        */
    COMMAND_UPDATE,       /* draft; version 0: whatever it is                                 */
    COMMAND_PUT,          /* create or update                                                 */
    COMMAND_DELETE,       /* ends what waits; claimed runs go on; history stays               */
    COMMAND_PAUSE,        /* text: the reason; until: INSTANT_NEVER for good                  */
    COMMAND_RESUME,       /* text: a note, kept even when it was not paused; ptr NULL: none   */
    COMMAND_TRIGGER,      /* overlap, input; slot: 0 for now                                  */
    COMMAND_TEST,         /* a run that leaves no trace on the schedule                       */
    COMMAND_BACKFILL,     /* ranges, overlap                                                  */
    COMMAND_SKIP,         /* run: a planned slot is cancelled before it exists                */
    COMMAND_UNSKIP,       /* run: and that is taken back                                      */
    COMMAND_CANCEL,       /* run: ends it, or asks its holder to; planned: as COMMAND_SKIP    */
    COMMAND_TERMINATE,    /* run: ends it at once                                            */
    COMMAND_APPROVE,      /* run; text: packed lines for its log, see store/logs.h            */
    COMMAND_REJECT,       /* run; text: the error that it ends with                           */
    COMMAND_HINT,         /* hint_interval or hint_at (or both), until: expires, text: why    */
    COMMAND_UNHINT,       /* */
    COMMAND_RESET,        /* the count of failures                                            */
    COMMAND_CLOSE,        /* it is kept and does nothing any more; RC_CONFLICT: runs are open */
    COMMAND_DIRECT,       /* draft, input: a run without a schedule                           */
    COMMAND_NAMESPACE,    /* name: made when absent, key in reply.schedule; text: settings   */
    COMMAND_QUEUE,        /* name: likewise                                                   */
    COMMAND_QUEUE_PAUSE,  /* schedule: the queue's key */
    COMMAND_QUEUE_RESUME, /* schedule: the queue's key */
    COMMAND_GATE,         /* name, count: its limit; made when absent                         */
    COMMAND_CALENDAR,     /* name, text: days as little-endian int32, ascending; version      */
    COMMAND_CLOCK,        /* every slot up to now that is overdue is missed(clock)            */
    COMMAND_TOKEN,        /* token; without a namespace_name it is for all of them            */
    COMMAND_TOKEN_DELETE, /* token: id and namespace, as read                                 */
    COMMAND_TOKEN_USED,   /* schedule: its id, slot: when                                     */
    COMMAND_DENIED,       /* nothing but its audit: somebody was not let                      */
    COMMAND_UNCALENDAR,   /* name: it has no days any more; version; RC_NOT_FOUND             */
    COMMAND_QUEUE_LIMIT,  /* name, count: its limit, 0: none; made when absent                */
    COMMAND_UNGATE,       /* name; text: how policies name it; slot: nobody did before        */
    COMMAND_COUNT
};

/* A schedule as someone wants it to be. */
struct draft {
    struct plan plan; /* queue, gate and created are the engine's to fill in              */
    struct str queue; /* name of the queue, LANE_PULL only                                */
    struct str spec, action, policies;  /* JSON as it is kept                              */
    struct str governor, labels, extra; /* JSON or empty                                   */
    struct str description;
    int64_t dialect;
    bool is_disabled;
    bool is_paused;  /* created paused; command.text is the reason, or else a note           */
    bool sets_pause; /* until command.until, and an update pauses or resumes it likewise; */
                     /* else that it leaves alone                                         */
    bool trigger;    /* created with one run at once                                        */
};

struct range {
    instant from, until; /* inclusive */
    enum overlap overlap;
};

struct command {
    enum command_kind kind;
    uint64_t tag; /* the caller's; comes back in the reply       */
    int64_t namespace;
    struct str name;     /* of the schedule, unless its key is known */
    int64_t schedule;    /* its key, 0: by name                      */
    int64_t version;     /* expected, 0: any                         */
    struct str by;       /* who asks                                 */
    struct str request;  /* idempotency key, empty: none           */
    int64_t fingerprint; /* of what is asked with that key         */
    const struct draft *draft;
    struct run_id run;
    instant slot, until;
    enum overlap overlap; /* OVERLAP_DEFAULT: the schedule's */
    struct str text, input;
    struct trace trace; /* that a run which is made continues, zeros: one of its own */
    bool is_untraced;   /* and that whoever asks does not keep                       */
    const struct range *ranges;
    int range_count;
    span hint_interval;
    instant hint_at; /* INSTANT_NEVER: none */
    int64_t count;
    int32_t priority; /* of a run that is made, at the least; 0: the schedule's          */
    bool is_gentle;   /* COMMAND_CANCEL: ends it at once, but none whose holder has begun */
                      /* on it: RC_CONFLICT                                              */
    const struct token *token;
    int64_t quota;                   /* schedules that its namespace may have, 0: any    */
    const struct audit_entry *audit; /* NULL: not a person's; the engine adds the result */
};

/* RC_BUSY: another node is at it, hand it in again until its deadline. */
struct reply {
    uint64_t tag;
    enum rc rc;
    struct str text;  /* of the error, for whoever asked; else see is_repeated */
    int64_t schedule; /* key */
    int64_t version;
    struct run_id run; /* the run that was made or touched */
    int64_t count;     /* of what was made or ended        */
    bool is_quota;     /* RC_LIMIT: the namespace has as many schedules as it may have    */
    bool is_repeated;  /* the answer to an earlier request with the same key; when that */
                       /* made a schedule, text is its name                             */
    /* Of a schedule that was made, as this turn leaves it, which nothing else of this turn */
    /* can have touched: its name was not known before.  NULL otherwise.                    */
    const struct cursor *cursor;
};
