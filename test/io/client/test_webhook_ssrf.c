/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Server-side request forgery: URLs that make a server call what its caller cannot reach.
 *
 * A server listens on 127.0.0.1; only public addresses are allowed.  Each case must end as
 * stated, and that server must not even see a connection.  In a URL, @ after a colon stands for
 * the server's port.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "caller.h"

enum ending {
    BY_FORM,  /* it is not a valid URL: nothing is started */
    BY_GUARD, /* the address is checked and denied */
    BY_NAME,  /* the name does not exist */
};

struct ssrf {
    const char *name, *url;
    enum ending ending;
};

static const struct ssrf forms[] = {
    {"scheme: file", "file:///etc/passwd", BY_FORM},
    {"scheme: file with a host", "file://127.0.0.1/etc/passwd", BY_FORM},
    {"scheme: ftp", "ftp://127.0.0.1:@/", BY_FORM},
    {"scheme: gopher", "gopher://127.0.0.1:@/_GET%20/", BY_FORM},
    {"scheme: dict", "dict://127.0.0.1:@/info", BY_FORM},
    {"scheme: ldap", "ldap://127.0.0.1:@/", BY_FORM},
    {"scheme: tftp", "tftp://127.0.0.1:@/x", BY_FORM},
    {"scheme: ws", "ws://127.0.0.1:@/", BY_FORM},
    {"scheme: data", "data:text/plain,x", BY_FORM},
    {"scheme: none", "127.0.0.1:@/", BY_FORM},
    {"scheme: relative", "//127.0.0.1:@/", BY_FORM},
    {"scheme: one slash", "http:/127.0.0.1:@/", BY_FORM},
    {"scheme: three slashes", "http:///127.0.0.1:@/", BY_FORM},
    {"user: a name", "http://user@127.0.0.1:@/", BY_FORM},
    {"user: a public host as the name", "http://example.com@127.0.0.1:@/", BY_FORM},
    {"user: with a password", "http://a:b@127.0.0.1:@/", BY_FORM},
    {"user: empty", "http://@127.0.0.1:@/", BY_FORM},
    {"user: two at signs", "http://a@example.com@127.0.0.1:@/", BY_FORM},
    {"user: a backslash before it", "http://example.com\\@127.0.0.1:@/", BY_FORM},
    {"bytes: a line's end", "http://127.0.0.1:@/\r\nX: y", BY_FORM},
    {"bytes: a blank", "http://127.0.0.1:@/ HTTP/1.1", BY_FORM},
    {"bytes: a tab in the host", "http://127.0.\t0.1:@/", BY_FORM},
    {"bytes: a percent line's end in the host", "http://127.0.0.1%0d%0a:@/", BY_FORM},
    {"bytes: a percent NUL in the host", "http://127.0.0.1%00.example.com:@/", BY_FORM},
    {"port: too large", "http://127.0.0.1:65536/", BY_FORM},
    {"port: a sign", "http://127.0.0.1:-1/", BY_FORM},
    {"port: letters", "http://127.0.0.1:http/", BY_FORM},
    {"host: an open bracket", "http://[::1:@/", BY_FORM},
    {"host: none", "http://:@/", BY_FORM},
};

