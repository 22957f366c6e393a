/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the whole store into the record when a world has ended. */
#pragma once

#include "db/db.h"
#include "sim/recorder.h"

/* Texts live as long as the recorder.  Adds the rows to the recorder's digest. */
MUST_USE enum rc gather(struct db *db, struct recorder *recorder, struct err *reterr);
