/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Certificates and keys, and TLS without a socket: the client is OpenSSL's, and the test passes
 * the bytes between the two.
 */
#include "tls_client.h"

#include <openssl/bio.h>
#include <openssl/err.h>
#include <stdlib.h>

#include "base/must.h"
#include "cert.h"

static struct cert ec, rsa;

static int make_certs(void **state)
{
    (void)state;
    cert_make(CERT_EC, "one", &ec);
    cert_make(CERT_RSA, "two", &rsa);
    return 0;
}

static int remove_certs(void **state)
{
    (void)state;
    cert_remove(&ec);
    cert_remove(&rsa);
    return 0;
}

/* ---- files ---- */

static void expect_refused(struct tls_files files, enum rc rc, const char *arg)
{
    struct tls_context *context = NULL;
    struct err err = {0};

    assert_int_equal(tls_context_open(&files, &context, &err), rc);
    assert_null(context);
    if (!strstr(err.text, arg))
        fail_msg("\"%s\" is not in: %s", arg, err.text);
}

static void files_that_cannot_be_read_are_named(void **state)
{
    (void)state;
    expect_refused((struct tls_files){.cert = "/nowhere/c.pem", .key = ec.key}, RC_NOT_FOUND,
                   "certificate \"/nowhere/c.pem\": No such file");
    expect_refused((struct tls_files){.cert = ec.cert, .key = "/nowhere/k.pem"}, RC_NOT_FOUND,
                   "key \"/nowhere/k.pem\": No such file");
    expect_refused((struct tls_files){.cert = "/tmp", .key = ec.key}, RC_NOT_FOUND,
                   "\"/tmp\": Is a directory");
}

static void files_without_a_certificate_or_key_are_refused(void **state)
{
    char empty[] = "/tmp/belfry-test-pem-XXXXXX";
    char cut[] = "/tmp/belfry-test-pem-XXXXXX";

    (void)state;
    cert_write_file(empty, "");
    cert_write_file(cut, "-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n");
    expect_refused((struct tls_files){.cert = ec.key, .key = ec.key}, RC_INVALID,
                   "does not begin with a certificate");
    expect_refused((struct tls_files){.cert = empty, .key = ec.key}, RC_INVALID,
                   "does not begin with a certificate");
    expect_refused((struct tls_files){.cert = cut, .key = ec.key}, RC_INVALID,
                   "does not begin with a certificate");
    expect_refused((struct tls_files){.cert = ec.cert, .key = ec.cert}, RC_INVALID,
                   "has no private key");
    expect_refused((struct tls_files){.cert = ec.cert, .key = empty}, RC_INVALID,
                   "has no private key");
    unlink(empty);
    unlink(cut);
}

static void a_key_of_another_certificate_is_refused(void **state)
{
    struct cert other;

    (void)state;
    cert_make(CERT_EC, "other", &other);
    expect_refused((struct tls_files){.cert = ec.cert, .key = other.key}, RC_CONFLICT,
                   "does not match the certificate");
    expect_refused((struct tls_files){.cert = ec.cert, .key = rsa.key}, RC_CONFLICT,
                   "does not match the certificate");
    cert_remove(&other);
}

static void a_key_with_a_password_is_refused_without_a_prompt(void **state)
{
    struct cert locked;

    (void)state;
    cert_make(CERT_EC, "locked", &locked);
    cert_lock_key(&locked, "sesame");
    expect_refused(cert_files(&locked), RC_INVALID, "has a password");
    cert_remove(&locked);
}

static void a_key_that_is_too_weak_is_refused(void **state)
{
    struct cert weak;

    (void)state;
    cert_make(CERT_RSA_WEAK, "weak", &weak);
    expect_refused(cert_files(&weak), RC_INVALID, "key too small");
    cert_remove(&weak);
}