static const struct ssrf addresses[] = {
    {"loopback", "http://127.0.0.1:@/", BY_GUARD},
    {"loopback: https", "https://127.0.0.1:@/", BY_GUARD},
    {"loopback: another of the network", "http://127.8.8.8:@/", BY_GUARD},
    {"loopback: two parts", "http://127.1:@/", BY_GUARD},
    {"loopback: three parts", "http://127.0.1:@/", BY_GUARD},
    {"loopback: decimal", "http://2130706433:@/", BY_GUARD},
    {"loopback: hexadecimal", "http://0x7f000001:@/", BY_GUARD},
    {"loopback: octal", "http://017700000001:@/", BY_GUARD},
    {"loopback: mixed bases", "http://0x7f.0.0.01:@/", BY_GUARD},
    {"loopback: percent letters", "http://%31%32%37.0.0.1:@/", BY_GUARD},
    {"loopback: its name", "http://localhost:@/", BY_GUARD},
    {"loopback: its name in capitals", "http://LocalHost:@/", BY_GUARD},
    {"loopback: a fragment with an at sign", "http://127.0.0.1:@/#x@example.com", BY_GUARD},
    {"loopback: a query with an at sign", "http://127.0.0.1:@/?x@example.com", BY_GUARD},
    {"loopback: IPv6", "http://[::1]:@/", BY_GUARD},
    {"loopback: IPv6 in full", "http://[0000:0000::0001]:@/", BY_GUARD},
    {"loopback: IPv4 mapped", "http://[::ffff:127.0.0.1]:@/", BY_GUARD},
    {"loopback: IPv4 mapped in hexadecimal", "http://[::ffff:7f00:1]:@/", BY_GUARD},
    {"loopback: IPv4 compatible", "http://[::127.0.0.1]:@/", BY_GUARD},
    {"loopback: IPv4 translated", "http://[::ffff:0:127.0.0.1]:@/", BY_GUARD},
    {"loopback: NAT64", "http://[64:ff9b::127.0.0.1]:@/", BY_GUARD},
    {"loopback: NAT64 of one's own", "http://[64:ff9b:1::7f00:1]:@/", BY_GUARD},
    {"loopback: 6to4", "http://[2002:7f00:1::]:@/", BY_GUARD},
    {"loopback: Teredo", "http://[2001:0:7f00:1::]:@/", BY_GUARD},
    {"unspecified", "http://0.0.0.0:@/", BY_GUARD},
    {"unspecified: as a number", "http://0:@/", BY_GUARD},
    {"unspecified: its network", "http://0.1.2.3:@/", BY_GUARD},
    {"unspecified: IPv6", "http://[::]:@/", BY_GUARD},
    {"private: 10/8", "http://10.0.0.1:@/", BY_GUARD},
    {"private: 172.16/12", "http://172.31.255.254:@/", BY_GUARD},
    {"private: 192.168/16", "http://192.168.0.1:@/", BY_GUARD},
    {"private: shared by a provider", "http://100.64.0.1:@/", BY_GUARD},
    {"private: unique local", "http://[fd12:3456::1]:@/", BY_GUARD},
    {"link-local", "http://169.254.1.1:@/", BY_GUARD},
    {"link-local: IPv6", "http://[fe80::1]:@/", BY_GUARD},
    {"metadata: Amazon, Google, Azure", "http://169.254.169.254/latest/", BY_GUARD},
    {"metadata: decimal", "http://2852039166/latest/", BY_GUARD},
    {"metadata: IPv4 mapped", "http://[::ffff:a9fe:a9fe]/latest/", BY_GUARD},
    {"metadata: Amazon by IPv6", "http://[fd00:ec2::254]/latest/", BY_GUARD},
    {"metadata: Alibaba", "http://100.100.100.200/latest/", BY_GUARD},
    {"metadata: Azure's wire server", "http://168.63.129.16/", BY_GUARD},
    {"metadata: Oracle", "http://192.0.0.192/", BY_GUARD},
    {"multicast", "http://224.0.0.1:@/", BY_GUARD},
    {"multicast: IPv6", "http://[ff02::1]:@/", BY_GUARD},
    {"broadcast", "http://255.255.255.255:@/", BY_GUARD},
    {"reserved: documentation", "http://192.0.2.1:@/", BY_GUARD},
    {"reserved: measurements", "http://198.18.0.1:@/", BY_GUARD},
    {"name: of no one", "http://nobody.test:@/", BY_NAME},
};

enum {
    FORMS = sizeof forms / sizeof forms[0],
    ADDRESSES = sizeof addresses / sizeof addresses[0],
    CASES_MIN = 60, /* minimum number of cases in the table */
};

static const struct address_policy public_only;

/* With the port in place of ":@". */
static struct str fill(const char *form, int port)
{
    static char url[256];
    const char *at = strstr(form, ":@");
    int before = at ? (int)(at - form) : (int)strlen(form);

