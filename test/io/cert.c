/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Creates certificates and keys with OpenSSL.
 */
#include "cert.h"

#include <openssl/pem.h>
#include <openssl/x509v3.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/must.h"

static EVP_PKEY *make_key(enum cert_kind kind)
{
    EVP_PKEY *key = kind == CERT_EC ? EVP_EC_gen("P-256")
                                    : EVP_RSA_gen(kind == CERT_RSA ? 2048U : 1024U);

    must(key != NULL);
    return key;
}

static X509 *make_certificate(EVP_PKEY *key, const char *name)
{
    X509 *cert = X509_new();
    X509_NAME *subject = X509_get_subject_name(cert);
    X509_EXTENSION *address = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name,
                                                  "IP:127.0.0.1");

    must(cert != NULL && address != NULL);
    X509_set_version(cert, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
    X509_gmtime_adj(X509_getm_notBefore(cert), -3600);
    X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
    X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_ASC, (const unsigned char *)name, -1, -1,
                               0);
    X509_set_issuer_name(cert, subject);
    X509_set_pubkey(cert, key);
    X509_add_ext(cert, address, -1);
    X509_EXTENSION_free(address);
    must(X509_sign(cert, key, EVP_sha256()) > 0);
    return cert;
}

static FILE *open_new(char *path)
{
    int fd = mkstemp(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;

    must(file != NULL);
    return file;
}

void cert_make(enum cert_kind kind, const char *name, struct cert *ret)
{
    EVP_PKEY *key = make_key(kind);
    X509 *cert = make_certificate(key, name);
    FILE *file;

    snprintf(ret->cert, sizeof ret->cert, "/tmp/belfry-test-cert-XXXXXX");
    snprintf(ret->key, sizeof ret->key, "/tmp/belfry-test-key-XXXXXX");
    file = open_new(ret->cert);
    must(PEM_write_X509(file, cert) == 1 && fclose(file) == 0);
    file = open_new(ret->key);
    must(PEM_write_PrivateKey(file, key, NULL, NULL, 0, NULL, NULL) == 1 && fclose(file) == 0);
    X509_free(cert);
    EVP_PKEY_free(key);
}

void cert_lock_key(const struct cert *cert, const char *password)
{
    FILE *file = fopen(cert->key, "r");
    EVP_PKEY *key = file ? PEM_read_PrivateKey(file, NULL, NULL, NULL) : NULL;

    must(key != NULL && fclose(file) == 0);
    file = fopen(cert->key, "w");
    must(file != NULL);
    must(PEM_write_PKCS8PrivateKey(file, key, EVP_aes_128_cbc(), password,
                                   (int)strlen(password), NULL, NULL) == 1);
    must(fclose(file) == 0);
    EVP_PKEY_free(key);
}

void cert_remove(const struct cert *cert)
{
    unlink(cert->cert);
    unlink(cert->key);
}

void cert_write_file(char *path, const char *text)
{
    FILE *file = open_new(path);

    must(fputs(text, file) >= 0 && fclose(file) == 0);
}

const char *cert_json(const char *path, char ret[static CERT_JSON_MAX])
{
    struct buf out = {.ptr = ret, .cap = CERT_JSON_MAX};
    FILE *file = fopen(path, "r");
    int c;

    must(file);
    buf_char(&out, '"');
    while ((c = fgetc(file)) != EOF)
        if (c == '\n')
            buf_text(&out, "\\n");
        else
            buf_char(&out, (char)c);
    buf_char(&out, '"');
    must(!out.cut);
    fclose(file);
    return ret;
}
