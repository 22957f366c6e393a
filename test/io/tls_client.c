/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The TLS client of tls_client.h.
 */
#include "tls_client.h"

#include <openssl/err.h>

int tls_client_bare(const struct app *app)
{
    int fd = client_socket();

    assert_int_equal(client_connect_fd(fd, app->tls_port), 0);
    return fd;
}

SSL *tls_client_new(int fd, const struct tls_client_options *options)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    SSL *ssl;

    assert_non_null(ctx);
    SSL_CTX_set_security_level(ctx, 0); /* so that it may request weak options */
    SSL_CTX_set_min_proto_version(ctx, options->oldest);
    SSL_CTX_set_max_proto_version(ctx, options->newest);
    if (options->ciphers)
        assert_int_equal(SSL_CTX_set_cipher_list(ctx, options->ciphers), 1);
    ssl = SSL_new(ctx);
    assert_non_null(ssl);
    SSL_CTX_free(ctx);
    if (options->alpn)
        assert_int_equal(SSL_set_alpn_protos(ssl, (const unsigned char *)options->alpn,
                                             (unsigned)strlen(options->alpn)),
                         0);
    if (options->session)
        assert_int_equal(SSL_set_session(ssl, options->session), 1);
    SSL_set_connect_state(ssl);
    if (fd >= 0)
        assert_int_equal(SSL_set_fd(ssl, fd), 1);
    return ssl;
}

SSL *tls_client_connect_as(const struct app *app, const struct tls_client_options *options)
{
    SSL *ssl = tls_client_new(tls_client_bare(app), options);

    if (SSL_connect(ssl) != 1)
        fail_msg("%s", ERR_error_string(ERR_get_error(), NULL));
    return ssl;
}

SSL *tls_client_connect(const struct app *app)
{
    return tls_client_connect_as(app, &(struct tls_client_options){0});
}

SSL *tls_client_connect_narrow(const struct app *app)
{
    const int little = 4096;
    int fd = client_socket();
    SSL *ssl = tls_client_new(fd, &(struct tls_client_options){0});

    assert_int_equal(setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &little, sizeof little), 0);
    assert_int_equal(client_connect_fd(fd, app->tls_port), 0);
    assert_int_equal(SSL_connect(ssl), 1);
    return ssl;
}

bool tls_client_is_refused(const struct app *app, const struct tls_client_options *options)
{
    SSL *ssl = tls_client_new(tls_client_bare(app), options);
    bool is_refused = SSL_connect(ssl) != 1;

    ERR_clear_error();
    tls_client_free(ssl);
    return is_refused;
}

void tls_client_send(SSL *ssl, struct str bytes)
{
    size_t n;

    assert_int_equal(SSL_write_ex(ssl, bytes.ptr, bytes.len, &n), 1);
}

void tls_client_say(SSL *ssl, const char *text)
{
    tls_client_send(ssl, str_of(text));
}

void tls_client_expect(SSL *ssl, const char *text)
{
    const char date[] = "Sun, 06 Nov 1994 08:49:37 GMT";
    char c;

    for (size_t i = 0; text[i] != '\0'; i++)
        for (size_t k = text[i] == '%' ? sizeof date - 1 : 1; k > 0; k--) {
            if (SSL_read(ssl, &c, 1) != 1)
                fail_msg("closed before: %s", text + i);
            if (text[i] != '%' && c != text[i])
                fail_msg("'%c' instead of: %s", c, text + i);
        }
}

void tls_client_expect_end(SSL *ssl)
{
    char c;
    int n = SSL_read(ssl, &c, 1);

    assert_int_equal(SSL_get_error(ssl, n), SSL_ERROR_ZERO_RETURN);
    assert_int_equal(recv(SSL_get_fd(ssl), &c, 1, 0), 0);
    tls_client_free(ssl);
}

void tls_client_free(SSL *ssl)
{
    int fd = SSL_get_fd(ssl);

    SSL_free(ssl);
    ERR_clear_error();
    if (fd >= 0)
        close(fd);
}

void tls_client_name(SSL *ssl, char name[64])
{
    X509 *cert = SSL_get1_peer_certificate(ssl);

    assert_non_null(cert);
    assert_true(
        X509_NAME_get_text_by_NID(X509_get_subject_name(cert), NID_commonName, name, 64) > 0);
    X509_free(cert);
}