static char *read_text(const char *path)
{
    char *text = calloc(1, 8192);
    FILE *file = fopen(path, "r");

    must(text != NULL && file != NULL && fread(text, 1, 8191, file) > 0);
    fclose(file);
    return text;
}

static void the_rest_of_a_chain_must_be_certificates(void **state)
{
    char chain[] = "/tmp/belfry-test-pem-XXXXXX", broken[] = "/tmp/belfry-test-pem-XXXXXX";
    char *first = read_text(ec.cert), *second = read_text(rsa.cert), text[16384];
    struct tls_files files = {.cert = chain, .key = ec.key};
    struct tls_context *context = NULL;
    struct err err;

    (void)state;
    snprintf(text, sizeof text, "%s\nfrom our authority:\n%s", first, second);
    cert_write_file(chain, text);
    assert_int_equal(tls_context_open(&files, &context, &err), RC_OK);
    tls_context_free(context);
    second[strlen(second) / 2] = '*';
    snprintf(text, sizeof text, "%s%s", first, second);
    cert_write_file(broken, text);
    expect_refused((struct tls_files){.cert = broken, .key = ec.key}, RC_INVALID,
                   "cannot be used");
    unlink(chain);
    unlink(broken);
    free(first);
    free(second);
}

static void expect_not_trusted(const char *path, enum rc rc, const char *arg)
{
    struct err err = {0};

    assert_int_equal(tls_check_authorities(path, &err), rc);
    if (!strstr(err.text, arg))
        fail_msg("\"%s\" is not in: %s", arg, err.text);
}

static void a_file_of_authorities_has_only_valid_certificates(void **state)
{
    char both[] = "/tmp/belfry-test-pem-XXXXXX", broken[] = "/tmp/belfry-test-pem-XXXXXX";
    char empty[] = "/tmp/belfry-test-pem-XXXXXX";
    char *first = read_text(ec.cert), *second = read_text(rsa.cert), text[16384];
    struct err err;

    (void)state;
    snprintf(text, sizeof text, "our authority:\n%s\n\nand theirs:\n%s", first, second);
    cert_write_file(both, text);
    second[strlen(second) / 2] = '*';
    snprintf(text, sizeof text, "%s%s", first, second);
    cert_write_file(broken, text);
    cert_write_file(empty, "");
    assert_int_equal(tls_check_authorities(ec.cert, &err), RC_OK);
    assert_int_equal(tls_check_authorities(both, &err), RC_OK);
    expect_not_trusted("/nowhere/ca.pem", RC_NOT_FOUND, "\"/nowhere/ca.pem\": No such file");
    expect_not_trusted("/tmp", RC_NOT_FOUND, "\"/tmp\": Is a directory");
    expect_not_trusted(ec.key, RC_INVALID, "has no certificate in PEM form");
    expect_not_trusted(empty, RC_INVALID, "has no certificate in PEM form");
    expect_not_trusted(broken, RC_INVALID, "is damaged");
    unlink(both);
    unlink(broken);
    unlink(empty);
    free(first);
    free(second);
}

/* ---- the protocol ---- */

struct talk {
    struct tls_context *context;
    struct tls *tls;
    SSL *client;
    BIO *to_client, *from_client;
    char plain[128 * 1024];
};

static void on_encrypted(void *arg, struct str encrypted)
{
    BIO *to_client = arg;

    assert_int_equal(BIO_write(to_client, encrypted.ptr, (int)encrypted.len),
                     (int)encrypted.len);
}

static struct talk *talk_begin(struct tls_files files, const struct tls_client_options *options)
{
    struct talk *talk = calloc(1, sizeof *talk);
    struct err err;

    assert_non_null(talk);
    talk->to_client = BIO_new(BIO_s_mem());
    talk->from_client = BIO_new(BIO_s_mem());
    talk->client = tls_client_new(-1, options);
    SSL_set_bio(talk->client, talk->to_client, talk->from_client);
    assert_int_equal(tls_context_open(&files, &talk->context, &err), RC_OK);
    talk->tls = tls_new(talk->context, on_encrypted, talk->to_client);
    /* Connections that were made with it do not need it any more. */
    talk->context = tls_context_free(talk->context);
    return talk;
}

