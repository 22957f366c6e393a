/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The description of the API for programs, OpenAPI 3.1: what GET /openapi.json answers.
 *
 * Paths, methods, rights, limits and refusals are those of the table of operations.  What the
 * table does not say, parameters of the query and the shapes of bodies, stands in
 * src/api/openapi/, in the form that its README tells; numbers and words that the code has
 * names for are taken from the code.
 */
#pragma once

#include "api/call/operation.h"
#include "wire/json/json.h"

struct openapi {
    struct str json; /* the document      */
    struct str etag; /* weak, with quotes */
};

/* Made anew, in the arena: for the start of a server. */
struct openapi openapi_make(const char *version, struct arena *arena);

enum call_step openapi_begin(struct call *call);
