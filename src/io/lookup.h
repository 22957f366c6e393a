/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Questions whose answer may take long: does a host name exist, a user, a file?
 *
 * A thread of its own answers them one after the other, so that no request waits for a name
 * server or a network file system.  Answers are cached.  All functions are for any thread.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"

enum {
    LOOKUP_NAME_MAX = 255,    /* bytes of a name; longer ones are never looked up          */
    LOOKUP_TEXT_MAX = 320,    /* bytes of an answer: a sentence with a name                */
    LOOKUP_ADDRESSES_MAX = 8, /* of a host; libcurl tries one after the other, rarely more */
    LOOKUP_SETS = 256,        /* of the cache, with LOOKUP_WAYS answers each               */
    LOOKUP_WAYS = 4,
    LOOKUP_QUEUE_MAX = 256, /* questions that wait; further ones are dropped, not delayed */
    LOOKUP_FRESH_S = 60,    /* seconds after which an answer is looked up again           */
    LOOKUP_KINDS_MAX = 8,
};

struct lookup_answer {
    char text[LOOKUP_TEXT_MAX];                  /* what is wrong; "": nothing */
    uint8_t addresses[LOOKUP_ADDRESSES_MAX][16]; /* IPv4 as ::ffff:a.b.c.d */
    int address_count;
};

/* Called in the thread.  False: there is no answer now, as if the question was not asked. */
typedef bool lookup_fn(void *arg, const char *name, struct lookup_answer *ret);

struct lookup; /* opaque */

/* `kinds` are the functions by kind of question; they get `arg`, which free_arg() frees. */
struct lookup *lookup_new(lookup_fn *const *kinds, int kind_count, void *arg,
                          void (*free_arg)(void *arg));

/*
 * Ends the thread.  If it is inside a function, it ends with that function, which may be after
 * this returns.  Accepts NULL, returns NULL.
 */
struct lookup *lookup_free(struct lookup *lookup);

/*
 * Returns true and the answer if there is one.  Otherwise, or if the answer is not fresh, the
 * thread looks it up.  `owner` is for fairness: no owner delays the others by many questions.
 */
bool lookup_ask(struct lookup *lookup, int kind, struct str name, int64_t owner,
                struct lookup_answer *ret);
