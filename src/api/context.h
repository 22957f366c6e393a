/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What operations know of the server that they run in, and what they may ask of it.
 *
 * Filled in by the server, one for each thread; the operations themselves know no sockets,
 * threads or clocks.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "base/err.h"
#include "core/policies.h"
#include "core/spec.h"

struct openapi;
struct memo;

struct api_context {
    struct zone_source zones;
    struct str default_timezone;
    struct policies policies; /* of a schedule that says nothing */
    span min_interval; /* two slots of a schedule are not nearer; 0: as near as they like */
    int64_t plan_warn_per_day; /* more slots a day are warned of; 0: never */
    const char *version;
    const struct openapi *openapi; /* what /openapi.json answers */
    struct memo *memo;             /* of the thread, api/memo.h; NULL: it remembers nothing */
    /* Whether the namespace has it; an empty name: one for workflows that name none. */
    bool (*has_upstream)(void *with, struct str namespace, struct str upstream);
    /* Schedules that the namespace may have; 0: any number. */
    int64_t (*quota_schedules)(void *with, struct str namespace);
    /* A number that nobody can foresee, for ids that are made. */
    uint64_t (*random)(void *with);
    /* NULL: the daemon may be used; else why it may not yet, or no longer. */
    const char *(*not_ready)(void *with);
    /* What a namespace may set, as JSON; errors name the field. */
    enum rc (*check_settings)(void *with, struct str json, struct arena *arena,
                              struct err *reterr);
    /* As it may be shown: without secrets. */
    struct str (*show_settings)(void *with, struct str json, struct arena *arena);
    void *with;
};
