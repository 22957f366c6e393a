/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Decides which addresses a call may connect to.
 *
 * Pure: it checks the address that a name was resolved to, never the name, so that no spelling
 * of a host and no answer of a name server can bypass it.  Anything not known to be public is
 * denied; see docs/decisions/0014-libcurl.md.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum address_class {
    ADDRESS_PUBLIC,
    ADDRESS_LOOPBACK,    /* this machine */
    ADDRESS_PRIVATE,     /* a private network: RFC 1918, RFC 4193, RFC 6598 */
    ADDRESS_LINK_LOCAL,  /* the local link; clouds put metadata here */
    ADDRESS_METADATA,    /* other metadata addresses of clouds: they give out keys */
    ADDRESS_UNSPECIFIED, /* 0.0.0.0 and ::, which the kernel treats as this machine */
    ADDRESS_MULTICAST,
    ADDRESS_TUNNEL,   /* an IPv6 address that leads to an IPv4 address, which is not checked */
    ADDRESS_RESERVED, /* documentation, measurements, future use */
    ADDRESS_CLASS_COUNT
};

/* Either family: IPv4 is stored as ::ffff:a.b.c.d, which the kernel treats as the same. */
struct address {
    uint8_t bytes[16];
    uint16_t port;
};

struct address_net {
    uint8_t bytes[16];
    uint8_t bits;  /* of 128; the bits after them are 0 */
    uint16_t port; /* 0: any */
};

struct address_policy {
    bool allows_loopback;
    bool allows_private;
    const struct address_net *allow; /* of any class */
    int allow_count;
    const struct address_net *deny; /* checked first; Belfry's own listeners, for example */
    int deny_count;
};

/* False if it is neither IPv4 nor IPv6. */
bool address_of(const struct sockaddr *address, struct address *ret);

/* Parses the text of an address, as inet_ntop() writes it; false for anything else. */
bool address_read(const char *text, uint16_t port, struct address *ret);

/* Appends the address without its port; IPv4 as IPv4. */
void address_print(const struct address *addr, struct buf *out);

enum address_class address_class_of(const struct address *addr);

/* "a loopback address" and so on; never NULL. */
const char *address_class_text(enum address_class class);

bool address_policy_permits(const struct address_policy *policy, const struct address *addr);

/* Parses "10.0.0.0/8", "10.1.2.3", "10.1.2.3:80", "fd00::/8", "[fd00::/8]:443". */
MUST_USE enum rc address_net_parse(struct str text, struct address_net *ret,
                                   struct err *reterr);
