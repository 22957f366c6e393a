/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The ranges of special addresses, and the parser of networks.
 */
#include "io/client/address_policy.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "base/must.h"

enum {
    BITS = 128,
    V4_BITS = 32,
    V4_AT = 12,        /* offset of the IPv4 address in a mapped one */
    NET_TEXT_MAX = 64, /* the longest IPv6 address has 45 bytes */
    PORT_MAX = 65535,  /* the maximum of TCP */
    MAPPED = 0xffff,   /* bytes 8 to 11 of a mapped address */
    HALF = BITS / 2,   /* the prefixes of the IPv6 table end here */
};

struct v4_range {
    uint32_t first;
    int bits;
    enum address_class class;
};

struct v6_range {
    uint64_t first; /* the upper half */
    int bits;
    enum address_class class;
};

/*
 * IANA's special purpose registries, and the metadata addresses of clouds; the first match
 * counts.
 */
static const struct v4_range v4_ranges[] = {
    {0x00000000, 8, ADDRESS_UNSPECIFIED}, /* 0.0.0.0/8 */
    {0x0a000000, 8, ADDRESS_PRIVATE},     /* 10.0.0.0/8 */
    {0x646464c8, 32, ADDRESS_METADATA},   /* 100.100.100.200, Alibaba's */
    {0x64400000, 10, ADDRESS_PRIVATE},    /* 100.64.0.0/10, shared by a provider */
    {0x7f000000, 8, ADDRESS_LOOPBACK},    /* 127.0.0.0/8 */
    {0xa83f8110, 32, ADDRESS_METADATA},   /* 168.63.129.16, Azure's */
    {0xa9fe0000, 16, ADDRESS_LINK_LOCAL}, /* 169.254.0.0/16 */
    {0xac100000, 12, ADDRESS_PRIVATE},    /* 172.16.0.0/12 */
    {0xc0000000, 24, ADDRESS_RESERVED},   /* 192.0.0.0/24, protocols, Oracle's metadata */
    {0xc0000200, 24, ADDRESS_RESERVED},   /* 192.0.2.0/24, documentation */
    {0xc0586300, 24, ADDRESS_TUNNEL},     /* 192.88.99.0/24, relays of 6to4 */
    {0xc0a80000, 16, ADDRESS_PRIVATE},    /* 192.168.0.0/16 */
    {0xc6120000, 15, ADDRESS_RESERVED},   /* 198.18.0.0/15, measurements */
    {0xc6336400, 24, ADDRESS_RESERVED},   /* 198.51.100.0/24, documentation */
    {0xcb007100, 24, ADDRESS_RESERVED},   /* 203.0.113.0/24, documentation */
    {0xe0000000, 4, ADDRESS_MULTICAST},   /* 224.0.0.0/4 */
    {0xf0000000, 4, ADDRESS_RESERVED},    /* 240.0.0.0/4, broadcast in it */
};

static const struct v6_range v6_ranges[] = {
    {UINT64_C(0x0064ff9b00000000), 32, ADDRESS_TUNNEL},     /* 64:ff9b::/32, NAT64 */
    {UINT64_C(0x2001000000000000), 32, ADDRESS_TUNNEL},     /* 2001::/32, Teredo */
    {UINT64_C(0x2001000000000000), 23, ADDRESS_RESERVED},   /* 2001::/23, protocols */
    {UINT64_C(0x20010db800000000), 32, ADDRESS_RESERVED},   /* documentation */
    {UINT64_C(0x2002000000000000), 16, ADDRESS_TUNNEL},     /* 2002::/16, 6to4 */
    {UINT64_C(0x3fff000000000000), 20, ADDRESS_RESERVED},   /* documentation */
    {UINT64_C(0xfd000ec200000000), 32, ADDRESS_METADATA},   /* fd00:ec2::/32, Amazon's */
    {UINT64_C(0xfc00000000000000), 7, ADDRESS_PRIVATE},     /* fc00::/7 */
    {UINT64_C(0xfe80000000000000), 10, ADDRESS_LINK_LOCAL}, /* fe80::/10 */
    {UINT64_C(0xff00000000000000), 8, ADDRESS_MULTICAST},   /* ff00::/8 */
    {UINT64_C(0x2000000000000000), 3, ADDRESS_PUBLIC},      /* all allocated addresses */
};

