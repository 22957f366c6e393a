/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Helpers for operations that change one schedule: the schedule named by the path, If-Match,
 * Idempotency-Key, and a body that a table of members describes.
 */
#pragma once

#include "api/call/call.h"
#include "model/schedule_json.h"

/* Makes the only command of a call, for the schedule that params[0] names. */
struct command *change_command(struct call *call, enum command_kind kind);

/* A begin() for the operation's command, which needs nothing but the schedule's name. */
enum call_step change_named_begin(struct call *call);

/*
 * Reads the request into the call's commands and *body, which the caller has set to defaults.
 * The request may have no body.  Returns false with *ret_step after an error.
 */
bool change_begin(struct call *call, const struct members *members, void *body,
                  enum call_step *ret_step);

/* Answers 400 for a member of the body or a parameter. */
enum call_step change_refuse(struct call *call, const char *field, const char *why);

/* Percent-encodes a text for a path or a query of a URL. */
struct str change_escaped(struct str text, struct arena *arena);

/* Adds the header field Location: `path` followed by `last`, percent-encoded. */
void change_location(struct call *call, const char *path, struct str last);

/* settled() of a command: answers its error; else reads the object, or answers 204. */
enum call_step change_read_settled(struct call *call);
enum call_step change_empty_settled(struct call *call);

/* Answers 202 with the requested run after the engine has accepted it. */
enum call_step change_run_settled(struct call *call);

/* Copies an error of item i into the call's arena, for the answer. */
const struct err *change_item_err(const struct call *call, int i, const struct err *err);

/* The id of an item, even if the rest of the item is invalid; empty: it has none. */
struct str change_item_id(const struct call *call, const json_t *item);

/* As call_code(), for an error in an item: for `items[3].spec` the code of `spec`. */
const char *change_item_code(const struct err *err);
