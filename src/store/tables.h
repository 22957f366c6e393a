/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The columns of the tables, as lists for store/columns.h: _COLUMNS are those that the reader
 * of a table expects, other lists those that some statements read or change.
 */
#pragma once

/* The formatter would indent each line of a list more than the line before. */
/* clang-format off */

#define CURSOR_COLUMNS(FIRST, NEXT) FIRST(1, id, INT) CURSOR_STATE(NEXT, NEXT)
#define CURSOR_STATE(FIRST, NEXT)                                                           \
    FIRST(2, wake_at, INT) NEXT(3, mark, INT) NEXT(4, next_at, INT) NEXT(5, version, INT)   \
    NEXT(6, bits, BITS) NEXT(7, paused_until, INT) NEXT(8, open, INT) NEXT(9, waiting, INT) \
    NEXT(10, failures, INT) NEXT(11, remaining, INT) NEXT(12, pass, INT)                    \
    NEXT(13, backfills, INT) NEXT(14, last_slot, INT) NEXT(15, last_start, INT)             \
    NEXT(16, last_end, INT) NEXT(17, active_at, INT) NEXT(18, hint_interval, INT)           \
    NEXT(19, hint_at, INT) NEXT(20, hint_expires, INT) NEXT(21, started, INT)               \
    NEXT(22, skipped, INT) NEXT(23, missed, INT) NEXT(24, dropped, INT)                     \
    NEXT(25, cancelled, INT) NEXT(26, succeeded, INT) NEXT(27, failed, INT)                 \
    NEXT(28, last_held, INT) NEXT(29, unstarted, INT) NEXT(30, last_ok, INT)                \
    NEXT(31, last_late, INT) NEXT(32, recent, INT)
/* What a plain start and a plain end of a run change. */
#define CURSOR_START(FIRST, NEXT)                                                       \
    FIRST(2, wake_at, INT) NEXT(3, mark, INT) NEXT(4, next_at, INT) NEXT(5, bits, BITS) \
    NEXT(6, open, INT) NEXT(7, last_slot, INT) NEXT(8, last_start, INT)                 \
    NEXT(9, active_at, INT) NEXT(10, started, INT)
#define CURSOR_END(FIRST, NEXT)                                                           \
    FIRST(2, bits, BITS) NEXT(3, open, INT) NEXT(4, failures, INT) NEXT(5, last_end, INT) \
    NEXT(6, succeeded, INT) NEXT(7, failed, INT) NEXT(8, last_ok, INT)                    \
    NEXT(9, last_late, INT) NEXT(10, recent, INT)

/* The texts may be large: some statements do not read them. */
#define RUN_COLUMNS(FIRST, NEXT)                                     \
    RUN_HEAD(FIRST, NEXT) RUN_TEXTS(NEXT, NEXT) RUN_TAIL(NEXT, NEXT)
#define RUN_HEAD(FIRST, NEXT)                                                         \
    FIRST(1, id, INT) NEXT(2, schedule, INT) NEXT(3, slot, INT) NEXT(4, pass, INT)    \
    NEXT(5, state, INT) NEXT(6, lane, INT) NEXT(7, queue, INT) NEXT(8, gate, INT)     \
    NEXT(9, bits, BITS) NEXT(10, due, INT) NEXT(11, rank, INT) NEXT(12, attempt, INT) \
    NEXT(13, fence, INT) NEXT(14, node, INT) NEXT(15, lease_until, INT)               \
    NEXT(16, wake_at, INT) NEXT(17, created_at, INT) NEXT(18, started_at, INT)        \
    NEXT(19, attempt_at, INT) NEXT(20, worker, OPTIONAL)
#define RUN_TEXTS(FIRST, NEXT) FIRST(21, input, OPTIONAL) NEXT(22, progress, OPTIONAL)
#define RUN_TAIL(FIRST, NEXT)                                         \
    FIRST(23, last_run_at, INT) NEXT(24, trace_high, INT, trace.high) \
    NEXT(25, trace_low, INT, trace.low)
#define RUN_CHANGES(FIRST, NEXT)                                                           \
    FIRST(2, state, INT) NEXT(3, bits, BITS) NEXT(4, rank, INT) NEXT(5, attempt, INT)      \
    NEXT(6, fence, INT) NEXT(7, node, INT) NEXT(8, lease_until, INT) NEXT(9, wake_at, INT) \
    NEXT(10, started_at, INT) NEXT(11, attempt_at, INT) NEXT(12, worker, OPTIONAL)         \
    NEXT(13, progress, OPTIONAL) NEXT(14, gate, INT) NEXT(15, last_run_at, INT)
