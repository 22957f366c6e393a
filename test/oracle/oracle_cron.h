/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cron language of the oracle: parses text into lists of items, and tests with these lists
 * whether a civil second matches.  No masks, no search, and no code of src/.
 *
 * Accepts valid text of every dialect.  Rejects invalid text if the documents say so, without
 * a reason.  Not supported: H and the hashed macros of jenkins, a~b of cronie.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    ORACLE_TEXT_MAX = 1024, /* bytes of an expression                  */
    ORACLE_ITEM_MAX = 512,  /* every item needs a byte and a comma                */
    ORACLE_ZONE_MAX = 64,
    ORACLE_MEMO = 1024, /* days whose answer is cached */
};

enum oracle_unit {
    ORACLE_SECOND,
    ORACLE_MINUTE,
    ORACLE_HOUR,
    ORACLE_DAY, /* of month */
    ORACLE_MONTH,
    ORACLE_WEEKDAY,
    ORACLE_YEAR,
    ORACLE_UNIT_COUNT
};

enum oracle_kind {
    ORACLE_RANGE,   /* a, a + step, ... up to b, wrapping after the last value of the unit */
    ORACLE_LAST,    /* L-a; b: moved to the nearest weekday (LW, L-nW)                     */
    ORACLE_NEAREST, /* aW                                                                  */
    ORACLE_LAST_WEEKDAY, /* aL, a#L */
    ORACLE_NTH_WEEKDAY,  /* a#b     */
};

struct oracle_item {
    enum oracle_kind kind;
    int a;
    int b;
    int step;
};

struct oracle_field {
    bool written;
    bool is_any;       /* the text is "*" or "?"           */
    bool is_question;  /* the text is "?"                  */
    bool starts_star;  /* the text begins with "*"         */
    bool has_star;     /* an item begins with "*"          */
    bool has_interval; /* the text contains one of * ? - / */
    bool is_and;       /* belfry's "+" before the weekdays */
    int count;
    struct oracle_item item[ORACLE_ITEM_MAX];
};

struct oracle_dialect;

struct oracle_rule {
    const struct oracle_dialect *dialect;
    struct oracle_field field[ORACLE_UNIT_COUNT];
    bool days_or;    /* either day field is enough                                    */
    bool interval;   /* an interval rule for dst=vixie; false: a fixed rule           */
    int64_t every;   /* seconds; if above 0, the fields are unused                    */
    int64_t phase;   /* seconds from the epoch                                        */
    bool from_after; /* `every` counts from the argument (robfig), not from the epoch */
    char zone[ORACLE_ZONE_MAX]; /* of a TZ= prefix; "" if there is none */
    int64_t memo_day[ORACLE_MEMO];
    bool memo_matches[ORACLE_MEMO];
};

/* Returns 0, or -1 if the text is not valid in the dialect or the dialect is unknown. */
int oracle_parse(const char *dialect, const char *text, struct oracle_rule *ret);

const char *oracle_default_dst(const struct oracle_rule *rule);

/* Instants outside [*ret_from, *ret_to) are never slots. */
void oracle_horizon(const struct oracle_rule *rule, int64_t *ret_from, int64_t *ret_to);

/* True if the field of a unit has this value; a unit that is not written has every value. */
bool oracle_has(const struct oracle_rule *rule, enum oracle_unit unit, int value);

/* True if the local day (days since 1970-01-01) matches: year, month and both day fields. */
bool oracle_day_matches(struct oracle_rule *rule, int64_t day);

/* True if a local second (seconds since 1970-01-01 00:00 local) matches all fields. */
bool oracle_matches(struct oracle_rule *rule, int64_t local);
