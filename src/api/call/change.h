/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What operations that change one schedule have in common: the schedule that the path names,
 * If-Match, Idempotency-Key and a body whose members a table tells.
 */
#pragma once

#include "api/call/call.h"
#include "model/schedule_json.h"

/* The one command of a call, for the schedule that params[0] names. */
struct command *change_command(struct call *call, enum command_kind kind);

/*
 * Reads all of the request into the call's commands and *body, which has its initial values;
 * a body may be left out.  False: it was refused, with *ret_step.
 */
bool change_begin(struct call *call, const struct members *members, void *body,
                  enum call_step *ret_step);

/* Refuses a member of the body, or a parameter. */
enum call_step change_refuse(struct call *call, const char *field, const char *why);

/* A text as a path or a query of a URL takes it. */
struct str change_escaped(struct str text, struct arena *arena);

/* Location: a path whose last segment is escaped as a URL wants it. */
void change_location(struct call *call, const char *path, struct str last);

/* 202 with the run that was asked for, once the engine has said so. */
enum call_step change_run_settled(struct call *call);

/* An error of the i-th of the items, kept for the answer. */
const struct err *change_item_err(const struct call *call, int i, const struct err *err);

/* The id that an item tells though it is wrong; empty: none. */
struct str change_item_id(const struct call *call, const json_t *item);

/* The code of an error whose path begins with an item, `items[3].spec`: by what follows. */
const char *change_item_code(const struct err *err);
