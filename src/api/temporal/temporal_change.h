/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared functions of Temporal's calls that name a schedule.
 */
#pragma once

#include "api/schedules/view.h"
#include "api/temporal/temporal.h"
#include "api/temporal/temporal_draft.h"

/* Stores the schedule id in params[0].  False: the id is invalid; see *ret_step. */
bool temporal_read_id(struct call *call, const char *id, enum call_step *ret_step);

/* Checks a request id: at most TEMPORAL_REQUEST_MAX bytes, and not empty if required. */
bool temporal_check_request(struct call *call, const char *id, bool is_required,
                            enum call_step *ret_step);

/*
 * Gives each command of the call an idempotency key, so that a repeated request is executed
 * once.  The commands are numbered from `first`.  An empty id gives no keys.
 */
void temporal_key_commands(struct call *call, const char *id, int first);

/*
 * Temporal's clients see only schedules that were created with this API and are not closed;
 * temporal_find() returns RC_NOT_FOUND for the others.
 */
bool temporal_is_visible(const struct schedule_view *view);
MUST_USE enum rc temporal_find(const struct call *call, struct db *db,
                               struct schedule_view *ret, struct err *reterr);

/* Answers a failed read: the schedule does not exist, or the database failed. */
enum call_step temporal_failed(struct call *call, const struct err *err);

/* Answers a command that the engine refused. */
enum call_step temporal_refused(struct call *call, int command);

/*
 * Read the backfills and the trigger of a patch into a command; what it points to is in the
 * arena.  Empty ranges are left out.  RC_INVALID: a backfill without end_time, or an invalid
 * overlap policy.
 */
MUST_USE enum rc temporal_read_ranges(struct call *call, const Temporal__SchedulePatch *patch,
                                      struct backfill_args *to, struct err *reterr);
void temporal_read_trigger(const Temporal__SchedulePatch *patch, struct start_args *to);
MUST_USE enum rc temporal_check_notes(const Temporal__SchedulePatch *patch, struct err *reterr);
/* The same for the note in the state of a schedule. */
MUST_USE enum rc temporal_check_state(const Temporal__Schedule *schedule, struct err *reterr);

/* The version of a schedule as the conflict token that clients hold. */
ProtobufCBinaryData temporal_token(int64_t version, struct arena *arena);
/* 0: no token, any version matches; -1: not a token of this server. */
int64_t temporal_token_version(ProtobufCBinaryData token);
