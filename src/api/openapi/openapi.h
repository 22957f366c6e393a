/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The OpenAPI 3.1 description of the API: the answer of GET /openapi.json.
 *
 * Paths, methods, rights, limits and errors come from the table of operations.  Query
 * parameters and the schemas of bodies come from the JSON texts in src/api/openapi/, whose
 * README describes their format; numbers and enum words come from the code.
 */
#pragma once

#include "api/call/operation.h"
#include "wire/json/json.h"

struct openapi {
    struct str json; /* the document      */
    struct str etag; /* weak, with quotes */
};

/* Builds the document in the arena, when a server starts. */
struct openapi openapi_make(const char *version, struct arena *arena);

enum call_step openapi_begin(struct call *call);
