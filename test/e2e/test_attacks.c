/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Tests of request smuggling: requests that two parsers could read differently.
 *
 * After each of them, or inside it, is a hidden request that would create a schedule named
 * "smuggled".  Each must be refused once, with its status, and the connection closed; and the
 * schedule must not exist.  The names are the usual ones for these attacks: CL is
 * Content-Length, TE is Transfer-Encoding; a proxy in front of the server would use the first.
 * RFC 9112 gives the expected results; "own" marks where Belfry is stricter
 * (docs/decisions/0012).
 */
#include <openssl/ssl.h>
#include <sys/socket.h>

#include "base/str.h"
#include "cert.h"
#include "request.h"

#define HIDDEN_BODY \
    "{\"id\":\"smuggled\",\"action\":{\"type\":\"queue\",\"queue\":\"q\"}}" /* 55 */
#define HIDDEN                                               \
    "POST /api/v1/schedules HTTP/1.1\r\nHost: localhost\r\n" \
    "Content-Type: application/json\r\nContent-Length: 55\r\n\r\n" HIDDEN_BODY
#define HOST    "Host: localhost\r\n"
#define GET     "GET /healthz HTTP/1.1\r\n" HOST
#define TOP     "POST /api/v1/schedules HTTP/1.1\r\n" HOST
#define CHUNKED "Transfer-Encoding: chunked\r\n"
#define CL5     "Content-Length: 5\r\n"
#define CH      TOP CHUNKED "\r\n"
#define NO_BODY "0\r\n\r\n" /* five bytes: a body to one parser, its end to the other */

#define BYTES(text)            \
    {                          \
        text, sizeof(text) - 1 \
    }

struct attack {
    const char *name;
    struct str bytes;
    int status;
};

static const struct attack lengths[] = {
    {"CL.TE", BYTES(TOP CL5 CHUNKED "\r\n" NO_BODY HIDDEN), 400},
    {"TE.CL", BYTES(TOP CHUNKED CL5 "\r\n" NO_BODY HIDDEN), 400},
    {"CL.TE with a length of 0", BYTES(TOP "Content-Length: 0\r\n" CHUNKED "\r\n" HIDDEN), 400},
    {"CL.TE in small letters",
     BYTES(TOP "content-length: 5\r\ntransfer-encoding: chunked\r\n\r\n" NO_BODY HIDDEN), 400},
    {"CL.TE with GET", BYTES(GET CL5 CHUNKED "\r\n" NO_BODY HIDDEN), 400},
    {"CL.TE with a wrong length", BYTES(TOP "Content-Length: x\r\n" CHUNKED "\r\n" NO_BODY),
     400},
    {"CL.CL", BYTES(TOP CL5 "Content-Length: 0\r\n\r\n" NO_BODY HIDDEN), 400},
    {"CL.CL, the smaller first", BYTES(TOP "Content-Length: 0\r\n" CL5 "\r\n" NO_BODY HIDDEN),
     400},
    {"own: CL.CL of the same length", BYTES(TOP CL5 CL5 "\r\n" NO_BODY HIDDEN), 400},
    {"CL.CL in one field", BYTES(TOP "Content-Length: 5, 0\r\n\r\n" NO_BODY HIDDEN), 400},
    {"own: CL.CL of the same in one field",
     BYTES(TOP "Content-Length: 5, 5\r\n\r\n" NO_BODY HIDDEN), 400},
    {"CL with a sign", BYTES(TOP "Content-Length: +5\r\n\r\n" NO_BODY HIDDEN), 400},
    {"CL below 0", BYTES(TOP "Content-Length: -1\r\n\r\n" HIDDEN), 400},
    {"CL in base 16", BYTES(TOP "Content-Length: 0x5\r\n\r\n" NO_BODY HIDDEN), 400},
    {"CL as a fraction", BYTES(TOP "Content-Length: 5.0\r\n\r\n" NO_BODY HIDDEN), 400},
    {"CL with a blank inside", BYTES(TOP "Content-Length: 5 0\r\n\r\n" NO_BODY HIDDEN), 400},
    {"CL that is empty", BYTES(TOP "Content-Length:\r\n\r\n" HIDDEN), 400},
    {"CL in quotes", BYTES(TOP "Content-Length: \"5\"\r\n\r\n" NO_BODY HIDDEN), 400},
    {"CL with a blank before its colon", BYTES(TOP "Content-Length : 5\r\n\r\n" NO_BODY HIDDEN),
     400},
    {"CL with a tab before its colon", BYTES(TOP "Content-Length\t: 5\r\n\r\n" NO_BODY HIDDEN),
     400},
    {"CL on a folded line", BYTES(TOP "Content-Length:\r\n 5\r\n\r\n" NO_BODY HIDDEN), 400},
    {"CL hidden by a bare CR", BYTES(TOP "X: y\rContent-Length: 5\r\n\r\n" NO_BODY HIDDEN),
     400},
    {"CL hidden by a bare LF", BYTES(TOP "X: y\nContent-Length: 5\r\n\r\n" NO_BODY HIDDEN),
     400},
    {"CL hidden by NUL", BYTES(TOP "X: y\0Content-Length: 5\r\n\r\n" NO_BODY HIDDEN), 400},
    {"CL that wraps 64 bits to 5",
     BYTES(TOP "Content-Length: 18446744073709551621\r\n\r\n" NO_BODY HIDDEN), 413},
    {"CL of 2^63", BYTES(TOP "Content-Length: 9223372036854775808\r\n\r\n" HIDDEN), 413},
};

