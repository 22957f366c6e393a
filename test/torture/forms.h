/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Schedules as operators of a tormented world write them: short periods, every policy that
 * decides about slots, calls and queues.
 */
#pragma once

#include <stdint.h>

#include "base/buf.h"
#include "base/instant.h"
#include "base/prng.h"

enum { FORM_QUEUES = 2 }; /* "torture-0" and so on */

struct form {
    struct prng *prng;
    struct str id;
    uint16_t receiver; /* its port */
    instant now;
};

/* A document in one line. */
void form_draw(const struct form *form, struct buf *out);

/* The same schedule put to rest: it has no slots, and what is open may end. */
void form_rest(const struct form *form, struct buf *out);

/* One that must be refused. */
void form_spoil(const struct form *form, struct buf *out);
