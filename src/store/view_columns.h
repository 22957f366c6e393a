/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of a schedule with its cursor, as schedule_views_read() expects them. */
#pragma once

#include "store/columns.h"
#include "store/tables.h"

#define NAME_S(n, column, ...)      "s." #column
#define NEXT_NAME_S(n, column, ...) ", s." #column
#define NEXT_NAME_C(n, column, ...) ", c." #column

#define SCHEDULE                          \
    SCHEDULE_COLUMNS(NAME_S, NEXT_NAME_S) \
    CURSOR_COLUMNS(NEXT_NAME_C, NEXT_NAME_C)

#define SCHEDULE_FROM " FROM schedules AS s JOIN cursors AS c ON c.id = s.id WHERE "