static const struct attack codings[] = {
    {"TE.TE, chunked and something", BYTES(TOP CHUNKED "Transfer-Encoding: x\r\n\r\n" NO_BODY),
     400},
    {"TE.TE, something and chunked",
     BYTES(TOP "Transfer-Encoding: x\r\n" CHUNKED "\r\n" NO_BODY HIDDEN), 400},
    {"TE.TE, chunked twice", BYTES(TOP CHUNKED CHUNKED "\r\n" NO_BODY HIDDEN), 400},
    {"TE of two codings", BYTES(TOP "Transfer-Encoding: gzip, chunked\r\n\r\n" NO_BODY HIDDEN),
     501},
    {"TE with chunked first", BYTES(TOP "Transfer-Encoding: chunked, gzip\r\n\r\n" NO_BODY),
     400},
    {"TE of identity", BYTES(TOP "Transfer-Encoding: identity\r\n\r\n" HIDDEN), 400},
    {"TE of identity with CL",
     BYTES(TOP CL5 "Transfer-Encoding: identity\r\n\r\n" NO_BODY HIDDEN), 400},
    {"TE of xchunked with CL",
     BYTES(TOP CL5 "Transfer-Encoding: xchunked\r\n\r\n" NO_BODY HIDDEN), 400},
    {"TE in mixed letters with CL", BYTES(TOP CL5 "TrAnSfEr-eNcOdInG: cHuNkEd\r\n\r\n" NO_BODY),
     400},
    {"TE with a blank before its colon",
     BYTES(TOP CL5 "Transfer-Encoding : chunked\r\n\r\n" NO_BODY HIDDEN), 400},
    {"TE with a blank before its name",
     BYTES(TOP CL5 " Transfer-Encoding: chunked\r\n\r\n" NO_BODY), 400},
    {"TE on a folded line", BYTES(TOP CL5 "Transfer-Encoding:\r\n chunked\r\n\r\n" NO_BODY),
     400},
    {"TE behind a folded line",
     BYTES(TOP CL5 "X: y\r\n\tTransfer-Encoding: chunked\r\n\r\n" NO_BODY), 400},
    {"TE with a vertical tab", BYTES(TOP CL5 "Transfer-Encoding:\vchunked\r\n\r\n" NO_BODY),
     400},
    {"TE with NUL", BYTES(TOP CL5 "Transfer-Encoding: chunked\0\r\n\r\n" NO_BODY HIDDEN), 400},
    {"TE in quotes", BYTES(TOP CL5 "Transfer-Encoding: \"chunked\"\r\n\r\n" NO_BODY HIDDEN),
     400},
    {"TE with a parameter", BYTES(TOP CL5 "Transfer-Encoding: chunked;a=b\r\n\r\n" NO_BODY),
     400},
    {"own: TE with an empty member", BYTES(TOP "Transfer-Encoding: ,chunked\r\n\r\n" NO_BODY),
     400},
    {"TE that is empty", BYTES(TOP CL5 "Transfer-Encoding:\r\n\r\n" NO_BODY HIDDEN), 400},
    {"TE hidden by a bare CR",
     BYTES(TOP CL5 "X: y\rTransfer-Encoding: chunked\r\n\r\n" NO_BODY), 400},
    {"TE hidden by a bare LF",
     BYTES(TOP CL5 "X: y\nTransfer-Encoding: chunked\r\n\r\n" NO_BODY), 400},
    {"TE with a no-break space",
     BYTES(TOP CL5 "Transfer-Encoding:\xa0"
                   "chunked\r\n\r\n" NO_BODY),
     400},
    {"TE in HTTP/1.0",
     BYTES("POST /api/v1/schedules HTTP/1.0\r\n" HOST CHUNKED "\r\n" NO_BODY HIDDEN), 400},
};

