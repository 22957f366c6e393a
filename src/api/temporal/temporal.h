/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handlers of Temporal's API, for the table of operations, and their shared functions.
 *
 * A codec over the same commands and views as the native API.  Requests and answers are
 * messages of proto/temporal.proto; every answer has the frame that gRPC requires.
 */
#pragma once

#include "api/call/call.h"
#include "api/call/error_reply.h"
#include "wire/grpc/proto.h"

#define TEMPORAL_SERVICE "temporal.api.workflowservice.v1.WorkflowService"

struct db;

/* temporal_request.c */

/* Reads the namespace of the request: field 1 of every message that has one. */
MUST_USE enum rc temporal_namespace(struct call *call, struct err *reterr);

/* Unpacks the body as a message of `type`.  False: the request is refused; see *ret_step. */
bool temporal_read(struct call *call, const ProtobufCMessageDescriptor *type, void *ret,
                   enum call_step *ret_step);

/* Each sets the answer and returns CALL_ANSWER. */
enum call_step temporal_answer(struct call *call, const ProtobufCMessage *message);
enum call_step temporal_answer_packed(struct call *call, struct str message);
enum call_step temporal_answer_empty(struct call *call);

/* temporal_error.c */

/* Header fields carry status and message; there is no body. */
error_reply_fn temporal_error_reply;

/* Refusals with a detail message, by which clients recognize them. */
enum call_step temporal_no_namespace(struct call *call);
enum call_step temporal_no_schedule(struct call *call);
enum call_step temporal_schedule_exists(struct call *call);

/* temporal_server.c */
enum call_step temporal_system_begin(struct call *call);
enum call_step temporal_cluster_begin(struct call *call);
enum call_step temporal_health_begin(struct call *call);
enum call_step temporal_space_begin(struct call *call);
enum call_step temporal_space_read(struct call *call, struct db *db);

/* temporal_schedules.c */
enum call_step temporal_create_begin(struct call *call);
enum call_step temporal_create_read(struct call *call, struct db *db);
enum call_step temporal_create_settled(struct call *call);
enum call_step temporal_update_begin(struct call *call);
enum call_step temporal_update_read(struct call *call, struct db *db);
enum call_step temporal_update_settled(struct call *call);

/* temporal_patch.c */
enum call_step temporal_patch_begin(struct call *call);
enum call_step temporal_delete_begin(struct call *call);
enum call_step temporal_change_read(struct call *call, struct db *db);
enum call_step temporal_change_settled(struct call *call);

/* temporal_describe.c */
enum call_step temporal_describe_begin(struct call *call);
enum call_step temporal_describe_read(struct call *call, struct db *db);
enum call_step temporal_times_begin(struct call *call);
enum call_step temporal_times_read(struct call *call, struct db *db);

/* temporal_list.c */
enum call_step temporal_list_begin(struct call *call);
enum call_step temporal_list_read(struct call *call, struct db *db);
enum call_step temporal_count_begin(struct call *call);
enum call_step temporal_count_read(struct call *call, struct db *db);
