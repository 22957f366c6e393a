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
#include "core/policy/policies.h"
#include "core/spec/spec.h"

struct openapi;
struct part_cache;
enum {
    CONTEXT_REASONS_MAX = 4, /* why a server may not be used, at a time                     */
    CONTEXT_LATEST_MAX = 10, /* schedules that are named for being late: labels are bounded */
};

/* A word for programs and a sentence for people. */
struct context_reason {
    const char *code, *text;
};

/* A schedule whose runs began late of late, and how much the latest of them. */
struct context_latest {
    int64_t schedule;
    span late;
};

/* What the program is made of; NULL: not known. */
struct context_parts {
    const char *commit, *sqlite, *libpq, *openssl;
    instant started_at;
};

struct answer;

struct api_context {
    struct zone_source zones;
    struct str default_timezone;
    struct policies policies; /* of a schedule that says nothing */
    span min_interval;    /* two slots of a schedule are not nearer; 0: as near as they like */
    span dispatch_jitter; /* over which starts without a jitter are spread; 0: they are not */
    span future_ttl; /* for how long agents are shown what they were not to run after all */
    int64_t conductor_keep; /* records of a schedule of Conductor's API; 0: as it does itself */
    bool has_no_exec;       /* runs of exec actions fail: this server runs no programs */
    int64_t plan_warn_per_day; /* more slots a day are warned of; 0: never */
    const char *version;
    const char *node;              /* the name of this one, "" until it is known */
    const struct openapi *openapi; /* what /openapi.json answers */
    struct part_cache
        *part_cache; /* of the thread, api/schedules/part_cache.h; NULL: it remembers nothing */
    struct context_parts parts;
    /* Whether the namespace has it; an empty name: one for workflows that name none. */
    bool (*has_upstream)(void *arg, struct str namespace, struct str upstream);
    /* Schedules that the namespace may have; 0: any number. */
    int64_t (*quota_schedules)(void *arg, struct str namespace);
    /* A number that nobody can foresee, for ids that are made. */
    uint64_t (*random)(void *arg);
    /* NULL: the daemon may be used; else why it may not yet, or no longer. */
    const char *(*not_ready)(void *arg);
    /* All of them, and how many; for that. */
    int (*reasons)(void *arg, struct context_reason reasons[static CONTEXT_REASONS_MAX]);
    /*
     * What the server has counted since its start, in Prometheus' format; and its latest
     * schedules, those after the last have key 0.  True: the database can be asked for more.
     */
    bool (*print_metrics)(void *arg, struct answer *out,
                          struct context_latest latest[static CONTEXT_LATEST_MAX]);
    /* Something that a schedule's owner was told, and whoever runs the server should know. */
    void (*warn)(void *arg, struct str namespace, struct str schedule, struct str text);
    /* This node starts nothing more, or goes on; it forgets that when it ends. */
    void (*halt)(void *arg, bool is_halted);
    /* What a namespace may set, as JSON; errors name the field. */
    enum rc (*check_settings)(void *arg, struct str json, struct arena *arena,
                              struct err *reterr);
    /* As it may be shown: without secrets. */
    struct str (*show_settings)(void *arg, struct str json, struct arena *arena);
    void *arg;
};

/* After a reload: what a thread has for itself it keeps. */
static inline void context_renew(struct api_context *context, const struct api_context *fresh)
{
    struct zone_source zones = context->zones;
    struct part_cache *part_cache = context->part_cache;

    *context = *fresh;
    context->zones = zones;
    context->part_cache = part_cache;
}