static const struct attack chunks[] = {
    {"a size that wraps to 0", BYTES(CH "10000000000000000\r\n\r\n" HIDDEN), 400},
    {"a size of 2^64 - 1", BYTES(CH "ffffffffffffffff\r\n" HIDDEN), 413},
    {"a size with a sign", BYTES(CH "-0\r\n\r\n" HIDDEN), 400},
    {"a size with 0x", BYTES(CH "0x0\r\n\r\n" HIDDEN), 400},
    {"a size with a blank", BYTES(CH "0 \r\n\r\n" HIDDEN), 400},
    {"a size with an underscore", BYTES(CH "1_0\r\n" HIDDEN), 400},
    {"an empty size", BYTES(CH "\r\n\r\n" HIDDEN), 400},
    {"a size that ends with LF", BYTES(CH "0\n\n" HIDDEN), 400},
    {"a size that ends with CR", BYTES(CH "0\r\r" HIDDEN), 400},
    {"TERM.EXT: LF ends an extension", BYTES(CH "2;\nxx\r\n0\r\n\r\n" HIDDEN), 400},
    {"EXT.TERM: CR in an extension", BYTES(CH "2;a\rx\r\nxx\r\n0\r\n\r\n" HIDDEN), 400},
    {"an extension in open quotes", BYTES(CH "0;a=\"\r\n\r\n" HIDDEN), 400},
    {"SPILL.TERM: data beyond the size", BYTES(CH "1\r\nxyz\r\n0\r\n\r\n" HIDDEN), 400},
    {"ONE.TWO: one byte for the line's end", BYTES(CH "1\r\nx\n0\r\n\r\n" HIDDEN), 400},
    {"ZERO.TWO: nothing for the line's end", BYTES(CH "1\r\nx0\r\n\r\n" HIDDEN), 400},
    {"the next request in place of the end", BYTES(CH "0\r\n" HIDDEN), 400},
    {"a trailer that is folded", BYTES(CH "0\r\nX: y\r\n z\r\n\r\n" HIDDEN), 400},
    {"a trailer with LF", BYTES(CH "0\r\nX: y\n\n" HIDDEN), 400},
};

