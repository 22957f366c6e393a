/* SPDX-License-Identifier: Apache-2.0 */
/* Certificates and keys in separate files, created when they are needed. */
#pragma once

#include "io/net/tls.h"

enum cert_kind {
    CERT_EC,       /* P-256 */
    CERT_RSA,      /* 2048 bits */
    CERT_RSA_WEAK, /* 1024 bits: too few today */
};

struct cert {
    char cert[40], key[40]; /* paths */
};

/* For 127.0.0.1; `name` is its common name.  Call cert_remove() at the end. */
void cert_make(enum cert_kind kind, const char *name, struct cert *ret);

/* Encrypts the key with a password. */
void cert_lock_key(const struct cert *cert, const char *password);
void cert_remove(const struct cert *cert);

static inline struct tls_files cert_files(const struct cert *cert)
{
    return (struct tls_files){.cert = cert->cert, .key = cert->key};
}

/* The text of a PEM file as a JSON string. */
enum { CERT_JSON_MAX = 8192 };
const char *cert_json(const char *path, char ret[static CERT_JSON_MAX]);

/* A file with any text; its name replaces *path, which ends in XXXXXX. */
void cert_write_file(char *path, const char *text);
