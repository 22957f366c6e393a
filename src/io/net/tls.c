/* SPDX-License-Identifier: Apache-2.0 */
/*
 * TLS with OpenSSL on memory buffers.
 */
#include "io/net/tls.h"

#include <errno.h>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/must.h"
#include "io/file.h"
#include "io/net/tls_parts.h"

/* ---- a BIO between OpenSSL and our bytes, without copies ---- */

static int bio_read(BIO *bio, char *to, size_t room, size_t *ret)
{
    struct tls *tls = BIO_get_data(bio);
    size_t n = tls->in.len < room ? tls->in.len : room;

    BIO_clear_retry_flags(bio);
    if (n == 0) {
        BIO_set_retry_read(bio);
        return 0;
    }
    memcpy(to, tls->in.ptr, n);
    tls->in = str_from(tls->in, n);
    *ret = n;
    return 1;
}

static int bio_write(BIO *bio, const char *bytes, size_t len, size_t *ret)
{
    struct tls *tls = BIO_get_data(bio);

    BIO_clear_retry_flags(bio);
    tls->sink(tls->arg, (struct str){bytes, len});
    *ret = len;
    return 1;
}

static long bio_control(BIO *bio, int command, long number, void *pointer)
{
    (void)bio;
    (void)number;
    (void)pointer;
    return command == BIO_CTRL_FLUSH; /* the sink has it already */
}

static BIO_METHOD *bio_method;

static void make_bio_method(void)
{
    bio_method = BIO_meth_new(BIO_get_new_index() | BIO_TYPE_SOURCE_SINK, "belfry");
    must(bio_method != NULL);
    must(BIO_meth_set_read_ex(bio_method, bio_read) == 1);
    must(BIO_meth_set_write_ex(bio_method, bio_write) == 1);
    must(BIO_meth_set_ctrl(bio_method, bio_control) == 1);
}

static BIO *new_bio(struct tls *tls)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    BIO *bio;

    must(pthread_once(&once, make_bio_method) == 0);
    bio = BIO_new(bio_method);
    must(bio != NULL);
    BIO_set_data(bio, tls);
    BIO_set_init(bio, 1);
    return bio;
}

/* ---- the context ---- */

/*
 * HTTP/1.1 first: browsers offer both and get it, so that pages and event streams need no
 * HTTP/2; gRPC clients offer only HTTP/2.  Each name is preceded by its length.
 */
static const unsigned char protocols[] = "\x08http/1.1\x02h2";
enum { PROTOCOLS_H1 = 9, PROTOCOLS_BOTH = 12 };

static int choose_protocol(SSL *ssl, const unsigned char **ret, unsigned char *ret_len,
                           const unsigned char *offer, unsigned offer_len, void *has_h2)
{
    (void)ssl;
    /* Selects from our list in our order; OpenSSL requires the cast. */
    if (SSL_select_next_proto((unsigned char **)(uintptr_t)ret, ret_len, protocols,
                              has_h2 ? PROTOCOLS_BOTH : PROTOCOLS_H1, offer,
                              offer_len) == OPENSSL_NPN_NEGOTIATED)
        return SSL_TLSEXT_ERR_OK;
    return SSL_TLSEXT_ERR_ALERT_FATAL;
}

/* A client that renegotiates after it was refused would continue forever. */
static void on_alert(const SSL *ssl, int where, int what)
{
    struct tls *tls = SSL_get_app_data(ssl);

    if (where == SSL_CB_WRITE_ALERT && (what & 0xff) == SSL_AD_NO_RENEGOTIATION)
        tls->is_refused = true;
}

static int refuse_password(char *room, int size, int is_writing, void *has_asked)
{
    (void)room;
    (void)size;
    (void)is_writing;
    *(bool *)has_asked = true;
    return -1;
}

void tls_set_rules(SSL_CTX *ctx)
{
    SSL_CTX_set_security_level(ctx, 2);
    must(SSL_CTX_set_min_proto_version(ctx, TLS1_2_VERSION) == 1);
    must(SSL_CTX_set_cipher_list(ctx, "ECDHE+AESGCM:ECDHE+CHACHA20") == 1);
    must(SSL_CTX_set_ciphersuites(ctx, "TLS_AES_128_GCM_SHA256:TLS_AES_256_GCM_SHA384:"
                                       "TLS_CHACHA20_POLY1305_SHA256") == 1);
    must(SSL_CTX_set1_groups_list(ctx, "X25519:P-256:P-384") == 1);
    SSL_CTX_set_options(ctx, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION |
                                 SSL_OP_NO_TICKET | SSL_OP_CIPHER_SERVER_PREFERENCE |
                                 SSL_OP_PRIORITIZE_CHACHA);
    /* No session outlives its connection: nothing to store, to rotate, or to replay. */
    SSL_CTX_set_session_cache_mode(ctx, SSL_SESS_CACHE_OFF);
    must(SSL_CTX_set_num_tickets(ctx, 0) == 1);
    /* A silent connection holds no buffers. */
    SSL_CTX_set_mode(ctx, SSL_MODE_RELEASE_BUFFERS);
}