static const struct attack heads[] = {
    {"no Host", BYTES("GET /healthz HTTP/1.1\r\n\r\n" HIDDEN), 400},
    {"two Hosts", BYTES(GET "Host: other\r\n\r\n" HIDDEN), 400},
    {"a Host that is a list", BYTES("GET /healthz HTTP/1.1\r\nHost: localhost, other\r\n\r\n"),
     400},
    {"a Host with a user", BYTES("GET /healthz HTTP/1.1\r\nHost: localhost@other\r\n\r\n"),
     400},
    {"a Host with a blank before its colon",
     BYTES("GET /healthz HTTP/1.1\r\nHost : localhost\r\n\r\n"), 400},
    {"lines that end with LF", BYTES("GET /healthz HTTP/1.1\nHost: localhost\n\n" HIDDEN), 400},
    {"a head that ends with LF", BYTES(GET "\n" HIDDEN), 400},
    {"a head that ends with CR CR LF", BYTES(GET "\r\r\n" HIDDEN), 400},
    {"a field without a colon", BYTES(GET "X\r\n\r\n" HIDDEN), 400},
    {"a field without a name", BYTES(GET ": y\r\n\r\n" HIDDEN), 400},
    {"a request in place of a field", BYTES(GET "GET / HTTP/1.1\r\n\r\n" HIDDEN), 400},
    {"a line of blanks", BYTES(GET "  \r\n\r\n" HIDDEN), 400},
    {"two empty lines before", BYTES("\r\n\r\n" HIDDEN), 400},
    {"HTTP/0.9", BYTES("GET /healthz\r\n" HIDDEN), 400},
    {"HTTP/2.0", BYTES("GET /healthz HTTP/2.0\r\n" HOST "\r\n" HIDDEN), 505},
    {"own: HTTP/1.2", BYTES("GET /healthz HTTP/1.2\r\n" HOST "\r\n" HIDDEN), 505},
    {"two blanks in the line", BYTES("GET  /healthz HTTP/1.1\r\n" HOST "\r\n" HIDDEN), 400},
    {"a tab in the line", BYTES("GET\t/healthz HTTP/1.1\r\n" HOST "\r\n" HIDDEN), 400},
    {"a line's end in the target", BYTES("GET /health\rz HTTP/1.1\r\n" HOST "\r\n" HIDDEN),
     400},
    {"own: a path with ..", BYTES("GET /api/../healthz HTTP/1.1\r\n" HOST "\r\n" HIDDEN), 400},
    {"own: a path with an escaped ..",
     BYTES("GET /api/%2e%2e/healthz HTTP/1.1\r\n" HOST "\r\n" HIDDEN), 400},
    {"CONNECT", BYTES("CONNECT localhost:80 HTTP/1.1\r\n" HOST "\r\n" HIDDEN), 501},
    {"an expectation of something else", BYTES(TOP "Expect: x\r\n" CL5 "\r\n" NO_BODY HIDDEN),
     417},
};

/* A TLS client; other tests check the certificate, this one the bytes. */
static SSL *connect_tls(int fd)
{
    SSL_CTX *ctx = SSL_CTX_new(TLS_client_method());
    SSL *ssl;

    assert_non_null(ctx);
    ssl = SSL_new(ctx);
    SSL_CTX_free(ctx);
    assert_non_null(ssl);
    assert_int_equal(SSL_set_fd(ssl, fd), 1);
    assert_int_equal(SSL_connect(ssl), 1);
    return ssl;
}

static size_t exchange_tls(struct server *d, struct str bytes, char *text, size_t cap)
{
    int fd = request_connect(d), n = 1;
    SSL *ssl = connect_tls(fd);
    size_t len = 0;

    assert_int_equal(SSL_write(ssl, bytes.ptr, (int)bytes.len), (int)bytes.len);
    while (len < cap - 1 && (n = SSL_read(ssl, text + len, (int)(cap - 1 - len))) > 0)
        len += (size_t)n;
    text[len] = '\0';
    SSL_free(ssl);
    close(fd);
    return len;
}

/* Reads until the server closes; `is_last` asks it to close after a valid request. */
static size_t exchange(struct server *d, struct str bytes, bool is_last, char *text, size_t cap)
{
    int fd = request_connect(d);
    size_t len = 0;
    ssize_t n = 1;

    assert_true(fd >= 0);
    assert_int_equal(send(fd, bytes.ptr, bytes.len, MSG_NOSIGNAL), (ssize_t)bytes.len);
    if (is_last)
        assert_int_equal(shutdown(fd, SHUT_WR), 0);
    while (len < cap - 1 && (n = recv(fd, text + len, cap - 1 - len, 0)) > 0)
        len += (size_t)n;
    assert_int_equal(n, 0);
    text[len] = '\0';
    close(fd);
    return len;
}

/* Counts the Date headers: each answer has one, and no body contains such a line. */
static int count_answers(const char *text)
{
    int count = 0;

    while ((text = strstr(text, "\r\nDate: ")) != NULL) {
        text++;
        count++;
    }
    return count;
}

static int status_of(const char *text)
{
    int status = 0;

    return sscanf(text, "HTTP/1.1 %d ", &status) == 1 ? status : 0;
}

static bool is_smuggled(struct server *d, bool is_tls)
{
    static const struct str look = BYTES("GET /api/v1/schedules/smuggled HTTP/1.1\r\n" HOST
                                         "Connection: close\r\n\r\n");
    char text[8192];

    if (!is_tls)
        return ask(d, "GET", "/api/v1/schedules/smuggled", NULL).status != 404;
    exchange_tls(d, look, text, sizeof text);
    return status_of(text) != 404;
}

