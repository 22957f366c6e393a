/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Header fields on their way between a client and an upstream: which pass, and which replace
 * others.
 */
#pragma once

#include "base/arena.h"
#include "model/namespace_settings.h"
#include "wire/http1/http1.h"

struct forward_rules {
    const struct upstream_settings *upstream;
    bool keeps_credentials; /* of the client */
    bool is_grpc;
};

/*
 * The fields of a request for the upstream, in lower case: those of the client without its
 * credentials and without those that concern one connection, then the upstream's own, which
 * replace those of the client.  `room` has `max` entries.  Returns their number, or -1 if they
 * are too many.
 */
int forward_fields_request(const struct http1_request *request,
                           const struct forward_rules *rules, struct arena *arena,
                           struct http1_field *room, int max);

/*
 * The fields of an answer, or its trailers, for the client: copies.  -1: too many.  In HTTP/1.1
 * Belfry sets Date itself.
 */
int forward_fields_answer(const struct http1_field *fields, int count, bool keeps_date,
                          struct arena *arena, struct http1_field *room, int max);

/* The value of Content-Length; -1: there is none. */
int64_t forward_fields_length(const struct http1_field *fields, int count);
