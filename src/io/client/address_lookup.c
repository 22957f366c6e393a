/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Resolves a host name by the C library, as libcurl does.
 */
#include "io/client/address_lookup.h"

#include <netdb.h>
#include <stdio.h>
#include <string.h>

#include "io/client/address_policy.h"

bool address_lookup(void *arg, const char *host, struct lookup_answer *ret)
{
    const struct addrinfo hints = {.ai_family = AF_UNSPEC, .ai_socktype = SOCK_STREAM};
    struct addrinfo *list = NULL;
    int error = getaddrinfo(host, NULL, &hints, &list);

    (void)arg;
    if (error == EAI_NONAME || error == EAI_NODATA) {
        snprintf(ret->text, sizeof ret->text, "the host \"%s\" does not exist", host);
        return true;
    }
    if (error != 0)
        return false;
    for (const struct addrinfo *at = list; at; at = at->ai_next) {
        struct address addr;

        if (ret->address_count < LOOKUP_ADDRESSES_MAX && address_of(at->ai_addr, &addr))
            memcpy(ret->addresses[ret->address_count++], addr.bytes, sizeof addr.bytes);
    }
    freeaddrinfo(list);
    return true;
}
