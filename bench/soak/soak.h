/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the files of the soak: its parameters, and the counters of the crowd. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/instant.h"

enum {
    SOAK_RATE_MAX = 20000, /* schedules of one second each, so starts per second */
    SOAK_SECONDS_MAX = 24 * 60 * 60,
    SOAK_WORKERS = 2,
    SOAK_LATE_MS = 60000,  /* later ones count as this late */
    SOAK_HTTP_ONE_IN = 10, /* one in this many schedules calls a URL, the others have workers */
    SOAK_PATH_MAX = 512,
};

#define SOAK_QUEUE "soak"

/* Observations of one process around the server, in memory shared with its parent. */
struct tally {
    _Atomic uint64_t begun, done;
    _Atomic uint64_t late[SOAK_LATE_MS + 1]; /* begun, by milliseconds after the slot */
};

struct soak {
    const char *program;
    char dir[SOAK_PATH_MAX];
    const char *db; /* its URL; NULL: a file of SQLite in `dir` */
    int rate, seconds;
    uint16_t port, receiver_port;
    instant start, end;                     /* slots are at or after `start` and before `end` */
    struct tally tallies[1 + SOAK_WORKERS]; /* the receiver, then the workers */
};

#define DIE(...)                      \
    do {                              \
        fprintf(stderr, __VA_ARGS__); \
        fputc('\n', stderr);          \
        exit(EXIT_FAILURE);           \
    } while (0)
