/* SPDX-License-Identifier: Apache-2.0 */
/* The handlers of browsers' sessions, for the table of operations: see api/native/native.h. */
#pragma once

#include "api/call/operation.h"

call_fn session_create_begin, session_create_settled, session_get_begin, session_delete_begin,
    session_delete_settled;