static void talk_end(struct talk *talk)
{
    tls_free(talk->tls);
    SSL_free(talk->client);
    free(talk);
}

/* Passes on what the client has sent, in pieces of at most `piece` bytes. */
static enum tls_state talk_pass(struct talk *talk, size_t piece, struct buf *plain)
{
    enum tls_state state = TLS_SHAKING;
    char bytes[64 * 1024];
    size_t n;

    assert_true(piece <= sizeof bytes);
    while (BIO_read_ex(talk->from_client, bytes, piece, &n) == 1) {
        state = tls_read(talk->tls, (struct str){bytes, n}, plain);
        if (state == TLS_FAILED)
            break;
    }
    return state;
}

static enum tls_state talk_shake(struct talk *talk, size_t piece)
{
    struct buf plain = BUF(talk->plain);
    enum tls_state state = TLS_SHAKING;

    for (int i = 0; i < 4 && state == TLS_SHAKING; i++) {
        SSL_do_handshake(talk->client);
        state = talk_pass(talk, piece, &plain);
    }
    SSL_do_handshake(talk->client);
    assert_int_equal(plain.len, 0);
    return state;
}

static void any_split_of_the_encrypted_bytes_gives_the_same_result(void **state)
{
    static const int versions[] = {TLS1_2_VERSION, TLS1_3_VERSION};

    (void)state;
    for (int v = 0; v < 2; v++)
        for (size_t piece = 1; piece <= 1000; piece = piece * 3 + 1) {
            struct tls_client_options options = {.oldest = versions[v], .newest = versions[v]};
            struct talk *talk = talk_begin(cert_files(&rsa), &options);
            struct buf plain = BUF(talk->plain);
            char answer[16];

            assert_int_equal(talk_shake(talk, piece), TLS_OPEN);
            assert_int_equal(SSL_write(talk->client, "ask", 3), 3);
            assert_int_equal(SSL_write(talk->client, "more", 4), 4);
            assert_int_equal(talk_pass(talk, piece, &plain), TLS_OPEN);
            assert_true(str_eq(buf_as_str(&plain), STR("askmore")));
            assert_true(tls_write(talk->tls, STR("answer")));
            assert_int_equal(SSL_read(talk->client, answer, sizeof answer), 6);
            assert_memory_equal(answer, "answer", 6);
            talk_end(talk);
        }
}

static void each_side_may_end_separately(void **state)
{
    struct talk *talk = talk_begin(cert_files(&ec), &(struct tls_client_options){0});
    struct buf plain = BUF(talk->plain);
    char answer[16];

    (void)state;
    assert_int_equal(talk_shake(talk, 4096), TLS_OPEN);
    assert_int_equal(SSL_write(talk->client, "last", 4), 4);
    SSL_shutdown(talk->client);
    assert_int_equal(talk_pass(talk, 4096, &plain), TLS_ENDED);
    assert_true(str_eq(buf_as_str(&plain), STR("last")));
    assert_true(tls_write(talk->tls, STR("word")));
    tls_end(talk->tls);
    assert_int_equal(SSL_read(talk->client, answer, sizeof answer), 4);
    assert_int_equal(SSL_read(talk->client, answer, sizeof answer), 0);
    assert_int_equal(SSL_get_error(talk->client, 0), SSL_ERROR_ZERO_RETURN);
    talk_end(talk);
}

