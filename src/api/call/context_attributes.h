/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search attributes of a namespace, as the server knows them; see struct api_context.
 */
#pragma once

#include "api/call/context.h"
#include "model/search_attributes.h"

struct context_attributes {
    bool is_open;  /* neither the namespace nor an upstream defines any: all are valid      */
    bool is_known; /* `list` is valid; false: see CALL_ATTRIBUTES                           */
    bool
        is_upstream; /* CALL_ATTRIBUTES can give a newer list                                 */
    span age;        /* of an upstream's list                                                 */
    struct search_attributes list;
};
