/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Host and port that a URL leads to, by the same parser that sends the requests.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

struct webhook_target {
    char host[256]; /* a name of at most 255 bytes, or an address without brackets */
    uint16_t port;
};

/*
 * A number such as 0x7f000001 becomes the address that it means.  False if the text is not a
 * URL, or if its host is longer than a name can be.
 */
bool webhook_target(struct str url, struct webhook_target *ret);
