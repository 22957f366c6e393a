/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The query of one line of `belfry next --batch`.
 *
 * Most lines are flat: an object of plain strings and whole numbers.  A scanner reads those in
 * one pass without allocating.  All other lines, and all invalid ones, go through
 * wire/json/json.h, so that errors have one source.
 */
#pragma once

#include "base/instant.h"
#include "core/cron/dialect.h"
#include "core/time/dst.h"
#include "wire/json/json.h"

enum {
    BATCH_QUERY_N_MAX = 10000, /* times in one answer */
    BATCH_QUERY_N_DEFAULT = 5,
    BATCH_QUERY_ID_MAX = 64 * 1024, /* bytes of the id as JSON; the answer repeats it */
};

struct batch_query {
    struct str id;      /* as JSON text; len 0: none */
    const json_t *spec; /* NULL: `expr` is used      */
    struct str expr;
    bool has_expr;
    enum dialect dialect;
    struct str zone, seed;
    struct dst_rule dst;
    instant after;
    int n;
};

/* The scanner: true when the line was flat and valid; else *q is unchanged. */
bool batch_query_scan(struct str line, struct batch_query *q);

/*
 * Reads an object of json_read().  Fields that are absent or null keep their value in *q.
 * `id_room` stores the id's text (BATCH_QUERY_ID_MAX bytes).  After a failure *q still has the
 * id if it could be read.
 */
MUST_USE enum rc batch_query_read(const json_t *object, char *id_room, struct batch_query *q,
                                  struct err *reterr);
