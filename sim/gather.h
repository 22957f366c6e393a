/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads the whole store into the record when a world has ended.
 */
#pragma once

#include "db/db.h"
#include "sim/tape.h"

/* Texts live as long as the tape.  Adds what was found to the tape's digest. */
MUST_USE enum rc gather(struct db *db, struct tape *tape, struct err *reterr);
