/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The options of `belfry worker`, as indices into its table.  For the worker's files.
 */
#pragma once

#include "cli/worker/worker_parts.h"

enum {
    OPT_QUEUE,
    OPT_CONCURRENCY,
    OPT_SERVER,
    OPT_NAMESPACE,
    OPT_TOKEN,
    OPT_CACERT,
    OPT_NAME,
    OPT_FIELDS,
    OPT_ONCE,
    OPT_DRAIN,
    OPT_KILL_AFTER,
    OPT_QUIET,
    OPT_HELP_FLAG,
    OPT_COUNT
};