static void a_changed_byte_is_detected(void **state)
{
    struct talk *talk = talk_begin(cert_files(&ec), &(struct tls_client_options){0});
    struct buf plain = BUF(talk->plain);
    char bytes[4096];
    size_t n;

    (void)state;
    assert_int_equal(talk_shake(talk, 4096), TLS_OPEN);
    assert_int_equal(SSL_write(talk->client, "ask", 3), 3);
    assert_int_equal(BIO_read_ex(talk->from_client, bytes, sizeof bytes, &n), 1);
    bytes[n - 1] = (char)(bytes[n - 1] ^ 1);
    assert_int_equal(tls_read(talk->tls, (struct str){bytes, n}, &plain), TLS_FAILED);
    assert_int_equal(plain.len, 0);
    talk_end(talk);
}

/* The server fails before the client has read the refusal; OpenSSL alone would wait. */
static void the_first_renegotiation_fails_the_connection(void **state)
{
    struct talk *talk = talk_begin(cert_files(&ec),
                                   &(struct tls_client_options){.newest = TLS1_2_VERSION});
    struct buf plain = BUF(talk->plain);

    (void)state;
    assert_int_equal(talk_shake(talk, 4096), TLS_OPEN);
    assert_int_equal(SSL_renegotiate(talk->client), 1);
    SSL_do_handshake(talk->client);
    assert_int_equal(talk_pass(talk, 4096, &plain), TLS_FAILED);
    SSL_do_handshake(talk->client);
    assert_int_equal(ERR_GET_REASON(ERR_peek_last_error()), SSL_R_NO_RENEGOTIATION);
    ERR_clear_error();
    talk_end(talk);
}

static void expect_alpn(bool offers_h2, const char *offer, enum tls_state state,
                        const char *agreed)
{
    struct tls_files files = cert_files(&ec);
    struct talk *talk;
    const unsigned char *name;
    unsigned len;

    files.offers_h2 = offers_h2;
    talk = talk_begin(files, &(struct tls_client_options){.alpn = offer});
    assert_int_equal(talk_shake(talk, 4096), state);
    SSL_get0_alpn_selected(talk->client, &name, &len);
    assert_true(str_eq((struct str){(const char *)name, len}, str_of(agreed)));
    assert_int_equal(tls_has_h2(talk->tls), strcmp(agreed, "h2") == 0);
    talk_end(talk);
}

/* RFC 7301 section 3.2: without a name in common the handshake fails. */
static void http_1_1_is_preferred_and_h2_given_when_it_is_offered(void **state)
{
    (void)state;
    expect_alpn(false, NULL, TLS_OPEN, "");
    expect_alpn(false, "\x08http/1.1", TLS_OPEN, "http/1.1");
    expect_alpn(false, "\x02h2\x08http/1.1", TLS_OPEN, "http/1.1");
    expect_alpn(false, "\x02h2", TLS_FAILED, "");
    expect_alpn(true, NULL, TLS_OPEN, "");
    expect_alpn(true, "\x02h2\x08http/1.1", TLS_OPEN, "http/1.1");
    expect_alpn(true, "\x02h2", TLS_OPEN, "h2");
    expect_alpn(true, "\x06spdy/3", TLS_FAILED, "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_that_cannot_be_read_are_named),
        cmocka_unit_test(files_without_a_certificate_or_key_are_refused),
        cmocka_unit_test(a_key_of_another_certificate_is_refused),
        cmocka_unit_test(a_key_with_a_password_is_refused_without_a_prompt),
        cmocka_unit_test(a_key_that_is_too_weak_is_refused),
        cmocka_unit_test(the_rest_of_a_chain_must_be_certificates),
        cmocka_unit_test(a_file_of_authorities_has_only_valid_certificates),
        cmocka_unit_test(any_split_of_the_encrypted_bytes_gives_the_same_result),
        cmocka_unit_test(each_side_may_end_separately),
        cmocka_unit_test(a_changed_byte_is_detected),
        cmocka_unit_test(the_first_renegotiation_fails_the_connection),
        cmocka_unit_test(http_1_1_is_preferred_and_h2_given_when_it_is_offered),
    };

    return cmocka_run_group_tests(tests, make_certs, remove_certs);
}
