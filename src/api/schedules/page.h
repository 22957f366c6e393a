/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of lists: their limit, their cursor, and the JSON around their entries.
 *
 * A list is read with one entry more than its limit, which shows whether another page follows.
 */
#pragma once

#include "api/call/answer.h"
#include "api/call/request.h"
#include "api/schedules/view.h"
#include "base/hash.h"

enum { PAGE_BYTES_MAX = 4 << 20 }; /* a page ends early when its answer is longer */

struct page {
    int limit;
    struct str after; /* the client's cursor; empty: from the start */
};

/* Reads `limit` and `cursor`; `more` are the operation's other parameters. */
MUST_USE enum rc page_begin(struct call *call, const char *const *more, int count,
                            struct page *ret, struct err *reterr);

/*
 * Cursors of lists with several orders or filters: the position, and a digest of the position
 * and of `context` (the order and filter), so that a cursor of another list is detected.  It
 * detects mistakes, not attacks: a position is not a secret.
 */
struct str page_seal(const struct digest *context, struct str position, struct arena *arena);
MUST_USE enum rc page_unseal(const struct digest *context, struct str cursor,
                             struct str *ret_position, struct err *reterr);

/* A begin() for a list without other parameters; the page is call->arg. */
enum call_step page_list_begin(struct call *call);

/* A list of named objects, in order of their names. */
struct named_list {
    const char *name;
    /* Queues the statement that reads the objects after `after`. */
    void (*send)(struct db *db, int64_t namespace, struct str after, int limit,
                 struct db_result *ret);
    /* Prints one object; returns its name, which is the cursor of the next page. */
    struct str (*print)(const struct call *call, const struct db_result *rows, int row,
                        struct answer *out);
};
enum call_step page_list_read(struct call *call, struct db *db, const struct named_list *list);

/* {"NAME":[ … ],"cursor":…}; the caller writes the entries and the commas between them. */
void page_open(struct answer *out, const char *name);
void page_close(struct answer *out, struct str cursor); /* empty: null, the last page */
