/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The rules for TLS that a call may have of its own.
 */
#pragma once

#include "base/str.h"

/* PEM texts and a name; empty ones have no effect. */
struct webhook_tls {
    struct str ca;          /* trusted instead of the pool's authorities     */
    struct str cert, key;   /* presented to the host of the first URL: both or none */
    struct str server_name; /* in the host's certificate, instead of the URL's host */
};
