/* SPDX-License-Identifier: Apache-2.0 */
/*
 * How patient an errand is with an upstream that runs its workflow.
 */
#pragma once

#include "base/instant.h"

struct flow_limits {
    span retry_first, retry_most; /* pauses after a failure, each twice the one before        */
    span poll_first, poll_most;   /* pauses between looks at a workflow, likewise             */
    span patience;                /* of failures in a row, with starting as with looking      */
    span end_patience;            /* of failures to end a workflow that should not go on      */
    span request;                 /* of one request, from its beginning to its end            */
    span long_poll;               /* of one that is answered when something has happened      */
    span taken;                   /* for the workflow of a run that was ended to be gone      */
    span connect;
};

extern const struct flow_limits flow_usual;