    if (at)
        snprintf(url, sizeof url, "%.*s:%d%s", before, form, port, at + 2);
    else
        snprintf(url, sizeof url, "%s", form);
    return str_of(url);
}

static void check(struct caller *caller, const struct ssrf *c)
{
    static const enum webhook_kind kinds[] = {
        [BY_GUARD] = WEBHOOK_REFUSED, [BY_NAME] = WEBHOOK_UNCONNECTED};
    struct webhook_request request = caller_request(caller, "/");
    const struct caller_end *got;
    struct err err;

    request.policy = &public_only;
    request.url = fill(c->url, caller->server.port);
    if (c->ending == BY_FORM) {
        if (webhook_start(caller->pool, &request, NULL, NULL, &err) != RC_INVALID)
            fail_msg("%s: %s was accepted", c->name, request.url.ptr);
        return;
    }
    got = caller_call(caller, &request);
    if (got->result.kind != kinds[c->ending] || got->result.is_sent)
        fail_msg("%s: %s: kind %d, %s", c->name, request.url.ptr, got->result.kind,
                 got->result.err.text);
    caller_forget(caller);
}

static void no_url_reaches_what_is_not_public(void **state)
{
    struct caller *caller = *state;

    assert_in_range(FORMS + ADDRESSES, CASES_MIN, INT32_MAX);
    for (int i = 0; i < FORMS; i++)
        check(caller, &forms[i]);
    for (int i = 0; i < ADDRESSES; i++)
        check(caller, &addresses[i]);
    assert_int_equal(caller->server.connections, 0);
}

/* ---- names ---- */

static const struct {
    const char *name;
    const char *list[4];
} answers[] = {
    {"A of loopback", {"127.0.0.1"}},
    {"AAAA of loopback", {"::1"}},
    {"A and AAAA, both inside", {"10.0.0.1", "fd00::1"}},
    {"AAAA that maps loopback", {"::ffff:127.0.0.1"}},
    {"A of metadata behind one of a private network", {"192.168.1.1", "169.254.169.254"}},
    {"AAAA of NAT64, A of loopback", {"64:ff9b::7f00:1", "127.0.0.1"}},
};

static void no_resolved_name_reaches_what_is_not_public(void **state)
{
    struct caller *caller = *state;

    for (size_t i = 0; i < sizeof answers / sizeof answers[0]; i++) {
        const struct ssrf c = {answers[i].name, "http://rebound.test:@/", BY_GUARD};

        caller_rebind(answers[i].list);
        check(caller, &c);
    }
    caller_rebind(NULL);
    assert_int_equal(caller->server.connections, 0);
}

/* First an address that is allowed, then, for the same name, one that is not. */
static void a_name_that_resolves_differently_is_checked_again(void **state)
{
    struct caller *caller = *state;
    struct webhook_request request = caller_request(caller, "/");
    struct address_policy policy = {.allow_count = 1};
    struct address_net allow;
    struct err err;
    int seen;

    assert_int_equal(address_net_parse(STR("127.0.0.1"), &allow, &err), RC_OK);
    policy.allow = &allow;
    request.policy = &policy;
    request.url = fill("http://rebound.test:@/", caller->server.port);
    caller_rebind((const char *const[]){"127.0.0.1", NULL});
    assert_int_equal(caller_call(caller, &request)->result.kind, WEBHOOK_ANSWERED);
    seen = caller->server.seen_count;
    caller_limit(caller, 1, 1, 1); /* drops resolved names */
    caller_rebind((const char *const[]){"127.0.0.2", NULL});
    request.id = ++caller->next_id;
    assert_int_equal(caller_call(caller, &request)->result.kind, WEBHOOK_REFUSED);
    caller_rebind(NULL);
    assert_int_equal(caller->server.seen_count, seen);
}

/* ---- redirects ---- */

