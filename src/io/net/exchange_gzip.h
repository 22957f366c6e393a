/* SPDX-License-Identifier: Apache-2.0 */
/* Decides which answers are sent as gzip, and marks their heads; a part of exchange.c. */
#pragma once

#include "io/net/exchange.h"
#include "wire/http1/http1_write.h"

/*
 * True if the client should get gzip.  Adds Vary: Accept-Encoding for caches if the answer
 * could be compressed, even for a client that does not accept gzip; the answer's fields are
 * then in the listener's array.
 */
MUST_USE bool exchange_offers_gzip(struct exchange *x, struct http1_answer *answer);

/* After that, in the same array. */
void exchange_mark_gzip(struct exchange *x, struct http1_answer *answer);

/* False, with *body unchanged, if it does not get smaller. */
MUST_USE bool exchange_compress(struct exchange *x, struct str *body);
