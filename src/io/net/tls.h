/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS 1.2 and 1.3 as a server, between sealed bytes and plain ones.
 *
 * It holds no socket and no timer: sealed bytes are handed in, and those that are to be sent
 * are handed to a sink.  What it offers and refuses is in docs/decisions/0022-tls.md.
 */
#pragma once

#include <stdbool.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum {
    TLS_RECORD = 0x16,          /* the first byte that a client of TLS sends              */
    TLS_KEPT_MAX = 17 * 1024,   /* bytes of a record that has not come whole, and its end */
    TLS_FILE_MAX = 1024 * 1024, /* of a key, or of certificates; what Debian trusts: 220 KiB */
};

/* The version of the library. */
const char *tls_library(void);

struct tls_files {
    const char *cert; /* PEM: the server's certificate, then those that vouch for it */
    const char *key;  /* PEM, without a password                                     */
    bool offers_h2;   /* to clients that do not offer HTTP/1.1                       */
};

struct tls_context; /* opaque: a certificate and its key */

/*
 * Reads both files.  RC_NOT_FOUND when one cannot be read, RC_INVALID when it holds nothing of
 * use, RC_CONFLICT when the key is not that of the certificate.
 */
MUST_USE enum rc tls_context_open(const struct tls_files *files, struct tls_context **ret,
                                  struct err *reterr);

/* Connections that were made with it go on.  Accepts NULL, returns NULL. */
struct tls_context *tls_context_free(struct tls_context *context);

/*
 * Whether others could be trusted by a file, PEM.  RC_NOT_FOUND when it cannot be read,
 * RC_INVALID when it has no certificate, or one that is broken: for that no call would succeed.
 */
MUST_USE enum rc tls_check_authorities(const char *path, struct err *reterr);

struct tls; /* opaque: one connection */

/* Takes what is to be sent, at once and whole. */
typedef void tls_sink(void *arg, struct str sealed);

struct tls *tls_new(struct tls_context *context, tls_sink *sink, void *arg);
struct tls *tls_free(struct tls *tls); /* accepts NULL, returns NULL */

enum tls_state {
    TLS_SHAKING, /* nothing can be written yet                              */
    TLS_OPEN,    /*                                                         */
    TLS_ENDED,   /* the client will say nothing more, and may still listen  */
    TLS_FAILED,  /* the sink may have been given an alert; close            */
};

/*
 * Takes all of `sealed` and appends what it held to *plain, which needs room for
 * sealed.len + TLS_KEPT_MAX bytes.  Not to be called after TLS_FAILED.
 */
MUST_USE enum tls_state tls_read(struct tls *tls, struct str sealed, struct buf *plain);

/* Only once it is open; false: close. */
MUST_USE bool tls_write(struct tls *tls, struct str plain);

/* Says that nothing more will be written. */
void tls_end(struct tls *tls);

/* What was agreed on in the handshake, by ALPN. */
bool tls_has_h2(const struct tls *tls);
