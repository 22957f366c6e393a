/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which answers are sent as gzip, and how their heads say so; a part of exchange.c.
 */
#pragma once

#include "io/net/exchange.h"
#include "wire/http1/http1_write.h"

/*
 * True when gzip is what the client should get.  Caches are told that it depends on what the
 * client takes, also when this one does not take it: the answer's fields move to the
 * listener's room, and have one more.
 */
MUST_USE bool exchange_offers_gzip(struct exchange *x, struct http1_answer *answer);

/* After that, in the same room. */
void exchange_say_gzip(struct exchange *x, struct http1_answer *answer);

/* False, with *body as it was, when it does not get smaller. */
MUST_USE bool exchange_squeeze(struct exchange *x, struct str *body);
