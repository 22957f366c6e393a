/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Deliberately slow clients ("slowloris"): each keeps something moving, or nothing, and never
 * finishes.  Each must be ended by its limit, plain and with TLS, and must not affect other
 * clients.
 */
#include "tls_client.h"

#include <poll.h>

#include "base/must.h"
#include "cert.h"
#include "io/clock.h"

enum { DRIP_MS = 20, SLOW_CLIENTS = 100 };

/* The limit that a case tests; a client that drips sends about four times before it. */
#define LIMIT (80 * SPAN_MS)
/* The limit for a client that must speak before it; it may be slow on a busy machine. */
#define AMPLE (2 * SPAN_S)

#define POST     "POST / HTTP/1.1\r\nHost: h\r\n"
#define CHUNKED  POST "Transfer-Encoding: chunked\r\n\r\n"
#define TIMEOUT  "HTTP/1.1 408 Request Timeout\r\n"
#define CONTINUE "HTTP/1.1 100 Continue\r\n\r\n"
#define NOTHING  "HTTP/1.1 204 No Content\r\nDate: %\r\n\r\n"

enum limit { IDLE, HEAD, BODY };

static const struct {
    const char *name;
    enum limit limit;
    const char *says, *hears; /* before the drip */
    const char *drip;         /* again and again */
    const char *answer;       /* what ends it; "": it is closed */
} rows[] = {
    {"nothing is said", IDLE, "", "", "", ""},
    {"nothing more is said", IDLE, GET("/nothing"), NOTHING, "", ""},
    {"one byte and no more", HEAD, "G", "", "", TIMEOUT},
    {"an empty line and no more", HEAD, "\r\n", "", "", TIMEOUT},
    {"a method", HEAD, "G", "", "E", TIMEOUT},
    {"a path", HEAD, "GET /", "", "a", TIMEOUT},
    {"a query", HEAD, "GET /?", "", "a&", TIMEOUT},
    {"the name of a field", HEAD, "GET / HTTP/1.1\r\nX", "", "x", TIMEOUT},
    {"the value of a field", HEAD, "GET / HTTP/1.1\r\nX:", "", " y", TIMEOUT},
    {"field after field", HEAD, "GET / HTTP/1.1\r\nHost: h\r\n", "", "X: y\r\n", TIMEOUT},
    {"the end of the head", HEAD, "GET / HTTP/1.1\r\nHost: h\r\n\r", "", "", TIMEOUT},
    {"the second request", HEAD, GET("/nothing") "GET /", NOTHING, "a", TIMEOUT},
    {"a body that does not come", BODY, POST "Content-Length: 9\r\n\r\n", "", "", TIMEOUT},
    {"a body", BODY, POST "Content-Length: 99999\r\n\r\n", "", "x", TIMEOUT},
    {"a body that was waited for", BODY,
     POST "Content-Length: 9\r\nExpect: 100-continue\r\n\r\n", CONTINUE, "", TIMEOUT},
    {"a chunk that does not come", BODY, CHUNKED, "", "", TIMEOUT},
    {"chunk after chunk", BODY, CHUNKED, "", "1\r\nx\r\n", TIMEOUT},
    {"the size of a chunk", BODY, CHUNKED "0", "", "", TIMEOUT},
    {"the extension of a chunk", BODY, CHUNKED "1;a", "", "a", TIMEOUT},
    {"the data of a chunk", BODY, CHUNKED "ffff\r\n", "", "x", TIMEOUT},
    {"a trailer", BODY, CHUNKED "0\r\nX: ", "", "y", TIMEOUT},
    {"trailer after trailer", BODY, CHUNKED "0\r\n", "", "X: y\r\n", TIMEOUT},
};

static struct cert cert;

static int make_cert(void **state)
{
    (void)state;
    cert_make(CERT_EC, "slow", &cert);
    return 0;
}

static int remove_cert(void **state)
{
    (void)state;
    cert_remove(&cert);
    return 0;
}

/* Only the tested limit may end the connection. */
static struct app *start(size_t row)
{
    enum limit limit = rows[row].limit;
    struct listener_limits limits = listener_limits_default;
    struct tls_files files = cert_files(&cert);

    limits.idle = limits.head = limits.body_window = limits.linger = SPAN_H;
    *(limit == IDLE ? &limits.idle
      : limit == HEAD
          ? &limits.head
          : &limits.body_window) = limit == IDLE && rows[row].says[0] != '\0' ? AMPLE : LIMIT;
    return app_start_tls(&limits, &files);
}

/* Drips until there is an answer, or the end. */
static void drip(int fd, SSL *ssl, const char *text)
{
    struct pollfd events = {.fd = fd, .events = POLLIN};
    int64_t until = clock_boot_us() + PATIENCE;

    while (poll(&events, 1, DRIP_MS) == 0) {
        assert_true(clock_boot_us() < until);
        if (ssl && text[0] != '\0')
            tls_client_say(ssl, text);
        else if (text[0] != '\0')
            client_say(fd, text);
    }
}

static void every_slow_client_is_ended(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct app *app = start(i);
        int fd = client_connect(app);

        print_message("# %s\n", rows[i].name);
        client_say(fd, rows[i].says);
        client_expect(fd, rows[i].hears);
        drip(fd, NULL, rows[i].drip);
        client_expect(fd, rows[i].answer);
        if (rows[i].answer[0] == '\0')
            client_expect_end(fd);
        else
            close(fd);
        app_stop(app);
    }
}

static void every_slow_client_is_ended_under_tls(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct app *app = start(i);
        SSL *ssl = tls_client_connect(app);

        print_message("# %s\n", rows[i].name);
        if (rows[i].says[0] != '\0')
            tls_client_say(ssl, rows[i].says);
        tls_client_expect(ssl, rows[i].hears);
        drip(SSL_get_fd(ssl), ssl, rows[i].drip);
        tls_client_expect(ssl, rows[i].answer);
        if (rows[i].answer[0] == '\0')
            tls_client_expect_end(ssl);
        else
            tls_client_free(ssl);
        app_stop(app);
    }
}

/* They hold their own resources; other clients are answered at once. */
static void many_slow_clients_do_not_delay_others(void **state)
{
    struct tls_files files = cert_files(&cert);
    struct app *app = app_start_tls(&listener_limits_default, &files);
    int slow[SLOW_CLIENTS], fd;

    (void)state;
    for (int i = 0; i < SLOW_CLIENTS; i++) {
        slow[i] = i % 2 == 0 ? client_connect(app) : tls_client_bare(app);
        client_send(slow[i], i % 2 == 0 ? STR("GET /slow") : STR("\x16\x03\x01\x02"));
    }
    fd = client_connect(app);
    for (int i = 0; i < SLOW_CLIENTS; i++) {
        client_send(slow[i], STR("\0"));
        client_say(fd, GET("/nothing"));
        client_expect(fd, NOTHING);
        close(slow[i]);
    }
    close(fd);
    app_stop(app);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_slow_client_is_ended),
        cmocka_unit_test(every_slow_client_is_ended_under_tls),
        cmocka_unit_test(many_slow_clients_do_not_delay_others),
    };

    return cmocka_run_group_tests(tests, make_cert, remove_cert);
}
