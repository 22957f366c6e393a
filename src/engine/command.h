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
#include "core/run.h"
#include "core/run_id.h"
#include "engine/command_args.h"
#include "store/audit.h"
#include "store/sessions.h"
#include "store/tokens.h"

enum command_kind {
    COMMAND_CREATE,       /* save; RC_CONFLICT: the name is taken                          */
    COMMAND_UPDATE,       /* save                                                          */
    COMMAND_PUT,          /* save: create or update                                        */
    COMMAND_DELETE,       /* ends waiting runs; claimed runs continue; history stays       */
    COMMAND_PAUSE,        /* pause                                                         */
    COMMAND_RESUME,       /* pause: the reason, as a note, stored even if not paused; from */
    COMMAND_TRIGGER,      /* start                                                         */
    COMMAND_TEST,         /* start: a run that does not count in the schedule              */
    COMMAND_BACKFILL,     /* backfill                                                      */
    COMMAND_SKIP,         /* run: cancels a planned slot before its run exists             */
    COMMAND_UNSKIP,       /* run: reverts COMMAND_SKIP                                     */
    COMMAND_CANCEL,       /* run: ends it, or asks its holder to; planned: as COMMAND_SKIP */
    COMMAND_TERMINATE,    /* run: ends it at once                                          */
    COMMAND_APPROVE,      /* run                                                           */
    COMMAND_REJECT,       /* run                                                           */
    COMMAND_HINT,         /* hint                                                          */
    COMMAND_UNHINT,       /* removes the hint                                              */
    COMMAND_RESET,        /* sets the count of failures to 0                               */
    COMMAND_RELEASE,      /* ends a quarantine; RC_CONFLICT: there is none                 */
    COMMAND_CLOSE,        /* pause: never runs it again; RC_CONFLICT: runs are open        */
    COMMAND_DIRECT,       /* save: a run without a schedule                                */
    COMMAND_NAMESPACE,    /* settings; created when absent, its key in reply.schedule      */
    COMMAND_QUEUE,        /* created when absent, its key in reply.schedule                */
    COMMAND_QUEUE_PAUSE,  /* key                                                           */
    COMMAND_QUEUE_RESUME, /* key                                                           */
    COMMAND_GATE,         /* limit; created when absent                                    */
    COMMAND_CALENDAR,     /* days                                                          */
    COMMAND_CLOCK,        /* every overdue slot up to now is missed(clock)                 */
    COMMAND_TOKEN,        /* token; without a namespace_name it is for all namespaces      */
    COMMAND_TOKEN_DELETE, /* token: id and namespace, as read                              */
    COMMAND_TOKEN_USED,   /* token_used                                                    */
    COMMAND_DENIED,       /* only writes its audit entry: a client was denied something    */
    COMMAND_UNCALENDAR,   /* deletes the calendar; RC_NOT_FOUND: there is none             */
    COMMAND_QUEUE_LIMIT,  /* limit; created when absent                                    */
    COMMAND_UNGATE,       /* ungate                                                        */
    COMMAND_UNBACKFILL,   /* key: stops it; RC_NOT_FOUND: it has ended                     */
    COMMAND_SESSION,      /* session: begins it; RC_NOT_FOUND: its token was revoked       */
    COMMAND_SESSION_END,  /* session: its id                                               */
    COMMAND_COUNT
};

/* Whether its arguments are struct save_args. */
static inline bool command_saves(enum command_kind kind)
{
    return kind == COMMAND_CREATE || kind == COMMAND_UPDATE || kind == COMMAND_PUT ||
           kind == COMMAND_DIRECT;
}

struct command {
    enum command_kind kind;
    uint64_t tag; /* the caller's; copied to the reply */
    int64_t namespace;
    struct str name;     /* of what the command is about, unless it has a key or a run id */
    int64_t schedule;    /* key of the schedule, 0: find it by name or run id             */
    int64_t version;     /* expected, of a schedule or calendar; 0: any                   */
    struct str by;       /* who sent the command                                          */
    struct str request;  /* idempotency key, empty: none                                  */
    int64_t fingerprint; /* of the request that has that key                              */
    struct trace trace;  /* the trace that a new run continues, zeros: it starts one      */
    bool is_untraced;    /* the client does not record that trace                         */
    int64_t quota;       /* maximum schedules of the namespace, 0: no limit               */
    const struct audit_entry *audit; /* NULL: not audited; the engine adds the result     */
    union {                          /* which one: see enum command_kind                  */
        struct save_args save;
        struct pause_args pause;
        struct start_args start;
        struct backfill_args backfill;
        struct run_args run;
        struct hint_args hint;
        struct ungate_args ungate;
        struct token_use_args token_used;
        const struct token *token;
        const struct session *session;
        struct str settings; /* JSON; empty: unchanged               */
        struct str days;     /* as little-endian int32, ascending    */
        int64_t key;         /* of the queue; the pass of a backfill */
        int64_t limit;       /* of the queue, 0: none; or of the gate */
    };
};

/* A command whose arguments have the defaults of its kind, where these are not 0. */
static inline struct command command_new(enum command_kind kind)
{
    struct command c = {.kind = kind};

    if (kind == COMMAND_HINT)
        c.hint = (struct hint_args){.at = INSTANT_NEVER, .expires = INSTANT_NEVER};
    else if (kind == COMMAND_PAUSE)
        c.pause.until = INSTANT_NEVER;
    else if (kind == COMMAND_TRIGGER || kind == COMMAND_TEST)
        c.start.overlap = OVERLAP_DEFAULT;
    else if (command_saves(kind))
        c.save = (struct save_args){.pause_until = INSTANT_NEVER,
                                    .start.overlap = OVERLAP_DEFAULT};
    return c;
}

/* RC_BUSY: another node holds a row; hand the command in again until its deadline. */
struct reply {
    uint64_t tag;
    enum rc rc;
    struct str text;  /* the error message for the client; else see is_repeated */
    int64_t schedule; /* key */
    int64_t version;
    struct run_id run; /* the run that was created or changed */
    int64_t count;     /* how many were created or ended      */
    /* COMMAND_BACKFILL, and COMMAND_RESUME with `replays`: run.pass is the first of `count` */
    /* passes, one per range; what became of their starts in the turn of the command.        */
    int64_t started, skipped, buffered;
    bool is_quota;    /* RC_LIMIT: the namespace has reached its quota of schedules         */
    bool is_repeated; /* the reply to an earlier request with the same key; when that       */
                      /* request created a schedule, text is the schedule's name            */
    /* The cursor of a schedule that this command created, as the turn leaves it.  No other */
    /* command of the turn can have changed it: the name was free.  NULL otherwise.         */
    const struct cursor *cursor;
};
