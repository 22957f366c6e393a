/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The audit entry of a call.
 */
#pragma once

#include "api/call/call.h"

/* The caller, operation, object, namespace and client address; the result is call->denied. */
struct audit_entry audit_note(const struct call *call);

/*
 * Sets the namespace of all reports, and of all commands also the caller, the quota and the
 * audit entry.  To be called before they go to the engine.
 */
void call_complete(struct call *call);
