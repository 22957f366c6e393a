/* SPDX-License-Identifier: Apache-2.0 */
/* The parts of the judge, each in the file of its name. */
#pragma once

#include "base/err.h"

struct facts; /* judge_facts.h */

MUST_USE enum rc judge_account(struct facts *facts, struct err *reterr);
MUST_USE enum rc judge_opened(struct facts *facts, struct err *reterr);
MUST_USE enum rc judge_ledger(struct facts *facts, struct err *reterr);
MUST_USE enum rc judge_runs(struct facts *facts, struct err *reterr);
MUST_USE enum rc judge_sent(struct facts *facts, struct err *reterr);
MUST_USE enum rc judge_overlap(struct facts *facts, struct err *reterr);
MUST_USE enum rc judge_gates(struct facts *facts, struct err *reterr);
MUST_USE enum rc judge_commands(struct facts *facts, struct err *reterr);
MUST_USE enum rc judge_backfills(struct facts *facts, struct err *reterr);
MUST_USE enum rc judge_counts(struct facts *facts, struct err *reterr);
MUST_USE enum rc judge_recent(struct facts *facts, struct err *reterr);
MUST_USE enum rc judge_after(struct facts *facts, struct err *reterr);
