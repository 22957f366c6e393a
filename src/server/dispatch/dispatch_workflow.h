/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Time limits for an upstream that runs a workflow.
 */
#pragma once

#include "base/instant.h"

struct flow_limits {
    span retry_first, retry_max; /* pauses after a failure; each doubles                    */
    span poll_first, poll_max;   /* pauses between polls; each doubles                      */
    span patience;               /* maximum time until a start is confirmed                 */
    span follow_patience;        /* maximum time of consecutive failures to follow          */
    span settle, settle_slow;    /* from a lost answer to a lookup that can prove absence   */
    span end_patience;           /* maximum time of consecutive failures to end a workflow  */
    span request;                /* maximum time of a request                               */
    span long_poll;              /* maximum time of a request that waits for an event       */
    span id_wait;                /* maximum wait for another run to free the workflow id    */
    span connect;
    span later; /* from the end of a start in doubt to the next lookup; doubles */
};

extern const struct flow_limits flow_limits_default;