static void try_with(struct server *d, const struct attack *attacks, size_t count, bool is_tls)
{
    for (size_t i = 0; i < count; i++) {
        char text[8192];

        if (is_tls)
            exchange_tls(d, attacks[i].bytes, text, sizeof text);
        else
            exchange(d, attacks[i].bytes, false, text, sizeof text);
        if (status_of(text) != attacks[i].status || count_answers(text) != 1 ||
            !strstr(text, "\r\nConnection: close\r\n"))
            fail_msg("%s: %s", attacks[i].name, text);
        if (is_smuggled(d, is_tls))
            fail_msg("%s: it was smuggled", attacks[i].name);
    }
}

static void try_all(struct world *w, const struct attack *attacks, size_t count)
{
    struct server *d = server_start(w, NULL);

    try_with(d, attacks, count, false);
    assert_int_equal(server_stop(d), 0);
}

#define COUNT(attacks)      (sizeof attacks / sizeof attacks[0])
#define TRY_ALL(w, attacks) try_all(w, attacks, COUNT(attacks))

/* All of them again with TLS: the same parser gets the bytes in other pieces. */
static void nothing_is_smuggled_over_tls(void **state)
{
    struct world *w = *state;
    struct server *d;
    struct cert cert;

    cert_make(CERT_EC, "one", &cert);
    d = server_spawn(
        w, &(struct server_start){.is_bare = true,
                                  .args = WORDS("--db", w->url, "--listen", "127.0.0.1:0",
                                                "--grpc", "none", "--tls-cert", cert.cert,
                                                "--tls-key", cert.key)});
    d->port = server_port(d);
    server_await(d, "msg=ready");
    try_with(d, lengths, COUNT(lengths), true);
    try_with(d, codings, COUNT(codings), true);
    try_with(d, chunks, COUNT(chunks), true);
    try_with(d, heads, COUNT(heads), true);
    assert_int_equal(server_stop(d), 0);
    cert_remove(&cert);
}

static void nothing_is_smuggled_with_lengths(void **state)
{
    TRY_ALL(*state, lengths);
}

static void nothing_is_smuggled_with_codings(void **state)
{
    TRY_ALL(*state, codings);
}

static void nothing_is_smuggled_with_chunks(void **state)
{
    TRY_ALL(*state, chunks);
}

static void nothing_is_smuggled_with_heads(void **state)
{
    TRY_ALL(*state, heads);
}

/* A valid request: its body is not parsed as a request, even if it looks like one. */
static void a_request_inside_a_body_is_not_executed(void **state)
{
    static const struct attack rows[] = {
        {"in a body of its length", BYTES(TOP "Content-Length: 159\r\n\r\n" HIDDEN), 0},
        {"in a chunk", BYTES(CH "9f\r\n" HIDDEN "\r\n0\r\n\r\n"), 0},
        {"in a body of GET", BYTES(GET "Content-Length: 159\r\n\r\n" HIDDEN), 0},
        {"in a chunk of GET", BYTES(GET CHUNKED "\r\n9f\r\n" HIDDEN "\r\n0\r\n\r\n"), 0},
        {"in a body for an unknown path",
         BYTES("POST /nowhere HTTP/1.1\r\n" HOST "Content-Length: 159\r\n\r\n" HIDDEN), 0},
        {"in an upgrade that is not made",
         BYTES(TOP
               "Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAA\r\n"
               "Content-Length: 159\r\n\r\n" HIDDEN),
         0},
        {"in a body that never ends", BYTES(TOP "Content-Length: 160\r\n\r\n" HIDDEN), 0},
        {"in a chunk that never ends", BYTES(CH "a0\r\n" HIDDEN), 0},
    };
    struct server *d = server_start(*state, NULL);

    assert_int_equal(sizeof HIDDEN - 1, 159); /* the lengths above depend on it */
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char text[8192];

        exchange(d, rows[i].bytes, true, text, sizeof text);
        if (count_answers(text) > 1)
            fail_msg("%s: %s", rows[i].name, text);
        if (ask(d, "GET", "/api/v1/schedules/smuggled", NULL).status != 404)
            fail_msg("%s: it was smuggled", rows[i].name);
    }
    assert_int_equal(server_stop(d), 0);
}

