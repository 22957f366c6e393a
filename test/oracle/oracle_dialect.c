/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The dialects of the oracle.  See oracle_dialect.h.
 */
#include "oracle_dialect.h"

#include <stddef.h>
#include <string.h>

#define FIVE             "mhdMw"
#define SECONDS_FIRST    "smhdMw"
#define SECONDS_AND_YEAR "smhdMwy"
#define YEAR_LAST        "mhdMwy"

/* The years that can be written: the same in quartz, aws and belfry. */
#define YEARS          .year_min = 1970, .year_max = 2199
#define SUNDAY_0_TO_6  .weekday_min = 0, .weekday_max = 6
#define SUNDAY_0_AND_7 .weekday_min = 0, .weekday_max = 7
#define SUNDAY_1       .weekday_min = 1, .weekday_max = 7, .sunday = 1, .first_weekday = 1

#define VIXIE_LIKE                                                                     \
    .layout = {FIVE}, .dst = "vixie", .days = ORACLE_DAYS_STAR, SUNDAY_0_AND_7, YEARS, \
    .has_names = true, .has_steps = true, .has_macros = true, .has_tab = true,         \
    .is_star_class = true

#define ROBFIG_LIKE                                                                            \
    .dst = "literal", .days = ORACLE_DAYS_OR, SUNDAY_0_TO_6, YEARS, .has_names = true,         \
    .has_steps = true, .has_value_steps = true, .has_question_star = true, .has_macros = true, \
    .has_every = true, .has_tab = true

static const struct oracle_dialect dialects[] = {
    {.name = "belfry",
     .layout = {FIVE, SECONDS_FIRST, SECONDS_AND_YEAR},
     .dst = "vixie",
     .days = ORACLE_DAYS_BELFRY,
     SUNDAY_0_AND_7,
     YEARS,
     .has_names = true,
     .has_steps = true,
     .has_value_steps = true,
     .has_wrap = true,
     .has_special = true,
     .has_hash_last = true,
     .has_last_near = true,
     .has_question = true,
     .has_macros = true,
     .has_macros_any_case = true,
     .has_every = true,
     .has_zone = true,
     .has_tab = true},
    {.name = "posix",
     .layout = {FIVE},
     .dst = "vixie",
     .days = ORACLE_DAYS_OR,
     SUNDAY_0_TO_6,
     YEARS,
     .has_tab = true},
    {.name = "vixie", VIXIE_LIKE},
    {.name = "cronie", VIXIE_LIKE},
    {.name = "robfig", .layout = {FIVE}, ROBFIG_LIKE, .has_zone = true},
    {.name = "robfig-seconds", .layout = {SECONDS_FIRST}, ROBFIG_LIKE, .has_zone = true},
    {.name = "k8s", .layout = {FIVE}, ROBFIG_LIKE},
    {.name = "github",
     .layout = {FIVE},
     .dst = "vixie",
     .days = ORACLE_DAYS_OR,
     SUNDAY_0_TO_6,
     YEARS,
     .has_names = true,
     .has_steps = true,
     .has_tab = true},
    {.name = "cloudscheduler",
     .layout = {FIVE},
     .dst = "vixie",
     .days = ORACLE_DAYS_OR,
     SUNDAY_0_AND_7,
     YEARS,
     .has_names = true,
     .has_steps = true,
     .has_tab = true},
    {.name = "spring",
     .layout = {SECONDS_FIRST},
     .dst = "literal",
     .days = ORACLE_DAYS_AND,
     .weekday_min = 0,
     .weekday_max = 7,
     .sunday = 7,
     .first_weekday = 1,
     YEARS,
     .has_names = true,
     .has_steps = true,
     .has_value_steps = true,
     .has_large_steps = true,
     .has_special = true,
     .has_any_nth = true,
     .has_question = true,
     .has_macros = true,
     .has_macros_any_case = true,
     .has_plus_sign = true},
    {.name = "quartz",
     .layout = {SECONDS_FIRST, SECONDS_AND_YEAR},
     .dst = "last",
     .days = ORACLE_DAYS_ONE_QUESTION,
     SUNDAY_1,
     YEARS,
     .has_names = true,
     .has_steps = true,
     .has_value_steps = true,
     .has_wrap = true,
     .has_day_wrap = true,
     .has_special = true,
     .has_last_near = true,
     .has_bare_last = true,
     .has_question = true,
     .has_tab = true},
    {.name = "aws",
     .layout = {YEAR_LAST},
     .dst = "once",
     .days = ORACLE_DAYS_ONE_QUESTION,
     SUNDAY_1,
     YEARS,
     .has_names = true,
     .has_steps = true,
     .has_value_steps = true,
     .has_wrap = true,
     .has_special = true,
     .has_last_near = true,
     .has_bare_last = true,
     .has_question = true,
     .has_tab = true,
     .is_wrapped = true},
    {.name = "jenkins",
     .layout = {FIVE},
     .dst = "literal",
     .days = ORACLE_DAYS_AND,
     SUNDAY_0_AND_7,
     YEARS,
     .has_steps = true,
     .has_tab = true},
    {.name = "temporal",
     .layout = {FIVE, YEAR_LAST, SECONDS_AND_YEAR},
     .dst = "literal",
     .days = ORACLE_DAYS_AND,
     SUNDAY_0_AND_7,
     .year_min = 2000,
     .year_max = 2100,
     .has_prefixes = true,
     .has_steps = true,
     .has_value_steps = true,
     .has_large_steps = true,
     .has_macros = true,
     .has_every = true,
     .has_zone = true,
     .has_plus_sign = true,
     .has_comment = true,
     .has_tab = true,
     .is_epoch_based = true,
     .has_century_horizon = true},
};

const struct oracle_dialect *oracle_dialect_at(int index)
{
    int count = (int)(sizeof dialects / sizeof dialects[0]);

    return index < count ? &dialects[index] : NULL;
}

const struct oracle_dialect *oracle_dialect_find(const char *name)
{
    const struct oracle_dialect *dialect;

    for (int i = 0; (dialect = oracle_dialect_at(i)) != NULL; i++) {
        if (strcmp(dialect->name, name) == 0)
            return dialect;
    }
    return NULL;
}
