/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Who asks, as far as rights go.
 */
#pragma once

#include "store/tokens.h"

/* Who asks.  All zeros: nobody, who may what anybody may. */
struct caller {
    struct str name; /* a token's, or "local"                       */
    enum role role;
    int64_t token; /* its id; 0: none was needed                  */
    bool is_everywhere;
    struct str namespace; /* else the one that it is for                 */
};
