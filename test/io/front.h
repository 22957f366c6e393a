/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that speaks TLS, and by ALPN nothing but HTTP/2, before a server without.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "cert.h"

struct front {
    pid_t child;
    int port;
    struct cert cert; /* of its own making, for 127.0.0.1 */
};

/* `behind` is a port of 127.0.0.1.  front_close() in the end. */
void front_open(struct front *front, uint16_t behind);
void front_close(const struct front *front);
