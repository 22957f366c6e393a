/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Shared by the files of the forwarder.  Other files do not include it.
 */
#pragma once

#include "io/client/h2_client.h"
#include "server/forward/forwarder.h"

/* Connections of the upstream: waiting requests do not delay others. */
enum { LANE_SHORT, LANE_POLLS };

struct forward; /* a request of a client; forwarder.c */

struct forwarder {
    struct forwarder_options options;
    struct h2_client *client;
    struct forward *all; /* head of the ring */
    int count;
    int asks; /* forward_ask.c */
    size_t bodies;
    void (*on_closed)(void *arg);
    void *arg;
};

/* Whether a request of the namespace may use this address. */
bool forwarder_permits(const struct forwarder *forwarder, int64_t namespace,
                       const struct address *address);

struct h2_target forwarder_target(const struct upstream_settings *upstream, int lane);
