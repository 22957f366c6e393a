/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the server's and the client's side of TLS only. */
#pragma once

#include <openssl/ssl.h>

#include "io/net/tls.h"

struct tls_context {
    SSL_CTX *ctx; /* counted: each connection holds it too */
};

struct tls {
    SSL *ssl;
    struct str in; /* what OpenSSL has yet to read, during tls_read() */
    tls_sink *sink;
    void *arg;
    bool is_refused;    /* the client requested a renegotiation */
    const char *reason; /* of TLS_FAILED, a constant of OpenSSL; NULL: none is known */
};

/* tls.c: versions, ciphers and groups for both sides. */
void tls_set_rules(SSL_CTX *ctx);

/* The last error of OpenSSL; never NULL. */
const char *tls_reason(void);

/* Use the certificate and its chain, then its key.  Messages quote `name`. */
MUST_USE enum rc tls_use_cert(SSL_CTX *ctx, const char *name, BIO *pem, struct err *reterr);
MUST_USE enum rc tls_use_key(SSL_CTX *ctx, const char *name, BIO *pem, struct err *reterr);

/* A connection that is neither a server's nor a client's yet. */
struct tls *tls_of_context(struct tls_context *context, tls_sink *sink, void *arg);