static uint64_t read_be(const uint8_t *bytes, int count)
{
    uint64_t number = 0;

    for (int i = 0; i < count; i++)
        number = number << 8 | bytes[i];
    return number;
}

static bool is_mapped(const uint8_t *bytes)
{
    return read_be(bytes, 8) == 0 && read_be(bytes + 8, 4) == MAPPED;
}

static void map_v4(const void *v4, uint8_t *ret)
{
    memset(ret, 0, 10);
    ret[10] = 0xff;
    ret[11] = 0xff;
    memcpy(ret + V4_AT, v4, 4);
}

bool address_of(const struct sockaddr *address, struct address *ret)
{
    if (address->sa_family == AF_INET) {
        struct sockaddr_in v4;

        memcpy(&v4, address, sizeof v4);
        map_v4(&v4.sin_addr, ret->bytes);
        ret->port = ntohs(v4.sin_port);
        return true;
    }
    if (address->sa_family == AF_INET6) {
        struct sockaddr_in6 v6;

        memcpy(&v6, address, sizeof v6);
        memcpy(ret->bytes, &v6.sin6_addr, sizeof ret->bytes);
        ret->port = ntohs(v6.sin6_port);
        return true;
    }
    return false;
}

bool address_read(const char *text, uint16_t port, struct address *ret)
{
    uint8_t bytes[16];

    if (inet_pton(AF_INET, text, bytes) == 1)
        map_v4(bytes, ret->bytes);
    else if (inet_pton(AF_INET6, text, bytes) == 1)
        memcpy(ret->bytes, bytes, sizeof bytes);
    else
        return false;
    ret->port = port;
    return true;
}

void address_print(const struct address *addr, struct buf *out)
{
    char text[INET6_ADDRSTRLEN];
    bool is_v4 = is_mapped(addr->bytes);

    must(inet_ntop(is_v4 ? AF_INET : AF_INET6, addr->bytes + (is_v4 ? V4_AT : 0), text,
                   sizeof text) != NULL);
    buf_text(out, text);
}

static enum address_class class_of_v4(uint32_t address)
{
    for (size_t i = 0; i < sizeof v4_ranges / sizeof *v4_ranges; i++)
        if ((address ^ v4_ranges[i].first) >> (V4_BITS - v4_ranges[i].bits) == 0)
            return v4_ranges[i].class;
    return ADDRESS_PUBLIC;
}

enum address_class address_class_of(const struct address *addr)
{
    uint64_t high = read_be(addr->bytes, 8), low = read_be(addr->bytes + 8, 8);

    if (is_mapped(addr->bytes))
        return class_of_v4((uint32_t)low);
    if (high == 0)
        return low == 0 ? ADDRESS_UNSPECIFIED : low == 1 ? ADDRESS_LOOPBACK : ADDRESS_TUNNEL;
    for (size_t i = 0; i < sizeof v6_ranges / sizeof *v6_ranges; i++)
        if ((high ^ v6_ranges[i].first) >> (HALF - v6_ranges[i].bits) == 0)
            return v6_ranges[i].class;
    return ADDRESS_RESERVED;
}

const char *address_class_text(enum address_class class)
{
    static const char *const texts[ADDRESS_CLASS_COUNT] = {
        [ADDRESS_PUBLIC] = "a public address",
        [ADDRESS_LOOPBACK] = "a loopback address",
        [ADDRESS_PRIVATE] = "an address of a private network",
        [ADDRESS_LINK_LOCAL] = "a link-local address",
        [ADDRESS_METADATA] = "the address of a cloud's metadata service",
        [ADDRESS_UNSPECIFIED] = "an unspecified address",
        [ADDRESS_MULTICAST] = "a multicast address",
        [ADDRESS_TUNNEL] = "a tunnel address that contains another address",
        [ADDRESS_RESERVED] = "a reserved address",
    };

    must(class < ADDRESS_CLASS_COUNT);
    return texts[class];
}

