/* SPDX-License-Identifier: Apache-2.0 */
/* The handlers of POST /what-if, for the table of operations: see api/native/native.h. */
#pragma once

#include "api/call/operation.h"

call_fn what_if_begin;
call_read_fn what_if_read;
