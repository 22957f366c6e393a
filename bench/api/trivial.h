/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server that does nothing: Belfry's own listener, and a handler that immediately answers
 * with constant bytes for each path, or with 404.
 *
 * Its rate is the maximum for answers of that length on this machine with this client.
 */
#pragma once

#include <stdint.h>

#include "base/str.h"

struct trivial_answer {
    const char *path;
    struct str body;
};

/* A separate process that ends with this one; returns its port on 127.0.0.1. */
uint16_t trivial_start(const struct trivial_answer *answers, int count);
void trivial_end(void); /* if it runs */
