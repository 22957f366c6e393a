/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Converts between an action and the "action" object of the native JSON.
 *
 * Checks everything that can be checked offline.  Whether a host may be called or a program may
 * be started is decided when a run is dispatched.
 */
#pragma once

#include "model/action.h"

/* An action of a type with every other member at its default. */
struct action action_default(enum action_type type);

MUST_USE enum rc action_from_json(const json_t *json, struct arena *arena, bool is_lenient,
                                  struct action *ret, struct err *reterr);

/* The caller owns the result. */
json_t *action_to_json(const struct action *action, enum spec_form form);

/* The brief form as text. */
struct str action_keep(const struct action *action, struct arena *arena);
