/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The http action: a request from an action, a run's end from an answer.
 */
#include "daemon/calls_parts.h"

static void start(struct errand *errand)
{
    errand_release(errand);
}

static void stop(struct errand *errand)
{
    webhook_cancel(errand->calls->http, errand->id);
}

const struct errand_kind errand_http = {start, stop, stop};
