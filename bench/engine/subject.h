/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two subjects of this benchmark: the bare loop and the engine, with the same schedules at
 * the same virtual times.
 *
 * A subject creates its tables and schedules; then it is opened and fires.  A fire covers a
 * slot from due to its row of history.  Time is virtual; each turn finds about BATCH due
 * schedules.  Any failure ends the process.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/instant.h"

enum { BATCH = 1000 }; /* maximum due schedules of a turn */

/* 2026-01-01T00:00:00Z: every schedule is created then, and first due within a minute. */
#define EPOCH INT64_C(1767225600000000)

enum spread { ON_THE_MINUTE, AT_RANDOM, SPREAD_COUNT };

/* A number of schedules, each due once a minute. */
struct load {
    const char *url;
    enum spread spread;
    int64_t schedules; /* whole batches */
};

struct subject {
    void (*make)(const struct load *load);
    void *(*open)(const struct load *load);
    int64_t (*fire)(void *subject, int64_t count); /* at least `count`; returns how many */
    void (*close)(void *subject);                  /* after the last run has ended       */
};

extern const struct subject subject_bare;
extern const struct subject subject_engine;

/*
 * Maximum due schedules per turn: not all of them, so that no schedule is due again in the turn
 * in which its run ends.  One update would then do the work of two, which a real load rarely
 * allows.
 */
static inline int load_batch(const struct load *load)
{
    return load->schedules < 2 * BATCH ? (int)load->schedules / 2 : BATCH;
}

/* When a schedule is due, from the start of the minute: 1 ms to 60 s, whole milliseconds. */
static inline span load_phase(const struct load *load, int64_t index)
{
    if (load->spread == ON_THE_MINUTE)
        return SPAN_MIN;
    return (span)(1 + hash_u64((uint64_t)index) % (SPAN_MIN / SPAN_MS)) * SPAN_MS;
}

/* The time of the turn after `turns` turns and `started` starts. */
static inline instant load_now(const struct load *load, int64_t turns, int64_t started)
{
    if (load->spread == ON_THE_MINUTE)
        return EPOCH + SPAN_MIN * (1 + started / load->schedules);
    return EPOCH + SPAN_MIN * load_batch(load) / load->schedules * (turns + 1);
}

#define DIE(...)                      \
    do {                              \
        fprintf(stderr, __VA_ARGS__); \
        fputc('\n', stderr);          \
        exit(EXIT_FAILURE);           \
    } while (0)
