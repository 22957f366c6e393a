/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The points at which the victim can die: those of the server (server/serve.h), then those of
 * its connection to the database (db/db.h).
 */
#pragma once

enum { VICTIM_POINTS = 10 };

static const char *const victim_points[VICTIM_POINTS] = {
    "before-turn",    "after-turn",    "before-answer", "after-answer",  "before-dispatch",
    "after-dispatch", "before-report", "before-flush",  "before-commit", "after-commit",
};
