/* SPDX-License-Identifier: Apache-2.0 */
/* One run of wrk(1), and its results. */
#pragma once

#include <stdint.h>

struct wrk {
    const char *script; /* a file of bench/api */
    int connections, seconds;
    uint16_t port;
    const char *path;
    const char *argument; /* for the script; NULL: none */
};

struct wrk_result {
    double per_s; /* answers */
    double p50_us, p99_us;
    int64_t bad; /* answers with another status, and errors */
};

/* `dir` contains the scripts. */
struct wrk_result wrk_run(const struct wrk *wrk, const char *dir);
