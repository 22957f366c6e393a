/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Builds requests of Temporal's API for tests.
 */
#pragma once

#include "world.h"

#include "api/temporal/temporal_codec.h"
#include "wire/grpc/grpc.h"

#define SERVICE "/temporal.api.workflowservice.v1.WorkflowService/"

/* A valid request; a test may make it invalid. */
struct asked {
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
static struct asked asked;

static inline char *word(const char *text)
{
    return (char *)(uintptr_t)text;
}

static inline void reset(const char *id)
{
    temporal__create_schedule_request__init(&asked.create);
    temporal__schedule__init(&asked.schedule);
    temporal__schedule_spec__init(&asked.spec);
    temporal__schedule_action__init(&asked.action);
    temporal__new_workflow_execution_info__init(&asked.workflow);
    temporal__workflow_type__init(&asked.type);
    temporal__task_queue__init(&asked.queue);
    temporal__schedule_policies__init(&asked.policies);
    temporal__schedule_state__init(&asked.state);
    temporal__schedule_patch__init(&asked.patch);
    asked.create.namespace_ = word("default");
    asked.create.schedule_id = word(id);
    asked.create.request_id = word("request");
    asked.create.schedule = &asked.schedule;
    asked.schedule.spec = &asked.spec;
    asked.schedule.action = &asked.action;
    asked.schedule.policies = &asked.policies;
    asked.schedule.state = &asked.state;
    asked.action.action_case = TEMPORAL__SCHEDULE_ACTION__ACTION_START_WORKFLOW;
    asked.action.start_workflow = &asked.workflow;
    asked.workflow.workflow_id = word("base");
    asked.workflow.workflow_type = &asked.type;
    asked.workflow.task_queue = &asked.queue;
    asked.type.name = word("report");
    asked.queue.name = word("reports");
    asked.cron[0] = word("0 12 * * *");
    asked.spec.cron_string = asked.cron;
    asked.spec.n_cron_string = 1;
}

static inline int say(const char *method, const ProtobufCMessage *message)
{
    static char room[1 << 20];
    size_t len = protobuf_c_message_pack(message, (uint8_t *)room);

    return ask_rpc(js(SERVICE "%s", method), (struct str){room, len});
}

static inline int create(void)
{
    return say("CreateSchedule", &asked.create.base);
}

/* The answer, valid until the next request. */
static inline void *answer(const ProtobufCMessageDescriptor *type)
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

    request.namespace_ = word("default");
    request.schedule_id = word(id);
    assert_int_equal(say("DescribeSchedule", &request.base), 200);
    return answer(&temporal__describe_schedule_response__descriptor);
}

static inline int patch(const char *id)
{
    Temporal__PatchScheduleRequest request = TEMPORAL__PATCH_SCHEDULE_REQUEST__INIT;

    request.namespace_ = word("default");
    request.schedule_id = word(id);
    request.patch = &asked.patch;
    return say("PatchSchedule", &request.base);
}

static inline int update(const char *id, ProtobufCBinaryData token)
{
    Temporal__UpdateScheduleRequest request = TEMPORAL__UPDATE_SCHEDULE_REQUEST__INIT;

    request.namespace_ = word("default");
    request.schedule_id = word(id);
    request.schedule = &asked.schedule;
    request.conflict_token = token;
    return say("UpdateSchedule", &request.base);
}

static inline void assert_words(int status, const char *grpc, const char *words)
{
    assert_int_equal(world.call.status, status);
    assert_string_equal(field("grpc-status"), grpc);
    if (!strstr(field("grpc-message"), words))
        fail_msg("%s\nbut not\n%s", field("grpc-message"), words);
}
