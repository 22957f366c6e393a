/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The path of a forwarded request: what follows /api in the client's target, as it was sent,
 * below the path of the upstream's URL.
 */
#pragma once

#include "base/arena.h"
#include "wire/http1/http1.h"

/* "http://host:8080/api" becomes "http://host:8080" and "/api". */
void forward_path_split(struct str url, struct str *ret_origin, struct str *ret_path);

/* The target for the upstream, with the query. */
struct str forward_path(const struct http1_request *request, struct str base,
                        struct arena *arena);
