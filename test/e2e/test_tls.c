/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of the server with TLS: its start, its clients, and a renewed certificate.
 */
#include <openssl/err.h>
#include <openssl/ssl.h>
#include <signal.h>
#include <stdio.h>

#include "cert.h"
#include "request.h"

enum { STATUS_FAILED = 1, NAME_MAX_BYTES = 64, CONF_MAX = 1024, ANSWER_MAX = 4096 };

static struct server *spawn(struct world *w, const struct cert *cert, const char *listen)
{
    return server_spawn(w,
                        &(struct server_start){
                            .is_bare = true,
                            .args = WORDS("--db", w->url, "--listen", listen, "--grpc", "none",
                                          "--tls-cert", cert->cert, "--tls-key", cert->key)});
}

static struct server *start(struct world *w, const struct cert *cert)
{
    struct server *d = spawn(w, cert, "127.0.0.1:0");

    d->port = server_port(d);
    server_await(d, "msg=ready");
    return d;
}

/* Like `curl --cacert`: the server's certificate must be exactly this one. */
static SSL *connect_trusting(const struct server *d, const char *cert)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    SSL *ssl;

    assert_non_null(ctx);
    assert_int_equal(SSL_CTX_load_verify_locations(ctx, cert, NULL), 1);
    SSL_CTX_set_verify(ctx, SSL_VERIFY_PEER, NULL);
    ssl = SSL_new(ctx);
    SSL_CTX_free(ctx);
    assert_non_null(ssl);
    assert_int_equal(SSL_set_fd(ssl, request_connect(d)), 1);
    if (SSL_connect(ssl) == 1)
        return ssl;
    close(SSL_get_fd(ssl));
    SSL_free(ssl);
    ERR_clear_error();
    return NULL;
}

static void hang_up(SSL *ssl)
{
    int fd = SSL_get_fd(ssl);

    SSL_free(ssl);
    close(fd);
}

static size_t length_in(const char *head)
{
    const char *at = strstr(head, "Content-Length: ");

    assert_non_null(at);
    return (size_t)strtoul(at + strlen("Content-Length: "), NULL, 10);
}

/* Sends one request on a connection that stays open; returns the status. */
static int status_of(SSL *ssl, const char *path)
{
    char text[ANSWER_MAX];
    int len = snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: localhost\r\n\r\n", path);
    int status = 0;
    char *end;

    assert_int_equal(SSL_write(ssl, text, len), len);
    len = 0;
    do {
        int n = SSL_read(ssl, text + len, (int)sizeof text - 1 - len);

        assert_true(n > 0);
        len += n;
        text[len] = '\0';
        end = strstr(text, "\r\n\r\n");
    } while (!end || (size_t)len < (size_t)(end + 4 - text) + length_in(text));
    assert_int_equal(sscanf(text, "HTTP/1.1 %d ", &status), 1);
    return status;
}

static void requests_are_answered_only_with_tls(void **state)
{
    struct world *w = *state;
    struct cert cert, other;
    struct server *d;
    SSL *ssl;

    cert_make(CERT_EC, "one", &cert);
    cert_make(CERT_EC, "other", &other);
    d = start(w, &cert);
    assert_true(server_has_logged(d, "scheme=https"));
    ssl = connect_trusting(d, cert.cert);
    assert_non_null(ssl);
    assert_int_equal(status_of(ssl, "/healthz"), 200);
    assert_int_equal(status_of(ssl, "/nowhere"), 404);
    hang_up(ssl);
    assert_null(connect_trusting(d, other.cert));
    assert_int_equal(ask(d, "GET", "/healthz", NULL).status, 400); /* a request without TLS */
    assert_int_equal(server_stop(d), 0);
    cert_remove(&cert);
    cert_remove(&other);
}

static void with_tls_the_server_may_listen_on_all_addresses(void **state)
{
    struct world *w = *state;
    struct cert cert;
    struct server *d;

    cert_make(CERT_EC, "one", &cert);
    d = spawn(w, &cert, "0.0.0.0:0");
    server_await(d, "address=0.0.0.0");
    server_await(d, "msg=ready");
    assert_int_equal(server_stop(d), 0);
    cert_remove(&cert);
}

static void a_key_of_another_certificate_is_refused_at_the_start(void **state)
{
    struct world *w = *state;
    struct cert cert, other;
    struct server *d;

    cert_make(CERT_EC, "one", &cert);
    cert_make(CERT_EC, "other", &other);
    assert_int_equal(rename(other.key, cert.key), 0);
    d = spawn(w, &cert, "127.0.0.1:0");
    assert_int_equal(server_wait(d), STATUS_FAILED);
    assert_non_null(strstr(d->log, "does not match the certificate"));
    cert_remove(&cert);
    cert_remove(&other);
}

