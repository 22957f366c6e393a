/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What has happened to a schedule since its days were last counted.
 */
#pragma once

#include "api/call/call.h"
#include "store/days.h"

/*
 * Runs the statements that are queued, and calls query->add for each sample of the schedule
 * that is not counted yet.  If there are more than DAYS_SCAN, *ret_as_of becomes the time up
 * to which they were read; otherwise it is unchanged.
 */
struct uncounted {
    int64_t schedule;
    void (*add)(void *arg, const struct day_sample *sample);
    void *arg;
};
MUST_USE enum rc uncounted_read(const struct call *call, struct db *db,
                                const struct uncounted *query, instant *ret_as_of,
                                struct err *reterr);
