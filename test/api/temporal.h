/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds requests of Temporal's API for tests.
 */
#pragma once

#include "world.h"

#include "model/temporal_codec.h"
#include "wire/grpc/grpc.h"

#define SERVICE "/temporal.api.workflowservice.v1.WorkflowService/"

/* The parts of the request that a test sends; make_request() fills them. */
struct request_parts {
    Temporal__CreateScheduleRequest create;
    Temporal__Schedule schedule;
    Temporal__ScheduleSpec spec;
    Temporal__ScheduleAction action;
    Temporal__NewWorkflowExecutionInfo workflow;
    Temporal__WorkflowType type;
    Temporal__TaskQueue queue;
    Temporal__SchedulePolicies policies;
    Temporal__ScheduleState state;
    Temporal__SchedulePatch patch;
    char *cron[1];
};
static struct request_parts sent;

/* protobuf-c declares texts as char *, but does not write to them. */
static inline char *proto_text(const char *text)
{
    return (char *)(uintptr_t)text;
}

/* Makes `sent` a valid request, which a test may change. */
static inline void make_request(const char *id)
{
    temporal__create_schedule_request__init(&sent.create);
    temporal__schedule__init(&sent.schedule);
    temporal__schedule_spec__init(&sent.spec);
    temporal__schedule_action__init(&sent.action);
    temporal__new_workflow_execution_info__init(&sent.workflow);
    temporal__workflow_type__init(&sent.type);
    temporal__task_queue__init(&sent.queue);
    temporal__schedule_policies__init(&sent.policies);
    temporal__schedule_state__init(&sent.state);
    temporal__schedule_patch__init(&sent.patch);
    sent.create.namespace_ = proto_text("default");
    sent.create.schedule_id = proto_text(id);
    sent.create.request_id = proto_text("request");
    sent.create.schedule = &sent.schedule;
    sent.schedule.spec = &sent.spec;
    sent.schedule.action = &sent.action;
    sent.schedule.policies = &sent.policies;
    sent.schedule.state = &sent.state;
    sent.action.action_case = TEMPORAL__SCHEDULE_ACTION__ACTION_START_WORKFLOW;
    sent.action.start_workflow = &sent.workflow;
    sent.workflow.workflow_id = proto_text("base");
    sent.workflow.workflow_type = &sent.type;
    sent.workflow.task_queue = &sent.queue;
    sent.type.name = proto_text("report");
    sent.queue.name = proto_text("reports");
    sent.cron[0] = proto_text("0 12 * * *");
    sent.spec.cron_string = sent.cron;
    sent.spec.n_cron_string = 1;
}

static inline int call_method(const char *method, const ProtobufCMessage *message)
{
    static char room[1 << 20];
    size_t len = protobuf_c_message_pack(message, (uint8_t *)room);

    return ask_rpc(js(SERVICE "%s", method), (struct str){room, len});
}

static inline int create(void)
{
    return call_method("CreateSchedule", &sent.create.base);
}

/* The answer, valid until the next request. */
static inline void *unpack_answer(const ProtobufCMessageDescriptor *type)
{
    ProtobufCMessage *message;
    struct err err;

    assert_int_equal(proto_unpack(type, str_from(world.call.answer, GRPC_PREFIX), world.arena,
                                  &message, &err),
                     RC_OK);
    return message;
}

static inline Temporal__DescribeScheduleResponse *described(const char *id)
{
    Temporal__DescribeScheduleRequest request = TEMPORAL__DESCRIBE_SCHEDULE_REQUEST__INIT;

    request.namespace_ = proto_text("default");
    request.schedule_id = proto_text(id);
    assert_int_equal(call_method("DescribeSchedule", &request.base), 200);
    return unpack_answer(&temporal__describe_schedule_response__descriptor);
}

static inline int patch(const char *id)
{
    Temporal__PatchScheduleRequest request = TEMPORAL__PATCH_SCHEDULE_REQUEST__INIT;

    request.namespace_ = proto_text("default");
    request.schedule_id = proto_text(id);
    request.patch = &sent.patch;
    return call_method("PatchSchedule", &request.base);
}

static inline int update(const char *id, ProtobufCBinaryData token)
{
    Temporal__UpdateScheduleRequest request = TEMPORAL__UPDATE_SCHEDULE_REQUEST__INIT;

    request.namespace_ = proto_text("default");
    request.schedule_id = proto_text(id);
    request.schedule = &sent.schedule;
    request.conflict_token = token;
    return call_method("UpdateSchedule", &request.base);
}

static inline void assert_grpc_error(int status, const char *grpc, const char *words)
{
    assert_int_equal(world.call.status, status);
    assert_string_equal(field("grpc-status"), grpc);
    if (!strstr(field("grpc-message"), words))
        fail_msg("%s\nbut not\n%s", field("grpc-message"), words);
}
