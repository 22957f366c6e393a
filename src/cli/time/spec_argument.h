/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What `next` and `explain` are about: a spec from the command line, compiled.
 */
#pragma once

#include "base/arena.h"
#include "cli/frame/args.h"
#include "core/spec/spec.h"
#include "io/zoneinfo.h"

/* Options that both commands have come first in their tables, in this order. */
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
    OPT_SHARED, /* how many */
};

#define SPEC_ARGUMENT_OPTIONS                                                               \
    [OPT_DIALECT] = {"dialect", 'd', "DIALECT", "how EXPR is written; default belfry"},     \
    [OPT_TZ] = {"tz", 'z', "ZONE", "time zone: Europe/Berlin, UTC+05:30; default UTC"},     \
    [OPT_DST] = {"dst", '\0', "RULE",                                                       \
                 "what clock changes do: vixie, literal, once, last, shift,\n"              \
                 "or GAP/FOLD out of skip, next, shift and first, last, both;\n"            \
                 "default is the dialect's own rule"},                                      \
    [OPT_SEED] = {"seed", '\0', "TEXT", "feeds H and jitter; usually the schedule's name"}, \
    [OPT_ZONEINFO] = {"zoneinfo", '\0', "DIR", "time zone files; default the system's"},    \
    [OPT_SPEC] = {"spec", 's', "FILE",                                                      \
                  "a spec as JSON in place of EXPR; - is standard input"},                  \
    [OPT_AFTER] = {"after", 'a', "TIME", "begin after this moment; default now"},           \
    [OPT_N] = {"count", 'n', "N", "how many times to print; default 5"},                    \
    [OPT_JSON] = {"json", 'j', NULL, "print JSON"},                                         \
    [OPT_HELP] = {"help", 'h', NULL, "print this"}

struct spec_argument {
    struct arena *arena;
    struct zoneinfo *zones;
    struct str text; /* the expression, or what the spec's file holds */
    struct spec_def def;
    struct spec spec;
    struct spec_ctx ctx;
    instant after;
};

/*
 * Reads and compiles the expression or the spec, and --after.  On failure tells what is wrong
 * and returns the status to exit with; else STATUS_OK.  spec_argument_close() in either case.
 */
int spec_argument_open(struct spec_argument *argument, const struct args *args);
void spec_argument_close(struct spec_argument *argument);

/* A number of at least 1; `what` is the option's name. */
MUST_USE enum rc spec_argument_number(const char *text, const char *what, int max, int *ret,
                                      struct err *reterr);

/* "vixie", "literal", … or "GAP/FOLD" such as "next/first". */
MUST_USE enum rc spec_argument_dst(struct str text, struct dst_rule *ret, struct err *reterr);

/* A moment: an instant, or a wall-clock time in the spec's own zone. */
struct moment {
    bool is_local;
    instant at;
    int64_t local; /* second of the wall clock, when is_local */
};

/* RFC 3339, "now", or without an offset "2026-03-08T02:30[:00]" and "2026-03-08". */
MUST_USE enum rc moment_parse(struct str text, struct moment *ret, struct err *reterr);

/* The instant; of a local time in a gap the first after it, in a fold the first of two. */
instant moment_instant(const struct moment *moment, const struct tz *tz);