#define RUN_CHECK(FIRST, NEXT)                                                             \
    FIRST(1, id, INT) NEXT(2, slot, INT) NEXT(3, pass, INT) NEXT(4, state, INT)            \
    NEXT(5, bits, KIND, kind) NEXT(6, attempt, INT) NEXT(7, fence, INT) NEXT(8, node, INT)

/* The members are those of struct attempt_end; the reader has the names of the columns. */
#define HISTORY_COLUMNS(FIRST, NEXT) HISTORY_HEAD(FIRST, NEXT) HISTORY_TEXTS(NEXT, NEXT)
#define HISTORY_HEAD(FIRST, NEXT)                                                         \
    FIRST(1, id, INT) NEXT(2, schedule, INT, run->schedule) NEXT(3, slot, INT, run->slot) \
    NEXT(4, pass, INT, run->pass) NEXT(5, attempt, INT, run->attempt)                     \
    NEXT(6, fence, INT, run->fence) NEXT(7, bits, BITS) NEXT(8, outcome, INT)             \
    NEXT(9, reason, INT) NEXT(10, last, INT) NEXT(11, due, INT, run->due)                 \
    NEXT(12, created_at, INT, run->created_at) NEXT(13, started_at, INT, run->attempt_at) \
    NEXT(14, ended_at, INT) NEXT(15, expire_at, INT) NEXT(16, queue, INT, run->queue)     \
    NEXT(17, node, INT, run->node) NEXT(18, worker, OPTIONAL, run->worker)
#define HISTORY_TEXTS(FIRST, NEXT) FIRST(19, error, OPTIONAL) NEXT(20, result, OPTIONAL)
#define HISTORY_WRITTEN(FIRST, NEXT) HISTORY_COLUMNS(FIRST, NEXT) HISTORY_SPENT(NEXT, NEXT)
#define HISTORY_SPENT(FIRST, NEXT)                                      \
    FIRST(21, namespace, INT) NEXT(22, tokens, INT) NEXT(23, cost, INT) NEXT(24, day, INT)
#define HISTORY_CHECK(FIRST, NEXT)                                                           \
    FIRST(1, id, INT) NEXT(2, slot, INT) NEXT(3, pass, INT) NEXT(4, attempt, INT)            \
    NEXT(5, fence, INT) NEXT(6, bits, KIND, kind) NEXT(7, outcome, INT) NEXT(8, reason, INT) \
    NEXT(9, last, INT) NEXT(10, ended_at, INT) NEXT(11, due, INT) NEXT(12, started_at, INT)
#define HISTORY_MARK(FIRST, NEXT)                                                            \
    FIRST(1, id, INT) NEXT(2, schedule, INT) NEXT(3, bits, KIND, kind) NEXT(4, outcome, INT) \
    NEXT(5, started_at, INT) NEXT(6, ended_at, INT)

#define LEDGER_COLUMNS(FIRST, NEXT)                                                        \
    FIRST(1, id, INT) NEXT(2, schedule, INT) NEXT(3, pass, INT)                            \
    NEXT(4, first, INT, account.first) NEXT(5, last, INT, account.last)                    \
    NEXT(6, count, INT, account.count) NEXT(7, outcome, INT, account.outcome)              \
    NEXT(8, reason, INT, account.reason) NEXT(9, written_at, INT) NEXT(10, expire_at, INT) \
    NEXT(11, day, INT) NEXT(12, days, INT) NEXT(13, kind, INT)

/* The last two are not written when a schedule is created. */
#define SCHEDULE_COLUMNS(FIRST, NEXT)                                                      \
    SCHEDULE_CREATED(FIRST, NEXT) NEXT(20, hint_reason, OPTIONAL) NEXT(21, edited_at, INT)
#define SCHEDULE_CREATED(FIRST, NEXT)                                                        \
    FIRST(1, id, INT) NEXT(2, namespace, INT) NEXT(3, version, INT) NEXT(4, deleted_at, INT) \
    NEXT(5, packed, BLOB) NEXT(6, action, TEXT) NEXT(7, name, TEXT) NEXT(8, spec, TEXT)      \
    NEXT(9, policies, TEXT) NEXT(10, governor, OPTIONAL) NEXT(11, labels, OPTIONAL)          \
    NEXT(12, extra, OPTIONAL) NEXT(13, description, TEXT) NEXT(14, dialect, INT)             \
    NEXT(15, reason, OPTIONAL) NEXT(16, created_at, INT) NEXT(17, created_by, TEXT)          \
    NEXT(18, updated_at, INT) NEXT(19, updated_by, TEXT)
