/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The audit entry of a call.
 */
#pragma once

#include "api/call/call.h"

/* The caller, operation, object, namespace and client address; the result is call->denied. */
struct audit_entry audit_note(const struct call *call);

/*
 * Completes the commands and reports of a call.  Call it before they go to the engine.  Sets
 * the namespace of each; for each command also the caller, the quota and the audit entry.
 */
void call_complete(struct call *call);
