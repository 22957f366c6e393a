/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Pages of lists: how much is asked for, where it goes on, and how an answer says so.
 *
 * A list is read with one entry more than asked for, which tells whether there are more.
 */
#pragma once

#include "api/call/answer.h"
#include "api/call/request.h"
#include "api/schedules/view.h"
#include "base/hash.h"

enum { PAGE_BYTES_MAX = 4 << 20 }; /* an answer that is longer ends its page early */

struct page {
    int limit;
    struct str after; /* the cursor that was sent; empty: from the start */
};

/* `limit` and `cursor`, with `more` parameters of the operation; into the call's arena. */
MUST_USE enum rc page_begin(struct call *call, const char *const *more, int count,
                            struct page *ret, struct err *reterr);

/*
 * Cursors of lists that may be in several orders or of several things: the place, and a digest
 * of it and of what the list is of, so that those of another list are known as such.  It keeps
 * nobody out: a place is no secret.
 */
struct str page_seal(const struct digest *of, struct str place, struct arena *arena);
MUST_USE enum rc page_unseal(const struct digest *of, struct str cursor, struct str *ret_place,
                             struct err *reterr);

/* The begin of a list that takes nothing else; the page is call->with. */
enum call_step page_list_begin(struct call *call);

/* A list of things that are known by name, in order of their names. */
struct named_list {
    const char *name;
    /* Those after `after`. */
    void (*send)(struct db *db, const struct call *call, struct str after, int limit,
                 struct db_result *ret);
    /* One of them; its name, which is the cursor of the next page. */
    struct str (*print)(const struct call *call, const struct db_result *rows, int row,
                        struct answer *out);
};
enum call_step page_list_read(struct call *call, struct db *db, const struct named_list *list);

/* {"NAME":[ … entries are written by the caller, with commas … ],"cursor":…} */
void page_open(struct answer *out, const char *name);
void page_close(struct answer *out, struct str cursor); /* empty: null, there is no more */
