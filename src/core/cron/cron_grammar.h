/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The differences between the cron dialects, as a table with one row per dialect.
 *
 * Pure data.  The parser uses only the row and never the name of the dialect: every difference
 * has a column here.
 */
#pragma once

#include <stdint.h>

#include "core/cron/dialect.h"

enum cron_unit {
    UNIT_SECOND,
    UNIT_MINUTE,
    UNIT_HOUR,
    UNIT_DAY,
    UNIT_MONTH,
    UNIT_WEEKDAY,
    UNIT_YEAR,
    UNIT_COUNT
};

/* What a field may contain. */
enum {
    MAY_WRAP = 1 << 0,          /* 22-4, in all units but day and year                    */
    MAY_WRAP_DAY = 1 << 1,      /* 28-3                                                   */
    MAY_START_STEP = 1 << 2,    /* a/n: from a to the maximum                             */
    MAY_BARE_STEP = 1 << 3,     /* /n is the same as * with a step                        */
    MAY_SPECIAL = 1 << 4,       /* L, L-n, LW, nW; dL, d#n                                */
    MAY_LAST_NEAR = 1 << 5,     /* L-nW                                                   */
    MAY_NTH_LAST = 1 << 6,      /* d#L                                                    */
    MAY_WEEK_LAST = 1 << 7,     /* L alone as a weekday is Saturday                       */
    MAY_VOID = 1 << 8,          /* L-31 and d#6 are valid and match nothing               */
    MAY_QUERY = 1 << 9,         /* ? as a whole day or weekday field                      */
    MAY_QUERY_ANY = 1 << 10,    /* ? wherever * is allowed                                */
    MAY_HASH = 1 << 11,         /* H, H/n, H(a-b), H(a-b)/n                               */
    MAY_TILDE = 1 << 12,        /* a~b, the same as H(a-b)                                */
    MAY_OPEN_TILDE = 1 << 13,   /* ~, a~ and ~b                                           */
    MAY_SIGN = 1 << 14,         /* +5 is 5                                                */
    MAY_AND = 1 << 15,          /* + before the weekdays: the day of month must match too */
    ONLY_LONE_STAR = 1 << 16,   /* * is a whole field or an error                         */
    ONLY_UPPER = 1 << 17,       /* L and W of days, and H, only in upper case             */
    ONLY_LONE_NTH = 1 << 18,    /* dL and d#n are a whole field                           */
    ONLY_PURE_NAMES = 1 << 19,  /* no step after a name, no range from name to number     */
    SUNDAY_ENDS = 1 << 20,      /* weekdays x-0 are x-7                                   */
    MONDAY_BEGINS = 1 << 21,    /* * is 1-7, SUN is 7, and a range from 7 starts at 0     */
    ONLY_TIGHT_MACRO = 1 << 22, /* no blank before or after @daily and the like           */
    MAY_COMMENT = 1 << 23,      /* # and the rest of the text                             */
    HAS_ENGLISH = 1 << 24,      /* English sentences, valid in the original, are an error */
};

enum { FIELDS_5 = 1, FIELDS_6_SECOND = 2, FIELDS_6_YEAR = 4, FIELDS_7 = 8 };

enum cron_names { NAMES_NONE, NAMES_THREE, NAMES_PREFIX };

enum cron_steps {
    STEPS_NONE,
    STEPS_FIELD, /* up to the number of values of the field                   */
    STEPS_BELOW, /* as STEPS_FIELD, but one less for seconds, minutes and hours */
    STEPS_ANY,   /* a step beyond the end leaves only the first value         */
};

enum cron_days {
    DAYS_AND,
    DAYS_OR,    /* either, unless a field has an item that matches every day      */
    DAYS_TEXT,  /* either, unless a field starts with `*`; see also [T-25]        */
    DAYS_CLEAR, /* as DAYS_OR, but ambiguous combinations are errors [T-32]       */
    DAYS_QUERY, /* exactly one of the two is `?`                                  */
};

enum cron_macros { MACROS_NONE, MACROS_LOWER, MACROS_ANY_CASE, MACROS_HASHED };

enum cron_every {
    EVERY_NONE,
    EVERY_WHOLE,   /* @every D, whole seconds                            */
    EVERY_ROUNDED, /* @every D, truncated to whole seconds, at least one */
    EVERY_EPOCH,   /* @every D[/P], with days, counted from 1970         */
    EVERY_RATE,    /* rate(n unit), and cron(...) around fields          */
};

enum cron_zone {
    ZONE_NONE,
    ZONE_PREFIX,  /* TZ=name or CRON_TZ=name, a blank, the rest */
    ZONE_TZ_LINE, /* TZ=name on a line of its own               */
    ZONE_CRON_TZ_LINE,
};

enum cron_blanks {
    BLANKS_TAB,   /* space and tab                              */
    BLANKS_SPACE, /* space; other white space only at both ends */
    BLANKS_ALL,   /* all white space of ASCII                   */
};

struct cron_grammar {
    uint32_t may;     /* the flags above                */
    uint8_t fields;   /* FIELDS_*                       */
    uint8_t names;    /* enum cron_names                */
    uint8_t steps;    /* enum cron_steps                */
    uint8_t days;     /* enum cron_days                 */
    uint8_t macros;   /* enum cron_macros               */
    uint8_t every;    /* enum cron_every                */
    uint8_t zone;     /* enum cron_zone                 */
    uint8_t blanks;   /* enum cron_blanks               */
    uint8_t week_min; /* 0: Sunday is 0; 1: Sunday is 1 */
    uint8_t week_max;
    int16_t year_min, year_max;
};

/* `dialect` must be one of the cron dialects. */
const struct cron_grammar *cron_grammar(enum dialect dialect);
