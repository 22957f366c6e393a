/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The results of `belfry explain`, collected before they are printed as text or as JSON.
 */
#pragma once

#include "cli/frame/printer.h"
#include "cli/time/spec_argument.h"
#include "core/describe/describe.h"
#include "core/explain/explain.h"

enum { FINDINGS_NEXT_MAX = 1000 }; /* limit of -n; `belfry next` prints longer lists */

struct findings {
    const struct spec_argument *argument;
    char description[DESCRIBE_SPEC_MAX];

    struct slot next[FINDINGS_NEXT_MAX];
    int next_count;
    int64_t per_day; /* average over a week */

    /* --at: 0 without the option; 2 when the local time occurs twice. */
    int moment_count;
    bool in_gap; /* the local time does not exist, and moment[0] is not set */
    instant moment[2];
    struct explain why[2];

    struct explain_change changes[EXPLAIN_CHANGES_MAX];
    int change_count;
    instant changes_until;

    struct explain_warning warnings[EXPLAIN_WARNINGS_MAX];
    int warning_count;
    /* The first clock change after changes_until that has an effect; INSTANT_NEVER: none. */
    instant later_change;
};

void findings_print(const struct findings *f, struct printer *out);
void findings_print_json(const struct findings *f, struct printer *out);
