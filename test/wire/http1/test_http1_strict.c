/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What is rejected, with which status, by which rule.  A rule is a section of RFC 9112 unless
 * another RFC is named; "own" marks where Belfry is deliberately narrower than the RFC.  No
 * rejected request may be delivered, nor one hidden after it.
 */
#include "http1_run.h"

#define HOST "Host: h\r\n"
#define TOP  "POST / HTTP/1.1\r\n" HOST
#define GET  "GET / HTTP/1.1\r\n" HOST
#define CH   TOP "Transfer-Encoding: chunked\r\n\r\n"
#define NEXT "GET /smuggled HTTP/1.1\r\nHost: h\r\n\r\n"

struct wrong {
    const char *rule;
    struct str bytes;
    int status;
};

static const struct wrong lines[] = {
    {"2.2: more than one empty line", BYTES("\r\n\r\nGET / HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"2.2: LF before the request", BYTES("\nGET / HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"2.2: CR before the request", BYTES("\rGET / HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"2.2: bare LF ends the line", BYTES("GET / HTTP/1.1\n" HOST "\r\n"), 400},
    {"2.2: bare CR in the line", BYTES("GET /\r HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"2.2: CR CR LF", BYTES("GET / HTTP/1.1\r\r\n" HOST "\r\n"), 400},
    {"2.2: blank before the first field", BYTES("GET / HTTP/1.1\r\n X: y\r\n" HOST "\r\n"),
     400},
    {"3: blank before the method", BYTES(" GET / HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3: tab between", BYTES("GET\t/ HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3: tab before the version", BYTES("GET /\tHTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3: two blanks after the method", BYTES("GET  / HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3: two blanks after the target", BYTES("GET /  HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3: blank at the end", BYTES("GET / HTTP/1.1 \r\n" HOST "\r\n"), 400},
    {"3: blank in the target", BYTES("GET /a b HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3: no version", BYTES("GET /\r\n\r\n"), 400},
    {"3: method alone", BYTES("GET\r\n\r\n"), 400},
    {"3: no target", BYTES("GET HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3.1: method with a colon", BYTES("G:T / HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3.1: method with a slash", BYTES("G/T / HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3.1: method with a bracket", BYTES("G(T / HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3.1: method with quotes", BYTES("\"GET\" / HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3.1: method beyond ASCII", BYTES("G\xc3\x89T / HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"9110 9.3.6: no proxy", BYTES("CONNECT a.example:443 HTTP/1.1\r\n" HOST "\r\n"), 501},
    {"9110 9.3.6: no proxy, for any target", BYTES("CONNECT /x HTTP/1.1\r\n" HOST "\r\n"), 501},
    {"own: minor version above 1", BYTES("GET / HTTP/1.2\r\n" HOST "\r\n"), 505},
    {"9110 15.6.6: HTTP/2.0", BYTES("GET / HTTP/2.0\r\n" HOST "\r\n"), 505},
    {"9110 15.6.6: HTTP/0.9", BYTES("GET / HTTP/0.9\r\n" HOST "\r\n"), 505},
    {"9110 15.6.6: HTTP/3.0", BYTES("GET / HTTP/3.0\r\n" HOST "\r\n"), 505},
    {"9113 3.4: the preface is not for HTTP/1.1", BYTES("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"),
     505},
    {"2.3: small letters", BYTES("GET / http/1.1\r\n" HOST "\r\n"), 400},
    {"2.3: mixed letters", BYTES("GET / HTtP/1.1\r\n" HOST "\r\n"), 400},
    {"2.3: no minor version", BYTES("GET / HTTP/1\r\n" HOST "\r\n"), 400},
    {"2.3: empty minor version", BYTES("GET / HTTP/1.\r\n" HOST "\r\n"), 400},
    {"2.3: two digits", BYTES("GET / HTTP/1.10\r\n" HOST "\r\n"), 400},
    {"2.3: leading zero", BYTES("GET / HTTP/01.1\r\n" HOST "\r\n"), 400},
    {"2.3: comma", BYTES("GET / HTTP/1,1\r\n" HOST "\r\n"), 400},
    {"2.3: other protocol", BYTES("GET / HTTQ/1.1\r\n" HOST "\r\n"), 400},
    {"2.3: letter for a digit", BYTES("GET / HTTP/1.x\r\n" HOST "\r\n"), 400},
    {"2.3: letter for the major", BYTES("GET / HTTP/x.1\r\n" HOST "\r\n"), 400},
    {"2.3: ICAP", BYTES("GET / ICAP/1.0\r\n" HOST "\r\n"), 400},
    {"2.2: NUL in the line", BYTES("GET /\0 HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"2.2: escape byte in the line", BYTES("GET /\x1b HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"2.2: DEL in the line", BYTES("GET /\x7f HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"own: TLS spoken to a plain port", BYTES("\x16\x03\x01\x02\x00\x01\x00"), 400},
};

static const struct wrong targets[] = {
    {"3.2.4: * with GET", BYTES("GET * HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3.2.4: * with more", BYTES("OPTIONS *x HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3.2.4: two asterisks", BYTES("OPTIONS ** HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3.2.3: authority-form with GET", BYTES("GET h:80 HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3.2.1: no slash", BYTES("GET index HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3.2.1: query alone", BYTES("GET ?a=b HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3.2.2: other scheme", BYTES("GET ftp://h/ HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3.2.2: file scheme", BYTES("GET file:///etc HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3.2.2: one slash", BYTES("GET http:/h/ HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"9110 4.2.1: empty host", BYTES("GET http:///a HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"9110 4.2.1: port without host", BYTES("GET http://:80/a HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"9110 4.2.4: user information", BYTES("GET http://u:p@h/ HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3986 3.2.3: port in letters", BYTES("GET http://h:x/ HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"own: port beyond 65535", BYTES("GET http://h:65536/ HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3.2: absolute-form does not replace Host", BYTES("GET http://h/ HTTP/1.1\r\n\r\n"), 400},
    {"3.2: fragment", BYTES("GET /a#b HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3986 3.3: quote", BYTES("GET /a\"b HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3986 3.3: backslash", BYTES("GET /a\\b HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3986 3.3: less-than", BYTES("GET /<a> HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3986 3.3: caret", BYTES("GET /^ HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3986 3.3: brace", BYTES("GET /{id} HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3986 3.3: bar", BYTES("GET /a|b HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3986 3.3: bracket in the path", BYTES("GET /[1] HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3986 3.4: brace in the query", BYTES("GET /?a={} HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3986 3.4: bracket in the query", BYTES("GET /?a[]=1 HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3986 2: plain UTF-8", BYTES("GET /\xc3\xa4 HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3986 2.1: % alone", BYTES("GET /% HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3986 2.1: % and one digit", BYTES("GET /a%2 HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3986 2.1: % cut by a slash", BYTES("GET /a%2/f HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3986 2.1: no digits", BYTES("GET /%zz HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3986 2.1: second is not a digit", BYTES("GET /%2g HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3986 2.1: %u escape", BYTES("GET /%u0041 HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3986 2.1: in the query", BYTES("GET /?a=%4 HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3986 2.1: cut by &", BYTES("GET /?a=%4&b=1 HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3986 7.3: %00 in the path", BYTES("GET /a%00b HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3986 7.3: %00 in a key", BYTES("GET /?a%00=b HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"3986 7.3: %00 in a value", BYTES("GET /?a=%00 HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"own: not UTF-8", BYTES("GET /%ff HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"own: overlong slash", BYTES("GET /%c0%af HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"own: half of a surrogate", BYTES("GET /?a=%ed%a0%80 HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"own: dot segment", BYTES("GET /a/./b HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"own: dots up", BYTES("GET /a/../b HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"own: dots up at the end", BYTES("GET /a/.. HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"own: encoded dots", BYTES("GET /a/%2e%2E/b HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"own: half-encoded dots", BYTES("GET /a/.%2e/b HTTP/1.1\r\n" HOST "\r\n"), 400},
    {"own: dots in absolute-form", BYTES("GET http://h/../b HTTP/1.1\r\n" HOST "\r\n"), 400},
};

static const struct wrong fields[] = {
    {"3.2: no Host", BYTES("GET / HTTP/1.1\r\n\r\n"), 400},
    {"3.2: two Hosts", BYTES(GET "Host: i\r\n\r\n"), 400},
    {"3.2: the same Host twice", BYTES(GET HOST "\r\n"), 400},
    {"own: empty Host", BYTES("GET / HTTP/1.1\r\nHost:\r\n\r\n"), 400},
    {"own: blank Host", BYTES("GET / HTTP/1.1\r\nHost:  \r\n\r\n"), 400},
    {"3.2: list of Hosts", BYTES("GET / HTTP/1.1\r\nHost: a, b\r\n\r\n"), 400},
    {"own: list without a blank", BYTES("GET / HTTP/1.1\r\nHost: a,b\r\n\r\n"), 400},
    {"3.2: Host with a path", BYTES("GET / HTTP/1.1\r\nHost: h/a\r\n\r\n"), 400},
    {"3.2: Host with a scheme", BYTES("GET / HTTP/1.1\r\nHost: http://h\r\n\r\n"), 400},
    {"3.2: Host with a user", BYTES("GET / HTTP/1.1\r\nHost: u@h\r\n\r\n"), 400},
    {"3.2: Host with two ports", BYTES("GET / HTTP/1.1\r\nHost: h:1:2\r\n\r\n"), 400},
    {"3.2: Host with a signed port", BYTES("GET / HTTP/1.1\r\nHost: h:-1\r\n\r\n"), 400},
    {"3.2: Host with a port alone", BYTES("GET / HTTP/1.1\r\nHost: :80\r\n\r\n"), 400},
    {"own: Host's port too great", BYTES("GET / HTTP/1.1\r\nHost: h:99999\r\n\r\n"), 400},
    {"3986 3.2.2: open bracket", BYTES("GET / HTTP/1.1\r\nHost: [::1\r\n\r\n"), 400},
    {"3986 3.2.2: empty brackets", BYTES("GET / HTTP/1.1\r\nHost: []\r\n\r\n"), 400},
    {"3986 3.2.2: name in brackets", BYTES("GET / HTTP/1.1\r\nHost: [host]\r\n\r\n"), 400},
    {"3986 3.2.2: more after brackets", BYTES("GET / HTTP/1.1\r\nHost: [::1]x\r\n\r\n"), 400},
    {"3986 3.2.2: no brackets", BYTES("GET / HTTP/1.1\r\nHost: ::1\r\n\r\n"), 400},
    {"3.2: wrong Host with absolute-form", BYTES("GET http://h/ HTTP/1.1\r\nHost: a b\r\n\r\n"),
     400},
    {"3.2: wrong Host in HTTP/1.0", BYTES("GET / HTTP/1.0\r\nHost: a b\r\n\r\n"), 400},
    {"3.2: two Hosts in HTTP/1.0", BYTES("GET / HTTP/1.0\r\n" HOST HOST "\r\n"), 400},
    {"5.1: blank before the colon", BYTES(GET "X : y\r\n\r\n"), 400},
    {"5.1: tab before the colon", BYTES(GET "X\t: y\r\n\r\n"), 400},
    {"5.1: blank before the colon of Host", BYTES("GET / HTTP/1.1\r\nHost : h\r\n\r\n"), 400},
    {"5.1: blank hides Content-Length", BYTES(TOP "Content-Length : 5\r\n\r\nhello"), 400},
    {"5.1: blank hides Transfer-Encoding",
     BYTES(TOP "Transfer-Encoding : chunked\r\n\r\n0\r\n\r\n"), 400},
    {"5.1: blank in the name", BYTES(GET "X Y: z\r\n\r\n"), 400},
    {"5.1: no colon", BYTES(GET "X\r\n\r\n"), 400},
    {"5.1: no name", BYTES(GET ": y\r\n\r\n"), 400},
    {"5.1: request line again", BYTES(GET "GET / HTTP/1.1\r\n\r\n"), 400},
    {"5.2: folded with a blank", BYTES(GET "X: a\r\n b\r\n\r\n"), 400},
    {"5.2: folded with a tab", BYTES(GET "X: a\r\n\tb\r\n\r\n"), 400},
    {"5.2: folded length", BYTES(TOP "Content-Length:\r\n 5\r\n\r\nhello"), 400},
    {"5.2: folded coding", BYTES(TOP "Transfer-Encoding:\r\n chunked\r\n\r\n0\r\n\r\n"), 400},
    {"5.2: line of blanks", BYTES(GET " \r\n\r\n"), 400},
    {"9110 5.1: bracket in a name", BYTES(GET "X(Y): z\r\n\r\n"), 400},
    {"9110 5.1: slash in a name", BYTES(GET "X/Y: z\r\n\r\n"), 400},
    {"9110 5.1: quotes in a name", BYTES(GET "\"X\": z\r\n\r\n"), 400},
    {"9110 5.1: at in a name", BYTES(GET "X@Y: z\r\n\r\n"), 400},
    {"9110 5.1: brace in a name", BYTES(GET "{X}: z\r\n\r\n"), 400},
    {"9110 5.1: name beyond ASCII", BYTES(GET "X\xe9: z\r\n\r\n"), 400},
    {"9110 5.1: NUL in a name", BYTES(GET "X\0: z\r\n\r\n"), 400},
    {"9110 5.1: no-break space hides a coding",
     BYTES(TOP "\xa0Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400},
    {"9110 5.5: NUL in a value", BYTES(GET "X: a\0b\r\n\r\n"), 400},
    {"9110 5.5: CR in a value", BYTES(GET "X: a\rb\r\n\r\n"), 400},
    {"9110 5.5: CR hides a field", BYTES(TOP "X: a\rContent-Length: 5\r\n\r\nhello"), 400},
    {"9110 5.5: LF in a value", BYTES(GET "X: a\nY: b\r\n\r\n"), 400},
    {"9110 5.5: vertical tab", BYTES(GET "X: a\vb\r\n\r\n"), 400},
    {"9110 5.5: form feed", BYTES(GET "X: a\fb\r\n\r\n"), 400},
    {"9110 5.5: bell", BYTES(GET "X: \a\r\n\r\n"), 400},
    {"9110 5.5: DEL in a value", BYTES(GET "X: \x7f\r\n\r\n"), 400},
    {"2.2: fields end with LF LF", BYTES("GET / HTTP/1.1\r\nHost: h\n\n"), 400},
    {"2.2: empty line of LF", BYTES(GET "\n"), 400},
    {"2.2: empty line of CR", BYTES(GET "\rX"), 400},
    {"9110 5.3: two Content-Types", BYTES(TOP "Content-Type: a/b\r\nContent-Type: c/d\r\n\r\n"),
     400},
    {"9110 5.3: two Authorizations",
     BYTES(GET "Authorization: Bearer a\r\nAUTHORIZATION: Bearer b\r\n\r\n"), 400},
    {"own: two Content-Types in other letters",
     BYTES(TOP "Content-Type: a/b\r\nContent-Type: A/B\r\n\r\n"), 400},
    {"9110 10.1.1: other expectation", BYTES(TOP "Expect: 200-ok\r\n\r\n"), 417},
    {"9110 10.1.1: expectation and more", BYTES(TOP "Expect: 100-continue, x\r\n\r\n"), 417},
};

static const struct wrong framings[] = {
    {"6.1: length and coding",
     BYTES(TOP "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" NEXT), 400},
    {"6.1: coding and length",
     BYTES(TOP "Transfer-Encoding: chunked\r\nContent-Length: 5\r\n\r\n0\r\n\r\n" NEXT), 400},
    {"6.1: length 0 and coding",
     BYTES(TOP "Content-Length: 0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n" NEXT), 400},
    {"6.1: coding in HTTP/1.0",
     BYTES("POST / HTTP/1.0\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n0\r\n\r\n"), 400},
    {"6.3: two lengths", BYTES(TOP "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello"), 400},
    {"6.3: two lengths in other letters",
     BYTES(TOP "Content-Length: 5\r\ncONTENT-lENGTH: 0\r\n\r\nhello"), 400},
    {"own: the same length twice",
     BYTES(TOP "Content-Length: 5\r\nContent-Length: 5\r\n\r\nhello"), 400},
    {"own: the same length in a list", BYTES(TOP "Content-Length: 5, 5\r\n\r\nhello"), 400},
    {"6.3: lengths in a list", BYTES(TOP "Content-Length: 5, 6\r\n\r\nhello"), 400},
    {"6.2: plus", BYTES(TOP "Content-Length: +5\r\n\r\nhello"), 400},
    {"6.2: minus", BYTES(TOP "Content-Length: -5\r\n\r\nhello"), 400},
    {"6.2: minus zero", BYTES(TOP "Content-Length: -0\r\n\r\n"), 400},
    {"6.2: hexadecimal", BYTES(TOP "Content-Length: 0x5\r\n\r\nhello"), 400},
    {"6.2: fraction", BYTES(TOP "Content-Length: 5.0\r\n\r\nhello"), 400},
    {"6.2: exponent", BYTES(TOP "Content-Length: 5e0\r\n\r\nhello"), 400},
    {"6.2: empty", BYTES(TOP "Content-Length:\r\n\r\nhello"), 400},
    {"6.2: blank inside", BYTES(TOP "Content-Length: 1 0\r\n\r\nhello"), 400},
    {"6.2: quotes", BYTES(TOP "Content-Length: \"5\"\r\n\r\nhello"), 400},
    {"6.2: underscore", BYTES(TOP "Content-Length: 1_0\r\n\r\nhello"), 400},
    {"6.2: comma after", BYTES(TOP "Content-Length: 5,\r\n\r\nhello"), 400},
    {"6.2: digits beyond ASCII", BYTES(TOP "Content-Length: \xd9\xa5\r\n\r\nhello"), 400},
    {"6.2: beyond the cap", BYTES(TOP "Content-Length: 1001\r\n\r\n"), 413},
    {"6.2: 2^63", BYTES(TOP "Content-Length: 9223372036854775808\r\n\r\n"), 413},
    {"6.2: 2^64 + 5 is not 5", BYTES(TOP "Content-Length: 18446744073709551621\r\n\r\nhello"),
     413},
    {"6.1: unknown coding before chunked",
     BYTES(TOP "Transfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"), 501},
    {"6.3: chunked not last", BYTES(TOP "Transfer-Encoding: chunked, gzip\r\n\r\n"), 400},
    {"6.3: identity", BYTES(TOP "Transfer-Encoding: identity\r\n\r\n"), 400},
    {"6.3: chunked and identity", BYTES(TOP "Transfer-Encoding: chunked, identity\r\n\r\n"),
     400},
    {"6.3: gzip", BYTES(TOP "Transfer-Encoding: gzip\r\n\r\n"), 400},
    {"6.3: empty coding", BYTES(TOP "Transfer-Encoding:\r\n\r\n"), 400},
    {"6.3: comma alone", BYTES(TOP "Transfer-Encoding: ,\r\n\r\n"), 400},
    {"6.1: chunked twice", BYTES(TOP "Transfer-Encoding: chunked, chunked\r\n\r\n0\r\n\r\n"),
     501},
    {"6.1: chunked in two fields",
     BYTES(TOP "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
     400},
    {"6.1: chunked, then identity",
     BYTES(TOP "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n\r\n0\r\n\r\n"),
     400},
    {"6.1: identity, then chunked",
     BYTES(TOP "Transfer-Encoding: identity\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
     400},
    {"own: chunked with an empty member",
     BYTES(TOP "Transfer-Encoding: ,chunked\r\n\r\n0\r\n\r\n"), 400},
    {"6.3: xchunked", BYTES(TOP "Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n"), 400},
    {"6.3: chunked with a parameter",
     BYTES(TOP "Transfer-Encoding: chunked;q=1\r\n\r\n0\r\n\r\n"), 400},
    {"6.3: quoted", BYTES(TOP "Transfer-Encoding: \"chunked\"\r\n\r\n0\r\n\r\n"), 400},
    {"6.3: vertical tab before chunked",
     BYTES(TOP "Transfer-Encoding: \vchunked\r\n\r\n0\r\n\r\n"), 400},
    {"6.3: no-break space", BYTES(TOP "Transfer-Encoding: chunked\xa0\r\n\r\n0\r\n\r\n"), 400},
};

/* The head is valid, so one request has begun; it must not end. */
static const struct wrong chunks[] = {
    {"7.1: no size", BYTES(CH "\r\nhello\r\n0\r\n\r\n"), 400},
    {"7.1: 0x", BYTES(CH "0x5\r\nhello\r\n0\r\n\r\n"), 400},
    {"7.1: plus", BYTES(CH "+5\r\nhello\r\n0\r\n\r\n"), 400},
    {"7.1: minus", BYTES(CH "-5\r\nhello\r\n0\r\n\r\n"), 400},
    {"7.1: blank before", BYTES(CH " 5\r\nhello\r\n0\r\n\r\n"), 400},
    {"7.1: blank after", BYTES(CH "5 \r\nhello\r\n0\r\n\r\n"), 400},
    {"7.1: tab after", BYTES(CH "5\t\r\nhello\r\n0\r\n\r\n"), 400},
    {"7.1: underscore", BYTES(CH "1_0\r\nhello\r\n0\r\n\r\n"), 400},
    {"7.1: no digit", BYTES(CH "g\r\nhello\r\n0\r\n\r\n"), 400},
    {"7.1: digit, then none", BYTES(CH "5g\r\nhello\r\n0\r\n\r\n"), 400},
    {"7.1: comma", BYTES(CH "5,5\r\nhello\r\n0\r\n\r\n"), 400},
    {"7.1: bare LF after the size", BYTES(CH "5\nhello\r\n0\r\n\r\n"), 400},
    {"7.1: bare CR after the size", BYTES(CH "5\rhello\r\n0\r\n\r\n"), 400},
    {"7.1: NUL after the size", BYTES(CH "5\0\r\nhello\r\n0\r\n\r\n"), 400},
    {"7.1: data longer than the size", BYTES(CH "5\r\nhello!\r\n0\r\n\r\n"), 400},
    {"7.1: data shorter than the size", BYTES(CH "6\r\nhello\r\n0\r\n\r\n"), 400},
    {"7.1: LF after the data", BYTES(CH "5\r\nhello\n0\r\n\r\n"), 400},
    {"7.1: CR after the data", BYTES(CH "5\r\nhello\r0\r\n\r\n"), 400},
    {"7.1: two line ends after the data", BYTES(CH "5\r\nhello\r\n\r\n0\r\n\r\n"), 400},
    {"7.1: nothing after the data", BYTES(CH "5\r\nhello0\r\n\r\n"), 400},
    {"7.1: size that wraps 64 bits", BYTES(CH "10000000000000005\r\nhello\r\n0\r\n\r\n"), 400},
    {"7.1: many zeros", BYTES(CH "00000000000000005\r\nhello\r\n0\r\n\r\n"), 400},
    {"7.1: 2^64 - 1", BYTES(CH "ffffffffffffffff\r\nhello"), 413},
    {"7.1: 2^63", BYTES(CH "8000000000000000\r\nhello"), 413},
    {"7.1: beyond the cap", BYTES(CH "3e9\r\n"), 413},
    {"7.1: beyond the cap in sum", BYTES(CH "1\r\na\r\n3e8\r\n"), 413},
    {"7.1: sum that wraps", BYTES(CH "1\r\na\r\nffffffffffffffff\r\n"), 413},
    {"7.1.1: extension without a name", BYTES(CH "5;\r\nhello\r\n0\r\n\r\n"), 400},
    {"7.1.1: two semicolons", BYTES(CH "5;;a\r\nhello\r\n0\r\n\r\n"), 400},
    {"7.1.1: no value after =", BYTES(CH "5;a=\r\nhello\r\n0\r\n\r\n"), 400},
    {"own: blank before ;", BYTES(CH "5 ;a\r\nhello\r\n0\r\n\r\n"), 400},
    {"own: blank after ;", BYTES(CH "5; a\r\nhello\r\n0\r\n\r\n"), 400},
    {"7.1.1: open quotes", BYTES(CH "5;a=\"b\r\nhello\r\n0\r\n\r\n"), 400},
    {"7.1.1: escaped end of quotes", BYTES(CH "5;a=\"b\\\"\r\nhello\r\n0\r\n\r\n"), 400},
    {"7.1.1: line end in quotes", BYTES(CH "5;a=\"\r\n\"\r\nhello\r\n0\r\n\r\n"), 400},
    {"7.1.1: LF in an extension", BYTES(CH "5;a\nhello\r\n0\r\n\r\n"), 400},
    {"7.1.1: CR in an extension", BYTES(CH "5;a\rb\r\nhello\r\n0\r\n\r\n"), 400},
    {"7.1.1: NUL in an extension", BYTES(CH "5;a\0\r\nhello\r\n0\r\n\r\n"), 400},
    {"7.1.2: trailer with a blank before the colon", BYTES(CH "0\r\nX : y\r\n\r\n"), 400},
    {"7.1.2: folded trailer", BYTES(CH "0\r\nX: y\r\n z\r\n\r\n"), 400},
    {"7.1.2: trailer without a colon", BYTES(CH "0\r\nX\r\n\r\n"), 400},
    {"7.1.2: next request in place of the end", BYTES(CH "0\r\n" NEXT), 400},
    {"7.1.2: LF in the trailers", BYTES(CH "0\r\nX: y\n\r\n"), 400},
    {"7.1.2: LF ends the body", BYTES(CH "0\r\n\n"), 400},
    {"7.1: LF after the last size", BYTES(CH "0\n\r\n"), 400},
};

static void assert_refused(const struct wrong *wrong, int heads)
{
    struct run *run = run_all_ways(wrong->bytes);

    if (run->rc == RC_OK || run->parser.status != wrong->status || run->begun != heads ||
        run->ended != 0)
        fail_msg("%s: status %d (%d), %d begun, %d ended: %s", wrong->rule, run->parser.status,
                 run->rc, run->begun, run->ended, run->err.text);
    assert_int_equal(run->rc, wrong->status == 413 ? RC_LIMIT : RC_INVALID);
    assert_int_equal(run->err.rc, run->rc);
    assert_true(strlen(run->err.text) > 20);
    free(run);
}

static void ambiguous_request_lines_are_refused(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(lines); i++)
        assert_refused(&lines[i], 0);
}

static void targets_that_are_not_what_the_rfc_allows_are_refused(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(targets); i++)
        assert_refused(&targets[i], 0);
}

static void ambiguous_fields_are_refused(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(fields); i++)
        assert_refused(&fields[i], 0);
}

/* Whether a body is too long for the caller is known only after the head. */
static void bodies_with_more_than_one_possible_end_are_refused(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(framings); i++)
        assert_refused(&framings[i], framings[i].status == 413);
}

static void chunks_that_are_not_exactly_framed_are_refused(void **state)
{
    (void)state;
    for (int i = 0; i < COUNT(chunks); i++)
        assert_refused(&chunks[i], 1);
}

/* For the author of the client: the position, and what would be right. */
static void a_refusal_says_what_is_wrong(void **state)
{
    static const struct {
        struct str bytes;
        const char *says;
    } rows[] = {
        {BYTES(GET "X-Y : z\r\n\r\n"), "before the colon of the field X-Y"},
        {BYTES(GET "X Y\r\n\r\n"), "\"X Y\" has no colon"},
        {BYTES(GET "X: a\n\r\n"), "must end with CR LF"},
        {BYTES("GET /{a} HTTP/1.1\r\n" HOST "\r\n"),
         "0x7b in the target must be written as %7B"},
        {BYTES("GET /50% HTTP/1.1\r\n" HOST "\r\n"), "write %25"},
        {BYTES("\x16\x03\x01"), "0x16"},
        {BYTES(GET "hOST: i\r\n\r\n"), "duplicate field hOST"},
        {BYTES(TOP "Content-Length: 5, 5\r\n\r\n"), "not \"5, 5\""},
        {BYTES(TOP "Content-Length: 1001\r\n\r\n"), "the limit is 1000 bytes"},
        {BYTES("GET / HTTP/2.0\r\n" HOST "\r\n"), "HTTP/2.0 is not supported; use HTTP/1.1"},
    };

    (void)state;
    for (int i = 0; i < COUNT(rows); i++) {
        struct run *run = run_all_ways(rows[i].bytes);

        if (!strstr(run->err.text, rows[i].says))
            fail_msg("\"%s\" does not say: %s", run->err.text, rows[i].says);
        free(run);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ambiguous_request_lines_are_refused),
        cmocka_unit_test(targets_that_are_not_what_the_rfc_allows_are_refused),
        cmocka_unit_test(ambiguous_fields_are_refused),
        cmocka_unit_test(bodies_with_more_than_one_possible_end_are_refused),
        cmocka_unit_test(chunks_that_are_not_exactly_framed_are_refused),
        cmocka_unit_test(a_refusal_says_what_is_wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
