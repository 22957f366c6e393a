/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A server that has nothing to do: Belfry's own listener, and a handler that answers every
 * request at once with bytes that it has.  What it reaches is the most that any answer of
 * that length can reach on this machine with this client.
 */
#pragma once

#include <stdint.h>

#include "base/str.h"

enum { TRIVIAL_ANSWERS_MAX = 8 };

struct trivial_answer {
    const char *path;
    struct str body;
};

/* A process of its own that ends with this one; returns its port on 127.0.0.1. */
uint16_t trivial_start(const struct trivial_answer *answers, int count);
void trivial_end(void); /* if it runs */
