/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handlers of Temporal's API, for the table of operations, and their shared functions.
 *
 * They use the same commands and views as the native API.  Requests and answers are messages of
 * proto/temporal.proto; every answer has the frame that gRPC requires.
 */
#pragma once

#include "api/call/error_reply.h"
#include "api/call/operation.h"
#include "wire/grpc/proto.h"

#define TEMPORAL_SERVICE          "temporal.api.workflowservice.v1.WorkflowService"
#define TEMPORAL_OPERATOR         "temporal.api.operatorservice.v1.OperatorService"
#define TEMPORAL_NAMESPACE_HEADER "temporal-namespace"

/* temporal_request.c */

/* Reads the namespace of the request: a field of every message that concerns one. */
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
call_fn temporal_system_begin, temporal_cluster_begin, temporal_health_begin,
    temporal_space_begin, temporal_spaces_begin, temporal_attributes_begin;
call_read_fn temporal_space_read, temporal_spaces_read;

enum {
    TEMPORAL_MESSAGE_MAX = 4 << 20, /* bytes of a message: the default limit of gRPC     */
    TEMPORAL_BLOB_MAX = 2 << 20,    /* of the payloads of a schedule, as in Temporal     */
    TEMPORAL_ID_MAX = 1000,         /* bytes of an id with what Temporal adds to it      */
    TEMPORAL_ID_PREFIX = 23,        /* what it puts before the id of a schedule          */
    TEMPORAL_ID_SUFFIX = 21,        /* the time that it appends to the id of a workflow  */
};

/* temporal_rpcs.c: the methods that an upstream answers */

extern const struct operation temporal_rpcs[];
extern const int temporal_rpc_count;

/* NULL if the request is none of them. */
const struct operation *temporal_rpc(const struct http1_request *request);

/* temporal_commands.c */

/* Whether all commands of a completed workflow task concern the namespace `home`. */
bool temporal_commands_stay(struct str message, struct str home);

/* temporal_schedules.c */
call_fn temporal_create_begin, temporal_create_settled, temporal_update_begin,
    temporal_update_settled;
call_read_fn temporal_create_read, temporal_update_read;

/* temporal_patch.c */
call_fn temporal_patch_begin, temporal_delete_begin, temporal_change_settled;
call_read_fn temporal_change_read;

/* temporal_describe.c */
call_fn temporal_describe_begin, temporal_times_begin;
call_read_fn temporal_describe_read, temporal_times_read;

/* temporal_list.c */
call_fn temporal_list_begin, temporal_count_begin;
call_read_fn temporal_list_read, temporal_count_read;
