/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What one line of `belfry next --batch` asks.
 *
 * Most lines are flat: an object of plain strings and whole numbers.  Those are read in one
 * pass without allocating.  Everything else, and everything wrong, goes through
 * wire/json/json.h, so that there is one judge of what is wrong.
 */
#pragma once

#include "base/instant.h"
#include "core/cron/dialect.h"
#include "core/time/dst.h"
#include "wire/json/json.h"

enum {
    BATCH_QUERY_N_MAX = 10000, /* times in one answer                                         */
    BATCH_QUERY_N_DEFAULT = 5,
    BATCH_QUERY_ID_MAX = 64 * 1024, /* bytes of an id as JSON, which comes back in the answer */
};

struct batch_query {
    struct str id;      /* as JSON text; len 0: none */
    const json_t *spec; /* NULL: `expr` counts       */
    struct str expr;
    bool has_expr;
    enum dialect dialect;
    struct str zone, seed;
    struct dst_rule dst;
    instant after;
    int n;
};

/* The quick way: true when the line was flat and right; else *q is as it was. */
bool batch_query_scan(struct str line, struct batch_query *q);

/*
 * The thorough way, for an object that json_read() gave.  Fields that are absent or null stay
 * as they are in *q.  `id_room` holds the id's text (BATCH_QUERY_ID_MAX bytes).  On failure the
 * id is in *q all the same, when it could be read.
 */
MUST_USE enum rc batch_query_read(const json_t *object, char *id_room, struct batch_query *q,
                                  struct err *reterr);