#define SCHEDULE_EDIT(FIRST, NEXT)                                                         \
    FIRST(2, version, INT) NEXT(3, packed, BLOB) NEXT(4, action, TEXT) NEXT(5, spec, TEXT) \
    NEXT(6, policies, TEXT) NEXT(7, governor, OPTIONAL) NEXT(8, labels, OPTIONAL)          \
    NEXT(9, extra, OPTIONAL) NEXT(10, description, TEXT) NEXT(11, updated_at, INT)         \
    NEXT(12, updated_by, TEXT)

#define STOP_COLUMNS(FIRST, NEXT)                                                  \
    FIRST(1, id, INT) NEXT(2, node, INT) NEXT(3, schedule, INT) NEXT(4, slot, INT) \
    NEXT(5, pass, INT) NEXT(6, fence, INT)

/* A row is inserted with its length; the statement adds the total so far. */
#define LOG_COLUMNS(FIRST, NEXT) LOG_HEAD(FIRST, NEXT) NEXT(7, total, INT) LOG_TAIL(NEXT, NEXT)
#define LOG_HEAD(FIRST, NEXT)                                                      \
    FIRST(1, id, INT) NEXT(2, schedule, INT) NEXT(3, slot, INT) NEXT(4, pass, INT) \
    NEXT(5, attempt, INT) NEXT(6, at, INT)
#define LOG_TAIL(FIRST, NEXT) FIRST(8, expire_at, INT) NEXT(9, body, BLOB)

#define NODE_COLUMNS(FIRST, NEXT)                                               \
    FIRST(1, id, INT) NEXT(2, name, TEXT) NEXT(3, boot, INT) NEXT(4, turn, INT) \
    NEXT(5, lease_until, INT) NEXT(6, key_ms, INT) NEXT(7, event, INT)          \
    NEXT(8, started_at, INT) NEXT(9, state, INT) NEXT(10, stats, INT)           \
    NEXT(11, turned_at, INT) NEXT(12, skew, INT) NEXT(13, version, TEXT)        \
    NEXT(14, address, TEXT) NEXT(15, days, INT, days.counted)                   \
    NEXT(16, days_until, INT, days.until) NEXT(17, days_after, INT, days.after)
#define NODE_BOOT(FIRST, NEXT)                                                              \
    FIRST(2, boot, INT) NEXT(3, turn, INT) NEXT(4, lease_until, INT) NEXT(5, key_ms, INT)   \
    NEXT(6, started_at, INT) NEXT(7, stats, INT) NEXT(8, turned_at, INT) NEXT(9, skew, INT) \
    NEXT(10, version, TEXT) NEXT(11, address, TEXT) NEXT(12, days, INT, days.counted)       \
    NEXT(13, days_until, INT, days.until) NEXT(14, days_after, INT, days.after)
#define NODE_TURN(FIRST, NEXT)                                                             \
    FIRST(3, turn, INT) NEXT(4, lease_until, INT) NEXT(5, key_ms, INT) NEXT(6, event, INT) \
    NEXT(7, turned_at, INT) NEXT(8, skew, INT)

#define NAMESPACE_COLUMNS(FIRST, NEXT)                                \
    FIRST(1, id, INT) NEXT(2, name, TEXT) NEXT(3, settings, OPTIONAL) \
    NEXT(4, created_at, INT)
#define QUEUE_COLUMNS(FIRST, NEXT)                                        \
    FIRST(1, id, INT) NEXT(2, name, TEXT) NEXT(3, paused, INT, is_paused) \
    NEXT(4, most, INT) NEXT(5, polled_at, INT)
#define GATE_COLUMNS(FIRST, NEXT)                                                 \
    FIRST(1, id, INT) NEXT(2, most, INT) NEXT(3, open, INT) NEXT(4, waiting, INT)
#define CALENDAR_COLUMNS(FIRST, NEXT)                                                       \
    FIRST(1, version, INT) NEXT(2, name, TEXT) NEXT(3, days, BLOB) NEXT(4, updated_at, INT)
#define ZONE_COLUMNS(FIRST, NEXT)                                                       \
    FIRST(1, id, INT) NEXT(2, namespace, INT) NEXT(3, name, TEXT) NEXT(4, next_at, INT)
#define REQUEST_COLUMNS(FIRST, NEXT)                                              \
    FIRST(1, namespace, INT) NEXT(2, name, TEXT) NEXT(3, print, INT, fingerprint) \
    NEXT(4, rc, INT) NEXT(5, reply, TEXT) NEXT(6, expire_at, INT)

/* clang-format on */
