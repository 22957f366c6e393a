/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of peers, and the number of connections of each.
 *
 * The owner of an IPv6 address usually has 2^64 of them, so all of a /64 count as one.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include "base/buf.h"

struct peer {
    bool is_v6;
    uint8_t bytes[16]; /* in network order; four of them for IPv4 */
};

/* False if it is neither IPv4 nor IPv6. */
bool peer_of(const struct sockaddr *address, struct peer *ret);
void peer_print(const struct peer *peer, struct buf *out);
bool peer_is_loopback(const struct peer *peer);

struct peer_limits; /* opaque */

struct peer_limits *peer_limits_new(void);
struct peer_limits *peer_limits_free(
    struct peer_limits *peers); /* accepts NULL, returns NULL */

/* Counts one more, unless there are `max` already: then false. */
bool peer_limits_add(struct peer_limits *peers, const struct peer *peer, int max);
void peer_limits_remove(struct peer_limits *peers, const struct peer *peer);
