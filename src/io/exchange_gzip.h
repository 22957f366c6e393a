/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Which answers are sent as gzip, and how their heads say so; a part of exchange.c.
 */
#pragma once

#include "io/exchange.h"
#include "wire/http1_write.h"

enum { EXCHANGE_FIELDS_ROOM = EXCHANGE_FIELDS_MAX + 2 };

/*
 * True when gzip is what the client should get.  Caches are told that it depends on what the
 * client takes, also when this one does not take it: the answer's fields move to `room`, which
 * holds EXCHANGE_FIELDS_ROOM, and have one more.
 */
MUST_USE bool exchange_offers_gzip(const struct exchange *x, struct http1_answer *answer,
                                   struct http1_field *room);

/* After that, in the same room. */
void exchange_say_gzip(struct http1_answer *answer, struct http1_field *room);

/* False, with *body as it was, when it does not get smaller. */
MUST_USE bool exchange_squeeze(struct exchange *x, struct str *body);
