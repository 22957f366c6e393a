/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Random schedules for the operators: short periods, and every policy that affects slots, calls
 * and queues.
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
    bool is_slow;      /* only calls, with time to wait for a slow receiver */
    instant now;
};

/* A document in one line. */
void form_draw(const struct form *form, struct buf *out);

/* The same schedule without slots: open runs can end, and no other run starts. */
void form_rest(const struct form *form, struct buf *out);

/* An invalid document. */
void form_spoil(const struct form *form, struct buf *out);
