/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The judge checks whether the promises held in a simulated world.
 *
 * It shares no decision with the engine: slots come from the oracle of test/oracle and from
 * brute force, everything else from the record.  docs/invariants.md numbers what is checked,
 * from which evidence, and where it is lenient.
 */
#pragma once

#include "base/arena.h"
#include "base/err.h"
#include "sim/record.h"

/* The oracle's zones: files of the same release as those of the world. */
#define JUDGE_ZONEINFO "/usr/share/zoneinfo"

/*
 * RC_OK if every invariant holds.  RC_CORRUPT if one does not: the text begins with its
 * number.  RC_LIMIT, RC_INVALID: the record has more rows, or another spec language, than the
 * judge supports.
 */
MUST_USE enum rc judge(const struct record *record, struct arena *arena, struct err *reterr);

/* Invariant 30: two records of one seed are equal; the text says where they differ. */
MUST_USE enum rc judge_same(const struct record *one, const struct record *other,
                            struct err *reterr);
