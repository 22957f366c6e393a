/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The search for the workflow of a start whose answer was lost.
 *
 * Conductor has two lists.  …/correlated/… reads the primary store of most installations, but
 * returns everything at once; …/search reads the index in pages, bounded by start time.  A
 * correlation id that only this run has is looked up in the first; a shared one in the second,
 * because the first may be very long.  The other list is used if the first one is refused or
 * incomplete, or if the index shows nothing at all: it may be switched off.
 *
 * Pure except for the arena.  Answers are not trusted.
 */
#pragma once

#include "base/instant.h"
#include "server/dispatch/conductor_wire.h"

enum {
    LOOKUP_PAGE = 100,       /* workflows per page; Conductor's own default       */
    LOOKUP_SHRINK = 10,      /* a page that is too large is asked for in parts    */
    LOOKUP_HITS_MAX = 20000, /* workflows to read before the lookup is incomplete */
    LOOKUP_LIST_CAP = 1000,  /* Conductor cuts off …/correlated/… here, silently  */
};

/* Start times may be off by the difference of the clocks, and by Conductor's time zone. */
#define LOOKUP_MARGIN SPAN_DAY

enum lookup_verdict {
    LOOKUP_FOUND,
    LOOKUP_MORE,       /* send the next request                               */
    LOOKUP_ABSENT,     /* a complete list does not contain the workflow       */
    LOOKUP_INCOMPLETE, /* no list is complete: nobody knows whether it exists */
};

struct conductor_lookup {
    bool is_search;   /* the next request is …/search                        */
    bool may_search;  /* Conductor's query language can express the workflow */
    bool is_second;   /* the first list has been read                        */
    bool is_complete; /* one of the lists is                                 */
    bool has_gap;     /* this list has a workflow without its input          */
    int32_t from, page;
};

/* What is wanted.  Texts stay with the caller. */
struct lookup_query {
    const struct conductor_start *start;
    struct str run;   /* the id in the input                         */
    struct str known; /* a workflow of the run that is known already */
    instant since;    /* when the run began                          */
};

/* Begins with the list that suits the correlation id. */
void conductor_lookup_begin(struct conductor_lookup *lookup, const struct lookup_query *query);

struct str conductor_lookup_url(struct str base, const struct conductor_lookup *lookup,
                                const struct lookup_query *query, struct arena *arena);

/* Reads a successful answer; `is_cut` if it was longer.  *ret_id is set if LOOKUP_FOUND. */
enum lookup_verdict conductor_lookup_read(struct conductor_lookup *lookup,
                                          const struct lookup_query *query, struct str body,
                                          bool is_cut, struct arena *arena, struct str *ret_id);

/* The upstream rejected the request: it does not have this list. */
enum lookup_verdict conductor_lookup_refused(struct conductor_lookup *lookup);
