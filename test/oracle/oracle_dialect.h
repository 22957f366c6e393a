/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The differences between the dialects as a table: docs/semantics.md, Clock changes and Cron.
 */
#pragma once

#include <stdbool.h>

enum oracle_day_rule {
    ORACLE_DAYS_OR,           /* either, if neither is * or ?                    */
    ORACLE_DAYS_AND,          /* both                                            */
    ORACLE_DAYS_STAR,         /* both if a field begins with *, otherwise either */
    ORACLE_DAYS_ONE_QUESTION, /* exactly one of them is ?                        */
    ORACLE_DAYS_BELFRY,       /* either; + both; an error if it is ambiguous     */
};

struct oracle_dialect {
    const char *name;
    const char *layout[3]; /* s m h d M w y; one letter per field */
    const char *dst;
    enum oracle_day_rule days;
    int weekday_min;
    int weekday_max;
    int sunday;        /* number of the name SUN */
    int first_weekday; /* where * begins         */
    int year_min;
    int year_max;
    bool has_names;    /* three letters                      */
    bool has_prefixes; /* temporal: names and their prefixes */
    bool has_steps;
    bool has_value_steps; /* a/n                              */
    bool has_large_steps; /* steps above the number of values */
    bool has_wrap;
    bool has_day_wrap;      /* day of month too                          */
    bool has_special;       /* L W #                                     */
    bool has_hash_last;     /* d#L                                       */
    bool has_last_near;     /* L-nW                                      */
    bool has_any_nth;       /* spring: d#6 is accepted and never matches */
    bool has_bare_last;     /* L alone in the weekdays is Saturday       */
    bool has_question;      /* ? as a whole day field                    */
    bool has_question_star; /* ? is * anywhere                           */
    bool has_macros;
    bool has_macros_any_case;
    bool has_every;
    bool has_zone;
    bool has_plus_sign;       /* +5                                        */
    bool has_comment;         /* # to the end                              */
    bool has_tab;             /* tabs separate fields                      */
    bool is_star_class;       /* interval iff minute or hour begins with * */
    bool is_wrapped;          /* cron(...) or rate(...)                    */
    bool is_epoch_based;      /* @every counts from the epoch              */
    bool has_century_horizon; /* nothing before 1970 or after 2100         */
};

/* NULL if the dialect is unknown. */
const struct oracle_dialect *oracle_dialect_find(const char *name);

/* The dialect with this index; NULL after the last. */
const struct oracle_dialect *oracle_dialect_at(int index);