/* The control: otherwise the tests above could not fail. */
static void the_hidden_request_alone_creates_a_schedule(void **state)
{
    struct server *d = server_start(*state, NULL);
    static const struct str bytes = BYTES(GET "\r\n" HIDDEN);
    char text[8192];

    exchange(d, bytes, true, text, sizeof text);
    assert_int_equal(count_answers(text), 2);
    api(d, 200, "GET", "/api/v1/schedules/smuggled", NULL);
    assert_int_equal(server_stop(d), 0);
}

/* RFC 9112, 3.2: only HTTP/1.1 must have a Host, and the health checks of HAProxy (`option
   httpchk`) have none.  All other requests need one. */
static void health_checks_work_without_a_host(void **state)
{
    static const struct attack cases[] = {
        {"/healthz", BYTES("GET /healthz HTTP/1.0\r\n\r\n"), 200},
        {"/readyz", BYTES("GET /readyz HTTP/1.0\r\n\r\n"), 200},
        {"/readyz of another", BYTES("GET /readyz HTTP/1.0\r\nHost: evil.test\r\n\r\n"), 403},
        {"queues", BYTES("GET /api/v1/queues HTTP/1.0\r\n\r\n"), 403},
        {"a change", BYTES("POST /api/v1/clock/accept HTTP/1.0\r\n\r\n"), 403},
    };
    struct server *d = server_start(*state, NULL);
    char text[8192];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        exchange(d, cases[i].bytes, true, text, sizeof text);
        if (status_of(text) != cases[i].status)
            fail_msg("%s: %s", cases[i].name, text);
    }
}

/*
 * Clients of Conductor: the Python SDK sends {} with GET and DELETE.  An error has the members
 * that they read, even if the request could not be parsed.
 */
static void requests_of_conductor_clients_are_read_as_theirs(void **state)
{
#define LIST "GET /api/scheduler/schedules HTTP/1.1\r\nHost: localhost\r\n"
    static const struct attack cases[] = {
        {"GET with {}", BYTES(LIST "Content-Length: 2\r\n\r\n{}"), 200},
        {"DELETE with {}",
         BYTES("DELETE /api/scheduler/schedules/none HTTP/1.1\r\nHost: localhost\r\n"
               "Content-Type: application/json\r\nContent-Type: application/json\r\n"
               "Content-Length: 2\r\n\r\n{}"),
         404},
        {"a large body", BYTES(LIST "Content-Length: 5000\r\n\r\n"), 413},
        {"a wrong field", BYTES(LIST "a b: c\r\n\r\n"), 400},
        {"two lengths", BYTES(LIST "Content-Length: 1\r\nContent-Length: 1\r\n\r\n"), 400},
    };
    struct server *d = server_start(*state, NULL);
    char text[8192];

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        exchange(d, cases[i].bytes, true, text, sizeof text);
        if (status_of(text) != cases[i].status ||
            (cases[i].status >= 400 && !strstr(text, "\"retryable\":false")))
            fail_msg("%s: %s", cases[i].name, text);
    }
    exchange(d,
             STR("GET /api/v1/schedules HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n"
                 "\r\n{}"),
             true, text, sizeof text);
    assert_int_equal(status_of(text), 413);
    assert_non_null(strstr(text, "application/problem+json"));
    exchange(d,
             STR("POST /a.B/C HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/grpc\r\n"
                 "a b: c\r\n\r\n"),
             true, text, sizeof text);
    assert_int_equal(status_of(text), 400);
    assert_non_null(strstr(text, "\"detail\":"));
#undef LIST
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        E2E_TEST(nothing_is_smuggled_with_lengths),
        E2E_TEST(nothing_is_smuggled_with_codings),
        E2E_TEST(nothing_is_smuggled_with_chunks),
        E2E_TEST(nothing_is_smuggled_with_heads),
        E2E_TEST(nothing_is_smuggled_over_tls),
        E2E_TEST(a_request_inside_a_body_is_not_executed),
        E2E_TEST(the_hidden_request_alone_creates_a_schedule),
        E2E_TEST(health_checks_work_without_a_host),
        E2E_TEST(requests_of_conductor_clients_are_read_as_theirs),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
