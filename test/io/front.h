/* SPDX-License-Identifier: Apache-2.0 */
/* A process that accepts TLS, with only HTTP/2 in ALPN, in front of a server without TLS. */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "cert.h"

struct front {
    pid_t child;
    int port;
    struct cert cert; /* self-made, for 127.0.0.1 */
};

/* `behind` is a port of 127.0.0.1.  Call front_close() at the end. */
void front_open(struct front *front, uint16_t behind);
void front_close(const struct front *front);
