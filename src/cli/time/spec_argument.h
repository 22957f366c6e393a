/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The expression or spec on the command line of `next` and `explain`, compiled.
 */
#pragma once

#include "base/arena.h"
#include "cli/frame/args.h"
#include "cli/frame/when.h"
#include "core/spec/spec.h"
#include "io/zoneinfo.h"

/* Options of both commands; they come first in their tables, in this order. */
enum {
    OPT_DIALECT,
    OPT_TZ,
    OPT_DST,
    OPT_SEED,
    OPT_ZONEINFO,
    OPT_SPEC,
    OPT_AFTER,
    OPT_N,
    OPT_JSON,
    OPT_HELP,
    OPT_SHARED, /* their number */
};

#define SPEC_ARGUMENT_OPTIONS                                                             \
    [OPT_DIALECT] = {"dialect", 'd', "DIALECT", NULL, "syntax of EXPR (default belfry)"}, \
    [OPT_TZ] = {"tz", 'z', "ZONE", NULL,                                                  \
                "time zone, such as Europe/Berlin or UTC+05:30 (default\n"                \
                "UTC)"},                                                                  \
    [OPT_DST] = {"dst", '\0', "RULE", NULL,                                               \
                 "rule for clock changes: vixie, literal, once, last,\n"                  \
                 "shift, or GAP/FOLD with GAP skip, next or shift and\n"                  \
                 "FOLD first, last or both (default: the dialect's)"},                    \
    [OPT_SEED] = {"seed", '\0', "TEXT", NULL,                                             \
                  "seed of H and jitter, usually the schedule's id (default\n"            \
                  "empty)"},                                                              \
    [OPT_ZONEINFO] = {"zoneinfo", '\0', "DIR", NULL,                                      \
                      "directory of time zone files (default: the system's)"},            \
    [OPT_SPEC] = {"spec", 's', "FILE", NULL,                                              \
                  "read a spec as JSON instead of EXPR; - is standard input"},            \
    [OPT_AFTER] = {"after", 'a', "TIME", NULL, "start after TIME (default now)"},         \
    [OPT_N] = {"count", 'n', "N", NULL, "number of times to print (default 5)"},          \
    [OPT_JSON] = {"json", 'j', NULL, NULL, "print JSON"},                                 \
    [OPT_HELP] = {"help", 'h', NULL, NULL, "print this help"}

struct spec_argument {
    struct arena *arena;
    struct zoneinfo *zones;
    struct str text; /* the expression, or the text of the spec's file */
    struct spec_def def;
    struct spec spec;
    struct spec_ctx ctx;
    instant after;
};

/*
 * Reads and compiles the expression or the spec, and --after.  On failure reports the error and
 * returns the exit status.  The caller must call spec_argument_close() in either case.
 */
int spec_argument_open(struct spec_argument *argument, const struct args *args);
void spec_argument_close(struct spec_argument *argument);

/* The time zone of an entry of the spec. */
const struct tz *spec_argument_tz(const struct spec *spec, int entry);

/* Reads a number from 1 to `max`; `what` is the option's name. */
MUST_USE enum rc spec_argument_number(const char *text, const char *what, int max, int *ret,
                                      struct err *reterr);

/* Reads "vixie", "literal", … or "GAP/FOLD" such as "next/first". */
MUST_USE enum rc spec_argument_dst(struct str text, struct dst_rule *ret, struct err *reterr);
