/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The cron language of the oracle: text to lists of items, and from these, each time anew,
 * the answer whether a civil second matches.  No masks and no search; nothing of src/.
 *
 * Valid text of every dialect is accepted.  Invalid text is rejected where the documents say
 * so, without a reason.  Not spoken: H and the hashed macros of jenkins, a~b of cronie.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum {
    ORACLE_TEXT_MAX = 1024, /* bytes of an expression: cron-dialects.md 2b rule 1 */
    ORACLE_ITEM_MAX = 512,  /* every item needs a byte and a comma */
    ORACLE_ZONE_MAX = 64,
    ORACLE_MEMO = 1024, /* days whose answer is remembered */
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
    ORACLE_RANGE,   /* a, a + step, ... up to b, turning over after the unit's last value */
    ORACLE_LAST,    /* L-a; b: moved to the nearest weekday (LW, L-nW) */
    ORACLE_NEAREST, /* aW */
    ORACLE_LAST_WEEKDAY, /* aL, a#L */
    ORACLE_NTH_WEEKDAY,  /* a#b */
};

struct oracle_item {
    enum oracle_kind kind;
    int a;
    int b;
    int step;
};

struct oracle_field {
    bool written;
    bool is_any;       /* the text is "*" or "?" */
    bool is_question;  /* the text is "?" */
    bool starts_star;  /* the text begins with "*" */
    bool has_star;     /* an item begins with "*" */
    bool has_interval; /* the text contains one of * ? - / */
    bool is_and;       /* belfry's "+" before the weekdays */
    int count;
    struct oracle_item item[ORACLE_ITEM_MAX];
};

struct oracle_dialect;

struct oracle_rule {
    const struct oracle_dialect *dialect;
    struct oracle_field field[ORACLE_UNIT_COUNT];
    bool days_or;    /* either day field is enough */
    bool interval;   /* class for dst=vixie; false is a fixed rule */
    int64_t every;   /* seconds; above 0 the fields mean nothing */
    int64_t phase;   /* seconds from the epoch */
    bool from_after; /* every counts from the argument (robfig), not from the epoch */
    char zone[ORACLE_ZONE_MAX]; /* of a TZ= prefix; "" without one */
    int64_t memo_day[ORACLE_MEMO];
    bool memo_matches[ORACLE_MEMO];
};

/* 0, or -1 when the text is not valid in the dialect or the dialect is not known. */
int oracle_parse(const char *dialect, const char *text, struct oracle_rule *ret);

const char *oracle_default_dst(const struct oracle_rule *rule);

/* Instants outside [*ret_from, *ret_to) are no slots, whatever the fields say. */
void oracle_horizon(const struct oracle_rule *rule, int64_t *ret_from, int64_t *ret_to);

/* Whether a value stands in the field of a unit; a unit that is not written has any value. */
bool oracle_has(const struct oracle_rule *rule, enum oracle_unit unit, int value);

/* Whether the local day (days since 1970-01-01) matches: year, month and both day fields. */
bool oracle_day_matches(struct oracle_rule *rule, int64_t day);

/* Whether a local second (seconds since 1970-01-01 00:00 local) matches all fields. */
bool oracle_matches(struct oracle_rule *rule, int64_t local);
