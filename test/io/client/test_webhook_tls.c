/* SPDX-License-Identifier: Apache-2.0 */
/*
 * https to a real server: a child process with its own certificate, for 127.0.0.1 and no name.
 */
#include <netinet/in.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509v3.h>

#include "base/must.h"
#include "caller.h"

enum { CALLS_MAX = 16 };

static char ca_path[] = "/tmp/belfry-test-ca-XXXXXX";
static int tls_port, old_port;
static pid_t children[2];

static X509 *make_certificate(EVP_PKEY *key)
{
    X509 *cert = X509_new();
    X509_NAME *name = X509_get_subject_name(cert);
    X509_EXTENSION *address = X509V3_EXT_conf_nid(NULL, NULL, NID_subject_alt_name,
                                                  "IP:127.0.0.1");

    must(cert != NULL && address != NULL);
    X509_set_version(cert, 2);
    ASN1_INTEGER_set(X509_get_serialNumber(cert), 1);
    X509_gmtime_adj(X509_getm_notBefore(cert), -3600);
    X509_gmtime_adj(X509_getm_notAfter(cert), 3600);
    X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, (const unsigned char *)"test", -1, -1,
                               0);
    X509_set_issuer_name(cert, name);
    X509_set_pubkey(cert, key);
    X509_add_ext(cert, address, -1);
    X509_EXTENSION_free(address);
    must(X509_sign(cert, key, EVP_sha256()) > 0);
    return cert;
}

/* Answers one connection after the other; stop_servers() ends it. */
static void serve(int listener, SSL_CTX *context)
{
    static const char answer[] =
        "HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 6\r\n\r\nsecret";
    char request[4096];

    for (int i = 0; i < CALLS_MAX; i++) {
        int fd = accept(listener, NULL, NULL);
        SSL *ssl = SSL_new(context);

        SSL_set_fd(ssl, fd);
        if (SSL_accept(ssl) == 1 && SSL_read(ssl, request, sizeof request) > 0)
            SSL_write(ssl, answer, sizeof answer - 1);
        SSL_shutdown(ssl);
        SSL_free(ssl);
        close(fd);
    }
}

static pid_t start_server(X509 *cert, EVP_PKEY *key, int newest, int *ret_port)
{
    struct sockaddr_in address = {.sin_family = AF_INET,
                                  .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof address;
    int listener = socket(AF_INET, SOCK_STREAM, 0);
    pid_t child;

    must(bind(listener, (struct sockaddr *)&address, sizeof address) == 0);
    must(listen(listener, 16) == 0);
    must(getsockname(listener, (struct sockaddr *)&address, &len) == 0);
    *ret_port = ntohs(address.sin_port);
    child = fork();
    must(child >= 0);
    if (child == 0) {
        SSL_CTX *context = SSL_CTX_new(TLS_server_method());

        signal(SIGPIPE, SIG_IGN);
        SSL_CTX_set_security_level(context, 0);
        SSL_CTX_set_min_proto_version(context, TLS1_VERSION);
        SSL_CTX_set_max_proto_version(context, newest);
        must(SSL_CTX_use_certificate(context, cert) == 1);
        must(SSL_CTX_use_PrivateKey(context, key) == 1);
        serve(listener, context);
        _exit(0);
    }
    close(listener);
    return child;
}

static int start_servers(void **state)
{
    EVP_PKEY *key = EVP_RSA_gen(2048);
    X509 *cert = make_certificate(key);
    int fd = mkstemp(ca_path);
    FILE *file = fdopen(fd, "w");

    (void)state;
    must(file != NULL && PEM_write_X509(file, cert) == 1 && fclose(file) == 0);
    children[0] = start_server(cert, key, TLS1_3_VERSION, &tls_port);
    children[1] = start_server(cert, key, TLS1_1_VERSION, &old_port);
    X509_free(cert);
    EVP_PKEY_free(key);
    return 0;
}

static int stop_servers(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        kill(children[i], SIGKILL);
        must(waitpid(children[i], NULL, 0) == children[i]);
    }
    unlink(ca_path);
    return 0;
}

static const struct caller_end *call_tls(struct caller *caller, const char *ca_file,
                                         const char *host, int port)
{
    struct webhook_request request;
    char url[64];

    caller->ca_file = ca_file;
    caller_limit(caller, 1, 1, 1);
    request = caller_request(caller, "/");
    snprintf(url, sizeof url, "https://%s:%d/", host, port);
    request.url = str_of(url);
    return caller_call(caller, &request);
}

static void a_trusted_certificate_for_the_host_is_accepted(void **state)
{
    const struct caller_end *got = call_tls(*state, ca_path, "127.0.0.1", tls_port);

    if (got->result.kind != WEBHOOK_ANSWERED)
        fail_msg("%s", got->result.err.text);
    assert_int_equal(got->result.status, 200);
    assert_string_equal(got->body, "secret");
}

static void an_untrusted_certificate_gets_no_request(void **state)
{
    const struct caller_end *got = call_tls(*state, NULL, "127.0.0.1", tls_port);

    assert_int_equal(got->result.kind, WEBHOOK_UNCONNECTED);
    assert_int_equal(got->result.phase, WEBHOOK_IN_TLS);
    assert_false(got->result.is_sent);
    assert_non_null(strstr(got->result.err.text, "certificate"));
}

static void a_certificate_for_another_host_gets_no_request(void **state)
{
    const struct caller_end *got;

    caller_rebind((const char *const[]){"127.0.0.1", NULL});
    got = call_tls(*state, ca_path, "rebound.test", tls_port);
    assert_int_equal(got->result.kind, WEBHOOK_UNCONNECTED);
    assert_false(got->result.is_sent);
    assert_non_null(strstr(got->result.err.text, "rebound.test"));
    caller_rebind(NULL);
}

static void tls_before_1_2_gets_no_request(void **state)
{
    const struct caller_end *got = call_tls(*state, ca_path, "127.0.0.1", old_port);

    assert_int_equal(got->result.kind, WEBHOOK_UNCONNECTED);
    assert_int_equal(got->result.phase, WEBHOOK_IN_TLS);
    assert_false(got->result.is_sent);
}

#define WITH_CALLER(name) cmocka_unit_test_setup_teardown(name, caller_setup, caller_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CALLER(a_trusted_certificate_for_the_host_is_accepted),
        WITH_CALLER(an_untrusted_certificate_gets_no_request),
        WITH_CALLER(a_certificate_for_another_host_gets_no_request),
        WITH_CALLER(tls_before_1_2_gets_no_request),
    };

    return cmocka_run_group_tests(tests, start_servers, stop_servers);
}
