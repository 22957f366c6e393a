/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses of listeners in the configuration.
 *
 * Names other than localhost are invalid: nothing is resolved.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum {
    CONFIG_ADDRESSES_MAX = 16, /* listeners of one kind                             */
    CONFIG_HOST_MAX = 46,      /* the longest IPv6 address and the terminating zero */
};

struct config_address {
    char host[CONFIG_HOST_MAX]; /* numeric, as inet_ntop() prints it */
    bool is_v6;
    bool is_loopback;
    uint16_t port; /* 0: any free port */
};

struct config_addresses {
    struct config_address list[CONFIG_ADDRESSES_MAX];
    int count;
};

/*
 * Adds one item to *list: "127.0.0.1:7227" or "[::1]:7227"; "localhost:7227" and "7227" add
 * both loopback addresses.  On failure *list is unchanged.
 */
MUST_USE enum rc config_address_add(struct str text, struct config_addresses *list,
                                    struct err *reterr);

void config_address_format(const struct config_address *address, struct buf *out);

/* Returns the first address that other machines can reach, or NULL. */
const struct config_address *config_address_exposed(const struct config_addresses *list);
