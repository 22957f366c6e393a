/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The client of client.h with TLS, by OpenSSL: an independent implementation checks what the
 * server sends.
 */
#pragma once

#include <openssl/ssl.h>

#include "client.h"

struct tls_client_options {
    int oldest, newest;   /* TLS1_2_VERSION, ...; 0: OpenSSL's default */
    const char *ciphers;  /* of TLS 1.2; NULL: OpenSSL's default */
    const char *alpn;     /* each name preceded by its length; NULL: not requested */
    SSL_SESSION *session; /* to resume; NULL: none */
};

/* A client before its handshake; `fd` is closed with it. */
SSL *tls_client_new(int fd, const struct tls_client_options *options);

/* With the handshake done. */
SSL *tls_client_connect(const struct app *app);
SSL *tls_client_connect_narrow(const struct app *app); /* as client_connect_narrow() */
SSL *tls_client_connect_as(const struct app *app, const struct tls_client_options *options);

/* A connection to the TLS port; no byte of TLS is sent. */
int tls_client_bare(const struct app *app);

/* True if the handshake of such a client is refused. */
bool tls_client_is_refused(const struct app *app, const struct tls_client_options *options);

void tls_client_say(SSL *ssl, const char *text);
void tls_client_send(SSL *ssl, struct str bytes);
void tls_client_expect(SSL *ssl, const char *text); /* as client_expect() */

/* The server has announced the end, and has closed. */
void tls_client_expect_end(SSL *ssl);
void tls_client_free(SSL *ssl); /* closes without close_notify */

/* The common name of the server's certificate. */
void tls_client_name(SSL *ssl, char name[64]);
