/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the catalogue of the node while nothing changes it.
 */
#pragma once

#include "api/call/call.h"
#include "api/catalogue/catalogue.h"

#define CATALOGUE_STALE SPAN_S /* an older answer says that it is stale */

struct catalogue_visit {
    /* Must neither wait nor keep pointers; called at most once. */
    void (*look)(void *arg, const struct catalogue *catalogue);
    void *arg;
    /* Set by the owner of the catalogue. */
    bool is_loaded; /* false: look() was not called, and only `loaded` is set */
    int64_t loaded; /* schedules that have been read                          */
    instant as_of;  /* it has every change until then                         */
};

/* False with *ret_step: the catalogue is off or loading, or the budget is used up. */
bool catalogue_visit(struct call *call, struct catalogue_visit *visit,
                     enum call_step *ret_step);
