/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The authenticated client of a call and its rights.
 */
#pragma once

#include "store/tokens.h"

/* All zeros: an unauthenticated client, which may only do what needs no right. */
struct caller {
    struct str name; /* the token's name, or "local" */
    enum role role;
    int64_t token;        /* id of the token; 0: none was needed            */
    int64_t session;      /* of a browser that has no token; 0: none        */
    bool is_everywhere;   /* has its role in all namespaces                 */
    struct str namespace; /* otherwise the only namespace that it may use   */
    bool is_secure;       /* the client uses TLS, perhaps up to a proxy     */
};
