/* SPDX-License-Identifier: Apache-2.0 */
/* The columns of a schedule with its cursor, as schedule_views_read() expects them. */
#pragma once

enum { SCHEDULE_COLUMNS = 21 }; /* of table schedules; the cursor's columns follow */

#define SCHEDULE                                                                             \
    "s.id, s.namespace, s.version, s.deleted_at, s.packed, s.action, s.name, s.spec,"        \
    " s.policies, s.governor, s.labels, s.extra, s.description, s.dialect, s.reason,"        \
    " s.created_at, s.created_by, s.updated_at, s.updated_by, s.hint_reason,"                \
    " s.edited_at, c.id, c.wake_at,"                                                         \
    " c.mark, c.next_at, c.version, c.bits, c.paused_until, c.open, c.waiting, c.failures,"  \
    " c.remaining, c.pass, c.backfills, c.last_slot, c.last_start, c.last_end, c.active_at," \
    " c.hint_interval, c.hint_at, c.hint_expires, c.started, c.skipped, c.missed,"           \
    " c.dropped, c.cancelled, c.succeeded, c.failed, c.last_held"

#define SCHEDULE_FROM " FROM schedules AS s JOIN cursors AS c ON c.id = s.id WHERE "
