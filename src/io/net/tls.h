/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS 1.2 and 1.3 as a server, between encrypted and plain bytes.
 *
 * Uses no socket and no timer: encrypted bytes are passed in, and those to be sent go to a
 * sink. docs/decisions/0022-tls.md lists what it offers and refuses.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum {
    TLS_RECORD = 0x16,        /* the first byte that a TLS client sends */
    TLS_KEPT_MAX = 17 * 1024, /* bytes of an incomplete record that wait for its end */
    /* of a key, or of certificates; Debian's authorities have 220 KiB */
    TLS_FILE_MAX = 1024 * 1024,
};

/* The version of the library. */
const char *tls_library(void);

struct tls_files {
    const char *cert; /* PEM: the server's certificate, then its chain */
    const char *key;  /* PEM, without a password */
    bool offers_h2;   /* to clients that do not offer HTTP/1.1 */
};

struct tls_context; /* opaque: a certificate and its key */

/*
 * Reads both files.  RC_NOT_FOUND if one cannot be read, RC_INVALID if its content is unusable,
 * RC_CONFLICT if the key does not match the certificate.
 */
MUST_USE enum rc tls_context_open(const struct tls_files *files, struct tls_context **ret,
                                  struct err *reterr);

/* Connections that use it continue.  Accepts NULL, returns NULL. */
struct tls_context *tls_context_free(struct tls_context *context);

/*
 * Checks a PEM file of certificate authorities.  RC_NOT_FOUND if it cannot be read, RC_INVALID
 * if it has no certificate or a damaged one: no call would succeed with it.
 */
MUST_USE enum rc tls_check_authorities(const char *path, struct err *reterr);

struct tls; /* opaque: one connection */

/* Receives bytes to be sent; must consume all of them. */
typedef void tls_sink(void *arg, struct str encrypted);

struct tls *tls_new(struct tls_context *context, tls_sink *sink, void *arg);
struct tls *tls_free(struct tls *tls); /* accepts NULL, returns NULL */

enum tls_state {
    TLS_SHAKING, /* nothing can be written yet */
    TLS_OPEN,    /* plain bytes can be read and written */
    TLS_ENDED,   /* the client will send nothing more, but may still read */
    TLS_FAILED,  /* the sink may have received an alert; close */
};

/*
 * Consumes all of `encrypted` and appends its content to *plain, which needs room for more than
 * encrypted.len + TLS_KEPT_MAX bytes.  Do not call it after TLS_FAILED.
 */
MUST_USE enum tls_state tls_read(struct tls *tls, struct str encrypted, struct buf *plain);

/* Only in state TLS_OPEN; false: close. */
MUST_USE bool tls_write(struct tls *tls, struct str plain);

/* Announces that nothing more will be written. */
void tls_end(struct tls *tls);

/* Whether the handshake agreed on HTTP/2, by ALPN. */
bool tls_has_h2(const struct tls *tls);
