/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handlers of the operations about a namespace as a whole and about time zones, for the
 * table of operations.
 */
#pragma once

#include "api/call/operation.h"

/* overview.c */
call_fn overview_begin;
call_read_fn overview_read;

/* clock_changes.c */
call_fn clock_changes_begin;
call_read_fn clock_changes_read;

/* ledger_balance.c */
call_fn ledger_balance_begin;
call_read_fn ledger_balance_read;

/* zone_list.c */
call_fn zone_list_begin;
call_read_fn zone_list_read;
