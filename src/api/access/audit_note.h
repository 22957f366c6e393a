/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What the audit is told of a call.
 */
#pragma once

#include "api/call/call.h"

/* Who, what, where and from where; the result is that of a call that was denied. */
struct audit_entry audit_note(const struct call *call);

/* What commands and reports have of their call, the audit too: before they go to the engine. */
void call_complete(struct call *call);
