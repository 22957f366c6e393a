/* SPDX-License-Identifier: Apache-2.0 */
/* The handlers of the web page and its files, for the table of operations. */
#pragma once

#include "api/call/operation.h"

call_fn ui_index_begin, ui_file_begin, ui_nested_begin;
