/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Addresses to listen on, as a person writes them.
 *
 * Nothing is looked up: names other than localhost are refused.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"
#include "base/str.h"

enum {
    CONFIG_ADDRESSES_MAX = 16, /* listeners of one kind                     */
    CONFIG_HOST_MAX = 46,      /* the longest IPv6 address and the zero     */
};

struct config_address {
    char host[CONFIG_HOST_MAX]; /* numbers, as inet_ntop() writes them */
    bool is_v6;
    bool is_loopback;
    uint16_t port; /* 0: any that is free */
};

struct config_addresses {
    struct config_address list[CONFIG_ADDRESSES_MAX];
    int count;
};

/*
 * One item: "127.0.0.1:7227", "[::1]:7227"; "localhost:7227" or "7227" alone is both loopback
 * addresses.  Adds to *list; on failure that is as it was.
 */
MUST_USE enum rc config_address_add(struct str text, struct config_addresses *list,
                                    struct err *reterr);

void config_address_format(const struct config_address *address, struct buf *out);

/* The first that others than this machine can reach, or NULL. */
const struct config_address *config_address_exposed(const struct config_addresses *list);
