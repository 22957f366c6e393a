/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts parts of Temporal's messages to and from values of the model.  Pure; all results
 * are in the arena.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "core/policy/overlap.h"
#include "model/action.h"
#include "model/temporal_spec.h"
#include "wire/grpc/proto.h"
#include "wire/json/json.h"
#include "wire/temporal.pb-c.h"

/* A copy for a message; protobuf-c does not write to it. */
char *temporal_text(struct str text, struct arena *arena);

/* Times out of range become the earliest or the latest in range. */
instant temporal_instant(const Temporal__Timestamp *time);
span temporal_span(const Temporal__Duration *duration);
Temporal__Timestamp *temporal_timestamp(instant t, struct arena *arena);
Temporal__Duration *temporal_duration(span s, struct arena *arena);

/* 0 gives OVERLAP_DEFAULT; errors name the field "overlapPolicy". */
bool temporal_overlap_is_known(int32_t policy);
/* Of a number that Temporal does not define: skip.  Temporal accepts it and never waits. */
enum overlap temporal_overlap(int32_t policy);
int32_t temporal_overlap_number(enum overlap overlap);

/* Checks counts only; temporal_canonical() checks the rest.  NULL is an empty spec. */
MUST_USE enum rc temporal_spec_of(const Temporal__ScheduleSpec *message, struct arena *arena,
                                  struct temporal_spec *ret, struct err *reterr);

/* The same from JSON, canonical; errors name the field as in JSON. */
MUST_USE enum rc temporal_spec_from_json(const json_t *json, struct arena *arena,
                                         struct temporal_spec *ret, struct err *reterr);

/* The same, converted for the core. */
MUST_USE enum rc temporal_def_from_json(const json_t *json, struct arena *arena,
                                        struct spec_def *ret, struct err *reterr);

/* A canonical spec as clients see it: no end below its start, no step of 0. */
Temporal__ScheduleSpec *temporal_spec_message(const struct temporal_spec *spec,
                                              struct arena *arena);

/*
 * Payloads as JSON, {"payloads":[{"metadata":{"encoding":"…"},"data":"…"}]} with bytes in
 * base64, as in protobuf's JSON; NULL or none: an empty object.  The caller owns the result.
 */
json_t *temporal_payloads_json(const Temporal__Payloads *payloads, struct arena *arena);
/* The reverse; NULL: no payloads. */
Temporal__Payloads *temporal_payloads_of(const json_t *json, struct arena *arena);

/* The same for a header, a memo or search attributes: {"name": payload}. */
json_t *temporal_fields_json(const Temporal__Fields *fields, struct arena *arena);
Temporal__Fields *temporal_fields_of(const json_t *json, struct arena *arena);

/*
 * A workflow to start, with a type and a task queue, as an action, and back.  The member
 * "temporal" of the action keeps the fields that the action cannot express.  Errors name the
 * field as seen from the action; the texts of *ret are in the arena or in the message.
 */
MUST_USE enum rc temporal_workflow_action(const Temporal__NewWorkflowExecutionInfo *w,
                                          struct arena *arena, struct action *ret,
                                          struct err *reterr);
Temporal__NewWorkflowExecutionInfo *temporal_workflow_of(const struct action *action,
                                                         struct arena *arena);
