/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The handlers of the operations on slots and load of many schedules, for the table of
 * operations.
 */
#pragma once

#include "api/call/operation.h"

enum {
    TIMELINE_IDS_MAX = 100,        /* in parameter `schedule`                    */
    TIMELINE_SCHEDULES_MAX = 5000, /* of one page                                */
    TIMELINE_SLOTS_DEFAULT = 50,   /* of a schedule, before they become buckets  */
    TIMELINE_SLOTS_MAX = 1000,
    TIMELINE_SERIES_MAX = 32, /* of planned slots of a schedule; more are counted by bucket */
};

/* timeline_slots.c */
call_fn timeline_slots_begin;
call_read_fn timeline_slots_read;

/* timeline_load.c */
call_fn timeline_load_begin;
call_read_fn timeline_load_read;
