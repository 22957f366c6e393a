/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server that does nothing: Belfry's own listener, and a handler that answers every request
 * immediately with constant bytes.
 *
 * Its rate is the maximum for answers of that length on this machine with this client.
 */
#pragma once

#include <stdint.h>

#include "base/str.h"

enum { TRIVIAL_ANSWERS_MAX = 8 };

struct trivial_answer {
    const char *path;
    struct str body;
};

/* A separate process that ends with this one; returns its port on 127.0.0.1. */
uint16_t trivial_start(const struct trivial_answer *answers, int count);
void trivial_end(void); /* if it runs */
