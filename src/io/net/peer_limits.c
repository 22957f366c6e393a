/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Counts connections per address.
 */
#include "io/net/peer_limits.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "base/hash.h"
#include "base/map.h"
#include "base/must.h"

/*
 * The map's value is the count.  Peers choose their addresses, so a secret hides the keys from
 * them; hash_u64() keeps different keys different.
 */
struct peer_limits {
    struct map *counts;
    uint64_t secret;
};

bool peer_of(const struct sockaddr *address, struct peer *ret)
{
    struct peer peer = {.is_v6 = address->sa_family == AF_INET6};

    if (peer.is_v6)
        memcpy(peer.bytes, &((const struct sockaddr_in6 *)address)->sin6_addr, 16);
    else if (address->sa_family == AF_INET)
        memcpy(peer.bytes, &((const struct sockaddr_in *)address)->sin_addr, 4);
    else
        return false;
    *ret = peer;
    return true;
}

void peer_print(const struct peer *peer, struct buf *out)
{
    char text[INET6_ADDRSTRLEN];

    if (!peer->is_v6) {
        for (int i = 0; i < 4; i++) {
            buf_text(out, i > 0 ? "." : "");
            buf_int(out, peer->bytes[i]);
        }
        return;
    }
    must(inet_ntop(AF_INET6, peer->bytes, text, sizeof text));
    buf_text(out, text);
}

bool peer_is_loopback(const struct peer *peer)
{
    static const uint8_t one[16] = {[15] = 1};

    return peer->is_v6 ? memcmp(peer->bytes, one, sizeof one) == 0 : peer->bytes[0] == 127;
}

struct peer_limits *peer_limits_new(void)
{
    struct peer_limits *peers = calloc(1, sizeof *peers);

    must(peers != NULL);
    peers->counts = map_new(0);
    must(getrandom(&peers->secret, sizeof peers->secret, 0) == sizeof peers->secret);
    return peers;
}

struct peer_limits *peer_limits_free(struct peer_limits *peers)
{
    if (peers) {
        map_free(peers->counts);
        free(peers);
    }
    return NULL;
}

static int64_t key_of(const struct peer_limits *peers, const struct peer *peer)
{
    /* Networks that begin with ff are multicast, so no IPv6 peer has the key of an IPv4 one. */
    uint8_t bytes[8] = {0xff, 0xff, 0xff, 0xff};
    uint64_t key;

    if (peer->is_v6)
        memcpy(bytes, peer->bytes, 8);
    else
        memcpy(bytes + 4, peer->bytes, 4);
    memcpy(&key, bytes, sizeof key);
    return (int64_t)hash_u64(key ^ peers->secret);
}

static int count_of(const struct peer_limits *peers, int64_t key)
{
    int32_t count = map_find(peers->counts, key);

    return count == MAP_NONE ? 0 : count;
}

bool peer_limits_add(struct peer_limits *peers, const struct peer *peer, int max)
{
    int64_t key = key_of(peers, peer);
    int count = count_of(peers, key);

    if (count >= max)
        return false;
    map_put(peers->counts, key, count + 1);
    return true;
}

void peer_limits_remove(struct peer_limits *peers, const struct peer *peer)
{
    int64_t key = key_of(peers, peer);
    int count = count_of(peers, key);

    must(count > 0);
    if (count == 1)
        map_remove(peers->counts, key);
    else
        map_put(peers->counts, key, count - 1);
}
