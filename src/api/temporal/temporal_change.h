/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What Temporal's calls that name a schedule have in common.
 */
#pragma once

#include "api/schedules/view.h"
#include "api/temporal/temporal.h"
#include "api/temporal/temporal_draft.h"

/* The id into params[0].  False: it cannot be one, with *ret_step. */
bool temporal_take_id(struct call *call, const char *id, enum call_step *ret_step);

/* A request's id, of at most TEMPORAL_REQUEST_MAX bytes; where it is required, not empty. */
bool temporal_check_request(struct call *call, const char *id, bool is_required,
                            enum call_step *ret_step);

/*
 * The same request again is done once: a key for each command of the call, which are numbered
 * from `first` on.  An empty id: none.
 */
void temporal_take_request(struct call *call, const char *id, int first);

/* Only schedules that were made here, and not closed ones; RC_NOT_FOUND. */
bool temporal_sees(const struct schedule_view *view);
MUST_USE enum rc temporal_find(const struct call *call, struct db *db,
                               struct schedule_view *ret, struct err *reterr);

/* What could not be read: not there, or the database. */
enum call_step temporal_failed(struct call *call, const struct err *err);

/* What the engine refused. */
enum call_step temporal_refused(struct call *call, int command);

/* How trigger and backfills of a patch ask for runs, in the arena; ranges without end are */
/* left out.  RC_INVALID.                                                                  */
MUST_USE enum rc temporal_ranges(struct call *call, const Temporal__SchedulePatch *patch,
                                 struct command *to, struct err *reterr);
MUST_USE enum rc temporal_trigger(const Temporal__SchedulePatch *patch, struct command *to,
                                  struct err *reterr);
MUST_USE enum rc temporal_check_notes(const Temporal__SchedulePatch *patch, struct err *reterr);

/* The version of a schedule as clients hold it. */
ProtobufCBinaryData temporal_token(int64_t version, struct arena *arena);
/* 0: none, for whatever version there is; -1: it is none of ours. */
int64_t temporal_token_version(ProtobufCBinaryData token);