static void a_renewed_certificate_is_used_after_a_reload(void **state)
{
    struct world *w = *state;
    const char *old = world_path(w, "old"); /* the certificate that the old clients trust */
    struct cert cert, renewed;
    struct server *d;
    SSL *before, *after;

    cert_make(CERT_EC, "one", &cert);
    cert_make(CERT_EC, "renewed", &renewed);
    d = start(w, &cert);
    before = connect_trusting(d, cert.cert);
    assert_non_null(before);
    assert_int_equal(link(cert.cert, old), 0);

    /* A renewal replaces the files under the same names; at first only one of them. */
    assert_int_equal(rename(renewed.cert, cert.cert), 0);
    server_signal(d, SIGHUP);
    server_await(d, "msg=\"cannot reload the TLS certificate; keeping the old one\"");
    after = connect_trusting(d, old);
    assert_non_null(after);
    hang_up(after);
    assert_int_equal(rename(renewed.key, cert.key), 0);
    server_signal(d, SIGHUP);
    server_await(d, "msg=\"TLS certificate reloaded\"");
    after = connect_trusting(d, cert.cert);
    assert_non_null(after);
    assert_null(connect_trusting(d, old));
    assert_int_equal(status_of(after, "/healthz"), 200);
    assert_int_equal(status_of(before, "/healthz"), 200);
    hang_up(before);
    hang_up(after);
    assert_int_equal(server_stop(d), 0);
    cert_remove(&cert);
}

/* ---- certificates that calls trust ---- */

static struct server *spawn_trusting(struct world *w, const char *ca)
{
    char text[CONF_MAX];
    const char *file;

    snprintf(text, sizeof text, "http_allow_private = true\n%s%s\n", ca ? "http_ca = " : "",
             ca ? ca : "");
    file = world_write(w, "calls.conf", text);
    return server_spawn(w, &(struct server_start){.args = WORDS("--file", file)});
}

/* The ended run that called the other server. */
static const json_t *called(struct world *w, const char *ca, const struct server *other)
{
    const char *id = ca ? "trusting" : "as-the-system";
    struct server *d = spawn_trusting(w, ca);
    char path[NAME_MAX_BYTES];
    const json_t *run;

    d->port = server_port(d);
    server_await(d, "msg=ready");
    make_schedule(d, id,
                  "'action':{'type':'http','method':'GET',"
                  "'url':'https://127.0.0.1:%u/healthz'},'policies':{'retry':{'attempts':1}}",
                  other->port);
    snprintf(path, sizeof path, "/api/v1/runs/%s", trigger(d, id));
    UNTIL(strcmp(text_at(api(d, 200, "GET", path, NULL), "state"), "ended") == 0);
    run = api(d, 200, "GET", path, NULL);
    assert_int_equal(server_stop(d), 0);
    return run;
}

/* Another Belfry server with a self-signed certificate. */
static void a_call_trusts_the_configured_certificates(void **state)
{
    struct world *w = *state;
    char url[CONF_MAX];
    const json_t *run;
    struct cert cert;
    struct server *other;

    cert_make(CERT_EC, "authority", &cert);
    snprintf(url, sizeof url, "sqlite:%s", world_path(w, "other.db"));
    other = server_spawn(
        w, &(struct server_start){.is_bare = true,
                                  .args = WORDS("--db", url, "--listen", "127.0.0.1:0",
                                                "--grpc", "none", "--tls-cert", cert.cert,
                                                "--tls-key", cert.key)});
    other->port = server_port(other);
    server_await(other, "msg=ready");
    run = called(w, cert.cert, other);
    assert_string_equal(text_at(run, "outcome"), "succeeded");
    assert_int_equal(number_at(run, "result.status"), 200);
    run = called(w, NULL, other);
    assert_string_equal(text_at(run, "outcome"), "failed");
    assert_string_equal(text_at(run, "error.code"), "http_tls");
    assert_int_equal(server_stop(other), 0);
    cert_remove(&cert);
}

static void expect_refused(struct server *d, const char *where, const char *why)
{
    assert_int_equal(server_wait(d), STATUS_FAILED);
    if (!strstr(d->log, where) || !strstr(d->log, why))
        fail_msg("no `%s` or no `%s`:\n%s", where, why, d->log);
}

static void an_unusable_http_ca_is_refused_with_line_and_reason(void **state)
{
    struct world *w = *state;
    const char *text = world_write(w, "ca.pem", "not a certificate\n");

    expect_refused(spawn_trusting(w, "/nowhere/ca.pem"),
                   "calls.conf:2: http_ca: ", "No such file or directory");
    expect_refused(spawn_trusting(w, text),
                   "calls.conf:2: http_ca: ", "has no certificate in PEM form");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(requests_are_answered_only_with_tls),
        E2E_TEST(with_tls_the_server_may_listen_on_all_addresses),
        E2E_TEST(a_key_of_another_certificate_is_refused_at_the_start),
        E2E_TEST(a_renewed_certificate_is_used_after_a_reload),
        E2E_TEST(a_call_trusts_the_configured_certificates),
        E2E_TEST(an_unusable_http_ca_is_refused_with_line_and_reason),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