static void no_redirect_reaches_what_is_not_public(void **state)
{
    static const char *const hosts[] = {"127.0.0.2", "localhost.test",  "[::1]",
                                        "0.0.0.0",   "169.254.169.254", "2130706434"};
    struct caller *caller = *state;
    struct address_policy policy = {.allow_count = 1};
    struct address_net allow;
    struct err err;

    assert_int_equal(address_net_parse(STR("127.0.0.1"), &allow, &err), RC_OK);
    policy.allow = &allow;
    for (size_t i = 0; i < sizeof hosts / sizeof hosts[0]; i++) {
        struct webhook_request request = caller_request(caller, "/from");
        const struct caller_end *got;
        char answer[256];

        snprintf(answer, sizeof answer,
                 "HTTP/1.1 307 Elsewhere\r\nLocation: http://%s:%d/to\r\n"
                 "Content-Length: 0\r\n\r\n",
                 hosts[i], caller->server.port);
        bad_server_script(&caller->server,
                          (struct bad_script){.path = "/from", .bytes = str_of(answer)});
        request.policy = &policy;
        request.redirects = WEBHOOK_REDIRECTS_MAX;
        got = caller_call(caller, &request);
        if (got->result.kind != WEBHOOK_REFUSED && got->result.kind != WEBHOOK_UNCONNECTED)
            fail_msg("%s: kind %d", hosts[i], got->result.kind);
        assert_int_equal(caller->server.seen_count, i + 1); /* only the first hop */
    }
}

/* ---- the environment ---- */

/* Each would send the call to the server; all of them are ignored. */
static void no_proxy_of_the_environment_is_used(void **state)
{
    static const char *const names[] = {"http_proxy",  "HTTP_PROXY", "https_proxy",
                                        "HTTPS_PROXY", "all_proxy",  "ALL_PROXY"};
    const struct ssrf cases[] = {{"http", "http://nobody.test/", BY_NAME},
                                 {"https", "https://nobody.test/", BY_NAME}};
    struct caller *caller = *state;
    char proxy[64];

    snprintf(proxy, sizeof proxy, "http://127.0.0.1:%d/", caller->server.port);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        assert_int_equal(setenv(names[i], proxy, 1), 0);
        check(caller, &cases[0]);
        check(caller, &cases[1]);
        unsetenv(names[i]);
    }
    assert_int_equal(caller->server.connections, 0);
}

/* ---- headers ---- */

static void no_header_contains_another(void **state)
{
    static const struct webhook_header headers[] = {
        {{"X\r\nY", 4}, {"z", 1}},
        {{"X", 1}, {"y\r\nZ: z", 7}},
        {{"X", 1}, {"y\nZ: z", 6}},
        {{"X", 1}, {"y\rZ: z", 6}},
        {{"X", 1}, {"y\0z", 3}},
        {{"X:", 2}, {"y", 1}},
        {{"X Y", 3}, {"z", 1}},
        {{"", 0}, {"z", 1}},
        {{"Content-Length", 14}, {"0", 1}},
        {{"Transfer-Encoding", 17}, {"chunked", 7}},
    };
    struct caller *caller = *state;
    struct err err;

    for (size_t i = 0; i < sizeof headers / sizeof headers[0]; i++) {
        struct webhook_request request = caller_request(caller, "/");

        request.headers = &headers[i];
        request.header_count = 1;
        if (webhook_start(caller->pool, &request, NULL, NULL, &err) != RC_INVALID)
            fail_msg("header %zu was accepted", i);
    }
    assert_int_equal(caller->server.connections, 0);
}

#define WITH_CALLER(name) cmocka_unit_test_setup_teardown(name, caller_setup, caller_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CALLER(no_url_reaches_what_is_not_public),
        WITH_CALLER(no_resolved_name_reaches_what_is_not_public),
        WITH_CALLER(a_name_that_resolves_differently_is_checked_again),
        WITH_CALLER(no_redirect_reaches_what_is_not_public),
        WITH_CALLER(no_proxy_of_the_environment_is_used),
        WITH_CALLER(no_header_contains_another),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
