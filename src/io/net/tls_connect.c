/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The client's side of TLS with OpenSSL.
 */
#include "io/net/tls_connect.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdlib.h>

#include "base/must.h"
#include "io/net/tls_parts.h"

static BIO *open_pem(struct str text)
{
    BIO *pem = BIO_new_mem_buf(text.ptr, (int)text.len);

    must(pem != NULL && text.len <= TLS_FILE_MAX);
    return pem;
}

static enum rc use_authorities(SSL_CTX *ctx, struct str text, struct err *reterr)
{
    BIO *pem = open_pem(text);
    X509_STORE *store = SSL_CTX_get_cert_store(ctx);
    int count = 0;
    X509 *cert;

    while ((cert = PEM_read_bio_X509(pem, NULL, NULL, NULL)) != NULL) {
        count += X509_STORE_add_cert(store, cert) == 1;
        X509_free(cert);
    }
    BIO_free(pem);
    if (count > 0 && ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE)
        return RC_OK;
    return err_set(reterr, RC_INVALID, -1, 0,
                   "\"ca\" must contain certificates in PEM form (%s)", tls_reason());
}

static enum rc use_default_authorities(SSL_CTX *ctx, const char *path, struct err *reterr)
{
    if (path ? SSL_CTX_load_verify_file(ctx, path) == 1
             : SSL_CTX_set_default_verify_paths(ctx) == 1)
        return RC_OK;
    return err_set(reterr, RC_INVALID, -1, 0, "cannot read the certificates \"%s\": %s",
                   path ? path : "of the system", tls_reason());
}

static enum rc use_own_cert(SSL_CTX *ctx, const struct tls_connect_rules *rules,
                            struct err *reterr)
{
    BIO *pem = open_pem(rules->cert);
    enum rc rc = tls_use_cert(ctx, "cert", pem, reterr);

    BIO_free(pem);
    if (rc != RC_OK)
        return rc;
    pem = open_pem(rules->key);
    rc = tls_use_key(ctx, "key", pem, reterr);
    BIO_free(pem);
    return rc;
}

enum rc tls_connect_context(const struct tls_connect_rules *rules, struct tls_context **ret,
                            struct err *reterr)
{
    /* Each is preceded by its length. */
    static const unsigned char h2[] = "\x02h2", http1[] = "\x08http/1.1";
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    struct tls_context *context = calloc(1, sizeof *context);
    enum rc rc;

    must(ctx != NULL && context != NULL);
    context->ctx = ctx;
    tls_set_rules(ctx);
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
    must(SSL_CTX_set_alpn_protos(ctx, rules->is_http1 ? http1 : h2,
                                 rules->is_http1 ? sizeof http1 - 1 : sizeof h2 - 1) == 0);
    ERR_clear_error();
    rc = rules->ca.len > 0 ? use_authorities(ctx, rules->ca, reterr)
                           : use_default_authorities(ctx, rules->ca_file, reterr);
    if (rc == RC_OK && rules->cert.len > 0)
        rc = use_own_cert(ctx, rules, reterr);
    ERR_clear_error();
    if (rc == RC_OK)
        *ret = context;
    else
        tls_context_free(context);
    return rc;
}

struct tls *tls_connect_new(struct tls_context *context, const char *name, tls_sink *sink,
                            void *arg)
{
    struct tls *tls = tls_of_context(context, sink, arg);
    X509_VERIFY_PARAM *verify = SSL_get0_param(tls->ssl);

    SSL_set_connect_state(tls->ssl);
    X509_VERIFY_PARAM_set_hostflags(verify, X509_CHECK_FLAG_NO_PARTIAL_WILDCARDS);
    /* An address is not a name: RFC 6066 permits no address in the extension. */
    if (X509_VERIFY_PARAM_set1_ip_asc(verify, name) != 1) {
        must(X509_VERIFY_PARAM_set1_host(verify, name, 0) == 1);
        must(SSL_set_tlsext_host_name(tls->ssl, name) == 1);
    }
    ERR_clear_error();
    return tls;
}

const char *tls_connect_reason(const struct tls *tls)
{
    long result = SSL_get_verify_result(tls->ssl);

    if (result != X509_V_OK)
        return X509_verify_cert_error_string(result);
    return tls->reason ? tls->reason : "the connection was closed during the handshake";
}
