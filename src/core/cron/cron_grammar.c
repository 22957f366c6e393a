/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The table of cron dialects.
 */
#include "core/cron/cron_grammar.h"

#include "base/must.h"
#include "core/limits.h"

/* L, W and # as in Quartz. */
#define QUARTZ_SPECIAL (MAY_SPECIAL | MAY_LAST_NEAR | MAY_WEEK_LAST | MAY_QUERY)

#define YEARS_ALL .year_min = CRON_YEAR_MIN, .year_max = CRON_YEAR_MAX

/* The row of robfig/cron; its relatives differ in one column each. */
#define ROBFIG                                                                                 \
    .may = MAY_START_STEP | MAY_QUERY_ANY | MAY_SIGN | ONLY_TIGHT_MACRO, .names = NAMES_THREE, \
    .steps = STEPS_ANY, .days = DAYS_OR, .macros = MACROS_LOWER, .every = EVERY_ROUNDED,       \
    .blanks = BLANKS_ALL, .week_max = 6

static const struct cron_grammar grammars[DIALECT_COUNT] = {
    [DIALECT_BELFRY] = {.may = MAY_WRAP | MAY_START_STEP | MAY_SPECIAL | MAY_LAST_NEAR |
                               MAY_NTH_LAST | MAY_QUERY | MAY_HASH | MAY_TILDE | MAY_AND,
                        .fields = FIELDS_5 | FIELDS_6_SECOND | FIELDS_7,
                        .names = NAMES_THREE,
                        .steps = STEPS_FIELD,
                        .days = DAYS_CLEAR,
                        .macros = MACROS_ANY_CASE,
                        .every = EVERY_WHOLE,
                        .zone = ZONE_PREFIX,
                        .week_max = 7,
                        YEARS_ALL},
    [DIALECT_POSIX] = {.may = ONLY_LONE_STAR,
                       .fields = FIELDS_5,
                       .days = DAYS_OR,
                       .week_max = 6},
    [DIALECT_VIXIE] = {.fields = FIELDS_5,
                       .names = NAMES_THREE,
                       .steps = STEPS_ANY,
                       .days = DAYS_TEXT,
                       .macros = MACROS_LOWER,
                       .week_max = 7},
    [DIALECT_CRONIE] = {.may = MAY_TILDE | MAY_OPEN_TILDE | SUNDAY_ENDS,
                        .fields = FIELDS_5,
                        .names = NAMES_THREE,
                        .steps = STEPS_ANY,
                        .days = DAYS_TEXT,
                        .macros = MACROS_LOWER,
                        .zone = ZONE_CRON_TZ_LINE,
                        .week_max = 7},
    [DIALECT_ROBFIG] = {ROBFIG, .fields = FIELDS_5, .zone = ZONE_PREFIX},
    [DIALECT_ROBFIG_SECONDS] = {ROBFIG, .fields = FIELDS_6_SECOND, .zone = ZONE_PREFIX},
    [DIALECT_K8S] = {ROBFIG, .fields = FIELDS_5},
    [DIALECT_GITHUB] = {.may = MAY_START_STEP,
                        .fields = FIELDS_5,
                        .names = NAMES_THREE,
                        .steps = STEPS_FIELD,
                        .days = DAYS_OR,
                        .week_max = 6},
    [DIALECT_CLOUDSCHEDULER] = {.may = MAY_START_STEP | HAS_ENGLISH,
                                .fields = FIELDS_5,
                                .names = NAMES_THREE,
                                .steps = STEPS_FIELD,
                                .days = DAYS_OR,
                                .week_max = 7},
    [DIALECT_SPRING] = {.may = MAY_START_STEP | MAY_SPECIAL | MAY_VOID | MAY_QUERY | MAY_SIGN |
                               ONLY_UPPER | MONDAY_BEGINS,
                        .fields = FIELDS_6_SECOND,
                        .names = NAMES_THREE,
                        .steps = STEPS_ANY,
                        .days = DAYS_AND,
                        .macros = MACROS_ANY_CASE,
                        .blanks = BLANKS_SPACE,
                        .week_max = 7},
    [DIALECT_QUARTZ] = {.may = MAY_WRAP | MAY_WRAP_DAY | MAY_START_STEP | MAY_BARE_STEP |
                               QUARTZ_SPECIAL | ONLY_LONE_NTH | ONLY_PURE_NAMES,
                        .fields = FIELDS_6_SECOND | FIELDS_7,
                        .names = NAMES_THREE,
                        .steps = STEPS_BELOW,
                        .days = DAYS_QUERY,
                        .week_min = 1,
                        .week_max = 7,
                        YEARS_ALL},
    [DIALECT_AWS] = {.may = MAY_WRAP | MAY_START_STEP | QUARTZ_SPECIAL | ONLY_LONE_NTH,
                     .fields = FIELDS_6_YEAR,
                     .names = NAMES_THREE,
                     .steps = STEPS_FIELD,
                     .days = DAYS_QUERY,
                     .every = EVERY_RATE,
                     .week_min = 1,
                     .week_max = 7,
                     YEARS_ALL},
    [DIALECT_JENKINS] = {.may = MAY_HASH | ONLY_UPPER,
                         .fields = FIELDS_5,
                         .steps = STEPS_ANY,
                         .days = DAYS_AND,
                         .macros = MACROS_HASHED,
                         .zone = ZONE_TZ_LINE,
                         .week_max = 7},
    [DIALECT_TEMPORAL] = {.may = MAY_START_STEP | MAY_SIGN | MAY_COMMENT,
                          .fields = FIELDS_5 | FIELDS_6_YEAR | FIELDS_7,
                          .names = NAMES_PREFIX,
                          .steps = STEPS_ANY,
                          .days = DAYS_AND,
                          .macros = MACROS_LOWER,
                          .every = EVERY_EPOCH,
                          .zone = ZONE_PREFIX,
                          .blanks = BLANKS_ALL,
                          .week_max = 7,
                          .year_min = 2000,
                          .year_max = 2100},
};

const struct cron_grammar *cron_grammar(enum dialect dialect)
{
    must((unsigned)dialect < DIALECT_COUNT);
    must(grammars[dialect].fields != 0);
    return &grammars[dialect];
}
