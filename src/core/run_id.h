/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The id of a run encodes its schedule, slot and pass, so that clients can address a run before
 * it exists.  Pure.
 */
#pragma once

#include <stdint.h>

#include "base/err.h"
#include "base/str.h"

enum {
    RUN_ID_SHORT = 2 + 23,             /* "r_", then 63 bits of key, 49 of slot; 5 per letter */
    RUN_ID_LONG = RUN_ID_SHORT + 7,    /* with a pass that is not 0                           */
    RUN_ID_TEXT_MAX = RUN_ID_LONG + 1, /* with the terminating zero                           */
};

struct run_id {
    int64_t schedule; /* the schedule's key, not negative                          */
    int64_t slot_ms;  /* nominal time, milliseconds since 1970; years 1 to 9999    */
    uint32_t pass;    /* 0: automatic start; each trigger and backfill has its own */
};

/* Writes the id in lower-case base 32 (base/base32.h). */
void run_id_format(const struct run_id *id, char text[static RUN_ID_TEXT_MAX]);

/* Each run has exactly one id: run_id_format() of the result gives the same text. */
MUST_USE enum rc run_id_parse(struct str text, struct run_id *ret, struct err *reterr);