static void set_server_rules(SSL_CTX *ctx, bool offers_h2)
{
    static char yes; /* any address that is not NULL */

    tls_set_rules(ctx);
    SSL_CTX_set_alpn_select_cb(ctx, choose_protocol, offers_h2 ? &yes : NULL);
    SSL_CTX_set_info_callback(ctx, on_alert);
}

const char *tls_reason(void)
{
    const char *text = ERR_reason_error_string(ERR_peek_last_error());

    return text ? text : "unknown reason";
}

static enum rc read_pem(const char *path, const char *what, char *room, BIO **ret,
                        struct err *reterr)
{
    ssize_t n = file_read_at(AT_FDCWD, path, room, TLS_FILE_MAX + 1);

    if (n < 0)
        return err_set(reterr, RC_NOT_FOUND, -1, 0, "cannot read the %s \"%s\": %s", what, path,
                       strerror(errno));
    if (n > TLS_FILE_MAX)
        return err_set(reterr, RC_INVALID, -1, 0,
                       "\"%s\" is too large for a %s; name a file in PEM form", path, what);
    *ret = BIO_new_mem_buf(room, (int)n);
    must(*ret != NULL);
    return RC_OK;
}

/* The certificates after the first; the end of the file is not an error. */
static bool read_chain(SSL_CTX *ctx, BIO *pem)
{
    X509 *cert;

    while ((cert = PEM_read_bio_X509(pem, NULL, NULL, NULL)) != NULL)
        if (SSL_CTX_add0_chain_cert(ctx, cert) != 1) {
            X509_free(cert);
            return false;
        }
    return ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
}

enum rc tls_use_cert(SSL_CTX *ctx, const char *path, BIO *pem, struct err *reterr)
{
    X509 *cert = PEM_read_bio_X509(pem, NULL, NULL, NULL);
    bool is_fine;

    if (!cert)
        return err_set(
            reterr, RC_INVALID, -1, 0,
            "\"%s\" does not begin with a certificate in PEM form (%s); it must have "
            "the certificate first, then its chain",
            path, tls_reason());
    is_fine = SSL_CTX_use_certificate(ctx, cert) == 1 && read_chain(ctx, pem);
    X509_free(cert);
    return is_fine
               ? RC_OK
               : err_set(reterr, RC_INVALID, -1, 0,
                         "the certificate in \"%s\" cannot be used: %s", path, tls_reason());
}

enum rc tls_use_key(SSL_CTX *ctx, const char *path, BIO *pem, struct err *reterr)
{
    bool has_asked = false;
    EVP_PKEY *key = PEM_read_bio_PrivateKey(pem, NULL, refuse_password, &has_asked);
    X509 *cert = SSL_CTX_get0_certificate(ctx);
    enum rc rc = RC_OK;

    if (has_asked)
        rc = err_set(reterr, RC_INVALID, -1, 0,
                     "the key in \"%s\" has a password; write it without one, readable only by "
                     "the server",
                     path);
    else if (!key)
        rc = err_set(reterr, RC_INVALID, -1, 0, "\"%s\" has no private key in PEM form (%s)",
                     path, tls_reason());
    else if (X509_check_private_key(cert, key) != 1)
        rc = err_set(reterr, RC_CONFLICT, -1, 0,
                     "the key in \"%s\" does not match the certificate", path);
    else if (SSL_CTX_use_PrivateKey(ctx, key) != 1)
        rc = err_set(reterr, RC_INVALID, -1, 0, "the key in \"%s\" cannot be used: %s", path,
                     tls_reason());
    EVP_PKEY_free(key);
    return rc;
}

static enum rc use_files(SSL_CTX *ctx, const struct tls_files *files, char *room,
                         struct err *reterr)
{
    BIO *pem = NULL;
    enum rc rc = read_pem(files->cert, "certificate", room, &pem, reterr);

    if (rc != RC_OK)
        return rc;
    rc = tls_use_cert(ctx, files->cert, pem, reterr);
    BIO_free(pem);
    if (rc != RC_OK)
        return rc;
    rc = read_pem(files->key, "key", room, &pem, reterr);
    if (rc != RC_OK)
        return rc;
    rc = tls_use_key(ctx, files->key, pem, reterr);
    BIO_free(pem);
    OPENSSL_cleanse(room, TLS_FILE_MAX + 1);
    return rc;
}

const char *tls_library(void)
{
    return OpenSSL_version(OPENSSL_VERSION_STRING);
}