static bool net_contains(const struct address_net *net, const struct address *addr)
{
    int whole = net->bits / 8, rest = net->bits % 8;

    if (net->port != 0 && net->port != addr->port)
        return false;
    if (memcmp(net->bytes, addr->bytes, (size_t)whole) != 0)
        return false;
    return rest == 0 || (net->bytes[whole] ^ addr->bytes[whole]) >> (8 - rest) == 0;
}

static bool list_contains(const struct address_net *list, int count, const struct address *addr)
{
    for (int i = 0; i < count; i++)
        if (net_contains(&list[i], addr))
            return true;
    return false;
}

bool address_policy_permits(const struct address_policy *policy, const struct address *addr)
{
    if (list_contains(policy->deny, policy->deny_count, addr))
        return false;
    if (list_contains(policy->allow, policy->allow_count, addr))
        return true;
    switch (address_class_of(addr)) {
    case ADDRESS_PUBLIC:
        return true;
    case ADDRESS_LOOPBACK:
        return policy->allows_loopback;
    case ADDRESS_PRIVATE:
        return policy->allows_private;
    default:
        return false;
    }
}

/* Removes ":PORT" from the end of "[NET]:PORT" and of "V4NET:PORT", and the brackets. */
static bool split_port(struct str text, struct str *ret_net, struct str *ret_port)
{
    struct str head, tail;

    *ret_port = STR("");
    if (str_starts(text, STR("["))) {
        if (!str_cut(str_from(text, 1), ']', ret_net, &tail))
            return false;
        *ret_port = tail.len > 0 ? str_from(tail, 1) : tail;
        return tail.len == 0 || (tail.ptr[0] == ':' && ret_port->len > 0);
    }
    *ret_net = text;
    if (!str_cut(text, ':', &head, &tail) || (tail.len > 0 && memchr(tail.ptr, ':', tail.len)))
        return true; /* no colon, or several: IPv6 without a port */
    *ret_net = head;
    *ret_port = tail;
    return tail.len > 0;
}

static bool parse_number(struct str s, int64_t max, int64_t *ret)
{
    int64_t number;

    if (str_take_number(&s, max, &number) == 0 || s.len > 0 || number > max)
        return false;
    *ret = number;
    return true;
}

static bool is_masked(const struct address_net *net)
{
    for (int bit = net->bits; bit < BITS; bit++)
        if (net->bytes[bit / 8] & 0x80 >> bit % 8)
            return false;
    return true;
}

enum rc address_net_parse(struct str text, struct address_net *ret, struct err *reterr)
{
    struct str net_text, port_text, address, bits_text;
    struct address addr;
    struct address_net net;
    char terminated[NET_TEXT_MAX];
    int64_t port = 0, bits;
    bool has_bits, is_v4;

    if (!split_port(text, &net_text, &port_text) ||
        (port_text.len > 0 && (!parse_number(port_text, PORT_MAX, &port) || port == 0)))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "`%.*s` has no port from 1 to 65535 after its colon", STR_ARG(text));
    has_bits = str_cut(net_text, '/', &address, &bits_text);
    if (!has_bits)
        address = net_text;
    if (address.len < sizeof terminated) {
        memcpy(terminated, address.ptr, address.len);
        terminated[address.len] = '\0';
    }
    if (address.len >= sizeof terminated || memchr(terminated, '\0', address.len) ||
        !address_read(terminated, 0, &addr))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "`%.*s` is not a network; write it as 10.0.0.0/8 or [fd00::/8]:443",
                       STR_ARG(text));
    is_v4 = !memchr(terminated, ':', address.len);
    bits = is_v4 ? V4_BITS : BITS;
    if (has_bits && !parse_number(bits_text, bits, &bits))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "`%.*s` has no number of bits from 0 to %d after the `/`", STR_ARG(text),
                       is_v4 ? V4_BITS : BITS);
    net.bits = (uint8_t)(is_v4 ? bits + BITS - V4_BITS : bits);
    net.port = (uint16_t)port;
    memcpy(net.bytes, addr.bytes, sizeof net.bytes);
    if (!is_masked(&net))
        return err_set(reterr, RC_INVALID, -1, 0,
                       "`%.*s` has bits set after the first %d; set them to zero",
                       STR_ARG(text), (int)bits);
    *ret = net;
    return RC_OK;
}
