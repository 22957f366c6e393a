/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The client's side of TLS, for HTTP/2 or HTTP/1.1: it verifies the server's certificate and
 * may present one of its own.  Reading and writing are those of io/net/tls.h.
 */
#pragma once

#include "io/net/tls.h"

/* Empty texts: the authorities of `ca_file` or of the system; no certificate of our own. */
struct tls_connect_rules {
    struct str ca;        /* PEM: the authorities that may sign the server's certificate */
    struct str cert, key; /* PEM: both or none */
    const char *ca_file;  /* used without `ca`; NULL: those of the system */
    bool is_http1;        /* offers HTTP/1.1, and not HTTP/2 */
};

/* RC_INVALID: a text is unusable.  RC_CONFLICT: the key does not match the certificate. */
MUST_USE enum rc tls_connect_context(const struct tls_connect_rules *rules,
                                     struct tls_context **ret, struct err *reterr);

/*
 * `name` is the host name or the address that the certificate must contain.  The first
 * tls_read(), of an empty text, begins the handshake.
 */
struct tls *tls_connect_new(struct tls_context *context, const char *name, tls_sink *sink,
                            void *arg);

/* Why the handshake failed, after TLS_FAILED; never NULL. */
const char *tls_connect_reason(const struct tls *tls);