/* As OpenSSL reads them: other PEM objects may be in between. */
static enum rc check_certs(const char *path, BIO *pem, struct err *reterr)
{
    STACK_OF(X509_INFO) *list = PEM_X509_INFO_read_bio(pem, NULL, NULL, NULL);
    int certs = 0;

    if (!list)
        return err_set(reterr, RC_INVALID, -1, 0, "a certificate in \"%s\" is damaged: %s",
                       path, tls_reason());
    for (int i = 0; i < sk_X509_INFO_num(list); i++)
        certs += sk_X509_INFO_value(list, i)->x509 != NULL;
    sk_X509_INFO_pop_free(list, X509_INFO_free);
    return certs > 0 ? RC_OK
                     : err_set(reterr, RC_INVALID, -1, 0,
                               "\"%s\" has no certificate in PEM form", path);
}

enum rc tls_check_authorities(const char *path, struct err *reterr)
{
    char *room = malloc(TLS_FILE_MAX + 1);
    BIO *pem = NULL;
    enum rc rc;

    must(room != NULL);
    ERR_clear_error();
    rc = read_pem(path, "certificates", room, &pem, reterr);
    if (rc == RC_OK)
        rc = check_certs(path, pem, reterr);
    BIO_free(pem);
    ERR_clear_error();
    free(room);
    return rc;
}

enum rc tls_context_open(const struct tls_files *files, struct tls_context **ret,
                         struct err *reterr)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_server_method());
    struct tls_context *context = calloc(1, sizeof *context);
    char *room = malloc(TLS_FILE_MAX + 1);
    enum rc rc;

    must(ctx != NULL && context != NULL && room != NULL);
    context->ctx = ctx;
    set_server_rules(ctx, files->offers_h2);
    ERR_clear_error();
    rc = use_files(ctx, files, room, reterr);
    ERR_clear_error();
    free(room);
    if (rc == RC_OK)
        *ret = context;
    else
        tls_context_free(context);
    return rc;
}

struct tls_context *tls_context_free(struct tls_context *context)
{
    if (context) {
        SSL_CTX_free(context->ctx);
        free(context);
    }
    return NULL;
}

/* ---- a connection ---- */

struct tls *tls_of_context(struct tls_context *context, tls_sink *sink, void *arg)
{
    struct tls *tls = calloc(1, sizeof *tls);
    BIO *bio;

    must(tls != NULL);
    tls->sink = sink;
    tls->arg = arg;
    tls->ssl = SSL_new(context->ctx);
    must(tls->ssl != NULL && SSL_set_app_data(tls->ssl, tls) == 1);
    bio = new_bio(tls);
    SSL_set_bio(tls->ssl, bio, bio); /* one reference for both */
    return tls;
}

struct tls *tls_new(struct tls_context *context, tls_sink *sink, void *arg)
{
    struct tls *tls = tls_of_context(context, sink, arg);

    SSL_set_accept_state(tls->ssl);
    return tls;
}

struct tls *tls_free(struct tls *tls)
{
    if (tls) {
        SSL_free(tls->ssl);
        free(tls);
    }
    return NULL;
}

enum tls_state tls_read(struct tls *tls, struct str encrypted, struct buf *plain)
{
    size_t n;
    int error;

    must(plain->cap - plain->len > encrypted.len + TLS_KEPT_MAX);
    ERR_clear_error();
    tls->in = encrypted;
    /* Plain bytes are fewer than encrypted ones, so there is always room for them. */
    while (SSL_read_ex(tls->ssl, plain->ptr + plain->len, plain->cap - plain->len, &n) == 1)
        plain->len += n;
    error = SSL_get_error(tls->ssl, 0);
    tls->in = (struct str){0};
    if (error == SSL_ERROR_SSL)
        tls->reason = tls_reason();
    ERR_clear_error();
    if (tls->is_refused)
        return TLS_FAILED;
    if (error == SSL_ERROR_ZERO_RETURN)
        return TLS_ENDED;
    if (error != SSL_ERROR_WANT_READ)
        return TLS_FAILED;
    return SSL_is_init_finished(tls->ssl) ? TLS_OPEN : TLS_SHAKING;
}

bool tls_write(struct tls *tls, struct str plain)
{
    size_t n;
    bool is_sent;

    if (plain.len == 0)
        return true;
    ERR_clear_error();
    is_sent = SSL_write_ex(tls->ssl, plain.ptr, plain.len, &n) == 1;
    ERR_clear_error();
    return is_sent;
}

void tls_end(struct tls *tls)
{
    ERR_clear_error();
    SSL_shutdown(tls->ssl);
    ERR_clear_error();
}

bool tls_has_h2(const struct tls *tls)
{
    const unsigned char *name;
    unsigned len;

    SSL_get0_alpn_selected(tls->ssl, &name, &len);
    return len == 2 && memcmp(name, "h2", 2) == 0;
}
