/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The HTTP/2 client with TLS: authorities, names, and certificates of its own.
 */
#include "http_caller.h"

#include <fcntl.h>
#include <string.h>

#include "io/file.h"
#include "tls_proxy.h"

enum { PEM_MAX = 8192 };

static struct app *app;
static struct cert cert, other;

static int start(void **state)
{
    struct tls_files files;

    (void)state;
    cert_make(CERT_EC, "server", &cert);
    cert_make(CERT_EC, "other", &other);
    files = cert_files(&cert);
    files.offers_h2 = true;
    app = app_start_tls(&listener_limits_default, &files);
    return 0;
}

static int stop(void **state)
{
    (void)state;
    app_stop(app);
    cert_remove(&cert);
    cert_remove(&other);
    return 0;
}

static struct str read_pem(const char *path, char room[PEM_MAX])
{
    ssize_t n = file_read_at(AT_FDCWD, path, room, PEM_MAX);

    assert_true(n > 0 && n < PEM_MAX);
    return (struct str){room, (size_t)n};
}

static void assert_answered(struct http_caller *caller)
{
    struct http_caller_call *call = http_caller_get(caller, "/big");

    http_caller_wait(call);
    assert_string_equal(call->text, "");
    assert_int_equal(call->kind, HTTP_END_DONE);
    assert_int_equal(call->received, APP_BIG);
    assert_false(call->is_different);
    http_caller_wait(http_caller_get(caller, "/x"));
    assert_int_equal(http_client_connections(caller->client), 1);
    http_caller_close(caller);
}

static void assert_failed(struct http_caller *caller, enum http_end_kind kind, const char *text)
{
    struct http_caller_call *call = http_caller_get(caller, "/x");

    http_caller_wait(call);
    if (!strstr(call->text, text))
        fail_msg("%s", call->text);
    assert_int_equal(call->kind, kind);
    http_caller_close(caller);
}

static void a_file_of_authorities_is_used(void **state)
{
    (void)state;
    assert_answered(http_caller_open("https", app->tls_port, cert.cert));
}

static void the_authorities_of_a_target_come_first(void **state)
{
    struct http_caller *caller = http_caller_open("https", app->tls_port, other.cert);
    char room[PEM_MAX];

    (void)state;
    caller->target.ca = read_pem(cert.cert, room);
    assert_answered(caller);
}

static void an_unknown_authority_is_rejected(void **state)
{
    (void)state;
    assert_failed(http_caller_open("https", app->tls_port, other.cert), HTTP_END_UNCONNECTED,
                  "self-signed certificate");
}

/* The certificate is for 127.0.0.1 only. */
static void another_name_is_rejected(void **state)
{
    struct http_caller *caller = http_caller_open("https", app->tls_port, cert.cert);

    (void)state;
    caller->target.server_name = STR("temporal.example");
    assert_failed(caller, HTTP_END_UNCONNECTED, "hostname mismatch");
}

static void a_server_without_tls_is_reported(void **state)
{
    (void)state;
    assert_failed(http_caller_open("https", app->port, cert.cert), HTTP_END_UNCONNECTED,
                  "TLS to the upstream failed");
}

/* Answered by an alert of TLS: the bytes are not HTTP/2. */
static void a_server_with_tls_is_not_called_in_plain_text(void **state)
{
    (void)state;
    assert_failed(http_caller_open("http", app->tls_port, NULL), HTTP_END_BROKEN, "");
}

static void a_server_may_require_a_certificate(void **state)
{
    char cert_room[PEM_MAX], key_room[PEM_MAX];
    struct tls_proxy proxy;
    struct http_caller *caller;

    (void)state;
    tls_proxy_open_mutual(&proxy, app->port, other.cert);
    assert_failed(http_caller_open("https", (uint16_t)proxy.port, proxy.cert.cert),
                  HTTP_END_BROKEN, "certificate required");
    caller = http_caller_open("https", (uint16_t)proxy.port, proxy.cert.cert);
    caller->target.cert = read_pem(other.cert, cert_room);
    caller->target.key = read_pem(other.key, key_room);
    assert_answered(caller);
    tls_proxy_close(&proxy);
}

static void an_unusable_certificate_is_reported(void **state)
{
    struct http_caller *caller = http_caller_open("https", app->tls_port, cert.cert);
    char cert_room[PEM_MAX], key_room[PEM_MAX];

    (void)state;
    caller->target.cert = read_pem(cert.cert, cert_room);
    caller->target.key = read_pem(other.key, key_room);
    assert_failed(caller, HTTP_END_UNCONNECTED, "does not match the certificate");
}

#define WITH_APP(name) cmocka_unit_test_setup_teardown(name, start, stop)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_APP(a_file_of_authorities_is_used),
        WITH_APP(the_authorities_of_a_target_come_first),
        WITH_APP(an_unknown_authority_is_rejected),
        WITH_APP(another_name_is_rejected),
        WITH_APP(a_server_without_tls_is_reported),
        WITH_APP(a_server_with_tls_is_not_called_in_plain_text),
        WITH_APP(a_server_may_require_a_certificate),
        WITH_APP(an_unusable_certificate_is_reported),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
