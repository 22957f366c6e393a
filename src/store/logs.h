/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Table logs: what runs have said, in parts as their holders report them; and the lines that
 * a part is made of.
 *
 * Statements are queued; see store/cursors.h.  Rows never change.  Whoever appends has locked
 * the run or its schedule's cursor, so that the parts of a run follow each other.
 */
#pragma once

#include "base/buf.h"
#include "base/err.h"
#include "base/instant.h"
#include "db/db.h"

enum {
    LOGS_LINE_MAX = 16 * 1024, /* bytes of one line: a person reads it                      */
    LOG_PART_MAX = 256 * 1024, /* bytes of packed lines in one report, as of a result       */
    LOG_RUN_MAX = 1024 * 1024, /* bytes of a run's log; the part that passes it is the last */
    LOG_LINE_HEAD = 13,        /* bytes of a packed line beside its text                    */
};

enum log_stream { LOG_STDOUT = 0, LOG_STDERR = 1, LOG_WORKER = 2, LOG_STREAM_COUNT };

struct log_line {
    instant at;
    enum log_stream stream;
    struct str text; /* any bytes; what is beyond LOGS_LINE_MAX is not packed */
};

void log_line_pack(const struct log_line *line, struct buf *out);
/* Takes one from the front of *bytes; *ret_any is false at their end.  RC_CORRUPT: no line. */
MUST_USE enum rc log_line_unpack(struct str *bytes, struct log_line *ret, bool *ret_any,
                                 struct err *reterr);

struct log_part {
    int64_t id, schedule;
    instant slot;
    int64_t pass, attempt;
    instant at;
    int64_t total; /* bytes of the run's log up to the end of this part: its place in it */
    instant expire_at;
    struct str body; /* packed lines */
};

/* True where nothing can follow: what its run said after this part was not kept. */
static inline bool log_is_full(const struct log_part *part)
{
    return part->total >= LOG_RUN_MAX;
}

/* Behind what the run has said before (total is made here), unless its log is full. */
void logs_insert(struct db *db, const struct log_part *part, struct db_result *ret);

/* Of a run, in order: the parts whose total is above `after`. */
void logs_of_run(struct db *db, const struct log_part *run, int64_t after, int limit,
                 struct db_result *ret);
void logs_read(const struct db_result *result, int row, struct log_part *ret);

/* As store/events_requests.h has it for history. */
void prune_logs(struct db *db, int64_t after, int64_t until, instant now,
                struct db_result *ret);
void prune_logs_portion(struct db *db, int64_t after, int limit, struct db_result *ret);
