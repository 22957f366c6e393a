/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A process that accepts TLS in front of a server without TLS, with HTTP/2 and HTTP/1.1 in
 * ALPN, and no connection without ALPN.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "cert.h"

struct tls_proxy {
    pid_t child;
    int port;
    struct cert cert; /* self-made, for 127.0.0.1 */
};

/* `server_port` is a port of 127.0.0.1.  Call tls_proxy_close() at the end. */
void tls_proxy_open(struct tls_proxy *proxy, uint16_t server_port);

/* The same, for clients with a certificate of this file only. */
void tls_proxy_open_mutual(struct tls_proxy *proxy, uint16_t server_port, const char *clients);
void tls_proxy_close(const struct tls_proxy *proxy);
