/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Finds all errors of an invalid schedule document, not only the first.
 *
 * Reading a document ends at its first error.  So the document is copied, the invalid part of
 * the copy is replaced by a valid one, and the copy is read again, until it is valid.
 */
#pragma once

#include "api/call/call.h"
#include "wire/json/json.h"

enum {
    NATIVE_ERRORS_MAX = 100, /* of one document; a person corrects some and tries again */
    /* Bytes of JSON that one request may cause to be read again: four bodies of a megabyte. */
    NATIVE_ERRORS_BYTES = 4 * CALL_BODY_MAX,
};

struct native_errors {
    struct err *list; /* in the arena of the call; the first is the one that reading gave */
    int count;
    bool has_more; /* a limit was reached; there may be more errors */
};

/*
 * Reads one document; the same function that found `first`, with a call whose arena is reset
 * after each reading.
 */
typedef enum rc native_read_fn(struct call *call, const json_t *document, struct err *reterr);

/* `bytes` is what is left of NATIVE_ERRORS_BYTES. */
struct native_errors native_errors_find(const struct call *call, const json_t *document,
                                        native_read_fn *read, const struct err *first,
                                        size_t *bytes);
